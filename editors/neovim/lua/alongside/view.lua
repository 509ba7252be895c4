-- The view of a review: a tab page with the original on the left and the proposal on the right, in Neovim's own diff
-- mode. Closing the view restores windows and their sizes, cursors, the mode and tab pages.

local cut_lines = require('alongside.cut_lines')
local first_word = require('alongside.first_word')
local folds = require('alongside.folds')
local harmless = require('alongside.harmless')
local highlights = require('alongside.highlights')
local keys = require('alongside.keys')
local marks = require('alongside.marks')
local memory = require('alongside.memory')
local on_screen = require('alongside.on_screen')
local statusline = require('alongside.statusline')
local tabline = require('alongside.tabline')
local text = require('alongside.text')
local without_autocommands = require('alongside.without_autocommands')
local window_state = require('alongside.window_state')

local M = {}

---@class alongside.View
---@field right integer the buffer of the proposal
---@field left integer the buffer of the original
---@field sync alongside.Sync the text of the proposal
---@field right_win integer?
---@field left_win integer?
---@field original string[] the text of the original
---@field key string the key of the review
---@field file string the path of the review's file
---@field size integer the bytes of the proposed text
---@field return_place table the person's place before the view
---@field has_filetypes boolean? whether the file types are set
---@field is_closing boolean?
---@field has_equal_windows boolean? whether the two windows are equally large
local View = {}
View.__index = View

-- Larger files get no file type, because syntax highlighting would be slow.
local MAX_HIGHLIGHTED_BYTES = 1500000

-- Window options that are reset to their global value: a new window copies the values of the previous one, such as a
-- terminal.
local GLOBAL_VALUES = {
  'number', 'relativenumber', 'list', 'spell', 'cursorline', 'cursorcolumn', 'colorcolumn', 'foldcolumn', 'statuscolumn',
  'conceallevel', 'breakindent', 'linebreak', 'winfixwidth', 'winfixheight', 'winblend', 'wrap',
}

local is_window, shows = window_state.is_window, window_state.shows

-- Characters that a command line, a pattern or expand() may interpret; expand() runs commands in backquotes.
local SPECIAL = '[^%w._/+,@=\128-\255-]'

-- Creates a buffer whose name ends in a suffix of the plugin: plugins such as zip.vim act on names by their ending.
local function new_buffer(name, suffix, buftype)
  local buf
  without_autocommands(function()
    buf = vim.api.nvim_create_buf(false, false)
    local options = vim.bo[buf]
    options.buftype, options.swapfile, options.undofile, options.fixendofline = buftype, false, false, false
    options.bufhidden, options.modeline = 'hide', false
    vim.api.nvim_buf_set_name(buf, ('alongside://%s [%s]'):format(name:gsub(SPECIAL, '_'), suffix))
  end)
  return buf
end

--- Sets the file type of a buffer to that of the review's file.
---@param buf integer
function View:set_filetype(buf)
  if self.size > MAX_HIGHLIGHTED_BYTES then
    return
  end
  -- Neovim's file type rules pass the name to expand(), so it has no special characters.
  local ok, filetype = pcall(vim.filetype.match, { filename = self.file:gsub(SPECIAL, '_'), buf = buf })
  if ok and filetype then
    -- Scripts of other plugins run here; their errors must neither stop the review nor appear on the screen. Neovim's
    -- own file type for Markdown fails without a parser.
    vim.v.errmsg = ''
    local is_set, reason = pcall(vim.api.nvim_buf_call, buf, function()
      vim.cmd({ cmd = 'setlocal', args = { 'filetype=' .. filetype }, mods = { silent = true, emsg_silent = true } })
    end)
    if not is_set or vim.v.errmsg ~= '' then
      reason = is_set and vim.v.errmsg or tostring(reason)
      require('alongside.log').write(('the file type %s has an error: %s'):format(filetype, reason))
    end
  end
end

