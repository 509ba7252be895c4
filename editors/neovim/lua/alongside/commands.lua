-- :Alongside and its subcommands.

local choosing = require('alongside.lazy')('choosing')
local config = require('alongside.config')
local context = require('alongside.context')
local harmless = require('alongside.harmless')
local log = require('alongside.log')
local reviews = require('alongside.lazy')('review')
local notify = require('alongside.messages').now
local server = require('alongside.server')
local terminal = require('alongside.lazy')('terminal')

local M = {}

-- Shows lines in a scratch buffer that vanishes when it is hidden.
local function show(title, lines)
  vim.cmd('botright new')
  local buf = vim.api.nvim_get_current_buf()
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].swapfile = false
  vim.bo[buf].buflisted = false
  pcall(vim.api.nvim_buf_set_name, buf, title)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
  vim.wo[0][0].wrap = true
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, desc = 'close' })
  vim.api.nvim_win_set_cursor(0, { #lines, 0 })
end

local function agent_line(agent)
  local version = type(agent.version) == 'string' and ' ' .. harmless.name(agent.version) or ''
  local not_listening = agent.listening == false and ' (does not listen)' or ''
  return ('    %s%s%s'):format(harmless.name(agent.name or 'an agent'), version, not_listening)
end

local function status_lines()
  local lines = {}
  for _, status in ipairs(require('alongside').status()) do
    local where = status.port and ('port %d, process %d'):format(status.port, status.pid or 0) or 'starting'
    lines[#lines + 1] = ('%s: %s%s'):format(harmless.name(status.root), where, status.paused and ', paused' or '')
    lines[#lines + 1] = #status.agents == 0 and '  no agent is connected' or '  agents:'
    for _, agent in ipairs(status.agents) do
      lines[#lines + 1] = agent_line(agent)
    end
    if status.reviews > 0 then
      lines[#lines + 1] = ('  %d waiting for a decision'):format(status.reviews)
      for _, waiting in ipairs(reviews.waiting()) do
        if waiting.client == status.client then
          local states = waiting.states ~= '' and ', ' .. waiting.states or ''
          lines[#lines + 1] = ('    %s (%s%s)'):format(waiting.file, waiting.agent, states)
        end
      end
    end
    if #status.context > 0 then
      lines[#lines + 1] = '  agents know about:'
      for _, file in ipairs(status.context) do
        lines[#lines + 1] = ('    %s%s'):format(harmless.name(file.path), file.active and ' (active)' or '')
      end
    end
  end
  if #lines == 0 then
    lines[1] = server.is_starting() and 'alongside is starting' or 'alongside is not running: :checkhealth alongside'
  end
  return lines
end

local function pause(argument)
  local one = context.server() or server.all()[1]
  if not one then
    return notify('alongside is not running: :checkhealth alongside', vim.log.levels.WARN)
  end
  local paused = not (one.status and one.status.paused)
  if argument then
    paused = argument == 'on'
  end
  for _, each in ipairs(server.all()) do
    server.request(each.id, 'alongside/pauseContext', { paused = paused }, function(err)
      if err then
        notify('alongside: ' .. tostring(err.message), vim.log.levels.WARN)
      elseif each.id == one.id then
        notify(paused and 'alongside: paused. Agents learn nothing about your files.' or 'alongside: resumed. Agents learn about your files.')
      end
    end)
  end
end

-- The subcommands by name: the function to run, the words that may follow the name, and whether any words or a range of
-- lines may follow.
local subcommands = {
  review = {
    run = function(id)
      reviews.go(id and tonumber(id))
    end,
    words = function()
      return vim.tbl_map(function(waiting)
        return tostring(waiting.id)
      end, reviews.waiting())
    end,
  },
  next = { run = function() choosing.go(1) end },
  previous = { run = function() choosing.go(-1) end },
  accept = { run = function() reviews.accept() end },
  reject = { run = function() reviews.reject() end },
  reason = {
    run = function(which)
      reviews.reason(which == 'all')
    end,
    words = function() return { 'all' } end,
  },
  agents = { run = function() require('alongside.agents').set_up() end },
  pause = { run = pause, words = function() return { 'on', 'off' } end },
  status = {
    run = function()
      local lines = status_lines()
      vim.api.nvim_echo({ { table.concat(lines, '\n') } }, false, {})
    end,
  },
  terminal = {
    run = function(...)
      terminal.toggle({ ... })
    end,
    words = function() return terminal.installed() end,
    takes_any = true,
  },
  send = {
    run = function(first, last)
      require('alongside.sending').send(first, last)
    end,
    takes_range = true,
  },
  restart = { run = server.restart },
  log = {
    run = function()
      local lines = log.lines()
      lines[#lines + 1] = ("Neovim's log has the server's standard error: %s"):format(
        harmless.name(vim.lsp.log.get_filename())
      )
      show('alongside://log', lines)
    end,
  },
}

--- Runs `:Alongside …`.
---@param command table the argument that nvim_create_user_command passes
function M.run(command)
  if not require('alongside').is_set_up() then
    require('alongside').setup()
    if not require('alongside').is_set_up() then
      return
    end
  end
  local name, argument = command.fargs[1] or 'review', command.fargs[2]
  local subcommand = subcommands[name]
  if not subcommand then
    local nearest = config.nearest(name, vim.tbl_keys(subcommands))
    notify(
      ("alongside: there is no ':Alongside %s'%s"):format(name, nearest and (": did you mean '%s'?"):format(nearest) or ''),
      vim.log.levels.ERROR
    )
    return
  end
  -- ":" in Visual mode inserts the range, so a range without a subcommand is no mistake.
  if command.range > 0 and command.fargs[1] and not subcommand.takes_range then
    notify(("alongside: ':Alongside %s' takes no range; ':Alongside send' does"):format(name), vim.log.levels.ERROR)
    return
  elseif subcommand.takes_any then
    return subcommand.run(unpack(command.fargs, 2))
  end
  if argument and (not subcommand.words or not vim.list_contains(subcommand.words(), argument)) or command.fargs[3] then
    notify(("alongside: ':Alongside %s' does not take '%s'"):format(name, command.fargs[3] or argument), vim.log.levels.ERROR)
    return
  end
  if subcommand.takes_range then
    return subcommand.run(unpack(command.range > 0 and { command.line1, command.line2 } or {}))
  end
  subcommand.run(argument)
end

--- Returns the words that complete `lead` at the end of `line`.
---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local before = vim.split(vim.trim(line:sub(1, #line - #lead)), '%s+')
  local words
  if #before <= 1 then
    words = vim.tbl_keys(subcommands)
  elseif #before == 2 and subcommands[before[2]] and subcommands[before[2]].words then
    words = subcommands[before[2]].words()
  else
    words = {}
  end
  table.sort(words)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
end

return M
