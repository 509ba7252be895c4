-- Reviews in edge cases: unusual windows, narrow bars, other desks, malicious names.

local reviewing = require('reviewing')
local editor = require('editor')

local eq = reviewing.eq
local PICTURE = reviewing.PICTURE
local MARKS = reviewing.MARKS
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

test('an undivided proposal cannot be edited', {}, function(nvim)
  nvim:lua('desk.open(...)', { id = 1, file = nvim.root .. '/a.txt', proposed = 'new\n', wholeFileOnly = 'the file on disk is binary' })
  go(nvim)
  eq({ false, 'new' }, nvim:lua('return { vim.bo.modifiable, vim.fn.getline(1) }'))
  assert(nvim:lua('return vim.wo.winbar'):find('the file on disk is binary', 1, true))
  nvim:keys('\\a')
  await_decided(nvim, 'accept')
end)

-- The bar at a width of the screen, as it is drawn.
local function bar_at(nvim, columns)
  nvim:lua('vim.o.columns = ' .. columns)
  nvim:lua([[vim.cmd('wincmd =') require('alongside.review').redraw_all()]])
  return nvim:lua([[return vim.api.nvim_eval_statusline(vim.wo.winbar, {
    winid = 0, use_winbar = true, maxwidth = vim.api.nvim_win_get_width(0) }).str]])
end

test('a proposal that leads out of the project says so before all else, and without room without the path', {}, function(nvim)
  nvim:lua('desk.open(...)', { id = 1, file = nvim.root .. '/a.txt', original = 'a\n', proposed = 'b\n', outside = '/home/x/.ssh/config\27[8m' })
  go(nvim)
  local wide, narrow = bar_at(nvim, 300), bar_at(nvim, 80)
  assert(wide:find('! This path leads outside the project, to /home/x/.ssh/config\\x1b[8m', 1, true), wide)
  assert(narrow:find('! OUTSIDE THE PROJECT ', 1, true), narrow)
end)

test('a proposal for what agents obey says so before all else, and accepting asks', {}, function(nvim)
  nvim:lua('desk.open(...)', { id = 1, file = nvim.root .. '/a.txt', original = 'a\n', proposed = 'b\n', ofAgents = '/p/.claude/settings.json\27[8m' })
  go(nvim)
  local wide, narrow = bar_at(nvim, 300), bar_at(nvim, 80)
  assert(wide:find('! Agents take settings or instructions from this file: /p/.claude/settings.json\\x1b[8m', 1, true), wide)
  assert(narrow:find('! OBEYED BY AGENTS ', 1, true), narrow)
  nvim:keys(':w<CR>')
  await(nvim, 'the question', 'return #asked == 1')
  assert(nvim:lua('return asked[1]'):find('Agents take settings or instructions from this file: /p/.claude/settings.json\\x1b[8m', 1, true))
end)

test('a proposal for what git runs says so before all else, and without room without the path', {}, function(nvim)
  nvim:lua('desk.open(...)', { id = 1, file = nvim.root .. '/a.txt', original = 'a\n', proposed = 'b\n', inGit = '/p/.git/hooks/a\27[8m' })
  go(nvim)
  local wide, narrow = bar_at(nvim, 300), bar_at(nvim, 80)
  assert(wide:find('! Git runs or obeys this file: /p/.git/hooks/a\\x1b[8m', 1, true), wide)
  assert(narrow:find('! RUN BY GIT ', 1, true), narrow)
end)

