-- A line of parts at the edge of a window: of all that could be said, in one order of importance, as much as there is room
-- for. Those at the left end and those at the right end stand in the order in which they were made.

local harmless = require('alongside.harmless')

---@class alongside.Bar
---@field columns integer
---@field group string? the colour between the parts
---@field left alongside.Part[]
---@field right alongside.Part[]
local Bar = {}
Bar.__index = Bar

---@class alongside.Part
---@field group string?
---@field said string? nil: it is not there
---@field key string? before it, in the colour of keys
---@field item string? drawn by Neovim in its place, in as many columns

local M = {}

--- A bar of so many columns.
---@param columns integer
---@param group string?
---@return alongside.Bar
function M.new(columns, group)
  return setmetatable({ columns = columns, group = group, left = {}, right = {} }, Bar)
end

--- Adds an empty part at an end.
---@param side "left"|"right"
---@param part alongside.Part?
---@return alongside.Part
function Bar:place(side, part)
  table.insert(self[side], part or {})
  return self[side][#self[side]]
end

local function text_of(part)
  return part.key and part.key .. ' ' .. part.said or part.said
end

-- Whether all parts have room, with the blanks around them.
function Bar:fits()
  local width = 0
  for _, part in ipairs(vim.list_extend(vim.list_slice(self.left), self.right)) do
    width = width + (part.said and vim.fn.strdisplaywidth(text_of(part)) + 2 or 0)
  end
  -- In a line of one colour, one blank is enough between the ends.
  return width - (self.group and 0 or 1) <= self.columns
end

--- Says something in a part, in place of what it said, if there is room, or if it `stays` in any case. What is more
--- important must be said before.
---@param part alongside.Part
---@param said string?
---@param stays boolean?
function Bar:say(part, said, stays)
  local before = part.said
  part.said = said or before
  if not stays and not self:fits() then
    part.said = before
  end
end

local function in_group(group, said)
  return group and ('%%#%s#%s'):format(group, said) or said
end

--- It for 'winbar' or 'statusline'.
---@return string
function Bar:drawn()
  local blanks = in_group(self.group, '  ')
  local function drawn(part)
    local key = part.key and in_group('AlongsideKey', harmless.statusline(part.key)) .. in_group(self.group, ' ') or ''
    return part.item or key .. in_group(part.group, harmless.statusline(part.said))
  end
  local function all(parts)
    local said = vim.tbl_filter(function(part)
      return part.said ~= nil
    end, parts)
    return table.concat(vim.tbl_map(drawn, said), blanks)
  end
  local right = all(self.right)
  -- If nothing else helps, Neovim cuts here: the name first, the warnings last.
  return ' %<' .. all(self.left) .. '%=' .. (right ~= '' and (self.group and blanks or ' ') .. right or '')
    .. (self.group and '%* ' or ' ')
end

return M
