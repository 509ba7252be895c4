-- Lines that are longer than the window: the changed words are on the screen, and the hidden parts are marked.

local reviewing = require('reviewing')

local eq = reviewing.eq
local test = reviewing.test
local await = reviewing.await

-- A change of one word in a line of 5,400 characters, with the words that the companion sends.
local OPEN = [[
  local width, original_is_long = ...
  vim.o.columns, vim.o.lines = width, 20
  local before, after = ('"key": 1, '):rep(250), ('"key": 2, '):rep(290)
  local function range(line, from, to)
    return { start = { line = line, character = from }, ['end'] = { line = line, character = to } }
  end
  local function lines(word) return 'short\n' .. before .. word .. after .. '\nshort\n' .. word .. '\n' end
  local function hunk(line, at)
    local here = { start = line, ['end'] = line + 1 }
    return { original = here, proposed = here, current = here, state = 'kept',
      words = { removed = { range(line, at, at + 5) }, added = { range(line, at, at + 5) } } }
  end
  require('alongside.review').opened(7, { id = 1, file = '/x.json', agent = { number = 1, name = 'A' }, revision = 1,
    original = lines('first'), proposed = lines('other'), current = lines('other'), display = desk.words(), hunks = { hunk(1, #before), hunk(3, 0) } })
]]

-- The rows of the screen.
local SCREEN = [[
  vim.cmd.redraw()
  local rows = {}
  for row = 1, vim.o.lines do
    local cells = {}
    for column = 1, vim.o.columns do cells[column] = vim.fn.screenstring(row, column) end
    rows[row] = table.concat(cells)
  end
  return table.concat(rows, '\n')
]]

local function shows(nvim, what, ...)
  for _, words in ipairs({ ... }) do
    await(nvim, what .. ': ' .. words, ('return (function() %s end)():find(%q, 1, true)'):format(SCREEN, words))
  end
end

for _, width in ipairs({ 80, 130 }) do
  test('the changed words of a long line are on the screen at once, in both windows: ' .. width, {}, function(nvim)
    nvim:lua(OPEN, width)
    reviewing.go(nvim)
    shows(nvim, 'both words', 'first"key"', 'other"key"')
    shows(nvim, 'the marks of hidden text', '›', '‹')
    eq(2500, nvim:lua([[return vim.api.nvim_win_get_cursor(0)[2] ]]))
    nvim:keys(']c')
    await(nvim, 'the next change', [[return vim.fn.line('.') == 4]])
    eq(0, nvim:lua('return vim.fn.winsaveview().leftcol'))
    nvim:keys('[c')
    shows(nvim, 'both words again', 'first"key"', 'other"key"')
  end)
end

test('the cursor goes to the first changed word if the companion compared none', {}, function(nvim)
  local long = ('word '):rep(1000)
  reviewing.show(nvim, {
    original = long .. 'the \195\169nd\nb\n', proposed = long .. 'the \195\168nd\nb\n', limits = { 'words' },
  })
  eq({ 1, 5004 }, nvim:lua('return vim.api.nvim_win_get_cursor(0)'))
  shows(nvim, 'both words', 'the \195\169nd', 'the \195\168nd')
end)

for _, columns in ipairs({ 80, 81, 82, 83 }) do
  test('a line of double-width characters has its sign at either edge: ' .. columns, {}, function(nvim)
    nvim:lua('vim.o.columns, vim.o.lines = ..., 20', columns)
    local wide = ('\230\150\135'):rep(100)
    reviewing.show(nvim, { original = 'a\n' .. wide .. 'old\nxx' .. wide .. '\n', proposed = 'b\n' .. wide .. 'new\nx' .. wide .. '\n' })
    nvim:keys('ggzs0')
    await(nvim, 'the signs', [[
      vim.cmd.redraw()
      for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
        local row, column = unpack(vim.fn.win_screenpos(win))
        local last = column + vim.api.nvim_win_get_width(win) - 1
        for line = 2, 3 do
          if vim.fn.screenstring(row + line, last) ~= '›' then return false end
        end
        -- A short line has no sign.
        if vim.fn.screenstring(row + 1, last) == '›' then return false end
      end
      return true
    ]])
  end)
end

test('a tab in a long line looks as in other windows, and the edges have the signs of the person', {
  before = [[vim.o.listchars = 'tab:> ,extends:E']],
}, function(nvim)
  reviewing.show(nvim, { original = 'a\tb\n', proposed = 'a\tc\n' })
  eq({ 'tab:  ,extends:›,precedes:‹', 8 }, nvim:lua([[
    local chars = vim.split(vim.wo.listchars, ',', { plain = true }) table.sort(chars, function(a, b) return a:sub(1, 1) == 't' or b:sub(1, 1) ~= 't' and a < b end)
    return { table.concat(chars, ','), vim.wo.sidescrolloff } ]]))
  nvim:lua('desk.close(...)', 1, 'rejected', true)
  await(nvim, 'the proposal to go', [[return vim.fn.tabpagenr('$') == 1]])
  nvim:lua('vim.o.list = true')
  reviewing.show(nvim, { id = 2, original = 'a\tb\n', proposed = 'a\tc\n' })
  eq('tab:> ,extends:E,precedes:‹', nvim:lua('return vim.wo.listchars'))
end)

test(':windo set wrap does no harm, and one :q rejects', {}, function(nvim)
  nvim:lua(OPEN, 80)
  reviewing.go(nvim)
  nvim:keys(':windo set wrap<CR>')
  reviewing.quiet(nvim)
  eq({ 2, true, true }, nvim:lua('return { #vim.api.nvim_tabpage_list_wins(0), vim.wo.wrap, vim.wo.winfixbuf }'))
  nvim:keys(']c:q<CR>')
  await(nvim, 'the tab page to go', [[return vim.fn.tabpagenr('$') == 1]])
end)

return reviewing.tests
