-- Sends the name of a file, with selected lines, to the prompt of an agent in a terminal of `:Alongside terminal`. Other
-- agents read their own terminals, which nobody else can type into.

local harmless = require('alongside.harmless')
local messages = require('alongside.messages')
local project = require('alongside.project')
local terminal = require('alongside.terminal')

local M = {}

--- A path as agents read it after "@": they end it at blanks and punctuation, unless a backslash precedes.
---@param path string
---@return string
function M.escaped(path)
  return (path:gsub('[ ()%[%]{};|*?$`\'"#&<>!~,\\]', '\\%0'))
end

--- The reference to a file, such as "@src/main.rs lines 2-4 ". The blank at the end closes the agent's list of files.
---@param path string
---@param first integer?
---@param last integer?
---@return string
function M.reference(path, first, last)
  local lines = not first and '' or first == last and (' line %d'):format(first) or (' lines %d-%d'):format(first, last)
  return ('@%s%s '):format(M.escaped(path), lines)
end

--- Sends the current file, and the lines `first` to `last` if given. Submits nothing: the person types on.
---@param first integer?
---@param last integer?
function M.send(first, last)
  local buf = vim.api.nvim_get_current_buf()
  if not project.is_file(buf) then
    return messages.now('alongside: this buffer is no file. Go to the file first.', vim.log.levels.WARN)
  end
  local to = terminal.running(project.of_buffer(buf))
  if not to then
    local said = 'alongside: no agent runs in a terminal of this plugin. Start one: :Alongside terminal'
    return messages.now(said, vim.log.levels.WARN)
  end
  local path = project.path(buf)
  if vim.startswith(path, to.root .. '/') then
    path = path:sub(#to.root + 2)
  end
  if harmless.name(path) ~= path then
    -- A line end would submit it.
    local said = 'alongside: not sent, because the name of the file has invisible characters: %s'
    return messages.now(said:format(harmless.name(path)), vim.log.levels.WARN)
  end
  local is_modified = vim.bo[buf].modified
  terminal.show(to)
  -- As a paste: Neovim marks it as one if the agent wants that.
  vim.api.nvim_buf_call(to.buf, function()
    vim.api.nvim_put({ M.reference(path, first, last) }, 'c', false, true)
  end)
  if is_modified then
    messages.later('alongside: sent. The agent reads the file on disk, without your unsaved changes.', vim.log.levels.WARN)
  end
end

return M