--- Sets the file types of both buffers once the view is on the screen: the syntax of 10 KB of Rust takes 8 ms, and
--- drawing it 8 ms more.
function View:set_filetypes()
  if self.has_filetypes or self.size > MAX_HIGHLIGHTED_BYTES then
    return
  end
  self.has_filetypes = true
  vim.cmd.redraw()
  local function set()
    for _, buf in ipairs({ self.left, self.right }) do
      if vim.api.nvim_buf_is_loaded(buf) then
        -- A file type plugin may change this option.
        local modifiable = vim.bo[buf].modifiable
        self:set_filetype(buf)
        vim.bo[buf].modifiable = modifiable
      end
    end
  end
  -- In the tab page of the person, no window shows these buffers, so that Neovim sets the window options of a file type,
  -- such as 'wrap', in none of the windows.
  local elsewhere = self.return_place and self.return_place.win
  if is_window(elsewhere) and vim.api.nvim_win_get_tabpage(elsewhere) ~= self:tab() then
    vim.api.nvim_win_call(elsewhere, set)
  else
    set()
  end
  self.sync:set_modified()
  -- Neovim has redrawn only the windows of the other tab page.
  vim.cmd.redraw({ bang = true })
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

--- The format in which the buffers show a text and its original: "\r\n" is hidden only if both use it throughout.
local function common_format(sync, original)
  local format = text.format(sync:person_text(), sync.format)
  local original_is_dos = text.is_dos(original)
  if original_is_dos == false then
    format.dos = false
  elseif text.is_dos(sync:person_text()) == nil then
    format.dos = original_is_dos == true
  end
  return format
end

--- Creates the buffers of a review.
---@param review table
---@param sync alongside.Sync
---@return alongside.View
function M.new(review, sync, name)
  local self = setmetatable({}, View)
  self.original, self.sync = review.texts.original, sync
  local suffix = ('proposal %d'):format(review.id)
  self.left = new_buffer('original/' .. name, 'file', 'nofile')
  self.right = new_buffer('review/' .. name, suffix, 'acwrite')
  for _, buf in ipairs({ self.left, self.right }) do
    tabline.set_title(buf, ('%s [%s]'):format(harmless.name(vim.fs.basename(review.file)), suffix))
  end
  self.key, self.file, self.size = review.key, review.file, review.size
  local format = common_format(sync, self.original)
  self:show_original(format)
  sync.on_format = function(changed)
    if vim.api.nvim_buf_is_valid(self.left) then
      self:show_original(changed)
    end
  end
  sync:attach(self.right, format)
  vim.bo[self.right].modifiable = not review.wholeFileOnly
  vim.bo[self.right].modified = false
  return self
end

-- Resets the options that `apply_review_options` sets.
local function reset_review_options(win)
  local options = vim.wo[win][0]
  options.winbar, options.statusline, options.winhighlight = '', '', ''
  options.cursorlineopt = vim.go.cursorlineopt
  cut_lines.unmark(win)
  folds.unset_text(win)
end

-- Ends diff mode in a window, and lets it show other buffers.
local function end_diff(win)
  vim.wo[win].winfixbuf = false
  vim.api.nvim_win_call(win, vim.cmd.diffoff)
end

local function start_diff(win)
  vim.api.nvim_win_call(win, function()
    vim.cmd('diffthis')
  end)
  -- The fold column shows "-" for an open fold, which looks like a removed line. 'diffoff' restores the width of the
  -- column.
  vim.wo[win][0].foldcolumn = '0'
end

local function apply_review_options(win, groups)
  for _, name in ipairs(GLOBAL_VALUES) do
    vim.api.nvim_set_option_value(name, vim.go[name], { scope = 'local', win = win })
  end
  local options = vim.wo[win][0]
  options.signcolumn = 'yes:1'
  -- The companion's changed words are marked, the same words at every desk.
  options.winhighlight = groups
  -- The highlight of the cursor line would cover the changed words in it.
  options.cursorlineopt = 'number'
  options.statusline = statusline.OPTION
  options.winfixbuf = true
  start_diff(win)
  cut_lines.mark(win)
  folds.set_text(win)
end