test('the buffer of the file is reloaded, whatever autoread is', { before = 'vim.o.autoread = false\n' }, function(nvim)
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

test('the bar warns about a changed file, and drops parts if it is narrow', {}, function(nvim)
  local seen = [[
    local given, width = ...
    local review = { has_original = not given.new, wholeFileOnly = given.whole, display = desk.words({
      name = 'some/dirs/' .. (given.name or 'a.txt'), agent = 'Gemini CLI', notes = given.notes, states = given.states or '1 kept' }),
      hunks = { { state = 'kept' } } }
    require('alongside.seen').label = function() return given.unseen and '1 of 1 not seen' or nil end
    local drawn = require('alongside.winbar').proposal(review, { waiting = given.waiting, width = width })
    local str = vim.api.nvim_eval_statusline(drawn, { use_winbar = true, maxwidth = width }).str
    return (vim.trim(str):gsub('%s%s%s+', ' | '))
  ]]
  local function bar(expected, given, width)
    eq(expected, nvim:lua(seen, given, width), 'at ' .. width)
  end
  local stale = { text = 'The file changed on disk; accepting undoes that change.', brief = 'changed on disk', warning = true }
  local form = { text = 'The file has CRLF line endings, the proposal LF.', brief = 'file: CRLF, proposal: LF', warning = false }
  local given = { notes = { stale, form } }
  local keys = ':w accept  do drop  :q reject  ]c next'
  local whole = 'some/dirs/a.txt  Gemini CLI  1 kept  ! ' .. stale.text .. '  ' .. form.text .. ' | ' .. keys
  bar(whole, given, 200)
  bar((whole:gsub('some/dirs/', ''):gsub('Gemini CLI  ', '')), given, 165)
  bar('a.txt  1 kept  ! ' .. stale.text .. '  file: CRLF, proposal: LF | ' .. keys, given, 142)
  bar('a.txt  1 kept  ! ' .. stale.text .. ' | ' .. keys, given, 119)
  -- In order of importance: the name and the warnings, the keys with their effects, the counts, which are also in the
  -- status line.
  bar('a.txt  1 kept  ! changed on disk | ' .. keys, given, 80)
  bar('a.txt  ! changed on disk | ' .. keys, given, 69)
  bar('a.txt  ! changed on disk  :w accept  do drop  :q reject', given, 57)
  bar('a.txt  ! changed on disk | :w accept  do drop', given, 50)
  bar('a.txt  ! changed on disk | :w accept', given, 39)
  bar('a.txt  ! changed on disk', given, 27)
  bar('<  ! changed on disk', given, 22)
  bar('a.txt | :w accept  do drop', {}, 30)
  bar('a.txt | :w accept', {}, 25)
  bar('a.txt | do drop', {}, 17)
  bar('a.txt', {}, 12)
  -- At 80x24, the window has 39 columns; at 60, 29.
  local three = { states = '1 kept, 1 dropped, 1 edited' }
  bar('a.txt | :w accept  do drop  :q reject', three, 39)
  bar('a.txt | :w accept  do drop', three, 29)
  bar('a.txt  1 kept, 1 dropped, 1 edited | ' .. keys, three, 80)
  bar('some/dirs/a.txt  Gemini CLI | ' .. keys, three, 72)
  -- Each warning has its own part, and the name is cut before the warnings.
  local outside = { text = 'This path leads outside the project, to /etc/passwd', brief = 'OUTSIDE THE PROJECT', warning = true }
  local many = { notes = { outside, stale }, unseen = true }
  bar('a.txt  1 kept  ! ' .. outside.text .. '  ! changed on disk  1 of 1 not seen | ' .. keys, many, 148)
  bar('a.txt  ! OUTSIDE THE PROJECT  ! changed on disk  1 of 1 not seen | do drop', many, 76)
  bar('<  ! OUTSIDE THE PROJECT  ! changed on disk  1 of 1 not seen', many, 62)
  -- The number of other proposals comes before the keys.
  bar('some/dirs/a.txt  1 kept  1 more waits | ' .. keys, { waiting = 1 }, 80)
  bar('a.txt  2 more wait | :w accept  do drop', { waiting = 2 }, 41)
  bar('a.txt  :w accept  do drop  :q reject', { waiting = 0 }, 38)
  bar('a.txt  2 more wait | :w accept', { waiting = 2 }, 32)
  -- There is no change to drop.
  bar('a.txt  new file | :w accept  :q reject', { new = true, states = 'new file' }, 45)
  local binary = { text = 'You can only accept or reject this as a whole: not text.', brief = 'not text', warning = true }
  local as_whole = { whole = 'not text', states = 'the whole file', notes = { binary } }
  bar('a.txt  the whole file  ! not text | :w accept', as_whole, 49)
  bar('a.txt  the whole file  ! not text | :w accept  :q reject', as_whole, 62)
  -- "%" begins no item of the status line.
  bar('100%f%{x}%#Error#.txt | :w accept  do drop  :q reject', { name = '100%f%{x}%#Error#.txt' }, 55)
end)

test(':Alongside in Visual mode shows the proposal, and subcommands name the one that takes a range', {}, function(nvim)
  reviewing.open(nvim)
  nvim:keys('Vj:Alongside accept<CR>')
  nvim:await_said("alongside: ':Alongside accept' takes no range; ':Alongside send' does")
  nvim:keys('Vj:Alongside<CR>')
  await(nvim, 'the review', [[return vim.bo.buftype == 'acwrite' and vim.wo.diff]])
end)

test('no fold column is beside a proposal, and the person\'s own returns', { before = [[vim.o.foldcolumn = '1']] }, function(nvim)
  show(nvim)
  local COLUMNS = [[return vim.tbl_map(function(win) return vim.wo[win].foldcolumn end, vim.api.nvim_tabpage_list_wins(0))]]
  eq({ '0', '0' }, nvim:lua(COLUMNS))
  nvim:keys('Ahel')
  nvim:lua([[desk.close(1, 'agentGone', false)]])
  nvim:await_said('your text stays here')
  eq({ '1' }, nvim:lua(COLUMNS))
  eq('1', nvim:lua('return vim.go.foldcolumn'))
end)

test('the bar counts the other proposals that wait', {}, function(nvim)
  nvim:lua('vim.o.columns = 160')
  show(nvim)
  assert(not nvim:lua('return vim.wo.winbar'):find('more wait', 1, true))
  nvim:lua([[for id = 2, 3 do desk.open({ id = id, file = desk.root .. '/b.txt', original = 'b\n', proposed = 'c\n' }) end]])
  await(nvim, 'both', [[return vim.wo.winbar:find('2 more wait', 1, true)]])
  nvim:lua([[desk.close(2, 'rejected', false)]])
  await(nvim, 'one', [[return vim.wo.winbar:find('1 more waits', 1, true)]])
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

test('after a review the cursor is in the floating window where it was before', {}, function(nvim)
  nvim:lua([[float = vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), true,
    { relative = 'editor', row = 1, col = 1, width = 20, height = 5 })]])
  show(nvim)
  nvim:keys('\\a')
  await_decided(nvim, 'accept')
  await(nvim, 'the window', 'return vim.api.nvim_get_current_win() == float and vim.fn.tabpagenr("$") == 1')
end)

