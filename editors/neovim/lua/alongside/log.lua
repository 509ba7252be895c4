-- The plugin's log: the last lines stay in memory, and `:Alongside log` shows them. The log never contains texts of
-- files and reviews, or the token.

local harmless = require('alongside.harmless')

local M = {}

local MAX_LINES = 500
local lines = {}

--- Adds one line.
---@param message string
function M.write(message)
  local line = os.date('%Y-%m-%d %H:%M:%S ') .. harmless.name(message)
  lines[#lines + 1] = line
  if #lines > MAX_LINES then
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

--- Returns the lines, the oldest first.
---@return string[]
function M.lines()
  return vim.deepcopy(lines)
end

local has_reported = false

--- Returns a function that calls `run` and logs its errors, so that they do not appear over the person's text. The
--- first error shows one message.
---@param run function
---@return fun(...): any
function M.guarded(run)
  return function(...)
    local results = { xpcall(run, debug.traceback, ...) }
    if results[1] then
      return unpack(results, 2)
    end
    for line in tostring(results[2]):gmatch('[^\n]+') do
      M.write(line)
    end
    if not has_reported then
      has_reported = true
      require('alongside.messages').later('alongside: the plugin has made a mistake: :Alongside log', vim.log.levels.ERROR)
    end
  end
end

return M
