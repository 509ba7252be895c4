-- Defines the command :Alongside; all other modules are loaded on demand. The plugin starts when the person's
-- configuration calls `require('alongside').setup{}`. If `alongside install neovim` installed the plugin and the
-- configuration does not call `setup`, this file does so after the first screen.

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

local function ensure_set_up()
  if not require('alongside').is_set_up() then
    require('alongside').setup()
  end
end

if #vim.api.nvim_get_runtime_file('lua/alongside/installed.lua', false) > 0 then
  if vim.v.vim_did_enter == 1 then
    ensure_set_up()
  else
    -- The program starts while Neovim does. The rest waits for the first screen.
    require('alongside.server').start_early()
    vim.api.nvim_create_autocmd('VimEnter', {
      once = true,
      desc = 'alongside: start',
      callback = vim.schedule_wrap(ensure_set_up),
    })
  end
end
