-- Defines :Alongside; everything else is loaded when it is needed. `require('alongside').setup{}` starts it.

if vim.g.loaded_alongside then
  return
end
vim.g.loaded_alongside = true

vim.api.nvim_create_user_command('Alongside', function(command)
  require('alongside.commands').run(command)
end, {
  nargs = '*',
  desc = 'alongside: decide what agents propose',
  complete = function(lead, line)
    return require('alongside.commands').complete(lead, line)
  end,
})
