-- Invisible characters, and those that turn others round: their names, in the words of every desk, and which ones a change
-- adds. The rules are those of crates/desk/src/look_alikes.rs.

local harmless = require('alongside.harmless')

local M = {}

-- Characters that show nothing themselves, and show others in another order.
M.TURNING = {
  [0x61c] = 'Arabic letter mark', [0x200e] = 'left-to-right mark', [0x200f] = 'right-to-left mark',
  [0x202a] = 'left-to-right embedding', [0x202b] = 'right-to-left embedding', [0x202c] = 'end of a direction',
  [0x202d] = 'left-to-right override', [0x202e] = 'right-to-left override', [0x2066] = 'left-to-right isolate',
  [0x2067] = 'right-to-left isolate', [0x2068] = 'first strong isolate', [0x2069] = 'end of an isolate',
}

--- A character that one does not see, by its effect and number.
---@param char string
---@return string
function M.name(char)
  local code = harmless.code(char) or 0xfffd
  return ('%s U+%04X'):format(M.TURNING[code] or 'invisible', code)
end

-- Whether an invisible character belongs to what people read: a selector of an emoji, a joiner in an emoji or in a script
-- whose letters join. Neovim knows no properties of characters, so these are ranges.
local function belongs(code, before, after)
  local last, next = before and harmless.code(before) or 0, after and harmless.code(after) or 0
  if last < 0xa9 then
    return code == 0xfe0f and next == 0x20e3
  elseif code == 0xfe0e or code == 0xfe0f then
    return not harmless.is_harmful(last)
  end
  local joins = code == 0x200c or code == 0x200d or code >= 0x180b and code <= 0x180f
  local is_joined = last >= 0x600 and last < 0x1e00 or last >= 0x2190 and last < 0x2e80 or last >= 0xa800 and last < 0xac00
    or last >= 0xfb00
  return joins and is_joined and not (after or ''):find('^%w')
end

-- The invisible characters of lines, each with its line. Control characters are shown as such.
local function all_of(lines)
  local found = {}
  for i, line in ipairs(lines) do
    if line:find('[\194-\244]') then
      local all = {}
      for char in line:gmatch('[^\128-\191][\128-\191]*') do
        all[#all + 1] = char
      end
      for k, char in ipairs(all) do
        local code = harmless.code(char) or 0
        -- At the beginning it may be a byte-order mark, which the bar names.
        local is_mark = i == 1 and k == 1 and char == '\239\187\191'
        if code > 0x9f and harmless.is_harmful(code) and not is_mark and not belongs(code, all[k - 1], all[k + 1]) then
          found[#found + 1] = { char, i }
        end
      end
    end
  end
  return found
end

--- The invisible characters of which the new lines have more than the old ones, by their names and the number of a new line.
---@param olds string[]
---@param news string[]
---@return table<integer, string[]>
function M.added(olds, news)
  local more, kinds = {}, {}
  local these = all_of(news)
  for _, one in ipairs(these) do
    more[one[1]] = (more[one[1]] or 0) + 1
  end
  for _, one in ipairs(#these > 0 and all_of(olds) or {}) do
    more[one[1]] = (more[one[1]] or 0) - 1
  end
  for _, one in ipairs(these) do
    if more[one[1]] > 0 then
      kinds[one[2]] = kinds[one[2]] or {}
      table.insert(kinds[one[2]], M.name(one[1]))
    end
  end
  return kinds
end

return M
