-- alongside for Neovim: the IDE companion of coding agents. `require('alongside').setup{}` starts all parts; this file
-- passes the companion's messages to them.

local autocommands = require('alongside.autocommands')
local config = require('alongside.config')
local harmless = require('alongside.harmless')
local lazy = require('alongside.lazy')
local log = require('alongside.log')
local server = require('alongside.server')

local context, environment, left_drafts = lazy('context'), lazy('environment'), lazy('left_drafts')
local messages, reviews = lazy('messages'), lazy('review')

local M = {}

local is_ready = false

server.on.ready = function(id)
  context.ready(id)
end

server.on.gone = function(id, is_restart)
  context.gone(id)
  environment.gone(id)
  if lazy.is_loaded('review') then
    reviews.gone(id, is_restart)
  end
  vim.cmd.redrawstatus({ bang = true })
end

server.on.message = {
  ['alongside/didChangeStatus'] = function(id, status)
    local this = server.get(id)
    environment.set_variables(id, this.root, status.environment)
    -- The variables include the token, and a status is for display.
    status.environment = nil
    this.status = status
    vim.cmd.redrawstatus({ bang = true })
    if type(status.agents) == 'table' and #status.agents > 0 then
      reviews.prepare()
    end
  end,
  ['alongside/didOpenReview'] = function(id, opened)
    log.write(('review %s: %s proposes %s'):format(opened.id, opened.display.agent, opened.file))
    reviews.opened(id, opened)
  end,
  ['alongside/didChangeReview'] = function(id, changed)
    reviews.changed(id, changed)
  end,
  ['alongside/didCloseReview'] = function(id, closed)
    log.write(('review %s has ended: %s'):format(closed.id, tostring(closed.closing)))
    reviews.closed(id, closed)
  end,
  ['alongside/problem'] = function(id, problem)
    log.write(problem.what .. (problem.hint and '; ' .. problem.hint or ''))
    reviews.problem(id, problem)
  end,
  ['alongside/notice'] = function(_, notice)
    messages.later(harmless.name(notice.message))
  end,
  ['alongside/lastWord'] = function(id, last)
    log.write(('review %s: %s'):format(last.id, tostring(last.word)))
    reviews.last_word(id, last)
  end,
  ['window/logMessage'] = function(_, message)
    log.write(message.message)
  end,
}

server.on.request = {
  ['alongside/flushReview'] = function(id, which)
    reviews.flush(id, which.id)
  end,
  ['alongside/getDiagnostics'] = function()
    return require('alongside.diagnostics').all()
  end,
}

local function watch_buffers()
  local add = autocommands()
  local function on(events, callback)
    add(events, 'one server per project', callback)
  end
  on({ 'BufReadPost', 'BufNewFile' }, function(event)
    server.attach(event.buf, true)
  end)
  on({ 'BufEnter', 'BufFilePost' }, function(event)
    server.attach(event.buf)
    server.adopt_encoding(event.buf)
    local current = context.server()
    environment.enter_project(current and current.id)
  end)
  on('LspAttach', function(event)
    server.adopt_encoding(event.buf)
  end)
  -- An agent in a terminal searches for the companion of the current directory.
  on('TermOpen', server.attach_cwd)
  add('VimLeavePre', 'note the files whose edits go to drafts', function()
    if lazy.is_loaded('review') then
      left_drafts.record()
    end
  end)
  add('BufReadCmd', 'explain the name of an ended review', function(event)
    if not reviews.of_buffer(event.buf) then
      vim.bo[event.buf].buftype = 'nofile'
      vim.api.nvim_buf_set_lines(event.buf, 0, -1, false, { 'This review has ended.' })
      vim.bo[event.buf].modified = false
    end
  end, { pattern = { 'alongside://review/*', 'alongside://original/*' } })
end

-- Starts everything that may wait for the first screen.
local function begin()
  server.begin()
  context.setup()
  environment.setup()
  require('alongside.highlights').setup()
  require('alongside.typing').setup()
  watch_buffers()
  left_drafts.announce()
end

--- Starts all parts. A second call applies other options.
---@param options table? see :help alongside-options
function M.setup(options)
  if vim.fn.has('nvim-0.10') == 0 then
    vim.notify('alongside needs Neovim 0.10 or newer.', vim.log.levels.ERROR)
    return
  end
  -- In VS Code, Neovim has no windows of its own, and VS Code itself is the agents' editor.
  if vim.g.vscode then
    return
  end
  local resolved, errors = config.resolve(options)
  config.current = resolved
  for _, message in ipairs(errors) do
    messages.later('alongside: ' .. message, vim.log.levels.ERROR)
    log.write(message)
  end
  is_ready = true
  local is_starting = vim.v.vim_did_enter == 0
  if is_starting then
    -- Before all else, so that the program starts while Neovim does.
    server.start_early()
  end
  server.setup()
  if resolved.keys.go then
    vim.keymap.set('n', resolved.keys.go, '<Cmd>Alongside review<CR>', { desc = 'alongside: go to the review' })
  end
  if resolved.keys.terminal then
    local message = { desc = 'alongside: show or hide the agent' }
    vim.keymap.set({ 'n', 't' }, resolved.keys.terminal, '<Cmd>Alongside terminal<CR>', message)
  end
  if resolved.keys.send then
    vim.keymap.set('n', resolved.keys.send, '<Cmd>Alongside send<CR>', { desc = 'alongside: send the file to the agent' })
    vim.keymap.set('x', resolved.keys.send, ':Alongside send<CR>', { desc = 'alongside: send the lines to the agent', silent = true })
  end
  if is_starting then
    autocommands('begin')('VimEnter', 'start', vim.schedule_wrap(begin), { once = true })
  else
    begin()
  end
end

--- Whether setup() was called.
---@return boolean
function M.is_set_up()
  return is_ready
end

---@class alongside.Status
---@field client integer its LSP client
---@field root string the project
---@field port integer?
---@field pid integer?
---@field agents table[]
---@field reviews integer
---@field paused boolean
---@field desks integer
---@field context table[]

--- Returns the state of each project. Names and paths come from agents: make them harmless before you show them.
---@return alongside.Status[]
function M.status()
  return vim.tbl_map(function(one)
    local status = vim.deepcopy(one.status or {})
    return vim.tbl_extend('keep', status, {
      client = one.id,
      root = one.root,
      agents = {},
      reviews = 0,
      paused = false,
      desks = 0,
      context = {},
    })
  end, server.all())
end

--- Returns the text for a status line: "alongside 1 agent, Codex by its hook", "alongside 2 reviews", or an empty
--- string without agents and reviews.
---@return string
function M.statusline()
  local parts, is_paused = {}, false
  for _, status in ipairs(is_ready and M.status() or {}) do
    local line = status.display and status.display.line
    parts[#parts + 1] = line ~= 'no agent' and line or nil
    is_paused = is_paused or status.paused
  end
  parts[#parts + 1] = #parts > 0 and is_paused and 'paused' or nil
  return #parts > 0 and harmless.statusline('alongside ' .. table.concat(parts, ', ')) or ''
end

return M
