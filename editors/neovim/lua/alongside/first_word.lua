-- The first changed word of a change: finds its column for the cursor, and scrolls long lines so that it is on the
-- screen.

local text = require('alongside.text')

local M = {}

-- The column at which two lines begin to differ, moved back to the start of that word.
local function first_difference(line, other)
  local index, shortest = 1, math.min(#line, #other)
  while index <= shortest and line:byte(index) == other:byte(index) do
    index = index + 1
  end
  -- The column must not be within a word or a character.
  return #line:sub(1, index - 1):gsub('[%w_\128-\255]+$', '')
end

--- Returns the column, in bytes, of the first changed word in the first line of a change; 0 if no word of that line is
--- known to have changed.
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
  local line_text = vim.fn.getbufoneline(buf, line + 1)
  if other.start == other['end'] or hunk[side].start == hunk[side]['end'] then
    return 0
  end
  local column = 0
  local words = hunk.words and hunk.words[side == 'original' and 'removed' or 'added']
  if words and words[1] then
    local delta = side == 'current' and hunk.state ~= 'edited' and hunk.current.start - hunk.proposed.start or 0
    -- If the first changed word is in a later line, the change begins with lines that are wholly new.
    column = words[1].start.line + delta == line and text.byte(line_text, words[1].start.character) or 0
  elseif hunk.limit then
    -- The change was too large for a comparison of words.
    column = first_difference(line_text, vim.fn.getbufoneline(other_buf, other.start + 1))
  end
  return math.min(column, math.max(0, #line_text - 1))
end

-- Scrolls a window sideways if `column`, on the screen line, is outside or near an edge. Returns the first visible
-- column.
local function scroll(win, column)
  local view = vim.fn.winsaveview()
  local columns = vim.api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff
  local left = view.leftcol
  if column < columns * 2 / 3 then
    left = 0
  elseif column < left or column >= left + columns * 2 / 3 then
    left = math.max(0, column - math.floor(columns / 3))
  end
  if left ~= view.leftcol then
    view.leftcol = left
    vim.fn.winrestview(view)
  end
  return left
end

--- Scrolls both windows of the review sideways, so that the text at the cursor is on the screen.
---@param view alongside.View
function M.show(view)
  if vim.wo.wrap then
    return
  end
  local win, column = vim.api.nvim_get_current_win(), vim.fn.virtcol('.') - 1
  local left = scroll(win, column)
  local other = win == view.right_win and view.left_win or view.right_win
  if not other or not vim.api.nvim_win_is_valid(other) or vim.wo[other].wrap then
    return
  end
  -- Scheduled, because Neovim first moves the cursor of the other window, and then scrolls that window to any column if
  -- its line is shorter.
  vim.schedule(function()
    if vim.api.nvim_win_is_valid(other) and vim.api.nvim_win_is_valid(win) and vim.api.nvim_get_current_win() == win then
      vim.api.nvim_win_call(other, function()
        vim.fn.winrestview({ leftcol = left })
      end)
    end
  end)
end

return M
