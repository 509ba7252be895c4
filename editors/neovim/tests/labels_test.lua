-- The labels that a person reads: in the tab line, in the status line, and in the list of keys.

local reviewing = require('reviewing')

local eq = reviewing.eq
local test = reviewing.test
local open = reviewing.open
local await = reviewing.await
local go = reviewing.go
local show = reviewing.show
local await_text = reviewing.await_text
local await_picture = reviewing.await_picture
local PICTURE = reviewing.PICTURE
local ORIGINAL = reviewing.ORIGINAL
local PROPOSED = reviewing.PROPOSED

-- The tab line as Neovim draws it.
local TABS = [[return vim.api.nvim_eval_statusline(vim.o.tabline, { use_tabline = true, maxwidth = vim.o.columns }).str]]

-- The status lines of the windows of the tab page, without spaces at their ends.
local LINES = [[
  return vim.tbl_map(function(win)
    local width = vim.o.laststatus == 3 and vim.o.columns or vim.api.nvim_win_get_width(win)
    local line = vim.api.nvim_eval_statusline(vim.wo[win].statusline, { winid = win, maxwidth = width })
    assert(line.width <= width)
    return vim.trim(line.str)
  end, vim.api.nvim_tabpage_list_wins(0))
]]

local function line(nvim)
  return (nvim:lua(LINES)[2]:gsub(' %s+', '  '))
end

