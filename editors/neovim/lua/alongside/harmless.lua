-- Makes text from outside harmless: paths, agents' names and messages. Terminals obey control characters, and
-- bidirectional and invisible characters disguise a text, so each becomes a visible escape. A test in
-- crates/desk/src/harmless compares this list of characters with the list there; this plugin also escapes such
-- characters within emoji and joined scripts.

local M = {}

-- Ranges of code points that control a terminal, are invisible, or reorder text.
local ranges = {
  { 0x00, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x34f, 0x34f }, { 0x61c, 0x61c }, { 0x115f, 0x1160 },
  { 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
  { 0x2800, 0x2800 }, { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 },
  { 0xfff0, 0xfffb }, { 0x13430, 0x13442 }, { 0x16fe4, 0x16fe4 }, { 0x1bca0, 0x1bca3 }, { 0x1d159, 0x1d159 },
  { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
}

local function is_harmful(code)
  for _, range in ipairs(ranges) do
    if code >= range[1] and code <= range[2] then
      return true
    end
  end
  return false
end

M.is_harmful = is_harmful

--- The length in bytes and the code point of the UTF-8 character at byte `i`; nil for invalid bytes.
local function decode(text, i)
  local first = text:byte(i)
  if first < 0x80 then
    return 1, first
  end
  local length, least, code
  if first >= 0xc2 and first <= 0xdf then
    length, least, code = 2, 0x80, first - 0xc0
  elseif first >= 0xe0 and first <= 0xef then
    length, least, code = 3, 0x800, first - 0xe0
  elseif first >= 0xf0 and first <= 0xf4 then
    length, least, code = 4, 0x10000, first - 0xf0
  else
    return nil
  end
  for k = i + 1, i + length - 1 do
    local byte = text:byte(k)
    if not byte or byte < 0x80 or byte > 0xbf then
      return nil
    end
    code = code * 64 + byte - 0x80
  end
  if code < least or code > 0x10ffff or (code >= 0xd800 and code <= 0xdfff) then
    return nil
  end
  return length, code
end

--- Returns the code point of a character; nil if the character is not UTF-8.
---@param char string
---@return integer?
function M.code(char)
  return select(2, decode(char, 1))
end

local short_escapes = { [0x09] = '\\t', [0x0a] = '\\n', [0x0d] = '\\r' }

local function escape(code)
  return short_escapes[code] or (code < 0x80 and ('\\x%02x'):format(code)) or ('\\u{%x}'):format(code)
end

--- Replaces characters for which `is_replaced` is true with the result of `replace`, and invalid bytes with U+FFFD.
local function substitute(text, is_replaced, replace)
  local out, from, i = {}, 1, 1
  while i <= #text do
    local length, code = decode(text, i)
    if not length or is_replaced(code) then
      out[#out + 1] = text:sub(from, i - 1)
      out[#out + 1] = length and replace(code) or '\239\191\189'
      from = i + (length or 1)
    end
    i = i + (length or 1)
  end
  out[#out + 1] = text:sub(from)
  return table.concat(out)
end

--- Returns a name, a path or a message, made harmless, in one line.
---@param text any
---@return string
function M.name(text)
  text = tostring(text)
  if not text:find('[^\32-\126]') then
    return text
  end
  return substitute(text, is_harmful, escape)
end

--- Returns several lines, made harmless, as one line with " / " between them.
---@param text any
---@return string
function M.one_line(text)
  return M.name((vim.trim(tostring(text)):gsub('%s*\n%s*', ' / ')))
end

--- Returns a message, made harmless; newlines and tabs stay.
---@param text any
---@return string
function M.text(text)
  return substitute(tostring(text), function(code)
    return code ~= 0x09 and code ~= 0x0a and is_harmful(code)
  end, escape)
end

--- Returns the text as valid UTF-8 for JSON: invalid bytes become U+FFFD, and nothing is escaped.
---@param text string
---@return string
function M.utf8(text)
  if not text:find('[\128-\255]') then
    return text
  end
  return substitute(text, function()
    return false
  end, escape)
end

--- Whether `text` is UTF-8.
---@param text string
---@return boolean
function M.is_utf8(text)
  return M.utf8(text) == text
end

--- Returns a text, made harmless, for 'statusline', 'winbar' and 'tabline', where "%" begins an item.
---@param text any
---@return string
function M.statusline(text)
  return (M.name(text):gsub('%%', '%%%%'))
end

return M
