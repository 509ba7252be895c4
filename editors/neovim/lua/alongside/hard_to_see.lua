-- Draws the parts of a change that are hard to see, as the companion reports them: changed whitespace, and a sentence
-- below the change.

local M = {}

local SIGNS = { [' '] = '·', ['\t'] = '→', ['\227\128\128'] = '␣ ' }

--- Draws signs over changed whitespace. A tab is wider than its sign, so each character has an extmark of its own.
---@param whitespace string
---@param group string
---@param put fun(offset: integer, mark: table) sets an extmark after `offset` bytes
function M.draw_whitespace(whitespace, group, put)
  for offset, char in whitespace:gmatch('()([^\128-\191][\128-\191]*)') do
    put(offset - 1, {
      virt_text = { { SIGNS[char] or '␣', group } }, virt_text_pos = 'overlay', hl_mode = 'combine', priority = 190,
    })
  end
end

-- A sentence, split into lines of at most `columns` columns.
local function wrapped(sentence, columns)
  local lines = { '' }
  for word in sentence:gmatch('%S+') do
    local longer = lines[#lines] == '' and word or lines[#lines] .. ' ' .. word
    if lines[#lines] ~= '' and vim.fn.strdisplaywidth(longer) > columns then
      lines[#lines + 1] = word
    else
      lines[#lines] = longer
    end
  end
  return lines
end

--- Draws the sentence about a change below it.
---@param review alongside.Marked
---@param hunk table
---@param put fun(buf: integer, line: integer, column: integer, mark: table)
function M.draw_sentence(review, hunk, put)
  local win = review.right_win
  local is_valid = win and vim.api.nvim_win_is_valid(win)
  local columns = is_valid and vim.api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff or 80
  local lines, padding = {}, {}
  for i, line in ipairs(wrapped(hunk.unseen, math.max(10, columns - 2))) do
    -- As many empty rows on the other side keep the lines side by side.
    lines[i], padding[i] = { { '  ' .. line, 'AlongsideWarning' } }, { { '', 'AlongsideNote' } }
  end
  put(review.right, hunk.current['end'] - 1, 0, { virt_lines = lines })
  local above = hunk.original['end'] == 0
  put(review.left, above and 0 or hunk.original['end'] - 1, 0, { virt_lines = padding, virt_lines_above = above })
end

return M
