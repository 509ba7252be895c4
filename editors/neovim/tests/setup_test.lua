-- Options, :Alongside, the statusline, and the variables of terminals.

local editor = require('editor')
local config = require('alongside.config')
local harmless = require('alongside.harmless')

local function with(options, body)
  options.cwd = options.cwd or editor.files(editor.directory(), { ['a.txt'] = 'one\n' }, true)
  editor.with(options, function(e)
    e:await_message('initialized')
    body(e, options.cwd)
  end)
end

local function status(values)
  return vim.tbl_extend('force', {
    port = 4711, pid = 42, roots = {}, agents = {}, reviews = 0, paused = false, desks = 1, context = {},
    environment = {},
  }, values)
end

local function agent(name)
  return { number = 1, name = name, version = '1.2.3', since = 0, listening = true }
end

return {
  {
    'a wrong option names itself and the nearest right one, the others still work',
    function()
      local resolved, wrong = config.resolve({
        contxt = false, environment = false, keys = { acept = 'a', reject = 5 }, cmd = 'alongside', zzzzzz = 1,
      })
      assert(vim.deep_equal(wrong, {
        "option 'cmd' must be a list of words such as { \"alongside\", \"lsp\" }",
        "option 'keys.reject' must be a key such as \"<localleader>r\", or false",
        "there is no option 'contxt': did you mean 'context'?",
        "there is no option 'keys.acept': did you mean 'keys.accept'?",
        "there is no option 'zzzzzz'; :help alongside-options lists them",
      }), vim.inspect(wrong))
      assert(resolved.environment == false and resolved.context == true)
      assert(vim.deep_equal(resolved.cmd, { 'alongside', 'lsp' }))
      assert(resolved.keys.reject == '<localleader>r')
    end,
  },
  {
    'two options with the same key are an error, and the one that accepts is off',
    function()
      local function keys(given)
        local resolved, wrong = config.resolve({ keys = given })
        return resolved.keys, wrong
      end
      local resolved, wrong = keys({ go = '<Leader>a' })
      assert(vim.deep_equal(wrong, {
        [[option 'keys.accept' is the same key as 'keys.go' (\a), so it is off: set another one]],
      }), vim.inspect(wrong))
      assert(resolved.go == '<Leader>a' and resolved.accept == false and resolved.reject == '<localleader>r')
      resolved, wrong = keys({ terminal = '<c-x>', send = '<C-X>' })
      assert(#wrong == 1 and resolved.terminal and not resolved.send, vim.inspect(wrong))
      vim.g.mapleader = ' '
      resolved, wrong = keys({ go = '<leader>a', send = '<leader>s' })
      vim.g.mapleader = nil
      assert(#wrong == 0 and resolved.go and resolved.accept, vim.inspect(wrong))
    end,
  },
  {
    'every harmful character is escaped, bytes that are not UTF-8 are replaced',
    function()
      assert(harmless.name('a\27[31mb\127') == [[a\x1b[31mb\x7f]])
      assert(harmless.name('x\u{202e}gpj.exe\u{9b}') == [[x\u{202e}gpj.exe\u{9b}]])
      assert(harmless.name('two\nlines\t\r') == [[two\nlines\t\r]])
      assert(harmless.text('a\n\tb\u{2028}') == 'a\n\tb\\u{2028}')
      assert(harmless.name('naïve 漢字 😀') == 'naïve 漢字 😀')
      assert(harmless.name('a\255b\237\160\128') == 'a\u{fffd}b\u{fffd}\u{fffd}\u{fffd}')
      assert(harmless.statusline('50% \27') == [[50%% \x1b]])
      assert(harmless.is_utf8('é') and not harmless.is_utf8('\233'))
    end,
  },
  {
    'wrong options are said at startup, and the rest starts',
    function()
      with({ setup = { contxt = true } }, function(e)
        e:await_said("did you mean 'context'?")
      end)
    end,
  },
  {
    'terminals get the variables of the companion, and nothing stays when it is gone',
    function()
      local other = editor.files(editor.directory(), { ['o.txt'] = 'o\n' }, true)
      with({ args = { 'a.txt' }, env = { ALONGSIDE_TEST_PORT = 'outer' } }, function(e, root)
        e:say('alongside/didChangeStatus', status({
          environment = { ALONGSIDE_TEST_PORT = '1', ALONGSIDE_TEST_TOKEN = 'secret', ['not a name'] = 'x' },
        }))
        e:await_lua('the variables', [[return vim.env.ALONGSIDE_TEST_TOKEN == 'secret']])
        assert(e:lua([[return vim.fn.system('echo $ALONGSIDE_TEST_PORT')]]) == '1\n')
        -- In the directory of another project, that project's variables replace them.
        e:cmd('edit ' .. other .. '/o.txt')
        e:await_message('initialized', nil, 1)
        e:await_lua('the second server', [[return #require('alongside.server').all() == 2]])
        e:say('alongside/didChangeStatus', status({ environment = { ALONGSIDE_TEST_PORT = '2' } }), other)
        e:await_lua('its status', [[return #vim.tbl_filter(function(s) return s.port end, require('alongside').status()) == 2]])
        assert(e:lua('return vim.env.ALONGSIDE_TEST_PORT') == '1')
        e:cmd('cd ' .. other)
        assert(e:lua('return vim.env.ALONGSIDE_TEST_PORT') == '2')
        assert(e:lua('return vim.env.ALONGSIDE_TEST_TOKEN') == vim.NIL)
        e:cmd('cd ' .. root)
        assert(e:lua('return vim.env.ALONGSIDE_TEST_TOKEN') == 'secret')
        -- Neither status nor log contains the token.
        assert(not e:lua([[return vim.inspect(require('alongside').status()) .. table.concat(require('alongside.log').lines())]])
          :find('secret'))
        e:lua([[for _, c in ipairs(vim.lsp.get_clients({ name = 'alongside' })) do
          if vim.fn.has('nvim-0.11') == 1 then c:stop() else c.stop() end end]])
        e:await_lua('the variables to be given back', [[return vim.env.ALONGSIDE_TEST_PORT == 'outer']])
        assert(e:lua('return vim.env.ALONGSIDE_TEST_TOKEN') == vim.NIL)
      end)
    end,
  },
  {
    'a variable that somebody else sets meanwhile is theirs, and none is set when told not to',
    function()
      local say = { environment = { ALONGSIDE_TEST_PORT = '1' } }
      with({}, function(e)
        e:say('alongside/didChangeStatus', status(say))
        e:await_lua('the variable', [[return vim.env.ALONGSIDE_TEST_PORT == '1']])
        e:lua([[vim.env.ALONGSIDE_TEST_PORT = 'mine']])
        e:say('alongside/didChangeStatus', status({ port = 4712 }))
        e:await_lua('the status', [[return require('alongside').status()[1].port == 4712]])
        assert(e:lua('return vim.env.ALONGSIDE_TEST_PORT') == 'mine')
      end)
      with({ setup = { environment = false } }, function(e)
        e:say('alongside/didChangeStatus', status(say))
        e:await_lua('the status', [[return require('alongside').status()[1].port == 4711]])
        assert(e:lua('return vim.env.ALONGSIDE_TEST_PORT') == vim.NIL)
      end)
    end,
  },
  {
    'the modules of reviews are loaded when an agent connects, not at the start',
    function()
      with({}, function(e)
        local loaded = [[return package.loaded['alongside.deciding'] ~= nil or package.loaded['alongside.view'] ~= nil]]
        e:say('alongside/didChangeStatus', status({ port = 4712 }))
        e:await_lua('the status', [[return require('alongside').status()[1].port == 4712]])
        assert(not e:lua(loaded))
        e:say('alongside/didChangeStatus', status({ agents = { agent('Gemini CLI') } }))
        e:await_lua('the modules', loaded)
      end)
    end,
  },
  {
    'the statusline says what there is, and nothing when there is nothing',
    function()
      with({}, function(e)
        local line = [[return require('alongside').statusline()]]
        assert(e:lua(line) == '')
        e:say('alongside/didChangeStatus', status({ display = { line = '1 agent, Codex by its hook' } }))
        e:await_lua('the agents', line .. [[ == 'alongside 1 agent, Codex by its hook']])
        e:say('alongside/didChangeStatus', status({ paused = true, display = { line = '2 reviews' } }))
        e:await_lua('a pause', line .. [[ == 'alongside 2 reviews, paused']])
        e:say('alongside/didChangeStatus', status({ paused = true, display = { line = 'no agent' } }))
        e:await_lua('nothing', line .. [[ == '']])
      end)
    end,
  },
  {
    'commands complete, and a wrong one names the nearest',
    function()
      with({}, function(e)
        local complete = [[return vim.fn.getcompletion(..., 'cmdline')]]
        assert(vim.deep_equal(e:lua(complete, 'Alongside re'), { 'reason', 'reject', 'restart', 'review' }))
        assert(vim.deep_equal(e:lua(complete, 'Alongside pause o'), { 'off', 'on' }))
        assert(vim.deep_equal(e:lua(complete, 'Alongside accept '), {}))
        e:cmd('Alongside acept')
        e:await_said("did you mean 'accept'?")
        e:cmd('Alongside foo')
        e:await_said("there is no ':Alongside foo'")
        for _, one in ipairs(e:lua('return said')) do
          assert(not one[1]:find("foo'.*did you mean"), one[1])
        end
        e:cmd('Alongside pause maybe')
        e:await_said("does not take 'maybe'")
      end)
    end,
  },
  {
    'pausing asks the server, and says what holds then; a refusal is said in its words',
    function()
      with({}, function(e)
        e:cmd('Alongside pause')
        assert(e:await_message('alongside/pauseContext').params.paused == true)
        e:await_said('Agents learn nothing about your files')
        e:say('alongside/didChangeStatus', status({ paused = true }))
        e:await_lua('the status', [[return (require('alongside').status()[1] or {}).paused]])
        e:cmd('Alongside pause')
        assert(e:await_message('alongside/pauseContext', nil, 1).params.paused == false)
        e:lua([[local server = require('alongside.server')
          server.notify(server.all()[1].id, 'fake/answer',
            { method = 'alongside/pauseContext', error = { code = -32803, message = 'not now', data = { why = 'x' } } })]])
        e:cmd('Alongside pause on')
        e:await_said('alongside: not now')
      end)
    end,
  },
  {
    'the status renders names harmless, and the log can be read and left',
    function()
      with({}, function(e)
        e:say('alongside/didChangeStatus', status({ agents = { agent('evil\27[31m\u{202e}') } }))
        e:await_lua('the agent', [[return #require('alongside').status()[1].agents == 1]])
        local shown = e:lua([[return vim.api.nvim_exec2('Alongside status', { output = true }).output]])
        assert(shown:find([[evil\x1b[31m\u{202e}]], 1, true), shown)
        assert(shown:find('port 4711, process 42', 1, true))
        e:cmd('Alongside log')
        assert(e:lua([[return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false))]]):find('connected for', 1, true))
        e:keys('q')
        e:await_lua('the window to close', [[return #vim.api.nvim_list_wins() == 1]])
      end)
    end,
  },
  {
    "a long message fits into its line when it is Neovim's own that shows it",
    function()
      editor.with({ setup = false, cwd = editor.directory() }, function(e)
        local long = ('word '):rep(60)
        local say = [[require('alongside.config').resolve({}).notify(...)]]
        e:lua(say, long)
        assert(e:lua('return said[1][1]') == long)
        e:lua('vim.o.columns, vim.notify = 80, own_notify')
        e:lua(say, long)
        local shown = e:lua([[return vim.api.nvim_exec2('messages', { output = true }).output]])
        assert(vim.fn.strdisplaywidth(shown) <= 70 and shown:find(':Alongside log', 1, true), shown)
        local lines = e:lua([[return require('alongside.log').lines()]])
        assert(lines[#lines]:find(long, 1, true))
      end)
    end,
  },
  {
    ':messages has a long message in lines, each a sentence, and the last one stays',
    function()
      editor.with({ setup = false, cwd = editor.directory() }, function(e)
        local said = 'a.txt: rejected; Gemini CLI is told. Your edits are in drafts: run `alongside drafts` in a shell.'
        e:lua([[vim.o.columns, vim.notify = 80, own_notify require('alongside.config').resolve({}).notify(...)]], said)
        local shown = e:lua([[return vim.api.nvim_exec2('messages', { output = true }).output]])
        assert(shown == (said:gsub('told%. ', 'told.\n')), shown)
        assert(not e:lua('return vim.api.nvim_get_mode().blocking'))
      end)
    end,
  },
  {
    'a function for messages that fails breaks nothing',
    function()
      local resolved = config.resolve({ notify = function()
        error('no')
      end })
      resolved.notify('hello')
      local lines = require('alongside.log').lines()
      assert(lines[#lines]:find('hello', 1, true))
    end,
  },
  {
    'an error of the plugin is logged and shown once, not over typed text',
    function()
      with({}, function(e)
        e:lua([[require('alongside.review').problem = function() error('broken on purpose') end]])
        for _ = 1, 3 do
          e:say('alongside/problem', { what = 'x' })
        end
        e:await_said('the plugin has made a mistake')
        e:await_lua('three entries in the log', [[return #vim.tbl_filter(function(line)
          return line:find('broken on purpose', 1, true) end, require('alongside.log').lines()) == 3]])
        assert(#e:lua('return said') == 1, vim.inspect(e:lua('return said')))
        assert(e:lua('return vim.v.errmsg') == '')
      end)
    end,
  },
  {
    'installed by `alongside install` it starts by itself with that program, and what a person says counts',
    function()
      local installed = editor.files(editor.directory(), {
        ['lua/alongside/installed.lua'] = ("return { program = %q, version = '1' }\n"):format(vim.fn.exepath('true')),
      })
      local before = ('vim.opt.runtimepath:prepend(%q)\n'):format(installed)
      local program = [[return require('alongside').is_set_up() and require('alongside.config').current.cmd[1] or '']]
      editor.with({ setup = false, cwd = editor.directory(), before = before }, function(e)
        e:await_lua('it to start', [[return require('alongside').is_set_up()]])
        assert(e:lua(program) == vim.fn.exepath('true'))
      end)
      with({ before = before }, function(e)
        assert(e:lua(program) ~= vim.fn.exepath('true'), 'their own setup counts')
      end)
      local kept_away = before .. 'vim.g.loaded_alongside = true\n'
      editor.with({ setup = false, cwd = editor.directory(), before = kept_away }, function(e)
        e:lua('return vim.wait(200, function() return false end)')
        assert(e:lua([[return vim.fn.exists(':Alongside') == 0 and not require('alongside').is_set_up()]]))
      end)
      -- A missing program is searched for in $PATH.
      editor.files(installed, { ['lua/alongside/installed.lua'] = "return { program = '/nowhere', version = '1' }\n" })
      editor.with({ setup = false, cwd = editor.directory(), before = before }, function(e)
        e:await_lua('it to start', [[return require('alongside').is_set_up()]])
        assert(e:lua(program) == 'alongside')
      end)
    end,
  },
}
