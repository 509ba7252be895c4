-- Accepting asks if changes were not on the screen yet, and the bar counts them.

local reviewing = require('reviewing')

local eq = reviewing.eq
local test = reviewing.test
local show = reviewing.show
local await = reviewing.await
local await_decided = reviewing.await_decided
local typed = reviewing.typed

-- 20 changes in 900 lines.
local function texts()
  local old, new = {}, {}
  for i = 1, 900 do
    old[i] = 'line ' .. i
    new[i] = i % 45 == 20 and 'changed ' .. i or old[i]
  end
  return { original = table.concat(old, '\n') .. '\n', proposed = table.concat(new, '\n') .. '\n' }
end

local function bar(nvim, words)
  await(nvim, 'the bar to say ' .. words, ('return vim.wo.winbar:find(%q, 1, true)'):format(words))
end

test(':w asks about changes that were not on the screen, and the bar counts them', {}, function(nvim)
  nvim:lua('vim.o.columns, vim.o.lines = 200, 20 vim.o.diffopt = "internal,filler,context:99999"')
  show(nvim, texts())
  bar(nvim, '19 of 20 not seen')
  for change = 2, 4 do
    typed(nvim, ']c')
    bar(nvim, ('%d of 20 not seen'):format(20 - change))
  end
  nvim:keys(':w<CR>')
  await(nvim, 'the question', 'return #asked == 1')
  eq('a.txt\n16 of 20 changes were not on the screen yet. Accept all the same?', nvim:lua('return asked[1]'))
  reviewing.undecided(nvim)
  -- "Not now" goes to the first unseen change; Escape stays.
  eq(4 * 45 + 20, nvim:lua([[return vim.fn.line('.')]]))
  bar(nvim, '15 of 20 not seen')
  nvim:lua('answers = { 0 }')
  nvim:keys('<C-o>:w<CR>')
  await(nvim, 'the next question', 'return #asked == 2')
  reviewing.undecided(nvim)
  eq(3 * 45 + 20, nvim:lua([[return vim.fn.line('.')]]))
  nvim:keys('G19[c')
  typed(nvim, 'G')
  for _ = 1, 16 do
    typed(nvim, '[c')
    reviewing.quiet(nvim)
  end
  await(nvim, 'the count to go', [[return not vim.wo.winbar:find('not seen', 1, true)]])
  nvim:keys(':w<CR>')
  await_decided(nvim, 'accept')
  eq(2, nvim:lua('return #asked'))
end)

test('one of the unseen changes that is hard to see is counted in the question', {}, function(nvim)
  nvim:lua('vim.o.columns, vim.o.lines = 200, 20 vim.o.diffopt = "internal,filler,context:99999"')
  local both = texts()
  local words = 'Hard to see: Cyrillic \208\176 (U+0430) in place of a.'
  show(nvim, {
    original = both.original .. 'a\n', proposed = both.proposed .. '\208\176\n',
    display = { hunks = { { hunk = 20, unseen = words } }, unseen = words },
  })
  nvim:keys(':w<CR>')
  await(nvim, 'the question', 'return #asked == 1')
  eq('a.txt\n20 of 21 changes were not on the screen yet, 1 of them with something hard to see.\n'
    .. words .. ' Accept all the same?', nvim:lua('return asked[1]'))
end)

test('a new file counts line by line, and is seen once all lines were on the screen', {}, function(nvim)
  nvim:lua('vim.o.columns, vim.o.lines = 200, 20')
  local lines = {}
  for i = 1, 40 do
    lines[i] = 'line ' .. i
  end
  nvim:lua('desk.open(...)', { id = 1, file = nvim.root .. '/new.txt', proposed = table.concat(lines, '\n') .. '\n', without_hunks = true })
  reviewing.go(nvim)
  nvim:keys(':w<CR>')
  await(nvim, 'the question', 'return #asked == 1')
  local unseen = tonumber(nvim:lua('return asked[1]'):match('\n(%d+) of 40 lines were not on the screen yet%. Accept all the same%?$'))
  assert(unseen > 20 and unseen < 30, unseen)
  for _ = 1, 3 do
    typed(nvim, '<C-f>')
    reviewing.quiet(nvim)
  end
  nvim:keys(':w<CR>')
  await_decided(nvim, 'accept')
  eq(1, nvim:lua('return #asked'))
end)

test('changes within a closed fold count as unseen', {}, function(nvim)
  nvim:lua('vim.o.columns, vim.o.lines = 200, 20')
  nvim:lua('desk.open(...)', { id = 1, file = nvim.root .. '/a.txt', original = 'a\nb\nc\nd\n', proposed = 'a\nB\nc\nD\n' })
  nvim:cmd('Alongside')
  await(nvim, 'the review', [[return vim.bo.buftype == 'acwrite']])
  reviewing.quiet(nvim)
  nvim:cmd('setlocal foldmethod=manual')
  nvim:lua([[local review = require('alongside.review').all()[1] review.seen = nil]])
  nvim:cmd('normal! zE')
  nvim:cmd('%fold')
  nvim:keys(':w<CR>')
  await(nvim, 'the question', 'return #asked == 1')
  eq('a.txt\n2 of 2 changes were not on the screen yet. Accept all the same?', nvim:lua('return asked[1]'))
end)

test('of 5,000 changes, those on the screen count as seen', {}, function(nvim)
  nvim:lua('vim.o.columns, vim.o.lines = 200, 40')
  local old, new = {}, {}
  for i = 1, 10000 do
    old[i] = 'line ' .. i
    new[i] = i % 2 == 0 and 'changed ' .. i or old[i]
  end
  show(nvim, { original = table.concat(old, '\n') .. '\n', proposed = table.concat(new, '\n') .. '\n' })
  local unseen = nvim:lua([[return require('alongside.seen').count(require('alongside.review').all()[1]).unseen]])
  assert(unseen > 4900 and unseen < 5000, unseen)
end)

return reviewing.tests
