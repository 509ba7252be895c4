-- Loads modules at their first use: those that require each other, and those that the start of Neovim does not need.

local M = {}

--- Whether a module of the plugin was loaded.
---@param name string such as "review"
---@return boolean
function M.is_loaded(name)
  return package.loaded['alongside.' .. name] ~= nil
end

--- Returns a stand-in for a module of the plugin, which is loaded when a field of it is read.
---@param name string such as "review"
---@return table
function M.__call(_, name)
  return setmetatable({}, {
    __index = function(_, key)
      return require('alongside.' .. name)[key]
    end,
  })
end

return setmetatable(M, M)
