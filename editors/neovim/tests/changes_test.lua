-- The changes of a review in its windows: navigation between them, and their signs and remarks.

local editor = require('editor')
local reviewing = require('reviewing')

local eq = reviewing.eq
local PROPOSED = reviewing.PROPOSED
local test = reviewing.test
local await = reviewing.await
local show = reviewing.show
local await_text = reviewing.await_text
local quiet = reviewing.quiet

-- Neovim's diff splits the first change into several blocks, by 'linematch'.
local ORIGINAL = 'def total(items):\n    return sum(i.price for i in items)\n' .. ('same\n'):rep(20) .. 'last\n'
local TAXED = 'def total(items, tax=0):\n    """Sum with tax."""\n    return sum(i.price for i in items) * (1 + tax)\n'
  .. ('same\n'):rep(10) .. 'new\n' .. ('same\n'):rep(10)

local LINE = 'return vim.fn.line(".")'

-- Types keys, and waits until they are handled and the cursor is in a line.
local function types(nvim, keys, expected)
  nvim:lua('handled = false')
  nvim:keys(keys .. ':lua handled = true<CR>')
  await(nvim, keys .. ' to be handled', 'return handled')
  eq(expected, nvim:lua(LINE), keys)
end

test(']c and [c stop once at each change, in both windows, and say where there are no more', {}, function(nvim)
  nvim:lua([[vim.opt.diffopt:append('linematch:40')]])
  show(nvim, { original = ORIGINAL, proposed = TAXED })
  eq(3, nvim:lua([[return #require('alongside.review').all()[1].hunks]]))
  eq(1, nvim:lua(LINE))
  types(nvim, ']c', 14)
  -- The line above the removed line has its sign.
  types(nvim, ']c', 24)
  types(nvim, ']c', 24)
  nvim:await_said('a.txt: no more changes below.')
  types(nvim, '[c', 14)
  types(nvim, '[c', 1)
  types(nvim, '[c', 1)
  nvim:await_said('a.txt: no more changes above.')
  -- A count stops at the last change, and the movement is a jump.
  types(nvim, '2]c', 24)
  types(nvim, '9[c', 1)
  types(nvim, '``', 24)
  types(nvim, 'gg3]c', 24)
  types(nvim, 'ggV]c<Esc>', 14)
  nvim:keys('<C-w>h')
  types(nvim, 'gg]c', 12)
  types(nvim, ']c', 23)
  types(nvim, '2[c', 1)
end)

test(']c goes to a dropped change, which has no diff, and opens its fold', {}, function(nvim)
  show(nvim, { original = ORIGINAL, proposed = TAXED })
  nvim:keys(']cdo')
  await_text(nvim, (TAXED:gsub('new\n', '')))
  nvim:keys('ggzM')
  -- The cursor is on the line above the lines that were not added.
  types(nvim, ']c', 13)
  eq(-1, nvim:lua('return vim.fn.foldclosed(".")'))
end)

test('a dropped change stays on the screen', {}, function(nvim)
  show(nvim, { original = ORIGINAL, proposed = TAXED })
  nvim:keys('do')
  await_text(nvim, (ORIGINAL:gsub('last\n', ''):gsub(('same\n'):rep(20), ('same\n'):rep(10) .. 'new\n' .. ('same\n'):rep(10))))
  quiet(nvim)
  eq({ -1, -1 }, nvim:lua('vim.cmd.redraw() return { vim.fn.foldclosed(1), vim.fn.foldclosed(2) }'))
end)

test('a fold shows how many dropped changes are in it', {}, function(nvim)
  local lines = {}
  for i = 1, 90 do
    lines[i] = 'line ' .. i
  end
  local original = table.concat(lines, '\n') .. '\n'
  show(nvim, { original = original, proposed = (original:gsub('line 40\n', 'new 40\n'):gsub('line 80\n', 'new 80\n')) })
  local FOLDS = [[
    vim.cmd.redraw()
    local found = {}
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      found[#found + 1] = vim.api.nvim_win_call(win, function() return vim.fn.foldtextresult(40):match('lines, 1 dropped: ') end) or 'none'
    end
    return found
  ]]
  eq({ 'none', 'none' }, nvim:lua(FOLDS))
  nvim:keys('do')
  await_text(nvim, (original:gsub('line 80\n', 'new 80\n')))
  quiet(nvim)
  nvim:keys('zM')
  editor.await_eq({ 'lines, 1 dropped: ', 'lines, 1 dropped: ' }, function() return nvim:lua(FOLDS) end)
  eq('foldtext()', nvim:lua([[return vim.go.foldtext]]))
end)

test(']c waits until the companion has the typed text', {}, function(nvim)
  show(nvim)
  types(nvim, 'Onew<CR>lines<Esc>gg', 1)
  types(nvim, '2]c', 8)
  eq('SIX', nvim:lua('return vim.api.nvim_get_current_line()'))
  await_text(nvim, (PROPOSED:gsub('TWO', 'new\nlines\nTWO')))
end)

test('the keys of a review are unmapped at its end', {}, function(nvim)
  show(nvim)
  nvim:keys('Ahel')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOhel')))
  nvim:lua([[desk.close(1, 'agentGone', false)]])
  await(nvim, 'the text to be left', [[return vim.bo.buftype == '']])
  eq({ '', '', '' }, nvim:lua([[return vim.tbl_map(function(mode) return vim.fn.maparg(']c', mode) end, { 'n', 'x', 'o' })]]))
end)

-- The signs and remarks of the proposal, by line.
local MARKED = [[
  local ns = vim.api.nvim_get_namespaces()['alongside.marks']
  local found = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
    local line = mark[2] + 1
    if mark[4].sign_text then found[#found + 1] = line .. vim.trim(mark[4].sign_text) end
    for _, chunk in ipairs(mark[4].virt_text or {}) do found[#found + 1] = line .. chunk[1] end
  end
  table.sort(found)
  return found
]]

local function await_marked(nvim, expected)
  editor.await_eq(expected, function() return nvim:lua(MARKED) end)
end

test('no sign of a dropped change looks like a removal, and a kept removal has its own', {}, function(nvim)
  local before, after = 'top\na\nb\nc\nd\ne\nf\n', 'a\nB\nc\ne\nnew\nlines\nf\n'
  show(nvim, { original = before, proposed = after })
  await_marked(nvim, { '1‾', '2+', '3_', '5+', '6+' })
  nvim:keys('5Gdo')
  await_marked(nvim, { '1‾', '2+', '3_', '4  dropped: 2 lines not added', '4=' })
  nvim:keys('4Gdo')
  await_marked(nvim, { '1‾', '2+', '4  dropped: 1 line not removed', '4=', '5  dropped: 2 lines not added', '5=' })
  nvim:keys('2Gdo')
  await_marked(nvim, { '1‾', '2  dropped: original stays', '2=', '4  dropped: 1 line not removed', '4=',
    '5  dropped: 2 lines not added', '5=' })
end)

test('no line has the sign of the change next to it', {}, function(nvim)
  -- Another desk drops the lines after an edited line: in the middle, and between two edited lines.
  nvim:lua([[
    local function range(from, upto) return { start = from, ['end'] = upto } end
    require('alongside.review').opened(7, { id = 1, file = '/x', agent = { number = 1, name = 'A' }, revision = 1,
      original = 'a\nb\nc\nd\ne\n', proposed = 'a\nB\nx\nc\nD\ny\nE\n', current = 'a\nmine\nc\nmine\nmine\n', display = desk.words({
        hunks = { { hunk = 0, differs = { 1 } }, { hunk = 2, differs = { 3 } }, { hunk = 4, differs = { 4 } } } }), hunks = {
        { original = range(1, 2), proposed = range(1, 2), current = range(1, 2), state = 'edited' },
        { original = range(2, 2), proposed = range(2, 3), current = range(2, 2), state = 'dropped' },
        { original = range(3, 4), proposed = range(4, 5), current = range(3, 4), state = 'edited' },
        { original = range(4, 4), proposed = range(5, 6), current = range(4, 4), state = 'dropped' },
        { original = range(4, 5), proposed = range(6, 7), current = range(4, 5), state = 'edited' },
      } })
  ]])
  reviewing.go(nvim)
  await_marked(nvim, { '2  edited', '2~', '3  dropped: 1 line not added', '3=', '4  dropped: 1 line not added', '4  edited',
    '4~', '5  edited', '5~' })
end)

test('a line that equals the original again has no sign', {}, function(nvim)
  local before = 'top\nint alpha = 1;\nint beta = 2;\nint gamma = 3;\nend\n'
  show(nvim, { original = before, proposed = 'top\nlong alpha = 10;\nlong beta = 20;\nint eps = 0;\nlong gamma = 30;\nend\n' })
  nvim:keys('2Gcc' .. 'int alpha = 1;<Esc>')
  await_marked(nvim, { '3  edited', '3~', '4~', '5~' })
  -- The same in the middle of a change.
  nvim:keys('u3Gcc' .. 'int beta = 2;<Esc>')
  await_marked(nvim, { '2  edited', '2~', '4~', '5~' })
  -- Only a removal remains.
  nvim:keys('2GVGk' .. 'cint alpha = 1;<CR>int gamma = 3;<Esc>')
  await_marked(nvim, { '2  edited', '2~' })
end)

test('a change shows the limit that its comparison reached, unless it is dropped', {}, function(nvim)
  show(nvim, { limits = { 'words', '', 'lines' } })
  local words, lines = '2  too much differs to mark words', '9  too much differs to compare every line: some may be equal'
  await_marked(nvim, { words, '2+', '6+', lines, '9+' })
  nvim:keys('Ax<Esc>')
  await_marked(nvim, { '2  edited', words, '2~', '6+', lines, '9+' })
  nvim:keys('do')
  await_marked(nvim, { '2  dropped: original stays', '2=', '6+', lines, '9+' })
end)

test('hunks of an earlier text are ignored', {}, function(nvim)
  show(nvim, { original = ORIGINAL, proposed = TAXED })
  nvim:keys('do]cdo')
  await(nvim, 'the counts', [[return require('alongside.winbar').counts(require('alongside.review').all()[1].hunks).dropped == 2]])
  nvim:lua([[
    local review = require('alongside.review')
    local hunks = vim.deepcopy(review.all()[1].hunks)
    hunks[1].state = 'kept'
    review.changed(7, { id = review.all()[1].id, from = 1, revision = 2, hunks = hunks, changes = {} })
  ]])
  eq(2, nvim:lua([[return require('alongside.winbar').counts(require('alongside.review').all()[1].hunks).dropped]]))
end)

test('no message counts zero changes', {}, function(nvim)
  reviewing.open(nvim, { proposed = reviewing.ORIGINAL })
  nvim:await_said('Gemini CLI proposes a.txt (no change): :Alongside')
  reviewing.go(nvim)
  local bar = nvim:lua('return vim.api.nvim_eval_statusline(vim.wo.winbar, { winid = 0, use_winbar = true, maxwidth = 80 }).str')
  assert(bar:find('a.txt  no change ', 1, true), bar)
  show(nvim, { id = 2, file = nvim.root .. '/b.txt' })
  nvim:keys('do]cdo]cdo')
  await_text(nvim, reviewing.ORIGINAL, 2)
  nvim:lua('vim.ui.select = function(all, o, chosen) shown = vim.tbl_map(o.format_item, all) chosen(nil) end')
  nvim:cmd('tabnew c.txt')
  nvim:cmd('Alongside')
  eq({ 'Gemini CLI: a.txt (no change)', 'Gemini CLI: b.txt (3 changes)' }, nvim:lua('return shown'))
end)

test('a proposal that differs only in line endings shows that', {}, function(nvim)
  local display = { size = 'other line ends', states = 'line ends only' }
  reviewing.open(nvim, { proposed = reviewing.ORIGINAL, fileLineEnding = 'crlf', display = display })
  nvim:await_said('Gemini CLI proposes a.txt (other line ends): :Alongside')
  reviewing.go(nvim)
  for _, option in ipairs({ 'winbar', 'statusline' }) do
    local drawn = nvim:lua([[return vim.api.nvim_eval_statusline(vim.wo[...], { winid = 0, use_winbar = ... == 'winbar' }).str]], option)
    assert(drawn:find('line ends only', 1, true), drawn)
  end
end)

test(']c shows some lines below the change', {}, function(nvim)
  local lines = {}
  for i = 1, 200 do
    lines[i] = i .. '\n'
  end
  local original = table.concat(lines)
  lines[10], lines[31], lines[32], lines[50], lines[80] = 'x\n', 'y\n', 'y\n', 'z\n', ('long\n'):rep(30)
  show(nvim, { original = original, proposed = table.concat(lines) })
  nvim:lua('vim.o.lines = 24 vim.o.foldenable = false vim.cmd("windo set nofoldenable") vim.cmd.redraw()')
  types(nvim, 'gg', 1)
  for _, expected in ipairs({ 10, 31, 50, 80 }) do
    types(nvim, ']c', expected)
    local line, bottom, height = unpack(nvim:lua('vim.cmd.redraw() return { vim.fn.line("."), vim.fn.line("w$"), vim.fn.winheight(0) }'))
    local count = line == 80 and height - 1 or line == 31 and 2 or 1
    assert(bottom >= math.min(200, line + count - 1), ('%d %d'):format(line, bottom))
    assert(line == 80 or bottom >= line + count + 2, ('%d %d'):format(line, bottom))
  end
end)

return reviewing.tests
