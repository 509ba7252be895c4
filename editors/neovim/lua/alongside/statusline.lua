-- The status line of a review's windows, instead of their buffers' names: the agent, the change under the cursor, the
-- lines that accepting adds and removes, the number of changes in each state, and the key that shows all keys.

local bar = require('alongside.bar')
local dropping = require('alongside.dropping')
local harmless = require('alongside.harmless')
local seen = require('alongside.seen')
local winbar = require('alongside.winbar')

local M = {}

--- 'statusline' of a review's windows.
M.OPTION = "%!v:lua.require'alongside.statusline'.draw()"

-- The position of the cursor in Neovim's default format, and its width in columns.
local POSITION, POSITION_COLUMNS = '%-10.(%l,%c%V%) %P', 14

-- The number of the change at the cursor of a window, and its state; nil if there is no change.
local function change_at_cursor(review, win)
  local hunk = seen.is_one_by_one(review) and dropping.under_cursor(review, win)
  if hunk then
    return ('%d of %d'):format(hunk.number, #review.hunks), hunk.state
  end
end

-- Fills the part at the right end with the key that shows all keys.
local function set_key(line, part)
  local key = require('alongside.config').current.keys.help
  if key then
    part.key = winbar.key_name(key)
    line:set(part, 'keys')
  end
end

-- The line of the original while the person is in another window.
local function original(review, columns)
  local line = bar.new(columns)
  local name, agent = line:add('left'), line:add('left')
  set_key(line, line:add('right'))
  line:set(name, vim.fs.basename(review.display.name))
  line:set(name, review.display.name)
  line:set(agent, review.display.agent)
  return line:render()
end

-- The line of the proposal, and of the original while the person is in its window.
local function proposal(review, win, columns)
  local line, display = bar.new(columns), review.display
  local agent, change, lines, states = line:add('left'), line:add('left'), line:add('left'), line:add('left')
  local key, position = line:add('right'), line:add('right', { item = POSITION })
  local number, state = change_at_cursor(review, win)
  local is_whole = not seen.is_one_by_one(review)
  line:set(change, number or is_whole and display.states ~= '' and display.states or display.size, true)
  line:set(change, state and ('%s: %s'):format(number, state))
  set_key(line, key)
  line:set(lines, display.counts)
  line:set(change, state and ('change %s: %s'):format(number, state))
  line:set(states, not is_whole and display.states or nil)
  line:set(agent, display.agent)
  line:set(position, (' '):rep(POSITION_COLUMNS))
  return line:render()
end

--- Returns the status line of the window that Neovim is drawing.
---@return string
function M.draw()
  local win = vim.g.statusline_winid
  local buf = vim.api.nvim_win_get_buf(win)
  local review = require('alongside.review').of_buffer(buf)
  local columns = vim.o.laststatus == 3 and vim.o.columns or vim.api.nvim_win_get_width(win)
  if not review then
    -- The review has just ended.
    return ' ' .. harmless.statusline(vim.b[buf].alongside_title or '')
  elseif buf == review.view.left and win ~= vim.api.nvim_get_current_win() then
    return original(review, columns)
  end
  return proposal(review, win, columns)
end

return M
