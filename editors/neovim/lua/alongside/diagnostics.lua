-- The diagnostics of all buffers, for agents that ask for problems. The companion omits files that agents must not know.

local project = require('alongside.project')
local selection = require('alongside.selection')

local M = {}

-- LSP's numbers: a position in UTF-16 units. The text of a buffer that is not loaded is unknown.
local function position(buf, row, column)
  local line = vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
  return { line = row, character = line and selection.utf16(line, column) or column }
end

local function of_lsp(found)
  return {
    range = {
      start = position(found.bufnr, found.lnum, found.col),
      ['end'] = position(found.bufnr, found.end_lnum or found.lnum, found.end_col or found.col),
    },
    severity = found.severity,
    code = (type(found.code) == 'string' or type(found.code) == 'number') and found.code or nil,
    source = found.source,
    message = found.message,
  }
end

--- The diagnostics of every file, as `alongside/getDiagnostics` is answered.
---@return { path: string, diagnostics: table[] }[]
function M.all()
  local files, by_buffer = {}, {}
  for _, found in ipairs(vim.diagnostic.get(nil)) do
    local buf = found.bufnr
    if buf and vim.api.nvim_buf_is_valid(buf) and project.is_file(buf) then
      if not by_buffer[buf] then
        by_buffer[buf] = { path = project.path(buf), diagnostics = {} }
        files[#files + 1] = by_buffer[buf]
      end
      table.insert(by_buffer[buf].diagnostics, of_lsp(found))
    end
  end
  return files
end

return M
