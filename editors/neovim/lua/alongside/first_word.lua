-- The first word of a change that differs: the cursor goes there, and it is on the screen, however long the line is.

local text = require('alongside.text')

local M = {}

--- The line of a change, 0-based, and the column in bytes of its first word that differs: those of the first line without one.
---@param review alongside.Review
---@param hunk table
---@param side "current"|"original"
---@param line integer the first line of the change, 0-based
---@return integer line, integer column
function M.of(review, hunk, side, line)
  local words = hunk.words and hunk.words[side == 'original' and 'removed' or 'added'] or {}
  local word = words[1]
  if not word or hunk.state == 'dropped' or not review.view then
    return line, 0
  end
  local delta = side == 'current' and hunk.state ~= 'edited' and hunk.current.start - hunk.proposed.start or 0
  local at = word.start.line + delta
  local buf = side == 'original' and review.view.left or review.view.right
  local found = vim.api.nvim_buf_get_lines(buf, at, at + 1, false)[1]
  if at ~= line or not found then
    -- The change begins with lines that are new as a whole.
    return line, 0
  end
  return at, math.min(text.byte(found, word.start.character), math.max(0, #found - 1))
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
