-- The first word of a change that differs: the cursor goes there, and it is on the screen, however long the line is.

local text = require('alongside.text')

local M = {}

-- The column of the first word of a line that another line does not begin with.
local function first_difference(line, other)
  local at, least = 1, math.min(#line, #other)
  while at <= least and line:byte(at) == other:byte(at) do
    at = at + 1
  end
  -- Not within a word or a character.
  return #line:sub(1, at - 1):gsub('[%w_\128-\255]+$', '')
end

--- The column in bytes of the first word of a change that differs, in its first line; 0 where that has none.
---@param review alongside.Review
---@param hunk table
---@param side "current"|"original"
---@param line integer the first line of the change, 0-based
---@return integer column
function M.column(review, hunk, side, line)
  local shown = review.view
  if hunk.state == 'dropped' or not shown or hunk[side].start ~= line then
    return 0
  end
  local buf, other_buf, other = shown.right, shown.left, hunk.original
  if side == 'original' then
    buf, other_buf, other = shown.left, shown.right, hunk.current
  end
  local here = vim.fn.getbufoneline(buf, line + 1)
  if other.start == other['end'] or hunk[side].start == hunk[side]['end'] then
    return 0
  end
  local column = 0
  local words = hunk.words and hunk.words[side == 'original' and 'removed' or 'added']
  if words and words[1] then
    local delta = side == 'current' and hunk.state ~= 'edited' and hunk.current.start - hunk.proposed.start or 0
    -- Otherwise the change begins with lines that are new as a whole.
    column = words[1].start.line + delta == line and text.byte(here, words[1].start.character) or 0
  elseif hunk.limit then
    -- The companion compared no words.
    column = first_difference(here, vim.fn.getbufoneline(other_buf, other.start + 1))
  end
  return math.min(column, math.max(0, #here - 1))
end

-- Scrolls a window sideways to a column of the screen line, if that is at one of its edges or outside.
local function scroll(win, at)
  local view = vim.fn.winsaveview()
  local columns = vim.api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff
  local left = view.leftcol
  if at < columns * 2 / 3 then
    left = 0
  elseif at < left or at >= left + columns * 2 / 3 then
    left = math.max(0, at - math.floor(columns / 3))
  end
  if left ~= view.leftcol then
    view.leftcol = left
    vim.fn.winrestview(view)
  end
  return left
end

--- Scrolls the current window and the other one of the review sideways, so that what follows the cursor is on the screen.
---@param view alongside.View
function M.show(view)
  if vim.wo.wrap then
    return
  end
  local win, at = vim.api.nvim_get_current_win(), vim.fn.virtcol('.') - 1
  local left = scroll(win, at)
  local other = win == view.right_win and view.left_win or view.right_win
  if not other or not vim.api.nvim_win_is_valid(other) or vim.wo[other].wrap then
    return
  end
  -- Neovim moves the cursor of the other window, and then scrolls it by itself: to anywhere in a line that is shorter.
  vim.schedule(function()
    if vim.api.nvim_win_is_valid(other) and vim.api.nvim_win_is_valid(win) and vim.api.nvim_get_current_win() == win then
      vim.api.nvim_win_call(other, function()
        vim.fn.winrestview({ leftcol = left })
      end)
    end
  end)
end

return M
