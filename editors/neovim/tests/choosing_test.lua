-- Several proposals: the list to choose from, their order, and the next one.

local reviewing = require('reviewing')

local eq = reviewing.eq
local test = reviewing.test
local open = reviewing.open
local await = reviewing.await

local function open_three(nvim)
  open(nvim)
  open(nvim, { id = 2, file = nvim.root .. '/deep/b.txt' })
  open(nvim, { id = 3, file = nvim.root .. '/c.txt', original = 'c\n', proposed = '', display = { size = 'an empty file' } })
end

local function await_shown(nvim, name)
  await(nvim, name .. ' to be shown', ([[return vim.fn.bufname():find('review/.*%s %%[proposal') and vim.wo.diff]]):format(name))
end

-- Records the prompt, and answers it.
local ANSWER = [[
  local answer = ...
  vim.fn.input = function(how) prompt = how.prompt return answer == 'escape' and how.cancelreturn or answer end
]]

test('the list has the oldest first, with lines and folders, and Enter chooses it', {}, function(nvim)
  open_three(nvim)
  nvim:lua(ANSWER, '')
  nvim:cmd('tabnew other.txt')
  nvim:cmd('Alongside')
  await_shown(nvim, 'a.txt')
  eq(table.concat({
    'Which review?',
    '1: Gemini CLI: a.txt (3 changes, +3 -2)',
    '2: Gemini CLI: deep/b.txt (3 changes, +3 -2)',
    '3: Gemini CLI: c.txt (an empty file, +0 -1)',
    'Number (Enter takes 1, Escape none): ',
  }, '\n'), nvim:lua('return prompt'))
  -- From a proposal, the list has the other proposals.
  nvim:lua(ANSWER, '2')
  nvim:cmd('Alongside')
  await_shown(nvim, 'c.txt')
  for _, nothing in ipairs({ 'escape', '4', 'x', '1.5', '0', '-1' }) do
    nvim:lua(ANSWER, nothing)
    nvim:cmd('Alongside')
    reviewing.quiet(nvim)
    await_shown(nvim, 'c.txt')
  end
end)

test('typed keys answer the list, and Escape stays in the current buffer', {}, function(nvim)
  open_three(nvim)
  nvim:cmd('tabnew other.txt')
  nvim:keys(':Alongside<CR><Esc>:let g:here = bufname()<CR>')
  await(nvim, 'the file', [[return vim.g.here == 'other.txt']])
  nvim:keys(':Alongside<CR>2<CR>')
  await_shown(nvim, 'b.txt')
end)

test('the list names the projects if there are two', {}, function(nvim)
  open(nvim)
  nvim:lua([[
    package.loaded['alongside.server'].get = function() return { id = 7, root = '/elsewhere/theirs' } end
    desk.open({ id = 2, file = '/elsewhere/theirs/a.txt', original = 'x\n', proposed = 'y\n', display = { name = 'a.txt' } })
  ]])
  nvim:lua('vim.ui.select = function(all, o, chosen) shown = vim.tbl_map(o.format_item, all) chosen(nil) end')
  nvim:cmd('tabnew other.txt')
  nvim:cmd('Alongside')
  eq({ 'Gemini CLI: project/a.txt (3 changes, +3 -2)', 'Gemini CLI: theirs/a.txt (1 change, +1 -1)' }, nvim:lua('return shown'))
end)

test(':Alongside next and previous visit all proposals in their order, and wrap around', {}, function(nvim)
  nvim:cmd('Alongside next')
  nvim:await_said('alongside: no review is waiting.')
  open(nvim)
  nvim:cmd('tabnew other.txt')
  nvim:cmd('Alongside next')
  await_shown(nvim, 'a.txt')
  nvim:cmd('Alongside next')
  nvim:await_said('alongside: no other review is waiting.')
  open(nvim, { id = 2, file = nvim.root .. '/b.txt' })
  open(nvim, { id = 3, file = nvim.root .. '/c.txt' })
  for _, step in ipairs({
    { 'next', 'b.txt' }, { 'next', 'c.txt' }, { 'next', 'a.txt' }, { 'previous', 'c.txt' }, { 'previous', 'b.txt' },
  }) do
    nvim:cmd('Alongside ' .. step[1])
    await_shown(nvim, step[2])
  end
  nvim:cmd('tabnew third.txt')
  nvim:cmd('Alongside previous')
  await_shown(nvim, 'c.txt')
end)

-- Messages that arrive together are shown as one.
local function ends_with(nvim, message)
  local said = nvim:await_said(message)[1]
  eq(message, said:sub(-#message))
end

test('after a decision here, the messages name the next one', {}, function(nvim)
  open_three(nvim)
  nvim:cmd('Alongside next')
  await_shown(nvim, 'a.txt')
  nvim:keys(':w<CR>')
  nvim:await_said('a.txt: accepted; Gemini CLI writes it. Next: deep/b.txt, 2 wait.')
  nvim:lua([[require('alongside.review').last_word(7, { id = 1, word = 'writtenAsAccepted', message = 'a.txt: written as accepted.' })]])
  nvim:await_said('a.txt: written as accepted. Next: deep/b.txt, 2 wait.')
  -- After a decision at another desk, no next proposal is named.
  nvim:lua([[desk.close(2, 'accepted', false, nil, 'accepted at another desk; Gemini CLI writes it.')]])
  ends_with(nvim, 'deep/b.txt: accepted at another desk; Gemini CLI writes it.')
  nvim:lua([[require('alongside.review').last_word(7, { id = 2, word = 'writtenAsAccepted', message = 'b: written.' })]])
  ends_with(nvim, 'b: written.')
  -- The last proposal has no next one.
  nvim:lua('answers = { 2 }')
  nvim:cmd('Alongside next')
  await_shown(nvim, 'c.txt')
  nvim:keys(':w<CR>')
  ends_with(nvim, 'c.txt: accepted; Gemini CLI writes it.')
end)

return reviewing.tests
