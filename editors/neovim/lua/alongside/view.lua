-- The view of a review: a tab page with the original on the left and the proposal on the right, in Neovim's own diff
-- mode. At its end everything is as before: windows and their sizes, cursors, mode, tab pages.

local cut_lines = require('alongside.cut_lines')
local first_word = require('alongside.first_word')
local folds = require('alongside.folds')
local harmless = require('alongside.harmless')
local highlights = require('alongside.highlights')
local keys = require('alongside.keys')
local marks = require('alongside.marks')
local on_screen = require('alongside.on_screen')
local statusline = require('alongside.statusline')
local tabline = require('alongside.tabline')
local text = require('alongside.text')
local unheard = require('alongside.unheard')
local window_state = require('alongside.window_state')

local M = {}

---@class alongside.View
---@field right integer the buffer of the proposal
---@field left integer the buffer of the original
---@field sync alongside.Sync the text of the proposal
---@field right_win integer?
---@field left_win integer?
---@field origin table where the person came from
local View = {}
View.__index = View

-- Larger files have no colours, because syntax is slow.
local MOST_COLOURED = 1500000

-- Options that a new window must not take over from the previous one, such as a terminal.
local FROM_GLOBAL = {
  'number', 'relativenumber', 'list', 'spell', 'cursorline', 'cursorcolumn', 'colorcolumn', 'foldcolumn', 'statuscolumn',
  'conceallevel', 'breakindent', 'linebreak', 'winfixwidth', 'winfixheight', 'winblend', 'wrap',
}

local is_window, shows = window_state.is_window, window_state.shows

-- Characters that a command line, a pattern or expand() may interpret. expand() runs what is in backquotes.
local MEANS = '[^%w._/+,@=\128-\255-]'

-- Plugins open archives and the like by the end of a name, so that it ends with our words.
local function new_buffer(name, ending, kind)
  local buf
  unheard(function()
    buf = vim.api.nvim_create_buf(false, false)
    local options = vim.bo[buf]
    options.buftype, options.swapfile, options.undofile, options.fixendofline = kind, false, false, false
    options.bufhidden, options.modeline = 'hide', false
    vim.api.nvim_buf_set_name(buf, ('alongside://%s [%s]'):format(name:gsub(MEANS, '_'), ending))
  end)
  return buf
end

--- Gives a buffer the file type of the review's file.
---@param buf integer
function View:colour(buf)
  if self.size > MOST_COLOURED then
    return
  end
  -- Neovim's rules give a name to expand().
  local ok, filetype = pcall(vim.filetype.match, { filename = self.file:gsub(MEANS, '_'), buf = buf })
  if ok and filetype then
    -- Foreign scripts run here; their errors must neither stop the review nor be on the screen. Neovim's own file type
    -- for Markdown fails without a parser.
    vim.v.errmsg = ''
    local set, why = pcall(vim.api.nvim_buf_call, buf, function()
      vim.cmd({ cmd = 'setlocal', args = { 'filetype=' .. filetype }, mods = { silent = true, emsg_silent = true } })
    end)
    if not set or vim.v.errmsg ~= '' then
      why = set and vim.v.errmsg or tostring(why)
      require('alongside.log').write(('the file type %s has an error: %s'):format(filetype, why))
    end
  end
end

