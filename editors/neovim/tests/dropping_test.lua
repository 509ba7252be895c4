-- `do` and `dp` on edge cases: empty texts, one empty line, no last line ending. Neovim shows an empty text as one
-- empty line.

local reviewing = require('reviewing')

local eq = reviewing.eq
local test = reviewing.test
local show = reviewing.show
local await = reviewing.await
local await_text = reviewing.await_text

local STATE = 'return require("alongside.review").all()[1].hunks[1].state'

local function await_state(nvim, state)
  await(nvim, 'the change to be ' .. state, ('return (function() %s end)() == %q'):format(STATE, state))
end

-- Each case: the original, the proposal, and the keys that go to the change.
local TEXTS = {
  ['the emptying of a file'] = { 'one\ntwo\nthree\n', '' },
  ['the emptying of a file without a last line end'] = { 'one\ntwo', '' },
  ['the emptying of a file with CRLF'] = { 'one\r\ntwo\r\n', '' },
  ['the emptying of a file with CRLF and no last line end'] = { 'one\r\ntwo', '' },
  ['the emptying of a file of one empty line'] = { '\n', '' },
  ['the filling of an empty file'] = { '', 'one\ntwo\n' },
  ['the filling of an empty file, without a last line end'] = { '', 'one\ntwo' },
  ['the filling of an empty file with CRLF'] = { '', 'one\r\ntwo\r\n' },
  ['one empty line in an empty file'] = { '', '\n' },
  ['the loss of the last line end'] = { 'one\ntwo\n', 'one\ntwo', 'G' },
  ['a new last line end'] = { 'one\ntwo', 'one\ntwo\n', 'G' },
  ['another last line with its line end'] = { 'one\ntwo', 'one\nTWO\n', 'G' },
  ['another last line without its line end'] = { 'one\ntwo\n', 'one\nTWO', 'G' },
  ['the removal of a last line without a line end'] = { 'one\ntwo', 'one\n', 'G' },
  ['a last line without a line end'] = { 'one\ntwo\n', 'one\ntwo\nthree', 'G' },
  ['a last line after one without a line end'] = { 'one\ntwo', 'one\ntwo\nthree\n', 'G' },
  ['another last line'] = { 'one\ntwo\n', 'one\nTWO\n', 'G' },
  ['a byte-order mark'] = { '\239\187\191one\ntwo\n', 'ONE\ntwo\n' },
  ['a first line above one without a last line end'] = { 'one\ntwo', 'ONE\ntwo' },
}

for what, texts in pairs(TEXTS) do
  test('dropping ' .. what .. ' gives the exact original, and keeping it again the proposal', {}, function(nvim)
    local original, proposed, go = unpack(texts)
    show(nvim, { original = original, proposed = proposed })
    nvim:keys((go or '') .. 'do')
    await_text(nvim, original)
    await_state(nvim, 'dropped')
    -- The same keys toggle the change, and undo and redo apply to both steps.
    nvim:keys('do')
    await_text(nvim, proposed)
    await_state(nvim, 'kept')
    nvim:keys('u')
    await_text(nvim, original)
    nvim:keys('u')
    await_text(nvim, proposed)
    nvim:keys('<C-r>')
    await_text(nvim, original)
    nvim:keys(':w<CR>')
    eq(original, reviewing.await_decided(nvim, 'accept').text)
  end)
end

test('do in a new file changes nothing, and names the command that rejects it', {}, function(nvim)
  nvim:lua('desk.open(...)', { id = 1, file = nvim.root .. '/new.txt', proposed = 'one\ntwo\n', without_hunks = true })
  reviewing.go(nvim)
  nvim:keys('do')
  nvim:await_said('new.txt: the file is new, so there is nothing to take. :q rejects it.')
  reviewing.quiet(nvim)
  eq('one\ntwo\n', nvim:lua('return desk.text(1)'))
end)

test('only the chosen change is kept again, from both windows, with its proposed text', {}, function(nvim)
  show(nvim)
  nvim:keys('do')
  nvim:await_said('This change is dropped; do keeps it again.')
  nvim:keys(']cdo')
  await_text(nvim, (reviewing.PROPOSED:gsub('TWO', 'two'):gsub('SIX', 'six')))
  nvim:keys('[cdo')
  nvim:await_said('This change is kept again; do drops it.')
  await_text(nvim, (reviewing.PROPOSED:gsub('SIX', 'six')))
  nvim:keys('<C-w>h6Gdp')
  nvim:await_said('This change is kept again; dp drops it.')
  await_text(nvim, reviewing.PROPOSED)
  -- The first key drops an edited change.
  nvim:keys('<C-w>lgg]cAmine<Esc>do')
  await_text(nvim, (reviewing.PROPOSED:gsub('TWO', 'two')))
  nvim:keys('do')
  await_text(nvim, reviewing.PROPOSED)
end)

test("with 'cmdheight' 0, do shows no message that repeats the sign", { before = [[vim.o.cmdheight = 0]] }, function(nvim)
  show(nvim)
  nvim:lua('said = {}')
  local dropped = reviewing.PROPOSED:gsub('TWO', 'two')
  for _, text in ipairs({ dropped, reviewing.PROPOSED, dropped }) do
    nvim:keys('do')
    await_text(nvim, text)
  end
  reviewing.quiet(nvim)
  eq({}, nvim:lua([[return vim.tbl_filter(function(one) return one[1]:find('This change', 1, true) end, said)]]))
end)

test('the status line counts one empty line of a new file', {}, function(nvim)
  nvim:lua('desk.open(...)', { id = 1, file = nvim.root .. '/new.txt', proposed = '\n', without_hunks = true })
  reviewing.go(nvim)
  await(nvim, 'the count', [[return vim.api.nvim_eval_statusline(vim.wo.statusline, { winid = 0 }).str:find('+1 -0', 1, true)]])
end)

return reviewing.tests
