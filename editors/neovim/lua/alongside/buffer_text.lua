-- The content of a buffer as the pieces of a text, read in parts where it was touched, and shown with the least changes, so
-- that cursors, marks and folds stay where they are. sync.lua builds on this.

local harmless = require('alongside.harmless')
local text = require('alongside.text')

---@class alongside.BufferText
---@field buf integer? where the text is shown
---@field format alongside.Format? how it is shown
---@field seen string[]? what the buffer held when it was read last
---@field is_touched boolean? whether it was changed since then
---@field forms table<integer, alongside.Format>? how the text ends and begins, by the state of undo
---@field on_format fun(format: alongside.Format) called when line endings are shown in another way
local BufferText = {}
BufferText.__index = BufferText

--- Whether the buffer holds nothing at all, rather than one empty line: Neovim tells by the size only.
---@param buf integer
---@return boolean
function BufferText.is_empty(buf)
  if vim.api.nvim_buf_line_count(buf) > 1 or vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] ~= '' then
    return false
  end
  return vim.api.nvim_buf_call(buf, function()
    return vim.fn.wordcount().bytes == 0
  end)
end

local is_empty = BufferText.is_empty

local function undo_state(buf)
  return vim.api.nvim_buf_call(buf, function()
    return vim.fn.undotree().seq_cur
  end)
end

--- The state of undo of the buffer.
---@return integer
function BufferText:undo_state()
  return undo_state(self.buf)
end

-- Sets options that belong to the text. Not taken for typing.
function BufferText:set_form(form)
  self:quietly(function()
    vim.bo[self.buf].endofline, vim.bo[self.buf].bomb = form.eol, form.bom
  end)
  self.format = self:options()
end

--- Replaces lines as an edit of the person. `form` has { eol } and { bom } where the lines bring them along.
---@param first integer
---@param last integer
---@param lines string[]
---@param form { eol: { [1]: boolean }?, bom: { [1]: boolean }? }
function BufferText:replace(first, last, lines, form)
  local buf, before, state = self.buf, self:options(), undo_state(self.buf)
  if is_empty(buf) then
    -- Its one empty line is none of the text.
    first, last = 0, -1
  end
  local is_end = last == -1 or last >= vim.api.nvim_buf_line_count(buf)
  vim.api.nvim_buf_set_lines(buf, first, last, false, lines)
  local after = { eol = before.eol, bom = before.bom, dos = before.dos }
  if is_end and form.eol then
    after.eol = form.eol[1]
  end
  if form.bom then
    after.bom = form.bom[1]
  end
  if not text.same_format(before, after) then
    self.forms = self.forms or {}
    self.forms[state], self.forms[undo_state(buf)] = before, after
    self:set_form(after)
    self.is_touched = true
    self:soon()
  end
end

--- The options have another cause than `replace`, such as the person.
function BufferText:note_form()
  if self.forms then
    self.forms[undo_state(self.buf)] = self:options()
  end
end

-- Undo does not restore options that `replace` has set.
function BufferText:restore_form()
  if not self.forms then
    return
  end
  local now, known, oldest = undo_state(self.buf), nil, nil
  for state in pairs(self.forms) do
    oldest = math.min(state, oldest or state)
    if state <= now and (not known or state > known) then
      known = state
    end
  end
  -- Neovim counts on where it forgot earlier states, and goes back to 0.
  known = known or oldest
  local form = known and self.forms[known]
  if form and (form.eol ~= vim.bo[self.buf].endofline or form.bom ~= vim.bo[self.buf].bomb) then
    self:set_form(form)
  end
end

function BufferText:options()
  local options = vim.bo[self.buf]
  return { bom = options.bomb, dos = options.fileformat == 'dos', eol = options.endofline }
end

-- Notes the lines at the beginning and the end of the buffer that are unchanged since the last look.
function BufferText:mark_clean()
  self.count = vim.api.nvim_buf_line_count(self.buf)
  self.seen_count = self.count
  self.head, self.tail = self.count, self.count
  self.is_touched = false
end

