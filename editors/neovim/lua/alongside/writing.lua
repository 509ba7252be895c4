-- A typed `:w` in a proposal accepts it. A write by a plugin or an option accepts nothing. The two differ in one event:
-- only a typed command leaves the command line right before it runs.

local autocommands = require('alongside.autocommands')

local M = {}

-- The commands that write, and whether they close the window afterwards.
local WRITE_COMMANDS = { write = false, wq = true, xit = true, exit = true }

local typed_write ---@type { buf: integer, quits: boolean }?

-- The full name of a command without arguments, with or without "!".
local function command_of(line)
  local name = vim.trim(line):gsub('^:+%s*', ''):match('^(%a+)!?$')
  local ok, command = pcall(vim.api.nvim_parse_cmd, name or '', {})
  return ok and command.cmd or ''
end

--- Sets the autocommands. `is_proposal` says whether a buffer is a proposal. A typed write calls `accept` with the
--- buffer and whether its window closes afterwards; any other write calls `refuse`. `accept` returns whether the buffer
--- counts as written: if not, its window stays. `set_modified` marks a buffer as modified if it holds typed text.
function M.setup(is_proposal, accept, refuse, set_modified)
  local on = autocommands('writing')
  on('CmdlineLeave', 'recognize a typed :w', function()
    typed_write = nil
    local buf = vim.api.nvim_get_current_buf()
    if vim.v.event.abort or not is_proposal(buf) then
      return
    end
    local name = command_of(vim.fn.getcmdline())
    if WRITE_COMMANDS[name] == nil then
      return
    end
    local write = { buf = buf, quits = WRITE_COMMANDS[name] }
    typed_write = write
    if name == 'xit' or name == 'exit' then
      -- :x writes only modified buffers, and a proposal without typed text is not modified.
      vim.bo[buf].modified = true
    end
    -- The command runs before scheduled functions.
    vim.schedule(function()
      if typed_write == write then
        typed_write = nil
      end
      set_modified(buf)
    end)
  end, { pattern = ':' })
  on('BufWriteCmd', 'accept a proposal instead of writing', function(event)
    local write = typed_write
    typed_write = nil
    if write and write.buf == event.buf then
      -- A command that also closes the window does so only after a write.
      local is_written = accept(event.buf, write.quits)
      vim.bo[event.buf].modified = not is_written
      vim.schedule(function()
        set_modified(event.buf)
      end)
    else
      refuse(event.buf)
      set_modified(event.buf)
    end
  end, { pattern = 'alongside://review/*' })
end

return M
