-- Lines that differ and look the same: why, in the words of every desk, and where their blanks differ. The rules are those of
-- crates/desk/src/look_alikes.rs; a test runs the examples there.

local harmless = require('alongside.harmless')
local invisible = require('alongside.invisible')

local M = {}

-- A change with more bytes on a side than this is not looked through, and so many kinds are named.
local MOST_BYTES, MOST_KINDS = 262144, 4

-- Characters that look like the ASCII ones behind them, and the script that they are from.
M.LETTERS = {
  { 'Cyrillic ', 'аеорсухіјѕһԁԛԝӏАВЕКМНОРСТУХІЈЅ', 'aeopcyxijshdqwlABEKMHOPCTYXIJS' },
  { 'Greek ', 'ονρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ\205\190', 'ovpABEZHIKMNOPTYX;' },
  { 'Armenian ', 'օսհ', 'ouh' },
  { '', 'ıɡɑ‐‑‒–−﹣‘’ʼ′“”․‚∶ː꞉∕⁄∗ǃ∣ǀˆ‹›', [[iga------''''"".,::://*!||^<>]] },
}

-- Letters with an accent: the accent, the letters, and both as one. Neovim cannot normalize Unicode.
local COMPOSED = {
  { '\204\128', 'AEIOUaeiou', 'ÀÈÌÒÙàèìòù' },
  { '\204\129', 'AEIOUYaeiouyCcNnSsZz', 'ÁÉÍÓÚÝáéíóúýĆćŃńŚśŹź' },
  { '\204\130', 'AEIOUaeiou', 'ÂÊÎÔÛâêîôû' },
  { '\204\131', 'ANOano', 'ÃÑÕãñõ' },
  { '\204\136', 'AEIOUaeiouy', 'ÄËÏÖÜäëïöüÿ' },
  { '\204\138', 'AaUu', 'ÅåŮů' },
  { '\204\140', 'CcDdEeNnRrSsTtZz', 'ČčĎďĚěŇňŘřŠšŤťŽž' },
  { '\204\139', 'OoUu', 'ŐőŰű' },
  { '\204\167', 'CcSs', 'ÇçŞş' },
  { '\204\168', 'AaEe', 'ĄąĘę' },
  { '\204\134', 'AaGgИи', 'ĂăĞğЙй' },
  { '\204\135', 'IZz', 'İŻż' },
}

local CHAR = '[^\128-\191][\128-\191]*'

local function chars(text)
  local found = {}
  for char in text:gmatch(CHAR) do
    found[#found + 1] = char
  end
  return found
end

local twins, scripts, decomposed = {}, {}, {}
for _, row in ipairs(M.LETTERS) do
  for i, char in ipairs(chars(row[2])) do
    twins[char], scripts[char] = row[3]:sub(i, i), row[1]
  end
end
for _, row in ipairs(COMPOSED) do
  local letters = chars(row[2])
  for i, char in ipairs(chars(row[3])) do
    decomposed[char] = letters[i] .. row[1]
  end
end

local SPACES = { [0x20] = true, [0x85] = true, [0xa0] = true, [0x1680] = true, [0x202f] = true, [0x205f] = true, [0x3000] = true,
  [0x2028] = true, [0x2029] = true }

-- "blank", "unseen" or nil: what kind of character it is; remembered, because lines repeat them.
local kind_of = setmetatable({}, {
  __index = function(known, char)
    local code = harmless.code(char) or 0xfffd
    local is_blank = SPACES[code] or code >= 0x09 and code <= 0x0d or code >= 0x2000 and code <= 0x200a
    known[char] = is_blank and 'blank' or harmless.is_harmful(code) and 'unseen' or 'seen'
    return known[char]
  end,
})

local function number(char)
  return ('U+%04X'):format(harmless.code(char) or 0xfffd)
end

local function decompose(text)
  return text:find('[\128-\255]') and text:gsub(CHAR, decomposed) or text
end

-- The visible form of a line without its blanks: equal for lines that may look the same.
local function shape(line)
  if not line:find('[\128-\255%c]') then
    return (line:gsub(' ', ''))
  end
  return (decompose(line):gsub(CHAR, function(char)
    return kind_of[char] == 'seen' and (twins[char] or char) or ''
  end))
end

local function without_end(line)
  local text = line:match('^(.*)\n$')
  if not text then
    return line, ''
  end
  local bare = text:match('^(.*)\r$')
  return bare or text, bare and '\r\n' or '\n'
end

local function letter(char)
  return #char == 1 and char or ('%s%s (%s)'):format(scripts[char] or '', char, number(char))
end

-- A blank that is no usual one, by its name.
local function space(char)
  local names = { ['\194\160'] = 'a no-break space (%s)', ['\227\128\128'] = 'a wide space (%s)' }
  return (names[char] or 'a space %s'):format(number(char))
end

local function special(in_this, not_in)
  for char in in_this:gmatch(CHAR) do
    if char ~= ' ' and char ~= '\t' and not not_in:find(char, 1, true) then
      return space(char)
    end
  end
end

-- How blanks differ from those in their place, if one cannot see that.
local function blank_kind(old, new, is_end, is_line)
  local new_special, old_special = special(new, old), special(old, new)
  local are_plain = not (old .. new):find('[^ ]')
  if new_special then
    return new_special .. ' in place of a blank'
  elseif old_special then
    return 'a blank in place of ' .. old_special
  elseif is_line and old == '' then
    return 'blanks on an empty line'
  elseif is_line and new == '' then
    return 'no blanks on an empty line any more'
  elseif is_end and (old == '' or are_plain and #new > #old) then
    return 'blanks at the end of the line'
  elseif is_end and (new == '' or are_plain) then
    return 'fewer blanks at the end of the line'
  elseif old == '' or new == '' then
    return
  end
  local was, is = old:find('\t', 1, true), new:find('\t', 1, true)
  -- One sees a deeper indentation, and a wider gap.
  return is and not was and 'a tab in place of blanks' or was and not is and 'blanks in place of a tab'
    or was and 'tabs and blanks mixed otherwise' or nil
end

-- A cursor in the characters of a line.
local function reader(line)
  local all, at = chars(line), 1
  local self = {}
  function self.peek()
    return all[at]
  end
  function self.skip()
    at = at + 1
  end
  function self.blanks()
    local from = at
    while all[at] and kind_of[all[at]] == 'blank' do
      at = at + 1
    end
    return table.concat(all, '', from, at - 1)
  end
  -- The next character that one sees; notes those before it.
  function self.seen(note)
    while all[at] and kind_of[all[at]] == 'unseen' do
      note(invisible.name(all[at]))
      at = at + 1
    end
    at = at + 1
    return all[at - 1]
  end
  return self
end

local function is_blank(line)
  for char in line:gmatch(CHAR) do
    if kind_of[char] ~= 'blank' then
      return false
    end
  end
  return true
end

-- The kinds of differences of two lines that look the same; nil if one sees a difference, or none is there.
local function differences(old, new)
  local kinds, is_known = {}, {}
  local function note(kind)
    if not is_known[kind] then
      is_known[kind], kinds[#kinds + 1] = true, kind
    end
  end
  local old_end, new_end
  old, old_end = without_end(old)
  new, new_end = without_end(new)
  if old_end == '\n' and new_end == '\r\n' then
    note('line ends CRLF in place of LF')
  elseif old_end == '\r\n' and new_end == '\n' then
    note('line ends LF in place of CRLF')
  end
  local one, other = reader(decompose(old)), reader(decompose(new))
  local is_line = is_blank(old) and is_blank(new)
  while one.peek() or other.peek() do
    local blanks, others = one.blanks(), other.blanks()
    if blanks ~= others then
      local kind = blank_kind(blanks, others, not one.peek() and not other.peek(), is_line)
      if not kind then
        return
      end
      note(kind)
    elseif one.peek() == other.peek() then
      one.skip()
      other.skip()
    else
      local was, is = one.seen(note), other.seen(note)
      if was and is and was ~= is and (twins[was] or was) == (twins[is] or is) then
        note(('%s in place of %s'):format(letter(is), letter(was)))
      elseif was ~= is then
        return
      end
    end
  end
  if #kinds == 0 and old ~= new then
    note(#chars(new) < #chars(old) and 'accents composed with their letters' or 'accents in characters of their own')
  end
  table.sort(kinds)
  return #kinds > 0 and kinds or nil
end

local function bytes(lines)
  local sum = 0
  for _, line in ipairs(lines) do
    sum = sum + #line
  end
  return sum
end

---@class alongside.Alike
---@field kinds { [1]: string, [2]: integer }[] differences that one cannot see, and in how many lines
---@field pairs { [1]: integer, [2]: integer }[] the numbers of the lines on both sides, 1-based

--- The lines of two sides of a change, with their ends, that look the same and differ.
---@param olds string[]
---@param news string[]
---@return alongside.Alike
function M.find(olds, news)
  local found = { kinds = {}, pairs = {} }
  if #news == 0 or math.max(bytes(olds), bytes(news)) > MOST_BYTES then
    return found
  end
  local alike, counts, added = {}, {}, invisible.added(olds, news)
  for i, line in ipairs(olds) do
    local form = shape(line)
    alike[form] = alike[form] or {}
    table.insert(alike[form], i)
  end
  for i, line in ipairs(news) do
    local places = alike[shape(line)] or {}
    local kinds
    if #places > 0 then
      local at = 1
      for k, place in ipairs(places) do
        if olds[place] == line then
          at = k
          break
        end
      end
      local place = table.remove(places, at)
      kinds = olds[place] ~= line and differences(olds[place], line) or nil
      found.pairs[#found.pairs + 1] = kinds and { place, i } or nil
    end
    local is_counted = {}
    for _, kind in ipairs(vim.list_extend(kinds or {}, added[i] or {})) do
      if not counts[kind] then
        counts[kind] = { kind, 0 }
        table.insert(found.kinds, counts[kind])
      end
      counts[kind][2] = counts[kind][2] + (is_counted[kind] and 0 or 1)
      is_counted[kind] = true
    end
  end
  return found
end

--- The sentence: "Hard to see: a tab in place of blanks (2 lines)."; nil without a kind.
---@param kinds { [1]: string, [2]: integer }[]
---@return string?
function M.sentence(kinds)
  local named = {}
  for i = 1, math.min(#kinds, MOST_KINDS) do
    local kind, lines = unpack(kinds[i])
    named[i] = lines == 1 and kind or ('%s (%d lines)'):format(kind, lines)
  end
  if #kinds > MOST_KINDS then
    named[#named + 1] = 'and more'
  end
  return #named > 0 and ('Hard to see: %s.'):format(table.concat(named, ', ')) or nil
end

-- The runs of blanks of a line by the number of characters before them that one sees, with their columns in bytes.
local function runs(line)
  local found, seen, column = {}, 0, 0
  for char in line:gmatch(CHAR) do
    local kind = kind_of[char]
    if kind == 'blank' then
      local run = found[seen] or { from = column, text = '' }
      found[seen], run.text = run, run.text .. char
    elseif kind == 'seen' then
      seen = seen + #chars(decomposed[char] or char)
    end
    column = column + #char
  end
  return found
end

--- The blanks of a line that differ from those of another one in their place: columns in bytes, and text.
---@param line string without its end
---@param other string
---@return { from: integer, text: string }[]
function M.blanks(line, other)
  local differ, theirs = {}, runs(other)
  for place, run in pairs(runs(line)) do
    if not theirs[place] or theirs[place].text ~= run.text then
      differ[#differ + 1] = run
    end
  end
  return differ
end

return M
