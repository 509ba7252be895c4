-- :checkhealth alongside names problems and remedies.

local editor = require('editor')

local function check(e)
  e:cmd('checkhealth alongside')
  return table.concat(e:lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)'), '\n')
end

local function has(text, ...)
  for _, part in ipairs({ ... }) do
    assert(text:find(part, 1, true), ('%s is missing in:\n%s'):format(part, text))
  end
end

return {
  {
    'with a missing program it says how to get one',
    function()
      editor.with({ cwd = editor.directory(), setup = { cmd = { 'no-such-program', 'lsp' } } }, function(e)
        has(check(e), "'no-such-program' is not in $PATH", 'cargo install', 'setup{ cmd')
      end)
    end,
  },
  {
    'with a program that cannot be started it says so, and advises nothing else',
    function()
      local program = editor.directory() .. '/alongside'
      vim.fn.writefile({ '#!/bin/sh', 'echo "libc.so.6: version GLIBC_9.99 not found" >&2', 'exit 1' }, program)
      assert(vim.uv.fs_chmod(program, 448))
      editor.with({ cwd = editor.directory(), setup = { cmd = { program, 'lsp' } } }, function(e)
        local text = check(e)
        has(text, 'the program does not start', 'GLIBC_9.99', program .. ' --version')
        assert(not text:find('older than the plugin', 1, true), text)
      end)
    end,
  },
  {
    'without setup it says so',
    function()
      editor.with({ cwd = editor.directory(), setup = false }, function(e)
        has(check(e), 'setup() was not called')
      end)
    end,
  },
  {
    'with a companion and an agent it names both, and the traps',
    function()
      local before = 'vim.o.autoread = false vim.o.hidden = false vim.env.TMUX = "x"'
      editor.with({ cwd = editor.directory(), before = before }, function(e)
        e:await_message('initialized')
        has(check(e), 'the companion has not answered')
        e:say('alongside/didChangeStatus', {
          port = 4711, pid = 42, roots = {}, reviews = 0, paused = true, desks = 1, context = {},
          agents = { { number = 1, name = 'evil\27', version = '1', listening = true } },
          environment = { ALONGSIDE_TEST_TOKEN = 'secret' },
        })
        editor.await('the status', function()
          return e:lua([[return require('alongside').status()[1].port]]) == 4711
        end)
        local text = check(e)
        has(text, 'port 4711', 'process 42', [[evil\x1b 1 is connected]], 'agents learn nothing about your files', "'autoread' is off",
          "'hidden' is off", 'in tmux', ':Alongside agents')
        assert(not text:find('secret', 1, true))
      end)
    end,
  },
  {
    'nothing is said with two blanks, also of an agent without a version',
    function()
      editor.with({ cwd = editor.directory() }, function(e)
        e:await_message('initialized')
        e:say('alongside/didChangeStatus', {
          port = 4711, pid = 42, roots = {}, reviews = 0, paused = false, desks = 1, context = {}, environment = {},
          agents = { { number = 1, name = 'Qwen Code', listening = true } },
        })
        e:await_lua('the status', [[return require('alongside').status()[1].port == 4711]])
        local text = check(e)
        has(text, 'Qwen Code is connected')
        for line in text:gmatch('[^\n]+') do
          assert(not line:find('^%s*%-.*%S  '), line)
        end
      end)
    end,
  },
  {
    'the installed agents are named, those that a terminal offers',
    function()
      local directory = editor.files(editor.directory(), { claude = '#!/bin/sh\n' })
      assert(vim.uv.fs_chmod(directory .. '/claude', 448))
      for path, said in pairs({ [directory] = 'claude: ' .. directory, ['/nowhere'] = 'neither gemini, qwen nor claude' }) do
        editor.with({ cwd = directory, before = ('vim.env.PATH = %q'):format(path) }, function(e)
          has(check(e), said)
        end)
      end
    end,
  },
  {
    'a stopped server is named as that',
    function()
      editor.with({ cwd = editor.directory(), how = 'refuse' }, function(e)
        e:await_said('install 0.2')
        has(check(e), 'was stopped', ':Alongside restart')
      end)
    end,
  },
}
