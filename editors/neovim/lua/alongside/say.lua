-- Announcements that come by themselves, at any moment: they must never interrupt typing. While the person is in a
-- command line, or Neovim waits for an answer, they wait; what comes at once is said at once.

local config = require('alongside.config')
local harmless = require('alongside.harmless')

local M = {}

local corner ---@type integer? the window in the corner
local waiting = {} ---@type { [1]: string, [2]: integer }[]
local timer

-- Whether messages are Neovim's own, rather than those of a plugin that shows them in its own way.
local function is_plain()
  local source = debug.getinfo(vim.notify, 'S').source
  -- What comes with Neovim is named like a module, or was compiled without names.
  return not config.is_custom and (source:find('^@vim/') or source:find('^=?%?$')) ~= nil
end

-- Whether a message would be drawn over what is being typed or answered.
local function is_busy()
  local mode = vim.api.nvim_get_mode()
  return mode.blocking or mode.mode:find('^[cr!]') ~= nil
end

-- Whether a message of Neovim's own would ask for Enter, or be drawn over at once.
local function would_not_be_seen()
  return vim.o.cmdheight == 0 or not vim.api.nvim_get_mode().mode:find('^n')
end

--- Takes away what is said in the corner.
function M.hush()
  if corner then
    pcall(vim.api.nvim_win_close, corner, true)
    corner = nil
  end
end

-- Without a line for messages each would ask for Enter, and but for Normal mode Neovim draws the name of the mode over
-- them at once: a small window in the corner says it instead, for a while.
local function in_a_corner(message)
  M.hush()
  message = harmless.name(message)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, { message })
  local width = math.min(vim.fn.strdisplaywidth(message), math.max(20, vim.o.columns - 4))
  local ok, win = pcall(vim.api.nvim_open_win, buf, false, {
    relative = 'editor', anchor = 'NE', row = 1, col = vim.o.columns - 1, width = width,
    height = math.max(1, math.ceil(vim.fn.strdisplaywidth(message) / width)),
    style = 'minimal', border = 'single', focusable = false, noautocmd = true, zindex = 60,
  })
  if ok then
    corner = win
    vim.wo[win].wrap = true
    vim.defer_fn(function()
      pcall(vim.api.nvim_win_close, win, true)
    end, 8000)
  end
end

local function flush()
  timer = nil
  if #waiting == 0 then
    return
  end
  if is_busy() then
    timer = vim.defer_fn(flush, 200)
    return
  end
  local said, level = {}, vim.log.levels.INFO
  for _, one in ipairs(waiting) do
    said[#said + 1] = one[1]
    level = math.max(level, one[2])
  end
  waiting = {}
  local message = table.concat(said, ' ')
  -- What does not fit on the line would be cut.
  local is_long = vim.fn.strdisplaywidth(message) > vim.o.columns * math.max(1, vim.o.cmdheight) - 12
  if is_plain() and (is_long or would_not_be_seen()) then
    in_a_corner(message)
    if vim.o.cmdheight > 0 then
      -- For :messages. It is seen for no longer than a moment.
      config.current.notify(message, level)
    end
  else
    config.current.notify(message, level)
  end
end

--- Says something that nobody waits for.
---@param message string harmless
---@param level integer?
function M.later(message, level)
  waiting[#waiting + 1] = { message, level or vim.log.levels.INFO }
  timer = timer or vim.defer_fn(flush, 30)
end

--- Answers what the person has just done.
---@param message string harmless
---@param level integer?
function M.now(message, level)
  if is_busy() or is_plain() and would_not_be_seen() then
    M.later(message, level)
  else
    config.current.notify(message, level or vim.log.levels.INFO)
  end
end

return M
