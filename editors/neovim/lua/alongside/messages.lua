-- Messages to the person that never interrupt typing. They wait while the person is in a command line or a prompt;
-- messages that arrive together appear together.

local config = require('alongside.config')
local harmless = require('alongside.harmless')

local M = {}

---@alias alongside.Message { [1]: string, [2]: integer, [3]: boolean }

local corner ---@type integer? the window in the corner

-- Messages within this time (milliseconds) of the last ones are shown together with those.
local TOGETHER = 30
-- How often to look whether a command line or a prompt has ended, in milliseconds.
local EVERY = 200

local waiting = {} ---@type alongside.Message[]
local shown, shown_at = {}, 0 ---@type alongside.Message[], integer the messages shown last
local is_scheduled = false

--- Whether a function is Neovim's own, and no plugin's.
---@param run function
---@return boolean
function M.is_own(run)
  local source = debug.getinfo(run, 'S').source
  -- Neovim's own functions have the name of a module, of a file of Neovim, or none.
  return (source:find('^@vim/') or source:find('^=?%?$')) ~= nil
    or vim.startswith(source, ('@%s/lua/vim/'):format(vim.env.VIMRUNTIME))
end

-- Whether Neovim shows messages itself, rather than a plugin.
local function is_plain()
  return not config.is_custom and M.is_own(vim.notify)
end

-- Whether the person is typing a command line or answering a prompt.
local function is_busy()
  local mode = vim.api.nvim_get_mode()
  return mode.blocking or mode.mode:find('^[cr!]') ~= nil
end

-- Whether a message of Neovim would ask for Enter, or be overwritten at once.
local function would_not_be_seen()
  return vim.o.cmdheight == 0 or not vim.api.nvim_get_mode().mode:find('^n')
end

--- Closes the window in the corner.
function M.hush()
  if corner then
    pcall(vim.api.nvim_win_close, corner, true)
    corner = nil
  end
end

-- Shows a message in a small window for 8 s. Without a message line it would ask for Enter, and outside Normal mode the
-- name of the mode overwrites it.
local function in_a_corner(said)
  M.hush()
  local lines, width, rows = {}, 0, 0
  for i, message in ipairs(said) do
    lines[i] = harmless.name(message)
    width = math.max(width, vim.fn.strdisplaywidth(lines[i]))
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  width = math.min(width, math.max(20, vim.o.columns - 4))
  for _, line in ipairs(lines) do
    rows = rows + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  local ok, win = pcall(vim.api.nvim_open_win, buf, false, {
    relative = 'editor', anchor = 'NE', row = 1, col = vim.o.columns - 1, width = width,
    height = rows,
    style = 'minimal', border = 'single', focusable = false, noautocmd = true, zindex = 60,
  })
  if ok then
    corner = win
    vim.wo[win].wrap, vim.wo[win].linebreak = true, true
    vim.api.nvim_win_set_height(win, vim.api.nvim_win_text_height(win, {}).all)
    vim.defer_fn(function()
      pcall(vim.api.nvim_win_close, win, true)
    end, 8000)
  end
end

-- Whether a message does not fit into the message line.
local function is_long(message)
  return vim.fn.strdisplaywidth(message) > vim.o.columns * math.max(1, vim.o.cmdheight) - 12
end

--- The first of these messages that fits into the message line; the first of all where a corner shows it.
---@param messages string[]
---@return string
function M.fitting(messages)
  for _, message in ipairs(messages) do
    if would_not_be_seen() or not is_long(message) then
      return message
    end
  end
  return messages[1]
end

local function flush()
  if is_busy() then
    vim.defer_fn(flush, EVERY)
    return
  end
  is_scheduled = false
  if vim.uv.now() - shown_at < TOGETHER then
    waiting = vim.list_extend(shown, waiting)
  end
  shown, shown_at = waiting, vim.uv.now()
  local said, level, beside = {}, vim.log.levels.INFO, false
  for _, one in ipairs(shown) do
    if not vim.tbl_contains(said, one[1]) then
      said[#said + 1] = one[1]
    end
    level = math.max(level, one[2])
    beside = beside or one[3]
  end
  waiting = {}
  local message = table.concat(said, ' ')
  -- Of a longer message, the line would show the end only.
  if is_plain() and (is_long(message) or beside or would_not_be_seen()) then
    in_a_corner(said)
    if vim.o.cmdheight > 0 and not beside then
      -- Keeps it in :messages. The line would show its end.
      config.current.notify(message, level)
      vim.api.nvim_echo({ { '' } }, false, {})
    end
  else
    config.current.notify(message, level)
  end
end

local function without(messages, one)
  return vim.tbl_filter(function(other)
    return other ~= one
  end, messages)
end

--- Shows an announcement at the end of this turn.
---@param message string harmless
---@param level integer?
---@param beside boolean? a message of Neovim stays, and this one is shown beside it
---@param replaced alongside.Message? an earlier announcement that this one makes needless
---@return alongside.Message
function M.later(message, level, beside, replaced)
  local one = { message, level or vim.log.levels.INFO, beside == true }
  waiting, shown = without(waiting, replaced), without(shown, replaced)
  waiting[#waiting + 1] = one
  if not is_scheduled then
    is_scheduled = true
    vim.schedule(flush)
  end
  return one
end

-- How long the same news is no news, in milliseconds.
local NEWS = 10000
local told = {} ---@type table<string, integer> when news was shown last

--- Shows news that several servers or a server and its next connection may tell, once.
---@param message string harmless
---@param behind string? what is said behind it
function M.news(message, behind)
  local now = vim.uv.now()
  if told[message] and now - told[message] < NEWS then
    return
  end
  told[message] = now
  M.later(message .. (behind or ''))
end

--- Answers an action of the person.
---@param message string harmless
---@param level integer?
function M.now(message, level)
  if is_busy() or is_plain() and (would_not_be_seen() or is_long(message)) then
    M.later(message, level)
  else
    config.current.notify(message, level or vim.log.levels.INFO)
  end
end

return M
