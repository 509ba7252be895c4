-- Signs at the edges of a review's windows where a line continues. Neovim draws them, except on a character of two
-- columns that fills the last two columns: this file draws that sign.

local M = {}

local SIGNS = { extends = '›', precedes = '‹' }

local ns = vim.api.nvim_create_namespace('alongside.cut_lines')

-- By window: the sign at the right edge, and the virtual column of that edge at the last redraw.
local signs, edges = {}, {} ---@type table<integer, string>, table<integer, integer>

--- Shows the signs in a window. The signs need 'list', which must not show anything else that the person does not see
--- in other windows: without a "tab" in 'listchars', 'list' would show a tab as "^I".
---@param win integer
function M.mark(win)
  local options = vim.wo[win][0]
  local listchars = vim.go.list and vim.go.listchars or 'tab:  '
  for name, sign in pairs(SIGNS) do
    if not (',' .. listchars):find(',' .. name .. ':', 1, true) then
      listchars = ('%s,%s:%s'):format(listchars, name, sign)
    end
  end
  options.list, options.listchars = true, listchars
  -- Keeps some text visible on both sides of the cursor.
  options.sidescrolloff = math.max(vim.go.sidescrolloff, 8)
  signs[win] = (',' .. listchars):match(',extends:([^,]+)')
end

--- Hides the signs.
---@param win integer
function M.unmark(win)
  local options = vim.wo[win][0]
  options.list, options.listchars, options.sidescrolloff = vim.go.list, '', -1
  signs[win] = nil
end

-- The virtual column at the right edge of a window.
local function edge_of(win)
  local info = vim.fn.getwininfo(win)[1]
  local leftcol = info.leftcol or vim.api.nvim_win_call(win, vim.fn.winsaveview).leftcol
  return leftcol + info.width - info.textoff
end

vim.api.nvim_set_decoration_provider(ns, {
  on_win = function(_, win)
    if not signs[win] or not vim.api.nvim_win_is_valid(win) or vim.wo[win].wrap or not vim.wo[win].list then
      return false
    end
    edges[win] = edge_of(win)
  end,
  on_line = function(_, win, buf, row)
    local edge = edges[win]
    local function byte_at(column)
      return vim.fn.virtcol2col(win, row + 1, column)
    end
    local byte = byte_at(edge)
    -- The character at the edge begins one column earlier, and the line continues after it.
    if byte_at(edge - 1) == byte and byte_at(edge + 1) > byte and vim.fn.strdisplaywidth(vim.fn.strpart(
      vim.fn.getbufoneline(buf, row + 1), byte - 1, 1, true)) == 2 then
      local column = vim.api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff - 2
      vim.api.nvim_buf_set_extmark(buf, ns, row, 0, {
        ephemeral = true, virt_text = { { ' ' .. signs[win], 'NonText' } }, virt_text_win_col = column, hl_mode = 'combine',
      })
    end
  end,
})

return M