test('the tab of a proposal has the name of the file and says which proposal it is', {}, function(nvim)
  nvim:lua('vim.o.columns = 100')
  open(nvim, { id = 1 })
  open(nvim, { id = 2, file = nvim.root .. '/deep/below/100%f.rs' })
  eq('', nvim:lua('return vim.o.tabline'))
  nvim:cmd('Alongside review 1')
  await(nvim, 'the proposal', [[return vim.bo.buftype == 'acwrite' and vim.wo.diff]])
  eq(' a.txt  2 a.txt [proposal 1] ', nvim:lua(TABS):sub(1, 29))
  -- The same from the other window, and with typed text.
  nvim:keys('Ax<Esc><C-w>h')
  await(nvim, 'the typed text', [[return #vim.fn.getbufinfo({ bufmodified = 1 }) == 1]])
  eq(' a.txt  2+ a.txt [proposal 1] ', nvim:lua(TABS):sub(1, 30))
  nvim:cmd('Alongside review 2')
  await(nvim, 'the other proposal', [[return vim.fn.tabpagenr('$') == 3]])
  eq(' a.txt  2+ a.txt [proposal 1]  2 100%f.rs [proposal 2] ', nvim:lua(TABS):sub(1, 55))
  eq('X', nvim:lua(TABS):sub(-1))
  -- In a narrow tab line, the file's name stays, then its end.
  nvim:lua('vim.o.columns = 60')
  eq(' a.txt  2+ a.txt [1]  2 100%f.rs [2] ', nvim:lua(TABS):sub(1, 37))
  nvim:lua('vim.o.columns = 36')
  eq(' a.txt  2+ txt [1]  2 f.rs [2] ', nvim:lua(TABS):sub(1, 31))
  for _, id in ipairs({ 1, 2 }) do
    nvim:lua('desk.close(...)', id, 'rejected', true)
  end
  await(nvim, 'the tab line to be as before', [[return vim.o.tabline == '']])
end)

test('beside a proposal, other tabs are as Neovim draws them', {}, function(nvim)
  nvim:lua([[
    vim.fn.mkdir('some/deep', 'p')
    vim.cmd('edit some/deep/file.txt | tabnew | new | setlocal buftype=nofile | tabnew | copen | tabnew | help')
    -- The first line of the screen, before and after.
    vim.o.columns, vim.o.lines = 160, 30
    function first() vim.cmd.redraw() local row = '' for i = 1, vim.o.columns do row = row .. vim.fn.screenstring(1, i) end return row end
  ]])
  local before = nvim:lua('return first()')
  assert(before:find('s/d/file.txt', 1, true), before)
  show(nvim)
  nvim:cmd('tabnext 4')
  local after = nvim:lua('return first()')
  eq(vim.trim(before:sub(1, -2)), (after:match('^ *(.-)  2 a.txt %[proposal 1%]')))
end)

test("a person's own tab line stays, and finds the title", {
  before = [[vim.o.tabline = 'mine %{get(b:, "alongside_title", "")}']],
}, function(nvim)
  show(nvim)
  eq('mine a.txt [proposal 1]', nvim:lua(TABS))
  -- A tab line that is set meanwhile stays as well.
  nvim:lua([[vim.o.tabline = 'another']])
  nvim:lua('desk.close(...)', 1, 'rejected', true)
  await(nvim, 'the proposal to go', [[return vim.fn.tabpagenr('$') == 1]])
  eq('another', nvim:lua('return vim.o.tabline'))
end)

test('the status line names agent, change, lines and states, and fits', {}, function(nvim)
  nvim:lua('vim.o.columns = 200')
  local before = nvim:lua('return vim.o.statusline')
  show(nvim)
  eq('Gemini CLI  change 1 of 3: kept  +3 -2  3 kept  g? keys  2,1  All', line(nvim))
  eq('a.txt', nvim:lua(LINES)[1]:match('^%S+'))
  nvim:keys('do')
  await_text(nvim, (PROPOSED:gsub('TWO', 'two')))
  await(nvim, 'the dropped change', [[return require('alongside.review').all()[1].hunks[1].state == 'dropped']])
  eq('Gemini CLI  change 1 of 3: dropped  +2 -1  2 kept, 1 dropped  g? keys  2,1  All', line(nvim))
  nvim:keys('4G')
  await(nvim, 'the line', [[return vim.fn.line('.') == 4]])
  eq('Gemini CLI  3 changes  +2 -1  2 kept, 1 dropped  g? keys  4,1  All', line(nvim))
  nvim:keys(']c')
  await(nvim, 'the next change', [[return vim.fn.line('.') == 6]])
  for _, case in ipairs({
    { 130, 'change 2 of 3: kept  +2 -1  2 kept, 1 dropped  g? keys' },
    { 80, 'change 2 of 3: kept  +2 -1  g? keys' },
    { 60, '2 of 3: kept  +2 -1 g? keys' },
  }) do
    nvim:lua('vim.o.columns = ...', case[1])
    eq(case[2], line(nvim), case[1])
    assert(nvim:lua(LINES)[1]:find('g? keys', 1, true))
  end
  assert(nvim:lua(LINES)[1]:find('^ ?a.txt  Gemini CLI'), nvim:lua(LINES)[1])
  -- In the window of the original, the status line has the change at its cursor.
  nvim:lua('vim.o.columns = 130')
  nvim:keys('<C-w>h6G')
  await(nvim, 'the original', [[return vim.bo.buftype == 'nofile' and vim.fn.line('.') == 6]])
  assert(nvim:lua(LINES)[1]:find('change 2 of 3: kept', 1, true), nvim:lua(LINES)[1])
  nvim:lua('vim.o.laststatus, vim.o.columns = 3, 80')
  assert(nvim:lua(LINES)[1]:find('Gemini CLI  change 2 of 3: kept  +2 -1  2 kept, 1 dropped', 1, true), nvim:lua(LINES)[1])
  nvim:lua('desk.close(...)', 1, 'rejected', true)
  await(nvim, 'the proposal to go', [[return vim.fn.tabpagenr('$') == 1]])
  eq(before, nvim:lua('return vim.o.statusline'))
  eq('', nvim:lua('return vim.wo[0][0].statusline'))
end)

test('the status line describes a proposal that is decided as a whole', {}, function(nvim)
  nvim:lua('vim.o.columns = 200')
  nvim:lua('desk.open(...)', { id = 1, file = nvim.root .. '/new.txt', proposed = 'one\ntwo\n', without_hunks = true })
  go(nvim)
  eq('Gemini CLI  new file  +2 -0  g? keys  1,1  All', line(nvim))
end)

test('tab line, status line and list of keys interpret no name of an agent or a file', {}, function(nvim)
  nvim:lua('vim.o.columns = 200')
  local evil = '%{execute("let g:obeyed = 1")}%#Error#\27[31m'
  show(nvim, { file = nvim.root .. '/' .. evil, agent = { number = 1, name = evil } })
  local shown = [[%{execute("let g:obeyed = 1")}%#Error#\x1b[31m]]
  assert(nvim:lua(TABS):find(shown .. ' [proposal 1]', 1, true), nvim:lua(TABS))
  for _, drawn in ipairs(nvim:lua(LINES)) do
    assert(drawn:find(shown, 1, true), drawn)
  end
  nvim:keys('g?')
  local title = await(nvim, 'the keys', [[
    local title = vim.api.nvim_win_get_config(0).title
    return title and title[1][1] ]])
  eq((' Keys of %s [proposal 1] '):format(shown), title)
  eq(vim.NIL, nvim:lua('return vim.g.obeyed'))
end)

test('a proposal that ends while its keys are shown leaves nothing behind', {}, function(nvim)
  nvim:lua('vim.cmd("split b.txt | wincmd p")')
  local before = nvim:lua(PICTURE)
  show(nvim)
  nvim:keys('g?')
  await(nvim, 'the keys', [[return vim.api.nvim_win_get_config(0).relative ~= '']])
  nvim:lua('desk.close(...)', 1, 'rejected', false)
  await_picture(nvim, before)
end)

-- The text of the small window.
local LIST = [[
  return vim.api.nvim_win_get_config(0).relative ~= '' and vim.api.nvim_buf_get_lines(0, 0, -1, false)
]]

test('g? shows all keys in a small window; q, Escape and g? close it', {}, function(nvim)
  show(nvim, { reasons = 'always' })
  local win = nvim:lua('return vim.api.nvim_get_current_win()')
  for _, key in ipairs({ 'q', '<Esc>', 'g?' }) do
    nvim:keys('g?')
    eq({
      [[ ]c  [c       next and previous change ]],
      [[ do           drop the change: take the original; again: keep it ]],
      [[ dp           the same, in the window of the original ]],
      [[ u            undo ]],
      '',
      [[ \w           drop the change, with a reason ]],
      [[ \W           reason for the whole proposal ]],
      '',
      [[ \a  :w  ZZ   accept the text as it stands ]],
      [[ \r  :q       reject ]],
      [[ :Alongside   come back to this proposal ]],
      '',
      [[ g?           these keys ]],
    }, await(nvim, 'the list', LIST))
    nvim:keys(key)
    await(nvim, 'the list to close', [[return #vim.api.nvim_tabpage_list_wins(0) == 2]])
    eq(win, nvim:lua('return vim.api.nvim_get_current_win()'))
  end
  reviewing.undecided(nvim)
  -- The window closes with the review.
  nvim:keys('g?')
  await(nvim, 'the list', LIST)
  nvim:cmd('wincmd h')
  await(nvim, 'the list to close', [[return #vim.api.nvim_tabpage_list_wins(0) == 2]])
end)

test('the list has only keys with an effect, fits, and its key can be set', {
  setup = { keys = { help = '<F1>', go = '<leader>p', accept = false } },
}, function(nvim)
  nvim:lua('vim.o.columns, vim.o.lines = 40, 9')
  nvim:lua('desk.open(...)', { id = 2, file = nvim.root .. '/b.txt', proposed = 'B\n', without_hunks = true })
  open(nvim)
  nvim:cmd('Alongside review 2')
  await(nvim, 'the review to be shown', [[return vim.bo.buftype == 'acwrite' and vim.wo.diff]])
  nvim:keys('<F1>')
  eq({
    [[ u                undo ]],
    '',
    [[ :w  ZZ           accept the text as it stands ]],
    [[ \r  :q           reject ]],
    [[ \p  :Alongside   the next proposal that waits ]],
    '',
    [[ <F1>             these keys ]],
  }, await(nvim, 'the list', LIST))
  local size = nvim:lua('return { vim.api.nvim_win_get_width(0), vim.api.nvim_win_get_height(0) }')
  assert(size[1] <= 36 and size[2] <= 5, vim.inspect(size))
  nvim:keys('<F1>')
  await(nvim, 'the list to close', [[return #vim.api.nvim_tabpage_list_wins(0) == 2]])
end)

test('every key of a proposal has a label', {}, function(nvim)
  show(nvim, { reasons = 'always' })
  local labels = nvim:lua([[
    local labels = {}
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      for _, mode in ipairs({ 'n', 'x' }) do
        for _, key in ipairs(vim.api.nvim_buf_get_keymap(vim.api.nvim_win_get_buf(win), mode)) do
          labels[key.lhs] = key.desc or 'none'
        end
      end
    end
    return labels
  ]])
  for _, key in ipairs({ ']c', '[c', 'do', 'dp', [[\a]], [[\r]], [[\w]], [[\W]], 'ZZ', 'g?' }) do
    assert(labels[key], key)
  end
  for key, label in pairs(labels) do
    assert(label:find('^alongside: %l'), ('%s: %s'):format(key, label))
  end
end)

return reviewing.tests
