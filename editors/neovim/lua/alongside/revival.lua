-- What follows from the end of a server: nothing if somebody asked for it; otherwise another one a moment later, with
-- growing pauses, until it is clear that starting it again does not cure it.

local log = require('alongside.log')
local say = require('alongside.say')

local M = {}

-- A server that ends this often within so many seconds is given up.
local TRIES = 5
local WINDOW = 60
-- The first pause in milliseconds; each is twice the one before.
local PAUSE = 200

local held = {} ---@type table<string, boolean> roots that are not started by themselves
local crashes = {} ---@type table<string, integer[]> by root, when
local expected = {} ---@type table<string, boolean> roots whose server was stopped to be started again
local said = {} ---@type table<string, boolean>

--- Says `message` to the person unless it was said under this key before.
---@param key string
---@param message string
function M.say_once(key, message)
  if not said[key] then
    said[key] = true
    say.later(message, vim.log.levels.WARN)
    log.write(message)
  end
end

--- Whether a project's server was stopped by somebody, or given up.
---@param root string
---@return boolean
function M.is_held(root)
  return held[root] == true
end

--- The project's server may be started again.
---@param root string
function M.release(root)
  held[root] = nil
end

--- The end of the project's server is the beginning of its next one.
---@param root string
function M.expect(root)
  expected[root] = true
end

--- Whether it is.
---@param root string
---@return boolean
function M.is_expected(root)
  return expected[root] == true
end

--- Forgets what was wrong.
---@return table<string, boolean> roots that were held
function M.forgive()
  local before = held
  held, crashes, said = {}, {}, {}
  return before
end

local function crashed(root, start)
  local now = os.time()
  local recent = vim.tbl_filter(function(at)
    return now - at < WINDOW
  end, crashes[root] or {})
  recent[#recent + 1] = now
  crashes[root] = recent
  if #recent < TRIES then
    vim.defer_fn(start, PAUSE * 2 ^ (#recent - 1))
    return
  end
  held[root], crashes[root] = true, nil
  local message = ('alongside: the server ended %d times within a minute: :Alongside log, :Alongside restart'):format(#recent)
  say.later(message, vim.log.levels.ERROR)
  log.write(message)
end

--- The server of a project has ended.
---@param root string
---@param how alongside.Link
---@param is_replaced boolean whether somebody has started another one already
---@param start fun() starts another one
function M.ended(root, how, is_replaced, start)
  if how.refused then
    held[root] = true
    M.say_once('refused ' .. root, 'alongside: ' .. how.refused)
  elseif how.asked_to_stop then
    log.write('stopped for ' .. root)
    if expected[root] then
      expected[root] = nil
      start()
    elseif not is_replaced then
      held[root] = true
    end
  else
    log.write(('ended by itself (exit code %s, signal %s) for %s'):format(how.code, how.signal, root))
    crashed(root, start)
  end
end

return M
