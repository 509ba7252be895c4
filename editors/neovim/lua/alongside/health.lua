-- :checkhealth alongside: checks all that the plugin needs, and gives a remedy for each problem.

local config = require('alongside.config')
local harmless = require('alongside.harmless')
local log = require('alongside.log')
local project = require('alongside.project')
local server = require('alongside.server')

local M = {}

local health = vim.health

--- Returns the first line of a command's output, or nil and the reason.
local function first_line(command)
  local ok, result = pcall(function()
    return vim.system(command, { text = true, timeout = 3000 }):wait()
  end)
  if not ok then
    return nil, harmless.name(result)
  end
  if result.code ~= 0 then
    return nil, harmless.name(vim.trim(result.stderr or ''):match('^[^\n]*') or ('exit code ' .. result.code))
  end
  return harmless.name((result.stdout or ''):match('^[^\n]*') or '')
end

local function check_program()
  health.start('alongside: the program')
  if vim.fn.has('nvim-0.10') == 0 then
    health.error('Neovim is too old: 0.10 or newer is needed')
  end
  if not require('alongside').is_set_up() then
    health.warn("setup() was not called, so nothing runs", { "add: require('alongside').setup{}" })
  end
  local cmd = config.current.cmd
  local path = vim.fn.exepath(vim.fs.normalize(cmd[1]))
  if path == '' then
    health.error(("'%s' is not in $PATH, or cannot be executed"):format(harmless.name(cmd[1])), {
      'if it is in another place, in a shell: /path/to/alongside install neovim',
      'if it is not installed, in a clone of the project: cargo install --path crates/alongside',
      "or name its path: setup{ cmd = { '/path/to/alongside', 'lsp' } }",
    })
    return false
  end
  health.ok('found: ' .. harmless.name(path))
  local version, why = first_line({ path, '--version' })
  if not version then
    health.error('the program does not start: ' .. (why or ''), {
      ('for details, in a shell: %s --version'):format(harmless.name(path)),
      'it may be damaged, or built for another machine: install it again',
    })
    return false
  end
  health.ok('version: ' .. version)
  local ok, installed = pcall(require, 'alongside.installed')
  if ok and not version:find(installed.version, 1, true) then
    health.warn('the plugin was installed by version ' .. harmless.name(installed.version), {
      'in a shell: alongside install neovim',
    })
  end
  if cmd[2] == 'lsp' then
    local _, no_lsp = first_line({ path, 'lsp', '--help' })
    if no_lsp then
      health.error("the program does not know 'lsp': " .. no_lsp, { 'it is older than the plugin: update it' })
    end
  end
  return true
end

local function report_agents(status)
  if #status.agents == 0 then
    health.info('no agent is connected')
    return
  end
  for _, agent in ipairs(status.agents) do
    local name = vim.trim(('%s %s'):format(harmless.name(agent.name or 'an agent'), harmless.name(agent.version or '')))
    if agent.listening == false then
      health.warn(name .. ' is connected but does not listen', { 'in the agent: /ide enable' })
    else
      health.ok(name .. ' is connected')
    end
  end
end

local function check_servers()
  health.start('alongside: companions')
  local all = server.all()
  for _, one in ipairs(all) do
    local status = one.status
    if status and status.port then
      health.ok(('%s: companion on port %d, process %d'):format(harmless.name(one.root), status.port, status.pid or 0))
      report_agents(status)
      if status.paused then
        health.warn('paused: agents learn nothing about your files', { ':Alongside pause off' })
      end
    else
      health.warn(harmless.name(one.root) .. ': the server runs, but the companion has not answered', {
        'wait a second; then: alongside log, in a shell',
      })
    end
  end
  if #all == 0 then
    local cwd = project.of_cwd()
    health.error(
      require('alongside.server_restart').is_held(cwd) and 'the server was stopped, or crashed too often' or 'no server runs',
      { ':Alongside restart', ':Alongside log' }
    )
  end
  local lines = log.lines()
  if #lines > 0 then
    health.info('last in :Alongside log: ' .. lines[#lines])
  end
end

local function check_options()
  health.start('alongside: Neovim')
  if vim.o.autoread then
    health.ok("'autoread' is on")
  else
    health.info("'autoread' is off: files that an agent writes after you accept are still reloaded")
  end
  if vim.o.hidden then
    health.ok("'hidden' is on")
  else
    health.info("'hidden' is off: Neovim unloads hidden buffers, so agents learn less about them")
  end
  if vim.o.autowriteall or vim.o.autowrite then
    health.info("'autowrite' or 'autowriteall' is on: neither accepts a proposal")
  end
  if not config.current.context then
    health.info('context is off: agents do not learn which files are open')
  end
  if not config.current.environment then
    health.info('environment is off: agents in :terminal find the companion by its files only')
  end
end

-- Reports the shells and sessions in which an agent in :terminal lacks the variables.
local function check_shell()
  local words = vim.split(vim.o.shell, '%s+', { trimempty = true })
  if #words == 0 or vim.fn.executable(words[1]) == 0 then
    health.warn(("'shell' cannot be run: %s"):format(harmless.name(vim.o.shell)), { 'no :terminal can start an agent' })
    return
  end
  if vim.list_contains(words, '-l') or vim.list_contains(words, '--login') then
    health.info("'shell' is a login shell: if its profile clears the environment, agents in :terminal use files instead")
  end
  if vim.env.TMUX then
    health.info('Neovim runs in tmux: other panes do not get its variables; agents there find the companion by its files')
  end
  if vim.env.SSH_CONNECTION then
    health.info('this is an SSH session: agents must run on this machine, as this user')
  end
end

local function check_agents()
  health.start('alongside: agents')
  local names = require('alongside.terminal').installed()
  for _, name in ipairs(names) do
    health.ok(('%s: %s'):format(name, harmless.name(vim.fn.exepath(name))))
  end
  if #names == 0 then
    health.info('neither gemini, qwen nor claude is in $PATH')
  end
  local agent = config.current.agent
  local command = type(agent) == 'table' and agent[1] or agent and vim.split(vim.trim(agent), '%s+')[1]
  if command and vim.fn.executable(command) == 0 then
    health.warn(("option 'agent': '%s' cannot be run"):format(harmless.name(command)), { 'install it, or set another agent' })
  end
  health.info('if an agent does not connect, `:Alongside agents` checks its settings and switches IDE mode on')
  health.info('in the agent, /ide status shows what it found')
  health.info('an agent looks once, at its start: start it after Neovim, in the project or below it')
end

--- Runs all checks.
function M.check()
  if check_program() then
    check_servers()
  end
  check_options()
  check_shell()
  check_agents()
end

return M
