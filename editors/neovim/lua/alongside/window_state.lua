-- Saves and restores the person's place before a review: windows with sizes and buffers, cursors, the mode, and the previous
-- tab page.

local unheard = require('alongside.unheard')

local M = {}

local function is_window(win)
  return win ~= nil and vim.api.nvim_win_is_valid(win)
end

M.is_window = is_window

-- The windows of a tab page, without floating ones.
function M.windows_of(tab)
  return vim.tbl_filter(function(win)
    return vim.api.nvim_win_get_config(win).relative == ''
  end, vim.api.nvim_tabpage_list_wins(tab))
end

--- The person's current place.
function M.here()
  local win, tab = vim.api.nvim_get_current_win(), vim.api.nvim_get_current_tabpage()
  local last = vim.fn.tabpagenr('#')
  local origin = {
    win = win,
    tab = tab,
    mode = vim.api.nvim_get_mode().mode,
    cursor = vim.api.nvim_win_get_cursor(win),
    sizes = vim.fn.winrestcmd(),
    screen = { vim.o.columns, vim.o.lines },
    last_tab = last > 0 and vim.api.nvim_list_tabpages()[last] or nil,
    windows = {},
  }
  for _, one in ipairs(M.windows_of(tab)) do
    local buf = vim.api.nvim_win_get_buf(one)
    origin.windows[one] = {
      buf = buf,
      tick = vim.api.nvim_buf_get_changedtick(buf),
      view = vim.api.nvim_win_call(one, vim.fn.winsaveview),
    }
  end
  return origin
end

--- Returns the person to a place, as far as it still exists. Returns the state to restore there.
function M.go_back(origin)
  while origin and not is_window(origin.win) do
    if origin.tab and vim.api.nvim_tabpage_is_valid(origin.tab) then
      vim.api.nvim_set_current_tabpage(origin.tab)
      return false
    end
    origin = origin.before
  end
  if not origin then
    return false
  end
  vim.api.nvim_set_current_win(origin.win)
  return origin
end

--- Restores the sizes that the tab page changed, after it has closed.
function M.settle(origin)
  if vim.deep_equal(origin.screen, { vim.o.columns, vim.o.lines }) and vim.fn.winrestcmd() ~= origin.sizes then
    if #M.windows_of(0) == vim.tbl_count(origin.windows) then
      pcall(vim.cmd, origin.sizes)
    end
  end
  for win, was in pairs(origin.windows) do
    if M.shows(win, was.buf) and vim.api.nvim_buf_get_changedtick(was.buf) == was.tick then
      vim.api.nvim_win_call(win, function()
        vim.fn.winrestview(was.view)
      end)
    end
  end
  local last = origin.last_tab
  if last and last ~= origin.tab and vim.api.nvim_tabpage_is_valid(last) then
    unheard(function()
      pcall(vim.api.nvim_set_current_tabpage, last)
      pcall(vim.api.nvim_set_current_tabpage, origin.tab)
    end)
  end
  local mode = origin.mode:sub(1, 1)
  if vim.api.nvim_get_current_win() ~= origin.win then
    return
  elseif mode == 'i' or mode == 'R' or mode == 't' then
    local at_end = mode ~= 't' and origin.cursor[2] >= #vim.api.nvim_get_current_line()
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
