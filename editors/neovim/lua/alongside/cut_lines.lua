-- Signs at the edges of a review's windows where a line goes on. Neovim draws its own, but for one case: a character of two
-- columns that fills the last two.

local M = {}

local CUT = { extends = '›', precedes = '‹' }

local ns = vim.api.nvim_create_namespace('alongside.cut_lines')

-- The windows with their sign and their columns, as of the last drawing.
local signs, edges = {}, {} ---@type table<integer, string>, table<integer, integer>

--- Marks cut lines in a window. Nothing else is shown that the person does not see elsewhere: with 'list', Neovim shows a tab
--- as "^I" unless 'listchars' says otherwise.
---@param win integer
function M.mark(win)
  local options = vim.wo[win][0]
  local own = vim.go.list and vim.go.listchars or 'tab:  '
  for name, sign in pairs(CUT) do
    if not (',' .. own):find(',' .. name .. ':', 1, true) then
      own = ('%s,%s:%s'):format(own, name, sign)
    end
  end
  options.list, options.listchars = true, own
  -- A word at the edge is seen with what is around it.
  options.sidescrolloff = math.max(vim.go.sidescrolloff, 8)
  signs[win] = (',' .. own):match(',extends:([^,]+)')
end

--- Takes the signs back.
---@param win integer
function M.unmark(win)
  local options = vim.wo[win][0]
  options.list, options.listchars, options.sidescrolloff = vim.go.list, '', -1
  signs[win] = nil
end

-- The virtual column of the last column of a window.
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
    local at = byte_at(edge)
    -- It begins one column earlier, and another one follows.
    if byte_at(edge - 1) == at and byte_at(edge + 1) > at and vim.fn.strdisplaywidth(vim.fn.strpart(
      vim.fn.getbufoneline(buf, row + 1), at - 1, 1, true)) == 2 then
      local column = vim.api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff - 2
      vim.api.nvim_buf_set_extmark(buf, ns, row, 0, {
        ephemeral = true, virt_text = { { ' ' .. signs[win], 'NonText' } }, virt_text_win_col = column, hl_mode = 'combine',
      })
    end
  end,
})

return M
