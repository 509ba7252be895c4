-- The two windows of a review when the terminal changes its size.

local reviewing = require('reviewing')

local eq = reviewing.eq
local test = reviewing.test
local await = reviewing.await
local show = reviewing.show

local WIDTHS = 'return vim.tbl_map(vim.api.nvim_win_get_width, vim.api.nvim_tabpage_list_wins(...))'

local function await_equal_windows(nvim, expected)
  await(nvim, 'the sizes to be recorded', ([[return require('alongside.review').all()[1].view.has_equal_windows == %s]]):format(expected))
end

test('the windows stay equally wide, also after a resize in another tab page', {}, function(nvim)
  show(nvim)
  eq({ 40, 39 }, nvim:lua(WIDTHS, 0))
  for _, columns in ipairs({ 160, 59, 121 }) do
    nvim:lua('vim.o.columns = ...', columns)
    local left, right = unpack(nvim:lua(WIDTHS, 0))
    assert(math.abs(left - right) <= 1, ('%d: %d and %d'):format(columns, left, right))
  end
  nvim:cmd('tabnext 1')
  nvim:lua('vim.o.columns = 70')
  nvim:cmd('tabnext 2')
  eq({ 35, 34 }, nvim:lua(WIDTHS, 0))
end)

test('sizes that the person sets stay until they are equal again', {}, function(nvim)
  show(nvim)
  nvim:keys(':vertical resize 60<CR>')
  await_equal_windows(nvim, false)
  nvim:lua('vim.o.columns = 100')
  local left, right = unpack(nvim:lua(WIDTHS, 0))
  assert(right > left + 20, ('%d and %d'):format(left, right))
  nvim:keys('<C-w>=')
  await_equal_windows(nvim, true)
  nvim:lua('vim.o.columns = 80')
  eq({ 40, 39 }, nvim:lua(WIDTHS, 0))
end)

test('in wider windows, lines are scrolled back', {}, function(nvim)
  local long = ('word '):rep(12)
  show(nvim, { original = long .. 'one\n', proposed = long .. 'two\n' })
  local LEFT = [[return vim.tbl_map(function(win)
    return vim.api.nvim_win_call(win, function() return vim.fn.winsaveview().leftcol end)
  end, vim.api.nvim_tabpage_list_wins(0))]]
  nvim:keys('$')
  await(nvim, 'both windows to be scrolled', ('local left = (function() %s end)() return left[1] > 0 and left[2] > 0'):format(LEFT))
  nvim:lua('vim.o.columns = 200')
  await(nvim, 'the beginnings of the lines', ('return vim.deep_equal({ 0, 0 }, (function() %s end)())'):format(LEFT))
end)

test('with a third window in the tab page, sizes stay', {}, function(nvim)
  show(nvim)
  nvim:keys(':botright vsplit b.txt<CR>:vertical resize 20<CR>')
  await_equal_windows(nvim, false)
  nvim:lua('vim.o.columns = 100')
  local widths = nvim:lua(WIDTHS, 0)
  eq(3, #widths)
  assert(math.max(unpack(widths)) - math.min(unpack(widths)) > 1, vim.inspect(widths))
end)

return reviewing.tests
