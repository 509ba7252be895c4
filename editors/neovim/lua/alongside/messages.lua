-- Messages to the person that never interrupt typing. A message waits while the person is in a command line or a
-- prompt, and messages that arrive together are shown together.

local config = require('alongside.config')
local harmless = require('alongside.harmless')

local M = {}

---@alias alongside.Message { [1]: string, [2]: integer, [3]: boolean }

local corner ---@type integer? the window in the corner

-- Messages within this time after the last ones are shown together with those, in milliseconds.
local GROUPING_TIME = 30
-- The time between two checks whether a command line or a prompt has ended, in milliseconds.
local CHECK_INTERVAL = 200

local waiting = {} ---@type alongside.Message[]
local shown, shown_at = {}, 0 ---@type alongside.Message[], integer the messages shown last
local is_scheduled = false

--- Whether a function belongs to Neovim itself, and not to a plugin.
---@param run function
---@return boolean
function M.is_own(run)
  local source = debug.getinfo(run, 'S').source
  -- The source of such a function is a module, a file of Neovim, or empty.
  return (source:find('^@vim/') or source:find('^=?%?$')) ~= nil
    or vim.startswith(source, ('@%s/lua/vim/'):format(vim.env.VIMRUNTIME))
end

-- Whether Neovim itself shows messages, rather than a plugin.
local function is_shown_by_neovim()
  return not config.is_custom and M.is_own(vim.notify)
end

-- Whether the person is typing a command line or answering a prompt.
local function is_busy()
  local mode = vim.api.nvim_get_mode()
  return mode.blocking or mode.mode:find('^[cr!]') ~= nil
end

-- Whether Neovim would ask for Enter at a message, or overwrite it at once.
local function needs_corner()
  return vim.o.cmdheight == 0 or not vim.api.nvim_get_mode().mode:find('^n')
end

--- Closes the window in the corner.
function M.close_corner()
  if corner then
    pcall(vim.api.nvim_win_close, corner, true)
    corner = nil
  end
end

-- Shows messages in a small window for 8 s: with 'cmdheight' 0 Neovim would ask for Enter, and outside Normal mode the
-- name of the mode overwrites the message line.
local function show_in_corner(texts)
  M.close_corner()
  local lines, width, rows = {}, 0, 0
  for i, message in ipairs(texts) do
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

--- Returns the first of the messages that fits into the message line; the first of all if they are shown in the corner.
---@param messages string[]
---@return string
function M.fitting(messages)
  for _, message in ipairs(messages) do
    if needs_corner() or not is_long(message) then
      return message
    end
  end
  return messages[1]
end

local function flush()
  if is_busy() then
    vim.defer_fn(flush, CHECK_INTERVAL)
    return
  end
  is_scheduled = false
  if vim.uv.now() - shown_at < GROUPING_TIME then
    waiting = vim.list_extend(shown, waiting)
  end
  shown, shown_at = waiting, vim.uv.now()
  local texts, level, is_beside = {}, vim.log.levels.INFO, false
  for _, entry in ipairs(shown) do
    if not vim.tbl_contains(texts, entry[1]) then
      texts[#texts + 1] = entry[1]
    end
    level = math.max(level, entry[2])
    is_beside = is_beside or entry[3]
  end
  waiting = {}
  local message = table.concat(texts, ' ')
  -- The message line would show only the end of a longer message.
  if is_shown_by_neovim() and (is_long(message) or is_beside or needs_corner()) then
    show_in_corner(texts)
    if vim.o.cmdheight > 0 and not is_beside then
      -- Adds the message to :messages, and clears the message line, which would show its end.
      config.current.notify(message, level)
      vim.api.nvim_echo({ { '' } }, false, {})
    end
  else
    config.current.notify(message, level)
  end
end

local function without(messages, entry)
  return vim.tbl_filter(function(other)
    return other ~= entry
  end, messages)
end

--- Shows a message after the current event, together with others.
---@param message string harmless
---@param level integer?
---@param is_beside boolean? whether a message of Neovim stays on the screen, so that the corner shows this one
---@param replaced alongside.Message? an earlier message that this one supersedes
---@return alongside.Message
function M.later(message, level, is_beside, replaced)
  local entry = { message, level or vim.log.levels.INFO, is_beside == true }
  waiting, shown = without(waiting, replaced), without(shown, replaced)
  waiting[#waiting + 1] = entry
  if not is_scheduled then
    is_scheduled = true
    vim.schedule(flush)
  end
  return entry
end

-- The time in which the same news is not shown again, in milliseconds.
local NEWS_INTERVAL = 10000
local news_times = {} ---@type table<string, integer> by message: when it was shown last

--- Shows a message once that several servers, or a server and its next connection, may report.
---@param message string harmless
---@param suffix string? the text after the message
function M.news(message, suffix)
  local now = vim.uv.now()
  if news_times[message] and now - news_times[message] < NEWS_INTERVAL then
    return
  end
  news_times[message] = now
  M.later(message .. (suffix or ''))
end

--- Shows a message in response to an action of the person.
---@param message string harmless
---@param level integer?
function M.now(message, level)
  if is_busy() or is_shown_by_neovim() and (needs_corner() or is_long(message)) then
    M.later(message, level)
  else
    config.current.notify(message, level or vim.log.levels.INFO)
  end
end

return M
