-- The changes of a review of which something is hard to see: what, in words, and its blanks, drawn.

local look_alikes = require('alongside.look_alikes')
local merge = require('alongside.merge')

local M = {}

-- The findings in the changes, by their text: they are drawn again and again. Emptied when it holds so many.
local found, count, MOST = {}, 0, 10000

--- The parts of a change that are hard to see, if it is not dropped.
---@param hunk table
---@param original string[]
---@param current string[]
---@return alongside.Alike
function M.of(hunk, original, current)
  if hunk.state == 'dropped' then
    return { kinds = {}, pairs = {} }
  end
  local olds, news = merge.lines_of(original, hunk.original), merge.lines_of(current, hunk.current)
  local key = table.concat(olds) .. '\0' .. table.concat(news)
  if not found[key] then
    if count >= MOST then
      found, count = {}, 0
    end
    found[key], count = look_alikes.find(olds, news), count + 1
  end
  return found[key]
end

--- The sentence about all changes that would be accepted, and which ones those are; nil without any.
---@param review table
---@return string?, table<table, boolean>
function M.of_review(review)
  local this, shown = review.sync, review.view
  if not this or not shown then
    return nil, {}
  end
  local known = review.hard_to_see
  if not known or known.hunks ~= review.hunks or known.told ~= this.told or known.revision ~= this.revision then
    local kinds, numbers, hunks = {}, {}, {}
    for _, hunk in ipairs(review.hunks) do
      for _, kind in ipairs(M.of(hunk, shown.original, this.told).kinds) do
        hunks[hunk] = true
        if not numbers[kind[1]] then
          numbers[kind[1]] = { kind[1], 0 }
          kinds[#kinds + 1] = numbers[kind[1]]
        end
        numbers[kind[1]][2] = numbers[kind[1]][2] + kind[2]
      end
    end
    known = { hunks = review.hunks, told = this.told, revision = this.revision, said = look_alikes.sentence(kinds), which = hunks }
    review.hard_to_see = known
  end
  return known.said, known.which
end

local SIGNS = { [' '] = '·', ['\t'] = '→', ['\227\128\128'] = '␣ ' }

--- Draws blanks over a line: `put` sets a mark at a line and column.
---@param put fun(line: integer, column: integer, mark: table)
---@param line integer
---@param runs { from: integer, text: string }[]
---@param group string
local function draw_runs(put, line, runs, group)
  for _, run in ipairs(runs) do
    local column = run.from
    -- A tab is wider than its sign, so each has a mark of its own.
    for char in run.text:gmatch('[^\128-\191][\128-\191]*') do
      put(line, column, {
        virt_text = { { SIGNS[char] or '␣', group } }, virt_text_pos = 'overlay', hl_mode = 'combine', priority = 190,
      })
      column = column + #char
    end
  end
end

-- A sentence in lines of so many columns.
local function wrapped(said, columns)
  local lines = { '' }
  for word in said:gmatch('%S+') do
    local longer = lines[#lines] == '' and word or lines[#lines] .. ' ' .. word
    if lines[#lines] ~= '' and vim.fn.strdisplaywidth(longer) > columns then
      lines[#lines + 1] = word
    else
      lines[#lines] = longer
    end
  end
  return lines
end

local function trailing(line)
  local from = line:find('[ \t]+$')
  return from and { { from = from - 1, text = line:sub(from) } } or {}
end

--- Draws what is hard to see in a change: its blanks in both windows, and the sentence below it.
---@param review alongside.Marked
---@param hunk table
---@param current string[]
---@param put fun(buf: integer, line: integer, column: integer, mark: table)
---@param most integer the most lines
function M.draw(review, hunk, current, put, most)
  local right, left = review.right, review.left
  local alike = M.of(hunk, review.original, current)
  local is_paired = {}
  for i = 1, math.min(#alike.pairs, most) do
    local old, new = hunk.original.start + alike.pairs[i][1] - 1, hunk.current.start + alike.pairs[i][2] - 1
    local was, is = vim.fn.getbufoneline(left, old + 1), vim.fn.getbufoneline(right, new + 1)
    is_paired[new] = true
    draw_runs(function(...) put(left, ...) end, old, look_alikes.blanks(was, is), 'AlongsideShownRemoved')
    draw_runs(function(...) put(right, ...) end, new, look_alikes.blanks(is, was), 'AlongsideShownAdded')
  end
  if hunk.state ~= 'dropped' then
    for line = hunk.current.start, math.min(hunk.current['end'], hunk.current.start + most) - 1 do
      if not is_paired[line] then
        local blanks = trailing(vim.fn.getbufoneline(right, line + 1))
        draw_runs(function(...) put(right, ...) end, line, blanks, 'AlongsideShownAdded')
      end
    end
  end
  local said = look_alikes.sentence(alike.kinds)
  if said then
    local win = review.right_win
    local is_there = win and vim.api.nvim_win_is_valid(win)
    local columns = is_there and vim.api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff or 80
    local lines, blank = {}, {}
    for i, one in ipairs(wrapped(said, math.max(10, columns - 2))) do
      -- As many rows on the other side keep the lines side by side.
      lines[i], blank[i] = { { '  ' .. one, 'AlongsideWarning' } }, { { '', 'AlongsideNote' } }
    end
    put(right, hunk.current['end'] - 1, 0, { virt_lines = lines })
    local above = hunk.original['end'] == 0
    put(left, above and 0 or hunk.original['end'] - 1, 0, { virt_lines = blank, virt_lines_above = above })
  end
end

return M
