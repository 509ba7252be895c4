-- Terminals with agents, which `:Alongside terminal` shows and hides. An agent there finds the companion without
-- configuration, because it is a child process of the editor and gets the variables of its project.

local config = require('alongside.config')
local environment = require('alongside.environment')
local harmless = require('alongside.harmless')
local messages = require('alongside.messages')
local project = require('alongside.project')
local server = require('alongside.server')
local window_state = require('alongside.window_state')

local M = {}

-- The agents that are offered if none is named.
local KNOWN_AGENTS = { 'gemini', 'qwen', 'claude' }
-- The time that the start waits for the companion, in milliseconds: an agent searches for it only at its own start.
local PATIENCE = 2000
-- The number of columns from which the terminal opens beside the other windows instead of below them.
local WIDE_COLUMNS = 120

---@class alongside.Terminal
---@field buf integer
---@field job integer
---@field words string[] the command
---@field root string the directory in which the agent runs
---@field code integer? the exit code of an agent that has ended
---@field return_win integer? the window to return to

local terminals = {} ---@type alongside.Terminal[] in the order of their use

local function window_of(terminal)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(win) == terminal.buf then
      return win
    end
  end
end

-- The last used terminal for which `is_wanted` is true.
local function last_used(is_wanted)
  for i = #terminals, 1, -1 do
    if vim.api.nvim_buf_is_valid(terminals[i].buf) and is_wanted(terminals[i]) then
      return terminals[i]
    end
  end
end

local function forget(terminal)
  terminals = vim.tbl_filter(function(other)
    return other ~= terminal
  end, terminals)
end

