-- Opens proposals by itself, with the option `auto_open`: at a pause, so that no key of the person lands in a proposal.

local ending = require('alongside.ending')
local reviews = require('alongside.lazy')('review')

local M = {}

-- How often to look whether a mode, a prompt or a picker has ended, in milliseconds.
local EVERY = 100
-- In a terminal, a person reads and types in turns: only a longer pause counts there.
local TERMINAL_PAUSE = 2000

local waiting = {} ---@type alongside.Review[] not yet opened, the oldest first
local is_scheduled = false

-- Whether a window may open now: not under typing hands, in a command line, a prompt, a macro, a picker or another review.
local function is_free()
  local mode = vim.api.nvim_get_mode()
  if mode.blocking or vim.fn.getcmdwintype() ~= '' or vim.fn.reg_recording() ~= '' or vim.fn.reg_executing() ~= '' then
    return false
  elseif vim.api.nvim_win_get_config(0).relative ~= '' or reviews.looked_at() then
    return false
  end
  return mode.mode == 'n' and not ending.is_typing() or mode.mode == 't' and ending.idle() >= TERMINAL_PAUSE
end

--- Opens the oldest proposal if that disturbs nobody now. Returns whether it did.
---@return boolean
function M.try()
  waiting = vim.tbl_filter(function(review)
    return not review.is_over and not (review.view and review.view:is_shown())
  end, waiting)
  if #waiting == 0 or not is_free() then
    return false
  end
  reviews.go(table.remove(waiting, 1).key)
  return true
end

local function look()
  is_scheduled = false
  M.try()
  M.soon()
end

--- Looks again soon, while a proposal waits to be opened.
function M.soon()
  if #waiting > 0 and not is_scheduled then
    is_scheduled = true
    -- A person who types pauses when no key has come for that long; for anything else there is no such moment.
    vim.defer_fn(look, ending.until_pause() or EVERY)
  end
end

--- Opens these at the next pauses, each once. Returns whether the first one is open already.
---@param new alongside.Review[]
---@return boolean
function M.add(new)
  vim.list_extend(waiting, new)
  local is_open = M.try()
  M.soon()
  return is_open
end

return M
