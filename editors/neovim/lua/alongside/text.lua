-- Converts between an agent's exact text and the lines of a buffer, and compares texts. A buffer has options for the
-- byte-order mark, line endings and a missing last newline, and counts columns in bytes; the desk protocol counts
-- UTF-16 units.
--
-- A text is split at every "\n" into pieces: "a\n" becomes { "a", "" }, "" becomes { "" }, and joining the pieces gives
-- the same text. A "\r" before the "\n" and a byte-order mark belong to their piece.

local M = {}

local BOM = '\239\187\191'

local compare = vim.text and vim.text.diff or vim.diff

---@class alongside.Format
---@field bom boolean the text begins with a byte-order mark
---@field dos boolean every line ends in "\r\n"
---@field eol boolean the last line ends like the others

---@param text string
---@return string[] pieces
function M.split(text)
  return vim.split(text, '\n', { plain = true })
end

---@param pieces string[]
---@return string text
function M.join(pieces)
  return table.concat(pieces, '\n')
end

---@return boolean
function M.equal(a, b)
  if a == b then
    return true
  end
  if #a ~= #b then
    return false
  end
  for i = 1, #a do
    if a[i] ~= b[i] then
      return false
    end
  end
  return true
end

--- Returns the number of equal pieces at the beginning of two texts, and of further equal pieces at their end.
---@return integer head, integer tail
function M.common(a, b)
  local shortest, head, tail = math.min(#a, #b), 0, 0
  while head < shortest and a[head + 1] == b[head + 1] do
    head = head + 1
  end
  while tail < shortest - head and a[#a - tail] == b[#b - tail] do
    tail = tail + 1
  end
  return head, tail
end

--- Whether each line of a text ends in "\r\n"; nil without line endings.
---@param pieces string[]
---@return boolean?
function M.is_dos(pieces)
  if #pieces == 1 then
    return nil
  end
  for i = 1, #pieces - 1 do
    if pieces[i]:byte(-1) ~= 13 then
      return false
    end
  end
  return true
end

--- Returns the buffer options for a text. `before` decides where the text allows several; a "\r" that was shown stays
--- visible.
---@param pieces string[]
---@param before alongside.Format?
---@return alongside.Format
function M.format(pieces, before)
  local bom = pieces[1]:sub(1, 3) == BOM
  local dos = M.is_dos(pieces)
  if dos == nil then
    dos = before ~= nil and before.dos
  elseif before and not before.dos then
    dos = false
  end
  return { bom = bom, dos = dos, eol = M.is_nothing(pieces) or (#pieces > 1 and pieces[#pieces] == '') }
end

function M.same_format(a, b)
  return a.bom == b.bom and a.dos == b.dos and a.eol == b.eol
end

--- Returns the lines of a buffer with this format. The empty text has no line, unlike a text of one empty line.
---@param pieces string[]
---@param format alongside.Format
---@return string[]
function M.lines(pieces, format)
  local last = #pieces
  local lines = {}
  for i = 1, last do
    local piece = pieces[i]
    if i == 1 and format.bom then
      piece = piece:sub(4)
    end
    if format.dos and i < last then
      piece = piece:sub(1, -2)
    end
    lines[i] = piece
  end
  if format.eol then
    lines[last] = nil
  end
  return lines
end

--- Returns the lines of a text for a buffer that hides "\r" or not (none for the empty text), and its format there.
---@param pieces string[]
---@param is_dos boolean
---@return string[] lines, alongside.Format
function M.shown(pieces, is_dos)
  local format = M.format(pieces)
  format.dos = is_dos and M.is_dos(pieces) ~= false
  return M.is_nothing(pieces) and {} or M.lines(pieces, format), format
end

--- Returns the pieces of some lines of a buffer, of which the first is line `first` (0-based) of `count`. Omits the
--- empty piece after the last line ending.
---@param lines string[]
---@param first integer
---@param count integer
---@param format alongside.Format
---@return string[]
function M.pieces(lines, first, count, format)
  local pieces = {}
  for i, line in ipairs(lines) do
    local number = first + i
    if format.dos and (number < count or format.eol) then
      line = line .. '\r'
    end
    if number == 1 and format.bom then
      line = BOM .. line
    end
    pieces[i] = line
  end
  return pieces
end

--- Returns the pieces of an empty buffer.
---@param format alongside.Format
---@return string[]
function M.empty(format)
  return { format.bom and BOM or '' }
end

--- Whether a text has no line at all.
---@param pieces string[]
---@return boolean
function M.is_nothing(pieces)
  return #pieces == 1 and (pieces[1] == '' or pieces[1] == BOM)
end

--- Returns the byte (0-based) after `units` UTF-16 units of `line`, or the end of the line.
---@param line string
---@param units integer
---@return integer
function M.byte(line, units)
  if not line:find('[\128-\255]') then
    return math.min(units, #line)
  elseif vim.fn.has('nvim-0.11') == 1 then
    return vim.str_byteindex(line, 'utf-16', units, false)
  end
  -- Neovim 0.10 has only this signature, which fails beyond the end of the line.
  local is_inside, byte = pcall(vim.str_byteindex, line, units, true)
  return is_inside and byte or #line
end

--- Returns a copy with the pieces from `head` + 1 to `upto` replaced with `new`.
---@return string[]
function M.spliced(pieces, head, upto, new)
  local result = {}
  for i = 1, head do
    result[i] = pieces[i]
  end
  local n = head
  for i = 1, #new do
    n = n + 1
    result[n] = new[i]
  end
  for i = upto + 1, #pieces do
    n = n + 1
    result[n] = pieces[i]
  end
  return result
end

--- Returns the replacement of the desk protocol that turns `old` into `new`; nil if they are equal.
---@param old string[]
---@param new string[]
---@return { lines: { start: integer, end: integer }, text: string }?
function M.replacement(old, new)
  local head, tail = M.common(old, new)
  if head == #old and head == #new then
    return nil
  end
  if tail == 0 and (head == #old or head == #new) then
    -- The line ending before the last pieces is added or removed, so the change starts with that line.
    head = head - 1
  end
  local text = table.concat(new, '\n', head + 1, #new - tail)
  local ending = tail > 0 and #new - tail > head and '\n' or ''
  return { lines = { start = head, ['end'] = #old - tail }, text = text .. ending }
end

--- Returns the text after a replacement of the desk protocol. Ignores lines beyond the end.
---@param pieces string[]
---@return string[]
function M.replaced(pieces, replacement)
  local new, stop = M.split(replacement.text), replacement.lines['end']
  if stop < #pieces then
    -- The new text ends with a line ending.
    stop = stop + 1
    new[#new] = new[#new] .. pieces[stop]
  end
  return M.spliced(pieces, replacement.lines.start, stop, new)
end

--- Returns the differences of two lists of lines as { first, last, from, upto }: the ranges in the old and in the new
--- list, 0-based, without their ends.
---@param old string[]
---@param new string[]
---@return integer[][]
function M.differences(old, new)
  local head, tail = M.common(old, new)
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
    -- vim.diff returns the line before an empty range.
    first = head + first - (removed > 0 and 1 or 0)
    from = head + from - (added > 0 and 1 or 0)
    found[#found + 1] = { first, first + removed, from, from + added }
  end
  return found
end

return M
