-- Gives memory back to the system after large proposals. LuaJIT collects garbage only while something allocates, so
-- that a text of 10 MB, and the message that brought it, would stay until the person has worked on for long. The
-- allocator of C keeps the freed lines between others that are in use.

local typing = require('alongside.typing')

local M = {}

-- Smaller texts are not worth a collection, which takes some 30 ms beside a text of 10 MB.
local MIN_BYTES = 1024 * 1024
-- The time after an event and after the last key, in milliseconds.
local PAUSE = 600

local is_scheduled = false

-- Lets the allocator return free pages. Only glibc has this function; other allocators return memory themselves.
local function trim()
  local ffi = require('ffi')
  ffi.cdef('int malloc_trim(size_t pad);')
  ffi.C.malloc_trim(0)
end

local function run()
  if typing.idle_time() < PAUSE then
    vim.defer_fn(run, PAUSE)
    return
  end
  is_scheduled = false
  if jit then
    -- Compiled code keeps the functions that it was compiled for, and one in three ended reviews with them.
    jit.flush()
  end
  -- The second collection frees what finalizers of the first one have released.
  collectgarbage()
  collectgarbage()
  pcall(trim)
end

--- Gives memory back at the next pause, after a text of `bytes` bytes was read, shown or dropped.
---@param bytes integer
function M.give_back(bytes)
  if bytes >= MIN_BYTES and not is_scheduled then
    is_scheduled = true
    vim.defer_fn(run, PAUSE)
  end
end

return M
