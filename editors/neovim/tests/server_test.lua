-- Servers: they start for opened files, restart after a crash, and stay stopped after somebody stopped them.

local editor = require('editor')

local function project(files)
  return editor.files(editor.directory(), files or { ['a.txt'] = 'one\n' }, true)
end

local function starts(e)
  return #e:got('fake/start')
end

local function initialized(e, skip)
  return e:await_message('initialized', nil, skip)
end

-- Stops clients as the commands of older releases do.
local STOP = [[for _, c in ipairs(vim.lsp.get_clients({ name = 'alongside' })) do
  if vim.fn.has('nvim-0.11') == 1 then c:stop() else c.stop() end end]]

local function await_stopped(e)
  e:await_lua('the client to be gone', [[return #vim.lsp.get_clients({ name = 'alongside', _uninitialized = true }) == 0]])
end

local function is_held(e, root)
  return e:lua([[return require('alongside.server_restart').is_held(...)]], root)
end

local tests = {
  {
    'with no file at all the directory gets a server, which learns the protocol, the process and the project',
    function()
      local root = project()
      editor.with({ cwd = root }, function(e)
        local message = e:await_message('initialize')
        assert(message.params.processId == e.pid)
        assert(message.params.clientInfo.name == 'Neovim')
        assert(vim.uri_to_fname(message.params.workspaceFolders[1].uri) == root)
        assert(message.params.initializationOptions.alongside.protocol == 1)
        initialized(e)
      end)
    end,
  },
  {
    'a file without a filetype starts the server of its project, not of the directory, and is attached',
    function()
      local root = project()
      editor.with({ cwd = editor.directory(), args = { root .. '/a.txt' } }, function(e)
        local message = e:await_message('initialize')
        assert(vim.uri_to_fname(message.params.workspaceFolders[1].uri) == root)
        e:await_lua('the file to be attached', [[
          return #vim.lsp.get_clients({ bufnr = 0, name = 'alongside', _uninitialized = true }) == 1]])
        initialized(e)
        assert(starts(e) == 1)
      end)
    end,
  },
  {
    'the program starts while Neovim does, and the client takes it over after the first screen',
    function()
      local before = [[vim.api.nvim_create_autocmd('VimEnter', { callback = function()
        at_enter = { table.concat(require('alongside.log').lines()):find('starting .* lsp') ~= nil,
          #vim.lsp.get_clients({ name = 'alongside', _uninitialized = true }) }
      end })]]
      for _, args in ipairs({ { 'a.txt' }, {} }) do
        editor.with({ cwd = project(), args = args, before = before }, function(e)
          initialized(e)
          assert(vim.deep_equal(e:lua('return at_enter'), { true, 0 }), vim.inspect(e:lua('return at_enter')))
          e:await_lua('the client', [[return #require('alongside.server').all() == 1]])
          assert(starts(e) == 1 and #e:got('initialize') == 1)
        end)
      end
    end,
  },
  {
    'a terminal that opens while Neovim starts gets the server of the directory',
    function()
      local here, there = project(), project()
      editor.with({ cwd = here, args = { there .. '/a.txt', '+terminal true' } }, function(e)
        initialized(e, 1)
        e:await_lua('both servers', [[return #require('alongside.server').all() == 2]])
        assert(e:lua([[return require('alongside.server').get(...) ~= nil]], here))
      end)
    end,
  },
  {
    'a program that was started for a directory that Neovim leaves before the first screen ends',
    function()
      local first, second = project(), project()
      local before = ("vim.api.nvim_create_autocmd('VimEnter', { command = 'cd %s' })"):format(second)
      editor.with({ cwd = first, before = before }, function(e)
        initialized(e)
        assert(e:lua([[return require('alongside.server').all()[1].root]]) == second)
        editor.await('one process', function()
          return #vim.tbl_filter(function(start)
            return vim.uv.kill(start.pid, 0) == 0
          end, e:got('fake/start')) == 1
        end)
      end)
    end,
  },
  {
    'a commit message starts no server, a directory does',
    function()
      local root = project({ ['a.txt'] = 'one\n', ['.git/COMMIT_EDITMSG'] = '\n' })
      editor.with({ cwd = root, args = { '.git/COMMIT_EDITMSG' } }, function(e)
        assert(e:lua([[return #vim.lsp.get_clients({ name = 'alongside', _uninitialized = true })]]) == 0)
        e:cmd('edit a.txt')
        initialized(e)
      end)
      editor.with({ cwd = root, args = { '.' } }, function(e)
        initialized(e)
      end)
    end,
  },
  {
    'two projects get a server each, a file of neither goes with the directory',
    function()
      local one, two, outside = project(), project(), editor.files(editor.directory(), { ['x.txt'] = 'x\n' })
      editor.with({ cwd = one, args = { one .. '/a.txt', two .. '/a.txt', outside .. '/x.txt' } }, function(e)
        e:cmd('argument 2')
        e:cmd('argument 3')
        initialized(e, 1)
        assert(starts(e) == 2)
        local message = e:await_message('alongside/didChangeContext', function(params)
          return params.active and params.active.path == outside .. '/x.txt'
        end)
        local paths = vim.tbl_map(function(file)
          return file.path
        end, message.params.openFiles)
        assert(vim.deep_equal(paths, { outside .. '/x.txt', one .. '/a.txt' }), vim.inspect(paths))
      end)
    end,
  },
  {
    'a crashed server is started again, with its buffers, and is told the context again',
    function()
      editor.with({ cwd = project(), args = { 'a.txt' } }, function(e)
        initialized(e)
        e:await_message('alongside/didChangeContext')
        local before = #e:got('alongside/didChangeContext')
        e:say('ignored', {})
        e:lua([[require('alongside.server').notify(require('alongside.server').all()[1].id, 'fake/exit', { code = 101 })]])
        initialized(e, 1)
        e:await_message('alongside/didChangeContext', nil, before)
        e:await_lua('the buffer to be attached', [[return #vim.lsp.get_clients({ bufnr = 0, name = 'alongside' }) == 1]])
        assert(#e:lua('return said') == 0, vim.inspect(e:lua('return said')))
      end)
    end,
  },
  {
    'requests that are unanswered when the server ends get an error that says why',
    function()
      editor.with({ cwd = project() }, function(e)
        initialized(e)
        e:lua([[local server = require('alongside.server')
          local id = server.all()[1].id
          server.notify(id, 'fake/answer', { method = 'alongside/undoReview', silent = true })
          server.request(id, 'alongside/undoReview', { id = 1, revision = 1 }, function(err) answered = err end)
          server.notify(id, 'fake/exit', { code = 1 })]])
        editor.await('the answer', function()
          return e:lua('return answered ~= nil and answered.data.why') == 'gone'
        end)
      end)
    end,
  },
  {
    'a program that does not start is named once, at its first try',
    function()
      local root = project()
      editor.with({ cwd = root, how = 'crash' }, function(e)
        e:await_said("does not start (exit code 101): :checkhealth alongside")
        assert(starts(e) < 5, 'it is said at once')
        for before = 0, 4 do
          e:await_message('fake/start', nil, before)
        end
        editor.await('it to be given up', function()
          return is_held(e, root)
        end)
        assert(starts(e) == 5, starts(e))
        assert(is_held(e, root))
        assert(#e:lua('return said') == 1, vim.inspect(e:lua('return said')))
        e:cmd('Alongside restart')
        editor.await('another try', function()
          return starts(e) > 5
        end)
      end)
    end,
  },
  {
    'a server that crashes is given up after five times, said once, and :Alongside restart tries again',
    function()
      local root = project()
      editor.with({ cwd = root }, function(e)
        for before = 0, 4 do
          initialized(e, before)
          e:lua([[local server = require('alongside.server')
            server.notify(server.all()[1].id, 'fake/exit', { code = 1 })]])
        end
        e:await_said('5 times within a minute')
        assert(starts(e) == 5, starts(e))
        assert(is_held(e, root))
        assert(#e:lua('return said') == 1, vim.inspect(e:lua('return said')))
        e:cmd('Alongside restart')
        initialized(e, 5)
      end)
    end,
  },
  {
    'the end of a server that has a successor already holds nobody up',
    function()
      local server_restart = require('alongside.server_restart')
      local function started()
        error('nobody asked for another one')
      end
      server_restart.ended('/one', { asked_to_stop = true }, true, started)
      server_restart.ended('/two', { asked_to_stop = true }, false, started)
      assert(not server_restart.is_held('/one') and server_restart.is_held('/two'))
    end,
  },
  {
    'a server that speaks another protocol, or refuses, is not tried again, and its words are shown',
    function()
      for how, words in pairs({ old = 'speak different protocols', refuse = 'install 0.2 or newer' }) do
        local root = project()
        editor.with({ cwd = root, how = how, args = { 'a.txt' } }, function(e)
          e:await_said(words)
          await_stopped(e)
          assert(starts(e) == 1)
          assert(is_held(e, root))
          assert(#e:lua('return said') == 1, vim.inspect(e:lua('return said')))
          assert(e:lua('return vim.v.errmsg') == '', e:lua('return vim.v.errmsg'))
        end)
      end
    end,
  },
  {
    'a missing program is said once, with the way out, and breaks nothing',
    function()
      local root = project({ ['a.txt'] = 'one\n', ['b.lua'] = 'x = 1\n' })
      editor.with({ cwd = root, args = { 'a.txt' }, setup = { cmd = { 'no-such-program', 'lsp' } } }, function(e)
        e:await_said("cannot run 'no-such-program'")
        e:cmd('edit b.lua')
        e:cmd('Alongside status')
        e:cmd('Alongside pause')
        local said = vim.tbl_filter(function(one)
          return one[1]:find('no-such-program', 1, true)
        end, e:lua('return said'))
        assert(#said == 1)
        assert(e:lua('return vim.v.errmsg') == '', e:lua('return vim.v.errmsg'))
        -- Once the program exists, this command is enough.
        e:lua([[require('alongside.config').current.cmd = ...]], editor.fake(e.log))
        e:cmd('Alongside restart')
        initialized(e)
      end)
    end,
  },
  {
    'a stopped server stays stopped when buffers are entered, and starts when a file is opened',
    function()
      local root = project({ ['a.txt'] = 'one\n', ['b.txt'] = 'two\n' })
      editor.with({ cwd = root, args = { 'a.txt', 'b.txt' } }, function(e)
        initialized(e)
        e:cmd('argument 2')
        e:lua(STOP)
        await_stopped(e)
        editor.await('it to be held', function()
          return is_held(e, root)
        end)
        e:cmd('argument 1')
        e:cmd('new')
        assert(starts(e) == 1)
        e:cmd('edit! b.txt | edit')
        initialized(e, 1)
        assert(starts(e) == 2)
      end)
    end,
  },
  {
    'a file that is opened while its server stops gets another one',
    function()
      local root = project()
      editor.with({ cwd = root, args = { 'a.txt' } }, function(e)
        initialized(e)
        e:lua(STOP .. " vim.cmd('edit')")
        initialized(e, 1)
        editor.await('one client, attached', function()
          return e:lua([[return #vim.lsp.get_clients({ name = 'alongside', _uninitialized = true }) == 1
            and #vim.lsp.get_clients({ bufnr = 0, name = 'alongside' }) == 1]])
        end)
        assert(starts(e) == 2)
        assert(not is_held(e, root))
      end)
    end,
  },
  {
    ':Alongside restart ends the server and starts it with the same buffers',
    function()
      local root = project()
      editor.with({ cwd = root, args = { 'a.txt' } }, function(e)
        initialized(e)
        local review = { id = 1, file = root .. '/a.txt', agent = { number = 1, name = 'A' }, revision = 1, original = 'a\n',
          proposed = 'b\n', current = 'b\n', hunks = {}, display = {
            hunks = {}, notes = {}, name = 'a.txt', agent = 'A', size = '1 change', states = '', messages = {} } }
        e:say('alongside/didOpenReview', review)
        e:await_said('A proposes a.txt')
        local began = vim.uv.hrtime()
        e:cmd('Alongside restart')
        initialized(e, 1)
        local milliseconds = (vim.uv.hrtime() - began) / 1e6
        assert(e:lua([[return #require('alongside.review').all()]]) == 0)
        -- Messages are shown in order, so no earlier one is waiting.
        e:lua([[require('alongside.messages').later('the end')]])
        e:await_said('the end')
        for _, one in ipairs(e:lua('return said')) do
          assert(not one[1]:find('is lost', 1, true), one[1])
        end
        editor.await('one client, attached', function()
          return e:lua([[return #vim.lsp.get_clients({ name = 'alongside' }) == 1
            and #vim.lsp.get_clients({ bufnr = 0, name = 'alongside' }) == 1]])
        end)
        -- A server that does not reply gets a signal after two seconds.
        assert(#e:got('exit') == 1 or milliseconds > 2000)
        assert(not is_held(e, root))
      end)
    end,
  },
  {
    "stopping a client by Neovim's functions and opening it again works as with any other server",
    function()
      editor.with({ cwd = project(), args = { 'a.txt' } }, function(e)
        initialized(e)
        -- As :LspRestart of nvim-lspconfig does.
        e:lua([[
          if vim.lsp.enable then
            vim.lsp.enable('alongside', false)
            vim.defer_fn(function() vim.lsp.enable('alongside') end, 500)
          else
            vim.lsp.stop_client(vim.lsp.get_clients({ name = 'alongside' }))
            vim.defer_fn(function() vim.cmd.edit() end, 500)
          end]])
        initialized(e, 1)
        e:await_lua('the buffer to be attached', [[return #vim.lsp.get_clients({ bufnr = 0, name = 'alongside' }) == 1]])
      end)
    end,
  },
  {
    'beside a server that counts bytes it counts bytes, so that Neovim does not mix the two up',
    function()
      editor.with({ cwd = project(), args = { 'a.txt' } }, function(e)
        initialized(e)
        e:lua([[vim.lsp.start({ name = 'other', cmd = ..., root_dir = vim.fn.getcwd() })]], editor.fake(e.log .. '2', 'utf-8'))
        editor.await('both to be attached', function()
          return e:lua([[return #vim.lsp.get_clients({ bufnr = 0 })]]) == 2
        end)
        editor.await('the same encoding', function()
          return e:lua([[local all = {}
            for _, client in ipairs(vim.lsp.get_clients({ bufnr = 0 })) do all[client.offset_encoding] = true end
            return vim.deep_equal(all, { ['utf-8'] = true })]])
        end)
      end)
    end,
  },
  {
    'quitting ends the server and starts no other',
    function()
      local log
      editor.with({ cwd = project(), args = { 'a.txt' } }, function(e)
        log = e.log
        initialized(e)
        -- Without e:stop(), which kills a slow Neovim.
        vim.rpcnotify(e.channel, 'nvim_command', 'qall!')
        editor.await('the end of Neovim', function()
          return e.ended
        end)
        editor.await('the server to end', function()
          return #e:got('exit') + #e:got('fake/eof') > 0
        end)
        assert(starts(e) == 1)
        assert(e.ended == 0)
      end)
    end,
  },
  {
    'setup may be called again, and late',
    function()
      editor.with({ cwd = project(), args = { 'a.txt' }, setup = false }, function(e)
        local set = [[require('alongside').setup({ cmd = ... })]]
        e:lua(set, editor.fake(e.log))
        initialized(e)
        e:lua(set, editor.fake(e.log))
        e:cmd('edit')
        e:cmd('doautocmd BufEnter')
        assert(starts(e) == 1)
        assert(#e:lua('return said') == 0)
      end)
    end,
  },
  {
    'a request of the server is answered after it was obeyed',
    function()
      editor.with({ cwd = project() }, function(e)
        initialized(e)
        e:lua([[local server = require('alongside.server')
          server.notify(server.all()[1].id, 'fake/say', { method = 'alongside/flushReview', params = { id = 7 }, id = 'q1' })]])
        local answer = e:await_message(nil, function(_, message)
          return message.id == 'q1' and not message.method
        end)
        assert(answer.error == nil)
      end)
    end,
  },
  {
    'an agent gets the diagnostics of files, in UTF-16 units, and none of other buffers',
    function()
      editor.with({ cwd = project({ ['a.txt'] = 'ä😀b\n' }), args = { 'a.txt' } }, function(e)
        assert(e:await_message('initialize').params.initializationOptions.alongside.diagnostics == true)
        initialized(e)
        e:lua([[local space = vim.api.nvim_create_namespace('test')
          local found = { lnum = 0, col = 6, end_col = 7, message = 'bad b', severity = 2, source = 'lint', code = 'E1' }
          vim.diagnostic.set(space, 0, { vim.deepcopy(found) })
          vim.diagnostic.set(space, vim.api.nvim_create_buf(false, true), { vim.deepcopy(found) })
          local server = require('alongside.server')
          server.notify(server.all()[1].id, 'fake/say', { method = 'alongside/getDiagnostics', params = { number = 7 }, id = 'diagnostics-7' })]])
        local answer = e:await_message(nil, function(_, message)
          return message.id == 'diagnostics-7' and not message.method
        end)
        local expected = {
          {
            path = vim.uv.fs_realpath(e:lua('return vim.api.nvim_buf_get_name(0)')),
            diagnostics = {
              {
                range = { start = { line = 0, character = 3 }, ['end'] = { line = 0, character = 4 } },
                severity = 2, source = 'lint', code = 'E1', message = 'bad b',
              },
            },
          },
        }
        assert(vim.deep_equal(answer.result, expected), vim.inspect(answer.result))
      end)
    end,
  },
  {
    'diagnostics are read once, and again when they, the text or the open files change',
    function()
      editor.with({ cwd = project({ ['a.txt'] = 'ä😀b\n', ['b.txt'] = 'b\n' }), args = { 'a.txt' } }, function(e)
        initialized(e)
        e:lua([[reads, space = 0, vim.api.nvim_create_namespace('test')
          local get = vim.diagnostic.get
          vim.diagnostic.get = function(...) reads = reads + 1 return get(...) end
          all = function()
            local found = {}
            for _, file in ipairs(require('alongside.diagnostics').all()) do
              for _, one in ipairs(file.diagnostics) do
                found[#found + 1] = ('%s %d %s'):format(vim.fs.basename(file.path), one.range.start.character, one.message)
              end
            end
            return { found, reads }
          end
          set = function(buf, message) vim.diagnostic.set(space, buf, message and { { lnum = 0, col = 6, message = message } } or {}) end
          set(0, 'one')]])
        local function expect(code, found, reads)
          local now = e:lua(code .. ' return all()')
          assert(vim.deep_equal(now, { found, reads }), vim.inspect(now))
        end
        expect('', { 'a.txt 3 one' }, 1)
        expect('', { 'a.txt 3 one' }, 1)
        expect([[set(0, 'two')]], { 'a.txt 3 two' }, 2)
        expect([[vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'abcdefgh' })]], { 'a.txt 6 two' }, 3)
        expect([[other = vim.fn.bufadd('b.txt') vim.bo[other].buflisted = true set(other, 'three')]],
          { 'a.txt 6 two', 'b.txt 6 three' }, 4)
        expect('vim.fn.bufload(other)', { 'a.txt 6 two', 'b.txt 1 three' }, 5)
        expect('set(0)', { 'b.txt 1 three' }, 6)
        expect([[vim.api.nvim_buf_delete(other, {})]], {}, 6)
      end)
    end,
  },
}

-- The oldest supported release lacks the command.
if vim.fn.exists(':lsp') == 2 then
  tests[#tests + 1] = {
    "Neovim's own :lsp restart, stop and disable do what they say",
    function()
      local root = project()
      editor.with({ cwd = root, args = { 'a.txt' } }, function(e)
        initialized(e)
        e:cmd('lsp restart')
        initialized(e, 1)
        e:await_lua('the buffer to be attached', [[return #vim.lsp.get_clients({ bufnr = 0, name = 'alongside' }) == 1]])
        assert(not is_held(e, root))
        e:cmd('lsp disable alongside')
        await_stopped(e)
        e:cmd('edit a.txt')
        assert(starts(e) == 2)
        e:cmd('lsp enable alongside')
        initialized(e, 2)
      end)
    end,
  }
end

return tests
