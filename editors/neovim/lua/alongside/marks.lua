-- Marks on the texts besides Neovim's own diff: differing words, and the state of each change. A dropped change has no diff
-- any more, so a sign shows its place: "=", because its lines are those of the original. Removed lines are
-- below "_" or above "‾", as in other plugins.

local hard_to_see = require('alongside.hard_to_see')
local harmless = require('alongside.harmless')
local text = require('alongside.text')

local M = {}

local ns = vim.api.nvim_create_namespace('alongside.marks')
local ends = vim.api.nvim_create_namespace('alongside.ends')

local signs = {
  kept = { '+', 'AlongsideKept' },
  dropped = { '=', 'AlongsideDropped' },
  edited = { '~', 'AlongsideEdited' },
}

local REMOVED_BELOW, REMOVED_ABOVE = '_', '‾'

-- The most lines of one change with signs; a longer change is easy to find.
local MOST_SIGNS = 1000

-- Up to this many changes, every edit redraws all. With more, an edit redraws only the changes it touches, and misplaced
-- marks are corrected at a pause (PAUSE milliseconds); and the lines are not looked up in Neovim's diff, whose cost grows
-- with their number.
local FEW = 200
local PAUSE = 1000

-- The drawn hunks with their marks, by the proposal's buffer.
local drawn = {} ---@type table<integer, { hunks: table[], lines: integer }>

local into ---@type { [1]: integer, [2]: integer }[] the marks of the hunk that is drawn

