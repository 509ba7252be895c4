-- A companion and its server for tests, as strict as the real ones and independent of the plugin. They keep a text as
-- one string, know the text of each revision, merge the plugin's texts as crates/presentation does, and reply late.

local M = {}
M.__index = M

-- The lines of a text, each with its line ending.
local function lines_of(text)
  local lines = {}
  for line in text:gmatch('[^\n]*\n?') do
    lines[#lines + 1] = line ~= '' and line or nil
  end
  return lines
end

--- Returns a text after a replacement.
function M.replaced(text, replacement)
  local lines, from, upto = lines_of(text), replacement.lines.start, replacement.lines['end']
  assert(type(replacement.text) == 'string' and from >= 0 and from <= upto and from <= #lines, vim.inspect(replacement))
  return table.concat(lines, '', 1, from) .. replacement.text .. table.concat(lines, '', math.min(upto, #lines) + 1)
end

--- Returns the byte offset of a position of the protocol, or nil. Written independently of the plugin.
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

--- Returns a text after changes of another desk; nil if they are outside the text.
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

-- The replacement that makes `new` of `old`, from the first line that differs to the end.
local function replacement(old, new)
  local before, after, head = lines_of(old), lines_of(new), 0
  while head < #before and before[head + 1] == after[head + 1] do
    head = head + 1
  end
  if old ~= new then
    return { lines = { start = head, ['end'] = #before }, text = table.concat(after, '', head + 1) }
  end
end

-- The differences of two lists of lines: { first, last, from, upto }, 0-based, ends exclusive.
local function differences(old, new)
  local function numbered(lines)
    -- A line without a line ending differs from the same line with one.
    return #lines == 0 and '' or table.concat(vim.tbl_map(vim.json.encode, lines), '\n') .. '\n'
  end
  local found = {}
  for _, hunk in ipairs((vim.text and vim.text.diff or vim.diff)(numbered(old), numbered(new), { result_type = 'indices' })) do
    local first, removed, from, added = unpack(hunk)
    -- vim.diff returns the line before an empty range.
    first, from = first - (removed > 0 and 1 or 0), from - (added > 0 and 1 or 0)
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

-- `mine` with the changes of `theirs` from `base`, except where `mine` has changed the same lines.
local function merge(base, mine, theirs)
  if vim.deep_equal(base, mine) then
    return theirs
  end
  local ours = differences(base, mine)
  local result, at, copied, shift = {}, 1, 0, 0
  local function copy(upto)
    for i = copied + 1, upto do
      result[#result + 1] = mine[i]
    end
    copied = upto
  end
  for _, hunk in ipairs(differences(base, theirs)) do
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

--- Creates a review with this text. `random` sets all delays; without it, every message is handled after the current
--- event.
function M.new(text, random)
  return setmetatable({
    text = text, revision = 1, texts = { text }, taken = {}, queue = {}, random = random, edits = 0, stale = 0,
  }, M)
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

--- Handles a text of the plugin on its arrival.
function M:request(params, answer)
  assert(not self.busy, 'two texts were on their way at once')
  self.busy = true
  local sent = vim.deepcopy(params)
  assert(self.texts[sent.revision] and self.texts[sent.from] and sent.revision <= sent.from)
  local function arrive()
    self.stale = self.stale + (sent.from == self.revision and 0 or 1)
    self.edits = self.edits + 1
    local mine = sent.replacement and M.replaced(self.texts[sent.from], sent.replacement) or self.texts[sent.from]
    local base = self.taken.revision == sent.revision and self.taken.text or self.texts[sent.revision]
    self.taken = { revision = sent.revision, text = mine }
    local merged = table.concat(merge(lines_of(base), lines_of(mine), lines_of(self.text)))
    if merged ~= self.text then
      self:set(merged)
    end
    local revision = self.revision
    self:later(function()
      self.busy = false
      answer(nil, { revision = revision })
    end)
  end
  -- The change of another desk may overtake it.
  if self.random then
    self.arriving = arrive
  else
    arrive()
  end
end

--- Handles a request.
function M:arrive()
  local arriving = self.arriving
  self.arriving = nil
  if arriving then
    arriving()
  end
end

--- Changes the text and reports that to all desks.
function M:set(text)
  local from, change = self.revision, replacement(self.text, text)
  self.text, self.revision = text, from + 1
  self.texts[self.revision] = text
  local told = { id = 1, from = from, revision = self.revision, replacement = change, hunks = {}, stale = false, dirty = false }
  self:later(function()
    self.tell(told)
  end)
end

return M
