-- Keeps the text of a buffer and of the companion equal. `companion_text` is the companion's text. The buffer's text is
-- sent after the reply to the last request, and the server merges it with the changes of other desks; these are shown
-- once the companion has all edits. Only `settle`, before a decision, waits for that.

local buffer_text = require('alongside.buffer_text')
local text = require('alongside.text')

local M = {}

-- The time that a key of the person waits for the companion, in milliseconds.
local PATIENCE = 500

---@class alongside.Sync: alongside.BufferText
---@field companion_text string[] the companion's text
---@field revision integer its revision
---@field base integer the revision on which the buffer's text is based
---@field problem table? why nothing more can be sent
---@field request fun(params: table, answer: fun(err: table?, result: table?))
---@field on_settled fun() called whenever buffer and companion hold the same text
---@field is_typed (fun(): boolean)? whether the buffer holds typed text, and so counts as modified
local Sync = setmetatable({}, buffer_text)
Sync.__index = Sync

---@param current string
---@param revision integer
---@return alongside.Sync
function M.new(current, revision, hooks)
  return setmetatable({
    companion_text = text.split(current),
    revision = revision,
    base = revision,
    request = hooks.request,
    on_settled = hooks.on_settled or function() end,
    on_format = hooks.on_format or function() end,
    is_typed = hooks.is_typed,
  }, Sync)
end

--- Shows the text in `buf`, which is empty, and sends the edits that follow there.
---@param buf integer
---@param format alongside.Format? the format to use where the text allows several
function Sync:attach(buf, format)
  local pieces, has_all = self:person_text(), not self:is_unsent()
  self.buf, self.format, self.detached_text, self.formats = buf, format, nil, nil
  local levels = vim.bo[buf].undolevels
  self:without_typing(function()
    -- Undo must not reach the empty buffer.
    vim.bo[buf].undolevels = -1
    vim.api.nvim_buf_set_lines(buf, 0, -1, true, {})
    self:show(text.empty(self:options()), pieces)
    vim.bo[buf].undolevels = levels
  end)
  self.is_behind = not has_all
  self.attached = (self.attached or 0) + 1
  local attachment = self.attached
  local function is_detached()
    return self.buf ~= buf or self.attached ~= attachment
  end
  vim.api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, first, last, new_last)
      if is_detached() then
        return true
      end
      self:on_lines(first, last, new_last)
    end,
    on_reload = function()
      if is_detached() then
        return
      end
      self.pieces = nil
      self.count = vim.api.nvim_buf_line_count(buf)
      self:schedule_push()
    end,
  })
end

--- Ends the attachment to the buffer, and keeps its unsent text to send it.
function Sync:detach()
  if self.buf then
    if vim.api.nvim_buf_is_loaded(self.buf) and self:is_unsent() then
      self.detached_text = self:read()
    end
    self.buf = nil
  end
end

function Sync:on_lines(first, last, new_last)
  if self.is_own_change then
    return
  end
  self.head = math.min(self.head, first)
  self.tail = math.min(self.tail, self.count - last)
  self.count = self.count + new_last - last
  self.is_touched = true
  self:schedule_push()
end

--- Handles a change of options that belong to the text.
function Sync:on_options()
  local is_loaded = self.buf and vim.api.nvim_buf_is_loaded(self.buf)
  if is_loaded and not self.is_own_change and not text.same_format(self:options(), self.pieces_format) then
    self.is_touched = true
    self.format = self:options()
    self:record_format()
    self.on_format(self.format)
    self:schedule_push()
  end
end

function Sync:schedule_push()
  if self.is_scheduled then
    return
  end
  self.is_scheduled = true
  vim.schedule(function()
    self.is_scheduled = false
    self:push()
  end)
end

--- Returns the person's text.
---@return string[]
function Sync:person_text()
  if self.buf and vim.api.nvim_buf_is_loaded(self.buf) then
    return self.is_touched and self:read() or self.pieces or self:read()
  end
  return self.detached_text or (self.flight and self.flight.text) or self.companion_text
end

--- Whether the companion lacks edits.
function Sync:is_unsent()
  return self.flight ~= nil or self.is_touched or self.detached_text ~= nil or (self.is_behind == true and self.buf ~= nil)
end

--- Sends unsent edits, unless a request is in flight.
function Sync:push()
  if self.buf and vim.api.nvim_buf_is_loaded(self.buf) then
    self:set_modified()
  elseif not self.detached_text then
    return
  end
  if self.flight or self.problem or not self:is_unsent() then
    return
  end
  local person_text = self:person_text()
  local replacement = text.replacement(self.companion_text, person_text)
  self.is_touched, self.detached_text, self.is_behind = false, nil, false
  if not replacement then
    return self:on_all_sent()
  end
  local flight = { text = person_text }
  self.flight = flight
  self.request({ revision = self.base, from = self.revision, replacement = replacement }, function(err, result)
    if self.flight == flight then
      self.flight = nil
      self:on_reply(flight, err, result)
    end
  end)
end

function Sync:on_reply(flight, err, result)
  if err then
    return self:on_refusal(flight, err)
  end
  self.was_refused = false
  if result.revision > self.revision then
    -- The message about this change should have come before the reply.
    self.companion_text, self.revision = flight.text, result.revision
  end
  if not self:is_unsent() then
    return self:on_all_sent()
  end
  -- The server bases later edits on the sent text, unless they name the newest revision as their base.
  if text.equal(flight.text, self.companion_text) then
    self.base = self.revision
  end
  self:push()
end

function Sync:on_refusal(flight, err)
  self.is_behind = true
  if not self.buf and not self.detached_text then
    self.detached_text = flight.text
  end
  if type(err.data) ~= 'table' or err.data.why ~= 'stale' then
    self.problem = err
    return
  end
  if self.was_refused then
    -- The server has forgotten the text at the base, so the person's text replaces the newest one.
    self.base = self.revision
  end
  self.was_refused = true
  self:push()
end

-- Shows the companion's text after it has all edits.
function Sync:on_all_sent()
  if self.buf and vim.api.nvim_buf_is_loaded(self.buf) then
    local person_text = self:person_text()
    if not text.equal(person_text, self.companion_text) then
      self:show(person_text, self.companion_text)
    end
  end
  self.base = self.revision
  self.on_settled()
end

--- Handles a change that the companion reports, made here or at another desk.
---@param changed table
function Sync:on_change(changed)
  if changed.revision <= self.revision then
    return
  end
  self.revision = changed.revision
  if changed.replacement then
    self.companion_text = text.replaced(self.companion_text, changed.replacement)
  end
  if not self:is_unsent() then
    self:on_all_sent()
  end
end

--- Allows refused edits to be sent again.
function Sync:retry()
  if self.problem then
    self.problem, self.is_behind = nil, true
  end
end

--- Waits until the companion has all edits, because the places of changes belong to its text. Returns whether it has
--- them.
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
