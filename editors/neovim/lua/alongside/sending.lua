-- Sends the name of a file, with selected lines, to the prompt of an agent: as typed text in a terminal of `:Alongside
-- terminal`, otherwise through the companion, for agents that accept mentions.

local harmless = require('alongside.harmless')
local messages = require('alongside.messages')
local project = require('alongside.project')
local server = require('alongside.server')
local terminal = require('alongside.terminal')

local M = {}

--- Returns a path as agents read it after "@": they end it at spaces and punctuation, unless a backslash precedes.
---@param path string
---@return string
function M.escaped(path)
  return (path:gsub('[ ()%[%]{};|*?$`\'"#&<>!~,\\]', '\\%0'))
end

--- Returns the reference to a file, such as "@src/main.rs lines 2-4 ". The space at the end closes the agent's list of
--- files.
---@param path string
---@param first integer?
---@param last integer?
---@return string
function M.reference(path, first, last)
  local lines = not first and '' or first == last and (' line %d'):format(first) or (' lines %d-%d'):format(first, last)
  return ('@%s%s '):format(M.escaped(path), lines)
end

local function warn_if_modified(is_modified)
  if is_modified then
    messages.later('alongside: sent. The agent reads the file on disk, without your unsaved changes.', vim.log.levels.WARN)
  end
end

-- Sends the mention through the companion, which tells the person which agent got the file.
local function mention(buf, first, last)
  local this_server = server.get(project.of_buffer(buf))
  local lines = first and { start = first - 1, ['end'] = last } or nil
  local is_modified = vim.bo[buf].modified
  server.request(this_server and this_server.id or -1, 'alongside/mentionFile', { path = project.path(buf), lines = lines }, function(err)
    if not err then
      return warn_if_modified(is_modified)
    end
    local why = type(err.data) == 'table' and err.data.why
    local message = (why == 'noAgentTakesFiles' or why == 'gone')
        and 'alongside: no agent runs in a terminal of this plugin, and no connected agent accepts mentions. Start one: :Alongside terminal'
      or 'alongside: ' .. harmless.name(err.message)
    messages.later(message, vim.log.levels.WARN)
  end)
end

--- Sends the current file, and the lines `first` to `last` if given. The prompt is not submitted, so the person can
--- continue it.
---@param first integer?
---@param last integer?
function M.send(first, last)
  local buf = vim.api.nvim_get_current_buf()
  if not project.is_file(buf) then
    return messages.now('alongside: this buffer is not a file. Go to the file first.', vim.log.levels.WARN)
  end
  local target = terminal.running(project.of_buffer(buf))
  if not target then
    return mention(buf, first, last)
  end
  local path = project.path(buf)
  if vim.startswith(path, target.root .. '/') then
    path = path:sub(#target.root + 2)
  end
  if harmless.name(path) ~= path then
    -- A line ending in the name would submit the prompt.
    local message = 'alongside: not sent, because the name of the file has control or invisible characters: %s'
    return messages.now(message:format(harmless.name(path)), vim.log.levels.WARN)
  end
  local is_modified = vim.bo[buf].modified
  terminal.show(target)
  -- Neovim sends the text as a paste if the agent has turned that on.
  vim.api.nvim_buf_call(target.buf, function()
    vim.api.nvim_put({ M.reference(path, first, last) }, 'c', false, true)
  end)
  warn_if_modified(is_modified)
end

return M
