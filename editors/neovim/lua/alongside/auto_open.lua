-- Opens proposals without a command of the person, with the option `auto_open`. A proposal opens only in a pause, so
-- that no key that the person is typing acts on it.

local reviews = require('alongside.lazy')('review')
local typing = require('alongside.typing')

local M = {}

-- The time between two checks whether a mode, a prompt or a picker has ended, in milliseconds.
local CHECK_INTERVAL = 100
-- In a terminal, a person alternates between reading and typing, so only a longer pause counts. In milliseconds.
local TERMINAL_PAUSE = 2000

local waiting = {} ---@type alongside.Review[] not yet opened, the oldest first
local is_scheduled = false

-- Whether a window may open now: the person does not type, and no command line, prompt, macro, picker or other review
-- is open.
local function is_free()
  local mode = vim.api.nvim_get_mode()
  if mode.blocking or vim.fn.getcmdwintype() ~= '' or vim.fn.reg_recording() ~= '' or vim.fn.reg_executing() ~= '' then
    return false
  elseif vim.api.nvim_win_get_config(0).relative ~= '' or reviews.looked_at() then
    return false
  end
  return mode.mode == 'n' and not typing.is_typing() or mode.mode == 't' and typing.idle_time() >= TERMINAL_PAUSE
end

--- Opens the oldest waiting proposal if a window may open now. Returns whether it did.
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

local function check()
  is_scheduled = false
  M.try()
  M.schedule_check()
end

--- Schedules the next check while a proposal waits.
function M.schedule_check()
  if #waiting > 0 and not is_scheduled then
    is_scheduled = true
    -- The end of typing can be computed from the last key; the end of a mode or a prompt cannot.
    vim.defer_fn(check, typing.time_until_pause() or CHECK_INTERVAL)
  end
end

--- Opens the new proposals at the next pauses, each once. Returns whether the first of them is open already.
---@param new alongside.Review[]
---@return boolean
function M.add(new)
  vim.list_extend(waiting, new)
  local is_open = M.try()
  M.schedule_check()
  return is_open
end

return M