--- Opens the tab page and enters it. `return_place` is the place to return to.
---@param return_place table
---@param line integer the line of the cursor, 1-based
---@param column integer? the column of the first changed word in that line, 0-based
function View:open(return_place, line, column)
  self.return_place = return_place
  -- Scripts of other plugins run here; the view opens despite their errors.
  local ok, reason = pcall(vim.cmd, 'keepalt tab sbuffer ' .. self.right)
  if vim.api.nvim_get_current_buf() ~= self.right then
    error(reason, 0)
  elseif not ok then
    require('alongside.log').write('an autocommand failed: ' .. tostring(reason))
  end
  self.right_win = vim.api.nvim_get_current_win()
  if return_place.mode:find('^[iR]') then
    vim.cmd('stopinsert')
  end
  highlights.prepare()
  on_screen.pair_lines()
  apply_review_options(self.right_win, highlights.PROPOSAL)
  self:open_original()
  tabline.refresh()
  vim.api.nvim_win_set_cursor(self.right_win, { math.min(line, vim.api.nvim_buf_line_count(self.right)), column or 0 })
  vim.cmd('normal! zv')
  first_word.show(self)
  memory.give_back(self.size)
end

--- Shows the original beside the proposal.
function View:open_original()
  self.left_win = vim.api.nvim_open_win(self.left, false, { split = 'left', win = self.right_win })
  apply_review_options(self.left_win, highlights.ORIGINAL)
  if not vim.wo[self.right_win].diff then
    -- With "closeoff" in 'diffopt', closing one window has ended diff mode in the other.
    start_diff(self.right_win)
  end
  on_screen.record_sizes(self)
end

--- Whether the window of the original is closed and that of the proposal is open.
---@return boolean
function View:lacks_original()
  return self:is_shown() and not shows(self.left_win, self.left) and vim.api.nvim_buf_is_valid(self.left)
end

--- Whether a window shows the proposal.
---@return boolean
function View:is_shown()
  return shows(self.right_win, self.right)
end

--- Whether the person is in one of the view's windows.
---@return boolean
function View:is_current()
  local buf = vim.api.nvim_get_current_buf()
  return buf == self.right or buf == self.left
end

--- Returns the open windows of the view as { window, buffer } pairs, the original first.
---@return { [1]: integer, [2]: integer }[]
function View:windows()
  return vim.tbl_filter(function(pair)
    return shows(pair[1], pair[2])
  end, { { self.left_win, self.left }, { self.right_win, self.right } })
end

--- Returns the tab page of the view.
---@return integer?
function View:tab()
  local all = self:windows()
  return #all > 0 and vim.api.nvim_win_get_tabpage(all[#all][1]) or nil
end

--- Enters the window of the proposal.
function View:focus()
  vim.api.nvim_set_current_win(self.right_win)
end

--- After the proposal's window was closed, adopts another window that shows the proposal. Returns whether there is one.
---@return boolean
function View:find_other_window()
  local win = vim.fn.win_findbuf(self.right)[1]
  self.right_win = win or self.right_win
  return win ~= nil
end

local function close_window(win)
  if #window_state.windows_of(vim.api.nvim_win_get_tabpage(win)) > 1 or #vim.api.nvim_list_tabpages() > 1 then
    if pcall(vim.api.nvim_win_close, win, true) then
      return
    end
  end
  -- The last window cannot be closed.
  end_diff(win)
  reset_review_options(win)
  vim.api.nvim_win_call(win, vim.cmd.enew)
end

--- Closes the windows of the view. If the person is in one of them, returns them to the place where they were before.
function View:close_windows()
  self.is_closing = true
  keys.close(self)
  local returned_to = false
  if self:is_current() and self.return_place then
    returned_to = window_state.go_back(self.return_place)
  end
  local tab = self:tab()
  local ours = { [self.left_win or 0] = true, [self.right_win or 0] = true }
  local others = tab and vim.tbl_filter(function(win)
    return not ours[win]
  end, window_state.windows_of(tab)) or {}
  if tab and #others == 0 and #vim.api.nvim_list_tabpages() > 1 then
    -- Floating windows are closed first, because Neovim 0.10 crashes otherwise.
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
      if not ours[win] then
        pcall(vim.api.nvim_win_close, win, true)
      end
    end
  end
  for _, pair in ipairs({ { self.left_win, self.left }, { self.right_win, self.right } }) do
    if shows(pair[1], pair[2]) then
      close_window(pair[1])
    end
  end
  self.left_win, self.right_win = nil, nil
  tabline.refresh()
  on_screen.refresh()
  if returned_to then
    window_state.restore(returned_to)
  end
  self.is_closing = false
