-- `]c` and `[c` go from change to change, as the companion counts them. Neovim's own commands stop at each block of its
-- diff, 'linematch' splits a change into several blocks, and a dropped change has no diff at all.

local first_word = require('alongside.first_word')
local messages = require('alongside.messages')

local M = {}

-- The number of lines to show below a change.
local CONTEXT_LINES = 3

--- Returns the first line of a change in the current or the original text, 0-based. A change without lines there has
--- its sign on the line above.
---@param hunk table
---@param side "current"|"original"
---@return integer
function M.line(hunk, side)
  local range = hunk[side]
  return range.start < range['end'] and range.start or math.max(0, range.start - 1)
end

-- The line of the `count`th change after or before the line `from`, or of the last such change, and the change; nil if
-- there is none.
local function target(hunks, side, from, count, is_forward)
  local target_line, target_hunk
  for i = 1, #hunks do
    local hunk = hunks[is_forward and i or #hunks + 1 - i]
    local line = M.line(hunk, side)
    if count > 0 and (is_forward and line > (target_line or from) or not is_forward and line < (target_line or from)) then
      target_line, target_hunk, count = line, hunk, count - 1
    end
  end
  return target_line, target_hunk
end

-- Scrolls if the end of the change, with some lines below it, is not on the screen.
local function show_below(hunks, side, line)
  local count = 1
  for _, hunk in ipairs(hunks) do
    count = M.line(hunk, side) == line and math.max(count, hunk[side]['end'] - line) or count
  end
  -- Makes Neovim scroll to the cursor first.
  local _ = vim.fn.line('w0')
  if line + count + CONTEXT_LINES > vim.fn.line('w$') and vim.fn.line('w$') < vim.fn.line('$') then
    vim.cmd('normal! ' .. (count + CONTEXT_LINES > vim.api.nvim_win_get_height(0) / 2 and 'zt' or 'zz'))
  end
end

--- Goes to the next or previous change in the windows of a review. Without changes, or while the companion lacks edits,
--- runs Neovim's own command.
---@param key "]c"|"[c"
function M.go(key)
  local buf, is_forward, count = vim.api.nvim_get_current_buf(), key == ']c', vim.v.count1
  local review = require('alongside.review').of_buffer(buf)
  if not review or #review.hunks == 0 or not review.sync:settle() then
    vim.cmd('normal! ' .. count .. key)
    return
  end
  local side = review.view.left == buf and 'original' or 'current'
  local line, hunk = target(review.hunks, side, vim.api.nvim_win_get_cursor(0)[1] - 1, count, is_forward)
  if not line then
    local direction = is_forward and 'below' or 'above'
    return messages.now(('%s: no more changes %s.'):format(require('alongside.review').name(review), direction))
  end
  vim.cmd("normal! m'")
  local column = first_word.column(review, hunk, side, line)
  vim.api.nvim_win_set_cursor(0, { math.min(line + 1, vim.api.nvim_buf_line_count(buf)), column })
  -- A dropped change may be in a fold of equal lines.
  vim.cmd('normal! zv')
  show_below(review.hunks, side, line)
  first_word.show(review.view)
end

--- Maps the keys in the windows of a review. Returns the mapped keys.
---@param view alongside.View
---@return string[]
function M.map(view)
  for key, what in pairs({ [']c'] = 'next', ['[c'] = 'previous' }) do
    for _, buf in ipairs({ view.right, view.left }) do
      vim.keymap.set({ 'n', 'x' }, key, function()
        M.go(key)
      end, { buffer = buf, desc = 'alongside: ' .. what .. ' change' })
    end
  end
  return { ']c', '[c' }
end

return M
