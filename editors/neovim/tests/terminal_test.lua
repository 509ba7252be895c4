-- The terminal with an agent, and what is sent to it. The agents here are scripts that write their input into a file.

local editor = require('editor')

local function eq(expected, found, what)
  if not vim.deep_equal(expected, found) then
    error(('%s\nexpected %s\nfound    %s'):format(what or 'not equal', vim.inspect(expected), vim.inspect(found)), 2)
  end
end

-- An agent that requests bracketed paste, records its environment and its input, and ends after a "Q" (0) or an "X"
-- (3).
local AGENT = [[#!/bin/bash
env > "$RECORD.$(basename "$0").env"
stty raw -echo
printf '\033[?2004hready %s> ' "$*"
while IFS= read -rd '' -n1 key; do
  printf %s "$key" >> "$RECORD.$(basename "$0")"
  case "$key" in Q) exit 0 ;; X) exit 3 ;; esac
done
]]

local function with(agents, options, body)
  local root = editor.files(editor.directory(), {
    ['a.txt'] = 'one\ntwo\nthree\nfour\n', ['with blank/(b).txt'] = 'b\n', ['c\27[31m\r.txt'] = 'c\n',
  }, true)
  local bin = editor.directory()
  for _, name in ipairs(agents) do
    vim.fn.writefile(vim.split(AGENT, '\n'), bin .. '/' .. name)
    assert(vim.uv.fs_chmod(bin .. '/' .. name, 448))
  end
  options.cwd, options.args = root, options.args or { 'a.txt' }
  options.env = { PATH = bin .. ':/usr/bin:/bin', RECORD = bin .. '/record' }
  options.before = (options.before or '') .. 'vim.cmd("runtime plugin/alongside.lua")\n'
  editor.with(options, function(e)
    e:await_message('initialized')
    e:say('alongside/didChangeStatus', {
      port = 4711, pid = 42, roots = {}, agents = {}, reviews = 0, paused = false, desks = 1, context = {},
      environment = { ALONGSIDE_TEST_PORT = '4711' },
    })
    e:await_lua('the status', [[return require('alongside').status()[1].port == 4711]])
    e.record = bin .. '/record'
    body(e, root)
  end)
end

local function read(path)
  local file = io.open(path, 'rb')
  local text = file and file:read('*a') or ''
  if file then
    file:close()
  end
  return text
end

local function await_input(e, agent, expected)
  editor.await_eq(expected, function() return read(e.record .. '.' .. agent) end)
end

local function await_ready(e)
  e:await_lua('the agent', [[return vim.bo.buftype == 'terminal' and vim.api.nvim_get_mode().mode == 't'
    and vim.fn.search('ready', 'nwc') > 0]])
end

local function await_windows(e, count)
  e:await_lua(count .. ' windows', ('return #vim.api.nvim_tabpage_list_wins(0) == %d'):format(count))
end

local tests = {}

local function test(name, agents, options, body)
  tests[#tests + 1] = {
    name,
    function()
      with(agents, vim.deepcopy(options), body)
    end,
  }
end

test('the terminal starts the only agent, hides it, and shows the same one again', { 'gemini' }, {}, function(e, root)
  local before = e:lua('return vim.api.nvim_get_current_win()')
  e:keys(':Alongside terminal<CR>')
  await_ready(e)
  eq(false, e:lua('return vim.bo.buflisted'))
  local env = read(e.record .. '.gemini.env')
  assert(env:find('ALONGSIDE_TEST_PORT=4711\n', 1, true) and env:find('PWD=' .. root .. '\n', 1, true), env)
  local buf = e:lua('return vim.api.nvim_get_current_buf()')
  e:keys([[<C-\><C-n>:Alongside terminal<CR>]])
  await_windows(e, 1)
  eq(before, e:lua('return vim.api.nvim_get_current_win()'))
  e:keys(':Alongside terminal<CR>')
  await_ready(e)
  eq(buf, e:lua('return vim.api.nvim_get_current_buf()'))
  await_windows(e, 2)
end)

test('the agent starts after the prompt that chose it, which would delay answers to its queries', { 'gemini', 'qwen' }, {
  before = [[vim.ui.select = function(names, _, chosen)
    vim.schedule(function() vim.fn.input('the next prompt: ') end)
    chosen(names[1])
    within = #vim.api.nvim_tabpage_list_wins(0)
  end
]],
}, function(e)
  e:keys(':Alongside terminal<CR>')
  e:await_lua('the prompt', [[return vim.api.nvim_get_mode().mode == 'c']])
  eq({ 1, 1 }, e:lua('return { within, #vim.api.nvim_tabpage_list_wins(0) }'))
  e:keys('<CR>')
  await_ready(e)
  eq('gemini', e:lua([[return vim.fs.basename(vim.fn.bufname())]]))
end)

