-- File names that a command could interpret: they reach no function that interprets them, and no autocommand of other
-- plugins.

local reviewing = require('reviewing')

local eq = reviewing.eq
local test = reviewing.test
local open = reviewing.open
local await = reviewing.await

-- Neovim's own file type rules pass some of these names to expand(), which runs commands in backquotes.
local NAMES = {
  'etc/modutils/`touch PWNED`.conf', 'etc/udev/`touch PWNED`.rules', '`touch PWNED`.t', '`=writefile([], "PWNED")`.md',
  'sftp://-oProxyCommand=touch PWNED/x.md', 'scp://host//x.md', 'tarfile::/tmp/x.tar', 'x.tar.gz', 'x.zip', 'x.gz', 'x.vba',
  '*?[a-z]{a,b}**.md', '% # #1 <cfile> <afile>.md', '$HOME ~root.md', 'x|silent !touch PWNED|.md', 'x.md.orig',
}

-- The names that autocommands of other plugins receive.
local OTHERS = [[
  heard = {}
  vim.api.nvim_create_autocmd({
    'BufNew', 'BufAdd', 'BufNewFile', 'BufReadPre', 'BufReadPost', 'BufReadCmd', 'BufFilePre', 'BufFilePost', 'FileReadCmd',
  }, {
    callback = function(event)
      if event.match:find('alongside:', 1, true) then
        heard[#heard + 1] = { event.event, event.match }
      end
    end,
  })
  vim.o.modeline, vim.o.modelines = true, 5
]]

test('no file name is interpreted', {}, function(nvim)
  nvim:lua(OTHERS)
  for id, name in ipairs(NAMES) do
    local proposed = 'one\n# vim: set textwidth=7:\n'
    open(nvim, { id = id, file = nvim.root .. '/' .. name, original = 'one\n', proposed = proposed })
    nvim:cmd('Alongside review ' .. id)
    await(nvim, name, [[return vim.bo.buftype == 'acwrite' and vim.wo.diff]])
    eq(vim.NIL, nvim:lua('return vim.uv.fs_stat("PWNED")'), name)
    eq({}, nvim:lua('return heard'), name)
    local buffers = nvim:lua('return vim.tbl_map(function(win) return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)) end, vim.api.nvim_tabpage_list_wins(0))')
    assert(buffers[1]:find('^alongside://original/7%-%d+/[%w._+,@=-]+ %[file%]$'), buffers[1])
    assert(buffers[2]:find('^alongside://review/7%-%d+/[%w._+,@=-]+ %[proposal %d+%]$'), buffers[2])
    -- The text is the agent's, also if plugins open such names themselves.
    nvim:cmd('edit!')
    nvim:lua('heard = {}')
    eq({ { 'one', '# vim: set textwidth=7:' }, 'acwrite', 0, false }, nvim:lua(
      'return { vim.api.nvim_buf_get_lines(0, 0, -1, true), vim.bo.buftype, vim.bo.textwidth, vim.bo.buflisted }'
    ), name)
    nvim:lua('desk.close(...)', id, 'rejected', true)
  end
end)

test('the file type is that of the name', {}, function(nvim)
  for id, case in ipairs({ { 'a b/x|y.md', 'markdown' }, { 'Größe.c++', 'cpp' }, { 'scp://host//x.py', 'python' } }) do
    open(nvim, { id = id, file = nvim.root .. '/' .. case[1], original = 'one\n', proposed = 'two\n' })
    nvim:cmd('Alongside review ' .. id)
    eq(case[2], await(nvim, case[1], [[return vim.wo.diff and vim.bo.filetype]]))
    nvim:lua('desk.close(...)', id, 'rejected', true)
  end
end)

return reviewing.tests
