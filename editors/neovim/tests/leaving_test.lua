-- `:qa` while proposals wait: Neovim stops if no other desk keeps them, and accepts nothing.

local reviewing = require('reviewing')

local eq = reviewing.eq
local test = reviewing.test
local await = reviewing.await
local show = reviewing.show
local ends = reviewing.ends

local NOTE = vim.fn.stdpath('state') .. '/alongside/left.json'
local KEPT = [[desk.status = { desks = 2, keptBy = { 'alongside review' } }]]

-- All that the person sees, and all buffers.
local function state(nvim)
  return { nvim:lua(reviewing.PICTURE), nvim:lua('return vim.tbl_map(function(buf) return buf.bufnr end, vim.fn.getbufinfo())') }
end

local function stops(nvim, keys, said)
  local before = state(nvim)
  nvim:lua('said = {}')
  nvim:keys(keys)
  nvim:await_said(said)
  local why = nvim:lua('return vim.v.errmsg')
  -- Commands that write all buffers report that this one is not written.
  local is_refused = keys == ':xa<CR>' or keys == ':wqa<CR>'
  assert(is_refused or why:find('E162: No write since last change for buffer "alongside://', 1, true), why)
  await(nvim, 'the end of the command', [[return #vim.fn.win_findbuf(vim.fn.bufnr('alongside://')) == 0]])
  reviewing.undecided(nvim)
  eq(before, state(nvim), keys)
end

local ONE = '1 proposal waits: :Alongside shows it, :qa! leaves and rejects it.'

for _, keys in ipairs({ ':xa<CR>', ':qa<CR>', ':wqa<CR>', ':q<CR>', 'ZZ', ':x<CR>' }) do
  test('a proposal that no other desk keeps stops the exit, also if it was never shown: ' .. keys, {}, function(nvim)
    reviewing.open(nvim)
    -- Neovim stops each time, as for any unsaved buffer.
    stops(nvim, keys, ONE)
    stops(nvim, keys, ONE)
    eq({ '0', '0' }, ends(nvim, ':qa!<CR>'))
  end)
end

for _, keys in ipairs({ ':qa!<CR>', ':q!<CR>', 'ZQ', ':xa!<CR>' }) do
  test('a forced exit is not stopped: ' .. keys, {}, function(nvim)
    reviewing.open(nvim)
    eq({ '0', '0' }, ends(nvim, keys))
  end)
end

test('two attempts to exit before Neovim has handled the first are stopped once', {}, function(nvim)
  reviewing.open(nvim)
  nvim:lua('vim.cmd("new") vim.cmd("wincmd p")')
  stops(nvim, ':qa<CR>:qa<CR>', ONE)
  eq('', nvim:lua('return vim.o.eventignore'))
  stops(nvim, ':qa<CR>', ONE)
end)

test('a formatter that waits during :wqa does not end the hold', {}, function(nvim)
  reviewing.open(nvim)
  nvim:lua([[
    vim.cmd('edit ' .. vim.fn.tempname())
    vim.api.nvim_create_autocmd('BufWritePre', { callback = function()
      vim.wait(50)
    end })
  ]])
  nvim:keys('ifour<Esc>')
  stops(nvim, ':xa<CR>', ONE)
end)

test('Neovim names an unsaved hidden buffer, and no message advises :qa!', {}, function(nvim)
  reviewing.open(nvim)
  nvim:lua('vim.o.hidden = true vim.cmd("edit one")')
  nvim:keys('ione<Esc>:edit two<CR>')
  nvim:lua('said = {}')
  nvim:keys(':qa<CR>')
  nvim:await_said('1 proposal waits: :Alongside shows it, leaving rejects it.')
  local why = nvim:lua('return vim.v.errmsg')
  assert(why:find('E162: No write since last change for buffer "one"', 1, true), why)
  reviewing.undecided(nvim)
end)

test('a plugin that quits Neovim in its last window is stopped, and does not loop', {}, function(nvim)
  reviewing.open(nvim)
  nvim:lua([[
    vim.cmd('edit tree | vsplit file')
    vim.cmd('autocmd BufEnter * ++nested if winnr("$") == 1 && bufname() ==# "tree" | quit | endif')
  ]])
  nvim:lua('said = {}')
  nvim:keys(':q<CR>')
  nvim:await_said(ONE)
  await(nvim, 'the end of the command', [[return #vim.fn.win_findbuf(vim.fn.bufnr('alongside://')) == 0]])
  eq({ '', 1, 'tree' }, nvim:lua('return { vim.o.eventignore, #vim.api.nvim_list_wins(), vim.fn.bufname() }'))
  reviewing.undecided(nvim)
end)

test('dropped changes stop the exit as well, and all proposals stop it once', {}, function(nvim)
  show(nvim)
  nvim:keys('do')
  reviewing.await_text(nvim, (reviewing.PROPOSED:gsub('TWO', 'two')))
  await(nvim, 'the buffer to be unmodified', 'return not vim.bo.modified')
  stops(nvim, ':qa<CR>', ONE)
  reviewing.open(nvim, { id = 2, file = nvim.root .. '/b.txt' })
  stops(nvim, ':qa<CR>', '2 proposals wait: :Alongside shows them, :qa! leaves and rejects them.')
end)

test('a stopped exit keeps undo and the current window', {}, function(nvim)
  reviewing.open(nvim)
  nvim:keys('Ax<Esc>:w<CR>')
  await(nvim, 'the file to be written', 'return not vim.bo.modified and vim.fn.line("$") == 8')
  stops(nvim, ':q<CR>', ONE)
  nvim:keys('u')
  await(nvim, 'undo', [[return vim.fn.getline('.') == 'one']])
  nvim:cmd('silent write')
  reviewing.go(nvim)
  nvim:keys('\\r')
  reviewing.await_decided(nvim, 'reject')
  await(nvim, 'the file', [[return vim.fn.bufname() == 'a.txt' and vim.fn.tabpagenr('$') == 1]])
  eq({ '1', '0' }, ends(nvim, ':q<CR>'))
end)

test('closing a window that is not the last one is no exit', {}, function(nvim)
  reviewing.open(nvim)
  nvim:keys(':split<CR>:q<CR>')
  await(nvim, 'one window', 'return #vim.api.nvim_list_wins() == 1')
  reviewing.quiet(nvim)
  eq({ '', 1 }, nvim:lua('return { vim.v.errmsg, #vim.api.nvim_list_wins() }'))
end)

for _, keys in ipairs({ ':xa<CR>', ':qa<CR>', ':wqa<CR>' }) do
  test('a review that another desk keeps does not stop the exit, and no draft is promised: ' .. keys, {}, function(nvim)
    nvim:lua(KEPT)
    show(nvim)
    nvim:keys('Ax<Esc>')
    reviewing.await_text(nvim, (reviewing.PROPOSED:gsub('TWO', 'TWOx')))
    await(nvim, 'the buffer to be modified', 'return vim.bo.modified')
    eq({ '0', '0' }, ends(nvim, keys))
    eq(nil, vim.uv.fs_stat(NOTE))
  end)

  test('typed text stops the exit as any unsaved buffer does: ' .. keys, {}, function(nvim)
    show(nvim)
    nvim:keys('Ax<Esc>')
    reviewing.await_text(nvim, (reviewing.PROPOSED:gsub('TWO', 'TWOx')))
    -- Neovim shows the typed text, and not a review that was only proposed.
    reviewing.open(nvim, { id = 2, file = nvim.root .. '/b.txt' })
    nvim:cmd('tabnext 1')
    nvim:keys(keys)
    if keys == ':qa<CR>' then
      nvim:await_said('a.txt has your edits. :w accepts them, :qa! leaves and moves them to drafts.')
      local why = nvim:lua('return vim.v.errmsg')
      assert(why:find('E162: No write since last change for buffer "alongside://review/7-1/a.txt [proposal 1]"', 1, true), why)
    else
      nvim:await_said('a.txt: not accepted. To accept, type :w in the proposal.')
    end
    reviewing.undecided(nvim)
    nvim:cmd('tabnext 2')
    eq({ 'acwrite', true, 'TWOx' }, nvim:lua('return { vim.bo.buftype, vim.bo.modified, vim.api.nvim_get_current_line() }'))
    eq({ '0', '0' }, ends(nvim, ':qa!<CR>'))
    vim.fn.delete(NOTE)
  end)
end

test('typed text that another desk keeps is modified again when something else stops Neovim', {}, function(nvim)
  nvim:lua(KEPT)
  show(nvim)
  nvim:keys('Ax<Esc>')
  reviewing.await_text(nvim, (reviewing.PROPOSED:gsub('TWO', 'TWOx')))
  nvim:keys(':tabnext 1<CR>Aunsaved<Esc>:let v:errmsg = ""<CR>:qa<CR>')
  await(nvim, "Neovim's own message", [[return vim.v.errmsg:find('E37', 1, true) or vim.v.errmsg:find('a.txt', 1, true)]])
  reviewing.undecided(nvim)
  await(nvim, 'the proposal to be modified', [[return vim.bo[require('alongside.review').all()[1].view.right].modified]])
end)

test('edits that the companion lacks stop the exit, whoever keeps the review', {}, function(nvim)
  nvim:lua(KEPT)
  show(nvim)
  nvim:lua([[desk.refuse_edits = 'the disk is full']])
  nvim:keys('Amine<Esc>')
  nvim:await_said('The disk is full.')
  nvim:keys(':qa<CR>')
  nvim:await_said('a.txt has edits that the companion lacks. :w accepts them, :qa! leaves without them.')
  reviewing.undecided(nvim)
end)

test('yes to the question of :confirm accepts nothing', {}, function(nvim)
  reviewing.open(nvim)
  nvim:keys(':confirm qa<CR>')
  nvim:keys('y')
  nvim:await_said(ONE)
  reviewing.undecided(nvim)
end)

return reviewing.tests
