-- The plugin's log: the last lines stay in memory, and `:Alongside log` shows them. It never contains texts of files and
-- reviews, or the token.

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

--- The lines, oldest first.
---@return string[]
function M.lines()
  return vim.deepcopy(lines)
end

local confessed = false

--- Wraps `what`: logs its errors instead of showing them over the person's text, with one message.
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
      require('alongside.messages').later('alongside: the plugin has made a mistake: :Alongside log', vim.log.levels.ERROR)
    end
  end
end

return M