test('a floating window above the review does not keep it open', {}, function(nvim)
  show(nvim)
  nvim:lua([[vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false,
    { relative = 'editor', row = 1, col = 1, width = 20, height = 5 })]])
  nvim:keys('\\a')
  await_decided(nvim, 'accept')
  await(nvim, 'the tab page to go', 'return vim.fn.tabpagenr("$") == 1')
end)

test('the window where the person was before may be gone', {}, function(nvim)
  nvim:cmd('tabnew b.txt')
  show(nvim)
  nvim:cmd('tabclose 2')
  nvim:keys('\\a')
  await_decided(nvim, 'accept')
  await(nvim, 'another tab page', 'return vim.fn.tabpagenr("$") == 1 and vim.fn.bufname() == "a.txt"')
  show(nvim, { id = 2 })
  nvim:cmd('tabonly')
  nvim:keys('\\a')
  await_decided(nvim, 'accept', 2)
  await(nvim, 'an ordinary window', [[
    return #vim.api.nvim_list_wins() == 1 and vim.bo.buftype == '' and not vim.wo.diff and vim.wo.winbar == ''
      and not vim.wo.winfixbuf and vim.wo.winhighlight == '']])
end)

test('other windows in its tab page stay', {}, function(nvim)
  show(nvim)
  nvim:cmd('botright split b.txt')
  eq(false, nvim:lua('return vim.wo.diff'))
  nvim:keys('<C-w>t<C-w>l\\a')
  await_decided(nvim, 'accept')
  await(nvim, 'its windows to go', 'return vim.fn.tabpagenr("$") == 2 and #vim.fn.win_findbuf(vim.fn.bufnr("b.txt")) == 1')
  eq(0, nvim:lua('return #vim.tbl_filter(function(win) return vim.wo[win].diff end, vim.api.nvim_list_wins())'))
end)

test('another name gets a copy, and accepts nothing', {}, function(nvim)
  show(nvim)
  nvim:keys(':w copy.txt<CR>')
  local path = nvim.root .. '/copy.txt'
  editor.await('the copy', function()
    return vim.uv.fs_stat(path) and vim.fn.getfsize(path) > 0
  end)
  eq(vim.split(PROPOSED, '\n'), vim.list_extend(vim.fn.readfile(path), { '' }))
  undecided(nvim)
end)

test('without keys of its own the bar names those of Neovim, and the commands work', { setup = { keys = { accept = false, reject = false } } }, function(nvim)
  nvim:lua('vim.o.columns = 160')
  show(nvim)
  local bar = nvim:lua('return vim.api.nvim_eval_statusline(vim.wo.winbar, { winid = 0, use_winbar = true, maxwidth = 300 }).str')
  assert(bar:find(':w accept  do drop  :q reject', 1, true), bar)
  eq('', nvim:lua([[return vim.fn.maparg('\\a', 'n')]]))
  nvim:cmd('Alongside reject')
  await_decided(nvim, 'reject')
end)

