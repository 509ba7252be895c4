-- Which project a buffer belongs to, and whether it is a file at all. One client serves one project, so this decides
-- who is told what.

local harmless = require('alongside.harmless')

local M = {}

local MARKERS = { '.git', '.hg', '.svn', '.jj' }

-- By buffer: the name it had when its project was looked for, and what was found. A file outside of every project
-- stays with the directory Neovim was in when it was first seen.
local known = {}

--- `path` with its directory resolved; the last component stays, so that a link keeps the name it has in the project.
local function resolved(path)
  local directory = vim.uv.fs_realpath(vim.fs.dirname(path))
  if not directory then
    return path
  end
  return (directory == '/' and '' or directory) .. '/' .. vim.fs.basename(path)
end

local function root_above(directory)
  return vim.fs.root(directory .. '/.', MARKERS)
end

--- The project of the directory Neovim is in: the nearest one above it, or the directory itself.
---@return string
function M.of_cwd()
  local cwd = vim.fn.getcwd()
  cwd = vim.uv.fs_realpath(cwd) or cwd
  return root_above(cwd) or cwd
end

-- What git and the like have edited, a commit message say, is no file of the project.
local function is_inside_marker(name)
  for _, marker in ipairs(MARKERS) do
    if name:find('/' .. marker .. '/', 1, true) then
      return true
    end
  end
  return false
end

--- Whether `buf` is a file a person has open: listed, ordinary, named, and no URL of some plugin.
---@param buf integer
---@return boolean
function M.is_file(buf)
  if not vim.api.nvim_buf_is_valid(buf) or vim.bo[buf].buftype ~= '' or not vim.bo[buf].buflisted then
    return false
  end
  local name = vim.api.nvim_buf_get_name(buf)
  return name ~= '' and not name:find('^%a[%w+.-]+://') and not is_inside_marker(name) and harmless.is_utf8(name)
end

local function look(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  local entry = known[buf]
  if not entry or entry.name ~= name then
    local path = resolved(name)
    entry = { name = name, path = path, root = root_above(vim.fs.dirname(path)) or M.of_cwd() }
    known[buf] = entry
  end
  return entry
end

--- The project of a file's buffer.
---@param buf integer
---@return string root
function M.of_buffer(buf)
  return look(buf).root
end

--- The file's path, its directory resolved.
---@param buf integer
---@return string
function M.path(buf)
  return look(buf).path
end

--- The loaded files of a project.
---@param root string
---@return integer[]
function M.buffers_of(root)
  return vim.tbl_filter(function(buf)
    return vim.api.nvim_buf_is_loaded(buf) and M.is_file(buf) and M.of_buffer(buf) == root
  end, vim.api.nvim_list_bufs())
end

--- Whether the file is on disk: asked once, until something was written or may have been removed.
---@param buf integer
---@return boolean
function M.exists(buf)
  local entry = look(buf)
  if entry.exists == nil then
    local stat = vim.uv.fs_stat(entry.name)
    entry.exists = stat ~= nil and stat.type == 'file'
  end
  return entry.exists
end

--- Forgets what was found out about `buf`'s file on disk, or about every one.
---@param buf integer?
function M.ask_again(buf)
  for number, entry in pairs(known) do
    if not buf or number == buf then
      entry.exists = nil
    end
  end
end

--- Forgets `buf`.
---@param buf integer
function M.forget(buf)
  known[buf] = nil
end

return M
