-- `:Alongside agents`: runs `alongside install agent` in a terminal window. The program shows each change of the
-- agents' settings and asks before it makes the change. A terminal job of Neovim would show an empty window until the
-- program has asked every agent for its version, and would end with "[Process exited 0]".

local autocommands = require('alongside.autocommands')
local config = require('alongside.config')
local harmless = require('alongside.harmless')
local messages = require('alongside.messages')

local M = {}

local SEARCH_MESSAGE = 'Looking for agents …'
local CLEAR_LINE = '\r\27[2K'
-- The program also runs in other terminals, so its last line names the next step in a shell. NEXT_STEP replaces that
-- line.
local NEXT_STEP_IN_SHELL = 'Next, in your project: [^\r\n]*\r?\n'
local NEXT_STEP = '\r\nHere in Neovim, start an agent with :Alongside terminal.'
local CLOSE_HINT = '\r\nPress Enter to close this window.'

local function close(buf)
  if vim.api.nvim_buf_is_valid(buf) then
    pcall(vim.api.nvim_buf_delete, buf, { force = true })
  end
end

--- Opens the terminal window. Once the program has ended, any key closes the window, as in every terminal of Neovim.
function M.set_up()
  local program = vim.fs.normalize(config.current.cmd[1])
  if vim.fn.executable(program) == 0 then
    local message = "alongside: cannot run '%s': install it, or set cmd (:checkhealth alongside)"
    return messages.now(message:format(harmless.name(program)), vim.log.levels.ERROR)
  end
  vim.cmd('botright 15new')
  local buf, win = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  vim.bo[buf].bufhidden = 'wipe'
  pcall(vim.api.nvim_buf_set_name, buf, 'alongside://agents')
  local options = vim.wo[win][0]
  options.number, options.relativenumber, options.signcolumn, options.list = false, false, 'no', false
  local job, has_ended, has_output
  local terminal = vim.api.nvim_open_term(buf, {
    on_input = function(_, _, _, keys)
      if has_ended then
        -- Neovim calls this function from within the terminal, so the buffer is deleted afterwards.
        vim.schedule(function()
          close(buf)
        end)
      elseif job then
        pcall(vim.fn.chansend, job, keys)
      end
    end,
  })
  local function show(text)
    if vim.api.nvim_buf_is_valid(buf) then
      pcall(vim.api.nvim_chan_send, terminal, text)
    end
  end
  show(SEARCH_MESSAGE)
  job = vim.fn.jobstart({ program, 'install', 'agent' }, {
    pty = true,
    width = vim.api.nvim_win_get_width(win),
    height = vim.api.nvim_win_get_height(win),
    env = { TERM = 'xterm-256color' },
    on_stdout = function(_, chunks)
      local text = table.concat(chunks, '\n'):gsub(NEXT_STEP_IN_SHELL, '')
      if text ~= '' then
        show((has_output and '' or CLEAR_LINE) .. text)
        has_output = true
      end
    end,
    on_exit = function(_, code)
      show((has_output and '' or CLEAR_LINE) .. (code == 0 and NEXT_STEP or '') .. CLOSE_HINT)
      has_ended = true
    end,
  })
  local on, group = autocommands('agents.' .. buf)
  on('WinResized', 'tell the program the size of its window', function()
    if vim.api.nvim_win_is_valid(win) and not has_ended then
      pcall(vim.fn.jobresize, job, vim.api.nvim_win_get_width(win), vim.api.nvim_win_get_height(win))
    end
  end)
  on('BufWipeout', 'end the program with its window', function()
    pcall(vim.fn.jobstop, job)
    pcall(vim.api.nvim_del_augroup_by_id, group)
  end, { buffer = buf })
  for _, key in ipairs({ 'q', '<CR>' }) do
    vim.keymap.set('n', key, function()
      if has_ended then
        close(buf)
      end
    end, { buffer = buf, desc = 'alongside: close the window of a program that has ended' })
  end
  vim.cmd.startinsert()
end

return M