test(':Alongside accept and its key decide the review in the window, and only a shown one', {}, function(nvim)
  open(nvim)
  nvim:cmd('Alongside accept')
  nvim:await_said('look at the review first (:Alongside), then accept it')
  undecided(nvim)
  open(nvim, { id = 2, file = nvim.root .. '/b.txt' })
  nvim:lua('vim.ui.select = function(all, o, chosen) shown = vim.tbl_map(o.format_item, all) chosen(all[1]) end')
  nvim:cmd('tabnew c.txt')
  nvim:cmd('Alongside')
  await(nvim, 'the older one', [[return vim.fn.bufname():find('a.txt %[proposal 1%]$') and vim.wo.diff]])
  eq({ 'Gemini CLI: a.txt (3 changes, +3 -2)', 'Gemini CLI: b.txt (3 changes, +3 -2)' }, nvim:lua('return shown'))
  -- From the shown review to the other one and back, over both.
  nvim:cmd('Alongside')
  await(nvim, 'the newer one', [[return vim.fn.bufname():find('b.txt %[proposal 2%]$') and vim.wo.diff]])
  nvim:keys('\\a')
  await_decided(nvim, 'accept', 2)
  await(nvim, 'the older one again', [[return vim.fn.bufname():find('review/.*a.txt %[proposal 1%]$') and vim.fn.tabpagenr('$') == 3]])
  nvim:keys('\\r')
  await_decided(nvim, 'reject', 1)
  await(nvim, 'the file', [[return vim.fn.bufname() == 'c.txt']])
end)

test('an edit of another desk appears, and text that is being typed stays', {}, function(nvim)
  show(nvim)
  nvim:keys('Amine')
  await_mode(nvim, 'i')
  nvim:lua('desk.change(1, ...)', (PROPOSED:gsub('TWO', 'TWOmine'):gsub('SIX', 'six'):gsub('^one', 'zero\none')))
  nvim:keys(' too<Esc>')
  await_text(nvim, (PROPOSED:gsub('TWO', 'TWOmine too'):gsub('SIX', 'six'):gsub('^one', 'zero\none')))
  eq('TWOmine too', nvim:lua('return vim.api.nvim_get_current_line()'))
end)

for seed, ends in ipairs({ '\n', '\r\n', '\n', '\r\n', '\n', '\n' }) do
  test('after random keys in both windows the companion has the text on the screen: ' .. seed, {}, function(nvim)
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
    show(nvim, { original = with_ends(ORIGINAL), proposed = with_ends(PROPOSED) })
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
          return not sync:is_unsent() and desk.text(1) == require('alongside.text').join(sync:person_text())]])
      end)
      local seen, told, modified = unpack(nvim:lua([[
        local sync = require('alongside.review').all()[1].sync
        sync.pieces = nil
        local is_edited = require('alongside.ending').is_edited(require('alongside.review').all()[1])
        return { require('alongside.text').join(sync:read()), desk.text(1), vim.bo[sync.buf].modified == is_edited }]]))
      eq({ told, true }, { seen, modified }, table.concat(done, ' '))
      local followed, anew = unpack(nvim:lua(MARKS))
      eq(anew, followed, 'marks after ' .. table.concat(done, ' '))
    end
  end)
end

test('the agent gets the last typed text', {}, function(nvim)
  show(nvim)
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
    show(nvim, { original = (text:gsub('two', 'zwei')), proposed = text })
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

test('an error of a filetype plugin, such as a missing parser, is not shown', {}, function(nvim)
  nvim:lua([[vim.api.nvim_create_autocmd('FileType', { pattern = 'markdown', callback = function() error('no parser') end })]])
  show(nvim, { file = nvim.root .. '/a.md' })
  eq('markdown', nvim:lua('return vim.bo.filetype'))
  eq('', nvim:lua([[return vim.fn.execute('messages')]]))
end)

test('messages that arrive together are shown as lines, each once', {}, function(nvim)
  nvim:lua([[
    vim.notify = own_notify
    vim.o.cmdheight = 0
    local messages = require('alongside.messages')
    for _ = 1, 2 do
      messages.news('a.txt: accepted, but Gemini CLI has not written it.')
      messages.later('another')
    end
  ]])
  await(nvim, 'the corner', [[
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(win).relative ~= '' then
        found = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)
        return true
      end
    end
  ]])
  eq({ 'a.txt: accepted, but Gemini CLI has not written it.', 'another' }, nvim:lua('return found'))
end)

return reviewing.tests
