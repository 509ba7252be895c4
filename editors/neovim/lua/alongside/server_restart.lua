-- Restarts servers that crash, with growing pauses, up to five times within a minute. A server that somebody stopped stays
-- stopped.

local config = require('alongside.config')
local harmless = require('alongside.harmless')
local log = require('alongside.log')
local messages = require('alongside.messages')

local M = {}

-- The most crashes within WINDOW seconds.
local TRIES = 5
local WINDOW = 60
-- The first pause in milliseconds; each one doubles.
local PAUSE = 200

local held = {} ---@type table<string, boolean> roots whose server stays stopped
local crashes = {} ---@type table<string, integer[]> times by root
local expected = {} ---@type table<string, boolean> roots whose server is restarting
local said = {} ---@type table<string, boolean>

--- Shows a message, once for each key.
---@param key string
---@param message string
function M.say_once(key, message)
  if not said[key] then
    said[key] = true
    messages.later(message, vim.log.levels.WARN)
    log.write(message)
  end
end

--- Whether a project's server was stopped by somebody, or given up.
---@param root string
---@return boolean
function M.is_held(root)
  return held[root] == true
end

--- Allows the project's server to start.
---@param root string
function M.release(root)
  held[root] = nil
end

--- The project's server ends to be restarted.
---@param root string
function M.expect(root)
  expected[root] = true
end

--- Whether the project's server is restarting.
---@param root string
---@return boolean
function M.is_expected(root)
  return expected[root] == true
end

--- Forgets crashes, stops and messages.
---@return table<string, boolean> roots whose server was stopped
function M.forgive()
  local before = held
  held, crashes, said = {}, {}, {}
  return before
end

-- The program has ended before it was a server: it may be of another machine, or lack a library. No try will help.
local function say_that_it_does_not_start(root, how)
  local program = harmless.name(config.current.cmd[1])
  local said = "alongside: '%s' does not start (exit code %s): :checkhealth alongside, :Alongside log"
  M.say_once('does not start ' .. root, said:format(program, how.code))
end

local function crashed(root, how, start)
  if not how.initialized then
    say_that_it_does_not_start(root, how)
  end
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
  if how.initialized then
    messages.later(message, vim.log.levels.ERROR)
  end
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
    crashed(root, how, start)
  end
end

return M
