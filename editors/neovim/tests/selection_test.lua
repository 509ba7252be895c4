-- The beginning of a selection, as agents learn it: its first end, whichever end the cursor is at.

local editor = require('editor')

local CONTEXT = 'alongside/didChangeContext'
local LINES = { 'one two', 'wörld 漢字 x', '', '\tfour 😀 end', 'five' }

-- Types keys and waits for a selection; returns its first end and the line and column of the cursor.
local function selected(keys, before)
  local root = editor.files(editor.directory(), { ['a.txt'] = table.concat(LINES, '\n') .. '\n' }, true)
  local found
  editor.with({ cwd = root, args = { 'a.txt' }, before = before }, function(e)
    e:await_message('initialized')
    e:lua([[vim.cmd('split | enew | setlocal buftype=nofile | wincmd p')]])
    e:keys(keys)
    local params = e:await_message(CONTEXT, function(params)
      return params.active and params.active.selectedText
    end)
    -- The keys may have arrived in several messages.
    editor.await('silence', function()
      local count = #e:got(CONTEXT)
      vim.wait(120)
      local all = e:got(CONTEXT)
      params = all[#all].params
      return #all == count
    end)
    local cursor, anchor = params.active.cursor, params.active.anchor
    local is_first = cursor.line < anchor.line or cursor.line == anchor.line and cursor.character < anchor.character
    found = { is_first and cursor or anchor, params.active.selectedText, is_first }
  end)
  return found
end

local function begins(name, keys, line, character, text, is_first, before)
  return {
    name,
    function()
      local found = selected(keys, before)
      local wanted = { { line = line, character = character }, text, is_first }
      assert(vim.deep_equal(wanted, found), vim.inspect({ wanted = wanted, found = found }))
    end,
  }
end

local EXCLUSIVE = 'vim.o.selection = "exclusive"\n'
local TWO_LINES = LINES[2] .. '\n' .. LINES[3]
local UP_TO_FOUR = TWO_LINES .. '\n' .. LINES[4]

return {
  begins('lines from the middle of one downwards', '2G5|Vjj', 1, 0, UP_TO_FOUR, false),
  begins('lines from the middle of one upwards', '4G8|Vkk5|', 1, 0, UP_TO_FOUR, true),
  begins('one line from its middle', '2G5|V', 1, 0, LINES[2], false),
  begins('one line, and the cursor moves left in it', '2G9|Vhhh', 1, 0, LINES[2], false),
  begins('lines with an exclusive selection', '2G5|Vj', 1, 0, TWO_LINES, false, EXCLUSIVE),
  begins('lines upwards with an exclusive selection', '3GVk9|', 1, 0, TWO_LINES, true, EXCLUSIVE),
  begins('lines in Select mode', '2G5|Vjj<C-g>', 1, 0, UP_TO_FOUR, false),
  begins('characters after wide ones', '2G0fxhv$h', 1, 8, ' x', false),
  begins('characters backwards after a wide one', '4G0feevb', 3, 9, 'end', true),
  begins('characters with an exclusive selection', '4G0fevll', 3, 9, 'en', false, EXCLUSIVE),
  begins('a block from its right end', '1G5|<C-v>4j2h', 0, 2, 'e t\nrld\n   \n   \nve', false),
  begins('lines that were left in another window', '2G5|Vjj<C-w>w', 1, 0, UP_TO_FOUR, false),
  begins('characters that were left backwards in another window', '4G0feevb<C-w>w', 3, 9, 'end', true),
  begins('lines that were left upwards', '4G8|Vkk5|<C-w>w', 1, 0, UP_TO_FOUR, true),
}
