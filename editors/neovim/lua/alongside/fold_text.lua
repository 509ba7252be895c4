-- The text of a fold of equal lines in a review's windows: a dropped change is equal to the original, so Neovim folds it with
-- the lines around it, and the text says how many are in there.

local M = {}

local OPTION = "v:lua.require'alongside.fold_text'.text()"

--- Sets the text in a window, unless the person has one of their own.
---@param win integer
function M.set(win)
  if vim.go.foldtext == 'foldtext()' then
    vim.wo[win][0].foldtext = OPTION
  end
end

--- Takes it back.
---@param win integer
function M.unset(win)
  if vim.wo[win].foldtext == OPTION then
    vim.wo[win][0].foldtext = vim.go.foldtext
  end
end

-- How many dropped changes have their sign in these lines, 1-based.
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

--- The text of the fold that Neovim draws: its own, with the dropped changes.
---@return string
function M.text()
  local own, buf = vim.fn.foldtext(), vim.api.nvim_get_current_buf()
  local review = require('alongside.review').of_buffer(buf)
  local dropped = review and count(review, buf, vim.v.foldstart, vim.v.foldend) or 0
  return dropped == 0 and own or (own:gsub('lines:', ('lines, %d dropped:'):format(dropped), 1))
end

return M
