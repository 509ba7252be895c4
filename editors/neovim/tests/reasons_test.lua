-- Reasons for the agent's model: their prompts, their places, and their fate if the review changes meanwhile.

local editor = require('editor')
local reviewing = require('reviewing')

local eq = reviewing.eq
local ORIGINAL = reviewing.ORIGINAL
local PROPOSED = reviewing.PROPOSED
local test = reviewing.test
local await = reviewing.await
local await_text = reviewing.await_text
local await_decided = reviewing.await_decided

local function show(nvim, more)
  reviewing.show(nvim, vim.tbl_extend('keep', more or {}, { reasons = 'always' }))
end

-- The next prompts wait for `answer(text)`; `prompts` has them with their prefilled texts.
local CATCH = [[
  prompts = {}
  vim.ui.input = function(opts, done)
    prompts[#prompts + 1] = { opts.prompt, opts.default }
    answer = done
  end
]]

-- Presses the key of a reason and waits for the prompt.
local function asked(nvim, keys, prompt, default)
  nvim:lua(CATCH)
  nvim:keys(keys)
  await(nvim, 'the prompt', 'return #prompts == 1')
  eq({ prompt, default or '' }, nvim:lua('return prompts[1]'))
end

-- The remarks after the lines of the proposal.
local REMARKS = [[
  local ns = vim.api.nvim_get_namespaces()['alongside.marks']
  local found = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(require('alongside.review').all()[1].view.right, ns, 0, -1, { details = true })) do
    for _, chunk in ipairs(mark[4].virt_text or {}) do found[#found + 1] = (mark[2] + 1) .. chunk[1] end
  end
  return found
]]

local function await_remarks(nvim, expected)
  editor.await_eq(expected, function() return nvim:lua(REMARKS) end)
end

local function bar(nvim, width)
  return nvim:lua([[
    local review = require('alongside.review').all()[1]
    local drawn = require('alongside.winbar').proposal(review, { width = ... })
    return vim.api.nvim_eval_statusline(drawn, { use_winbar = true, maxwidth = ... }).str
  ]], width)
end

local function has(text, part)
  assert(text:find(part, 1, true), ('%q is not in %q'):format(part, text))
end

local DROPPED = PROPOSED:gsub('SIX', 'six')

test('a reason drops the change under the cursor, is shown after it, and can be removed', {}, function(nvim)
  show(nvim)
  nvim:keys(']c\\wtoo early<CR>')
  await_text(nvim, DROPPED)
  await_remarks(nvim, { '6  reason: too early', '6  dropped: original stays' })
  asked(nvim, '\\w', 'Reason for dropped change 2 of 3 of a.txt: ', 'too early')
  nvim:lua('answer(" not today ")')
  await_remarks(nvim, { '6  reason: not today', '6  dropped: original stays' })
  asked(nvim, '\\w', 'Reason for dropped change 2 of 3 of a.txt: ', 'not today')
  nvim:lua('answer("")')
  await_remarks(nvim, { '6  dropped: original stays' })
  -- Undo takes the reason back with the drop, redo gives it again, and keeping the change again removes it.
  asked(nvim, '\\w', 'Reason for dropped change 2 of 3 of a.txt: ')
  nvim:lua('answer("again")')
  await_remarks(nvim, { '6  reason: again', '6  dropped: original stays' })
  nvim:keys('u')
  await_text(nvim, PROPOSED)
  await_remarks(nvim, {})
  nvim:await_said('a.txt: your reason is taken back, too.')
  eq({}, nvim:lua('return desk.reviews[1].given'))
  nvim:keys('<C-r>')
  await_text(nvim, DROPPED)
  await_remarks(nvim, { '6  reason: again', '6  dropped: original stays' })
  nvim:keys('do')
  await_text(nvim, PROPOSED)
  nvim:await_said('This change is kept again, without its reason; do drops it.')
  await_remarks(nvim, {})
  -- A reason that another desk gave to a kept change: Enter on it drops the change.
  nvim:lua([[desk.reviews[1].given['at 5'] = 'again' desk.change(1)]])
  await_remarks(nvim, { '6  reason: again' })
  asked(nvim, '\\w', 'Reason to drop change 2 of 3 of a.txt: ', 'again')
  nvim:lua('answer("again")')
  await_text(nvim, DROPPED)
  eq({ 0, 0 }, nvim:lua([[return { vim.fn.foldclosed(6) + 1, #desk.decided }]]))
end)

test('a reason keeps an edited change as it is, also from the window of the original', {}, function(nvim)
  show(nvim)
  nvim:keys('Amine<Esc>')
  local edited = PROPOSED:gsub('TWO', 'TWOmine')
  await_text(nvim, edited)
  nvim:keys('<C-w>h')
  asked(nvim, '2G\\w', 'Reason for edited change 1 of 3 of a.txt: ')
  nvim:lua('answer("the name is taken")')
  await_remarks(nvim, { '2  reason: the name is taken', '2  edited' })
  eq(edited, nvim:lua('return desk.text(1)'))
end)

test('an unanswered prompt and an empty answer change nothing', {}, function(nvim)
  show(nvim)
  nvim:keys('\\wno<Esc>\\w<CR>')
  asked(nvim, '\\w', 'Reason to drop change 1 of 3 of a.txt: ')
  nvim:lua('answer("  ")')
  reviewing.quiet(nvim)
  eq({ PROPOSED, 1 }, nvim:lua('return { desk.text(1), desk.reviews[1].model.revision }'))
end)

test('outside the changes, with the other key and by command, a reason is for the whole proposal', {}, function(nvim)
  show(nvim)
  nvim:lua('vim.o.columns = 300')
  asked(nvim, 'gg\\w', 'Reason for all of a.txt: ')
  nvim:lua('answer("first the tests")')
  await(nvim, 'the bar to show it', [[return vim.wo.winbar:find('Your reason for the agent: first the tests', 1, true)]])
  eq(PROPOSED, nvim:lua('return desk.text(1)'))
  asked(nvim, '2G\\W', 'Reason for all of a.txt: ', 'first the tests')
  asked(nvim, ':Alongside reason all<CR>', 'Reason for all of a.txt: ', 'first the tests')
  asked(nvim, ':Alongside reason<CR>', 'Reason to drop change 1 of 3 of a.txt: ')
  nvim:keys(':Alongside reason none<CR>')
  nvim:await_said("alongside: ':Alongside reason' does not take 'none'")
  nvim:keys('gT:Alongside reason<CR>')
  nvim:await_said('alongside: look at the review first (:Alongside), then give a reason.')
end)

test('a new file and an undivided proposal have one reason for the whole', {}, function(nvim)
  show(nvim, { proposed = 'new\n', without_hunks = true, wholeFileOnly = 'the file on disk is binary' })
  asked(nvim, '\\w', 'Reason for all of a.txt: ')
  nvim:lua([[desk.open({ id = 2, file = desk.root .. '/new.txt', proposed = 'new\n', reasons = 'always' })]])
  nvim:cmd('Alongside review 2')
  await(nvim, 'the review', [[return vim.fn.bufname():find('new.txt', 1, true)]])
  asked(nvim, '\\w', 'Reason for all of new.txt: ')
end)

test('an agent that reads no reasons is named instead of a prompt', {}, function(nvim)
  local said = 'Gemini CLI reads no reason here: its protocol carries none. `alongside install agent` offers its hook.'
  nvim:lua(CATCH)
  reviewing.show(nvim)
  for _, key in ipairs({ '\\w', '\\W' }) do
    nvim:lua('said = {}')
    nvim:keys(key)
    nvim:await_said(said)
    eq({}, nvim:lua('return prompts'))
    assert(not bar(nvim, 200):find('\\w', 1, true))
  end
end)

test('the prompt says if the agent reads the reason only with a rejection', {}, function(nvim)
  show(nvim, { reasons = 'withRejection' })
  asked(nvim, '\\w', 'Reason to drop change 1 of 3 of a.txt (read only if you reject): ')
  asked(nvim, '\\W', 'Reason for all of a.txt (read only if you reject): ')
end)

test('a reason typed while the review changes goes to the same change at the newest revision', {}, function(nvim)
  show(nvim)
  asked(nvim, ']c\\w', 'Reason to drop change 2 of 3 of a.txt: ')
  local other = PROPOSED:gsub('TWO', 'mine\nmine too')
  nvim:lua('desk.change(1, ...)', other)
  await_remarks(nvim, { '2  edited' })
  nvim:lua('answer("too early")')
  await_remarks(nvim, { '2  edited', '7  reason: too early', '7  dropped: original stays' })
  -- In one event, so that the reason names a revision that is outdated.
  asked(nvim, '\\w', 'Reason for dropped change 2 of 3 of a.txt: ', 'too early')
  nvim:lua([[
    local text = ...
    for i = 1, 3 do desk.change(1, text .. ('more\n'):rep(i)) end
    answer("still too early")
  ]], nvim:lua('return desk.text(1)'))
  await(nvim, 'the reason', [[return desk.reviews[1].given['at 5'] == 'still too early']])
  eq({}, nvim:lua('return vim.tbl_filter(function(one) return one[1]:find("register") end, said)'))
end)

test('a reason whose change is gone is added to the reason for the whole', {}, function(nvim)
  show(nvim, { reason = 'first' })
  asked(nvim, '\\w', 'Reason to drop change 1 of 3 of a.txt: ')
  nvim:lua([[desk.change(1, nil, { without_hunks = true })]])
  await(nvim, 'the changes to be gone', [[return #require('alongside.review').all()[1].hunks == 0]])
  nvim:lua('answer("too early")')
  nvim:await_said('a.txt: the change is gone, so its reason is for all of the file.')
  eq({ 'first\ntoo early', PROPOSED }, nvim:lua('return { desk.reviews[1].reason, desk.text(1) }'))
  -- A line ending would act as Enter in the prompt.
  asked(nvim, '\\w', 'Reason for all of a.txt: ', 'first / too early')
end)

test('a reason that comes too late is in the unnamed register', {}, function(nvim)
  show(nvim)
  asked(nvim, '\\w', 'Reason to drop change 1 of 3 of a.txt: ')
  nvim:lua([[desk.close(1, 'agentGone', false) answer('too late')]])
  nvim:await_said('a.txt: this review has already ended. Your reason is in the unnamed register: ""p puts it.')
  eq('too late', nvim:lua([[return vim.fn.getreg('"')]]))
  -- The review ends while the reason is in flight.
  show(nvim, { id = 2 })
  asked(nvim, '\\W', 'Reason for all of a.txt: ')
  nvim:lua([[desk.reviews[2] = nil answer('on its way')]])
  nvim:await_said('a.txt: This review has already ended. Your reason is in the unnamed register')
  eq('on its way', nvim:lua([[return vim.fn.getreg('"')]]))
end)

test('a review that ends during the prompt closes after the prompt', {}, function(nvim)
  show(nvim)
  nvim:keys('\\wtoo')
  reviewing.await_mode(nvim, 'c')
  nvim:lua([[desk.close(1, 'timedOut', false, nil, 'rejected, because Gemini CLI waits no longer.')]])
  reviewing.quiet(nvim)
  eq({ 'c', 'too' }, nvim:lua('return { vim.api.nvim_get_mode().mode, vim.fn.getcmdline() }'))
  nvim:keys(' late<CR>')
  nvim:await_said('a.txt: rejected, because Gemini CLI waits no longer.')
  nvim:await_said('Your reason is in the unnamed register')
  eq('too late', nvim:lua([[return vim.fn.getreg('"')]]))
  await(nvim, 'its windows to go', 'return vim.fn.tabpagenr("$") == 1')
end)

test('a reason that the companion refuses is kept as well', {}, function(nvim)
  show(nvim)
  asked(nvim, '\\W', 'Reason for all of a.txt: ')
  nvim:lua([[desk.reviews[1].reasons = nil answer('unread')]])
  nvim:await_said('its protocol carries none. `alongside install agent` offers its hook. Your reason is in the unnamed register')
  eq('unread', nvim:lua([[return vim.fn.getreg('"')]]))
end)

test('a decision right after a reason waits for it', {}, function(nvim)
  show(nvim)
  nvim:keys('\\wno<CR>\\Wnot now<CR>\\r')
  await_decided(nvim, 'reject')
  show(nvim, { id = 2 })
  asked(nvim, '\\W', 'Reason for all of a.txt: ')
  nvim:lua([[answer('fine') require('alongside.review').accept()]])
  await_decided(nvim, 'accept', 2)
  eq({}, nvim:lua('return vim.tbl_filter(function(one) return one[1]:find("changed it") end, said)'))
end)

test('the bar names the key of reasons, if there is room', {}, function(nvim)
  show(nvim, { reason = ('very '):rep(30) .. '\27[8mlong' })
  local wide = bar(nvim, 300)
  has(wide, 'Your reason for the agent: ' .. ('very '):rep(30) .. '\\x1b[8mlong')
  has(wide, '\\w reason')
  local narrow = bar(nvim, 100)
  has(narrow, 'with a reason')
  has(narrow, 'a.txt')
  assert(not bar(nvim, 40):find('with a reason', 1, true))
end)

test('accepting asks about a further step of the agent', {}, function(nvim)
  show(nvim, { remark = 'Codex also deletes b.txt.\27[8m' })
  has(bar(nvim, 200), '! Codex also deletes b.txt.\\x1b[8m')
  nvim:keys('\\a')
  await(nvim, 'the question', 'return #asked == 1')
  eq('a.txt\nCodex also deletes b.txt.\\x1b[8m', nvim:lua('return asked[1]'))
  reviewing.undecided(nvim)
end)

test('a reason of another desk appears, harmless and in one line', {}, function(nvim)
  show(nvim, { given = { ['at 5'] = 'no\nnever\27[8m' } })
  await_remarks(nvim, { '6  reason: no / never\\x1b[8m' })
  asked(nvim, ']c\\w', 'Reason to drop change 2 of 3 of a.txt: ', 'no / never\\x1b[8m')
  nvim:lua([[desk.reviews[1].given = {} desk.change(1, nil, { reason = 'late\nnews' })]])
  await_remarks(nvim, {})
  has(bar(nvim, 200), 'Your reason for the agent: late\\nnews')
end)

test('with many changes, a new reason draws its change again', {}, function(nvim)
  local lines = {}
  for i = 1, 300 do
    lines[#lines + 1] = 'line ' .. i .. '\nsame\n'
  end
  local original = table.concat(lines)
  show(nvim, { original = original, proposed = (original:gsub('line', 'LINE')) })
  nvim:lua([[desk.reviews[1].given['at 2'] = 'why' desk.change(1)]])
  -- Before the pause after which all changes are redrawn.
  reviewing.quiet(nvim)
  eq({ '3  reason: why' }, nvim:lua(REMARKS))
end)

return reviewing.tests
