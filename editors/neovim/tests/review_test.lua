-- Stories of reviews: what a person sees and does, and what comes of it. A second Neovim, typed into, with a companion
-- of its own.

local editor = require('editor')

local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
local ORIGINAL = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n'
local PROPOSED = 'one\nTWO\nthree\nfour\nfive\nSIX\nseven\neight\nnine\n'

local tests = {}

local function eq(expected, found, what)
  if not vim.deep_equal(expected, found) then
    error(('%s\nexpected %s\nfound    %s'):format(what or 'not equal', vim.inspect(expected), vim.inspect(found)), 2)
  end
end

-- What a person has before them: every tab page with its windows, sizes, cursors and the mode.
local PICTURE = [[
  local tabs = {}
  for _, tab in ipairs(vim.api.nvim_list_tabpages()) do
    local wins = {}
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
      wins[#wins + 1] = {
        win, vim.api.nvim_win_get_buf(win), vim.api.nvim_win_get_cursor(win), vim.api.nvim_win_get_width(win),
        vim.api.nvim_win_get_height(win), vim.wo[win].diff, vim.wo[win].winbar, vim.wo[win].scrollbind,
        vim.api.nvim_win_call(win, function() return { vim.fn.line('w0'), vim.fn.bufnr('#') } end),
      }
    end
    tabs[#tabs + 1] = { tab, wins, vim.api.nvim_tabpage_get_win(tab) }
  end
  return {
    tabs, vim.api.nvim_get_current_tabpage(), vim.api.nvim_get_mode().mode, vim.o.diffopt,
    vim.fn.tabpagenr('#'), vim.fn.winnr('#'), #vim.fn.getbufinfo(),
  }
]]

-- A Neovim with a project and the plugin, and the companion in it.
local function with(options, body)
  local root = editor.directory() .. '/project'
  editor.files(root, { ['a.txt'] = ORIGINAL, ['b.txt'] = 'b\n', ['c.txt'] = 'c\n' }, true)
  options.cwd = root
  options.args = options.args or { 'a.txt' }
  options.before = ([[
    package.path = %q .. '/?.lua;' .. package.path
    answers = {}
    asked = {}
    vim.fn.confirm = function(question) asked[#asked + 1] = question return table.remove(answers, 1) or 1 end
    desk = require('desk')
    desk.root = %q
  ]]):format(here, root) .. (options.before or '')
  editor.with(options, function(nvim)
    nvim.root = root
    nvim:lua('vim.cmd("runtime plugin/alongside.lua")')
    body(nvim)
  end)
end

local function test(name, options, body)
  tests[#tests + 1] = {
    name,
    function()
      with(vim.deepcopy(options), body)
    end,
  }
end

local function open(nvim, more)
  nvim:lua('desk.open(...)', vim.tbl_extend('force', {
    id = 1, file = nvim.root .. '/a.txt', original = ORIGINAL, proposed = PROPOSED,
  }, more or {}))
end

local function await(nvim, what, code)
  return editor.await(what, function()
    local value = nvim:lua(code)
    return value ~= vim.NIL and value
  end)
end

local function go(nvim)
  nvim:cmd('Alongside')
  await(nvim, 'the review to be shown', [[return vim.bo.buftype == 'acwrite' and vim.wo.diff]])
end

-- Everything typed was taken in.
local function typed(nvim, keys)
  nvim:keys(keys)
  nvim:lua('return 1')
end

local function await_mode(nvim, mode)
  await(nvim, 'mode ' .. mode, ('return vim.api.nvim_get_mode().mode:sub(1, 1) == %q'):format(mode))
end

-- The marks as they have followed the text, and drawn anew.
local MARKS = [[
  local review = require('alongside.review').all()[1]
  local ns = vim.api.nvim_get_namespaces()['alongside.marks']
  local function seen()
    local found = {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(review.view.right, ns, 0, -1, { details = true })) do
      local d = mark[4]
      if d.hl_group ~= 'AlongsideLine' then
        found[#found + 1] = ('%d %s %s %s'):format(mark[2], d.sign_text or '', d.hl_group or '', d.virt_text and d.virt_text[1][1] or '')
      end
    end
    table.sort(found)
    return found
  end
  local followed = seen()
  require('alongside.marks').clear(review.view.right)
  require('alongside.review').show(review)
  return { followed, seen() }
]]

local function await_text(nvim, expected, id)
  editor.await('the companion to have ' .. vim.inspect(expected), function()
    return nvim:lua('return desk.text(...)', id or 1) == expected
  end)
end

local function await_decided(nvim, decision, id)
  return await(nvim, 'the decision ' .. decision, ([[
    local last = desk.decided[#desk.decided]
    return last and last.decision == %q and last.id == %d and last
  ]]):format(decision, id or 1))
end

local function await_picture(nvim, before)
  editor.await('everything to be as before', function()
    return vim.deep_equal(before, nvim:lua(PICTURE))
  end, 3000)
end

-- Nothing is on its way any more: what has not happened by now does not.
local function quiet(nvim)
  nvim:lua([[
    local turns = 0
    local function turn() turns = turns + 1 if turns < 5 then vim.defer_fn(turn, 10) end end
    turn()
    vim.wait(2000, function() return turns >= 5 end, 5)
  ]])
end

local function undecided(nvim)
  quiet(nvim)
  eq({}, nvim:lua('return desk.decided'))
end

test('a review is announced and moves nothing, also under typing hands', {}, function(nvim)
  nvim:keys('Gohel')
  await_mode(nvim, 'i')
  local before = nvim:lua(PICTURE)
  open(nvim)
  local said = nvim:await_said('Gemini CLI proposes a.txt (3 changes): :Alongside')
  eq(vim.log.levels.INFO, said[2])
  eq(before, nvim:lua(PICTURE))
  nvim:keys('lo<Esc>')
  await_mode(nvim, 'n')
  eq('hello', nvim:lua('return vim.api.nvim_get_current_line()'))
  eq('alongside 1 review', nvim:lua([[return require('alongside').statusline()]]))
end)

test('several that come at once are one announcement', {}, function(nvim)
  open(nvim)
  open(nvim, { id = 2, file = nvim.root .. '/b.txt' })
  nvim:await_said('2 reviews wait: :Alongside')
  eq(1, #nvim:lua('return said'))
end)

test('the review is a tab page with the original and the proposal in diff mode', {}, function(nvim)
  open(nvim)
  go(nvim)
  local seen = nvim:lua([[
    local wins, seen = vim.api.nvim_tabpage_list_wins(0), {}
    for i, win in ipairs(wins) do
      local buf = vim.api.nvim_win_get_buf(win)
      seen[i] = { vim.wo[win].diff, vim.bo[buf].modifiable, vim.bo[buf].filetype, vim.bo[buf].modified,
        table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n') .. '\n', vim.wo[win].winbar:gsub('%%#%w+#', '') }
    end
    return { seen, vim.api.nvim_get_current_win() == wins[2], vim.fn.tabpagenr('$'), vim.fn.line('.') }
  ]])
  eq({ true, false, 'text', false, ORIGINAL, ' original%*' }, { unpack(seen[1][1], 1, 6) })
  eq({ true, true, 'text', false, PROPOSED }, { unpack(seen[1][2], 1, 5) })
  eq(' %<a.txt  3 of 3 kept%=  \\a yes  \\r no%* ', seen[1][2][6])
  eq({ true, 2, 2 }, { seen[2], seen[3], seen[4] })
end)

test('do, dp, undo, substitutions, macros and pasting reach the companion as they are seen', {}, function(nvim)
  open(nvim)
  go(nvim)
  local function both(keys, expected)
    nvim:keys(keys)
    await_text(nvim, expected)
    eq(expected, nvim:lua([[return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n']]))
    eq(false, nvim:lua('return vim.bo.modified'))
  end
  both('do', (PROPOSED:gsub('TWO', 'two')))
  both('u', PROPOSED)
  both(']cdo', (PROPOSED:gsub('SIX', 'six')))
  both('u', PROPOSED)
  nvim:keys('<C-w>hgg]c')
  nvim:keys('dp<C-w>l')
  both('', (PROPOSED:gsub('TWO', 'two')))
  both('u', PROPOSED)
  both(':%s/e/E/g<CR>', (PROPOSED:gsub('e', 'E')))
  both('u', PROPOSED)
  both('ggqqA!<Esc>jq3@q', 'one!\nTWO!\nthree!\nfour!\nfive\nSIX\nseven\neight\nnine\n')
  both('4u', PROPOSED)
  both('ggyyGp', PROPOSED .. 'one\n')
  eq({ kept = 2, dropped = 0 }, nvim:lua([[
    local one = require('alongside.review').waiting()[1] return { kept = one.kept, dropped = one.dropped }]]))
end)

test('what has become of the changes is seen', {}, function(nvim)
  open(nvim)
  go(nvim)
  nvim:keys('do')
  await_text(nvim, (PROPOSED:gsub('TWO', 'two')))
  nvim:keys(']cAx<Esc>')
  await_text(nvim, 'one\ntwo\nthree\nfour\nfive\nSIXx\nseven\neight\nnine\n')
  local marks = await(nvim, 'the signs', [[
    local ns = vim.api.nvim_get_namespaces()['alongside.marks']
    local found = {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
      if mark[4].sign_text then found[#found + 1] = mark[2] .. vim.trim(mark[4].sign_text) end
      if mark[4].virt_text then found[#found + 1] = mark[2] .. mark[4].virt_text[1][1] end
    end
    return #found == 5 and found
  ]])
  eq({ '1  dropped', '1-', '5  edited', '5~', '8+' }, vim.fn.sort(marks))
  await(nvim, 'the bar', [[return vim.wo.winbar:find('1 of 3 kept') and vim.wo.winbar:find('1 edited')]])
end)

test('words that differ are marked, in UTF-16 on the wire', {}, function(nvim)
  nvim:lua([[
    local function range(line, from, to)
      return { start = { line = line, character = from }, ['end'] = { line = line, character = to } }
    end
    local hunk = { original = { start = 0, ['end'] = 1 }, proposed = { start = 0, ['end'] = 1 },
      current = { start = 0, ['end'] = 1 }, state = 'kept',
      words = { removed = { range(0, 4, 7) }, added = { range(0, 4, 9) } } }
    require('alongside.review').opened(7, { id = 1, file = '/x', agent = { number = 1, name = 'A' }, revision = 1,
      original = '\239\187\191😀 old\n', proposed = '\239\187\191😀 newer\n', current = '\239\187\191😀 newer\n', hunks = { hunk } })
  ]])
  go(nvim)
  local function found(buf)
    return nvim:lua(([[
      local ns = vim.api.nvim_get_namespaces()['alongside.marks']
      local found = {}
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(%s, ns, 0, -1, { details = true })) do
        if mark[4].hl_group and mark[4].hl_group ~= 'AlongsideLine' then found[#found + 1] = { mark[4].hl_group, mark[2], mark[3], mark[4].end_col } end
      end
      return found]]):format(buf))
  end
  eq({ { 'AlongsideAdded', 0, 5, 10 } }, found('0'))
  eq({ { 'AlongsideRemoved', 0, 5, 8 } }, found([[vim.fn.bufnr('alongside://original/*')]]))
end)

-- Windows of different sizes, a second tab page, an alternate file, scrolled texts.
local ARRANGED = [[
  vim.o.lines, vim.o.columns = 40, 120
  vim.cmd('edit b.txt | edit a.txt | tabnew c.txt | tabfirst | botright split b.txt | resize 7 | vsplit c.txt')
  vim.cmd('vertical resize 31 | wincmd t')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(('line\n'):rep(200), '\n'))
  vim.cmd('silent write | normal! 100Gzt3l')
]]

for how, keys in pairs({ accept = '\\a', reject = '\\r' }) do
  test('everything is as it was after a review was decided: ' .. how, {}, function(nvim)
    nvim:lua(ARRANGED)
    open(nvim)
    local before = nvim:lua(PICTURE)
    go(nvim)
    nvim:keys('do')
    await_text(nvim, (PROPOSED:gsub('TWO', 'two')))
    nvim:keys(keys)
    eq((PROPOSED:gsub('TWO', 'two')), await_decided(nvim, how).text)
    await_picture(nvim, before)
  end)
end

test('everything is as it was after a review ended elsewhere, wherever the person is', {}, function(nvim)
  nvim:lua(ARRANGED)
  for id, closing in ipairs({ 'accepted', 'rejected', 'answeredInAgent', 'replaced', 'agentGone', 'stopped', 'interrupted' }) do
    open(nvim, { id = id })
    local before = nvim:lua(PICTURE)
    go(nvim)
    nvim:lua('desk.close(...)', id, closing, false)
    await_picture(nvim, before)
    -- Looked at, and left for another tab page.
    open(nvim, { id = 100 + id })
    before = nvim:lua(PICTURE)
    go(nvim)
    nvim:cmd('tabnext 1')
    nvim:cmd('2wincmd w')
    local cursor = nvim:lua('return { vim.api.nvim_get_current_win(), vim.api.nvim_win_get_cursor(0) }')
    nvim:lua('desk.close(...)', 100 + id, closing, false)
    await(nvim, 'the windows to go', 'return #vim.api.nvim_list_tabpages() == 2')
    eq(cursor, nvim:lua('return { vim.api.nvim_get_current_win(), vim.api.nvim_win_get_cursor(0) }'))
    nvim:cmd('1wincmd w')
  end
end)

test('who came from insert mode or a terminal goes on there', {}, function(nvim)
  nvim:lua([[vim.keymap.set({ 'i', 't', 'x' }, '<F2>', '<Cmd>Alongside<CR>')]])
  open(nvim)
  nvim:keys('GAhel<F2>')
  await(nvim, 'the review', [[return vim.bo.buftype == 'acwrite' and vim.api.nvim_get_mode().mode == 'n']])
  nvim:keys('\\r')
  await_decided(nvim, 'reject')
  await_mode(nvim, 'i')
  nvim:keys('lo<Esc>')
  await_mode(nvim, 'n')
  eq('eighthello', nvim:lua('return vim.api.nvim_get_current_line()'))
  open(nvim, { id = 2 })
  nvim:cmd('terminal cat')
  nvim:keys('i<F2>')
  await(nvim, 'the review', [[return vim.bo.buftype == 'acwrite' and vim.api.nvim_get_mode().mode == 'n']])
  nvim:keys('\\r')
  await_decided(nvim, 'reject', 2)
  await_mode(nvim, 't')
end)

local function accepts(what, keys)
  test('accepts because a person typed it: ' .. what, {}, function(nvim)
    open(nvim)
    local before = nvim:lua(PICTURE)
    go(nvim)
    nvim:keys('Ax<Esc>' .. keys)
    eq((PROPOSED:gsub('TWO', 'TWOx')), await_decided(nvim, 'accept').text)
    nvim:await_said('a.txt: accepted; Gemini CLI writes it.')
    await_picture(nvim, before)
    eq(1, #nvim:lua('return desk.decided'))
  end)
end

accepts(':w', ':w<CR>')
accepts(':write!', ':write!<CR>')
accepts(':wq', ':wq<CR>')
accepts(':x', ':x<CR>')
accepts('ZZ', 'ZZ')
accepts(':Alongside accept', ':Alongside accept<CR>')
accepts(':w after :w of something else', ':silent! wall<CR>:  :w  <CR>')

test('nothing that writes by itself accepts', {
  before = [[
    vim.o.autowriteall = true
    vim.api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave', 'BufLeave', 'FocusLost', 'CursorHold' }, {
      nested = true,
      callback = function() tries = (tries or 0) + 1 vim.cmd('silent! write') vim.cmd('silent! update') vim.cmd('silent! wall') end,
    })
  ]],
}, function(nvim)
  open(nvim)
  go(nvim)
  nvim:keys('Ax<Esc>ddu')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOx')))
  for _, keys in ipairs({ ':wall<CR>', ':silent! write<CR>', ':update<CR>', ':silent! up<CR>', ':wa!<CR>', ':1,2w<CR>',
    ':doautocmd FocusLost<CR>', ':tabnext<CR>:tabprevious<CR>', ':w | echo<CR>' }) do
    nvim:keys(keys)
    quiet(nvim)
  end
  for _, command in ipairs({ 'write', 'silent! wall', 'update', 'wall' }) do
    nvim:cmd(command)
  end
  assert(nvim:lua('return tries') > 3)
  undecided(nvim)
  nvim:await_said('To accept: :Alongside accept')
  eq((PROPOSED:gsub('TWO', 'TWOx')), nvim:lua('return desk.text(1)'))
end)

for _, keys in ipairs({ ':xa<CR>', ':qa<CR>', ':wqa<CR>' }) do
  test('quitting decides nothing and is not held up: ' .. keys, {}, function(nvim)
    open(nvim)
    go(nvim)
    nvim:keys('Ax<Esc>')
    await_text(nvim, (PROPOSED:gsub('TWO', 'TWOx')))
    local out = vim.fn.tempname()
    nvim:lua([[local out = ...
      vim.api.nvim_create_autocmd('VimLeave', { callback = function()
        vim.fn.writefile({ tostring(#desk.decided), tostring(#asked) }, out) end })]], out)
    nvim:keys(keys)
    editor.await('Neovim to end', function()
      return nvim.ended
    end)
    eq({ '0', '0' }, vim.fn.readfile(out))
  end)
end

test('a refusal is said and nothing closes', {}, function(nvim)
  open(nvim)
  for _, keys in ipairs({ '\\a', ':w<CR>', ':wq<CR>', ':x<CR>', 'ZZ' }) do
    go(nvim)
    nvim:lua([[said = {} desk.refuse[1] = 'there is nothing to accept: reject it instead']])
    nvim:keys(keys)
    nvim:await_said('a.txt: There is nothing to accept: reject it instead.')
    await(nvim, 'the review to stay', [[return vim.bo.buftype == 'acwrite' and #vim.api.nvim_tabpage_list_wins(0) == 2]])
  end
  undecided(nvim)
end)

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

test('closing what holds edits asks first, and the answer may be to keep it', {}, function(nvim)
  open(nvim)
  local edited = PROPOSED:gsub('TWO', 'TWOx')
  go(nvim)
  for i, keys in ipairs({ ':q<CR>', ':bd!<CR>', ':tabclose<CR>', ':bwipeout!<CR>', ':close<CR>' }) do
    if i == 1 then
      nvim:keys('Ax<Esc>')
      await_text(nvim, edited)
    end
    eq(edited, nvim:lua([[return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n']]))
    nvim:keys(keys)
    await(nvim, 'the question', ('return #asked == %d'):format(i))
    await(nvim, 'the review to be back', [[return vim.bo.buftype == 'acwrite' and vim.wo.diff]])
    eq({ 2, 2, { 2, 3 } }, nvim:lua([[return { vim.fn.tabpagenr('$'), #vim.api.nvim_tabpage_list_wins(0),
      vim.api.nvim_win_get_cursor(0) }]]), keys)
    undecided(nvim)
    eq(edited, nvim:lua('return desk.text(1)'))
  end
  nvim:lua('answers = { 2 }')
  nvim:keys(':q<CR>')
  eq(edited, await_decided(nvim, 'reject').text)
end)

test('closing the original leaves the proposal', {}, function(nvim)
  open(nvim)
  go(nvim)
  nvim:keys('<C-w>h:q<CR>')
  await(nvim, 'one window', 'return #vim.api.nvim_tabpage_list_wins(0) == 1')
  undecided(nvim)
  nvim:keys('\\a')
  await_decided(nvim, 'accept')
end)

test('what is wrong with accepting is asked about, and Enter is no', {}, function(nvim)
  open(nvim, { stale = true })
  go(nvim)
  nvim:keys('\\a')
  await(nvim, 'the question', 'return #asked == 1')
  undecided(nvim)
  eq('a.txt\nThe file has changed on disk since: accepting undoes that change.', nvim:lua('return asked[1]'))
  nvim:lua('desk.change(1, nil, { stale = false })')
  nvim:keys('gTOunsaved<Esc>gt')
  await(nvim, 'the bar to warn', [[return vim.wo.winbar:find('unsaved in a buffer') and not vim.wo.winbar:find('on disk')]])
  nvim:lua('answers = { 2 }')
  nvim:keys(':wq<CR>')
  await_decided(nvim, 'accept')
  eq(2, #nvim:lua('return asked'))
  -- What is unsaved stays so.
  eq('unsaved', nvim:lua('return vim.fn.getbufline("a.txt", 1)[1]'))
end)

test('no to the question after :wq keeps the review before the person', {}, function(nvim)
  open(nvim, { stale = true })
  go(nvim)
  nvim:keys(':wq<CR>')
  await(nvim, 'the question', 'return #asked == 1')
  await(nvim, 'the review to be back', [[return vim.bo.buftype == 'acwrite' and #vim.api.nvim_tabpage_list_wins(0) == 2]])
  undecided(nvim)
end)

test('what is typed when the review ends elsewhere stays where it is typed', {}, function(nvim)
  open(nvim)
  go(nvim)
  nvim:keys('Ahel')
  await_mode(nvim, 'i')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOhel')))
  nvim:lua([[desk.close(1, 'agentGone', false, '/drafts/a.txt')]])
  nvim:await_said('what you typed stays here, in a buffer without a name (:w FILE)')
  eq({ '', '', false, '', false, 1 }, nvim:lua([[return { vim.bo.buftype, vim.fn.bufname(), vim.bo.modified, vim.wo.winbar,
    vim.wo.diff, #vim.api.nvim_tabpage_list_wins(0) }]]))
  nvim:await_said('Your edits are in /drafts/a.txt.')
  eq('i', nvim:lua('return vim.api.nvim_get_mode().mode'))
  nvim:keys('lo<Esc>')
  await_mode(nvim, 'n')
  eq({ 'TWOhello', '', true, true },
    nvim:lua('return { vim.api.nvim_get_current_line(), vim.bo.buftype, vim.bo.buflisted, vim.bo.modified }'))
  -- Keys of no meaning any more, but Neovim's own.
  nvim:keys('\\a<Esc>')
  await_mode(nvim, 'n')
  undecided(nvim)
  -- As for any text: it is not left without a question, and is written where the person says.
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

test('what no draft has counts as unsaved', {}, function(nvim)
  open(nvim)
  go(nvim)
  nvim:keys('Ahel')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOhel')))
  nvim:lua([[desk.close(1, 'agentGone', false)]])
  await(nvim, 'the text to be left', [[return vim.bo.buftype == '']])
  eq(true, nvim:lua('return vim.bo.modified'))
end)

test('keys pressed when the review ends elsewhere do not land in another buffer', {}, function(nvim)
  open(nvim)
  go(nvim)
  nvim:keys('jd')
  await_mode(nvim, 'n')
  nvim:lua([[desk.close(1, 'answeredInAgent', false)]])
  nvim:keys('d')
  eq(ORIGINAL, nvim:lua([[return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.txt'), 0, -1, false), '\n') .. '\n']]))
  await(nvim, 'what was typed to be kept', [[return vim.bo.buftype == '' and vim.bo.modified and vim.fn.line('$') == 8]])
end)

test('a second proposal for the file comes in the place of the first', {}, function(nvim)
  open(nvim)
  go(nvim)
  local tab = nvim:lua('return vim.api.nvim_get_current_tabpage()')
  nvim:lua([[desk.close(1, 'replaced', false)]])
  open(nvim, { id = 2, proposed = 'another\n' })
  await(nvim, 'the other one', [[return vim.api.nvim_get_current_line() == 'another']])
  eq({ tab, 2, true, 2 }, nvim:lua([[return { vim.api.nvim_get_current_tabpage(), #vim.api.nvim_tabpage_list_wins(0),
    vim.wo.diff, #vim.api.nvim_list_tabpages() }]]))
  nvim:keys('Ax<Esc>')
  await_text(nvim, 'anotherx\n', 2)
  nvim:keys('\\a')
  await_decided(nvim, 'accept', 2)
  await(nvim, 'its windows to go', 'return #vim.api.nvim_list_tabpages() == 1')
end)

test('the end of the server closes what is shown and keeps what was not sent', {}, function(nvim)
  open(nvim)
  local before = nvim:lua(PICTURE)
  go(nvim)
  nvim:lua([[require('alongside.review').gone(7)]])
  await_picture(nvim, before)
  open(nvim)
  go(nvim)
  nvim:lua([[
    vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'typed' })
    require('alongside.review').gone(7)
  ]])
  nvim:await_said('what you typed stays here')
  eq({ '', true, 'typed' }, nvim:lua([[return { vim.bo.buftype, vim.bo.modified, vim.fn.getline(1) }]]))
  undecided(nvim)
end)

test('what was not sent when the person is elsewhere is a buffer that Neovim asks about', {}, function(nvim)
  open(nvim)
  go(nvim)
  nvim:lua([[
    vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'typed' })
    vim.cmd('tabnext 1')
    require('alongside.review').gone(7)
  ]])
  local buf = tonumber(nvim:await_said('is kept in a buffer without a name')[1]:match(':buffer (%d+)'))
  eq({ 'typed', '', true, true, '' }, nvim:lua([[local buf = ... return { vim.fn.getbufline(buf, 1)[1], vim.bo[buf].buftype,
    vim.bo[buf].buflisted, vim.bo[buf].modified, vim.fn.bufname(buf) }]], buf))
  local why = nvim:lua('return tostring(select(2, pcall(vim.cmd, "qall")))')
  assert(why:find('E%d+: No write since last change'), why)
end)

test('what can only be decided whole cannot be edited', {}, function(nvim)
  nvim:lua('desk.open(...)', { id = 1, file = nvim.root .. '/a.txt', proposed = 'new\n', wholeFileOnly = 'the file on disk is binary' })
  go(nvim)
  eq({ false, 'new' }, nvim:lua('return { vim.bo.modifiable, vim.fn.getline(1) }'))
  assert(nvim:lua('return vim.wo.winbar'):find('the file on disk is binary', 1, true))
  nvim:keys('\\a')
  await_decided(nvim, 'accept')
end)

test('the buffer of the file is read again, whatever autoread says', { before = 'vim.o.autoread = false\n' }, function(nvim)
  open(nvim)
  open(nvim, { id = 2, file = nvim.root .. '/new.txt', proposed = 'new\n' })
  nvim:lua([[desk.reviews[2].original = nil]])
  nvim:cmd('split new.txt')
  nvim:cmd('wincmd p')
  for id, name in ipairs({ 'a.txt', 'new.txt' }) do
    nvim:cmd('Alongside review ' .. id)
    await(nvim, 'the review', [[return vim.bo.buftype == 'acwrite']])
    nvim:keys('\\a')
    await_decided(nvim, 'accept', id)
    editor.files(nvim.root, { [name] = 'written by the agent\n' })
    await(nvim, name .. ' to be read again', ('return vim.fn.getbufline(%q, 1)[1] == "written by the agent"'):format(name))
  end
end)

test('the bar says how the file differs, and goes without things where it is narrow', {}, function(nvim)
  local seen = [[
    local given, width = ...
    local review = { file = '/p/some/dirs/a.txt', original_text = '', agent = { name = 'Gemini CLI' }, stale = given.stale,
      hunks = { { state = 'kept' } }, fileLineEnding = given.ends, fileHasBom = given.bom, wholeFileOnly = given.whole }
    local drawn = require('alongside.winbar').proposal(review, { root = '/p', is_modified = false, width = width,
      keys = given.keys or { accept = '\\a', reject = '\\r' } })
    local str = vim.api.nvim_eval_statusline(drawn, { use_winbar = true, maxwidth = width }).str
    return (vim.trim(str):gsub('%s%s%s+', ' | '))
  ]]
  local function bar(expected, given, width)
    eq(expected, nvim:lua(seen, given, width), 'at ' .. width)
  end
  local given = { stale = true, ends = 'crlf', bom = true }
  local whole = 'some/dirs/a.txt  Gemini CLI  1 of 1 kept  ! changed on disk  file: CRLF BOM, proposal: LF no BOM | \\a accept  \\r reject'
  bar(whole, given, 200)
  bar((whole:gsub('some/dirs/', '')), given, 112)
  bar((whole:gsub('some/dirs/', ''):gsub('Gemini CLI  ', '')), given, 105)
  bar('a.txt  1 of 1 kept  ! changed on disk | \\a accept  \\r reject', given, 70)
  bar('a.txt  1 of 1 kept  ! changed on disk | \\a yes  \\r no', given, 56)
  bar('a.txt  1 of 1 kept  ! changed on disk', given, 39)
  bar('<of 1 kept  ! changed on disk', given, 31)
  bar('a.txt  1 of 1 kept | \\a yes  \\r no', {}, 39)
  bar('a.txt  1 of 1 kept  file: no BOM, proposal: BOM | \\a accept  \\r reject', { bom = false }, 72)
  bar('a.txt  1 of 1 kept  file: LF, proposal: CRLF | \\a accept  \\r reject', { ends = 'lf' }, 70)
  bar('a.txt  1 of 1 kept', { keys = { accept = false, reject = false } }, 39)
  nvim:lua('vim.o.columns = 200')
  open(nvim, { fileLineEnding = 'crlf' })
  go(nvim)
  await(nvim, 'the bar', [[return vim.wo.winbar:find('file: CRLF, proposal: LF', 1, true)]])
end)

test('names of agents and files are harmless', {}, function(nvim)
  open(nvim, { file = '/tmp/a\27[31m%#Error#\226\128\174b.txt', agent = { number = 1, name = 'Evil\n\27]0;x' } })
  local said = nvim:await_said('proposes')
  eq('Evil\\n\\x1b]0;x proposes /tmp/a\\x1b[31m%#Error#\\u{202e}b.txt (3 changes): :Alongside', said[1])
  go(nvim)
  local bar = nvim:lua('return vim.api.nvim_eval_statusline(vim.wo.winbar, { winid = 0, use_winbar = true, maxwidth = 300 }).str')
  assert(bar:find('a\\x1b[31m%#Error#\\u{202e}b.txt', 1, true), bar)
  assert(not nvim:lua('return vim.fn.bufname()'):find('[%c]'))
end)

test(':edit shows the proposal again', {}, function(nvim)
  open(nvim)
  go(nvim)
  nvim:keys('Ax<Esc>')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOx')))
  nvim:keys(':e!<CR>')
  quiet(nvim)
  eq((PROPOSED:gsub('TWO', 'TWOx')), nvim:lua([[return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n']]))
  nvim:keys('ggAy<Esc>')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOx'):gsub('one', 'oney')))
  undecided(nvim)
end)

test('a second window of the proposal counts as the proposal', {}, function(nvim)
  open(nvim)
  local before = nvim:lua(PICTURE)
  go(nvim)
  nvim:keys(':split<CR>:q<CR>')
  quiet(nvim)
  nvim:keys(':split<CR><C-w>j:q<CR>')
  undecided(nvim)
  nvim:keys(':split<CR>:vsplit<CR>\\a')
  await_decided(nvim, 'accept')
  await_picture(nvim, before)
end)

test('who is in a floating window comes back to it', {}, function(nvim)
  nvim:lua([[float = vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true,
    { relative = 'editor', row = 1, col = 1, width = 20, height = 5 })]])
  open(nvim)
  go(nvim)
  nvim:keys('\\a')
  await_decided(nvim, 'accept')
  await(nvim, 'the window', 'return vim.api.nvim_get_current_win() == float and vim.fn.tabpagenr("$") == 1')
end)

test('a window that floats above the review does not keep it', {}, function(nvim)
  open(nvim)
  go(nvim)
  nvim:lua([[vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false,
    { relative = 'editor', row = 1, col = 1, width = 20, height = 5 })]])
  nvim:keys('\\a')
  await_decided(nvim, 'accept')
  await(nvim, 'the tab page to go', 'return vim.fn.tabpagenr("$") == 1')
end)

test('where the person came from may be gone', {}, function(nvim)
  nvim:cmd('tabnew b.txt')
  open(nvim)
  go(nvim)
  nvim:cmd('tabclose 2')
  nvim:keys('\\a')
  await_decided(nvim, 'accept')
  await(nvim, 'another tab page', 'return vim.fn.tabpagenr("$") == 1 and vim.fn.bufname() == "a.txt"')
  open(nvim, { id = 2 })
  go(nvim)
  nvim:cmd('tabonly')
  nvim:keys('\\a')
  await_decided(nvim, 'accept', 2)
  await(nvim, 'an ordinary window', [[
    return #vim.api.nvim_list_wins() == 1 and vim.bo.buftype == '' and not vim.wo.diff and vim.wo.winbar == ''
      and not vim.wo.winfixbuf and vim.wo.winhighlight == '']])
end)

test('other windows in its tab page stay', {}, function(nvim)
  open(nvim)
  go(nvim)
  nvim:cmd('botright split b.txt')
  eq(false, nvim:lua('return vim.wo.diff'))
  nvim:keys('<C-w>t<C-w>l\\a')
  await_decided(nvim, 'accept')
  await(nvim, 'its windows to go', 'return vim.fn.tabpagenr("$") == 2 and #vim.fn.win_findbuf(vim.fn.bufnr("b.txt")) == 1')
  eq(0, nvim:lua('return #vim.tbl_filter(function(win) return vim.wo[win].diff end, vim.api.nvim_list_wins())'))
end)

test('another name gets a copy, and accepts nothing', {}, function(nvim)
  open(nvim)
  go(nvim)
  nvim:keys(':w copy.txt<CR>')
  local path = nvim.root .. '/copy.txt'
  editor.await('the copy', function()
    return vim.uv.fs_stat(path) and vim.fn.getfsize(path) > 0
  end)
  eq(vim.split(PROPOSED, '\n'), vim.list_extend(vim.fn.readfile(path), { '' }))
  undecided(nvim)
end)

test('without keys of its own the commands are named', { setup = { keys = { accept = false, reject = false } } }, function(nvim)
  nvim:lua('vim.o.columns = 160')
  open(nvim)
  go(nvim)
  local bar = nvim:lua('return vim.api.nvim_eval_statusline(vim.wo.winbar, { winid = 0, use_winbar = true, maxwidth = 300 }).str')
  assert(bar:find(':Alongside accept', 1, true), bar)
  eq('', nvim:lua([[return vim.fn.maparg('\\a', 'n')]]))
  nvim:cmd('Alongside reject')
  await_decided(nvim, 'reject')
end)

test('what is decided is what is looked at', {}, function(nvim)
  open(nvim)
  nvim:cmd('Alongside accept')
  nvim:await_said('look at the review first (:Alongside), then accept it')
  undecided(nvim)
  open(nvim, { id = 2, file = nvim.root .. '/b.txt' })
  nvim:lua('vim.ui.select = function(all, o, chosen) shown = vim.tbl_map(o.format_item, all) chosen(all[2]) end')
  nvim:cmd('tabnew c.txt')
  nvim:cmd('Alongside')
  await(nvim, 'the older one', [[return vim.fn.bufname():find('a.txt$') and vim.wo.diff]])
  eq({ 'Gemini CLI: b.txt (3 changes)', 'Gemini CLI: a.txt (3 changes)' }, nvim:lua('return shown'))
  -- From one that is looked at to the other one, and back through both.
  nvim:cmd('Alongside')
  await(nvim, 'the newer one', [[return vim.fn.bufname():find('b.txt$') and vim.wo.diff]])
  nvim:keys('\\a')
  await_decided(nvim, 'accept', 2)
  await(nvim, 'the older one again', [[return vim.fn.bufname():find('review/.*a.txt$') and vim.fn.tabpagenr('$') == 3]])
  nvim:keys('\\r')
  await_decided(nvim, 'reject', 1)
  await(nvim, 'the file', [[return vim.fn.bufname() == 'c.txt']])
end)

test('what another desk changes is seen, and what is typed meanwhile stays', {}, function(nvim)
  open(nvim)
  go(nvim)
  nvim:keys('Amine')
  await_mode(nvim, 'i')
  nvim:lua('desk.change(1, ...)', (PROPOSED:gsub('TWO', 'TWOmine'):gsub('SIX', 'six'):gsub('^one', 'zero\none')))
  nvim:keys(' too<Esc>')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOmine too'):gsub('SIX', 'six'):gsub('^one', 'zero\none')))
  eq('TWOmine too', nvim:lua('return vim.api.nvim_get_current_line()'))
end)

for seed, ends in ipairs({ '\n', '\r\n', '\n', '\r\n', '\n', '\n' }) do
  test('whatever is done in the two windows, the companion has what is seen: ' .. seed, {}, function(nvim)
    local keys = { 'do', 'do', 'dp', 'dp', ']c', '[c', ']c', 'u', 'u', '<C-r>', 'ix<Esc>', 'dd', 'yyp', 'p', '<C-w>h', '<C-w>l',
      '<C-w>l', 'G', 'gg', 'j', 'k', ':%s/e/E/ge<CR>', '>>', 'J', 'Onew<CR>lines<Esc>', 'Vjd', 'ggVGd', ':%diffget<CR>',
      ':diffupdate<CR>', 'zR', 'cwword<Esc>', ':undo 0<CR>', 'g-' }
    local state = 4711 * seed
    local function random(most)
      state = (state * 1103515245 + 12345) % 2147483648
      return math.floor(state / 65536) % most + 1
    end
    local function with_ends(text)
      text = text:gsub('\n', ends)
      return seed > 3 and text:gsub('%s*$', '') or text
    end
    open(nvim, { original = with_ends(ORIGINAL), proposed = with_ends(PROPOSED) })
    go(nvim)
    for round = 1, 150 do
      local done = {}
      for i = 1, 12 do
        done[i] = keys[random(#keys)]
        nvim:keys(done[i])
        if random(8) == 1 then
          nvim:lua([[
            local now, lines = desk.text(1), {}
            for line in now:gmatch('[^\n]*\n') do lines[#lines + 1] = line end
            local at = math.min(#lines, ...)
            if at > 0 then lines[at] = 'elsewhere\n' desk.change(1, table.concat(lines)) end]], random(9))
        end
      end
      nvim:keys(('<Esc>:let g:round = %d<CR>'):format(round))
      await(nvim, 'all of it to be typed', 'return vim.g.round == ' .. round)
      editor.await(('both to have the same after %s (round %d)'):format(table.concat(done, ' '), round), function()
        return nvim:lua([[
          local sync = require('alongside.review').all()[1].sync
          return not sync:is_unsent() and desk.text(1) == require('alongside.text').join(sync:mine())]])
      end)
      local seen, told, modified = unpack(nvim:lua([[
        local sync = require('alongside.review').all()[1].sync
        sync.seen = nil
        return { require('alongside.text').join(sync:read()), desk.text(1), vim.bo[sync.buf].modified }]]))
      eq({ told, false }, { seen, modified }, table.concat(done, ' '))
      local followed, anew = unpack(nvim:lua(MARKS))
      eq(anew, followed, 'marks after ' .. table.concat(done, ' '))
    end
  end)
end

test('an agent whose answer is awaited gets what was typed last', {}, function(nvim)
  open(nvim)
  go(nvim)
  nvim:lua([[
    vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'first' })
    require('alongside.review').flush(7, 1)
    flushed = desk.text(1)
  ]])
  eq((PROPOSED:gsub('one', 'first')), nvim:lua('return flushed'))
end)

for name, text in vim.spairs({
  crlf = 'one\r\ntwo\r\n', bom = '\239\187\191one\ntwo\n', ['no last line end'] = 'one\ntwo', both = '\239\187\191one\r\ntwo',
}) do
  test('an edit leaves the rest of the text as it is: ' .. name, {}, function(nvim)
    open(nvim, { original = (text:gsub('two', 'zwei')), proposed = text })
    go(nvim)
    local shown = nvim:lua([[return vim.tbl_map(function(win)
      return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false) end, vim.api.nvim_tabpage_list_wins(0))]])
    eq({ { 'one', 'zwei' }, { 'one', 'two' } }, shown)
    nvim:keys('ggAx<Esc>:w<CR>')
    eq((text:gsub('one', 'onex')), await_decided(nvim, 'accept').text)
  end)
end

for name, settings in vim.spairs({
  nohidden = 'set nohidden', autowriteall = 'set autowriteall autowrite', ['no status line'] = 'set laststatus=0 showtabline=2',
  switchbuf = 'set switchbuf=useopen,usetab,newtab,vsplit', splits = 'set splitright splitbelow noequalalways',
  ['no line for messages'] = 'set cmdheight=0', ['odd messages'] = 'set shortmess=', ['one line windows'] = 'set winheight=20 winwidth=90',
  ['other diff options'] = 'set diffopt=filler,iwhite,context:1,vertical', ['no swap file, undo files'] = 'set undofile noswapfile',
  ['window options'] = 'set number relativenumber list spell wrap foldmethod=indent winbar=mine',
}) do
  test('a review goes its way with ' .. name, { before = ('vim.cmd(%q)\n'):format(settings) }, function(nvim)
    nvim:lua('vim.cmd("tabnew c.txt | tabnew b.txt | tabprevious")')
    open(nvim)
    local before = nvim:lua(PICTURE)
    go(nvim)
    eq(2, nvim:lua('return #vim.api.nvim_tabpage_list_wins(0)'))
    nvim:keys('do')
    await_text(nvim, (PROPOSED:gsub('TWO', 'two')))
    nvim:keys(':w<CR>')
    eq((PROPOSED:gsub('TWO', 'two')), await_decided(nvim, 'accept').text)
    await_picture(nvim, before)
    open(nvim, { id = 2 })
    before = nvim:lua(PICTURE)
    go(nvim)
    nvim:keys(':q<CR>')
    await_decided(nvim, 'reject', 2)
    await_picture(nvim, before)
    eq('', nvim:lua('return vim.v.errmsg'))
  end)
end

return tests
