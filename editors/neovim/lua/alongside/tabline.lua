-- The tab line while a proposal is on the screen: its tab page shows the file's name and the proposal's number. The
-- other tabs are as Neovim draws them, and the plugin keeps a 'tabline' of the person.

local harmless = require('alongside.harmless')
local window_state = require('alongside.window_state')

local M = {}

-- 'tabline' while a proposal is on the screen.
local OPTION = "%!v:lua.require'alongside.tabline'.draw()"
-- The width of the narrowest tab in Neovim.
local MIN_WIDTH = 6
-- Neovim's names for buffers without a name, by 'buftype'.
local NAMELESS = { acwrite = '[Scratch]', nofile = '[Scratch]', prompt = '[Prompt]', terminal = '[Scratch]' }
-- Buffers that are never modified, by 'buftype'.
local NEVER_MODIFIED = { nofile = true, prompt = true, terminal = true }

--- Sets the proposal's title of a buffer, `b:alongside_title`; nil removes it.
---@param buf integer
---@param title string? harmless
function M.set_title(buf, title)
  vim.b[buf].alongside_title = title
end

local function title_of(win)
  return vim.b[vim.api.nvim_win_get_buf(win)].alongside_title
end

--- Sets 'tabline' while a window shows a proposal and the person has set none.
function M.refresh()
  local is_needed = vim.iter(vim.api.nvim_list_wins()):any(title_of)
  if is_needed and vim.go.tabline == '' then
    vim.go.tabline = OPTION
  elseif not is_needed and vim.go.tabline == OPTION then
    vim.go.tabline = ''
  end
end

-- The name of the buffer in a window, as Neovim shows it in a tab.
local function name_of(win)
  local buf = vim.api.nvim_win_get_buf(win)
  local name, kind = vim.fn.bufname(buf), vim.bo[buf].buftype
  if kind == 'quickfix' then
    return vim.fn.win_gettype(win) == 'loclist' and '[Location List]' or '[Quickfix List]'
  elseif name == '' then
    return NAMELESS[kind] or '[No Name]'
  elseif kind == 'help' then
    return vim.fs.basename(name)
  end
  return vim.fn.pathshorten(vim.fn.fnamemodify(name, ':~'))
end

local function is_modified(win)
  local options = vim.bo[vim.api.nvim_win_get_buf(win)]
  return options.modified and not NEVER_MODIFIED[options.buftype]
end

-- The label of a tab in at most `columns` columns: the number of its windows, "+" for unsaved text, and the end of a
-- name. A title that does not fit becomes short, as in `main_loop.rs [1]`.
local function label(tab, columns)
  local wins = window_state.windows_of(tab)
  local count = #wins > 1 and tostring(#wins) or ''
  local prefix = count .. (vim.iter(wins):any(is_modified) and '+' or '')
  prefix = ' ' .. prefix .. (prefix == '' and '' or ' ')
  local name = vim.iter(wins):map(title_of):next() or name_of(vim.api.nvim_tabpage_get_win(tab))
  name = harmless.name(name)
  local function is_long()
    return vim.fn.strdisplaywidth(prefix .. name) >= columns
  end
  if is_long() then
    name = name:gsub('%[proposal (%d+)%]$', '[%1]')
  end
  while name ~= '' and is_long() do
    name = vim.fn.strcharpart(name, 1)
  end
  return prefix .. name .. ' '
end

--- Returns the value of 'tabline' while a proposal is on the screen.
---@return string
function M.draw()
  local tabs, parts, drawn = vim.api.nvim_list_tabpages(), {}, 0
  local columns = math.max(MIN_WIDTH, math.floor((vim.o.columns - 1 + math.floor(#tabs / 2)) / #tabs))
  for i, tab in ipairs(tabs) do
    if drawn >= vim.o.columns - 4 then
      break
    end
    local text = label(tab, columns)
    drawn = drawn + vim.fn.strdisplaywidth(text)
    local group = tab == vim.api.nvim_get_current_tabpage() and 'TabLineSel' or 'TabLine'
    parts[#parts + 1] = ('%%%dT%%#%s#%s'):format(i, group, harmless.statusline(text))
  end
  return table.concat(parts) .. '%#TabLineFill#%T' .. (#tabs > 1 and '%=%#TabLine#%999XX' or '')
end

return M
