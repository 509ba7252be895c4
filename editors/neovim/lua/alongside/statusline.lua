-- The status line of a review's windows, in place of the names of their buffers: the agent, the change under the cursor,
-- the lines that accepting adds and removes, how many changes are in each state, and the key that shows all keys.

local buffer_text = require('alongside.buffer_text')
local dropping = require('alongside.dropping')
local harmless = require('alongside.harmless')
local text = require('alongside.text')
local winbar = require('alongside.winbar')

local M = {}

--- 'statusline' of a review's windows.
M.OPTION = "%!v:lua.require'alongside.statusline'.draw()"

-- The place of the cursor, as Neovim shows it, and its columns.
local POSITION, POSITION_COLUMNS = ' %-10.(%l,%c%V%) %P ', 16

--- Lines that accepting would add and remove now, as at the other desks.
---@param review alongside.Review
---@return integer, integer
function M.line_counts(review)
  local added, removed = 0, 0
  if not review.original_text and #review.hunks == 0 then
    if not review.view then
      local pieces = text.split(review.current_text or '')
      return #pieces - (pieces[#pieces] == '' and 1 or 0), 0
    end
    local buf = review.view.right
    return buffer_text.is_empty(buf) and 0 or vim.api.nvim_buf_line_count(buf), 0
  end
  for _, hunk in ipairs(review.hunks) do
    if hunk.state ~= 'dropped' then
      added = added + hunk.current['end'] - hunk.current.start
      removed = removed + hunk.original['end'] - hunk.original.start
    end
  end
  return added, removed
end

-- The change at the cursor of a window: "change 2 of 4: kept". Elsewhere, how many there are.
local function change(review, win, less)
  local whole = winbar.whole(review)
  if whole then
    return whole
  end
  local hunk = dropping.under_cursor(review, win)
  for number, one in ipairs(review.hunks) do
    if one == hunk then
      local word, state = less.word and '' or 'change ', less.state and '' or ': ' .. hunk.state
      return ('%s%d of %d%s'):format(word, number, #review.hunks, state)
    end
  end
  return winbar.size(review)
end

-- The two ends of the line as plain text, and whether the place of the cursor follows. `less` has the parts to omit.
local function ends(review, win, less)
  local parts = {}
  if not less.agent then
    parts[1] = winbar.agent_name(review.agent)
  end
  parts[#parts + 1] = change(review, win, less)
  if not less.lines then
    parts[#parts + 1] = ('+%d -%d'):format(M.line_counts(review))
  end
  local states = winbar.states(winbar.counts(review.hunks))
  if states ~= '' and not less.states then
    parts[#parts + 1] = states
  end
  local key = not less.key and require('alongside.config').current.keys.help
  local hint = key and winbar.key_name(key) .. (less.label and ' ' or ' keys ') or ''
  return ' ' .. table.concat(parts, '  ') .. ' ', hint
end

-- The parts to omit for lack of room, in this order. The original's line has the agent, too.
local GOES = { 'position', 'agent', 'states', 'word', 'lines', 'label', 'state', 'key' }

local function columns_of(win)
  return vim.o.laststatus == 3 and vim.o.columns or vim.api.nvim_win_get_width(win)
end

-- The line of the original while the person is in another window.
local function original(review, columns)
  local name = winbar.file_name(review.file, review.root)
  local key = require('alongside.config').current.keys.help
  local hint = key and winbar.key_name(key) .. ' keys ' or ''
  local agent = '  ' .. winbar.agent_name(review.agent)
  local short = vim.fs.basename(name)
  for _, said in ipairs({ ' ' .. name .. agent, ' ' .. short .. agent, ' ' .. name, ' ' .. short }) do
    if vim.fn.strdisplaywidth(said .. '  ' .. hint) <= columns then
      return harmless.statusline(said) .. '%=' .. harmless.statusline(hint)
    end
  end
  return '%=' .. harmless.statusline(hint)
end

--- Draws the status line of the window that Neovim names.
---@return string
function M.draw()
  local win = vim.g.statusline_winid
  local buf = vim.api.nvim_win_get_buf(win)
  local review = require('alongside.review').of_buffer(buf)
  if not review then
    -- It has just ended.
    return ' ' .. harmless.statusline(vim.b[buf].alongside_title or '')
  elseif buf == review.view.left and win ~= vim.api.nvim_get_current_win() then
    return original(review, columns_of(win))
  end
  local less = {}
  for _, what in ipairs(vim.list_extend({ false }, GOES)) do
    if what then
      less[what] = true
    end
    local left, right = ends(review, win, less)
    local columns = vim.fn.strdisplaywidth(left .. right) + (less.position and 0 or POSITION_COLUMNS)
    if columns <= columns_of(win) or what == GOES[#GOES] then
      return harmless.statusline(left) .. '%<%=' .. harmless.statusline(right) .. (less.position and '' or POSITION)
    end
  end
  return ''
end

return M