test('the window of an agent that exits with 0 closes, and the next terminal is new', { 'qwen' }, {}, function(e)
  local before = e:lua('return { vim.api.nvim_get_current_win(), #vim.fn.getbufinfo() }')
  e:keys(':Alongside terminal<CR>')
  await_ready(e)
  e:keys('Q')
  await_windows(e, 1)
  e:await_lua('no trace', ([[return vim.deep_equal({ vim.api.nvim_get_current_win(), #vim.fn.getbufinfo() }, { %d, %d })]])
    :format(unpack(before)))
  eq('n', e:lua('return vim.api.nvim_get_mode().mode'))
  e:keys(':Alongside terminal<CR>')
  await_ready(e)
end)

test('the window of an agent that fails stays until it is hidden', { 'qwen' }, {}, function(e)
  e:keys(':Alongside terminal<CR>')
  await_ready(e)
  e:keys('X')
  e:await_said('qwen has ended with exit code 3. :Alongside terminal closes its window.')
  await_windows(e, 2)
  e:cmd('Alongside terminal')
  await_windows(e, 1)
  eq('', e:lua('return vim.bo.buftype'))
end)

test('the last window shows the file again when the agent ends in it', { 'qwen' }, {}, function(e)
  e:keys(':Alongside terminal<CR>')
  await_ready(e)
  e:cmd('only')
  e:keys('Q')
  e:await_lua('the file', [[return vim.fn.bufname() == 'a.txt' and #vim.api.nvim_tabpage_list_wins(0) == 1 and not vim.wo.winfixbuf]])
end)

test('several agents: the person chooses, the option decides, or the command names one', { 'gemini', 'qwen' }, {
  before = 'vim.ui.select = function(names, how, chosen) offered, asked = names, how.prompt chosen(names[2]) end\n',
}, function(e)
  e:cmd('Alongside terminal')
  await_ready(e)
  eq({ 'gemini', 'qwen' }, e:lua('return offered'))
  eq('Which agent? (The option "agent" sets it.)', e:lua('return asked'))
  assert(vim.uv.fs_stat(e.record .. '.qwen.env'))
  e:cmd('Alongside terminal gemini --flag')
  e:await_lua('the other one', [[return vim.fn.search('ready --flag', 'nwc') > 0]])
  await_windows(e, 3)
  -- The agent that is named.
  e:cmd('Alongside terminal qwen')
  await_windows(e, 2)
  eq({ 'gemini', 'qwen' }, e:lua([[return vim.fn.getcompletion('Alongside terminal ', 'cmdline')]]))
end)

test('the option names the agent, and the key toggles it from everywhere', { 'gemini', 'qwen' }, {
  setup = { agent = { 'qwen', '--fast' }, keys = { terminal = '<F3>' } },
}, function(e)
  e:keys('<F3>')
  await_ready(e)
  e:await_lua('the option', [[return vim.fn.search('ready --fast', 'nwc') > 0]])
  e:keys('<F3>')
  await_windows(e, 1)
end)

test('a message says that no agent is there, or that it cannot be run', {}, {}, function(e)
  e:cmd('Alongside terminal')
  e:await_said('neither gemini, qwen nor claude is in $PATH. Name your agent: :Alongside terminal COMMAND')
  e:cmd('Alongside terminal no-such-agent')
  e:await_said("cannot run 'no-such-agent'")
  eq(1, e:lua('return #vim.api.nvim_tabpage_list_wins(0)'))
end)

test('sends the file and the selected lines as a paste, and submits nothing', { 'gemini' }, {}, function(e)
  e:keys(':Alongside terminal<CR>')
  await_ready(e)
  e:keys([[<C-\><C-n>:Alongside terminal<CR>]])
  await_windows(e, 1)
  e:keys('ggjVj:Alongside send<CR>')
  await_ready(e)
  local all = '\27[200~@a.txt lines 2-3 \27[201~'
  await_input(e, 'gemini', all)
  -- The person continues typing.
  e:keys('why?')
  all = all .. 'why?'
  await_input(e, 'gemini', all)
  e:cmd('wincmd p')
  e:cmd('4Alongside send')
  all = all .. '\27[200~@a.txt line 4 \27[201~'
  await_input(e, 'gemini', all)
  e:cmd('wincmd p')
  e:cmd('edit with\\ blank/(b).txt')
  e:cmd('Alongside send')
  all = all .. '\27[200~@with\\ blank/\\(b\\).txt \27[201~'
  await_input(e, 'gemini', all)
  e:cmd('wincmd p')
  e:lua([[vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'changed' })]])
  e:cmd('Alongside send')
  e:await_said('without your unsaved changes')
end)

test('a file name that the agent would read as a key is not sent', { 'gemini' }, {}, function(e)
  e:keys(':Alongside terminal<CR>')
  await_ready(e)
  e:cmd('wincmd p')
  e:lua([[vim.cmd.edit(vim.fn.fnameescape('c\27[31m\r.txt'))]])
  e:cmd('Alongside send')
  e:await_said([[not sent, because the name of the file has control or invisible characters: c\x1b[31m\r.txt]])
  eq('', read(e.record .. '.gemini'))
end)

test('outside a file, sending shows the remedy', { 'gemini' }, {}, function(e)
  e:cmd('enew')
  e:cmd('Alongside send')
  e:await_said('this buffer is not a file. Go to the file first.')
  e:cmd('1Alongside accept')
  e:await_said("':Alongside accept' takes no range; ':Alongside send' does")
end)

test('without a terminal of the plugin, the companion gets the lines, and its refusal is shown', { 'gemini' }, {}, function(e, root)
  e:cmd('2,3Alongside send')
  local sent = e:await_message('alongside/mentionFile')
  eq({ path = root .. '/a.txt', lines = { start = 1, ['end'] = 3 } }, sent.params)
  e:cmd('Alongside send')
  eq({ path = root .. '/a.txt' }, e:await_message('alongside/mentionFile', nil, 1).params)
  local server = "require('alongside.server').notify(require('alongside.server').all()[1].id, 'fake/answer', %s)"
  local refusal = "{ method = 'alongside/mentionFile', error = { code = -32803, message = 'no', data = { why = 'noAgentTakesFiles' } } }"
  e:lua(server:format(refusal))
  e:cmd('Alongside send')
  e:await_lua('the message', [[return #said > 0 and said[#said][1]:find('no connected agent accepts mentions') ~= nil]])
end)

return tests
