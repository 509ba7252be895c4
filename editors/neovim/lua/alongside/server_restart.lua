-- Restarts servers that crash, with growing pauses, until the fifth crash within a minute. A server that somebody
-- stopped stays stopped.

local config = require('alongside.config')
local harmless = require('alongside.harmless')
local log = require('alongside.log')
local messages = require('alongside.lazy')('messages')

local M = {}

-- The number of crashes within WINDOW seconds after which a server stays stopped.
local MAX_CRASHES = 5
local WINDOW = 60
-- The pause after the first crash, in milliseconds; it doubles with each further crash.
local FIRST_PAUSE = 200

local held = {} ---@type table<string, boolean> roots whose server stays stopped
local crashes = {} ---@type table<string, integer[]> by root: the times of the crashes
local expected = {} ---@type table<string, boolean> roots whose server is restarting
local shown = {} ---@type table<string, boolean> the keys of messages that were shown

--- Shows a message, once for each key.
---@param key string
---@param message string
function M.show_once(key, message)
  if not shown[key] then
    shown[key] = true
    messages.later(message, vim.log.levels.WARN)
    log.write(message)
  end
end

--- Whether a project's server stays stopped, because somebody stopped it or it crashed too often.
---@param root string
---@return boolean
function M.is_held(root)
  return held[root] == true
end

--- Allows the project's server to start again.
---@param root string
function M.release(root)
  held[root] = nil
end

--- Records that the project's server is stopped in order to restart.
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
function M.reset()
  local stopped = held
  held, crashes, shown = {}, {}, {}
  return stopped
end

-- Shows that the program ended before it initialized. It may be built for another machine, or lack a library; a restart
-- does not help.
local function show_start_failure(root, facts)
  local program = harmless.name(config.current.cmd[1])
  local message = "alongside: '%s' does not start (exit code %s): :checkhealth alongside, :Alongside log"
  M.show_once('does not start ' .. root, message:format(program, facts.code))
end

local function handle_crash(root, facts, start)
  if not facts.initialized then
    show_start_failure(root, facts)
  end
  local now = os.time()
  local recent = vim.tbl_filter(function(at)
    return now - at < WINDOW
  end, crashes[root] or {})
  recent[#recent + 1] = now
  crashes[root] = recent
  if #recent < MAX_CRASHES then
    vim.defer_fn(start, FIRST_PAUSE * 2 ^ (#recent - 1))
    return
  end
  held[root], crashes[root] = true, nil
  local message = ('alongside: the server ended %d times within a minute: :Alongside log, :Alongside restart'):format(#recent)
  if facts.initialized then
    messages.later(message, vim.log.levels.ERROR)
  end
  log.write(message)
end

--- Handles the end of a project's server.
---@param root string
---@param facts alongside.Link
---@param is_replaced boolean whether another server was started already
---@param start fun() starts the server again
function M.ended(root, facts, is_replaced, start)
  if facts.refused then
    held[root] = true
    M.show_once('refused ' .. root, 'alongside: ' .. facts.refused)
  elseif facts.asked_to_stop then
    log.write('stopped for ' .. root)
    if expected[root] then
      expected[root] = nil
      start()
    elseif not is_replaced then
      held[root] = true
    end
  else
    log.write(('ended by itself (exit code %s, signal %s) for %s'):format(facts.code, facts.signal, root))
    handle_crash(root, facts, start)
  end
end

return M
