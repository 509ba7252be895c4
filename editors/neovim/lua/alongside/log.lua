-- What the plugin did, for the person who wonders: the last lines are kept in memory, `:Alongside log` shows them.
-- Texts of files and reviews never get here, and neither does the token.

local harmless = require('alongside.harmless')

local M = {}

local KEPT = 500
local lines = {}

--- Adds one line.
---@param message string
function M.write(message)
  local line = os.date('%Y-%m-%d %H:%M:%S ') .. harmless.name(message)
  lines[#lines + 1] = line
  if #lines > KEPT then
    table.remove(lines, 1)
  end
  local path = require('alongside.config').current.log
  if path then
    local file = io.open(vim.fs.normalize(path), 'a')
    if file then
      file:write(line, '\n')
      file:close()
    end
  end
end

--- The lines kept, oldest first.
---@return string[]
function M.lines()
  return vim.deepcopy(lines)
end

local confessed = false

--- `what`, with its errors caught: they are written down here instead of over what the person is typing, and said once.
---@param what function
---@return fun(...): any
function M.guarded(what)
  return function(...)
    local done = { xpcall(what, debug.traceback, ...) }
    if done[1] then
      return unpack(done, 2)
    end
    for line in tostring(done[2]):gmatch('[^\n]+') do
      M.write(line)
    end
    if not confessed then
      confessed = true
      require('alongside.say').later('alongside: the plugin has made a mistake: :Alongside log', vim.log.levels.ERROR)
    end
  end
end

return M
