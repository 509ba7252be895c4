-- A companion for tests, as strict as the real one and independent of the plugin: it keeps a text as one string, computes
-- positions like crates/desk/src/text.rs, refuses edits of old revisions, and is slow.

local M = {}
M.__index = M

--- The byte offset of a wire position, or nil. Implements the protocol, independent of the plugin.
local function offset(text, position)
  local starts = { 1 }
  for at in text:gmatch('()\n') do
    starts[#starts + 1] = at + 1
  end
  local start = starts[position.line + 1]
  if not start then
    return nil
  end
  local line = text:sub(start):match('^[^\n]*')
  if position.line + 1 == #starts and line == '' then
    -- The empty line after the last line ending, or an empty text.
    return position.character == 0 and start or nil
  end
  line = line:gsub('\r+$', '')
  local units, at = 0, 0
  for char in line:gmatch('[%z\1-\127\194-\244][\128-\191]*') do
    if units >= position.character then
      break
    end
    units = units + (#char == 4 and 2 or 1)
    at = at + #char
  end
  return start + at
end

function M.changed(text, changes)
  for _, change in ipairs(changes) do
    assert(type(change.text) == 'string')
    if change.range then
      local from, to = offset(text, change.range.start), offset(text, change.range['end'])
      if not from or not to or to < from then
        return nil
      end
      text = text:sub(1, from - 1) .. change.text .. text:sub(to)
    else
      text = change.text
    end
  end
  return text
end

--- A review with this text. `random` sets all delays; nil: everything happens in the next turn.
function M.new(text, random)
  return setmetatable({ text = text, revision = 1, queue = {}, random = random, edits = 0, stale = 0 }, M)
end

-- Messages keep their order, as on a pipe.
function M:later(what)
  self.queue[#self.queue + 1] = what
  if not self.random then
    vim.schedule(function()
      self:deliver(1)
    end)
  end
end

--- Delivers some messages in flight.
function M:deliver(count)
  for _ = 1, math.min(count, #self.queue) do
    table.remove(self.queue, 1)()
  end
end

--- A request of the plugin, handled on arrival.
function M:request(change, revision, answer)
  assert(not self.busy, 'two edits were on their way at once')
  self.busy = true
  assert(revision <= self.revision)
  local sent = vim.deepcopy(change)
  local function reply(err, result)
    self:later(function()
      self.busy = false
      answer(err, result)
    end)
  end
  local function arrive()
    if revision ~= self.revision then
      self.stale = self.stale + 1
      return reply({ code = -32803, message = 'stale', data = { why = 'stale', revision = self.revision } })
    end
    local text = M.changed(self.text, { sent })
    assert(text, 'a change outside of the text: ' .. vim.inspect(sent))
    self.edits = self.edits + 1
    self:set(text, { sent })
    reply(nil, { revision = self.revision })
  end
  -- Another desk's change may overtake it.
  if self.random then
    self.arriving = arrive
  else
    arrive()
  end
end

--- A request arrives.
function M:arrive()
  local arriving = self.arriving
  self.arriving = nil
  if arriving then
    arriving()
  end
end

--- The text changes: all desks get the change.
function M:set(text, changes)
  local from = self.revision
  self.text, self.revision = text, from + 1
  local told = { id = 1, from = from, revision = self.revision, changes = changes, hunks = {}, stale = false, dirty = false }
  self:later(function()
    self.tell(told)
  end)
end

return M
