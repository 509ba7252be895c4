-- A server for tests: speaks the wire like `alongside lsp`, logs every message (one JSON text per line), and sends messages
-- for a test. `nvim --clean --headless -l tests/fake.lua LOG [HOW]`.
--
-- A test controls it through Neovim: the notification `fake/say` {method, params, id?} makes it send that message,
-- `fake/answer` {method, error?, result?} sets the answer to later requests of that method, `fake/exit` {code}
-- ends it. HOW: "utf-8" counts bytes, "old" speaks another protocol, "refuse" refuses to initialize, "crash" ends at once.

local path, how = arg[1], arg[2]
local answers = {}

local function note(message)
  local file = assert(io.open(path, 'a'))
  file:write(vim.json.encode(message), '\n')
  file:close()
end

local function say(message)
  message.jsonrpc = '2.0'
  local body = vim.json.encode(message)
  io.stdout:write(('Content-Length: %d\r\n\r\n%s'):format(#body, body))
  io.stdout:flush()
end

local function read()
  local length
  while true do
    local line = io.stdin:read('*l')
    if not line then
      return nil
    end
    line = line:gsub('\r$', '')
    if line == '' then
      break
    end
    length = tonumber(line:match('^Content%-Length: (%d+)')) or length
  end
  return vim.json.decode(io.stdin:read(length), { luanil = { object = true } })
end

local function initialized()
  if how == 'refuse' then
    return nil, { code = -32803, message = 'this alongside is too old: install 0.2 or newer' }
  end
  local encoding = how == 'utf-8' and 'utf-8' or nil
  local spoken = how == 'old' and 0 or 1
  return { capabilities = { experimental = { alongside = { protocol = spoken, display = true } }, positionEncoding = encoding } }
end

note({ method = 'fake/start', pid = vim.uv.os_getpid(), env = vim.env.ALONGSIDE_TEST_PORT })
if how == 'crash' then
  os.exit(101)
end

while true do
  local message = read()
  if not message then
    note({ method = 'fake/eof' })
    os.exit(0)
  end
  note(message)
  local method, params = message.method, message.params
  if method == 'initialize' then
    local result, err = initialized()
    say({ id = message.id, result = result, error = err })
  elseif method == 'shutdown' then
    say({ id = message.id, result = vim.NIL })
  elseif method == 'exit' then
    os.exit(0)
  elseif method == 'fake/say' then
    say({ method = params.method, params = params.params, id = params.id })
  elseif method == 'fake/answer' then
    answers[params.method] = params
  elseif method == 'fake/exit' then
    os.exit(params.code)
  elseif message.id and method then
    local answer = answers[method]
    if not (answer and answer.silent) then
      say({ id = message.id, result = not (answer and answer.error) and (answer and answer.result or { revision = 1 })
        or nil, error = answer and answer.error })
    end
  end
end
