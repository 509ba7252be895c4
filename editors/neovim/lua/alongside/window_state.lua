-- Saves and restores the place of the person before a review: windows with sizes and buffers, cursors, the mode, and
-- the previous tab page.

local without_autocommands = require('alongside.without_autocommands')

local M = {}

local function is_window(win)
  return win ~= nil and vim.api.nvim_win_is_valid(win)
end

M.is_window = is_window

-- Returns the windows of a tab page, without floating ones.
function M.windows_of(tab)
  return vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_config(win).relative == ''
  end, vim.api.nvim_tabpage_list_wins(tab))
end

--- Returns the current place of the person.
function M.here()
  local win, tab = vim.api.nvim_get_current_win(), vim.api.nvim_get_current_tabpage()
  local last = vim.fn.tabpagenr('#')
  local place = {
    win = win,
    tab = tab,
    mode = vim.api.nvim_get_mode().mode,
    cursor = vim.api.nvim_win_get_cursor(win),
    sizes = vim.fn.winrestcmd(),
    screen = { vim.o.columns, vim.o.lines },
    last_tab = last > 0 and vim.api.nvim_list_tabpages()[last] or nil,
    windows = {},
  }
  for _, other in ipairs(M.windows_of(tab)) do
    local buf = vim.api.nvim_win_get_buf(other)
    place.windows[other] = {
      buf = buf,
      tick = vim.api.nvim_buf_get_changedtick(buf),
      view = vim.api.nvim_win_call(other, vim.fn.winsaveview),
    }
  end
  return place
end

--- Moves the person to a place, or to the one before it that still exists. Returns the place to restore, or false.
function M.go_back(place)
  while place and not is_window(place.win) do
    if place.tab and vim.api.nvim_tabpage_is_valid(place.tab) then
      vim.api.nvim_set_current_tabpage(place.tab)
      return false
    end
    place = place.before
  end
  if not place then
    return false
  end
  vim.api.nvim_set_current_win(place.win)
  return place
end

--- Restores sizes, cursors and the mode of a place, after the tab page of the review has closed.
function M.restore(place)
  if vim.deep_equal(place.screen, { vim.o.columns, vim.o.lines }) and vim.fn.winrestcmd() ~= place.sizes then
    if #M.windows_of(0) == vim.tbl_count(place.windows) then
      pcall(vim.cmd, place.sizes)
    end
  end
  for win, before in pairs(place.windows) do
    if M.shows(win, before.buf) and vim.api.nvim_buf_get_changedtick(before.buf) == before.tick then
      vim.api.nvim_win_call(win, function()
        vim.fn.winrestview(before.view)
      end)
    end
  end
  local last = place.last_tab
  if last and last ~= place.tab and vim.api.nvim_tabpage_is_valid(last) then
    without_autocommands(function()
      pcall(vim.api.nvim_set_current_tabpage, last)
      pcall(vim.api.nvim_set_current_tabpage, place.tab)
    end)
  end
  local mode = place.mode:sub(1, 1)
  if vim.api.nvim_get_current_win() ~= place.win then
    return
  elseif mode == 'i' or mode == 'R' or mode == 't' then
    local at_end = mode ~= 't' and place.cursor[2] >= #vim.api.nvim_get_current_line()
    vim.cmd(at_end and 'startinsert!' or mode == 'R' and 'startreplace' or 'startinsert')
  elseif mode == 'v' or mode == 'V' or mode == '\22' then
    vim.cmd('normal! gv')
  end
end

--- Whether `win` shows `buf`.
function M.shows(win, buf)
  return is_window(win) and vim.api.nvim_win_get_buf(win) == buf
end

return M
