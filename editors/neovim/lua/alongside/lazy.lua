-- Modules that require each other: one of them gets the other when it first uses it.

--- A module of the plugin, loaded when something of it is read.
---@param name string such as "review"
---@return table
return function(name)
  return setmetatable({}, {
    __index = function(_, key)
      return require('alongside.' .. name)[key]
    end,
  })
end
