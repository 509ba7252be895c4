-- The connection to one `alongside lsp`: Neovim's RPC client, with three facts that Neovim does not report. Whether
-- somebody stopped the server: it then stays stopped. Why the server refused to initialize: the reason is shown without
-- a stack trace. Which requests are unanswered when the server ends: Neovim drops their callbacks, so callers would
-- wait forever.

local log = require('alongside.log')

local M = {}

---@class alongside.Link
---@field asked_to_stop boolean
---@field initialized boolean? whether the server has answered `initialize`
---@field refused string? the server's error in reply to `initialize`
---@field code integer? the exit code of the process
---@field signal integer? the signal that ended the process

-- By the RPC object of Neovim's client.
local links = setmetatable({}, { __mode = 'k' })

---@class alongside.Early
---@field root string
---@field cmd string[]
---@field link alongside.Link
---@field rpc vim.lsp.rpc.PublicClient
---@field dispatchers vim.lsp.rpc.Dispatchers? of the client that has taken the process over
---@field reply table? the arguments of the reply to `initialize`
---@field on_reply fun(err: table?, result: any)?
---@field has_ended boolean?

local early ---@type alongside.Early? a process that no client has taken over yet

--- The project whose server is starting.
M.root = nil ---@type string?

-- Starts the process.
local function run(cmd, link, dispatchers)
  local words, on_exit = vim.deepcopy(cmd), dispatchers.on_exit
  words[1] = vim.fs.normalize(words[1])
  log.write('starting ' .. table.concat(words, ' '))
  return require('vim.lsp.rpc').start(words, vim.tbl_extend('force', dispatchers, {
    on_exit = function(code, signal)
      link.code, link.signal = code, signal
      -- server.lua handles the exit code; Neovim's own message would not help.
      on_exit(0, 0)
    end,
  }))
end

-- Ends an unneeded or unusable server with the `exit` notification, or with a signal if it does not end.
local function give_up(rpc)
  rpc.notify('exit')
  rpc.terminate()
end

-- Whether this command was started early for this project.
local function is_early(root, cmd)
  return early ~= nil and early.root == root and vim.deep_equal(early.cmd, cmd)
end

--- Starts the process of a project and initializes it, for the client that Neovim creates later: loading Neovim's
--- client takes as long as the program needs to start. Before `initialized`, the server sends only the reply.
---@param root string
---@param cmd string[]
---@param params table of `initialize`
function M.start_early(root, cmd, params)
  if is_early(root, cmd) then
    return
  end
  M.end_early()
  local this = { root = root, cmd = vim.deepcopy(cmd), link = { asked_to_stop = false } }
  local function forward(name)
    return function(...)
      if this.dispatchers then
        return this.dispatchers[name](...)
      end
    end
  end
  this.rpc = run(cmd, this.link, {
    notification = forward('notification'),
    server_request = forward('server_request'),
    on_error = forward('on_error'),
    on_exit = function(...)
      this.has_ended = true
      forward('on_exit')(...)
    end,
  })
  this.rpc.request('initialize', params, function(...)
    this.reply = { ... }
    if this.on_reply then
      this.on_reply(...)
    end
  end)
  early = this
end

--- Ends the process that was started early if no client has taken it over.
function M.end_early()
  if early and not early.has_ended then
    give_up(early.rpc)
  end
  early = nil
end

-- Returns the process that was started early for this project, and gives it to a client.
local function take_early(root, cmd, dispatchers)
  local this = early
  if not this or not is_early(root, cmd) then
    return
  end
  early = nil
  this.dispatchers = dispatchers
  if this.has_ended then
    vim.schedule(function()
      dispatchers.on_exit(0, 0)
    end)
  end
  return this
end

-- Gives the reply to `initialize` to the client.
local function await_reply(this, callback)
  if this.reply then
    vim.schedule(function()
      callback(unpack(this.reply))
    end)
  else
    this.on_reply = callback
  end
  return true, 1
end

--- Returns the facts about the connection of `client`.
---@param client vim.lsp.Client
---@return alongside.Link
function M.of(client)
  return links[client.rpc] or { asked_to_stop = false }
end

--- Returns the `cmd` of a client's configuration: a function that starts the process and returns its RPC object.
---@param cmd fun(): string[] called at each start
---@return fun(dispatchers: vim.lsp.rpc.Dispatchers): vim.lsp.rpc.PublicClient
function M.starter(cmd)
  return function(dispatchers)
    local taken = take_early(M.root, cmd(), dispatchers)
    local link = taken and taken.link or { asked_to_stop = false }
    local rpc = taken and taken.rpc or run(cmd(), link, dispatchers)

    local wrapped = {}
    function wrapped.is_closing()
      return rpc.is_closing()
    end
    function wrapped.terminate()
      link.asked_to_stop = true
      rpc.terminate()
    end
    function wrapped.give_up()
      give_up(rpc)
    end
    function wrapped.notify(method, params)
      return rpc.notify(method, params)
    end
    function wrapped.request(method, params, callback, on_reply)
      if method == 'shutdown' then
        link.asked_to_stop = true
      elseif method == 'initialize' then
        local initialized = callback
        callback = function(err, result)
          if err then
            link.refused = type(err.message) == 'string' and err.message or 'it does not say why'
            wrapped.give_up()
          else
            link.initialized = true
            initialized(err, result)
          end
        end
        if taken then
          return await_reply(taken, callback)
        end
      end
      return rpc.request(method, params, callback, on_reply)
    end
    links[wrapped] = link
    return wrapped
  end
end

-- The error code of a refused request in LSP (RequestFailed).
local REQUEST_FAILED = -32803

local last_number = 0

local function gone_error()
  return { code = REQUEST_FAILED, message = 'alongside is not running', data = { why = 'gone' } }
end

--- Sends a request and calls `callback` once with the answer.
---@param server alongside.Server? nil: the server has ended
---@param method string
---@param params table
---@param callback fun(err: table?, result: any)
function M.send(server, method, params, callback)
  if not server then
    vim.schedule(function()
      callback(gone_error())
    end)
    return
  end
  callback = log.guarded(callback)
  last_number = last_number + 1
  local number = last_number
  local function answer(err, result)
    -- The end of the server may already have answered the request.
    if server.pending[number] then
      server.pending[number] = nil
      callback(err, result)
    end
  end
  server.pending[number] = answer
  if not server.rpc.request(method, params, answer) then
    vim.schedule(function()
      answer(gone_error())
    end)
  end
end

--- Answers the open requests of a server that has ended with an error.
---@param server alongside.Server
function M.fail_pending(server)
  for _, answer in pairs(vim.deepcopy(server.pending)) do
    answer(gone_error())
  end
end

return M
