-- Changes windows and buffers without autocommands of anybody: what is only there for a moment is nobody's business.

--- Calls a function while no autocommand runs. An error in it ends it, and is no error of the caller.
---@param change fun()
return function(change)
  local ignored = vim.o.eventignore
  vim.o.eventignore = 'all'
  pcall(change)
  vim.o.eventignore = ignored
end
