-- Both windows of a review begin at the same line where a fold of equal lines is at the top. Neovim folds the windows after it
-- has scrolled the one on the left, which then begins below the fold.

local M = {}

-- The line of the original beside an equal line of the proposal, both 1-based; nil within a change.
local function beside(hunks, line)
  local delta = 0
  for _, hunk in ipairs(hunks) do
    local current, original = hunk.current, hunk.original
    if current['end'] >= line then
      return current.start >= line and line + delta or nil
    end
    delta = delta + (original['end'] - original.start) - (current['end'] - current.start)
  end
  return line + delta
end

--- Scrolls the original to the lines of the proposal, where a fold is at the top.
---@param view alongside.View
---@param hunks table[]
function M.show(view, hunks)
  local right, left = view.right_win, view.left_win
  for _, win in ipairs({ right or 0, left or 0 }) do
    if win == 0 or not vim.api.nvim_win_is_valid(win) then
      return
    end
  end
  local top = vim.api.nvim_win_call(right, function()
    return vim.fn.foldclosed(vim.fn.line('w0'))
  end)
  local line = top > 0 and beside(hunks, top)
  if line then
    vim.api.nvim_win_call(left, function()
      vim.fn.winrestview({ topline = line, topfill = 0 })
    end)
  end
end

return M