local function mark_used(terminal)
  forget(terminal)
  terminals[#terminals + 1] = terminal
end

--- Returns the known agents that can be started here.
---@return string[]
function M.installed()
  return vim.tbl_filter(function(name)
    return vim.fn.executable(name) == 1
  end, KNOWN_AGENTS)
end

local function current_root()
  local buf = vim.api.nvim_get_current_buf()
  return project.is_file(buf) and project.of_buffer(buf) or project.of_cwd()
end

-- Shows `buf` in a new window and enters it.
local function open_window(buf)
  local is_wide = vim.o.columns >= WIDE_COLUMNS
  local win = vim.api.nvim_open_win(buf, true, is_wide
    and { split = 'right', win = -1, width = math.floor(vim.o.columns * 0.42) }
    or { split = 'below', win = -1, height = math.max(8, math.floor(vim.o.lines * 0.4)) })
  local options = vim.wo[win][0]
  options.number, options.relativenumber, options.signcolumn, options.spell, options.list = false, false, 'no', false, false
  options.winfixbuf = true
end

-- Closes the window, or shows another buffer in it if it is the last window.
local function close_window(win, terminal)
  local is_current = win == vim.api.nvim_get_current_win()
  if #window_state.windows_of(vim.api.nvim_win_get_tabpage(win)) == 1 and #vim.api.nvim_list_tabpages() == 1 then
    vim.wo[win].winfixbuf = false
    vim.api.nvim_win_call(win, function()
      local other = vim.fn.bufnr('#')
      vim.cmd(other > 0 and other ~= terminal.buf and vim.fn.buflisted(other) == 1 and 'buffer ' .. other or 'enew')
    end)
    return
  end
  vim.api.nvim_win_close(win, true)
  local return_win = terminal.return_win
  if is_current and return_win and vim.api.nvim_win_is_valid(return_win)
    and vim.api.nvim_win_get_tabpage(return_win) == vim.api.nvim_get_current_tabpage() then
    vim.api.nvim_set_current_win(return_win)
  end
end

-- Removes a terminal whose agent has ended.
local function remove(terminal)
  forget(terminal)
  if vim.api.nvim_buf_is_valid(terminal.buf) then
    for _, win in ipairs(vim.fn.win_findbuf(terminal.buf)) do
      close_window(win, terminal)
    end
    pcall(vim.api.nvim_buf_delete, terminal.buf, { force = true })
  end
end

local function handle_exit(terminal, code)
  terminal.code = code
  if vim.v.exiting ~= vim.NIL or not vim.api.nvim_buf_is_valid(terminal.buf) then
    return forget(terminal)
  end
  local name = harmless.name(terminal.words[1])
  if code == 0 then
    return remove(terminal)
  elseif #vim.fn.win_findbuf(terminal.buf) > 0 then
    -- The window stays open, because it shows the reason.
    messages.later(('%s has ended with exit code %d. :Alongside terminal closes its window.'):format(name, code), vim.log.levels.WARN)
  else
    remove(terminal)
    messages.later(('%s has ended with exit code %d.'):format(name, code), vim.log.levels.WARN)
  end
end

--- Shows a terminal, and enters its input mode.
---@param terminal alongside.Terminal
function M.show(terminal)
  mark_used(terminal)
  local win = window_of(terminal)
  if win then
    vim.api.nvim_set_current_win(win)
  else
    terminal.return_win = vim.api.nvim_get_current_win()
      open_window(terminal.buf)
    end
  vim.cmd.startinsert()
end

-- Waits for the companion of the project, so that the agent finds it.
local function await_companion(root)
  if not server.start(root) then
    return
  end
  vim.wait(PATIENCE, function()
    local this_server = server.get(root)
    return this_server ~= nil and this_server.status ~= nil and this_server.status.port ~= nil
  end, 10)
end

local function start(words)
  if vim.fn.executable(words[1]) == 0 then
    local message = "alongside: cannot run '%s': install it, or name another agent (:Alongside terminal COMMAND)"
    return messages.now(message:format(harmless.name(words[1])), vim.log.levels.ERROR)
  end
  local root = current_root()
  await_companion(root)
  local terminal = { buf = vim.api.nvim_create_buf(false, false), words = words, root = root }
  vim.bo[terminal.buf].bufhidden = 'hide'
  terminal.return_win = vim.api.nvim_get_current_win()
  open_window(terminal.buf)
  local options = {
    cwd = root,
    env = environment.of(root),
    on_exit = vim.schedule_wrap(function(_, code)
      handle_exit(terminal, code)
    end),
  }
  local ok, job
  if vim.fn.has('nvim-0.11') == 1 then
    options.term = true
    ok, job = pcall(vim.fn.jobstart, words, options)
  else
    ok, job = pcall(vim.fn.termopen, words, options)
  end
  if not ok or job <= 0 then
    remove(terminal)
    return messages.now(("alongside: '%s' does not start: %s"):format(harmless.name(words[1]), harmless.name(job)), vim.log.levels.ERROR)
  end
  terminal.job = job
  vim.bo[terminal.buf].buflisted = false
  mark_used(terminal)
  vim.cmd.startinsert()
end

-- Runs `action` once no prompt is shown. During a prompt, Neovim answers no queries of a terminal; the agent would stop
-- waiting for the answer and read it as typed text.
local function after_prompt(action)
  vim.schedule(function()
    local mode = vim.api.nvim_get_mode()
    if mode.blocking or mode.mode:find('^[cr!]') then
      vim.defer_fn(function()
        after_prompt(action)
      end, 20)
    else
      action()
    end
  end)
end

-- Starts the configured agent, the only installed one, or the one that the person chooses.
local function start_any()
  local agent = config.current.agent
  if agent then
    return start(type(agent) == 'table' and agent or vim.split(agent, '%s+', { trimempty = true }))
  end
  local names = M.installed()
  if #names == 0 then
    local message = 'alongside: neither gemini, qwen nor claude is in $PATH. Name your agent: :Alongside terminal COMMAND'
    return messages.now(message, vim.log.levels.WARN)
  elseif #names == 1 then
    return start({ names[1] })
  end
  vim.ui.select(names, { prompt = 'Which agent? (The option "agent" sets it.)', kind = 'alongside' }, function(name)
    if name then
      after_prompt(function()
        start({ name })
      end)
    end
  end)
end

--- Shows or hides the terminal of an agent, and starts the agent if needed.
---@param words string[] the agent's command; if empty, the last used agent of the project, otherwise any agent
function M.toggle(words)
  if vim.fn.getcmdwintype() ~= '' then
    return messages.now('alongside: close the command-line window first.', vim.log.levels.WARN)
  end
  local function is_wanted(terminal)
    return #words == 0 or vim.deep_equal(terminal.words, words)
  end
  local visible = last_used(function(terminal)
    return is_wanted(terminal) and window_of(terminal) ~= nil
  end)
  if visible and visible.code then
    return remove(visible)
  elseif visible then
    return close_window(window_of(visible), visible)
  end
  local root = current_root()
  local hidden = last_used(function(terminal)
    return is_wanted(terminal) and not terminal.code and (terminal.root == root or not project.is_file(vim.api.nvim_get_current_buf()))
  end)
  if hidden then
    M.show(hidden)
  elseif #words > 0 then
    start(words)
  else
    start_any()
  end
end

--- Returns the terminal to which text is sent: the last used one with a running agent, in this project if there is one.
---@param root string
---@return alongside.Terminal?
function M.running(root)
  local function is_running(terminal)
    return not terminal.code
  end
  return last_used(function(terminal)
    return is_running(terminal) and terminal.root == root
  end) or last_used(is_running)
end

return M
