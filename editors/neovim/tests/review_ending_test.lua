-- The end of reviews, by closing them or at another desk: questions, and the fate of edits.

local reviewing = require('reviewing')

local eq = reviewing.eq
local PICTURE = reviewing.PICTURE
local ORIGINAL = reviewing.ORIGINAL
local PROPOSED = reviewing.PROPOSED
local test = reviewing.test
local open = reviewing.open
local await = reviewing.await
local go = reviewing.go
local show = reviewing.show
local typed = reviewing.typed
local await_mode = reviewing.await_mode
local await_text = reviewing.await_text
local await_decided = reviewing.await_decided
local await_picture = reviewing.await_picture
local undecided = reviewing.undecided

test('closing the proposal rejects it', {}, function(nvim)
  local id = 0
  for _, keys in ipairs({ ':q<CR>', ':tabclose<CR>', ':bd<CR>', ':bwipeout<CR>', '<C-w>c', 'ZQ', ':close<CR>' }) do
    id = id + 1
    open(nvim, { id = id })
    local before = nvim:lua(PICTURE)
    go(nvim)
    nvim:keys(keys)
    await_decided(nvim, 'reject', id)
    await_picture(nvim, before)
  end
  eq({}, nvim:lua('return asked'))
end)

test('closing a proposal with edits asks above the review, and may keep it', {}, function(nvim)
  nvim:lua([[
    local confirm = vim.fn.confirm
    vim.fn.confirm = function(question, choices, ...)
      above = { vim.bo.buftype, vim.wo.diff, vim.api.nvim_get_current_line(), question, choices }
      return confirm(question, choices, ...)
    end
  ]])
  open(nvim)
  local edited = PROPOSED:gsub('TWO', 'TWOx')
  go(nvim)
  for i, keys in ipairs({ ':q<CR>', 'ZQ', ':tabclose<CR>', '<C-w>c', ':close<CR>' }) do
    if i == 1 then
      nvim:keys('Ax<Esc>')
      await_text(nvim, edited)
    end
    eq(edited, nvim:lua([[return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n']]))
    nvim:keys(keys)
    await(nvim, 'the question', ('return #asked == %d'):format(i))
    eq({ 'acwrite', true, 'TWOx', 'a.txt has your edits.',
      '&Keep the review open\n&Accept your text\n&Reject (edits go to drafts)\n&:command' }, nvim:lua('return above'))
    eq({ 2, 2, { 2, 3 } }, nvim:lua([[return { vim.fn.tabpagenr('$'), #vim.api.nvim_tabpage_list_wins(0),
      vim.api.nvim_win_get_cursor(0) }]]), keys)
    undecided(nvim)
    eq(edited, nvim:lua('return desk.text(1)'))
  end
  nvim:lua('answers = { 3 }')
  nvim:keys(':q<CR>')
  eq(edited, await_decided(nvim, 'reject').text)
  await(nvim, 'its windows to go', 'return vim.fn.tabpagenr("$") == 1')
end)

test('closing a proposal with dropped changes asks, unless all are dropped or it is forced', {}, function(nvim)
  nvim:lua([[
    local confirm = vim.fn.confirm
    vim.fn.confirm = function(question, choices, ...) given = choices return confirm(question, choices, ...) end
  ]])
  show(nvim)
  nvim:keys('do')
  local dropped = PROPOSED:gsub('TWO', 'two')
  await_text(nvim, dropped)
  for i, keys in ipairs({ ':q<CR>', ':tabclose<CR>', ':bd<CR>', ':tabnext 1<CR>:tabonly<CR>', 'ZQ' }) do
    nvim:keys(keys)
    await(nvim, 'the question', ('return #asked == %d'):format(i))
    await(nvim, 'the review', [[return vim.bo.buftype == 'acwrite' and #vim.api.nvim_tabpage_list_wins(0) == 2]])
    undecided(nvim)
    eq(dropped, nvim:lua('return desk.text(1)'))
  end
  eq({ 'You dropped 1 change of a.txt.', '&Keep the review open\n&Accept the rest\n&Reject all of it\n&:command' },
    nvim:lua('return { asked[1], given }'))
  nvim:lua('answers = { 2 }')
  nvim:keys(':q<CR>')
  eq(dropped, await_decided(nvim, 'accept').text)
  await(nvim, 'the file', [[return vim.fn.tabpagenr('$') == 1]])
  show(nvim, { id = 2 })
  nvim:keys('do]cdo]cdo')
  await_text(nvim, ORIGINAL, 2)
  nvim:keys(':q<CR>')
  await_decided(nvim, 'reject', 2)
  await(nvim, 'the file', [[return vim.fn.tabpagenr('$') == 1]])
  show(nvim, { id = 3 })
  nvim:keys('do')
  await_text(nvim, dropped, 3)
  nvim:keys(':q!<CR>')
  await_decided(nvim, 'reject', 3)
  eq(6, #nvim:lua('return asked'))
end)

test('the question at closing may accept, and restores windows and cursors', {}, function(nvim)
  open(nvim)
  local before = nvim:lua(PICTURE)
  go(nvim)
  nvim:keys('Ax<Esc>')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOx')))
  nvim:lua('answers = { 2 }')
  nvim:keys(':q<CR>')
  eq((PROPOSED:gsub('TWO', 'TWOx')), await_decided(nvim, 'accept').text)
  await_picture(nvim, before)
  -- The autocommand's own question may stop the test.
  show(nvim, { id = 2, stale = true })
  nvim:keys('Ax<Esc>')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOx')), 2)
  nvim:lua('answers = { 2, 1 }')
  nvim:keys(':q<CR>')
  await(nvim, 'both questions', 'return #asked == 3')
  await(nvim, 'the review to be back', [[return vim.bo.buftype == 'acwrite' and vim.wo.diff]])
  eq(1, #nvim:lua('return desk.decided'))
end)

test('a forced close with "!" moves edits to drafts without a question', {}, function(nvim)
  for id, keys in ipairs({ ':q!<CR>', ':bd!<CR>', ':bw!<CR>', ':tabclose!<CR>', ':silent close!<CR>' }) do
    open(nvim, { id = id })
    local before = nvim:lua(PICTURE)
    go(nvim)
    nvim:keys('Ax<Esc>')
    await_text(nvim, (PROPOSED:gsub('TWO', 'TWOx')), id)
    nvim:keys(keys)
    eq((PROPOSED:gsub('TWO', 'TWOx')), await_decided(nvim, 'reject', id).text)
    await_picture(nvim, before)
  end
  eq({}, nvim:lua('return asked'))
  -- The next command is not forced.
  show(nvim, { id = 9 })
  nvim:keys('Ax<Esc>:hi! link Foo Bar<CR>')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOx')), 9)
  nvim:keys(':q<CR>')
  await(nvim, 'the question', 'return #asked == 1')
end)

test('keys typed ahead of a question do not answer it', {}, function(nvim)
  show(nvim, { stale = true })
  nvim:lua([[
    local confirm = vim.fn.confirm
    vim.fn.confirm = function(...) ahead = vim.fn.getchar(0) return confirm(...) end
    vim.fn.feedkeys(':Alongside', 't')
    require('alongside.review').accept()
  ]])
  eq(0, nvim:lua('return ahead'))
  undecided(nvim)
end)

test('a command typed at a question runs, and none of its letters answers', {}, function(nvim)
  show(nvim, { stale = true })
  -- The question has "(:)command" as its last answer.
  nvim:lua('answers = { 3 } require("alongside.review").accept()')
  nvim:keys('let g:typed = "Accept"<CR>')
  await(nvim, 'the command', 'return vim.g.typed == "Accept"')
  undecided(nvim)
end)

test('a return before the question leaves no window of the original', {}, function(nvim)
  show(nvim)
  nvim:keys('Ax<Esc>')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOx')))
  nvim:lua([[vim.cmd('quit') require('alongside.review').go()]])
  undecided(nvim)
  eq({ 2, 2, true, {} }, nvim:lua([[return { vim.fn.tabpagenr('$'), #vim.api.nvim_tabpage_list_wins(0), vim.wo.diff, asked }]]))
end)

test('closing the original leaves the proposal', {}, function(nvim)
  show(nvim)
  nvim:keys('<C-w>h:q<CR>')
  await(nvim, 'one window', 'return #vim.api.nvim_tabpage_list_wins(0) == 1')
  undecided(nvim)
  nvim:keys('\\a')
  await_decided(nvim, 'accept')
end)

for _, keys in ipairs({ '<C-w>h:q<CR>', ':only<CR>' }) do
  test(':Alongside brings the original back, at the place of the proposal: ' .. keys, {}, function(nvim)
    open(nvim)
    local before = nvim:lua(PICTURE)
    open(nvim, { id = 2, file = nvim.root .. '/b.txt' })
    nvim:cmd('Alongside review 1')
    await(nvim, 'the review', [[return vim.bo.buftype == 'acwrite' and #vim.api.nvim_tabpage_list_wins(0) == 2]])
    local SHOWN = [[
      local wins = vim.api.nvim_tabpage_list_wins(0)
      local ns = vim.api.nvim_get_namespaces()['alongside.marks']
      return { vim.api.nvim_get_current_win() == wins[2], vim.tbl_map(function(win)
        local buf = vim.api.nvim_win_get_buf(win)
        return { vim.fn.bufname(buf), vim.wo[win].diff, vim.wo[win].winbar, vim.wo[win].winfixbuf, vim.wo[win].winhighlight,
          vim.api.nvim_win_get_width(win), #vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, {}),
          vim.api.nvim_win_call(win, function() return vim.fn.line('w0') end) }
      end, wins) }
    ]]
    local shown = nvim:lua(SHOWN)
    nvim:keys(keys)
    await(nvim, 'one window', 'return #vim.api.nvim_tabpage_list_wins(0) == 1')
    nvim:keys('jj:Alongside<CR>')
    await(nvim, 'both windows', 'return #vim.api.nvim_tabpage_list_wins(0) == 2')
    eq(shown, nvim:lua(SHOWN))
    eq(4, nvim:lua('return vim.fn.line(".")'))
    undecided(nvim)
    nvim:lua('vim.cmd("Alongside reject") desk.close(2, "agentGone", false)')
    await_decided(nvim, 'reject')
    await_picture(nvim, before)
  end)
end

test('a question names each reason against accepting, and Enter is no', {}, function(nvim)
  show(nvim, { stale = true })
  nvim:keys('\\a')
  await(nvim, 'the question', 'return #asked == 1')
  undecided(nvim)
  eq('a.txt\nThe file changed on disk; accepting undoes that change.', nvim:lua('return asked[1]'))
  nvim:lua('desk.change(1, nil, { stale = false })')
  nvim:keys('gTOunsaved<Esc>gt')
  await(nvim, 'the bar to warn', [[return vim.wo.winbar:find('unsaved in a buffer') and not vim.wo.winbar:find('on disk')]])
  nvim:lua('answers = { 2 }')
  nvim:keys(':wq<CR>')
  await_decided(nvim, 'accept')
  eq(2, #nvim:lua('return asked'))
  -- Unsaved changes stay unsaved.
  eq('unsaved', nvim:lua('return vim.fn.getbufline("a.txt", 1)[1]'))
end)

test('no to the question after :wq keeps the review open', {}, function(nvim)
  show(nvim, { stale = true })
  nvim:keys(':wq<CR>')
  await(nvim, 'the question', 'return #asked == 1')
  await(nvim, 'the review to be back', [[return vim.bo.buftype == 'acwrite' and #vim.api.nvim_tabpage_list_wins(0) == 2]])
  undecided(nvim)
end)

test('a decision on a review that has changed meanwhile names the cause, and works again', {}, function(nvim)
  show(nvim)
  -- In one event, so that the change overtakes the decision.
  nvim:lua([[require('alongside.review').accept() desk.change(1, ...)]], (PROPOSED:gsub('SIX', 'sixty')))
  nvim:await_said('a.txt: not accepted, because another desk has changed it. Look at it, then accept it (:w) again.')
  nvim:lua([[require('alongside.review').accept() desk.change(1, nil, { stale = true })]])
  -- The change itself is no reason to ask, because it came after the question.
  nvim:await_said('a.txt: not accepted, because the file has changed on disk. Look at it, then accept it (:w) again.')
  nvim:lua([[require('alongside.review').reject() desk.change(1, nil, { stale = true, dirty = true })]])
  nvim:await_said('not rejected, because the unsaved changes of the file in an editor are others now. Look at it, then reject it again.')
  undecided(nvim)
  nvim:lua('answers = { 2 }')
  nvim:keys(':w<CR>')
  eq((PROPOSED:gsub('SIX', 'sixty')), await_decided(nvim, 'accept').text)
end)

test('refused edits stay in the proposal, and :w sends them again', {}, function(nvim)
  show(nvim)
  nvim:lua([[desk.refuse_edits = 'the disk is full']])
  nvim:keys('Amine<Esc>')
  nvim:await_said('a.txt: the companion refused your edits. The disk is full. Your text stays here; :w tries again.')
  nvim:keys(':w<CR>')
  nvim:await_said('a.txt: not accepted. The disk is full. Your text stays here; :w tries again.')
  eq({ 'TWOmine', 'acwrite' }, nvim:lua('return { vim.api.nvim_get_current_line(), vim.bo.buftype }'))
  undecided(nvim)
  nvim:lua('desk.refuse_edits = nil')
  nvim:keys(':w<CR>')
  eq((PROPOSED:gsub('TWO', 'TWOmine')), await_decided(nvim, 'accept').text)
end)

test('text being typed when another desk ends the review stays in its window', {}, function(nvim)
  show(nvim)
  nvim:keys('Ahel')
  await_mode(nvim, 'i')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOhel')))
  nvim:lua([[desk.close(1, 'agentGone', false, '/drafts/a.txt')]])
  nvim:await_said('your text stays here, in an unnamed buffer (:w FILE)')
  eq({ '', '', false, '', false, 1 }, nvim:lua([[return { vim.bo.buftype, vim.fn.bufname(), vim.bo.modified, vim.wo.winbar,
    vim.wo.diff, #vim.api.nvim_tabpage_list_wins(0) }]]))
  eq('i', nvim:lua('return vim.api.nvim_get_mode().mode'))
  nvim:keys('lo<Esc>')
  await_mode(nvim, 'n')
  eq({ 'TWOhello', '', true, true },
    nvim:lua('return { vim.api.nvim_get_current_line(), vim.bo.buftype, vim.bo.buflisted, vim.bo.modified }'))
  -- The review's keys are unmapped, and Neovim's own keys work.
  nvim:keys('\\a<Esc>')
  await_mode(nvim, 'n')
  undecided(nvim)
  -- As for any buffer, Neovim asks before the text is lost, and `:w FILE` writes it.
  nvim:lua([[vim.o.hidden = false]])
  for _, command in ipairs({ 'quit', 'qall' }) do
    local why = nvim:lua('return tostring(select(2, pcall(vim.cmd, ...)))', command)
    assert(why:find('E%d+: No write since last change'), why)
  end
  nvim:keys(':w kept.txt<CR>')
  await(nvim, 'it to be written', 'return not vim.bo.modified')
  eq(vim.split((PROPOSED:gsub('TWO', 'TWOhello')), '\n', { trimempty = true }), vim.fn.readfile(nvim.root .. '/kept.txt'))
  nvim:keys(':q<CR>')
  await(nvim, 'the window to go', 'return vim.fn.tabpagenr("$") == 1 and vim.fn.bufname() == "a.txt"')
  eq(-1, nvim:lua([[return vim.fn.bufnr('alongside://original/*')]]))
end)

test('text without a draft counts as unsaved', {}, function(nvim)
  show(nvim)
  nvim:keys('Ahel')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOhel')))
  nvim:lua([[desk.close(1, 'agentGone', false)]])
  await(nvim, 'the text to be left', [[return vim.bo.buftype == '']])
  eq(true, nvim:lua('return vim.bo.modified'))
end)

test('an acceptance at another desk is shown first, and sent text is not unsaved', {}, function(nvim)
  show(nvim)
  nvim:keys('Ahel')
  await_mode(nvim, 'i')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOhel')))
  nvim:lua([[said = {} desk.close(1, 'accepted', false, nil, 'accepted in a terminal desk; Gemini CLI writes it.')]])
  local said = nvim:await_said('your text stays here')
  eq('a.txt: accepted in a terminal desk; Gemini CLI writes it. a.txt: your text stays here, in an unnamed buffer (:w FILE).', said[1])
  eq({ false, 'TWOhel' }, nvim:lua('return { vim.bo.modified, vim.api.nvim_get_current_line() }'))
  nvim:keys('lo')
  await(nvim, 'new text to count as unsaved', 'return vim.bo.modified')
end)

test('keys pressed when the review ends elsewhere do not land in another buffer', {}, function(nvim)
  show(nvim)
  nvim:keys('jd')
  await_mode(nvim, 'n')
  nvim:lua([[desk.close(1, 'answeredInAgent', false)]])
  nvim:keys('d')
  eq(ORIGINAL, nvim:lua([[return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.txt'), 0, -1, false), '\n') .. '\n']]))
  await(nvim, 'the typed text to be kept', [[return vim.bo.buftype == '' and vim.bo.modified and vim.fn.line('$') == 8]])
end)

test('a second proposal for the file replaces the first in its windows', {}, function(nvim)
  show(nvim)
  local tab = nvim:lua('return vim.api.nvim_get_current_tabpage()')
  -- In one event; the windows are kept for 1 s.
  nvim:lua([[
    desk.close(1, 'replaced', false)
    desk.open({ id = 2, file = desk.root .. '/a.txt', original = ..., proposed = 'another\n' })
  ]], ORIGINAL)
  await(nvim, 'the other one', [[return vim.api.nvim_get_current_line() == 'another']])
  eq({ tab, 2, true, 2 }, nvim:lua([[return { vim.api.nvim_get_current_tabpage(), #vim.api.nvim_tabpage_list_wins(0),
    vim.wo.diff, #vim.api.nvim_list_tabpages() }]]))
  nvim:keys('Ax<Esc>')
  await_text(nvim, 'anotherx\n', 2)
  nvim:keys('\\a')
  await_decided(nvim, 'accept', 2)
  await(nvim, 'its windows to go', 'return #vim.api.nvim_list_tabpages() == 1')
end)

test('the end of the server closes the shown review and keeps unsent text', {}, function(nvim)
  open(nvim)
  local before = nvim:lua(PICTURE)
  go(nvim)
  nvim:lua([[require('alongside.review').gone(7)]])
  await_picture(nvim, before)
  show(nvim)
  nvim:lua([[
    vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'typed' })
    require('alongside.review').gone(7)
  ]])
  nvim:await_said('your text stays here')
  eq({ '', true, 'typed' }, nvim:lua([[return { vim.bo.buftype, vim.bo.modified, vim.fn.getline(1) }]]))
  undecided(nvim)
end)

test('unsent text of a review in another tab page becomes a buffer that Neovim asks about', {}, function(nvim)
  show(nvim)
  nvim:lua([[
    vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'typed' })
    vim.cmd('tabnext 1')
    require('alongside.review').gone(7)
  ]])
  local buf = tonumber(nvim:await_said('are in an unnamed buffer')[1]:match(':buffer (%d+)'))
  eq({ 'typed', '', true, true, '' }, nvim:lua([[local buf = ... return { vim.fn.getbufline(buf, 1)[1], vim.bo[buf].buftype,
    vim.bo[buf].buflisted, vim.bo[buf].modified, vim.fn.bufname(buf) }]], buf))
  local why = nvim:lua('return tostring(select(2, pcall(vim.cmd, "qall")))')
  assert(why:find('E%d+: No write since last change'), why)
end)

return reviewing.tests
