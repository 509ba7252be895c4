-- Stops `:qa` while proposals wait. If another desk keeps the reviews, Neovim exits at once. Otherwise its exit rejects
-- them, so Neovim must stop as for an unsaved buffer: this file creates a modified buffer whose name states the reason.

local autocommands = require('alongside.autocommands')
local messages = require('alongside.messages')
local without_autocommands = require('alongside.without_autocommands')

local M = {}

-- The time between two checks whether the person has read Neovim's own message, in milliseconds.
local CHECK_INTERVAL = 100

---@class alongside.Hold
---@field buf integer the modified buffer
---@field win integer? its hidden window: with it, `:q!` is not stopped, and Neovim shows the buffer in no window of the person
---@field message string
---@field return_win integer the window in which the person was
---@field previous_win integer the window before that one
---@field is_nested boolean whether an autocommand made Neovim exit while the last hold ended

local function reviews()
  return require('alongside.review').all()
end

--- Whether another desk keeps a review when this Neovim exits.
---@param review alongside.Review
---@return boolean
function M.is_kept(review)
  local server = require('alongside.server').get(review.client)
  local status = server and server.status or {}
  if type(status.keptBy) == 'table' then
    return #status.keptBy > 0
  end
  return (tonumber(status.desks) or 1) > 1
end

-- The buffer of a proposal if it holds typed text, otherwise nil.
local function modified_buffer(review)
  local buf = review.view and review.view.right
  return buf and vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].modified and buf or nil
end

local function remedy(review)
  local message = review.sync:is_unsent() and '%s has edits that the companion lacks. :w accepts them, :qa! leaves without them.'
    or '%s has your edits. :w accepts them, :qa! leaves and moves them to drafts.'
  return message:format(require('alongside.review').name(review))
end

local function warn(message)
  -- Shown above Neovim's own message, which asks for Enter.
  vim.api.nvim_echo({ { message, 'WarningMsg' } }, false, {})
end

-- Whether a buffer that no window shows has unsaved text. Neovim must name that buffer, because `:qa!` loses the text.
local function has_hidden_text()
  return vim.iter(vim.fn.getbufinfo({ bufmodified = 1 })):any(function(info)
    return #info.windows == 0 and not vim.startswith(info.name, 'alongside://')
  end)
end

local held ---@type alongside.Hold?
local is_returning = false

-- Stops the exit with a modified buffer.
---@param count integer the number of proposals that the exit would reject
local function block_exit(count)
  local wait, them = ('%d proposals wait'):format(count), 'them'
  if count == 1 then
    wait, them = '1 proposal waits', 'it'
  end
  local how = has_hidden_text() and 'leaving rejects' or ':qa! leaves and rejects'
  local message = ('%s: :Alongside shows %s, %s %s.'):format(wait, them, how, them)
  if held then
    -- The person tries to exit again before the last attempt was handled.
    held.message = message
    return
  end
  local return_win, previous_win = vim.api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr('#'))
  local new = { message = message, return_win = return_win, previous_win = previous_win, is_nested = is_returning }
  without_autocommands(function()
    new.buf = vim.api.nvim_create_buf(false, false)
    vim.bo[new.buf].buftype, vim.bo[new.buf].swapfile = 'acwrite', false
    -- Neovim stops at a modified buffer in a window before any other.
    new.win = not has_hidden_text() and vim.api.nvim_open_win(new.buf, false, {
      relative = 'editor', row = 0, col = 0, width = 1, height = 1, style = 'minimal', hide = true,
    }) or nil
    vim.api.nvim_buf_set_name(new.buf, 'alongside://' .. wait)
  end)
  if not new.buf then
    return
  end
  held = new
  vim.bo[new.buf].modified = true
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = new.buf,
    desc = 'alongside: accept nothing',
    callback = function()
      messages.later(new.message, vim.log.levels.WARN)
    end,
  })
end

-- Removes the hold, and returns the person to their window. No autocommands run meanwhile, because some make Neovim
-- quit when the person enters the last window.
---@param hold alongside.Hold
local function release(hold)
  local is_in_hold = vim.api.nvim_get_current_win() == hold.win
  without_autocommands(function()
    for _, win in ipairs(is_in_hold and { hold.previous_win, hold.return_win } or {}) do
      pcall(vim.api.nvim_set_current_win, win)
    end
    pcall(vim.api.nvim_win_close, hold.win or -1, true)
    pcall(vim.api.nvim_buf_delete, hold.buf, { force = true })
  end)
  messages.later(hold.message, vim.log.levels.WARN, true)
  if is_in_hold and not hold.is_nested then
    -- Lets plugins draw again what only the current window shows.
    is_returning = true
    pcall(vim.api.nvim_exec_autocmds, 'WinEnter', {})
    is_returning = false
  end
end

-- Restores all state after Neovim has not exited.
local function restore_after_exit()
  -- A command that writes before it exits may wait within an autocommand, as for a formatter.
  if vim.api.nvim_get_mode().blocking or vim.fn.state('x') ~= '' then
    -- Neovim's message asks for Enter, and Neovim enters the buffer afterwards.
    return vim.defer_fn(restore_after_exit, CHECK_INTERVAL)
  end
  for _, review in ipairs(reviews()) do
    local buf = modified_buffer(review)
    if buf and vim.v.errmsg:find(vim.api.nvim_buf_get_name(buf), 1, true) then
      messages.later(remedy(review), vim.log.levels.WARN, true)
    elseif review.sync then
      review.sync:set_modified()
    end
  end
  local hold = held
  held = nil
  if hold then
    release(hold)
  end
end

-- Before Neovim exits: sends unsent edits, and stops the exit if it would lose proposals or edits.
local function before_exit()
  local lost, is_stopped = 0, false
  for _, review in ipairs(reviews()) do
    local buf = modified_buffer(review)
    local has_all = not buf or review.sync:settle()
    if buf and has_all and M.is_kept(review) then
      vim.bo[buf].modified = false
    elseif buf then
      warn(remedy(review))
      is_stopped = true
    elseif not review.deciding and not M.is_kept(review) then
      lost = lost + 1
    end
  end
  -- If Neovim stops for a text of the person, it must show that text.
  if lost > 0 and not is_stopped then
    block_exit(lost)
    warn(held and held.message or '')
  end
  vim.schedule(restore_after_exit)
end

---@param is_forced fun(): boolean whether the typed command has a "!"
function M.setup(is_forced)
  autocommands('leaving')('ExitPre', 'leave no waiting proposal behind unseen', function()
    vim.v.errmsg = ''
    if not is_forced() then
      before_exit()
    end
  end)
end

return M
