-- Keeps the two windows of a review equally large when the terminal changes its size: Neovim takes all columns from the
-- window on the right. Sizes that the person has set stay. Windows with more room show the beginnings of lines again.

local first_word = require('alongside.first_word')
local window_state = require('alongside.window_state')

local M = {}

-- Both windows, if nothing else is in their tab page.
local function both(view)
  local tab = view:tab()
  if tab and window_state.shows(view.left_win, view.left) and window_state.shows(view.right_win, view.right)
    and #window_state.windows_of(tab) == 2 then
    return view.left_win, view.right_win
  end
end

--- Notes whether the windows are equally large now.
---@param view alongside.View
function M.note(view)
  local left, right = both(view)
  view.is_even = left ~= nil
    and math.abs(vim.api.nvim_win_get_width(left) - vim.api.nvim_win_get_width(right)) <= 1
    and math.abs(vim.api.nvim_win_get_height(left) - vim.api.nvim_win_get_height(right)) <= 1
end

-- The screen has another size: makes windows equal that were. Neovim resizes a tab page only when it shows it.
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

---@param shown fun(): alongside.View[] the views on the screen
function M.setup(shown)
  local group = vim.api.nvim_create_augroup('alongside.halves', {})
  local function on(events, what, action)
    vim.api.nvim_create_autocmd(events, {
      group = group,
      desc = 'alongside: ' .. what,
      callback = function()
        vim.iter(shown()):each(action)
      end,
    })
  end
  on({ 'VimResized', 'TabEnter' }, 'make the windows of a review equal again', fit)
  on('VimResized', 'show the beginnings of lines that fit again', unscroll)
  -- Comes after the others: it reports what they have done, too.
  on('WinResized', 'note whether the windows of a review are equal', M.note)
end

return M
