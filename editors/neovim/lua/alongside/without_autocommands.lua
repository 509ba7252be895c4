-- Changes windows and buffers that exist only for a moment, or that the person does not see change: autocommands of
-- others must not act on them.

--- Calls a function while no autocommand runs. An error in it ends only the function.
---@param change fun()
return function(change)
  local ignored = vim.o.eventignore
  vim.o.eventignore = 'all'
  pcall(change)
  vim.o.eventignore = ignored
end
