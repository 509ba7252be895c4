-- What a person sees on the texts beside Neovim's own diff: which words differ, and what has become of each change.
-- Dropped changes are where the diff shows nothing any more, so a sign says that there was one.

local text = require('alongside.text')

local M = {}

local ns = vim.api.nvim_create_namespace('alongside.marks')

local links = {
  AlongsideKept = 'Added',
  AlongsideDropped = 'Comment',
  AlongsideEdited = 'Changed',
  AlongsideTitle = 'Title',
  AlongsideNote = 'Comment',
  AlongsideWarning = 'WarningMsg',
  AlongsideKey = 'Special',
}

-- Neovim draws its diff over every mark. So the windows of a review show nothing as changed lines and words, and these
-- look the same: copies, for a link would lead to nothing too.
local copies = { AlongsideLine = 'DiffChange', AlongsideAdded = 'DiffText', AlongsideRemoved = 'DiffText' }

--- 'winhighlight' of the windows that are marked.
M.WINDOWS = 'DiffChange:AlongsideNothing,DiffText:AlongsideNothing,DiffTextAdd:AlongsideNothing'

local function definition(group)
  local found = vim.api.nvim_get_hl(0, { name = group })
  while found.link do
    found = vim.api.nvim_get_hl(0, { name = found.link })
  end
  return found
end

--- Names what the groups look like, unless the person or their colours have named it.
function M.setup()
  local function define()
    for group, to in pairs(links) do
      vim.api.nvim_set_hl(0, group, { link = to, default = true })
    end
    for group, from in pairs(copies) do
      local looks = definition(from)
      looks.default = true
      vim.api.nvim_set_hl(0, group, looks)
    end
  end
  define()
  vim.api.nvim_create_autocmd('ColorScheme', {
    group = vim.api.nvim_create_augroup('alongside.marks', {}),
    desc = 'alongside: colours that other colours removed',
    callback = define,
  })
end

local signs = {
  kept = { '+', 'AlongsideKept' },
  dropped = { '-', 'AlongsideDropped' },
  edited = { '~', 'AlongsideEdited' },
}

-- So many lines of one change get a sign each: what is longer needs none to be found.
local MOST_SIGNS = 1000

local function put(buf, line, column, mark)
  -- The text may be ahead of what is known of it, for a moment.
  mark.strict = false
  pcall(vim.api.nvim_buf_set_extmark, buf, ns, line, column, mark)
end

local function words(buf, ranges, pieces, format, group, delta)
  for _, range in ipairs(ranges or {}) do
    local piece = pieces[range.start.line + 1]
    if piece then
      local mark = format.bom and range.start.line == 0 and 3 or 0
      local from = math.max(0, text.byte(piece, range.start.character) - mark)
      local to = math.max(0, text.byte(piece, range['end'].character) - mark)
      put(buf, range.start.line + delta, from, {
        end_col = to,
        hl_group = group,
        -- Above syntax, below what a person searches for.
        priority = 180,
        hl_mode = 'combine',
      })
    end
  end
end

-- The lines of a change that Neovim's diff shows beside others: those it leaves to us.
local function changed_lines(win, buf, range)
  if not win or not vim.api.nvim_win_is_valid(win) then
    return
  end
  vim.api.nvim_win_call(win, function()
    for line = range.start, math.min(range['end'], range.start + MOST_SIGNS) - 1 do
      local group = vim.fn.synIDattr(vim.fn.diff_hlID(line + 1, 1), 'name')
      if group == 'DiffChange' or group == 'DiffText' or group == 'DiffTextAdd' then
        -- Below syntax.
        put(buf, line, 0, { end_row = line + 1, hl_group = 'AlongsideLine', hl_eol = true, priority = 90 })
      end
    end
  end)
end

local function count(number)
  return number == 1 and '1 line' or number .. ' lines'
end

--- What is said behind the first line of a change, if something is.
local function remark(hunk)
  local size = hunk.current['end'] - hunk.current.start
  if hunk.state == 'edited' then
    return size == 0 and 'edited: nothing is left of it' or 'edited'
  elseif hunk.state == 'dropped' then
    local added = hunk.proposed['end'] - hunk.proposed.start
    return size == 0 and ('dropped: %s'):format(count(added)) or 'dropped'
  end
end

local function state(buf, hunk, last_line)
  local sign, group = unpack(signs[hunk.state] or signs.kept)
  local first, stop = hunk.current.start, hunk.current['end']
  if first == stop then
    -- There is no line of it: the one above stands for it, or the first one.
    first = math.max(0, first - 1)
    stop = first + 1
  end
  first = math.min(first, last_line)
  for line = first, math.min(stop, first + MOST_SIGNS, last_line + 1) - 1 do
    put(buf, line, 0, { sign_text = sign, sign_hl_group = group, priority = 20 })
  end
  local said = remark(hunk)
  if said then
    put(buf, first, 0, { virt_text = { { '  ' .. said, group } }, virt_text_pos = 'eol', hl_mode = 'combine' })
  end
end

-- Files without a last line end look like others, and a change of only that looks like none.
local function last_line_end(buf, pieces)
  if #pieces > 0 and pieces[#pieces] ~= '' then
    local line = vim.api.nvim_buf_line_count(buf) - 1
    put(buf, line, 0, { virt_text = { { '  no line end', 'AlongsideNote' } }, virt_text_pos = 'eol', hl_mode = 'combine' })
  end
end

--- Draws the marks of all hunks anew.
---@param review { hunks: table[], left: integer?, right: integer, left_win: integer?, right_win: integer?, original: string[]?, proposed: string[] }
---@param current string[] what is in the right buffer, and what the hunks are told of
---@param format alongside.Format
function M.draw(review, current, format)
  local right, left = review.right, review.left
  vim.api.nvim_buf_clear_namespace(right, ns, 0, -1)
  local has_left = left and vim.api.nvim_buf_is_valid(left) and review.original
  if has_left then
    vim.api.nvim_buf_clear_namespace(left, ns, 0, -1)
  end
  local last_line = vim.api.nvim_buf_line_count(right) - 1
  for _, hunk in ipairs(review.hunks) do
    state(right, hunk, last_line)
    if has_left and hunk.state ~= 'dropped' then
      changed_lines(review.left_win, left, hunk.original)
      changed_lines(review.right_win, right, hunk.current)
    end
    if hunk.words and hunk.state ~= 'dropped' then
      local is_edited = hunk.state == 'edited'
      local delta = is_edited and 0 or hunk.current.start - hunk.proposed.start
      words(right, hunk.words.added, is_edited and current or review.proposed, format, 'AlongsideAdded', delta)
      if has_left then
        words(left, hunk.words.removed, review.original, format, 'AlongsideRemoved', 0)
      end
    end
  end
  local original = has_left and review.original
  local open = current[#current] ~= ''
  if original and open ~= (original[#original] ~= '') then
    last_line_end(right, current)
    last_line_end(left, original)
  end
end

--- Takes all marks away.
---@param buf integer
function M.clear(buf)
  if vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  end
end

return M
