-- Sends the name of a file, with selected lines, to the prompt of an agent: by typing in a terminal of
-- `:Alongside terminal`, else through the companion, for agents that take files.

local harmless = require('alongside.harmless')
local messages = require('alongside.messages')
local project = require('alongside.project')
local server = require('alongside.server')
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

local function said_of(is_modified)
  if is_modified then
    messages.later('alongside: sent. The agent reads the file on disk, without your unsaved changes.', vim.log.levels.WARN)
  end
end

-- The companion tells the person where the file is.
local function mention(buf, first, last)
  local one = server.get(project.of_buffer(buf))
  local lines = first and { start = first - 1, ['end'] = last } or nil
  local is_modified = vim.bo[buf].modified
  server.request(one and one.id or -1, 'alongside/mentionFile', { path = project.path(buf), lines = lines }, function(err)
    if not err then
      return said_of(is_modified)
    end
    local why = type(err.data) == 'table' and err.data.why
    local said = (why == 'noAgentTakesFiles' or why == 'gone')
        and 'alongside: no agent runs in a terminal of this plugin, and none elsewhere takes files. Start one: :Alongside terminal'
      or 'alongside: ' .. harmless.name(err.message)
    messages.later(said, vim.log.levels.WARN)
  end)
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
    return mention(buf, first, last)
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
  said_of(is_modified)
end

return M
