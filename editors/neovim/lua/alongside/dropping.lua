-- `do` and `dp` drop a whole change, and keep a dropped change again. Neovim's own commands act on one block of its
-- diff, and 'linematch' splits a change into several blocks: a part of a change is seldom correct alone.

local messages = require('alongside.messages')
local reviews = require('alongside.lazy')('review')
local text = require('alongside.text')

local M = {}

--- Returns the change at a line, 0-based: the change around the line, otherwise the one directly above, as Neovim
--- counts, or one that has no lines on this side and its sign on this line.
---@param hunks table[]
---@param side "current"|"original"
---@param line integer
---@return table?
function M.at(hunks, side, line)
  local nearest, rank
  for _, hunk in ipairs(hunks) do
    local from, upto = hunk[side].start, hunk[side]['end']
    local found = from < upto and line >= from and line < upto and 1
      or from == upto and line == from and 2
      or from == upto and line == from - 1 and 3
      or from < upto and line == upto and 4
    if found and (not rank or found < rank) then
      nearest, rank = hunk, found
    end
  end
  return nearest
end

--- Returns the change at the cursor of a review's window.
---@param review alongside.Review
---@param win integer
---@return table?
function M.under_cursor(review, win)
  local side = vim.api.nvim_win_get_buf(win) == review.view.left and 'original' or 'current'
  return M.at(review.hunks, side, vim.api.nvim_win_get_cursor(win)[1] - 1)
end

-- Replaces the lines of a change with its lines in `pieces`, a whole text. A change at the end of a text includes the
-- last line ending, a change at the beginning the byte-order mark.
local function replace_with_lines_of(view, hunk, side, pieces)
  local sync = view.sync
  local lines, form = text.shown(pieces, sync:options().dos)
  local range, current = hunk[side], hunk.current
  local reaches_end, reaches_start = range['end'] >= #lines, range.start == 0 and current.start == 0
  sync:replace(current.start, current['end'], vim.list_slice(lines, range.start + 1, range['end']), {
    eol = reaches_end and { form.eol } or nil,
    bom = reaches_start and { form.bom } or nil,
  })
  local count = range['end'] - range.start
  if vim.api.nvim_get_current_buf() == view.right and count > 0 then
    -- The restored lines are below the cursor; the cursor moves to them, so that the same key acts on the same change.
    local line, column = unpack(vim.api.nvim_win_get_cursor(0))
    if line <= current.start or line > current.start + count then
      vim.api.nvim_win_set_cursor(0, { current.start + 1, column })
    end
  end
  if view:is_current() then
    -- The lines equal those of the other side now, and a fold of equal lines would hide them with their sign.
    vim.cmd('diffupdate')
    vim.cmd('normal! zv')
    -- Neovim may compare again, close a larger fold and move the cursor to its first line.
    local win, place, tick = vim.api.nvim_get_current_win(), vim.api.nvim_win_get_cursor(0), vim.b.changedtick
    vim.schedule(function()
      if vim.api.nvim_get_current_win() == win and vim.b.changedtick == tick and vim.fn.foldclosed('.') >= 0 then
        vim.api.nvim_win_set_cursor(win, place)
        vim.cmd('normal! zv')
      end
    end)
  end
end

--- Drops a change: replaces its lines with those of the original.
---@param view alongside.View
---@param hunk table
function M.drop(view, hunk)
  replace_with_lines_of(view, hunk, 'original', view.original)
end

--- Keeps a change: replaces its lines with those of the proposal.
---@param review alongside.Review
---@param hunk table
function M.keep(review, hunk)
  replace_with_lines_of(review.view, hunk, 'proposed', review.texts.proposed)
end

-- Shows a message about a change whose sign and status line already show its state. With 'cmdheight' 0, the message
-- would be a window over the text at each key, so only `is_news` is shown there.
local function hint(message, is_news)
  if vim.o.cmdheight > 0 or is_news then
    messages.now(message)
  end
end

--- Drops the change under the cursor, or keeps it again if it is dropped. If there is no change, runs Neovim's own
--- command.
function M.run()
  local buf = vim.api.nvim_get_current_buf()
  local review = reviews.of_buffer(buf)
  local view = review and review.view
  local is_left = view ~= nil and view.left == buf
  local key = is_left and 'dp' or 'do'
  local is_settled = view
    and review.has_original
    and vim.bo[view.right].modifiable
    and vim.wo.diff
    and review.sync:settle()
  if view and not review.has_original and not review.wholeFileOnly then
    -- Neovim's own command would insert the empty line of an empty buffer.
    return messages.now(('%s: the file is new, so there is nothing to take. :q rejects it.'):format(reviews.name(review)))
  end
  local hunk = is_settled and M.under_cursor(review, 0)
  if not hunk then
    vim.cmd('normal! ' .. key)
  elseif hunk.state == 'dropped' then
    M.keep(review, hunk)
    -- A reason explains why a change is dropped.
    local suffix = require('alongside.reasons').forget(review, hunk) and ', without its reason' or ''
    hint(('This change is kept again%s; %s drops it.'):format(suffix, key), suffix ~= '')
  else
    M.drop(view, hunk)
    if not review.has_shown_drop_hint then
      -- The message is shown once for each review.
      review.has_shown_drop_hint = true
      hint(('This change is dropped; %s keeps it again.'):format(key))
    elseif vim.o.cmdheight > 0 then
      -- The previous message says that the change is kept.
      vim.api.nvim_echo({ { '' } }, false, {})
    end
  end
end

-- Runs as an operator, so that "." repeats it. With a count, the person names another buffer of the diff, and Neovim's
-- own command runs.
local function mapping(key)
  return function()
    if vim.v.count > 0 then
      return key
    end
    vim.go.operatorfunc = "v:lua.require'alongside.dropping'.run"
    return 'g@l'
  end
end

--- Maps the keys in the windows of a review. Returns the mapped keys.
---@param view alongside.View
---@return string[]
function M.map(view)
  for buf, key in pairs({ [view.right] = 'do', [view.left] = 'dp' }) do
    local what = 'alongside: drop the change, or keep it again'
    vim.keymap.set('n', key, mapping(key), { buffer = buf, expr = true, desc = what })
  end
  return { 'do', 'dp' }
end

return M