--- Shows the original with the line endings of the proposal.
function View:show_original(format)
  local options = vim.bo[self.left]
  options.modifiable, options.readonly = true, false
  local lines, form = text.shown(self.original, format.dos)
  vim.api.nvim_buf_set_lines(self.left, 0, -1, true, lines)
  options.endofline = self.original[#self.original] == ''
  options.fileformat, options.bomb = format.dos and 'dos' or 'unix', form.bom
  options.modified, options.modifiable = false, false
end

--- The formats of a text and its original: "\r\n" is hidden only if both use it throughout.
local function common_format(sync, original)
  local format = text.format(sync:mine(), sync.format)
  local theirs = text.is_dos(original)
  if theirs == false then
    format.dos = false
  elseif text.is_dos(sync:mine()) == nil then
    format.dos = theirs == true
  end
  return format
end

--- Creates the buffers of a review.
---@param review table
---@param sync alongside.Sync
---@return alongside.View
function M.new(review, sync, name)
  local self = setmetatable({}, View)
  self.original, self.sync = text.split(review.original or ''), sync
  local which = ('proposal %d'):format(review.id)
  self.left = new_buffer('original/' .. name, 'file', 'nofile')
  self.right = new_buffer('review/' .. name, which, 'acwrite')
  for _, buf in ipairs({ self.left, self.right }) do
    tabline.set_title(buf, ('%s [%s]'):format(harmless.name(vim.fs.basename(review.file)), which))
  end
  self.file, self.size = review.file, #review.proposed
  local format = common_format(sync, self.original)
  self:show_original(format)
  sync.on_format = function(changed)
    if vim.api.nvim_buf_is_valid(self.left) then
      self:show_original(changed)
    end
  end
  sync:attach(self.right, format)
  for _, buf in ipairs({ self.left, self.right }) do
    self:colour(buf)
  end
  -- A file type may have changed these.
  vim.bo[self.left].modifiable = false
  vim.bo[self.right].modifiable = not review.wholeFileOnly
  vim.bo[self.right].modified = false
  return self
end

-- Takes back what an ordinary window does not have.
local function undress(win)
  local options = vim.wo[win][0]
  options.winbar, options.statusline, options.winhighlight = '', '', ''
  options.cursorlineopt = vim.go.cursorlineopt
  cut_lines.unmark(win)
  folds.unset_text(win)
end

-- Neovim compares the window no more, and it may show another buffer.
local function release(win)
  vim.wo[win].winfixbuf = false
  vim.api.nvim_win_call(win, vim.cmd.diffoff)
end

local function compare(win)
  vim.api.nvim_win_call(win, function()
    vim.cmd('diffthis')
  end)
  -- "-" of an open fold would read as a removed line. 'diffoff' restores the width.
  vim.wo[win][0].foldcolumn = '0'
end

local function dress(win, groups)
  for _, name in ipairs(FROM_GLOBAL) do
    vim.api.nvim_set_option_value(name, vim.go[name], { scope = 'local', win = win })
  end
  local options = vim.wo[win][0]
  options.signcolumn = 'yes:1'
  -- The companion marks differing words, the same ones at every desk.
  options.winhighlight = groups
  -- The line of the cursor would cover the words that differ in it.
  options.cursorlineopt = 'number'
  options.statusline = statusline.OPTION
  options.winfixbuf = true
  compare(win)
  cut_lines.mark(win)
  folds.set_text(win)
end

--- Opens the tab page and goes there. `origin` is the place to return to.
---@param origin table
---@param line integer where to begin reading, 1-based
---@param column integer? of the first word that differs there, 0-based
function View:open(origin, line, column)
  self.origin = origin
  -- Foreign scripts run here; their errors must not interfere.
  local ok, why = pcall(vim.cmd, 'keepalt tab sbuffer ' .. self.right)
  if vim.api.nvim_get_current_buf() ~= self.right then
    error(why, 0)
  elseif not ok then
    require('alongside.log').write('an autocommand failed: ' .. tostring(why))
  end
  self.right_win = vim.api.nvim_get_current_win()
  if origin.mode:find('^[iR]') then
    vim.cmd('stopinsert')
  end
  highlights.prepare()
  on_screen.pair_lines()
  dress(self.right_win, highlights.PROPOSAL)
  self:open_original()
  tabline.refresh()
  vim.api.nvim_win_set_cursor(self.right_win, { math.min(line, vim.api.nvim_buf_line_count(self.right)), column or 0 })
  vim.cmd('normal! zv')
  first_word.show(self)
end

--- Shows the original beside the proposal.
function View:open_original()
  self.left_win = vim.api.nvim_open_win(self.left, false, { split = 'left', win = self.right_win })
  dress(self.left_win, highlights.ORIGINAL)
  if not vim.wo[self.right_win].diff then
    -- 'diffopt' has "closeoff".
    compare(self.right_win)
  end
  on_screen.note_sizes(self)
end

--- Whether the person has closed the window of the original, beside that of the proposal.
---@return boolean
function View:lacks_original()
  return self:is_shown() and not shows(self.left_win, self.left) and vim.api.nvim_buf_is_valid(self.left)
end

--- Whether a window shows the proposal.
---@return boolean
function View:is_shown()
  return shows(self.right_win, self.right)
end

--- Whether the person is in one of its windows.
---@return boolean
function View:is_current()
  local buf = vim.api.nvim_get_current_buf()
  return buf == self.right or buf == self.left
end

--- Its windows that show its buffers, each with its buffer: the original's first.
---@return { [1]: integer, [2]: integer }[]
function View:windows()
  return vim.tbl_filter(function(pair)
    return shows(pair[1], pair[2])
  end, { { self.left_win, self.left }, { self.right_win, self.right } })
end

--- Its tab page.
---@return integer?
function View:tab()
  local all = self:windows()
  return #all > 0 and vim.api.nvim_win_get_tabpage(all[#all][1]) or nil
end

--- Goes to its window.
function View:focus()
  vim.api.nvim_set_current_win(self.right_win)
end

--- After the proposal's window closed, uses another window that shows it, if there is one.
---@return boolean
function View:adopt()
  for _, win in ipairs(vim.fn.win_findbuf(self.right)) do
    self.right_win = win
    return true
  end
  return false
end

local function remove(win)
  if #window_state.windows_of(vim.api.nvim_win_get_tabpage(win)) > 1 or #vim.api.nvim_list_tabpages() > 1 then
    if pcall(vim.api.nvim_win_close, win, true) then
      return
    end
  end
  -- The last window cannot be closed.
  release(win)
  undress(win)
  vim.api.nvim_win_call(win, vim.cmd.enew)
end

--- Closes its windows. If the person is in one of them, they return to where they came from.
function View:close_windows()
  self.is_closing = true
  keys.close(self)
  local back = false
  if self:is_current() and self.origin then
    back = window_state.go_back(self.origin)
  end
  local tab = self:tab()
  local ours = { [self.left_win or 0] = true, [self.right_win or 0] = true }
  local others = tab and vim.tbl_filter(function(win)
    return not ours[win]
  end, window_state.windows_of(tab)) or {}
  if tab and #others == 0 and #vim.api.nvim_list_tabpages() > 1 then
    -- Closes floating windows first, because Neovim 0.10 crashes otherwise.
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
      if not ours[win] then
        pcall(vim.api.nvim_win_close, win, true)
      end
    end
  end
  for _, pair in ipairs({ { self.left_win, self.left }, { self.right_win, self.right } }) do
    if shows(pair[1], pair[2]) then
      remove(pair[1])
    end
  end
  self.left_win, self.right_win = nil, nil
  tabline.refresh()
  on_screen.refresh()
  if back then
    window_state.settle(back)
  end
  self.is_closing = false
end

--- Ends the view; nothing of it remains.
function View:close()
  self:close_windows()
  marks.clear(self.right)
  for _, buf in ipairs({ self.left, self.right }) do
    if vim.api.nvim_buf_is_valid(buf) then
      pcall(vim.api.nvim_buf_delete, buf, { force = true })
    end
  end
  tabline.refresh()
end

--- Shows another review in the same windows.
---@param other alongside.View
---@param line integer where to begin reading, 1-based
---@param column integer? 0-based
function View:give_to(other, line, column)
  keys.close(self)
  other.origin, other.right_win, other.is_even = self.origin, self.right_win, self.is_even
  local is_current = self:is_current()
  self.is_closing = true
  local function exchange(win, buf, groups)
    release(win)
    vim.api.nvim_win_set_buf(win, buf)
    dress(win, groups)
  end
  exchange(self.right_win, other.right, highlights.PROPOSAL)
  if shows(self.left_win, self.left) then
    other.left_win = self.left_win
    exchange(other.left_win, other.left, highlights.ORIGINAL)
  end
  vim.api.nvim_win_set_cursor(other.right_win, { math.min(line, vim.api.nvim_buf_line_count(other.right)), column or 0 })
  if is_current then
    vim.api.nvim_set_current_win(other.right_win)
    first_word.show(other)
  end
  self.left_win, self.right_win = nil, nil
  self:close()
end

-- Turns a review's buffer into an ordinary, unnamed one: `:w FILE` writes it, and Neovim asks before it is lost.
local function set_free(buf, is_modified)
  local options = vim.bo[buf]
  options.buftype, options.bufhidden, options.buflisted, options.modifiable = '', '', true, true
  pcall(vim.api.nvim_set_option_value, 'swapfile', vim.go.swapfile, { buf = buf })
  options.modified = is_modified
end

--- The review has ended while the person types: their buffer becomes an ordinary, unnamed one in its window. The window of
--- the original closes at once.
---@param is_modified boolean whether nobody else has what it holds
function View:become_ordinary(is_modified)
  keys.close(self)
  marks.clear(self.right)
  tabline.set_title(self.right)
  local old = vim.api.nvim_buf_get_name(self.right)
  unheard(function()
    vim.api.nvim_buf_set_name(self.right, '')
    -- Neovim keeps the old name as another buffer.
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if buf ~= self.right and vim.api.nvim_buf_get_name(buf) == old then
        vim.api.nvim_buf_delete(buf, { force = true })
      end
    end
  end)
  set_free(self.right, is_modified)
  for _, win in ipairs(vim.fn.win_findbuf(self.right)) do
    release(win)
    undress(win)
    vim.wo[win][0].signcolumn = vim.go.signcolumn
  end
  self.is_closing = true
  if is_window(self.left_win) and is_window(self.right_win) then
    pcall(vim.api.nvim_win_close, self.left_win, true)
  end
  if vim.api.nvim_buf_is_valid(self.left) then
    pcall(vim.api.nvim_buf_delete, self.left, { force = true })
  end
  tabline.refresh()
  on_screen.refresh()
end

--- A hidden, ordinary buffer with unsent text.
---@param pieces string[]
---@return integer buf
function M.ordinary(pieces)
  local buf = vim.api.nvim_create_buf(true, false)
  local format = text.format(pieces)
  vim.api.nvim_buf_set_lines(buf, 0, -1, true, text.lines(pieces, format))
  vim.bo[buf].fileformat, vim.bo[buf].bomb = format.dos and 'dos' or 'unix', format.bom
  vim.bo[buf].endofline, vim.bo[buf].fixendofline = format.eol, false
  set_free(buf, true)
  return buf
end

return M
