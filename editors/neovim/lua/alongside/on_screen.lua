-- Neovim's behaviour while reviews are on the screen: the two windows of a review stay equally large, the lines of
-- changes are paired, and `:windo` and `:tabdo` visit the windows.

local autocommands = require('alongside.autocommands')
local first_word = require('alongside.first_word')
local window_state = require('alongside.window_state')

local M = {}

local LINEMATCH = 'linematch:60'
local WINDOW_COMMANDS = { windo = true, tabdo = true }

local has_added_linematch = false -- whether the plugin has added LINEMATCH to 'diffopt'
local shown_views ---@type fun(): alongside.View[] returns the views on the screen

-- The two windows of a view if its tab page has no others, otherwise nil.
local function only_windows(view)
  if #view:windows() == 2 and #window_state.windows_of(view:tab()) == 2 then
    return view.left_win, view.right_win
  end
end

--- Records whether the windows are equally large: sizes that the person has set stay.
---@param view alongside.View
function M.record_sizes(view)
  local left, right = only_windows(view)
  view.has_equal_windows = left ~= nil
    and math.abs(vim.api.nvim_win_get_width(left) - vim.api.nvim_win_get_width(right)) <= 1
    and math.abs(vim.api.nvim_win_get_height(left) - vim.api.nvim_win_get_height(right)) <= 1
end

-- Makes the windows equally large again after a resize of the terminal, because Neovim takes all columns from the
-- window on the right. Neovim resizes a tab page only when it shows the tab page.
local function equalize(view)
  local left = only_windows(view)
  if left and view.has_equal_windows and view:tab() == vim.api.nvim_get_current_tabpage() then
    vim.api.nvim_win_call(left, function()
      vim.cmd.wincmd('=')
    end)
  end
end

-- Scrolls the windows back if their lines fit at the new width.
local function unscroll(view)
  if view:is_current() then
    first_word.show(view)
  end
end

-- Neovim 0.10 pairs the lines of a change only with "linematch" in 'diffopt', which later versions have by default. The
-- option is global, so it is set only while the current tab page shows a review.
local function set_linematch(sign)
  vim.cmd(('noautocmd set diffopt%s=%s'):format(sign, LINEMATCH))
  has_added_linematch = sign == '+'
end

--- Makes Neovim pair the lines of changes. Must be called before it compares a review.
function M.pair_lines()
  local now = vim.o.diffopt
  if vim.fn.has('nvim-0.11') == 0 and now:find('internal', 1, true) and not now:find('linematch', 1, true) then
    set_linematch('+')
  end
end

--- Turns the pairing of lines on in the tab page of a review, and off in other tab pages.
function M.refresh()
  local tab = vim.api.nvim_get_current_tabpage()
  for _, view in ipairs(shown_views()) do
    if view:tab() == tab then
      return M.pair_lines()
    end
  end
  if has_added_linematch then
    set_linematch('-')
  end
end

-- Neovim splits a window whose buffer is fixed ('winfixbuf') before it runs `:windo` and `:tabdo`, and the second
-- window of the proposal would stay. So this function releases the windows until the command has run.
local function visit_each()
  local ok, command = pcall(vim.api.nvim_parse_cmd, vim.fn.getcmdline(), {})
  if vim.v.event.abort or not ok or not WINDOW_COMMANDS[command.cmd] then
    return
  end
  local released = {}
  for _, view in ipairs(shown_views()) do
    for _, pair in ipairs(view:windows()) do
      if vim.wo[pair[1]].winfixbuf then
        vim.wo[pair[1]].winfixbuf = false
        released[#released + 1] = pair
      end
    end
  end
  -- Runs after the command.
  vim.schedule(function()
    for _, pair in ipairs(released) do
      if window_state.shows(pair[1], pair[2]) then
        vim.wo[pair[1]].winfixbuf = true
      end
    end
  end)
end

---@param views fun(): alongside.View[] the views on the screen
function M.setup(views)
  shown_views = views
  local on = autocommands('on_screen')
  local function each_view(events, description, action)
    on(events, description, function()
      vim.iter(shown_views()):each(action)
    end)
  end
  each_view({ 'VimResized', 'TabEnter' }, 'make the windows of a review equal again', equalize)
  each_view('VimResized', 'show the beginnings of lines that fit again', unscroll)
  -- Runs after the other two, so that it records their result.
  each_view('WinResized', 'note whether the windows of a review are equal', M.record_sizes)
  on('TabEnter', 'pair the lines of changes in reviews only', M.refresh)
  on('CmdlineLeave', 'let :windo visit the windows of a review', visit_each, { pattern = ':' })
end

return M
