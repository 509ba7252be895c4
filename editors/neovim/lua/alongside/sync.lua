-- Keeps a text equal in a buffer and at the companion. `told` is the companion's text; edits are sent as one change at a
-- time, each after the reply to the last one. Only `settle`, before a decision, waits for the companion.

local buffer_text = require('alongside.buffer_text')
local merge = require('alongside.merge')
local text = require('alongside.text')

local M = {}

---@class alongside.Sync: alongside.BufferText
---@field told string[] the companion's text
---@field revision integer its revision
---@field problem table? why nothing more can be sent
---@field request fun(change: table, revision: integer, answer: fun(err: table?, result: table?))
---@field on_settled fun() called whenever buffer and companion hold the same
---@field is_typed (fun(): boolean)? whether the buffer holds typed text, and so counts as modified
local Sync = setmetatable({}, buffer_text)
Sync.__index = Sync

---@param current string
---@param revision integer
---@return alongside.Sync
function M.new(current, revision, hooks)
  return setmetatable({
    told = text.split(current),
    revision = revision,
    request = hooks.request,
    on_settled = hooks.on_settled or function() end,
    on_format = hooks.on_format or function() end,
    is_typed = hooks.is_typed,
  }, Sync)
end

--- Puts the text into `buf`, which is empty, and follows edits there.
---@param buf integer
---@param format alongside.Format? how it is to be shown, as far as it leaves that open
function Sync:attach(buf, format)
  local pieces, has_all = self:mine(), not self:is_unsent()
  self.buf, self.format, self.left_over, self.forms = buf, format, nil, nil
  local levels = vim.bo[buf].undolevels
  self:quietly(function()
    -- Undo must not go back before the proposal.
    vim.bo[buf].undolevels = -1
    vim.api.nvim_buf_set_lines(buf, 0, -1, true, {})
    self:show(text.nothing(self:options()), pieces)
    vim.bo[buf].undolevels = levels
  end)
  self.is_behind = not has_all
  self.attached = (self.attached or 0) + 1
  local this = self.attached
  local function is_over()
    return self.buf ~= buf or self.attached ~= this
  end
  vim.api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, first, last, new_last)
      if is_over() then
        return true
      end
      self:touched(first, last, new_last)
    end,
    on_reload = function()
      if is_over() then
        return
      end
      self.seen = nil
      self.count = vim.api.nvim_buf_line_count(buf)
      self:soon()
    end,
  })
end

--- The buffer goes away: keeps its last text to send it.
function Sync:detach()
  if self.buf then
    if vim.api.nvim_buf_is_loaded(self.buf) and self:is_unsent() then
      self.left_over = self:read()
    end
    self.buf = nil
  end
end

function Sync:touched(first, last, new_last)
  if self.is_quiet then
    return
  end
  self.head = math.min(self.head, first)
  self.tail = math.min(self.tail, self.count - last)
  self.count = self.count + new_last - last
  self.is_touched = true
  self:soon()
end

--- Options that belong to the text have changed.
function Sync:reformatted()
  local shown = self.buf and vim.api.nvim_buf_is_loaded(self.buf)
  if shown and not self.is_quiet and not text.same_format(self:options(), self.seen_format) then
    self.is_touched = true
    self.format = self:options()
    self:note_form()
    self.on_format(self.format)
    self:soon()
  end
end

function Sync:soon()
  if self.is_scheduled then
    return
  end
  self.is_scheduled = true
  vim.schedule(function()
    self.is_scheduled = false
    self:push()
  end)
end

--- The person's text.
---@return string[]
function Sync:mine()
  if self.buf and vim.api.nvim_buf_is_loaded(self.buf) then
    return self.is_touched and self:read() or self.seen or self:read()
  end
  return self.left_over or (self.flight and self.flight.text) or self.told
end

--- Whether the companion lacks edits.
function Sync:is_unsent()
  return self.flight ~= nil or self.is_touched or self.left_over ~= nil or (self.is_behind == true and self.buf ~= nil)
end

--- Sends unsent edits, unless a request is in flight.
function Sync:push()
  if self.buf and vim.api.nvim_buf_is_loaded(self.buf) then
    self:set_modified()
  elseif not self.left_over then
    return
  end
  if self.flight or self.problem or self.waits_for or not self:is_unsent() then
    return
  end
  local mine = self:mine()
  local change = text.change(self.told, mine)
  if change and self.is_lost then
    change = { text = text.join(mine) }
  end
  self.is_touched, self.left_over, self.is_behind = false, nil, false
  if not change then
    self.on_settled()
    return
  end
  local flight = { text = mine }
  self.flight = flight
  self.request(change, self.revision, function(err, result)
    if self.flight == flight then
      self.flight = nil
      self:answered(flight, err, result)
    end
  end)
end

function Sync:answered(flight, err, result)
  if not err then
    self.is_lost, self.refused = false, nil
    if result.revision > self.revision then
      -- The companion should have sent the change before.
      self.told, self.revision = flight.text, result.revision
    end
    if self:is_unsent() then
      self:push()
    else
      self.on_settled()
    end
    return
  end
  local why = type(err.data) == 'table' and err.data.why
  self.is_behind = true
  if not self.buf and not self.left_over then
    self.left_over = flight.text
  end
  if why == 'stale' then
    local now = err.data.revision
    self.waits_for = type(now) == 'number' and now > self.revision and now or nil
    self:push()
  elseif not self.refused and (why == 'outOfRange' or why == 'other' or not why) then
    -- Sends the whole text once, which fits any text there.
    self.refused, self.is_lost = true, true
    self:push()
  else
    self.problem = err
  end
end

--- The companion reports a change, from here or another desk.
---@param changed table
---@return boolean is_news
function Sync:take(changed)
  if changed.revision <= self.revision then
    return false
  end
  local base = self.told
  local new = changed.from == self.revision and text.apply(base, changed.changes or {}) or nil
  self.revision = changed.revision
  if self.waits_for and self.revision >= self.waits_for then
    self.waits_for = nil
  end
  if not new then
    -- The companion's text is unknown now, so it gets the buffer's.
    self.is_lost, self.is_behind = true, true
    self:soon()
    return true
  end
  self.told = new
  if self.flight and text.equal(new, self.flight.text) then
    return true
  end
  if not text.equal(base, new) then
    if self.buf and vim.api.nvim_buf_is_loaded(self.buf) then
      local mine = self:mine()
      local merged = merge.merge(base, mine, new)
      if not text.equal(mine, merged) then
        self:show(mine, merged)
      end
      self.is_touched = false
      self.is_behind = not text.equal(merged, new)
    elseif self.left_over or self.flight then
      self.left_over = merge.merge(base, self.left_over or self.flight.text, new)
    end
  end
  if self.is_behind or self.is_touched or self.left_over then
    self:soon()
  elseif not self.flight then
    self.on_settled()
  end
  return true
end

--- Lets refused edits be sent again, as the whole text.
function Sync:retry()
  if self.problem then
    self.problem, self.refused, self.is_lost, self.is_behind = nil, nil, true, true
  end
end

--- Waits until the companion has all edits, and returns whether it does.
---@param milliseconds integer
---@return boolean
function Sync:settle(milliseconds)
  self:push()
  if self:is_unsent() and not self.problem then
    vim.wait(milliseconds, function()
      return not self:is_unsent() or self.problem ~= nil
    end, 2)
  end
  return not self:is_unsent()
end

return M
