-- Defines :Alongside and loads the rest on demand. `require('alongside').setup{}` starts it. After `alongside install neovim`
-- it starts by itself, unless the person's configuration does.

if vim.g.loaded_alongside then
  return
end
vim.g.loaded_alongside = true

vim.api.nvim_create_user_command('Alongside', function(command)
  require('alongside.commands').run(command)
end, {
  nargs = '*',
  range = true,
  desc = 'alongside: review what agents propose',
  complete = function(lead, line)
    return require('alongside.commands').complete(lead, line)
  end,
})

local function start()
  if not require('alongside').is_set_up() then
    require('alongside').setup()
  end
end

if #vim.api.nvim_get_runtime_file('lua/alongside/installed.lua', false) > 0 then
  if vim.v.vim_did_enter == 1 then
    start()
  else
    vim.api.nvim_create_autocmd('VimEnter', { once = true, desc = 'alongside: start', callback = start })
  end
end
