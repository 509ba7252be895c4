-- The selected text and the cursor of a window, in UTF-16 units.

local harmless = require('alongside.harmless')

local M = {}

-- The most UTF-16 units of a selection that are read. Agents get 16,384 units; a few more show that the selection
-- continues. A selection is never read as a whole, because it may have many megabytes and grow with every key.
local MAX_UNITS = 16400
local LINES_PER_READ = 256
local BLOCK = '\22'

-- Newer releases of Neovim deprecate the old signature; 0.10 does not have the new one.
local units = vim.fn.has('nvim-0.11') == 1
    and function(line, byte)
      return vim.str_utfindex(line, 'utf-16', byte, false)
    end
  or function(line, byte)
    return select(2, vim.str_utfindex(line, byte))
  end

--- Returns the position of `byte` in `line` in UTF-16 units.
---@param line string
---@param byte integer
---@return integer
function M.utf16(line, byte)
  return units(line, math.max(0, math.min(byte, #line)))
end

--- Returns the cursor of `window`.
---@param window integer
---@return { line: integer, character: integer }
function M.cursor(window)
  local row, column = unpack(vim.api.nvim_win_get_cursor(window))
  local line = vim.fn.getbufoneline(vim.api.nvim_win_get_buf(window), row)
  return { line = row - 1, character = M.utf16(line, column) }
end

--- Creates a collector that takes lines up to the limit.
local function collector()
  local lines, room = {}, MAX_UNITS
  return {
    lines = lines,
    add = function(line)
      if room <= 0 then
        return false
      end
      -- Neovim's API returns \n for a NUL of the file.
      line = harmless.utf8((line:gsub('\n', '\0')))
      -- A line has at least as many bytes as UTF-16 units, so shorter lines need no count.
      if #line > room and M.utf16(line, #line) > room then
        line = vim.fn.strcharpart(line, 0, room)
        while M.utf16(line, #line) > room do
          line = vim.fn.strcharpart(line, 0, vim.fn.strchars(line) - math.ceil((M.utf16(line, #line) - room) / 2))
        end
        room = 0
      end
      lines[#lines + 1] = line
      room = room - M.utf16(line, #line) - 1
      return true
    end,
  }
end

local function read(buf, first, last, each)
  for from = first, last, LINES_PER_READ do
    local lines = vim.api.nvim_buf_get_lines(buf, from - 1, math.min(last, from + LINES_PER_READ - 1), false)
    for i, line in ipairs(lines) do
      if not each(line, from + i - 1) then
        return
      end
    end
  end
end

-- The block that extends to the ends of its lines, which getregion() does not support.
local function to_line_ends(buf, window, first, last, left, add)
  read(buf, first, last, function(line, row)
    if vim.fn.virtcol({ row, '$' }, false, window) <= left then
      return add('')
    end
    return add(line:sub(vim.fn.virtcol2col(window, row, left)))
  end)
end

-- The leftmost column of a block on the screen.
local function left_of(window, from, to)
  return math.min(
    vim.fn.virtcol({ from[2], from[3] }, true, window)[1],
    vim.fn.virtcol({ to[2], to[3] }, true, window)[1]
  )
end

--- Returns the text between two positions of `getpos()`.
---@param window integer
---@param from integer[]
---@param to integer[]
---@param mode string 'v', 'V' or CTRL-V
---@param to_ends boolean whether a block extends to the ends of its lines
---@return string
function M.between(window, from, to, mode, to_ends)
  local buf = vim.api.nvim_win_get_buf(window)
  local first, last = math.min(from[2], to[2]), math.max(from[2], to[2])
  local all = collector()
  if mode == 'V' then
    read(buf, first, last, all.add)
  elseif mode == BLOCK and to_ends then
    to_line_ends(buf, window, first, last, left_of(window, from, to), all.add)
  elseif mode == BLOCK or last - first < LINES_PER_READ then
    for _, line in ipairs(vim.fn.getregion(from, to, { type = mode })) do
      if not all.add(line) then
        break
      end
    end
  else
    -- The first line from its column on, whole lines, and the last line up to its column.
    if from[2] > to[2] then
      from, to = to, from
    end
    local ending = vim.fn.getregion({ to[1], last, 1, 0 }, to, { type = 'v' })[1] or ''
    read(buf, first, last, function(line, row)
      return all.add(row == first and line:sub(from[3]) or row == last and ending or line)
    end)
  end
  return table.concat(all.lines, '\n')
end

--- Returns the kind of the selection in `mode`; nil without one. Select mode selects like Visual mode.
---@param mode string as mode() returns it
---@return string?
function M.kind(mode)
  local first = mode:sub(1, 1)
  local kinds = { v = 'v', V = 'V', [BLOCK] = BLOCK, s = 'v', S = 'V', ['\19'] = BLOCK }
  return kinds[first]
end

-- The two ends of a selection. The end in its first line is where the text begins, whatever the column of the cursor.
local function ends_of(window, from, to, kind)
  local buf = vim.api.nvim_win_get_buf(window)
  local first = math.min(from[2], to[2])
  local function place(pos)
    local byte = pos[3] - 1
    if pos[2] == first and kind == 'V' then
      byte = 0
    elseif pos[2] == first and kind == BLOCK then
      byte = vim.fn.virtcol2col(window, first, left_of(window, from, to)) - 1
    end
    return { line = pos[2] - 1, character = M.utf16(vim.fn.getbufoneline(buf, pos[2]), byte) }
  end
  return place(from), place(to)
end

---@class alongside.Selection
---@field text string
---@field cursor { line: integer, character: integer } the end at which the cursor is
---@field anchor { line: integer, character: integer } the other end

--- Returns the selection in the current window; nil without one.
---@return alongside.Selection?
function M.current()
  local kind = M.kind(vim.fn.mode())
  if not kind then
    return nil
  end
  local to_ends = vim.fn.winsaveview().curswant == vim.v.maxcol
  local window, from, to = vim.api.nvim_get_current_win(), vim.fn.getpos('v'), vim.fn.getpos('.')
  local anchor, cursor = ends_of(window, from, to, kind)
  return { text = M.between(window, from, to, kind, to_ends), cursor = cursor, anchor = anchor }
end

--- Returns the last selection in the current window; nil without one.
---@return alongside.Selection?
function M.last()
  local kind = M.kind(vim.fn.visualmode())
  local from, to = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  if not kind or from[2] == 0 or to[2] == 0 then
    return nil
  end
  local window = vim.api.nvim_get_current_win()
  local text = M.between(window, from, to, kind, to[3] == vim.v.maxcol and kind == BLOCK)
  local first, last = ends_of(window, from, to, kind)
  -- After Visual mode, the cursor stays at the end where it was.
  local row, column = unpack(vim.api.nvim_win_get_cursor(window))
  local is_first = row == from[2] and (row < to[2] or column < to[3] - 1)
  return { text = text, cursor = is_first and first or last, anchor = is_first and last or first }
end

return M
