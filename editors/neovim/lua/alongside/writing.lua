-- `:w` in a proposal accepts it, when a person typed that. Plugins and options that write by themselves never do:
-- what they write is not there to be saved, so they are left with nothing done.
--
-- A typed command leaves the command line of this very buffer right before it runs; nothing else does.

local M = {}

-- Every way to spell one of these, with and without "!".
local WRITES = { w = true, wr = true, wri = true, writ = true, write = true }
local WRITES_AND_QUITS = { wq = true }
local WRITES_CHANGES_AND_QUITS = { x = true, xi = true, xit = true, exi = true, exit = true }

local typed ---@type { buf: integer, quits: boolean }?

local function command_of(line)
  local name = vim.trim(line):gsub('^:+%s*', ''):match('^(%a+)!?$')
  return name
end

--- `is_proposal` says of a buffer whether it is one; `accept` is called with it and with whether its window closes after
--- that; `refuse` when something else than a person wrote.
function M.setup(is_proposal, accept, refuse)
  local group = vim.api.nvim_create_augroup('alongside.writing', {})
  vim.api.nvim_create_autocmd('CmdlineLeave', {
    group = group,
    pattern = ':',
    desc = 'alongside: a typed :w accepts',
    callback = function()
      typed = nil
      local buf = vim.api.nvim_get_current_buf()
      if vim.v.event.abort or not is_proposal(buf) then
        return
      end
      local name = command_of(vim.fn.getcmdline())
      if not name or not (WRITES[name] or WRITES_AND_QUITS[name] or WRITES_CHANGES_AND_QUITS[name]) then
        return
      end
      local this = { buf = buf, quits = not WRITES[name] }
      typed = this
      if WRITES_CHANGES_AND_QUITS[name] then
        -- :x writes only what is modified, and a proposal never is.
        vim.bo[buf].modified = true
      end
      -- It runs before anything that is scheduled.
      vim.schedule(function()
        if typed == this then
          typed = nil
        end
        if vim.api.nvim_buf_is_valid(buf) and vim.bo[buf].modified and is_proposal(buf) then
          vim.bo[buf].modified = false
        end
      end)
    end,
  })
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    group = group,
    pattern = 'alongside://review/*',
    desc = 'alongside: a proposal is accepted, not written',
    callback = function(event)
      local by = typed
      typed = nil
      vim.bo[event.buf].modified = false
      if by and by.buf == event.buf then
        accept(event.buf, by.quits)
      else
        refuse(event.buf)
      end
    end,
  })
end

return M
