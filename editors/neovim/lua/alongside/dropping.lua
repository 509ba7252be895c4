-- `do` and `dp` on a whole change. Neovim's own take one block of its diff, and 'linematch' splits a change into several: a
-- part of a change is seldom right on its own. A second one keeps the change again.

local messages = require('alongside.messages')
local reviews = require('alongside.lazy')('review')
local text = require('alongside.text')

local M = {}

--- The change at a line, 0-based: around it, else right above, as Neovim counts, or one that has no lines on this side and
--- its sign on this line.
---@param hunks table[]
---@param side "current"|"original"
---@param line integer
---@return table?
function M.at(hunks, side, line)
  local near, rank
  for _, hunk in ipairs(hunks) do
    local from, upto = hunk[side].start, hunk[side]['end']
    local found = from < upto and line >= from and line < upto and 1
      or from == upto and line == from and 2
      or from == upto and line == from - 1 and 3
      or from < upto and line == upto and 4
    if found and (not rank or found < rank) then
      near, rank = hunk, found
    end
  end
  return near
end

--- The change at the cursor of a window of a review.
---@param review alongside.Review
---@param win integer
---@return table?
function M.under_cursor(review, win)
  local side = vim.api.nvim_win_get_buf(win) == review.view.left and 'original' or 'current'
  return M.at(review.hunks, side, vim.api.nvim_win_get_cursor(win)[1] - 1)
end

-- Puts lines of `pieces`, a whole text, in the place of the change. A change at the end of a text has its last line end,
-- one at the beginning its byte-order mark.
local function put(shown, hunk, side, pieces)
  local this = shown.sync
  local lines, form = text.shown(pieces, this:options().dos)
  local range, current = hunk[side], hunk.current
  local ends, begins = range['end'] >= #lines, range.start == 0 and current.start == 0
  this:replace(current.start, current['end'], vim.list_slice(lines, range.start + 1, range['end']), {
    eol = ends and { form.eol } or nil,
    bom = begins and { form.bom } or nil,
  })
  local count = range['end'] - range.start
  if vim.api.nvim_get_current_buf() == shown.right and count > 0 then
    -- Lines that were missing are below the cursor now; the same key again belongs to them.
    local line, column = unpack(vim.api.nvim_win_get_cursor(0))
    if line <= current.start or line > current.start + count then
      vim.api.nvim_win_set_cursor(0, { current.start + 1, column })
    end
  end
  if shown:is_current() then
    -- The lines are equal now, and a fold of equal lines would hide them with their sign.
    vim.cmd('diffupdate')
    vim.cmd('normal! zv')
    -- Neovim may compare once more, close a larger fold and move the cursor to its first line.
    local win, place, tick = vim.api.nvim_get_current_win(), vim.api.nvim_win_get_cursor(0), vim.b.changedtick
    vim.schedule(function()
      if vim.api.nvim_get_current_win() == win and vim.b.changedtick == tick and vim.fn.foldclosed('.') >= 0 then
        vim.api.nvim_win_set_cursor(win, place)
        vim.cmd('normal! zv')
      end
    end)
  end
end

--- Puts the lines of the original in the place of the change.
---@param shown alongside.View
---@param hunk table
function M.drop(shown, hunk)
  put(shown, hunk, 'original', shown.original)
end

--- Puts the lines of the proposal in the place of the change.
---@param review alongside.Review
---@param hunk table
function M.keep(review, hunk)
  put(review.view, hunk, 'proposed', text.split(review.proposed))
end

-- Says what has become of a change, which its sign and the status line say, too. Without a message line it would be a window
-- over the text at each key, so only `news` is said there.
local function hint(said, news)
  if vim.o.cmdheight > 0 or news then
    messages.now(said)
  end
end

--- Drops the change under the cursor, or keeps it again if it is dropped. Without one, Neovim's own command runs.
function M.run()
  local buf = vim.api.nvim_get_current_buf()
  local review = reviews.of_buffer(buf)
  local shown = review and review.view
  local is_left = shown ~= nil and shown.left == buf
  local key = is_left and 'dp' or 'do'
  local is_settled = shown
    and review.original
    and vim.bo[shown.right].modifiable
    and vim.wo.diff
    and review.sync:settle()
  if shown and not review.original and not review.wholeFileOnly then
    -- Neovim's own would put the empty line of an empty buffer.
    return messages.now(('%s: the file is new, so there is nothing to take. :q rejects it.'):format(reviews.name(review)))
  end
  local hunk = is_settled and M.under_cursor(review, 0)
  if not hunk then
    vim.cmd('normal! ' .. key)
  elseif hunk.state == 'dropped' then
    M.keep(review, hunk)
    -- A reason says why a change is dropped.
    local without = require('alongside.reasons').forget(review, hunk) and ', without its reason' or ''
    hint(('This change is kept again%s; %s drops it.'):format(without, key), without ~= '')
  else
    M.drop(shown, hunk)
    if not review.has_said_dropped then
      -- Once is enough.
      review.has_said_dropped = true
      hint(('This change is dropped; %s keeps it again.'):format(key))
    elseif vim.o.cmdheight > 0 then
      -- The last message would say the opposite.
      vim.api.nvim_echo({ { '' } }, false, {})
    end
  end
end

-- As an operator, so that "." repeats it. With a count, the person names another buffer of the diff.
local function mapping(own)
  return function()
    if vim.v.count > 0 then
      return own
    end
    vim.go.operatorfunc = "v:lua.require'alongside.dropping'.run"
    return 'g@l'
  end
end

--- Maps the keys in the windows of a review. Returns the mapped keys.
---@param shown alongside.View
---@return string[]
function M.map(shown)
  for buf, key in pairs({ [shown.right] = 'do', [shown.left] = 'dp' }) do
    local what = 'alongside: drop the change, or keep it again'
    vim.keymap.set('n', key, mapping(key), { buffer = buf, expr = true, desc = what })
  end
  return { 'do', 'dp' }
end

return M
