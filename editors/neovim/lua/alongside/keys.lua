-- The small window with all keys of a review, which the key `help` opens.

local config = require('alongside.config')
local seen = require('alongside.seen')
local winbar = require('alongside.winbar')

local M = {}

local shown ---@type { win: integer, view: alongside.View }?

-- The groups of keys of this review, with their effects. The person may have switched a key off.
local function groups(review, waiting)
  local keys = config.current.keys
  local has_changes = seen.is_one_by_one(review)
  local is_editable = not review.wholeFileOnly
  return {
    has_changes and {
      { { ']c', '[c' }, 'next and previous change' },
      { { 'do' }, 'drop the change: take the original; again: keep it' },
      { { 'dp' }, 'the same, in the window of the original' },
      { { 'u' }, 'undo' },
    } or is_editable and { { { 'u' }, 'undo' } } or {},
    review.reasons and {
      { { keys.reason }, has_changes and 'drop the change, with a reason' or 'reason for the proposal' },
      { { keys.reason_all }, 'reason for the whole proposal' },
    } or {},
    {
      { { keys.accept, ':w', 'ZZ' }, 'accept the text as it stands' },
      { { keys.reject, ':q' }, 'reject' },
      waiting > 0 and { { keys.go, ':Alongside' }, 'the next proposal that waits' } or { { ':Alongside' }, 'come back to this proposal' },
      waiting > 1 and { { ':Alongside next' }, 'the proposal that came after this one' } or nil,
    },
    { { { keys.help }, 'these keys' } },
  }
end

-- The lines of the window, and the columns of the keys in each line.
local function lines_of(review, waiting)
  local rows, widest = {}, 0
  for _, group in ipairs(groups(review, waiting)) do
    local first = #rows
    for _, row in ipairs(group) do
      local names = {}
      for _, key in ipairs(row[1]) do
        names[#names + 1] = key and winbar.key_name(key) or nil
      end
      if #names > 0 then
        rows[#rows + 1] = { keys = table.concat(names, '  '), effect = row[2], starts_group = #rows == first and first > 0 }
        widest = math.max(widest, vim.fn.strdisplaywidth(rows[#rows].keys))
      end
    end
  end
  local lines, key_columns = {}, {}
  for _, row in ipairs(rows) do
    if row.starts_group then
      lines[#lines + 1] = ''
    end
    local spaces = (' '):rep(widest - vim.fn.strdisplaywidth(row.keys) + 3)
    lines[#lines + 1] = (' %s%s%s '):format(row.keys, spaces, row.effect)
    key_columns[#lines] = { 1, 1 + #row.keys }
  end
  return lines, key_columns
end

--- Closes the window if it shows the keys of this view's review.
---@param view alongside.View
function M.close(view)
  if shown and shown.view == view then
    pcall(vim.api.nvim_win_close, shown.win, true)
    shown = nil
  end
end

local function fill(buf, lines, key_columns)
  vim.bo[buf].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  local namespace = vim.api.nvim_create_namespace('alongside.keys.shown')
  for line, columns in pairs(key_columns) do
    vim.api.nvim_buf_set_extmark(buf, namespace, line - 1, columns[1], { end_col = columns[2], hl_group = 'AlongsideKey' })
  end
  vim.bo[buf].modifiable = false
end

--- Shows the keys of a review until the person presses q, Escape or the key that opened the window, or leaves it.
---@param review alongside.Review
---@param waiting integer the number of other reviews that wait
function M.show(review, waiting)
  local view = review.view
  local lines, key_columns = lines_of(review, waiting)
  local title = (' Keys of %s '):format(vim.b[view.right].alongside_title)
  local width = 0
  for _, line in ipairs(vim.list_extend({ title }, lines)) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  local room = vim.o.lines - vim.o.cmdheight - 3
  width = math.max(1, math.min(width, vim.o.columns - 4))
  local buf = vim.api.nvim_create_buf(false, true)
  fill(buf, lines, key_columns)
  local win = vim.api.nvim_open_win(buf, true, {
    relative = 'editor', style = 'minimal', border = 'single', zindex = 60,
    title = title, title_pos = 'center', footer = ' q closes ', footer_pos = 'center',
    width = width, height = math.max(1, math.min(#lines, room)),
    row = math.max(0, math.floor((room - #lines) / 2)), col = math.max(0, math.floor((vim.o.columns - width - 2) / 2)),
  })
  shown = { win = win, view = view }
  vim.wo[win].wrap, vim.wo[win].linebreak, vim.wo[win].statusline = true, true, ' '
  vim.api.nvim_win_set_height(win, math.max(1, math.min(vim.api.nvim_win_text_height(win, {}).all, room)))
  local function close()
    if shown and shown.win == win then
      M.close(view)
    end
  end
  for _, lhs in ipairs({ 'q', '<Esc>', config.current.keys.help }) do
    vim.keymap.set('n', lhs, close, { buffer = buf, nowait = true, desc = 'alongside: close the list of keys' })
  end
  vim.api.nvim_create_autocmd('WinLeave', {
    buffer = buf,
    desc = 'alongside: close the list of keys',
    callback = vim.schedule_wrap(close),
  })
end

return M
