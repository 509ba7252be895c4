-- What a person sees on the texts beside Neovim's own diff: which words differ, and what has become of each change.
-- Dropped changes are where the diff shows nothing any more, so a sign says that there was one.

local text = require('alongside.text')

local M = {}

local ns = vim.api.nvim_create_namespace('alongside.marks')

local groups = {
  AlongsideAdded = 'DiffText',
  AlongsideRemoved = 'DiffText',
  AlongsideKept = 'Added',
  AlongsideDropped = 'Comment',
  AlongsideEdited = 'Changed',
  AlongsideTitle = 'Title',
  AlongsideNote = 'Comment',
  AlongsideWarning = 'WarningMsg',
  AlongsideKey = 'Special',
}

--- Names what the groups look like, unless the person or their colours have named it.
function M.setup()
  local function link()
    for group, to in pairs(groups) do
      vim.api.nvim_set_hl(0, group, { link = to, default = true })
    end
  end
  link()
  vim.api.nvim_create_autocmd('ColorScheme', {
    group = vim.api.nvim_create_augroup('alongside.marks', {}),
    desc = 'alongside: colours that other colours removed',
    callback = link,
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
---@param review { hunks: table[], left: integer?, right: integer, original: string[]?, proposed: string[] }
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
