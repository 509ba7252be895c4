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
    local link = { asked_to_stop = false }
    local on_exit = dispatchers.on_exit
    dispatchers = vim.tbl_extend('force', dispatchers, {
      on_exit = function(code, signal)
        link.code, link.signal = code, signal
        -- server.lua handles the exit code; Neovim's own message would not help.
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
    -- Ends an unusable server with the `exit` notification, or with a signal if it does not end.
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
