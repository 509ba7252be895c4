-- For modules that require each other: one of them loads the other at its first use.

--- Returns a stand-in for a module of the plugin, which is loaded when a field of it is read.
---@param name string such as "review"
---@return table
return function(name)
  return setmetatable({}, {
    __index = function(_, key)
      return require('alongside.' .. name)[key]
    end,
  })
end
