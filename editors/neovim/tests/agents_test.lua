-- The window of `:Alongside agents`.

local editor = require('editor')

local tests = {}

local SCREEN = [[return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')]]

local function await_shown(nvim, part)
  return nvim:await_lua(("'%s' to be shown"):format(part),
    ([[local shown = (function() %s end)() return shown:find(%q, 1, true) and shown]]):format(SCREEN, part))
end

-- A program that replies once the file `go` exists, and asks one question.
local function program(directory)
  local path = directory .. '/alongside'
  vim.fn.writefile({
    '#!/bin/sh',
    '[ "$2" = agent ] || exec cat >/dev/null',
    ('while ! [ -e %s/go ]; do sleep 0.01; done'):format(directory),
    [[printf 'Sure? [y/N] '; read answer; echo "You said $answer, in $(stty size)."; [ "$answer" = y ] || exit 3]],
    "echo 'Next, in your project: alongside run -- gemini (in Neovim or Helix: alongside install)'",
  }, path)
  assert(vim.uv.fs_chmod(path, 448))
  return { path, 'lsp' }
end

local function test(name, body)
  tests[#tests + 1] = {
    name,
    function()
      local directory = editor.directory()
      editor.with({ cwd = directory, setup = { cmd = program(directory) } }, function(nvim)
        nvim:lua('vim.cmd("runtime plugin/alongside.lua")')
        nvim:keys(':Alongside agents<CR>')
        await_shown(nvim, 'Looking for agents …')
        nvim:await_lua('terminal mode', [[return vim.api.nvim_get_mode().mode == 't']])
        body(nvim, directory)
      end)
    end,
  }
end

test('text is there at once, and the answers are readable until a key closes them', function(nvim, directory)
  vim.fn.writefile({}, directory .. '/go')
  local shown = await_shown(nvim, 'Sure? [y/N]')
  assert(not shown:find('Looking', 1, true), shown)
  nvim:keys('y<CR>')
  shown = await_shown(nvim, 'Press Enter to close this window.')
  assert(shown:find('You said y, in 15 80.', 1, true), shown)
  assert(not shown:find('Process exited', 1, true), shown)
  assert(shown:find('80.\n\nHere in Neovim, start an agent with :Alongside terminal.\nPress Enter', 1, true), shown)
  nvim:keys('<CR>')
  nvim:await_lua('the window to go', [[return #vim.api.nvim_list_wins() == 1 and vim.api.nvim_get_mode().mode == 'n']])
  assert(nvim:lua([[return vim.fn.bufnr('alongside://agents')]]) == -1)
end)

test('closing the window ends the program', function(nvim)
  local job = nvim:lua([[
    for _, one in ipairs(vim.api.nvim_list_chans()) do
      if one.mode == 'bytes' and one.stream == 'job' and one.pty then return vim.fn.jobpid(one.id) end
    end
  ]])
  nvim:keys('<C-\\><C-n>:q<CR>')
  editor.await('the program to end', function()
    return not vim.uv.kill(job, 0)
  end)
end)

test('in Normal mode, q closes the window once the program has ended', function(nvim, directory)
  nvim:keys('<C-\\><C-n>q')
  vim.fn.writefile({}, directory .. '/go')
  await_shown(nvim, 'Sure? [y/N]')
  nvim:keys('in<CR>')
  local shown = await_shown(nvim, 'Press Enter to close this window.')
  -- After a failure, no next step is shown.
  assert(not shown:find('start an agent', 1, true), shown)
  nvim:keys('<C-\\><C-n>q')
  nvim:await_lua('the window to go', 'return #vim.api.nvim_list_wins() == 1')
end)

tests[#tests + 1] = {
  'a program that does not exist opens no window',
  function()
    editor.with({ cwd = editor.directory(), setup = { cmd = { '/no/such/alongside', 'lsp' } } }, function(nvim)
      nvim:lua('vim.cmd("runtime plugin/alongside.lua") said = {}')
      nvim:cmd('Alongside agents')
      nvim:await_said("alongside: cannot run '/no/such/alongside': install it, or set cmd")
      assert(nvim:lua('return #vim.api.nvim_list_wins()') == 1)
    end)
  end,
}

return tests
