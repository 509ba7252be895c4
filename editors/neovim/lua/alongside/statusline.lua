-- The status line of a review's windows, in place of the names of their buffers: the agent, the change under the cursor,
-- the lines that accepting adds and removes, how many changes are in each state, and the key that shows all keys.

local bar = require('alongside.bar')
local dropping = require('alongside.dropping')
local harmless = require('alongside.harmless')
local seen = require('alongside.seen')
local winbar = require('alongside.winbar')

local M = {}

--- 'statusline' of a review's windows.
M.OPTION = "%!v:lua.require'alongside.statusline'.draw()"

-- The place of the cursor, as Neovim shows it, and its columns.
local POSITION, POSITION_COLUMNS = '%-10.(%l,%c%V%) %P', 14

-- The number of the change at the cursor of a window, and its state; nil elsewhere.
local function change(review, win)
  local hunk = seen.is_one_by_one(review) and dropping.under_cursor(review, win)
  if hunk then
    return ('%d of %d'):format(hunk.number, #review.hunks), hunk.state
  end
end

-- Says in its place, at the right end, which key shows all keys.
local function say_key(this, place)
  local key = require('alongside.config').current.keys.help
  if key then
    place.key = winbar.key_name(key)
    this:say(place, 'keys')
  end
end

-- The line of the original while the person is in another window.
local function original(review, columns)
  local this = bar.new(columns)
  local name, agent = this:place('left'), this:place('left')
  say_key(this, this:place('right'))
  this:say(name, vim.fs.basename(review.display.name))
  this:say(name, review.display.name)
  this:say(agent, review.display.agent)
  return this:drawn()
end

-- The line of the proposal, and that of the original while the person is there.
local function proposal(review, win, columns)
  local this, display = bar.new(columns), review.display
  local agent, what, lines, states = this:place('left'), this:place('left'), this:place('left'), this:place('left')
  local key, position = this:place('right'), this:place('right', { item = POSITION })
  local number, state = change(review, win)
  local is_whole = not seen.is_one_by_one(review)
  this:say(what, number or is_whole and display.states ~= '' and display.states or display.size, true)
  this:say(what, state and ('%s: %s'):format(number, state))
  say_key(this, key)
  this:say(lines, display.counts)
  this:say(what, state and ('change %s: %s'):format(number, state))
  this:say(states, not is_whole and display.states or nil)
  this:say(agent, display.agent)
  this:say(position, (' '):rep(POSITION_COLUMNS))
  return this:drawn()
end

--- Draws the status line of the window that Neovim names.
---@return string
function M.draw()
  local win = vim.g.statusline_winid
  local buf = vim.api.nvim_win_get_buf(win)
  local review = require('alongside.review').of_buffer(buf)
  local columns = vim.o.laststatus == 3 and vim.o.columns or vim.api.nvim_win_get_width(win)
  if not review then
    -- It has just ended.
    return ' ' .. harmless.statusline(vim.b[buf].alongside_title or '')
  elseif buf == review.view.left and win ~= vim.api.nvim_get_current_win() then
    return original(review, columns)
  end
  return proposal(review, win, columns)
end

return M
