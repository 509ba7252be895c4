-- Extmarks on the texts besides Neovim's own diff: changed words, and the state of each change. A dropped change has no
-- diff, so a sign marks its place: "=", because its lines equal the original. The signs for removed lines are "_" if
-- the lines were below, "‾" if they were above, as in other plugins.

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

-- How many lines of one change have signs at most; a longer change is easy to find.
local MAX_SIGNS = 1000

-- With up to MAX_REDRAWN_CHANGES changes, every edit redraws all changes. With more, an edit redraws only the changes
-- that it touches, misplaced extmarks are corrected after REDRAW_PAUSE milliseconds, and the lines are not looked up in
-- Neovim's diff, because the cost of a look-up grows with their number.
local MAX_REDRAWN_CHANGES = 200
local REDRAW_PAUSE = 1000

-- The drawn hunks with their extmarks, by the proposal's buffer.
local drawn = {} ---@type table<integer, { hunks: table[], lines: integer }>

local hunk_marks ---@type { [1]: integer, [2]: integer }[] the extmarks of the hunk that is being drawn

local function put(buf, line, column, mark)
  -- For a moment, the buffer may hold newer text than the hunks.
  mark.strict = false
  local ok, id = pcall(vim.api.nvim_buf_set_extmark, buf, ns, line, column, mark)
  if ok then
    hunk_marks[#hunk_marks + 1] = { buf, id }
  end
end

-- Calls `draw` for each range of a text that begins `delta` lines further down in the buffer, with the line, the
-- columns in bytes, and the text between them.
local function each_range(buf, ranges, delta, draw)
  for _, range in ipairs(ranges or {}) do
    local line, line_text = range.start.line + delta, vim.fn.getbufoneline(buf, range.start.line + delta + 1)
    -- The buffer does not show the byte-order mark.
    local bom = line == 0 and vim.bo[buf].bomb and 1 or 0
    local from, to = text.byte(line_text, range.start.character - bom), text.byte(line_text, range['end'].character - bom)
    draw(line, from, to, line_text:sub(from + 1, to))
  end
end

local function draw_words(buf, ranges, group, delta)
  each_range(buf, ranges, delta, function(line, from, to)
    put(buf, line, from, {
      end_col = to,
      hl_group = group,
      -- Above syntax, below search results.
      priority = 180,
      hl_mode = 'combine',
    })
  end)
end

local function draw_whitespace(buf, ranges, group)
  each_range(buf, ranges, 0, function(line, from, _, whitespace)
    hard_to_see.draw_whitespace(whitespace, group, function(offset, mark)
      put(buf, line, from + offset, mark)
    end)
  end)
end

-- Draws the lines of a change that Neovim's diff pairs with lines of the other side. If `pair_count` is given, draws
-- that many lines instead of asking the diff.
local function draw_changed_lines(win, buf, range, pair_count, hl_group)
  local function draw(line)
    -- Above syntax, below words. Most colour schemes give such lines no text colour.
    put(buf, line, 0, { end_row = line + 1, hl_group = hl_group, hl_eol = true, priority = 150 })
  end
  if pair_count then
    for line = range.start, range.start + math.min(pair_count, MAX_SIGNS) - 1 do
      draw(line)
    end
  elseif win and vim.api.nvim_win_is_valid(win) then
    vim.api.nvim_win_call(win, function()
      for line = range.start, math.min(range['end'], range.start + MAX_SIGNS) - 1 do
        local group = vim.fn.synIDattr(vim.fn.diff_hlID(line + 1, 1), 'name')
        if group == 'DiffChange' or group == 'DiffText' or group == 'DiffTextAdd' then
          draw(line)
        end
      end
    end)
  end
end

local function line_count(number)
  return number == 1 and '1 line' or number .. ' lines'
end

local function length(range)
  return range['end'] - range.start
end

-- The remark after the first line of a change that was dropped or edited.
local function state_remark(hunk)
  if hunk.state == 'edited' then
    return length(hunk.current) == 0 and 'edited: nothing is left of it' or 'edited'
  elseif hunk.state ~= 'dropped' then
    return
  elseif length(hunk.original) == 0 then
    return ('dropped: %s not added'):format(line_count(length(hunk.proposed)))
  elseif length(hunk.proposed) == 0 then
    return ('dropped: %s not removed'):format(line_count(length(hunk.original)))
  end
  return 'dropped: original stays'
end

-- The remark on a limit of the comparison that the change reached.
local function limit_remark(hunk)
  if hunk.limit == 'lines' then
    return 'too much differs to compare every line: some may be equal'
  elseif hunk.limit == 'words' then
    return 'too much differs to mark words'
  end
end

-- The place of the sign of each change without lines, so that no line has the sign of a neighbour: "above" the change;
-- "below" it if the change is at the start, or if the line above belongs to another change. Between two changes it is
-- "between": a remark above the change, and no sign.
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

local function draw_state(buf, hunk, place, last_line)
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
    -- The other lines of the change equal the original again.
    first = math.min(hunk.differs[1], last_line)
    for i = 1, math.min(#hunk.differs, MAX_SIGNS) do
      put_sign(math.min(hunk.differs[i], last_line))
    end
  else
    for line = first, math.min(stop, first + MAX_SIGNS, last_line + 1) - 1 do
      put_sign(line)
    end
  end
  local reason = hunk.reason and 'reason: ' .. harmless.one_line(hunk.reason)
  local remark, limit = state_remark(hunk), hunk.state ~= 'dropped' and limit_remark(hunk) or nil
  local chunks = {}
  -- The reason comes first: its end may be beyond the edge of the window, and the sign shows the state.
  local is_on_its_line = hunk.state ~= 'dropped' and not place
  for _, part in ipairs({ { reason, 'AlongsideNote' }, { remark, group }, { limit, 'AlongsideNote' } }) do
    if part[1] then
      chunks[#chunks + 1] = { '  ' .. part[1], is_on_its_line and { part[2], 'AlongsideShownAddedNote' } or part[2] }
    end
  end
  if #chunks > 0 then
    put(buf, first, 0, { virt_text = chunks, virt_text_pos = 'eol', hl_mode = 'combine' })
  end
end

-- Marks a missing last line ending, which Neovim does not show.
local function draw_last_line_end(buf, pieces, group)
  vim.api.nvim_buf_clear_namespace(buf, ends, 0, -1)
  if pieces and pieces[#pieces] ~= '' then
    vim.api.nvim_buf_set_extmark(buf, ends, vim.api.nvim_buf_line_count(buf) - 1, 0, {
      virt_text = { { '  no line end', { 'AlongsideNote', group } } },
      virt_text_pos = 'eol',
      hl_mode = 'combine',
    })
  end
end

-- Everything that decides how a hunk is drawn, as one string, with lines relative to its first line.
local function appearance(hunk, place)
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

-- The numbers of unchanged hunks at the beginning and at the end; those at the end may have moved by `shift` lines.
local function unchanged(old, new, shift)
  local shortest, head, tail = math.min(#old, #new), 0, 0
  while head < shortest and old[head + 1].appearance == new[head + 1].appearance and old[head + 1].first == new[head + 1].first do
    head = head + 1
  end
  while tail < shortest - head and old[#old - tail].appearance == new[#new - tail].appearance
    and old[#old - tail].first + shift == new[#new - tail].first do
    tail = tail + 1
  end
  return head, tail
end

local function draw_hunk(review, hunk, place, is_one_of_many)
  local right, left = review.right, review.left
  local is_dropped = hunk.state == 'dropped'
  draw_state(right, hunk, place, vim.api.nvim_buf_line_count(right) - 1)
  if not is_dropped then
    local both = is_one_of_many
      and math.min(hunk.original['end'] - hunk.original.start, hunk.current['end'] - hunk.current.start) or nil
    draw_changed_lines(review.left_win, left, hunk.original, both, 'AlongsideShownRemovedLine')
    draw_changed_lines(review.right_win, right, hunk.current, both, 'AlongsideShownAddedLine')
  end
  if hunk.unseen then
    hard_to_see.draw_sentence(review, hunk, put)
  end
  if hunk.blanks then
    draw_whitespace(left, hunk.blanks.removed, 'AlongsideShownRemoved')
    draw_whitespace(right, hunk.blanks.added, 'AlongsideShownAdded')
  end
  if hunk.words and not is_dropped then
    -- The words of an edited change have positions in the current text, the words of others in the proposal.
    local delta = hunk.state == 'edited' and 0 or hunk.current.start - hunk.proposed.start
    draw_words(right, hunk.words.added, 'AlongsideShownAdded', delta)
    draw_words(left, hunk.words.removed, 'AlongsideShownRemoved', 0)
  end
end

---@class alongside.Marked
---@field hunks table[]
---@field left integer
---@field right integer
---@field left_win integer?
---@field right_win integer?
---@field original string[]

--- Draws the extmarks of changed hunks.
---@param review alongside.Marked
---@param current string[] the text of the right buffer, to which the hunks belong
---@param again fun()? called when all hunks must be drawn again
---@param draws_all boolean? whether to draw all hunks now
function M.draw(review, current, again, draws_all)
  local right, left = review.right, review.left
  if not vim.api.nvim_buf_is_valid(left) then
    return
  end
  local lines = vim.api.nvim_buf_line_count(right)
  local new, place = {}, places(review.hunks, lines - 1)
  for i, hunk in ipairs(review.hunks) do
    new[i] = { appearance = appearance(hunk, place[i]), first = hunk.current.start }
  end
  local before = drawn[right]
  if not before or #new <= MAX_REDRAWN_CHANGES or draws_all then
    M.clear(right)
    M.clear(left)
    before = { hunks = {}, lines = lines }
  end
  local old = before.hunks
  local head, tail = unchanged(old, new, lines - before.lines)
  for i = head + 1, #old - tail do
    for _, mark in ipairs(old[i].marks) do
      vim.api.nvim_buf_del_extmark(mark[1], ns, mark[2])
    end
  end
  local is_one_of_many = #new > MAX_REDRAWN_CHANGES
  for i = 1, #new do
    local unchanged_hunk = i <= head and old[i] or i > #new - tail and old[i - #new + #old]
    if unchanged_hunk then
      new[i].marks = unchanged_hunk.marks
    else
      hunk_marks = {}
      draw_hunk(review, review.hunks[i], place[i], is_one_of_many)
      new[i].marks = hunk_marks
    end
  end
  local drawing = { hunks = new, lines = lines }
  drawn[right] = drawing
  if is_one_of_many and not draws_all then
    vim.defer_fn(function()
      if drawn[right] == drawing and again then
        again()
      end
    end, REDRAW_PAUSE)
  end
  local differ = (current[#current] == '') ~= (review.original[#review.original] == '')
  draw_last_line_end(right, differ and current or nil, 'AlongsideShownAddedNote')
  draw_last_line_end(left, differ and review.original or nil, 'AlongsideShownRemovedNote')
end

--- Removes all extmarks of a buffer.
---@param buf integer
function M.clear(buf)
  drawn[buf] = nil
  if vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    vim.api.nvim_buf_clear_namespace(buf, ends, 0, -1)
  end
end

return M
