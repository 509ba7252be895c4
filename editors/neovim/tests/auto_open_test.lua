-- Proposals that open without a command, and never while the person types.

local reviewing = require('reviewing')

local eq = reviewing.eq
local PROPOSED = reviewing.PROPOSED
local test = reviewing.test
local open = reviewing.open
local await = reviewing.await
local await_mode = reviewing.await_mode
local await_text = reviewing.await_text
local await_decided = reviewing.await_decided
local undecided = reviewing.undecided

local ON = { setup = { auto_open = true } }

local TRY = [[return require('alongside.auto_open').try()]]

local function await_shown(nvim)
  await(nvim, 'the review to open', [[return vim.bo.buftype == 'acwrite' and vim.wo.diff]])
end

test('proposals open without a command only with the option', {}, function(nvim)
  open(nvim)
  nvim:await_said('proposes a.txt')
  eq({ false, 1 }, { nvim:lua(TRY), nvim:lua([[return vim.fn.tabpagenr('$')]]) })
end)

test('a proposal opens without a command, and the next one after the decision', ON, function(nvim)
  open(nvim)
  await_shown(nvim)
  eq({}, nvim:lua('return said'))
  nvim:lua([[desk.open({ id = 2, file = desk.root .. '/b.txt', original = 'b\n', proposed = 'B\n' })]])
  nvim:await_said('proposes b.txt')
  eq({ false, 'TWO' }, { nvim:lua(TRY), nvim:lua('return vim.api.nvim_get_current_line()') })
  nvim:keys('\\a')
  await_decided(nvim, 'accept')
  await(nvim, 'the second one', [[return vim.api.nvim_get_current_line() == 'B']])
  -- Each proposal opens once.
  nvim:keys('gT')
  await(nvim, 'the other tab page', [[return vim.fn.tabpagenr() == 1]])
  eq(false, nvim:lua(TRY))
  eq(1, nvim:lua('return #desk.decided'))
end)

for how, keys in pairs({
  ['insert mode'] = { 'Ahel', 'i', 'lo<Esc>' },
  ['a command line'] = { ':let g:typed =', 'c', ' "x"<CR>' },
  ['a command-line window'] = { 'q:', 'n', ':q<CR>' },
  ['visual mode'] = { 'vj', 'v', '<Esc>' },
  ['a pending operator'] = { 'd', 'n', '<Esc>' },
  ['a macro'] = { 'qqj', 'n', 'q' },
}) do
  test('a proposal does not open in ' .. how .. ', and opens afterwards', ON, function(nvim)
    nvim:keys(keys[1])
    await_mode(nvim, keys[2])
    open(nvim)
    await(nvim, 'the review', [[return #require('alongside.review').all() == 1]])
    -- A pause that is long enough in Normal mode.
    await(nvim, 'a pause', [[return require('alongside.typing').idle_time() > 700]])
    eq({ false, 1 }, { nvim:lua(TRY), nvim:lua([[return vim.fn.tabpagenr('$')]]) })
    nvim:keys(keys[3])
    await_shown(nvim)
    undecided(nvim)
    eq(PROPOSED, nvim:lua('return desk.text(1)'))
  end)
end

test('in a terminal a proposal opens at a pause, and the person returns there', ON, function(nvim)
  nvim:cmd('terminal cat')
  nvim:keys('ihello')
  await_mode(nvim, 't')
  open(nvim)
  nvim:await_said('proposes a.txt')
  await_shown(nvim)
  await_mode(nvim, 'n')
  nvim:keys('do')
  await_text(nvim, (PROPOSED:gsub('TWO', 'two')))
  nvim:keys('\\r')
  await_decided(nvim, 'reject')
  await_mode(nvim, 't')
end)

return reviewing.tests