end

--- Closes the windows and deletes the buffers of the view.
function View:close()
  self:close_windows()
  marks.clear(self.right)
  for _, buf in ipairs({ self.left, self.right }) do
    if vim.api.nvim_buf_is_valid(buf) then
      pcall(vim.api.nvim_buf_delete, buf, { force = true })
    end
  end
  -- The functions of the autocommands would keep the review.
  pcall(vim.api.nvim_del_augroup_by_name, 'alongside.review.' .. self.key)
  memory.give_back(self.size)
  tabline.refresh()
end

--- Replaces this view with the view of another review, in the same windows.
---@param other alongside.View
---@param line integer the line of the cursor, 1-based
---@param column integer? 0-based
function View:replace_with(other, line, column)
  keys.close(self)
  other.return_place, other.right_win, other.has_equal_windows = self.return_place, self.right_win, self.has_equal_windows
  local is_current = self:is_current()
  self.is_closing = true
  local function show_in(win, buf, groups)
    end_diff(win)
    vim.api.nvim_win_set_buf(win, buf)
    apply_review_options(win, groups)
  end
  show_in(self.right_win, other.right, highlights.PROPOSAL)
  if shows(self.left_win, self.left) then
    other.left_win = self.left_win
    show_in(other.left_win, other.left, highlights.ORIGINAL)
  end
  vim.api.nvim_win_set_cursor(other.right_win, { math.min(line, vim.api.nvim_buf_line_count(other.right)), column or 0 })
  if is_current then
    vim.api.nvim_set_current_win(other.right_win)
    first_word.show(other)
  end
  self.left_win, self.right_win = nil, nil
  self:close()
end

-- Turns a review's buffer into an ordinary, unnamed one: `:w FILE` writes it, and Neovim asks before its text is lost.
local function make_ordinary(buf, is_modified)
  local options = vim.bo[buf]
  options.buftype, options.bufhidden, options.buflisted, options.modifiable = '', '', true, true
  pcall(vim.api.nvim_set_option_value, 'swapfile', vim.go.swapfile, { buf = buf })
  options.modified = is_modified
end

--- After the end of a review while the person types: turns their buffer into an ordinary, unnamed one in its window,
--- and closes the window of the original.
---@param is_modified boolean whether the text exists only in this buffer
function View:become_ordinary(is_modified)
  keys.close(self)
  marks.clear(self.right)
  tabline.set_title(self.right)
  local old = vim.api.nvim_buf_get_name(self.right)
  without_autocommands(function()
    vim.api.nvim_buf_set_name(self.right, '')
    -- Neovim has created another buffer with the old name.
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if buf ~= self.right and vim.api.nvim_buf_get_name(buf) == old then
        vim.api.nvim_buf_delete(buf, { force = true })
      end
    end
  end)
  make_ordinary(self.right, is_modified)
  for _, win in ipairs(vim.fn.win_findbuf(self.right)) do
    end_diff(win)
    reset_review_options(win)
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

--- Creates a hidden, ordinary buffer with unsent text.
---@param pieces string[]
---@return integer buf
function M.ordinary_buffer(pieces)
  local buf = vim.api.nvim_create_buf(true, false)
  local format = text.format(pieces)
  vim.api.nvim_buf_set_lines(buf, 0, -1, true, text.lines(pieces, format))
  vim.bo[buf].fileformat, vim.bo[buf].bomb = format.dos and 'dos' or 'unix', format.bom
  vim.bo[buf].endofline, vim.bo[buf].fixendofline = format.eol, false
  make_ordinary(buf, true)
  return buf
end

return M