local function put(buf, line, column, mark)
  -- The buffer may be ahead of the hunks for a moment.
  mark.strict = false
  local ok, id = pcall(vim.api.nvim_buf_set_extmark, buf, ns, line, column, mark)
  if ok then
    into[#into + 1] = { buf, id }
  end
end

-- Draws ranges of a text whose lines are `delta` lines further down in the buffer: `draw` gets the line, the columns there,
-- and the text in them.
local function each(buf, ranges, delta, draw)
  for _, range in ipairs(ranges or {}) do
    local line, said = range.start.line + delta, vim.fn.getbufoneline(buf, range.start.line + delta + 1)
    -- The buffer does not show the byte-order mark.
    local mark = line == 0 and vim.bo[buf].bomb and 1 or 0
    local from, to = text.byte(said, range.start.character - mark), text.byte(said, range['end'].character - mark)
    draw(line, from, to, said:sub(from + 1, to))
  end
end

local function words(buf, ranges, group, delta)
  each(buf, ranges, delta, function(line, from, to)
    put(buf, line, from, {
      end_col = to,
      hl_group = group,
      -- Above syntax, below search results.
      priority = 180,
      hl_mode = 'combine',
    })
  end)
end

local function blanks(buf, ranges, group)
  each(buf, ranges, 0, function(line, from, _, said)
    hard_to_see.draw_blanks(said, group, function(offset, mark)
      put(buf, line, from + offset, mark)
    end)
  end)
end

-- The lines of a change that Neovim's diff pairs with others. Without a look at the diff, as many lines as both sides have.
local function changed_lines(win, buf, range, pairs_of_lines, hl_group)
  local function draw(line)
    -- Above syntax, below words. Most colour schemes give such lines no text colour.
    put(buf, line, 0, { end_row = line + 1, hl_group = hl_group, hl_eol = true, priority = 150 })
  end
  if pairs_of_lines then
    for line = range.start, range.start + math.min(pairs_of_lines, MOST_SIGNS) - 1 do
      draw(line)
    end
  elseif win and vim.api.nvim_win_is_valid(win) then
    vim.api.nvim_win_call(win, function()
      for line = range.start, math.min(range['end'], range.start + MOST_SIGNS) - 1 do
        local group = vim.fn.synIDattr(vim.fn.diff_hlID(line + 1, 1), 'name')
        if group == 'DiffChange' or group == 'DiffText' or group == 'DiffTextAdd' then
          draw(line)
        end
      end
    end)
  end
end

local function count(number)
  return number == 1 and '1 line' or number .. ' lines'
end

local function length(range)
  return range['end'] - range.start
end

-- The remark on a change that was dropped or edited, behind its first line.
local function fate(hunk)
  if hunk.state == 'edited' then
    return length(hunk.current) == 0 and 'edited: nothing is left of it' or 'edited'
  elseif hunk.state ~= 'dropped' then
    return
  elseif length(hunk.original) == 0 then
    return ('dropped: %s not added'):format(count(length(hunk.proposed)))
  elseif length(hunk.proposed) == 0 then
    return ('dropped: %s not removed'):format(count(length(hunk.original)))
  end
  return 'dropped: original stays'
end

-- A limit on comparing that the change reached. Nothing of a dropped one is compared.
local function limit(hunk)
  if hunk.limit == 'lines' then
    return 'too much differs to compare every line: some may be equal'
  elseif hunk.limit == 'words' then
    return 'too much differs to mark words'
  end
end

-- The place of a change without lines: "above" it, or "below" it where the line above is the first or another change's, so
-- that no line has the sign of a neighbour. Between two changes it is "between": a remark above it, and no sign.
local function places(hunks, last_line)
  local found = {}
  for i, hunk in ipairs(hunks) do
    local at = hunk.current.start
    if at == hunk.current['end'] then
      local before, after = hunks[i - 1], hunks[i + 1]
      local is_above_taken = before and length(before.current) > 0 and before.current['end'] == at
      local is_below_taken = at > last_line or after and length(after.current) > 0 and after.current.start == at
      found[i] = at == 0 and 'below' or not is_above_taken and 'above' or is_below_taken and 'between' or 'below'
    end
  end
  return found
end

local function state(buf, hunk, place, last_line)
  local sign, group = unpack(signs[hunk.state] or signs.kept)
  local first, stop = hunk.current.start, hunk.current['end']
  if place then
    sign = hunk.state ~= 'kept' and sign or place == 'below' and REMOVED_ABOVE or REMOVED_BELOW
    first = place == 'below' and first or first - 1
    stop = place == 'between' and first or first + 1
  end
  first = math.min(first, last_line)
  local function put_sign(line)
    put(buf, line, 0, { sign_text = sign, sign_hl_group = group, priority = 20 })
  end
  if hunk.differs and not place then
    -- The others of it are those of the original again.
    first = math.min(hunk.differs[1], last_line)
    for i = 1, math.min(#hunk.differs, MOST_SIGNS) do
      put_sign(math.min(hunk.differs[i], last_line))
    end
  else
    for line = first, math.min(stop, first + MOST_SIGNS, last_line + 1) - 1 do
      put_sign(line)
    end
  end
  local why = hunk.reason and 'reason: ' .. harmless.one_line(hunk.reason)
  local said, reached = fate(hunk), hunk.state ~= 'dropped' and limit(hunk) or nil
  local chunks = {}
  -- The reason first: its end may be beyond the edge, and the sign says the rest.
  local is_on_its_line = hunk.state ~= 'dropped' and not place
  for _, one in ipairs({ { why, 'AlongsideNote' }, { said, group }, { reached, 'AlongsideNote' } }) do
    if one[1] then
      chunks[#chunks + 1] = { '  ' .. one[1], is_on_its_line and { one[2], 'AlongsideShownAddedNote' } or one[2] }
    end
  end
  if #chunks > 0 then
    put(buf, first, 0, { virt_text = chunks, virt_text_pos = 'eol', hl_mode = 'combine' })
  end
end

-- Shows a missing last line ending, because Neovim does not.
local function last_line_end(buf, pieces, group)
  vim.api.nvim_buf_clear_namespace(buf, ends, 0, -1)
  if pieces and pieces[#pieces] ~= '' then
    vim.api.nvim_buf_set_extmark(buf, ends, vim.api.nvim_buf_line_count(buf) - 1, 0, {
      virt_text = { { '  no line end', { 'AlongsideNote', group } } },
      virt_text_pos = 'eol',
      hl_mode = 'combine',
    })
  end
end

-- The look of a hunk, independent of its place.
local function looks(hunk, place)
  local first = hunk.current.start
  local parts = { hunk.state, hunk.original.start, hunk.original['end'], hunk.proposed.start, hunk.proposed['end'],
    hunk.current['end'] - first, tostring(hunk.limit), tostring(place),
    tostring(hunk.reason), tostring(hunk.unseen) }
  for _, line in ipairs(hunk.differs or {}) do
    parts[#parts + 1] = line - first
  end
  for _, side in ipairs({ 'removed', 'added' }) do
    parts[#parts + 1] = side
    local from = side == 'added' and hunk.state == 'edited' and first or 0
    for _, range in ipairs(hunk.words and hunk.words[side] or {}) do
      parts[#parts + 1] = range.start.line - from
      parts[#parts + 1] = range.start.character
      parts[#parts + 1] = range['end'].character
    end
  end
  return table.concat(parts, ' ')
end

-- The numbers of unchanged hunks at the beginning and, moved with the text, at the end.
local function unchanged(old, new, shift)
  local least, head, tail = math.min(#old, #new), 0, 0
  while head < least and old[head + 1].looks == new[head + 1].looks and old[head + 1].first == new[head + 1].first do
    head = head + 1
  end
  while tail < least - head and old[#old - tail].looks == new[#new - tail].looks
    and old[#old - tail].first + shift == new[#new - tail].first do
    tail = tail + 1
  end
  return head, tail
end

local function draw_hunk(review, hunk, place, is_one_of_many)
  local right, left = review.right, review.left
  local is_dropped = hunk.state == 'dropped'
  state(right, hunk, place, vim.api.nvim_buf_line_count(right) - 1)
  if not is_dropped then
    local both = is_one_of_many
      and math.min(hunk.original['end'] - hunk.original.start, hunk.current['end'] - hunk.current.start) or nil
    changed_lines(review.left_win, left, hunk.original, both, 'AlongsideShownRemovedLine')
    changed_lines(review.right_win, right, hunk.current, both, 'AlongsideShownAddedLine')
  end
  if hunk.unseen then
    hard_to_see.draw_sentence(review, hunk, put)
  end
  if hunk.blanks then
    blanks(left, hunk.blanks.removed, 'AlongsideShownRemoved')
    blanks(right, hunk.blanks.added, 'AlongsideShownAdded')
  end
  if hunk.words and not is_dropped then
    -- An edited one has its words in the current text.
    local delta = hunk.state == 'edited' and 0 or hunk.current.start - hunk.proposed.start
    words(right, hunk.words.added, 'AlongsideShownAdded', delta)
    words(left, hunk.words.removed, 'AlongsideShownRemoved', 0)
  end
end

---@class alongside.Marked
---@field hunks table[]
---@field left integer
---@field right integer
---@field left_win integer?
---@field right_win integer?
---@field original string[]

--- Draws the marks of changed hunks.
---@param review alongside.Marked
---@param current string[] what is in the right buffer, and what the hunks are told of
---@param again fun()? called when all are to be drawn anew
---@param anew boolean? whether that is now
function M.draw(review, current, again, anew)
  local right, left = review.right, review.left
  if not vim.api.nvim_buf_is_valid(left) then
    return
  end
  local lines = vim.api.nvim_buf_line_count(right)
  local new, place = {}, places(review.hunks, lines - 1)
  for i, hunk in ipairs(review.hunks) do
    new[i] = { looks = looks(hunk, place[i]), first = hunk.current.start }
  end
  local was = drawn[right]
  if not was or #new <= FEW or anew then
    M.clear(right)
    M.clear(left)
    was = { hunks = {}, lines = lines }
  end
  local old = was.hunks
  local head, tail = unchanged(old, new, lines - was.lines)
  for i = head + 1, #old - tail do
    for _, mark in ipairs(old[i].marks) do
      vim.api.nvim_buf_del_extmark(mark[1], ns, mark[2])
    end
  end
  local is_one_of_many = #new > FEW
  for i = 1, #new do
    local kept = i <= head and old[i] or i > #new - tail and old[i - #new + #old]
    if kept then
      new[i].marks = kept.marks
    else
      into = {}
      draw_hunk(review, review.hunks[i], place[i], is_one_of_many)
      new[i].marks = into
    end
  end
  local this = { hunks = new, lines = lines }
  drawn[right] = this
  if is_one_of_many and not anew then
    vim.defer_fn(function()
      if drawn[right] == this and again then
        again()
      end
    end, PAUSE)
  end
  local differ = (current[#current] == '') ~= (review.original[#review.original] == '')
  last_line_end(right, differ and current or nil, 'AlongsideShownAddedNote')
  last_line_end(left, differ and review.original or nil, 'AlongsideShownRemovedNote')
end

--- Removes all marks.
---@param buf integer
function M.clear(buf)
  drawn[buf] = nil
  if vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    vim.api.nvim_buf_clear_namespace(buf, ends, 0, -1)
  end
end

return M
