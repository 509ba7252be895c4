-- Reviews from the announcement to the decision.

local reviewing = require('reviewing')
local editor = require('editor')

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
local quiet = reviewing.quiet
local undecided = reviewing.undecided

test('a review is announced and moves nothing, also while the person types', {}, function(nvim)
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
end)

test('in a narrow Neovim, the announcement keeps its command', {}, function(nvim)
  nvim:lua('vim.o.columns = 58')
  open(nvim)
  nvim:await_said('Gemini CLI proposes a.txt: :Alongside')
end)

test('in a terminal, the announcement says how to leave it first', {}, function(nvim)
  nvim:keys(':terminal cat<CR>i')
  await_mode(nvim, 't')
  open(nvim)
  nvim:await_said([[Gemini CLI proposes a.txt (3 changes): leave the terminal with Ctrl-\ Ctrl-N, then :Alongside]])
end)

test('reviews that arrive together have one announcement', {}, function(nvim)
  -- In one event, because messages within a short time are shown together.
  nvim:lua([[
    desk.open({ id = 1, file = desk.root .. '/a.txt', original = 'a\n', proposed = 'A\n' })
    desk.open({ id = 2, file = desk.root .. '/b.txt', original = 'b\n', proposed = 'B\n' })
  ]])
  nvim:await_said('2 reviews are waiting: :Alongside')
  eq(1, #nvim:lua('return said'))
end)

test('an announcement is shown at once, and the next one replaces it', {}, function(nvim)
  nvim:lua([[
    local at = vim.uv.now()
    vim.uv.now = function() return at end
    timers, own_defer = 0, vim.defer_fn
    vim.defer_fn = function(...) timers = timers + 1 return own_defer(...) end
    desk.open({ id = 1, file = desk.root .. '/a.txt', original = 'a\n', proposed = 'A\n' })
  ]])
  nvim:await_said('proposes a.txt')
  nvim:lua([[desk.open({ id = 2, file = desk.root .. '/b.txt', original = 'b\n', proposed = 'B\n' })]])
  eq('2 reviews are waiting: :Alongside', nvim:await_said('2 reviews')[1])
  eq(0, nvim:lua('return timers'))
end)

test('the review is a tab page with the original and the proposal in diff mode', {}, function(nvim)
  show(nvim)
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
  eq(' %<a.txt%=  :w accept  do drop  :q reject%* ', seen[1][2][6])
  eq({ true, 2, 2 }, { seen[2], seen[3], seen[4] })
end)

test('the file types are set after the first screen, and their window options stay out of the review', {}, function(nvim)
  nvim:lua([[
    events = {}
    vim.api.nvim_set_decoration_provider(vim.api.nvim_create_namespace('test'), {
      on_win = function(_, win)
        events[#events + 1] = vim.wo[win].diff and 'screen' or nil
      end,
    })
    vim.api.nvim_create_autocmd('FileType', { pattern = 'c', callback = function()
      vim.cmd('setlocal textwidth=7 wrap spell foldmethod=indent nomodifiable')
      events[#events + 1] = 'file type'
    end })
  ]])
  open(nvim, { file = nvim.root .. '/a.c' })
  nvim:cmd('Alongside')
  await(nvim, 'the file types', [[return vim.list_contains(events, 'file type') and vim.wo.diff]])
  eq({ 'screen', 'screen', 'file type', 'file type', 'screen', 'screen' }, nvim:lua('return { unpack(events, 1, 6) }'))
  local seen = nvim:lua([[
    return vim.tbl_map(function(win)
      local buf = vim.api.nvim_win_get_buf(win)
      return { vim.bo[buf].textwidth, vim.bo[buf].modifiable, vim.bo[buf].modified, vim.wo[win].wrap, vim.wo[win].spell,
        vim.wo[win].foldmethod }
    end, vim.api.nvim_tabpage_list_wins(0))
  ]])
  eq({ { 7, false, false, false, false, 'diff' }, { 7, true, false, false, false, 'diff' } }, seen)
end)

test('do, dp, undo, substitutions, macros and pasting reach the companion exactly', {}, function(nvim)
  show(nvim)
  local function both(keys, expected)
    nvim:keys(keys)
    await_text(nvim, expected)
    eq(expected, nvim:lua([[return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') .. '\n']]))
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
  eq('2 kept, 1 edited', nvim:lua([[return require('alongside.review').waiting()[1].states]]))
end)

-- Neovim's diff splits this change into several blocks, by 'linematch'.
local TOTAL = 'def total(items):\n    return sum(i.price for i in items)\n'
local TAXED = 'def total(items, tax=0):\n    """Sum with tax."""\n    return sum(i.price for i in items) * (1 + tax)\n'

test('do and dp drop a whole change from each of its lines, in one undo step', {}, function(nvim)
  nvim:lua([[vim.opt.diffopt:append('linematch:40')]])
  show(nvim, { original = TOTAL .. 'end\n', proposed = TAXED .. 'end\n' })
  eq(1, nvim:lua([[return #require('alongside.review').all()[1].hunks]]))
  for _, keys in ipairs({ '1Gdo', '2Gdo', '3Gdo', '4Gdo', '<C-w>h1Gdp<C-w>l', '<C-w>h2Gdp<C-w>l' }) do
    nvim:keys(keys)
    await_text(nvim, TOTAL .. 'end\n')
    nvim:keys('u')
    await_text(nvim, TAXED .. 'end\n')
  end
end)

test('do restores removed lines, and "." drops the next change', {}, function(nvim)
  local before, after = 'a\nb\nc\nd\ne\nf\ng\nh\n', 'b\nc\nd\nf\ng\n'
  show(nvim, { original = before, proposed = after })
  for keys, expected in pairs({
    ['1Gdo'] = 'a\n' .. after, ['3Gdo'] = 'b\nc\nd\ne\nf\ng\n', ['4Gdo'] = 'b\nc\nd\ne\nf\ng\n', ['5Gdo'] = after .. 'h\n',
    ['1Gdo5G.G.'] = before,
  }) do
    nvim:keys(keys)
    await_text(nvim, expected)
    nvim:keys(keys:find('.', 1, true) and '3u' or 'u')
    await_text(nvim, after)
  end
end)

test('signs and the bar show which changes are dropped and edited', {}, function(nvim)
  nvim:lua('vim.o.columns = 160')
  show(nvim)
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
  eq({ '1  dropped: original stays', '1=', '5  edited', '5~', '8+' }, vim.fn.sort(marks))
  await(nvim, 'the bar', [[return vim.wo.winbar:find('1 kept, 1 dropped, 1 edited', 1, true)]])
end)

test('changed words are marked, from UTF-16 columns of the protocol', {}, function(nvim)
  nvim:lua([[
    local function range(line, from, to)
      return { start = { line = line, character = from }, ['end'] = { line = line, character = to } }
    end
    local hunk = { original = { start = 0, ['end'] = 1 }, proposed = { start = 0, ['end'] = 1 },
      current = { start = 0, ['end'] = 1 }, state = 'kept',
      words = { removed = { range(0, 4, 7) }, added = { range(0, 4, 9) } } }
    require('alongside.review').opened(7, { id = 1, file = '/x', agent = { number = 1, name = 'A' }, revision = 1,
      original = '\239\187\191😀 old\n', proposed = '\239\187\191😀 newer\n', current = '\239\187\191😀 newer\n',
      display = desk.words({ hunks = { { hunk = 0, blanks = { removed = { range(0, 3, 4) }, added = {} } } } }), hunks = { hunk } })
  ]])
  go(nvim)
  local function found(buf)
    return nvim:lua(([[
      local ns = vim.api.nvim_get_namespaces()['alongside.marks']
      local found = {}
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(%s, ns, 0, -1, { details = true })) do
        if mark[4].hl_group and not mark[4].hl_group:find('Line$') then found[#found + 1] = { mark[4].hl_group, mark[2], mark[3], mark[4].end_col } end
      end
      return found]]):format(buf))
  end
  eq({ { 'AlongsideShownAdded', 0, 5, 10 } }, found('0'))
  local original = [[vim.fn.bufnr('alongside://original/*')]]
  eq({ { 'AlongsideShownRemoved', 0, 5, 8 } }, found(original))
  -- Whitespace is drawn with signs as well.
  eq({ { '·', 0, 4 } }, nvim:lua(([[
    local ns, drawn = vim.api.nvim_get_namespaces()['alongside.marks'], {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(%s, ns, 0, -1, { details = true })) do
      if mark[4].virt_text_pos == 'overlay' then drawn[#drawn + 1] = { mark[4].virt_text[1][1], mark[2], mark[3] } end
    end
    return drawn]]):format(original)))
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
  for id, closing in ipairs({ 'accepted', 'rejected', 'answeredInAgent', 'replaced', 'agentGone', 'stopped', 'interrupted',
    'timedOut' }) do
    open(nvim, { id = id })
    local before = nvim:lua(PICTURE)
    go(nvim)
    nvim:lua('desk.close(...)', id, closing, false)
    await_picture(nvim, before)
    -- The review is shown, and the person goes to another tab page.
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

test('a review that was opened from insert or terminal mode returns to that mode', {}, function(nvim)
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

test('no write without a typed command accepts', {
  before = [[
    vim.o.autowriteall = true
    vim.api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave', 'BufLeave', 'FocusLost', 'CursorHold' }, {
      nested = true,
      callback = function() tries = (tries or 0) + 1 vim.cmd('silent! write') vim.cmd('silent! update') vim.cmd('silent! wall') end,
    })
  ]],
}, function(nvim)
  show(nvim)
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
  nvim:await_said('a.txt: not accepted. To accept, type :w in the proposal.')
  eq((PROPOSED:gsub('TWO', 'TWOx')), nvim:lua('return desk.text(1)'))
end)

test('a typed command that accepts nothing shows that, and plugins that write do not repeat it', {}, function(nvim)
  show(nvim)
  nvim:keys('Ax<Esc>')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOx')))
  nvim:cmd('tabnext 1')
  local function says(keys)
    nvim:lua('said = {}')
    nvim:keys(keys)
    nvim:await_said('a.txt: not accepted. To accept, type :w in the proposal.')
    nvim:lua('said = {}')
    nvim:cmd('wall')
    quiet(nvim)
    eq({}, nvim:lua('return said'), keys)
  end
  for _, keys in ipairs({ ':xa<CR>', ':xa<CR>', ':wa<CR>', ':wqa<CR>' }) do
    says(keys)
  end
  -- Neovim's own error names only the terminal.
  nvim:cmd('split | terminal cat')
  says(':xa<CR>')
  undecided(nvim)
end)

test('typed text makes the proposal a modified buffer until it is undone or accepted', {}, function(nvim)
  show(nvim)
  local function modified(expected)
    await(nvim, 'modified to be ' .. tostring(expected), ('return vim.bo.modified == %s'):format(expected))
  end
  nvim:keys('Ax<Esc>')
  modified(true)
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOx')))
  nvim:keys('u')
  modified(false)
  -- Text typed at another desk.
  nvim:lua('desk.change(1, ...)', (PROPOSED:gsub('SIX', 'sixty')))
  modified(true)
  nvim:lua('desk.change(1, ...)', PROPOSED)
  modified(false)
  nvim:keys('Ax<Esc>')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOx')))
  nvim:lua([[said = {} desk.refuse[1] = 'the disk is full']])
  nvim:keys(':w<CR>')
  nvim:await_said('The disk is full.')
  modified(true)
  nvim:keys(':w<CR>')
  await_decided(nvim, 'accept')
  await(nvim, 'nothing to be modified', 'return #vim.fn.getbufinfo({ bufmodified = 1 }) == 0')
end)

test('a refusal is shown and no window closes', {}, function(nvim)
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

return reviewing.tests
