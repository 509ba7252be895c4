-- The project of a buffer, and whether the buffer is a file. One client serves one project, so the project decides
-- which companion learns about a file.

local harmless = require('alongside.harmless')

local M = {}

local MARKERS = { '.git', '.hg', '.svn', '.jj' }

-- By buffer: its name at the look-up, and the result. For a file outside all projects, that is the current directory of
-- the first look-up.
local entries = {}

--- `path` with the links in its directory resolved. The last component stays, so that a link keeps its name in the
--- project.
local function resolve_directory(path)
  local directory = vim.uv.fs_realpath(vim.fs.dirname(path))
  if not directory then
    return path
  end
  return (directory == '/' and '' or directory) .. '/' .. vim.fs.basename(path)
end

local function root_above(directory)
  return vim.fs.root(directory .. '/.', MARKERS)
end

--- Returns the project of the current directory: the nearest one above it, or the directory itself.
---@return string
function M.of_cwd()
  local cwd = vim.fn.getcwd()
  cwd = vim.uv.fs_realpath(cwd) or cwd
  return root_above(cwd) or cwd
end

-- Whether a file belongs to a version control system, as a commit message does, and not to the project.
local function is_inside_marker(name)
  for _, marker in ipairs(MARKERS) do
    if name:find('/' .. marker .. '/', 1, true) then
      return true
    end
  end
  return false
end

--- Whether `buf` is an open file: listed, of an ordinary type, named, and no URL of a plugin.
---@param buf integer
---@return boolean
function M.is_file(buf)
  if not vim.api.nvim_buf_is_valid(buf) or vim.bo[buf].buftype ~= '' or not vim.bo[buf].buflisted then
    return false
  end
  local name = vim.api.nvim_buf_get_name(buf)
  return name ~= '' and not name:find('^%a[%w+.-]+://') and not is_inside_marker(name) and harmless.is_utf8(name)
end

local function entry_of(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  local entry = entries[buf]
  if not entry or entry.name ~= name then
    local path = resolve_directory(name)
    entry = { name = name, path = path, root = root_above(vim.fs.dirname(path)) or M.of_cwd() }
    entries[buf] = entry
  end
  return entry
end

--- Returns the project of a file's buffer.
---@param buf integer
---@return string root
function M.of_buffer(buf)
  return entry_of(buf).root
end

--- Returns the file's path, with the links in its directory resolved.
---@param buf integer
---@return string
function M.path(buf)
  return entry_of(buf).path
end

--- Returns the loaded files of a project.
---@param root string
---@return integer[]
function M.buffers_of(root)
  return vim.tbl_filter(function(buf)
    return vim.api.nvim_buf_is_loaded(buf) and M.is_file(buf) and M.of_buffer(buf) == root
  end, vim.api.nvim_list_bufs())
end

--- Whether the file exists on disk. The answer is cached until `ask_again`.
---@param buf integer
---@return boolean
function M.exists(buf)
  local entry = entry_of(buf)
  if entry.exists == nil then
    local stat = vim.uv.fs_stat(entry.name)
    entry.exists = stat ~= nil and stat.type == 'file'
  end
  return entry.exists
end

--- Discards the cached answers of `exists` for `buf`, or for all buffers.
---@param buf integer?
function M.ask_again(buf)
  for number, entry in pairs(entries) do
    if not buf or number == buf then
      entry.exists = nil
    end
  end
end

--- Forgets the project of `buf`.
---@param buf integer
function M.forget(buf)
  entries[buf] = nil
end

return M