--- The content of the buffer. Reads only the lines that were touched.
---@return string[] pieces
function BufferText:read()
  self:restore_form()
  local buf, format = self.buf, self:options()
  local count = vim.api.nvim_buf_line_count(buf)
  -- Read is not sent.
  self.is_behind = self.is_behind or self.is_touched
  if is_empty(buf) then
    self.seen, self.seen_format = text.nothing(format), format
    self:mark_clean()
    return self.seen
  end
  local extra = format.eol and 1 or 0
  local head, tail = self.head, self.tail
  -- The counts that Neovim gives for changes of an empty buffer do not add up.
  local known = self.seen
    and count == self.count
    and tail >= 0
    and #self.seen == self.seen_count + extra
    and text.same_format(format, self.seen_format)
  if not known then
    head, tail = 0, 0
  end
  tail = math.min(tail, count, self.seen_count)
  if format.bom then
    tail = math.min(tail, count - 1, self.seen_count - 1)
  end
  head = math.min(head, count - tail, self.seen_count - tail)
  if not format.eol and tail == 0 then
    -- The last line has no line end, and may not be the last one any more.
    head = math.max(0, math.min(head, count - 1, self.seen_count - 1))
  end
  local lines = vim.api.nvim_buf_get_lines(buf, head, count - tail, true)
  self:repair(lines, head)
  local new = text.pieces(lines, head, count, format)
  if known then
    self.seen = text.spliced(self.seen, head, #self.seen - extra - tail, new)
  else
    if format.eol then
      new[#new + 1] = ''
    end
    self.seen = new
  end
  self.seen_format = format
  self:mark_clean()
  return self.seen
end

-- Bytes that are not UTF-8 cannot be sent. The buffer shows the text that is sent, so they are replaced in it.
function BufferText:repair(lines, first)
  for i, line in ipairs(lines) do
    if line:find('[\128-\255]') then
      local right = harmless.utf8(line)
      if right ~= line then
        lines[i] = right
        self:quietly(function()
          vim.api.nvim_buf_set_lines(self.buf, first + i - 1, first + i, true, { right })
        end)
      end
    end
  end
end

--- Marks the buffer as modified while it holds typed text, so that Neovim does not leave without a question.
function BufferText:set_modified()
  if not self.buf or not vim.api.nvim_buf_is_loaded(self.buf) then
    return
  end
  local is_typed = self.is_typed ~= nil and self.is_typed()
  if vim.bo[self.buf].modified ~= is_typed then
    vim.bo[self.buf].modified = is_typed
  end
end

-- Changes the buffer without taking that for typing.
function BufferText:quietly(change)
  local was = self.is_quiet
  local modifiable = vim.bo[self.buf].modifiable
  self.is_quiet = true
  vim.bo[self.buf].modifiable = true
  local ok, err = pcall(change)
  vim.bo[self.buf].modifiable = modifiable
  self:set_modified()
  self.is_quiet = was
  if not ok then
    error(err, 0)
  end
end

--- Makes the lines `new` of `old` with the least changes.
function BufferText.put(buf, old, new)
  local hunks = text.differences(old, new)
  for i = #hunks, 1, -1 do
    local first, last, start, stop = unpack(hunks[i])
    vim.api.nvim_buf_set_lines(buf, first, last, true, vim.list_slice(new, start + 1, stop))
  end
end

--- Shows `pieces`, of which the buffer held `from` so far.
function BufferText:show(from, pieces)
  local buf = self.buf
  local before = self:options()
  local format = text.format(pieces, self.format)
  -- A buffer without a last line end can hold nothing, too: that is no empty line.
  local old = is_empty(buf) and {} or text.lines(from, before)
  local new = text.lines(pieces, format)
  self:quietly(function()
    if #old == 0 or #new == 0 then
      vim.api.nvim_buf_set_lines(buf, 0, -1, true, new)
    else
      BufferText.put(buf, old, new)
    end
    local options = vim.bo[buf]
    options.bomb, options.fileformat, options.endofline = format.bom, format.dos and 'dos' or 'unix', format.eol
  end)
  local changed = self.format and self.format.dos ~= format.dos
  self.format = format
  self:note_form()
  self.seen, self.seen_format = pieces, format
  self:mark_clean()
  if changed then
    self.on_format(format)
  end
end

return BufferText
