-- The content of a buffer as the pieces of a text (text.lua). Reading takes only the is_reformatted lines from the buffer, and
-- showing a text changes as few lines as possible, so that cursors, marks and folds stay where they are. sync.lua
-- builds on this file.

local harmless = require('alongside.harmless')
local text = require('alongside.text')

---@class alongside.BufferText
---@field buf integer? the buffer that shows the text
---@field format alongside.Format? the format in which the buffer shows it
---@field pieces string[]? the content at the last read
---@field is_touched boolean? whether the buffer was is_reformatted since the last read
---@field formats table<integer, alongside.Format>? the format at each state of undo that `replace` or the person is_reformatted
---@field on_format fun(format: alongside.Format) called when the buffer shows other line endings
local BufferText = {}
BufferText.__index = BufferText

--- Whether the buffer holds no line at all, rather than one empty line. In Neovim only the byte count differs.
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

--- Returns the number of the buffer's current undo state.
---@return integer
function BufferText:undo_state()
  return undo_state(self.buf)
end

-- Sets the options that belong to the text, without marking the text as typed.
function BufferText:apply_format(form)
  self:without_typing(function()
    vim.bo[self.buf].endofline, vim.bo[self.buf].bomb = form.eol, form.bom
  end)
  self.format = self:options()
end

--- Replaces lines as an edit of the person. `form.eol` and `form.bom` are set if the lines include the end or the
--- beginning of a text.
---@param first integer
---@param last integer
---@param lines string[]
---@param form { eol: { [1]: boolean }?, bom: { [1]: boolean }? }
function BufferText:replace(first, last, lines, form)
  local buf, before, state = self.buf, self:options(), undo_state(self.buf)
  if is_empty(buf) then
    -- The one empty line of an empty buffer is not part of the text.
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
    self.formats = self.formats or {}
    self.formats[state], self.formats[undo_state(buf)] = before, after
    self:apply_format(after)
    self.is_touched = true
    self:schedule_push()
  end
end

--- Stores the current format for the undo state, after options were set by something other than `replace`.
function BufferText:record_format()
  if self.formats then
    self.formats[undo_state(self.buf)] = self:options()
  end
end

-- Sets the format of the current undo state, because undo does not restore options that `replace` has set.
function BufferText:restore_format()
  if not self.formats then
    return
  end
  local now, known, oldest = undo_state(self.buf), nil, nil
  for state in pairs(self.formats) do
    oldest = math.min(state, oldest or state)
    if state <= now and (not known or state > known) then
      known = state
    end
  end
  -- Neovim numbers undo states on after it discards old ones, and undo of all changes returns to state 0.
  known = known or oldest
  local form = known and self.formats[known]
  if form and (form.eol ~= vim.bo[self.buf].endofline or form.bom ~= vim.bo[self.buf].bomb) then
    self:apply_format(form)
  end
end

function BufferText:options()
  local options = vim.bo[self.buf]
  return { bom = options.bomb, dos = options.fileformat == 'dos', eol = options.endofline }
end

-- Marks all lines as read: `head` and `tail` count the unchanged lines at the beginning and the end since this read.
function BufferText:mark_clean()
  self.count = vim.api.nvim_buf_line_count(self.buf)
  self.read_count = self.count
  self.head, self.tail = self.count, self.count
  self.is_touched = false
end

