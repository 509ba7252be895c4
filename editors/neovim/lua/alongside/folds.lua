-- Folds of equal lines in a review's windows. A dropped change equals the original, so Neovim folds it with the lines
-- around it, and the text of the fold has the number of dropped changes. Neovim folds the windows after it has scrolled
-- the left window, which then begins below a fold at the top; `level` lets both windows begin at the same line.

local M = {}

local OPTION = "v:lua.require'alongside.folds'.text()"

--- Sets 'foldtext' in a window, unless the person has set one.
---@param win integer
function M.set_text(win)
  if vim.go.foldtext == 'foldtext()' then
    vim.wo[win][0].foldtext = OPTION
  end
end

--- Resets 'foldtext' in a window.
---@param win integer
function M.unset_text(win)
  if vim.wo[win].foldtext == OPTION then
    vim.wo[win][0].foldtext = vim.go.foldtext
  end
end

-- The number of dropped changes that have their sign in these lines, 1-based.
local function count(review, buf, first, last)
  local side, dropped = review.view.left == buf and 'original' or 'current', 0
  for _, hunk in ipairs(review.hunks) do
    local line = require('alongside.next_change').line(hunk, side) + 1
    if hunk.state == 'dropped' and line >= first and line <= last then
      dropped = dropped + 1
    end
  end
  return dropped
end

--- Returns the text of the fold that Neovim draws: its default, with the number of dropped changes.
---@return string
function M.text()
  local own, buf = vim.fn.foldtext(), vim.api.nvim_get_current_buf()
  local review = require('alongside.review').of_buffer(buf)
  local dropped = review and count(review, buf, vim.v.foldstart, vim.v.foldend) or 0
  return dropped == 0 and own or (own:gsub('lines:', ('lines, %d dropped:'):format(dropped), 1))
end

-- The line of the original that equals a line of the proposal, both 1-based; nil within a change.
local function original_line(hunks, line)
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

--- Scrolls the original to the lines of the proposal if a fold is at the top.
---@param view alongside.View
---@param hunks table[]
function M.level(view, hunks)
  if #view:windows() < 2 then
    return
  end
  local top = vim.api.nvim_win_call(view.right_win, function()
    return vim.fn.foldclosed(vim.fn.line('w0'))
  end)
  local line = top > 0 and original_line(hunks, top)
  if line then
    vim.api.nvim_win_call(view.left_win, function()
      vim.fn.winrestview({ topline = line, topfill = 0 })
    end)
  end
end

return M
