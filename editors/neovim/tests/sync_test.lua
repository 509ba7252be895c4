-- The buffer and the companion's text are equal, byte for byte: random keys and random changes of another desk against
-- a strict model of the companion.

local model = require('model')
local eq = require('reviewing').eq
local sync = require('alongside.sync')
local text = require('alongside.text')

-- A generator of its own gives the same keys on every machine and release.
local function generator(seed)
  local state = seed
  return function(most)
    state = (state * 1103515245 + 12345) % 2147483648
    return math.floor(state / 65536) % most + 1
  end
end

local TEXTS = {
  lf = 'one\ntwo\nthree\n',
  crlf = 'one\r\ntwo\r\nthree\r\n',
  mixed = 'one\r\ntwo\nthree\r\n',
  bom = '\239\187\191one\ntwo\nthree\n',
  ['bom and crlf'] = '\239\187\191one\r\ntwo\r\n',
  ['no last line end'] = 'one\ntwo\nthree',
  ['crlf without a last line end'] = 'one\r\ntwo',
  ['a return at the end'] = 'one\ntwo\r',
  ['returns only'] = 'one\rtwo\rthree',
  ['two returns'] = 'one\r\r\ntwo\r\r\n',
  empty = '',
  ['one line end'] = '\n',
  ['one crlf'] = '\r\n',
  ['a bom and nothing'] = '\239\187\191',
  ['a bom and a line end'] = '\239\187\191\n',
  ['one letter'] = 'x',
  emoji = 'a😀b\n\t👩‍👩‍👧 ünï\n漢字\n',
  ['zero bytes'] = 'a\0b\n\0\n',
  ['blank lines'] = '\n\n\n\n',
}

local KEYS = {
  'ihello<Esc>', 'ofoo<CR>bar<Esc>', 'Onew<Esc>', 'dd', '2dd', 'yyp', 'yyP', 'x', 'D', 'J', 'u', 'u', 'u', '<C-r>', '<C-r>',
  'gg', 'G', 'j', 'k', 'w', '$', '0', '~', 'i😀<Esc>', 'a\tü<Esc>', 'gJ', 'ggdG', 'cwword<Esc>', 'I  <Esc>', 'A <Esc>',
  '>>', 'p', 'P', 'yw', 'Vjd', '<C-v>jd', 'v$y', 'ggVGd', 'ggyG', 'GP', 'rX', 'g~~', 'o<Esc>', 'S<Esc>', '.', '.',
  'i<C-v><CR><Esc>', ':%s/o/0/ge<CR>', ':%s/$/!/e<CR>', ':g/t/d<CR>', ':2,$move0<CR>', ':%d<CR>', ':sort<CR>',
  ':set ff=dos<CR>', ':set ff=unix<CR>', ':set noeol<CR>', ':set eol<CR>', ':set bomb<CR>', ':set nobomb<CR>',
  ':%s/\\n/,/e<CR>', ':normal! yyp<CR>', 'qqAx<Esc>jq', '3@q', ':undo 0<CR>', 'g-', 'g+', 'i<C-v>u00e9<Esc>',
  ':call setline(1, "\\xff\\xfe")<CR>', ':call append(0, "a\\xc3")<CR>',
}

