-- `do` and `dp` on a whole change. Neovim's own take one block of its diff, and 'linematch' splits a change into several: a
-- part of a change is seldom right on its own.

local M = {}

-- How long it waits for the companion to take all edits, in milliseconds: the places of the changes belong to its text.
local PATIENCE = 500

--- The change at a line, 0-based: around it, else right above, as Neovim counts, or one that has no lines on this side and
--- its sign on this line.
---@param hunks table[]
---@param side "current"|"original"
---@param line integer
---@param is_dropped boolean? only of the ones that are dropped, or that are not
---@return table?
function M.at(hunks, side, line, is_dropped)
  local near, rank
  for _, hunk in ipairs(hunks) do
    local from, upto = hunk[side].start, hunk[side]['end']
    local found = from < upto and line >= from and line < upto and 1
      or from == upto and line == from and 2
      or from == upto and line == from - 1 and 3
      or from < upto and line == upto and 4
    local counts = is_dropped == nil or (hunk.state == 'dropped') == is_dropped
    if found and counts and (not rank or found < rank) then
      near, rank = hunk, found
    end
  end
  return near
end

--- Puts the lines of the original in the place of the change.
---@param shown alongside.View
---@param hunk table
function M.drop(shown, hunk)
  local lines = vim.api.nvim_buf_get_lines(shown.left, hunk.original.start, hunk.original['end'], false)
  vim.api.nvim_buf_set_lines(shown.right, hunk.current.start, hunk.current['end'], false, lines)
  if shown:is_current() then
    -- The lines are equal now, and a fold of equal lines would hide them with their sign.
    vim.cmd('diffupdate')
    vim.cmd('normal! zv')
  end
end

--- Drops the change under the cursor. Without one, Neovim's own command runs.
function M.run()
  local buf, line = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1] - 1
  local review = require('alongside.review').of_buffer(buf)
  local shown = review and review.view
  local is_left = shown ~= nil and shown.left == buf
  local side = is_left and 'original' or 'current'
  local is_settled = shown
    and review.original_text
    and vim.bo[shown.right].modifiable
    and vim.wo.diff
    and review.sync:settle(PATIENCE)
  local hunk = is_settled and M.at(review.hunks, side, line, false)
  if is_settled and not hunk and M.at(review.hunks, side, line, true) then
    require('alongside.messages').now('This change is dropped; u undoes.')
  elseif hunk then
    M.drop(shown, hunk)
  else
    vim.cmd('normal! ' .. (is_left and 'dp' or 'do'))
  end
end

-- As an operator, so that "." repeats it. With a count, the person names another buffer of the diff.
local function mapping(own)
  return function()
    if vim.v.count > 0 then
      return own
    end
    vim.go.operatorfunc = "v:lua.require'alongside.dropping'.run"
    return 'g@l'
  end
end

--- Maps the keys in the windows of a review. Returns the mapped keys.
---@param shown alongside.View
---@return string[]
function M.map(shown)
  for buf, key in pairs({ [shown.right] = 'do', [shown.left] = 'dp' }) do
    vim.keymap.set('n', key, mapping(key), { buffer = buf, expr = true, desc = 'alongside: drop the change' })
  end
  return { 'do', 'dp' }
end

return M