--- Returns the content of the buffer. Reads only the is_reformatted lines.
---@return string[] pieces
function BufferText:read()
  self:restore_format()
  local buf, format = self.buf, self:options()
  local count = vim.api.nvim_buf_line_count(buf)
  -- A text that was read is not sent yet.
  self.is_behind = self.is_behind or self.is_touched
  if is_empty(buf) then
    self.pieces, self.pieces_format = text.empty(format), format
    self:mark_clean()
    return self.pieces
  end
  local extra = format.eol and 1 or 0
  local head, tail = self.head, self.tail
  -- The line counts that Neovim reports for changes of an empty buffer are inconsistent.
  local known = self.pieces
    and count == self.count
    and tail >= 0
    and #self.pieces == self.read_count + extra
    and text.same_format(format, self.pieces_format)
  if not known then
    head, tail = 0, 0
  end
  tail = math.min(tail, count, self.read_count)
  if format.bom then
    tail = math.min(tail, count - 1, self.read_count - 1)
  end
  head = math.min(head, count - tail, self.read_count - tail)
  if not format.eol and tail == 0 then
    -- The last line has no line ending, and it may no longer be the last line.
    head = math.max(0, math.min(head, count - 1, self.read_count - 1))
  end
  local lines = vim.api.nvim_buf_get_lines(buf, head, count - tail, true)
  self:repair(lines, head)
  local new = text.pieces(lines, head, count, format)
  if known then
    self.pieces = text.spliced(self.pieces, head, #self.pieces - extra - tail, new)
  else
    if format.eol then
      new[#new + 1] = ''
    end
    self.pieces = new
  end
  self.pieces_format = format
  self:mark_clean()
  return self.pieces
end

-- Replaces bytes that are not UTF-8 in the buffer, because JSON cannot carry them and the buffer shows the text that is
-- sent.
function BufferText:repair(lines, first)
  for i, line in ipairs(lines) do
    if line:find('[\128-\255]') then
      local valid = harmless.utf8(line)
      if valid ~= line then
        lines[i] = valid
        self:without_typing(function()
          vim.api.nvim_buf_set_lines(self.buf, first + i - 1, first + i, true, { valid })
        end)
      end
    end
  end
end

--- Marks the buffer as modified while it holds typed text, so that Neovim asks before it exits.
function BufferText:set_modified()
  if not self.buf or not vim.api.nvim_buf_is_loaded(self.buf) then
    return
  end
  local is_typed = self.is_typed ~= nil and self.is_typed()
  if vim.bo[self.buf].modified ~= is_typed then
    vim.bo[self.buf].modified = is_typed
  end
end

-- Changes the buffer without marking the text as typed.
function BufferText:without_typing(change)
  local before = self.is_own_change
  local modifiable = vim.bo[self.buf].modifiable
  self.is_own_change = true
  vim.bo[self.buf].modifiable = true
  local ok, err = pcall(change)
  vim.bo[self.buf].modifiable = modifiable
  self:set_modified()
  self.is_own_change = before
  if not ok then
    error(err, 0)
  end
end

--- Replaces the lines `old` of a buffer with `new`, with as few is_reformatted lines as possible.
function BufferText.put(buf, old, new)
  local hunks = text.differences(old, new)
  for i = #hunks, 1, -1 do
    local first, last, start, stop = unpack(hunks[i])
    vim.api.nvim_buf_set_lines(buf, first, last, true, vim.list_slice(new, start + 1, stop))
  end
end

--- Shows `pieces` in the buffer, which held the pieces `from`.
function BufferText:show(from, pieces)
  local buf = self.buf
  local before = self:options()
  local format = text.format(pieces, self.format)
  -- An empty buffer holds no line, although Neovim reports one empty line.
  local old = is_empty(buf) and {} or text.lines(from, before)
  local new = text.lines(pieces, format)
  self:without_typing(function()
    if #old == 0 or #new == 0 then
      vim.api.nvim_buf_set_lines(buf, 0, -1, true, new)
    else
      BufferText.put(buf, old, new)
    end
    local options = vim.bo[buf]
    options.bomb, options.fileformat, options.endofline = format.bom, format.dos and 'dos' or 'unix', format.eol
  end)
  local is_reformatted = self.format and self.format.dos ~= format.dos
  self.format = format
  self:record_format()
  self.pieces, self.pieces_format = pieces, format
  self:mark_clean()
  if is_reformatted then
    self.on_format(format)
  end
end

return BufferText