-- Changes lines and line endings as another desk does.
local function elsewhere(random, whole)
  local pieces = text.split(whole)
  local what = random(8)
  if what == 1 then
    return whole .. 'end', { { text = whole .. 'end' } }
  elseif what == 2 then
    return '', { { text = '' } }
  end
  local first = random(#pieces) - 1
  local last = math.min(#pieces - 1, first + random(3) - 1)
  local change = {
    range = { start = { line = first, character = 0 }, ['end'] = { line = last, character = 0 } },
    text = ({ 'theirs\n', '', 'a\r\nb\n', '漢😀\n', 'x' })[random(5)],
  }
  if what == 3 then
    change.range.start.character, change.range['end'].character = random(4) - 1, 99
    if pieces[last + 1] == '' then
      change.range['end'].character = 0
      change.range.start.character = last == first and 0 or pieces[first + 1] == '' and 0 or 1
    end
  end
  local new = model.changed(whole, { change })
  return new or whole, new and { change } or {}
end

--- Returns a model and a buffer in sync.
local function pair(given, random)
  local one = model.new(given, random)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].buftype, vim.bo[buf].fixendofline, vim.bo[buf].undolevels = 'acwrite', false, 1000
  vim.api.nvim_set_current_buf(buf)
  local this = sync.new(given, 1, {
    request = function(params, answer)
      one:request(params, answer)
    end,
  })
  one.tell = function(changed)
    this:on_change(changed)
  end
  this:attach(buf)
  vim.api.nvim_create_autocmd('OptionSet', {
    group = vim.api.nvim_create_augroup('test', {}),
    pattern = { 'fileformat', 'bomb', 'endofline' },
    callback = function()
      this:on_options()
    end,
  })
  return one, this, buf
end

-- The bytes that Neovim would write.
local function written(buf)
  local path = vim.fn.tempname()
  vim.bo[buf].buftype = ''
  vim.api.nvim_buf_call(buf, function()
    vim.cmd('silent noautocmd keepalt write! ++enc=utf-8 ' .. path)
  end)
  vim.bo[buf].buftype = 'acwrite'
  local file = assert(io.open(path, 'rb'))
  local all = file:read('*a')
  file:close()
  os.remove(path)
  return all
end

local function settled(one, this, what)
  local held = vim.wait(60000, function()
    one:arrive()
    one:deliver(9)
    return not this:is_unsent() and #one.queue == 0 and not one.arriving
  end, 1)
  assert(held, 'never settled: ' .. what)
end

local function feed(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'ntx', false)
end

local tests = {}
local function test(name, body)
  tests[#tests + 1] = { name, body }
end

for name, given in vim.spairs(TEXTS) do
  test('a text is shown and joined again as it was: ' .. name, function()
    local one, this, buf = pair(given)
    eq(given, text.join(this:read()))
    eq(given, written(buf))
    this.pieces = nil
    eq(given, text.join(this:read()))
    eq(0, one.edits)
  end)
end

local function random_keys(seed, given, steps, others)
  local random = generator(seed)
  local one, this, buf = pair(given, random)
  local done = {}
  for _ = 1, steps do
    local keys = KEYS[random(#KEYS)]
    done[#done + 1] = keys

    pcall(feed, keys)
    -- Delivers some messages in flight.
    if random(3) == 1 then
      one:deliver(random(3))
    end
    if others and random(6) == 1 then
      local new, changes = elsewhere(random, one.text)
      if #changes > 0 then
        one:set(new, changes)
      end
    end
    if random(2) == 1 then
      one:arrive()
    end
    if random(4) == 1 then
      vim.wait(0)
      this:push()
    end
    if #text.join(this:person_text()) > 20000 then
      feed('ggVGd')
    end
    if random(10) == 1 then
      local what = ('seed %d after %s'):format(seed, table.concat(done, ' '))
      settled(one, this, what)
      eq(one.text, text.join(this:person_text()), what)
      local shown = this.pieces
      this.pieces = nil
      eq(text.join(shown), text.join(this:read()), 'what was read in parts is not what is there: ' .. what)
      eq(one.text, written(buf), 'as written, ' .. what)
      eq(false, vim.bo[buf].modified)
      done = {}
    end
  end
  vim.api.nvim_create_augroup('test', {})
  vim.api.nvim_buf_delete(buf, { force = true })
  return one
end

test('random typing reaches the companion byte for byte', function()
  local edits = 0
  for seed = 1, 15 do
    for _, given in vim.spairs(TEXTS) do
      edits = edits + random_keys(seed * 7919 + #given, given, 60, false).edits
    end
  end
  assert(edits > 1000, 'too little was typed to mean anything: ' .. edits)
end)

test('after random typing while another desk edits, both have the same text', function()
  local stale = 0
  for seed = 1, 15 do
    for _, given in vim.spairs(TEXTS) do
      stale = stale + random_keys(seed * 104729 + #given, given, 60, true).stale
    end
  end
  assert(stale > 50, 'nothing ever crossed: ' .. stale)
end)

test('typed text and edits of another desk both stay where they do not overlap', function()
  local one, this, buf = pair('a\nb\nc\nd\ne\n', generator(1))
  feed('ggAmine<Esc>')
  this:push()
  feed('oalso mine<Esc>')
  one:set('a\nb\nc\nd\nTHEIRS\n', { { range = { start = { line = 4, character = 0 }, ['end'] = { line = 5, character = 0 } },
    text = 'THEIRS\n' } })
  settled(one, this, 'apart')
  eq('amine\nalso mine\nb\nc\nd\nTHEIRS\n', one.text)
  eq(one.text, written(buf))
  eq(1, one.stale)
end)

test('a text without a last line end that is emptied here and one empty line elsewhere is one empty line', function()
  local one, this, buf = pair('a\nb', generator(1))
  feed('ggVGd')
  settled(one, this, 'emptied')
  eq('', one.text)
  one:set('\n', { { text = '\n' } })
  settled(one, this, 'one empty line')
  this.pieces = nil
  eq('\n', text.join(this:read()))
  eq('\n', written(buf))
end)

test('typed text replaces overlapping edits of another desk', function()
  local one, this, buf = pair('a\nb\nc\n', generator(1))
  feed('ggjAmine<Esc>')
  this:push()
  one:set('A\nB\nC\n', { { text = 'A\nB\nC\n' } })
  settled(one, this, 'overlapping')
  eq('a\nbmine\nc\n', one.text)
  eq(one.text, written(buf))
end)

test('the cursor stays on its line when lines come above it', function()
  local one, this = pair('a\nb\nc\nd\n')
  vim.api.nvim_win_set_cursor(0, { 3, 0 })
  one:set('new\nnew\na\nb\nc\nd\n', { { range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 0 } },
    text = 'new\nnew\n' } })
  settled(one, this, 'above')
  eq({ 5, 0 }, vim.api.nvim_win_get_cursor(0))
  eq('c', vim.api.nvim_get_current_line())
end)

test('the differences of two texts turn one into the other', function()
  local random = generator(3)
  local function some()
    local list = {}
    for i = 1, random(6) do
      list[i] = ({ 'a', 'b', 'c', '' })[random(4)]
    end
    return list
  end
  for _ = 1, 3000 do
    local old, new = some(), some()
    local rebuilt = vim.deepcopy(old)
    local differences = text.differences(old, new)
    for i = #differences, 1, -1 do
      local first, last, from, upto = unpack(differences[i])
      rebuilt = text.spliced(rebuilt, first, last, vim.list_slice(new, from + 1, upto))
    end
    eq(new, rebuilt)
  end
end)

test('a replacement turns the old text into the new one, with few lines around the change', function()
  local random = generator(5)
  local function some()
    local parts = {}
    for i = 1, random(9) - 1 do
      parts[i] = ({ 'a', 'b', '\n', '\r', '\r\n', 'é', '😀' })[random(7)]
    end
    return table.concat(parts)
  end
  for _ = 1, 20000 do
    local old, new = some(), some()
    local replacement = text.replacement(text.split(old), text.split(new))
    eq(old == new, replacement == nil)
    if replacement then
      eq(new, model.replaced(old, replacement), vim.inspect({ old, new, replacement }))
      eq(new, text.join(text.replaced(text.split(old), replacement)))
    end
  end
  eq({ lines = { start = 1, ['end'] = 2 }, text = 'B\n' }, text.replacement(text.split('a\nb\nc\nd\n'), text.split('a\nB\nc\nd\n')))
end)

test('a large file stays usable', function()
  local lines = {}
  for i = 1, 200000 do
    lines[i] = ('line %06d of a file that is rather long so that it is ten'):format(i)
  end
  local given = table.concat(lines, '\n') .. '\n'
  assert(#given > 10000000)
  local one, this, buf = pair(given)
  vim.api.nvim_win_set_cursor(0, { 100000, 0 })
  local sent = {}
  this.request = function(params, answer)
    sent[#sent + 1] = params.replacement
    answer(nil, { revision = params.from + 1 })
  end
  local began = vim.uv.hrtime()
  for _ = 1, 20 do
    feed('ix<Esc>')
    this:push()
  end
  local each = (vim.uv.hrtime() - began) / 20 / 1e6
  io.stdout:write(('  a key takes %.1f ms in 200,000 lines\n'):format(each))
  eq(20, #sent)
  eq({ start = 99999, ['end'] = 100000 }, sent[20].lines)
  eq(nil, one.stale > 0 or nil)
  vim.api.nvim_buf_delete(buf, { force = true })
end)

test('invalid UTF-8 is replaced in the buffer', function()
  local one, this, buf = pair('a\n')
  vim.fn.setline(1, 'x\xffy')
  settled(one, this, 'invalid')
  eq('x\239\191\189y\n', one.text)
  eq(one.text, written(buf))
end)

test('text typed and undone before the reply stays undone while another desk edits', function()
  local one, this, buf = pair('a\nb\nc\n', generator(1))
  feed('ggAmine<Esc>')
  this:push()
  one:set('a\nb\nTHEIRS\n')
  one:arrive()
  feed('u')
  feed('jAmore<Esc>')
  settled(one, this, 'undone')
  eq('a\nbmore\nTHEIRS\n', one.text)
  eq(one.text, written(buf))
end)

test('no message changes lines that the person types, undoes and redoes', function()
  local keys, crossed = { 'ggAx<Esc>', 'ggOnew<Esc>', 'ggx', 'u', 'u', '<C-r>', 'ggyyp', 'ggA😀<Esc>' }, 0
  for seed = 1, 150 do
    local random = generator(seed * 6151)
    local one, this, buf = pair('a\nb\n----\n----\ntheirs\n', random)
    local function typed()
      return text.join(this:person_text()):match('^(.*)%-%-%-%-\n%-%-%-%-')
    end
    for step = 1, 40 do
      feed(keys[random(#keys)])
      this:push()
      local before = typed()
      if random(4) == 1 then
        one:set(one.text:match('^.*%-%-%-%-\n') .. ('theirs %d\n'):format(step):rep(random(3)))
      end
      if random(2) == 1 then
        one:arrive()
      end
      one:deliver(random(3) - 1)
      vim.wait(0)
      eq(before, typed(), ('seed %d, step %d'):format(seed, step))
    end
    local before = typed()
    settled(one, this, 'seed ' .. seed)
    eq({ before, one.text }, { typed(), written(buf) }, 'seed ' .. seed)
    crossed = crossed + one.stale
    vim.api.nvim_buf_delete(buf, { force = true })
  end
  assert(crossed > 50, 'nothing ever crossed: ' .. crossed)
end)

test('edits of another desk appear after continuous typing', function()
  local one, this, buf = pair('a\nb\nc\n', generator(1))
  feed('gg')
  for count = 1, 200 do
    feed('Ax<Esc>')
    this:push()
    if count == 1 then
      one:set('a\nb\nTHEIRS\n')
    end
    one:arrive()
    if count < 200 then
      feed('Ay<Esc>')
      one:deliver(9)
    end
  end
  eq('c', vim.fn.getline(3))
  settled(one, this, 'a pause')
  eq('a' .. ('xy'):rep(199) .. 'x\nb\nTHEIRS\n', one.text)
  eq(one.text, written(buf))
end)

test('typed text replaces the newest text if the server has forgotten its base', function()
  local one, this, buf = pair('a\nb\n')
  local request, asked = this.request, 0
  this.request = function(params, answer)
    asked = asked + 1
    if params.revision < one.revision then
      return vim.schedule(function()
        answer({ code = -32803, message = 'stale', data = { why = 'stale', revision = one.revision } })
      end)
    end
    request(params, answer)
  end
  this.base = 0
  feed('ggAx<Esc>')
  settled(one, this, 'refused')
  eq('ax\nb\n', one.text)
  eq(one.text, written(buf))
  eq(3, asked)
end)

test('a refused text stays in the buffer, and a retry sends it', function()
  local one, this, buf = pair('a\nb\n')
  local request = this.request
  this.request = function(_, answer)
    vim.schedule(function()
      answer({ code = -32803, message = 'no', data = { why = 'other' } })
    end)
  end
  feed('ggAx<Esc>')
  vim.wait(60000, function()
    return this.problem ~= nil
  end)
  eq({ 'a\nb\n', 'ax' }, { one.text, vim.fn.getline(1) })
  this.request = request
  this:retry()
  this:push()
  settled(one, this, 'tried again')
  eq('ax\nb\n', one.text)
  eq(one.text, written(buf))
end)

return tests
