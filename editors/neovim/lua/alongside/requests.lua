-- Requests that always get an answer. Neovim drops the callbacks of a server that has ended, so callers would wait forever.

local log = require('alongside.log')

local M = {}

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
