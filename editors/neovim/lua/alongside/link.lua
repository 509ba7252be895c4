-- The connection to one `alongside lsp`: Neovim's own RPC client plus three facts that Neovim does not show: whether
-- somebody stopped it (then it stays stopped), why it refused to initialize (shown without a stack trace), and which
-- requests have no answer when it ends. Neovim drops the callbacks of these, so callers would wait forever.

local log = require('alongside.log')

local M = {}

---@class alongside.Link
---@field asked_to_stop boolean
---@field initialized boolean? whether it ever answered
---@field refused string? what the server said instead of initializing
---@field code integer? how the process ended
---@field signal integer?

-- By the rpc object of Neovim's client.
local links = setmetatable({}, { __mode = 'k' })

--- The facts about the connection of `client`.
---@param client vim.lsp.Client
---@return alongside.Link
function M.of(client)
  return links[client.rpc] or { asked_to_stop = false }
end

--- The `cmd` of the client's configuration: starts the process and returns its RPC object.
---@param cmd fun(): string[] asked each time
---@return fun(dispatchers: vim.lsp.rpc.Dispatchers): vim.lsp.rpc.PublicClient
function M.starter(cmd)
  return function(dispatchers)
    local link = { asked_to_stop = false }
    local on_exit = dispatchers.on_exit
    dispatchers = vim.tbl_extend('force', dispatchers, {
      on_exit = function(code, signal)
        link.code, link.signal = code, signal
        -- server.lua handles the exit code; Neovim's own report would not help.
        on_exit(0, 0)
      end,
    })
    local words = vim.deepcopy(cmd())
    words[1] = vim.fs.normalize(words[1])
    local rpc = vim.lsp.rpc.start(words, dispatchers)

    local wrapped = {}
    function wrapped.is_closing()
      return rpc.is_closing()
    end
    function wrapped.terminate()
      link.asked_to_stop = true
      rpc.terminate()
    end
    -- Ends a useless server by the protocol, or by a signal if it does not answer.
    function wrapped.give_up()
      rpc.notify('exit')
      rpc.terminate()
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
      end
      return rpc.request(method, params, callback, on_reply)
    end
    links[wrapped] = link
    log.write('starting ' .. table.concat(words, ' '))
    return wrapped
  end
end

-- The server's error code of a refused request.
local FAILED = -32803

local number = 0

local function gone()
  return { code = FAILED, message = 'alongside is not running', data = { why = 'gone' } }
end

--- Sends a request and calls `callback` once with the answer.
---@param server alongside.Server? nil: it has ended
---@param method string
---@param params table
---@param callback fun(err: table?, result: any)
function M.send(server, method, params, callback)
  if not server then
    vim.schedule(function()
      callback(gone())
    end)
    return
  end
  callback = log.guarded(callback)
  number = number + 1
  local this = number
  local function answer(err, result)
    -- The end of the server may already have been the answer.
    if server.pending[this] then
      server.pending[this] = nil
      callback(err, result)
    end
  end
  server.pending[this] = answer
  if not server.rpc.request(method, params, answer) then
    vim.schedule(function()
      answer(gone())
    end)
  end
end

--- Answers the open requests of a server that has ended.
---@param server alongside.Server
function M.abandon(server)
  for _, answer in pairs(vim.deepcopy(server.pending)) do
    answer(gone())
  end
end

return M
