-- Whether the person is typing: proposals open by themselves and windows close only in a pause.

local M = {}

-- The time after a key in which the person counts as typing, in milliseconds.
local TYPING_PAUSE = 600

local last_key = 0

--- Returns the milliseconds since the last key.
---@return integer
function M.idle_time()
  return vim.uv.now() - last_key
end

--- Whether the person is typing, or in a mode other than Normal mode.
---@return boolean
function M.is_typing()
  return vim.api.nvim_get_mode().mode ~= 'n' or M.idle_time() < TYPING_PAUSE
end

--- Returns the milliseconds until the person counts as pausing if no key follows; nil in a pause and outside Normal
--- mode.
---@return integer?
function M.time_until_pause()
  local left = TYPING_PAUSE - M.idle_time()
  return vim.api.nvim_get_mode().mode == 'n' and left > 0 and left or nil
end

--- Records the time of each key.
function M.setup()
  vim.on_key(function()
    last_key = vim.uv.now()
  end, vim.api.nvim_create_namespace('alongside.keys'))
end

return M
