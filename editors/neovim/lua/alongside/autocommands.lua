-- The plugin's autocommands, each in a group and with a description.

--- Creates an autocommand group, or clears an existing one. Returns the function that adds autocommands to the group,
--- and the group.
---@param name string? the part after "alongside."; nil: the group is "alongside"
---@return fun(events: string|string[], description: string, callback: function, options: table?), integer
return function(name)
  local group = vim.api.nvim_create_augroup(name and 'alongside.' .. name or 'alongside', {})
  return function(events, description, callback, options)
    local all = { group = group, desc = 'alongside: ' .. description, callback = callback }
    vim.api.nvim_create_autocmd(events, vim.tbl_extend('error', all, options or {}))
  end, group
end
