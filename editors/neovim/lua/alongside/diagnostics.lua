-- The diagnostics of all buffers, for agents that ask for problems. The companion omits files that agents must not
-- know. The answer for a buffer is kept until its diagnostics or its text change: reading 2,000 takes 8 ms.

local autocommands = require('alongside.autocommands')
local project = require('alongside.project')
local selection = require('alongside.selection')

local M = {}

---@class alongside.KeptDiagnostics
---@field tick integer|false the `changedtick` of the buffer's text; false: it was not loaded
---@field diagnostics table[]

local kept ---@type table<integer, alongside.KeptDiagnostics>? by buffer; nil: changes are not followed yet

-- Returns a function that converts a line and a byte into a position in UTF-16 units, as in LSP. Without the text,
-- because the buffer is not loaded, the column stays in bytes.
local function converter(buf)
  local is_loaded = vim.api.nvim_buf_is_loaded(buf)
  local last_row, line, is_ascii
  return function(row, column)
    if is_loaded and row ~= last_row then
      last_row, line = row, vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
      is_ascii = line and not line:find('[\128-\255]')
    end
    if line then
      column = is_ascii and math.max(0, math.min(column, #line)) or selection.utf16(line, column)
    end
    return { line = row, character = column }
  end
end

local function read(buf)
  local position, found = converter(buf), vim.diagnostic.get(buf)
  for i, diagnostic in ipairs(found) do
    local code = diagnostic.code
    found[i] = {
      range = {
        start = position(diagnostic.lnum, diagnostic.col),
        ['end'] = position(diagnostic.end_lnum or diagnostic.lnum, diagnostic.end_col or diagnostic.col),
      },
      severity = diagnostic.severity,
      code = (type(code) == 'string' or type(code) == 'number') and code or nil,
      source = diagnostic.source,
      message = diagnostic.message,
    }
  end
  return found
end

-- Forgets the answer for a buffer whenever its diagnostics change.
local function follow_changes()
  kept = {}
  autocommands('diagnostics')({ 'DiagnosticChanged', 'BufWipeout' }, 'read the diagnostics again', function(event)
    kept[event.buf] = nil
  end)
end

--- Returns the diagnostics of every file, in the form of the reply to `alongside/getDiagnostics`.
---@return { path: string, diagnostics: table[] }[]
function M.all()
  if not kept then
    follow_changes()
  end
  local files = {}
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if project.is_file(buf) then
      local tick = vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_changedtick(buf)
      if not kept[buf] or kept[buf].tick ~= tick then
        kept[buf] = { tick = tick, diagnostics = read(buf) }
      end
      if #kept[buf].diagnostics > 0 then
        files[#files + 1] = { path = project.path(buf), diagnostics = kept[buf].diagnostics }
      end
    end
  end
  return files
end

return M
