-- Neovim while reviews are on the screen: the two windows of one stay equally large, the lines of changes are paired, and
-- commands for each window visit them.

local autocommands = require('alongside.autocommands')
local first_word = require('alongside.first_word')
local window_state = require('alongside.window_state')

local M = {}

local LINEMATCH = 'linematch:60'
local EACH = { windo = true, tabdo = true }

local is_paired_by_us = false -- whether we have added LINEMATCH
local shown ---@type fun(): alongside.View[] the views on the screen

-- Both windows, if nothing else is in their tab page.
local function both(view)
  if #view:windows() == 2 and #window_state.windows_of(view:tab()) == 2 then
    return view.left_win, view.right_win
  end
end

--- Notes whether the windows are equally large now: sizes that the person has set stay.
---@param view alongside.View
function M.note_sizes(view)
  local left, right = both(view)
  view.is_even = left ~= nil
    and math.abs(vim.api.nvim_win_get_width(left) - vim.api.nvim_win_get_width(right)) <= 1
    and math.abs(vim.api.nvim_win_get_height(left) - vim.api.nvim_win_get_height(right)) <= 1
end

-- The terminal has another size, and Neovim takes all columns from the window on the right: makes windows equal that were.
-- Neovim resizes a tab page only when it shows it.
local function fit(view)
  local left = both(view)
  if left and view.is_even and view:tab() == vim.api.nvim_get_current_tabpage() then
    vim.api.nvim_win_call(left, function()
      vim.cmd.wincmd('=')
    end)
  end
end

-- Lines that fit now were scrolled sideways for the width before.
local function unscroll(view)
  if view:is_current() then
    first_word.show(view)
  end
end

-- Neovim 0.10 pairs the lines of a change only with "linematch" in 'diffopt', which later versions have by default. The option
-- is global, so it is there while a review is looked at, and nowhere else.
local function set_linematch(sign)
  vim.cmd(('noautocmd set diffopt%s=%s'):format(sign, LINEMATCH))
  is_paired_by_us = sign == '+'
end

--- Has Neovim pair lines before a review is compared.
function M.pair_lines()
  local now = vim.o.diffopt
  if vim.fn.has('nvim-0.11') == 0 and now:find('internal', 1, true) and not now:find('linematch', 1, true) then
    set_linematch('+')
  end
end

--- Pairs lines in the tab page of a review, and nowhere else.
function M.refresh()
  local tab = vim.api.nvim_get_current_tabpage()
  for _, view in ipairs(shown()) do
    if view:tab() == tab then
      return M.pair_lines()
    end
  end
  if is_paired_by_us then
    set_linematch('-')
  end
end

-- Neovim splits a window whose buffer is fixed ('winfixbuf') before it runs `:windo` and `:tabdo`, and the second window of the
-- proposal would stay.
local function visit_each()
  local ok, command = pcall(vim.api.nvim_parse_cmd, vim.fn.getcmdline(), {})
  if vim.v.event.abort or not ok or not EACH[command.cmd] then
    return
  end
  local free = {}
  for _, view in ipairs(shown()) do
    for _, pair in ipairs(view:windows()) do
      if vim.wo[pair[1]].winfixbuf then
        vim.wo[pair[1]].winfixbuf = false
        free[#free + 1] = pair
      end
    end
  end
  -- Once the command has run.
  vim.schedule(function()
    for _, pair in ipairs(free) do
      if window_state.shows(pair[1], pair[2]) then
        vim.wo[pair[1]].winfixbuf = true
      end
    end
  end)
end

---@param views fun(): alongside.View[] the views on the screen
function M.setup(views)
  shown = views
  local on = autocommands('on_screen')
  local function each(events, what, action)
    on(events, what, function()
      vim.iter(shown()):each(action)
    end)
  end
  each({ 'VimResized', 'TabEnter' }, 'make the windows of a review equal again', fit)
  each('VimResized', 'show the beginnings of lines that fit again', unscroll)
  -- Comes after the others: it reports what they have done, too.
  each('WinResized', 'note whether the windows of a review are equal', M.note_sizes)
  on('TabEnter', 'pair the lines of changes in reviews only', M.refresh)
  on('CmdlineLeave', 'let :windo visit the windows of a review', visit_each, { pattern = ':' })
end

return M
