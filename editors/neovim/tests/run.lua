-- Runs the tests: `nvim --clean --headless -l tests/run.lua [part of the name of a test or file]`. Each tests/*_test.lua
-- returns a list of { name, function } and runs in its own Neovim and home. Prints `ok` or `FAILED` for each test and the
-- sums in the last line; the exit code is 1 after a failure.

local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
local MOST = tonumber(vim.env.ALONGSIDE_TEST_TIMEOUT) or 300000

-- Runs the tests of one file, in its own Neovim.
local function run_file(file, wanted)
  vim.opt.runtimepath:prepend(vim.fs.dirname(here))
  package.path = here .. '/?.lua;' .. package.path
  local failed, passed = 0, 0
  for _, test in ipairs(dofile(file)) do
    local name, body = test[1], test[2]
    if (vim.fs.basename(file) .. ' ' .. name):find(wanted, 1, true) then
      local began = vim.uv.now()
      local ok, why = xpcall(body, debug.traceback)
      vim.uv.update_time()
      passed, failed = passed + (ok and 1 or 0), failed + (ok and 0 or 1)
      io.stdout:write(('%s %s (%d ms)\n'):format(ok and 'ok' or 'FAILED', name, vim.uv.now() - began))
      if not ok then
        io.stdout:write((tostring(why):gsub('\n', '\n  ')), '\n')
      end
      io.stdout:flush()
    end
  end
  io.stdout:write(('%d passed, %d failed\n'):format(passed, failed))
  io.stdout:flush()
  os.exit(failed == 0 and 0 or 1)
end

local function home()
  local directory = assert(vim.uv.fs_mkdtemp((vim.env.TMPDIR or '/tmp') .. '/alongside-nvim-XXXXXX'))
  local env = { LC_ALL = 'C.UTF-8' }
  for name, part in pairs({
    HOME = 'home', TMPDIR = 'tmp', XDG_CONFIG_HOME = 'config', XDG_DATA_HOME = 'data', XDG_STATE_HOME = 'state',
    XDG_CACHE_HOME = 'cache', XDG_RUNTIME_DIR = 'run',
  }) do
    env[name] = directory .. '/' .. part
    assert(vim.uv.fs_mkdir(env[name], 448))
  end
  env.ALONGSIDE_RUNTIME_DIR = env.XDG_RUNTIME_DIR .. '/alongside'
  return directory, env
end

local function content(path)
  local file = io.open(path, 'rb')
  local all = file and file:read('*a')
  if file then
    file:close()
  end
  return all or ''
end

-- The processes that still run with this home, as far as the system reports them.
local function running(directory)
  return vim.tbl_filter(function(process)
    return content(process .. '/environ'):find('HOME=' .. directory .. '/home', 1, true) ~= nil
  end, vim.fn.glob('/proc/[0-9]*', true, true))
end

-- Waits for the end of all processes of a test. Ends the remaining ones, and returns their commands.
local function left(directory)
  vim.wait(10000, function()
    return #running(directory) == 0
  end, 20)
  return vim.tbl_map(function(process)
    local words = content(process .. '/cmdline'):gsub('%z', ' ')
    vim.uv.kill(tonumber(process:match('%d+$')), 'sigkill')
    return words
  end, running(directory))
end

if arg[1] == '--file' then
  run_file(arg[2], arg[3] or '')
  return
end

local passed, failed = 0, 0
local files = vim.fn.sort(vim.fn.glob(here .. '/*_test.lua', true, true))
for _, file in ipairs(files) do
  local directory, env = home()
  local last, drawn = '', ''
  local command = { vim.v.progpath, '--clean', '--headless', '-l', here .. '/run.lua', '--file', file, arg[1] or '' }
  local done = vim.system(command, {
    env = env,
    timeout = MOST,
    stdout = function(_, data)
      if data then
        io.stdout:write(data)
        io.stdout:flush()
        last = (last .. data):sub(-200)
      end
    end,
    -- Neovim draws this without a screen; useful only after a failure.
    stderr = function(_, data)
      drawn = (drawn .. (data or '')):sub(-4000)
    end,
  }):wait()
  local ok, bad = last:match('(%d+) passed, (%d+) failed\n$')
  if not ok or (done.code ~= 0 and bad == '0') then
    io.stdout:write(('FAILED %s ended with code %d, signal %d\n'):format(vim.fs.basename(file), done.code, done.signal))
    failed = failed + 1
  end
  for _, words in ipairs(left(directory)) do
    io.stdout:write(('FAILED %s leaves a process behind: %s\n'):format(vim.fs.basename(file), words))
    failed = failed + 1
  end
  if bad ~= '0' then
    io.stderr:write(drawn, '\n')
  end
  passed, failed = passed + (tonumber(ok) or 0), failed + (tonumber(bad) or 0)
  vim.fn.delete(directory, 'rf')
end
if passed + failed == 0 then
  io.stdout:write('FAILED no test has such a name\n')
  failed = 1
end
io.stdout:write(('%d passed, %d failed\n'):format(passed, failed))
io.stdout:flush()
os.exit(failed == 0 and 0 or 1)
