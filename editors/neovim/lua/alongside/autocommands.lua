-- The plugin's autocommands, each in a group and with a description.

--- Makes a group anew. Returns the function that adds autocommands to it, and the group.
---@param name string? without the name of the plugin; nil: the group has the plugin's own
---@return fun(events: string|string[], what: string, run: function, more: table?), integer
return function(name)
  local group = vim.api.nvim_create_augroup(name and 'alongside.' .. name or 'alongside', {})
  return function(events, what, run, more)
    local options = { group = group, desc = 'alongside: ' .. what, callback = run }
    vim.api.nvim_create_autocmd(events, vim.tbl_extend('error', options, more or {}))
  end, group
end
