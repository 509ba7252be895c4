-- The two windows of a review begin at the same line, and the cursor line shows its changed words.

local reviewing = require('reviewing')

local eq = reviewing.eq
local test = reviewing.test
local await = reviewing.await

-- One change in line 54, below a fold of 47 equal lines.
local OPEN = [[
  vim.o.columns, vim.o.lines, vim.o.cursorline = 60, 20, true
  local before, after = {}, {}
  for line = 1, 90 do before[line], after[line] = 'line ' .. line, 'line ' .. line end
  table.insert(after, 54, 'an added line')
  local original, proposed = table.concat(before, '\n') .. '\n', table.concat(after, '\n') .. '\n'
  require('alongside.review').opened(7, { id = 1, file = '/x.txt', agent = { number = 1, name = 'A' }, revision = 1,
    original = original, proposed = proposed, current = proposed, display = desk.words(),
    hunks = { { original = { start = 53, ['end'] = 53 }, proposed = { start = 53, ['end'] = 54 },
      current = { start = 53, ['end'] = 54 }, state = 'kept' } } })
]]

-- The first line of each window, or of the fold there.
local TOPS = [[
  vim.cmd.redraw()
  return vim.tbl_map(function(win)
    return vim.api.nvim_win_call(win, function()
      local top = vim.fn.line('w0')
      local fold = vim.fn.foldclosed(top)
      return fold > 0 and fold or top
    end)
  end, vim.api.nvim_tabpage_list_wins(0))
]]

test('both windows begin at the same line, also where a fold is at the top', {}, function(nvim)
  nvim:lua(OPEN)
  reviewing.go(nvim)
  await(nvim, 'level windows', ('local tops = (function() %s end)() return #tops == 2 and tops[1] == tops[2]'):format(TOPS))
  -- Neovim leaves the original scrolled below the fold.
  nvim:lua([[
    local review = require('alongside.review').all()[1]
    vim.api.nvim_win_call(review.view.right_win, function() vim.fn.winrestview({ topline = 1 }) end)
    vim.api.nvim_win_call(review.view.left_win, function() vim.fn.winrestview({ topline = 48 }) end)
    require('alongside.folds').level(review.view, review.hunks)
  ]])
  eq({ 1, 1 }, nvim:lua(TOPS))
end)

test('lines are paired while a review is shown, and diffopt is unchanged elsewhere', {}, function(nvim)
  local before = nvim:lua('return vim.o.diffopt')
  -- The third line is paired with a line, after a new line.
  reviewing.show(nvim, { original = 'a\nint gamma = 3;\nb\n', proposed = 'a\nint eps = 0;\nlong gamma = 30;\nb\n' })
  local PAIRED = [[
    return vim.tbl_map(function(line)
      return vim.fn.synIDattr(vim.fn.diff_hlID(line, 1), 'name')
    end, { 2, 3 })
  ]]
  eq('DiffAdd', nvim:lua(PAIRED)[1])
  assert(nvim:lua(PAIRED)[2] ~= 'DiffAdd', vim.inspect(nvim:lua(PAIRED)))
  nvim:cmd('tabnext 1')
  eq(before, nvim:lua('return vim.o.diffopt'))
  nvim:cmd('tabnext 2')
  assert(nvim:lua('return vim.o.diffopt'):find('linematch', 1, true))
  nvim:cmd('set diffopt+=iwhite')
  nvim:keys('\\r')
  await(nvim, 'the file', [[return vim.fn.tabpagenr('$') == 1]])
  eq(before .. ',iwhite', nvim:lua('return vim.o.diffopt'))
end)

test("'cursorline' covers no changed word", {}, function(nvim)
  nvim:lua(OPEN)
  reviewing.go(nvim)
  eq({ 'number', 'number' }, nvim:lua([[
    return vim.tbl_map(function(win) return vim.wo[win].cursorlineopt end, vim.api.nvim_tabpage_list_wins(0))
  ]]))
end)

return reviewing.tests
