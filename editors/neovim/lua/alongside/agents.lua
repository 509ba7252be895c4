-- `:Alongside agents`: sets agents up in a terminal window, where `alongside install agent` shows each change of their
-- settings and asks before it makes it.

local config = require('alongside.config')

local M = {}

--- Opens the terminal window. After the last answer any key closes it, as in each terminal whose program has ended.
function M.set_up()
  vim.cmd('botright 15new')
  local buf, win = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  vim.bo[buf].bufhidden = 'wipe'
  local command = { config.current.cmd[1], 'install', 'agent' }
  local ok, job
  if vim.fn.has('nvim-0.11') == 1 then
    ok, job = pcall(vim.fn.jobstart, command, { term = true })
  else
    ok, job = pcall(vim.fn.termopen, command)
  end
  if not ok or job <= 0 then
    pcall(vim.api.nvim_win_close, win, true)
    local message = "alongside: cannot run '%s': install it, or set cmd (:checkhealth alongside)"
    return require('alongside.messages').now(message:format(command[1]), vim.log.levels.ERROR)
  end
  vim.cmd.startinsert()
end

return M
