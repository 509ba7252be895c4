-- A line of parts at the edge of a window, such as a winbar. The caller sets the texts in their order of importance,
-- and a text is dropped if the window is too narrow. The parts of each end stand in the order in which they were added.

local harmless = require('alongside.harmless')

---@class alongside.Bar
---@field columns integer
---@field group string? the highlight group between the parts
---@field left alongside.Part[]
---@field right alongside.Part[]
local Bar = {}
Bar.__index = Bar

---@class alongside.Part
---@field group string?
---@field text string? nil: the part is not drawn
---@field key string? the key before the text, in the colour of keys
---@field item string? an item of 'statusline' that Neovim draws instead of the text, in the same width

local M = {}

--- Creates a bar of `columns` columns.
---@param columns integer
---@param group string?
---@return alongside.Bar
function M.new(columns, group)
  return setmetatable({ columns = columns, group = group, left = {}, right = {} }, Bar)
end

--- Adds a part at an end.
---@param side "left"|"right"
---@param part alongside.Part?
---@return alongside.Part
function Bar:add(side, part)
  table.insert(self[side], part or {})
  return self[side][#self[side]]
end

local function labelled(part)
  return part.key and part.key .. ' ' .. part.text or part.text
end

-- Whether all parts fit, with the spaces around them.
function Bar:fits()
  local width = 0
  for _, part in ipairs(vim.list_extend(vim.list_slice(self.left), self.right)) do
    width = width + (part.text and vim.fn.strdisplaywidth(labelled(part)) + 2 or 0)
  end
  -- In a line of one colour, one space is enough between the ends.
  return width - (self.group and 0 or 1) <= self.columns
end

--- Sets the text of a part if it fits, or if it `stays` in any case; otherwise the part keeps its text. Callers set the
--- most important texts first.
---@param part alongside.Part
---@param text string?
---@param stays boolean?
function Bar:set(part, text, stays)
  local before = part.text
  part.text = text or before
  if not stays and not self:fits() then
    part.text = before
  end
end

local function in_group(group, text)
  return group and ('%%#%s#%s'):format(group, text) or text
end

--- Returns the bar as a value of 'winbar' or 'statusline'.
---@return string
function Bar:render()
  local spaces = in_group(self.group, '  ')
  local function render(part)
    local key = part.key and in_group('AlongsideKey', harmless.statusline(part.key)) .. in_group(self.group, ' ') or ''
    return part.item or key .. in_group(part.group, harmless.statusline(part.text))
  end
  local function all(parts)
    local shown = vim.tbl_filter(function(part)
      return part.text ~= nil
    end, parts)
    return table.concat(vim.tbl_map(render, shown), spaces)
  end
  local right = all(self.right)
  -- If even the texts that stay are too wide, Neovim cuts here: the name first, the warnings last.
  return ' %<' .. all(self.left) .. '%=' .. (right ~= '' and (self.group and spaces or ' ') .. right or '')
    .. (self.group and '%* ' or ' ')
end

return M
