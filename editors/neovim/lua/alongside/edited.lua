-- The differences that an edited change still has: a person who takes back a part of it has lines in it that are those of the
-- original.

local merge = require('alongside.merge')

local M = {}

--- The lines of a range, with their ends.
---@param pieces string[]
---@param range { start: integer, end: integer }
---@return string[]
function M.lines_of(pieces, range)
  local lines = {}
  for i = range.start + 1, math.min(range['end'], #pieces) do
    lines[#lines + 1] = pieces[i] .. (i < #pieces and '\n' or '')
  end
  return lines
end

---@class alongside.Edited
---@field added integer lines that accepting adds
---@field removed integer lines that accepting removes
---@field lines integer[] the lines of the current text that differ, or are beside removed ones, 0-based

--- Compares an edited change with its original.
---@param hunk table
---@param original string[]
---@param current string[] the text that the hunk is told of
---@return alongside.Edited
function M.of(hunk, original, current)
  if hunk.compared and hunk.compared.current == current then
    return hunk.compared
  end
  local function lines(pieces, range)
    return vim.tbl_map(function(line)
      -- A missing line end is a difference.
      return line:sub(-1) == '\n' and line:sub(1, -2) or line .. '\0'
    end, M.lines_of(pieces, range))
  end
  local found = { current = current, added = 0, removed = 0, lines = {} }
  local differences = merge.differences(lines(original, hunk.original), lines(current, hunk.current))
  for _, block in ipairs(differences) do
    local first, upto, from, to = unpack(block)
    found.removed, found.added = found.removed + upto - first, found.added + to - from
    -- Removed lines have their sign on the line above.
    local begins = from < to and from or math.max(0, from - 1)
    for line = begins, math.max(begins, to - 1) do
      found.lines[#found.lines + 1] = hunk.current.start + line
    end
  end
  hunk.compared = found
  return found
end

return M
