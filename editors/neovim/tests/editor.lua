-- A second Neovim for tests, with typed keys and an ordinary event loop. Tests control it over RPC.

local M = {}
M.__index = M

local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
-- The time limit of a wait, in milliseconds: long enough for a machine with five times the load that it can handle.
local DEADLINE = 60000
-- The time after the last request in which a Neovim ends itself.
local LIFETIME = 2 * DEADLINE

--- Waits until `condition` returns true; otherwise fails with `what`.
function M.await(what, condition)
  local value
  local held = vim.wait(DEADLINE, function()
    value = condition()
    return value
  end, 5)
  if not held then
    error('waited in vain for ' .. what, 2)
  end
  return value
end

--- Waits until `find()` returns `expected`; otherwise fails with both values.
function M.await_eq(expected, find)
  local found
  local held = vim.wait(DEADLINE, function()
    found = find()
    return vim.deep_equal(expected, found)
  end, 5)
  if not held then
    error(('expected %s\nfound    %s'):format(vim.inspect(expected), vim.inspect(found)), 2)
  end
end

--- Creates a directory for a test.
function M.directory()
  local directory = assert(vim.uv.fs_mkdtemp(vim.env.TMPDIR .. '/test-XXXXXX'))
  return vim.uv.fs_realpath(directory)
end

--- Writes files below `directory`, by name; optionally makes it a project.
function M.files(directory, files, project)
  vim.fn.mkdir(directory .. (project and '/.git' or ''), 'p')
  for name, text in pairs(files) do
    vim.fn.mkdir(vim.fs.dirname(directory .. '/' .. name), 'p')
    local file = assert(io.open(directory .. '/' .. name, 'w'))
    file:write(text)
    file:close()
  end
  return directory
end

--- Returns the command of the fake server. Like `alongside`, it is one program for all subcommands, so that each
--- process ends: for `drafts` it prints the given `drafts`.
function M.fake(log, how, drafts)
  local path = vim.fn.tempname()
  local words = { vim.v.progpath, '--clean', '--headless', '-l', here .. '/fake.lua', log, how }
  vim.fn.writefile({
    '#!/bin/sh',
    '[ "$1" = lsp ] && exec ' .. table.concat(vim.tbl_map(vim.fn.shellescape, words), ' '),
    "cat <<'END'",
    drafts or '',
    'END',
  }, path)
  assert(vim.uv.fs_chmod(path, 448))
  return { path, 'lsp' }
end

--- Starts a Neovim in `options.cwd` with `options.args`, and the plugin set up with `options.setup` (false: not at all).
function M.start(options)
  local self = setmetatable({ log = vim.fn.tempname() }, M)
  local init = vim.fn.tempname() .. '.lua'
  local file = assert(io.open(init, 'w'))
  local setup = options.setup
  if setup == nil then
    setup = {}
  end
  if setup then
    setup.cmd = setup.cmd or M.fake(self.log, options.how)
  end
  file:write(
    ('vim.opt.runtimepath:prepend(%q)\n'):format(vim.fs.dirname(here)),
    -- Messages are recorded, because a real one could ask for Enter.
    'said, own_notify = {}, vim.notify vim.notify = function(m, l) said[#said + 1] = { m, l } end\n',
    options.before or '',
    setup and ('\nrequire("alongside").setup(vim.json.decode(%q))\n'):format(vim.json.encode(setup)) or '\n'
  )
  file:close()
  local command = { vim.v.progpath, '--clean', '--embed', '--headless', '-n', '-u', init }
  vim.list_extend(command, options.args or {})
  self.channel = vim.fn.jobstart(command, {
    rpc = true,
    cwd = options.cwd,
    env = options.env,
    on_exit = function(_, code)
      self.ended = code
    end,
  })
  assert(self.channel > 0, 'Neovim does not start')
  self.pid = vim.fn.jobpid(self.channel)
  self.watchdog = assert(vim.uv.new_timer())
  self:watch()
  return self
end

--- Starts the time limit, because a Neovim that waits for an answer would block the test.
function M:watch()
  if not self.ended then
    self.watchdog:start(LIFETIME, 0, function()
      self.late = true
      vim.uv.kill(self.pid, 'sigkill')
    end)
  end
end

--- Runs Lua in the Neovim and returns the result.
function M:lua(code, ...)
  self:watch()
  return vim.rpcrequest(self.channel, 'nvim_exec_lua', code, { ... })
end

--- Waits until Lua in the Neovim returns a true value, and returns that value.
function M:await_lua(what, code)
  return M.await(what, function()
    local value = self:lua(code)
    return value ~= vim.NIL and value
  end)
end

function M:cmd(command)
  self:watch()
  vim.rpcrequest(self.channel, 'nvim_command', command)
end

--- Types keys.
function M:keys(keys)
  self:watch()
  vim.rpcrequest(self.channel, 'nvim_input', keys)
end

--- Types keys that end the Neovim: the reply to a request might not arrive.
function M:last_keys(keys)
  self:watch()
  vim.rpcnotify(self.channel, 'nvim_input', keys)
end

--- Returns all messages to the fake server so far, over its restarts; with `method`, only those of that method.
function M:got(method)
  local all = {}
  for line in io.lines(self.log) do
    local ok, message = pcall(vim.json.decode, line, { luanil = { object = true } })
    if ok and (not method or message.method == method) then
      all[#all + 1] = message
    end
  end
  return all
end

--- Waits for the first message of `method` that `matches`, among those after the first `skip`.
function M:await_message(method, matches, skip)
  return M.await((method or "a message") .. ' that matches', function()
    if vim.uv.fs_stat(self.log) then
      for i, message in ipairs(self:got(method)) do
        if i > (skip or 0) and (not matches or matches(message.params or {}, message)) then
          return message
        end
      end
    end
  end)
end

--- Makes the fake server of the project send a message.
function M:say(method, params, root)
  self:lua(
    [[local method, params, root = ...
    local server = require('alongside.server')
    local one = root and server.get(root) or server.all()[1]
    server.notify(one.id, 'fake/say', { method = method, params = params })]],
    method,
    params,
    root
  )
end

--- Waits for a message to the person that contains `part`.
function M:await_said(part)
  return M.await(("'%s' to be said"):format(part), function()
    for _, one in ipairs(self:lua('return said')) do
      if one[1]:find(part, 1, true) then
        return one
      end
    end
  end)
end

--- Ends the Neovim in any state.
function M:stop()
  self.watchdog:stop()
  if not self.ended then
    pcall(vim.rpcnotify, self.channel, 'nvim_command', 'qall!')
    if not vim.wait(10000, function()
      return self.ended
    end, 5) then
      vim.uv.kill(self.pid, 'sigkill')
      M.await('the end of Neovim', function()
        return self.ended
      end)
    end
  end
end

--- Runs `body` with a Neovim, and ends the Neovim.
function M.with(options, body)
  local self = M.start(options)
  local ok, why = xpcall(body, debug.traceback, self)
  if not ok then
    local alive, last = pcall(self.lua, self, 'return vim.inspect(said) .. vim.v.errmsg .. table.concat(require("alongside.log").lines(), "\\n")')
    why = why .. (self.late and '\nit hung, and was killed' or '') .. '\nit said: ' .. (alive and last or 'nothing any more')
  end
  self:stop()
  if not ok then
    error(why, 0)
  end
end

return M
