-- Changes that are hard to see: their sentences, the drawn whitespace, and the question before they are accepted.

local reviewing = require('reviewing')

local eq = reviewing.eq
local test = reviewing.test
local show = reviewing.show
local await = reviewing.await
local await_decided = reviewing.await_decided

-- The texts drawn over the lines of a window and below them.
local DRAWN = [[
  local left = ...
  local review = require('alongside.review').all()[1]
  local ns = vim.api.nvim_get_namespaces()['alongside.marks']
  local found = {}
  local buf = left and review.view.left or review.view.right
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true })) do
    local d = mark[4]
    if d.virt_text_pos == 'overlay' then
      found[#found + 1] = ('%d,%d %s %s'):format(mark[2], mark[3], d.virt_text[1][1], d.virt_text[1][2])
    end
    for _, line in ipairs(d.virt_lines or {}) do
      found[#found + 1] = ('%d below: %s'):format(mark[2], line[1][1])
    end
  end
  return found
]]

-- The `display` of a review whose changes have the given kinds of difference.
local function hard(...)
  local hunks = {}
  for i, kind in ipairs({ ... }) do
    hunks[i] = { hunk = i - 1, unseen = ('Hard to see: %s.'):format(kind) }
  end
  return { hunks = hunks, unseen = ('Hard to see: %s.'):format(table.concat({ ... }, ', ')) }
end

test('a look-alike letter is named below its change, and accepting asks', {}, function(nvim)
  nvim:lua('vim.o.columns = 200')
  local words = 'Cyrillic \208\176 (U+0430) in place of a'
  show(nvim, { original = 'let account = 1\n', proposed = 'let \208\176ccount = 1\n', display = hard(words) })
  eq({ '0 below:   Hard to see: ' .. words .. '.' }, nvim:lua(DRAWN))
  eq({ '0 below: ' }, nvim:lua(DRAWN, true))
  await(nvim, 'the bar', [[return vim.wo.winbar:find('! hard to see', 1, true)]])
  nvim:lua('vim.o.columns = 80')
  await(nvim, 'the warning beside a key', [[return vim.wo.winbar:gsub('%%#%w+#', '') == ' %<a.txt  ! hard to see%=  :w accept%* ']])
  nvim:lua('vim.o.columns = 200')
  nvim:keys(':w<CR>')
  await(nvim, 'the question', 'return #asked == 1')
  reviewing.undecided(nvim)
  eq(('a.txt\nHard to see: %s. Accept all the same?'):format(words), nvim:lua('return asked[1]'))
  nvim:lua('answers = { 2 }')
  nvim:keys(':w<CR>')
  await_decided(nvim, 'accept')
end)

test('an invisible character in an added line is named below it, and accepting asks', {}, function(nvim)
  nvim:lua('vim.o.columns = 200')
  local one, other = 'invisible U+200B', 'right-to-left override U+202E'
  show(nvim, {
    original = 'a\nb\n', proposed = 'first\226\128\139\na\nmore \226\128\174 text\nb\n', display = hard(one, other),
  })
  eq({ '0 below:   Hard to see: invisible U+200B.', '2 below:   Hard to see: right-to-left override U+202E.' }, nvim:lua(DRAWN))
  eq({ '0 below: ', '0 below: ' }, nvim:lua(DRAWN, true))
  nvim:keys(':w<CR>')
  await(nvim, 'the question', 'return #asked == 1')
  eq('a.txt\nHard to see: invisible U+200B, right-to-left override U+202E. Accept all the same?', nvim:lua('return asked[1]'))
end)

test('a change that is hard to see is confirmed once, and a dropped one needs no question', {}, function(nvim)
  local tab = 'a tab in place of blanks'
  show(nvim, { original = 'a\n    b\n', proposed = 'a\n\tb\n', display = hard(tab) })
  nvim:lua([[answers = { 2 } said = {} desk.refuse[1] = 'the disk is full']])
  nvim:keys(':w<CR>')
  nvim:await_said('The disk is full.')
  nvim:keys(':w<CR>')
  await_decided(nvim, 'accept')
  eq(1, nvim:lua('return #asked'))
  show(nvim, {
    id = 2, file = nvim.root .. '/b.txt', original = 'a\n    b\nc\n', proposed = 'a\n\tb\nd\n', display = hard(tab),
  })
  nvim:keys('1Gddu')
  nvim:lua('desk.reviews[2].display = nil')
  nvim:keys(':%s/\t/    /<CR>')
  reviewing.await_text(nvim, 'a\n    b\nd\n', 2)
  nvim:keys(':w<CR>')
  await_decided(nvim, 'accept', 2)
  eq(1, nvim:lua('return #asked'))
end)

test('whitespace is drawn in both windows', {}, function(nvim)
  local function range(line, from, upto)
    return { { start = { line = line, character = from }, ['end'] = { line = line, character = upto } } }
  end
  show(nvim, {
    display = { hunks = {
      { hunk = 0, blanks = { removed = range(1, 0, 4), added = range(1, 0, 1) } },
      { hunk = 1, blanks = { removed = {}, added = range(3, 3, 5) } },
      { hunk = 2, blanks = { removed = range(5, 1, 2), added = range(5, 1, 2) } },
      { hunk = 3, blanks = { removed = {}, added = range(7, 3, 4) } },
    } },
    original = 'x\n    one\nstays\ntwo\nstays\na b\nstays\n',
    proposed = 'x\n\tone\nstays\ntwo  \nstays\na\194\160b\nstays\nnew \n',
  })
  local green, red = ' AlongsideShownAdded', ' AlongsideShownRemoved'
  eq({ '1,0 →' .. green, '3,3 ·' .. green, '3,4 ·' .. green, '5,1 ␣' .. green, '7,3 ·' .. green }, nvim:lua(DRAWN, false))
  eq({ '1,0 ·' .. red, '1,1 ·' .. red, '1,2 ·' .. red, '1,3 ·' .. red, '5,1 ·' .. red }, nvim:lua(DRAWN, true))
end)

test('the bar shows that the file would be empty, and accepting asks', {}, function(nvim)
  show(nvim, { original = 'one\ntwo\n', proposed = '' })
  await(nvim, 'the bar', [[return vim.wo.winbar:gsub('%%#%w+#', '') == ' %<a.txt  ! empties the file%=  :w accept%* ']])
  nvim:keys('ZZ')
  await(nvim, 'the question', 'return #asked == 1')
  eq('a.txt\nIt empties the file.', nvim:lua('return asked[1]'))
  reviewing.undecided(nvim)
  nvim:keys('do')
  await(nvim, 'the warning to go', [[return not vim.wo.winbar:find('empties', 1, true)]])
  nvim:keys('u')
  await(nvim, 'the warning again', [[return vim.wo.winbar:find('empties', 1, true)]])
  nvim:lua('answers = { 2 }')
  nvim:keys(':w<CR>')
  await_decided(nvim, 'accept')
end)

return reviewing.tests
