-- Keeps a text equal in a buffer and at the companion. `told` is the companion's text. The buffer's text is sent after the
-- reply to the last one, and the server merges it with the changes of other desks: these are shown once the companion has all
-- edits. Only `settle`, before a decision, waits for that.

local buffer_text = require('alongside.buffer_text')
local text = require('alongside.text')

local M = {}

-- How long a key of the person waits, in milliseconds.
local PATIENCE = 500

---@class alongside.Sync: alongside.BufferText
---@field told string[] the companion's text
---@field revision integer its revision
---@field base integer the revision of the text that the buffer's was made of
---@field problem table? why nothing more can be sent
---@field request fun(params: table, answer: fun(err: table?, result: table?))
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
    base = revision,
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
  if self.flight or self.problem or not self:is_unsent() then
    return
  end
  local mine = self:mine()
  local replacement = text.replacement(self.told, mine)
  self.is_touched, self.left_over, self.is_behind = false, nil, false
  if not replacement then
    return self:settled()
  end
  local flight = { text = mine }
  self.flight = flight
  self.request({ revision = self.base, from = self.revision, replacement = replacement }, function(err, result)
    if self.flight == flight then
      self.flight = nil
      self:answered(flight, err, result)
    end
  end)
end

function Sync:answered(flight, err, result)
  if err then
    return self:was_refused(flight, err)
  end
  self.is_refused = false
  if result.revision > self.revision then
    -- The companion should have sent the change before.
    self.told, self.revision = flight.text, result.revision
  end
  if not self:is_unsent() then
    return self:settled()
  end
  -- The server counts later edits from this text, unless they are named as edits of the newest one.
  if text.equal(flight.text, self.told) then
    self.base = self.revision
  end
  self:push()
end

function Sync:was_refused(flight, err)
  self.is_behind = true
  if not self.buf and not self.left_over then
    self.left_over = flight.text
  end
  if type(err.data) ~= 'table' or err.data.why ~= 'stale' then
    self.problem = err
    return
  end
  if self.is_refused then
    -- The server knows the old text no more: the person's takes the place of the newest one.
    self.base = self.revision
  end
  self.is_refused = true
  self:push()
end

-- The companion has all edits: the buffer gets its text.
function Sync:settled()
  if self.buf and vim.api.nvim_buf_is_loaded(self.buf) then
    local mine = self:mine()
    if not text.equal(mine, self.told) then
      self:show(mine, self.told)
    end
  end
  self.base = self.revision
  self.on_settled()
end

--- The companion reports a change, from here or another desk.
---@param changed table
function Sync:take(changed)
  if changed.revision <= self.revision then
    return
  end
  self.revision = changed.revision
  if changed.replacement then
    self.told = text.replaced(self.told, changed.replacement)
  end
  if not self:is_unsent() then
    self:settled()
  end
end

--- Lets refused edits be sent again.
function Sync:retry()
  if self.problem then
    self.problem, self.is_behind = nil, true
  end
end

--- Waits until the companion has all edits, to whose text the places of changes belong, and returns whether it does.
---@param milliseconds integer? at most
---@return boolean
function Sync:settle(milliseconds)
  self:push()
  if self:is_unsent() and not self.problem then
    vim.wait(milliseconds or PATIENCE, function()
      return not self:is_unsent() or self.problem ~= nil
    end, 2)
  end
  return not self:is_unsent()
end

return M
