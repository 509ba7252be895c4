-- The two windows of a review when the terminal changes its size.

local reviewing = require('reviewing')

local eq = reviewing.eq
local test = reviewing.test
local await = reviewing.await
local show = reviewing.show

local WIDTHS = 'return vim.tbl_map(vim.api.nvim_win_get_width, vim.api.nvim_tabpage_list_wins(...))'

local function await_noted(nvim, is_even)
  await(nvim, 'the sizes to be noted', ([[return require('alongside.review').all()[1].view.is_even == %s]]):format(is_even))
end

test('the windows stay halves of the screen, also if it changes while another tab page is shown', {}, function(nvim)
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

test('sizes that the person sets stay, until they make them equal', {}, function(nvim)
  show(nvim)
  nvim:keys(':vertical resize 60<CR>')
  await_noted(nvim, false)
  nvim:lua('vim.o.columns = 100')
  local left, right = unpack(nvim:lua(WIDTHS, 0))
  assert(right > left + 20, ('%d and %d'):format(left, right))
  nvim:keys('<C-w>=')
  await_noted(nvim, true)
  nvim:lua('vim.o.columns = 80')
  eq({ 40, 39 }, nvim:lua(WIDTHS, 0))
end)

test('with more room, no window stays scrolled sideways', {}, function(nvim)
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

test('with a third window in the tab page, nobody changes sizes', {}, function(nvim)
  show(nvim)
  nvim:keys(':botright vsplit b.txt<CR>:vertical resize 20<CR>')
  await_noted(nvim, false)
  nvim:lua('vim.o.columns = 100')
  local widths = nvim:lua(WIDTHS, 0)
  eq(3, #widths)
  assert(math.max(unpack(widths)) - math.min(unpack(widths)) > 1, vim.inspect(widths))
end)

return reviewing.tests
