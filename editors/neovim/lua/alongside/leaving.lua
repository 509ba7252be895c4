-- Leaving Neovim while proposals wait. Where another desk keeps them, nothing holds it up. Elsewhere leaving rejects them, so
-- Neovim stops as for any unsaved buffer: by a modified buffer whose name says why.

local messages = require('alongside.messages')

local M = {}

-- How long it waits for the companion to take all edits, in milliseconds.
local PATIENCE = 500
-- How often to look whether the person has read Neovim's own message, in milliseconds.
local EVERY = 100

---@class alongside.Hold
---@field buf integer the modified buffer
---@field win integer its hidden window, so that `:q!` passes, and Neovim shows the buffer in no window of the person
---@field said string

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

-- Makes Neovim stop.
---@param count integer how many proposals leaving would reject
---@return alongside.Hold
local function hold(count)
  local wait, them = ('%d proposals wait'):format(count), 'them'
  if count == 1 then
    wait, them = '1 proposal waits', 'it'
  end
  local said = ('%s: :Alongside shows %s, :qa! leaves and rejects %s.'):format(wait, them, them)
  local ignored = vim.o.eventignore
  vim.o.eventignore = 'all'
  local buf = vim.api.nvim_create_buf(false, false)
  vim.bo[buf].buftype, vim.bo[buf].swapfile = 'acwrite', false
  vim.api.nvim_buf_set_name(buf, 'alongside://' .. wait)
  local win = vim.api.nvim_open_win(buf, false, {
    relative = 'editor', row = 0, col = 0, width = 1, height = 1, style = 'minimal', hide = true,
  })
  vim.o.eventignore = ignored
  vim.bo[buf].modified = true
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buf,
    desc = 'alongside: accept nothing',
    callback = function()
      messages.later(said, vim.log.levels.WARN)
    end,
  })
  warn(said)
  return { buf = buf, win = win, said = said }
end

-- Neovim has not left: everything is as it was.
---@param held alongside.Hold?
---@param origin integer the window in which the person is
local function stay(held, origin)
  if vim.api.nvim_get_mode().blocking then
    -- Neovim's message asks for Enter, and Neovim goes to the buffer afterwards.
    return vim.defer_fn(function()
      stay(held, origin)
    end, EVERY)
  end
  for _, review in ipairs(reviews()) do
    local buf = modified(review)
    if buf and vim.v.errmsg:find(vim.api.nvim_buf_get_name(buf), 1, true) then
      messages.later(remedy(review), vim.log.levels.WARN, true)
    elseif review.sync then
      review.sync:set_modified()
    end
  end
  if not held then
    return
  end
  if vim.api.nvim_get_current_win() == held.win then
    if vim.api.nvim_win_is_valid(origin) then
      vim.api.nvim_set_current_win(origin)
    end
    messages.later(held.said, vim.log.levels.WARN, true)
  end
  pcall(vim.api.nvim_win_close, held.win, true)
  pcall(vim.api.nvim_buf_delete, held.buf, { force = true })
end

-- Neovim is about to leave, unless a buffer is modified.
local function leave()
  local lost, is_stopped = 0, false
  for _, review in ipairs(reviews()) do
    local buf = modified(review)
    local has_all = not buf or review.sync:settle(PATIENCE)
    if buf and has_all and M.is_kept(review) then
      vim.bo[buf].modified = false
    elseif buf then
      warn(remedy(review))
      is_stopped = true
    elseif not review.deciding and not M.is_kept(review) then
      lost = lost + 1
    end
  end
  local origin = vim.api.nvim_get_current_win()
  -- Neovim is to go to the text of the person, if it stops for that.
  local held = lost > 0 and not is_stopped and hold(lost) or nil
  vim.schedule(function()
    stay(held, origin)
  end)
end

---@param is_forced fun(): boolean whether the typed command has a "!"
function M.setup(is_forced)
  vim.api.nvim_create_autocmd('ExitPre', {
    group = vim.api.nvim_create_augroup('alongside.leaving', {}),
    desc = 'alongside: leave no waiting proposal behind unseen',
    callback = function()
      vim.v.errmsg = ''
      if not is_forced() then
        leave()
      end
    end,
  })
end

return M
