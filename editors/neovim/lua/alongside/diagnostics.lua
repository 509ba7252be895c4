-- The diagnostics of all buffers, for agents that ask for problems. The companion omits files that agents must not
-- know.

local project = require('alongside.project')
local selection = require('alongside.selection')

local M = {}

-- A position in UTF-16 units, as in LSP. Without the text, because the buffer is not loaded, the column stays in bytes.
local function position(buf, row, column)
  local line = vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
  return { line = row, character = line and selection.utf16(line, column) or column }
end

local function to_lsp(diagnostic)
  return {
    range = {
      start = position(diagnostic.bufnr, diagnostic.lnum, diagnostic.col),
      ['end'] = position(diagnostic.bufnr, diagnostic.end_lnum or diagnostic.lnum, diagnostic.end_col or diagnostic.col),
    },
    severity = diagnostic.severity,
    code = (type(diagnostic.code) == 'string' or type(diagnostic.code) == 'number') and diagnostic.code or nil,
    source = diagnostic.source,
    message = diagnostic.message,
  }
end

--- Returns the diagnostics of every file, in the form of the reply to `alongside/getDiagnostics`.
---@return { path: string, diagnostics: table[] }[]
function M.all()
  local files, by_buffer = {}, {}
  for _, diagnostic in ipairs(vim.diagnostic.get(nil)) do
    local buf = diagnostic.bufnr
    if buf and vim.api.nvim_buf_is_valid(buf) and project.is_file(buf) then
      if not by_buffer[buf] then
        by_buffer[buf] = { path = project.path(buf), diagnostics = {} }
        files[#files + 1] = by_buffer[buf]
      end
      table.insert(by_buffer[buf].diagnostics, to_lsp(diagnostic))
    end
  end
  return files
end

return M
