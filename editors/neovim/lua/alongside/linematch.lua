-- Neovim 0.10 pairs the lines of a change only with "linematch" in 'diffopt', which later versions have by default. The option
-- is global, so it is there while a review is looked at, and nowhere else.

local M = {}

local ITEM = 'linematch:60'

local is_ours = false -- whether we have added it
local shown ---@type fun(): alongside.View[]

local function set(sign)
  vim.cmd(('noautocmd set diffopt%s=%s'):format(sign, ITEM))
  is_ours = sign == '+'
end

--- Adds the item before a review is compared.
function M.add()
  local now = vim.o.diffopt
  if vim.fn.has('nvim-0.11') == 0 and now:find('internal', 1, true) and not now:find('linematch', 1, true) then
    set('+')
  end
end

--- Adds the item in the tab page of a review, and takes it back elsewhere.
function M.refresh()
  local tab = vim.api.nvim_get_current_tabpage()
  for _, view in ipairs(shown()) do
    if view:tab() == tab then
      return M.add()
    end
  end
  if is_ours then
    set('-')
  end
end

---@param views fun(): alongside.View[] the views on the screen
function M.setup(views)
  shown = views
  vim.api.nvim_create_autocmd('TabEnter', {
    group = vim.api.nvim_create_augroup('alongside.linematch', {}),
    desc = 'alongside: pair the lines of changes in reviews only',
    callback = M.refresh,
  })
end

return M
