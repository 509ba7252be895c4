-- Leaving Neovim while proposals wait. Where another desk keeps them, nothing holds it up. Elsewhere leaving rejects them, so
-- Neovim stops as for any unsaved buffer: by a modified buffer whose name says why.

local autocommands = require('alongside.autocommands')
local messages = require('alongside.messages')
local unheard = require('alongside.unheard')

local M = {}

-- How often to look whether the person has read Neovim's own message, in milliseconds.
local EVERY = 100

---@class alongside.Hold
---@field buf integer the modified buffer
---@field win integer? its hidden window, so that `:q!` passes, and Neovim shows the buffer in no window of the person
---@field said string
---@field origin integer the window in which the person is
---@field previous integer the one before it
---@field is_again boolean whether an autocommand has Neovim leave as the person comes back

local function reviews()
  return require('alongside.review').all()
end

--- Whether another desk keeps a review when this Neovim leaves.
---@param review alongside.Review
---@return boolean
function M.is_kept(review)
  local one = require('alongside.server').get(review.client)
  local status = one and one.status or {}
  if type(status.keptBy) == 'table' then
    return #status.keptBy > 0
  end
  return (tonumber(status.desks) or 1) > 1
end

-- The buffer of a proposal with typed text.
local function modified(review)
  local buf = review.view and review.view.right
  return buf and vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].modified and buf or nil
end

local function remedy(review)
  local said = review.sync:is_unsent() and '%s has edits that the companion lacks. :w accepts them, :qa! leaves without them.'
    or '%s has your edits. :w accepts them, :qa! leaves and moves them to drafts.'
  return said:format(require('alongside.review').name(review))
end

local function warn(said)
  -- Above Neovim's own message, which asks for Enter.
  vim.api.nvim_echo({ { said, 'WarningMsg' } }, false, {})
end

-- Whether the person has unsaved text in a buffer that no window shows. Neovim is to name that one, since `:qa!` loses it.
local function has_hidden_text()
  return vim.iter(vim.fn.getbufinfo({ bufmodified = 1 })):any(function(one)
    return #one.windows == 0 and not vim.startswith(one.name, 'alongside://')
  end)
end

local held ---@type alongside.Hold?
local is_returning = false

-- Makes Neovim stop.
---@param count integer how many proposals leaving would reject
local function hold(count)
  local wait, them = ('%d proposals wait'):format(count), 'them'
  if count == 1 then
    wait, them = '1 proposal waits', 'it'
  end
  local how = has_hidden_text() and 'leaving rejects' or ':qa! leaves and rejects'
  local said = ('%s: :Alongside shows %s, %s %s.'):format(wait, them, how, them)
  if held then
    -- The person leaves once more before Neovim has gone on.
    held.said = said
    return
  end
  local origin, previous = vim.api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr('#'))
  local made = { said = said, origin = origin, previous = previous, is_again = is_returning }
  unheard(function()
    made.buf = vim.api.nvim_create_buf(false, false)
    vim.bo[made.buf].buftype, vim.bo[made.buf].swapfile = 'acwrite', false
    -- Neovim stops at windows first.
    made.win = not has_hidden_text() and vim.api.nvim_open_win(made.buf, false, {
      relative = 'editor', row = 0, col = 0, width = 1, height = 1, style = 'minimal', hide = true,
    }) or nil
    vim.api.nvim_buf_set_name(made.buf, 'alongside://' .. wait)
  end)
  if not made.buf then
    return
  end
  held = made
  vim.bo[made.buf].modified = true
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = made.buf,
    desc = 'alongside: accept nothing',
    callback = function()
      messages.later(made.said, vim.log.levels.WARN)
    end,
  })
end

-- The person is back where they were, and the hold is gone. Unheard: some have Neovim quit when they come to the last window.
---@param hold alongside.Hold
local function release(hold)
  local is_there = vim.api.nvim_get_current_win() == hold.win
  unheard(function()
    for _, win in ipairs(is_there and { hold.previous, hold.origin } or {}) do
      pcall(vim.api.nvim_set_current_win, win)
    end
    pcall(vim.api.nvim_win_close, hold.win or -1, true)
    pcall(vim.api.nvim_buf_delete, hold.buf, { force = true })
  end)
  messages.later(hold.said, vim.log.levels.WARN, true)
  if is_there and not hold.is_again then
    -- Plugins show again the things that only the window with the cursor has.
    is_returning = true
    pcall(vim.api.nvim_exec_autocmds, 'WinEnter', {})
    is_returning = false
  end
end

-- Neovim has not left: everything is as it was.
local function stay()
  -- A command that writes before it leaves may wait within an autocommand, as for a formatter.
  if vim.api.nvim_get_mode().blocking or vim.fn.state('x') ~= '' then
    -- Neovim's message asks for Enter, and Neovim goes to the buffer afterwards.
    return vim.defer_fn(stay, EVERY)
  end
  for _, review in ipairs(reviews()) do
    local buf = modified(review)
    if buf and vim.v.errmsg:find(vim.api.nvim_buf_get_name(buf), 1, true) then
      messages.later(remedy(review), vim.log.levels.WARN, true)
    elseif review.sync then
      review.sync:set_modified()
    end
  end
  local over = held
  held = nil
  if over then
    release(over)
  end
end

-- Neovim is about to leave, unless a buffer is modified.
local function leave()
  local lost, is_stopped = 0, false
  for _, review in ipairs(reviews()) do
    local buf = modified(review)
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
  -- Neovim is to go to the text of the person, if it stops for that.
  if lost > 0 and not is_stopped then
    hold(lost)
    warn(held and held.said or '')
  end
  vim.schedule(stay)
end

---@param is_forced fun(): boolean whether the typed command has a "!"
function M.setup(is_forced)
  autocommands('leaving')('ExitPre', 'leave no waiting proposal behind unseen', function()
    vim.v.errmsg = ''
    if not is_forced() then
      leave()
    end
  end)
end

return M
