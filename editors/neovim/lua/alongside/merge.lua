-- The differences of two texts, and the merge of two changes of one text: the person's edits and those of another desk. Where
-- these overlap, the person's win.

local text = require('alongside.text')

local M = {}

local compare = vim.text and vim.text.diff or vim.diff

--- The differences of two lists of lines: { first, last, from, upto } in the old and the new one, 0-based, ends exclusive.
---@param old string[]
---@param new string[]
---@return integer[][]
function M.differences(old, new)
  local head, tail = text.common(old, new)
  if head == #old and head == #new then
    return {}
  end
  if head + tail == #old or head + tail == #new then
    return { { head, #old - tail, head, #new - tail } }
  end
  local function middle(lines)
    return table.concat(lines, '\n', head + 1, #lines - tail) .. '\n'
  end
  local found = {}
  for _, hunk in ipairs(compare(middle(old), middle(new), { result_type = 'indices' })) do
    local first, removed, from, added = unpack(hunk)
    -- vim.diff gives the line before an empty range.
    first = head + first - (removed > 0 and 1 or 0)
    from = head + from - (added > 0 and 1 or 0)
    found[#found + 1] = { first, first + removed, from, from + added }
  end
  return found
end

local function overlap(a, b)
  if a[1] == a[2] and b[1] == b[2] then
    return a[1] == b[1]
  end
  return a[1] < b[2] and b[1] < a[2]
end

--- `mine` with the changes of `theirs` from `base`, except where `mine` has changed the same lines.
---@param base string[]
---@param mine string[]
---@param theirs string[]
---@return string[]
function M.merge(base, mine, theirs)
  if text.equal(base, mine) then
    return theirs
  end
  local ours = M.differences(base, mine)
  local result, at, copied, shift = {}, 1, 0, 0
  local function copy(upto)
    for i = copied + 1, upto do
      result[#result + 1] = mine[i]
    end
    copied = upto
  end
  for _, hunk in ipairs(M.differences(base, theirs)) do
    local taken = false
    for _, own in ipairs(ours) do
      taken = taken or overlap(own, hunk)
    end
    if not taken then
      while ours[at] and ours[at][2] <= hunk[1] do
        shift = shift + (ours[at][4] - ours[at][3]) - (ours[at][2] - ours[at][1])
        at = at + 1
      end
      copy(hunk[1] + shift)
      for i = hunk[3] + 1, hunk[4] do
        result[#result + 1] = theirs[i]
      end
      copied = hunk[2] + shift
    end
  end
  copy(#mine)
  return result
end

return M
