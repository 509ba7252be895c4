-- One `alongside lsp` per project. It starts with the first file of the project and restarts after a crash, but not
-- after somebody has stopped it. It runs in Neovim's own LSP client, so `:lsp restart`, `:LspStop` and similar commands
-- work.

local autocommands = require('alongside.autocommands')
local config = require('alongside.config')
local link = require('alongside.link')
local log = require('alongside.log')
local project = require('alongside.project')
local server_restart = require('alongside.server_restart')

local M = {}

local NAME = 'alongside'
local PROTOCOL = 1

---@class alongside.Server
---@field id integer
---@field root string
---@field rpc vim.lsp.rpc.PublicClient
---@field client vim.lsp.Client
---@field pending table<integer, fun(err: table)> the callbacks of unanswered requests, by the plugin's number
---@field status table? the newest alongside/didChangeStatus, without its environment

local servers = {} ---@type table<integer, alongside.Server> the ready servers, by client id
local leaving = false
local registers_config
local has_begun = false -- whether the plugin has attached the files that are open at the start
local INIT_OPTIONS = { alongside = { protocol = PROTOCOL, display = true, diagnostics = true } }

-- Handlers, set by init.lua.
M.on = { message = {}, request = {}, ready = function() end, gone = function() end } ---@type table

--- Whether the program can be run. Shows a message once if it cannot.
---@return boolean
function M.can_run()
  local program = config.current.cmd[1]
  if vim.fn.executable(vim.fs.normalize(program)) == 1 then
    return true
  end
  server_restart.show_once('missing', ("alongside: cannot run '%s': install it, or set cmd (:checkhealth alongside)"):format(program))
  return false
end

local function is_same_project(client, config_of_project)
  return client.name == NAME and client.root_dir == config_of_project.root_dir and not link.of(client).asked_to_stop
    and not client.rpc.is_closing()
end

--- Returns the client of a project, ready or starting.
---@param root string
---@return vim.lsp.Client?
function M.client(root)
  for _, client in ipairs(vim.lsp.get_clients({ name = NAME, _uninitialized = true })) do
    if is_same_project(client, { root_dir = root }) then
      return client
    end
  end
end

local function stop(client)
  if vim.fn.has('nvim-0.11') == 1 then
    client:stop()
  else
    client.stop()
  end
end

local function start_again(root, buffers)
  if server_restart.is_held(root) or leaving or M.client(root) then
    return
  end
  M.start(root)
  for _, buf in ipairs(buffers) do
    if vim.api.nvim_buf_is_loaded(buf) then
      M.start(root, buf)
    end
  end
end

local function on_init(client, result)
  local program_protocol = vim.tbl_get(result, 'capabilities', 'experimental', 'alongside', 'protocol')
  local reason = program_protocol ~= PROTOCOL
      and ('the plugin and the program speak different protocols (%d, %s): update both'):format(PROTOCOL, tostring(program_protocol))
    or not result.capabilities.experimental.alongside.display and 'the program is older than the plugin: update it'
  if reason then
    link.of(client).refused = reason
    client.rpc.give_up()
    return
  end
  local root = client.root_dir
  servers[client.id] = { id = client.id, root = root, rpc = client.rpc, client = client, pending = {} }
  server_restart.release(root)
  log.write('connected for ' .. root)
  log.guarded(M.on.ready)(client.id)
end

-- Neovim calls this function in a context that forbids most functions, so all work is scheduled.
local function on_exit(_, _, id)
  local client = vim.lsp.get_client_by_id(id) or (servers[id] and servers[id].client)
  vim.schedule(function()
    local server = servers[id]
    servers[id] = nil
    if server then
      log.guarded(M.on.gone)(id, server_restart.is_expected(server.root))
      link.fail_pending(server)
    end
  end)
  if client then
    local root, end_facts = client.root_dir, link.of(client)
    local buffers = vim.tbl_keys(client.attached_buffers)
    vim.schedule(function()
      -- Neovim removes the client in a function that it schedules after this one; the inner function runs after that.
      vim.schedule(function()
        if not leaving then
          server_restart.ended(root, end_facts, M.client(root) ~= nil, function()
            start_again(root, buffers)
          end)
        end
      end)
    end)
  end
end

local function handlers()
  local all = {}
  local function add(method, handler)
    handler = log.guarded(handler)
    all[method] = function(_, params, context)
      local reply = servers[context.client_id] and handler(context.client_id, params)
      -- For a notification, Neovim ignores the reply.
      return reply or vim.NIL
    end
  end
  for method, handler in pairs(M.on.message) do
    add(method, handler)
  end
  for method, handler in pairs(M.on.request) do
    add(method, handler)
  end
  return all
end

local function client_config()
  return {
    name = NAME,
    cmd = link.starter(function()
      return config.current.cmd
    end),
    handlers = handlers(),
    init_options = INIT_OPTIONS,
    on_init = on_init,
    on_exit = on_exit,
    reuse_client = is_same_project,
  }
end

local function workspace_folders(root)
  return { { uri = vim.uri_from_fname(root), name = vim.fs.basename(root) } }
end

local function config_of(root)
  local result = registers_config and vim.deepcopy(vim.lsp.config[NAME]) or client_config()
  result.root_dir = root
  result.workspace_folders = workspace_folders(root)
  return result
end

--- While Neovim starts: starts the program of the first project that needs it. The client takes it over in `begin`.
function M.start_early()
  local root
  -- In VS Code, Neovim is not the agents' editor.
  if vim.g.vscode then
    return
  end
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    root = root or project.is_file(buf) and project.of_buffer(buf) or nil
  end
  root = root or vim.fn.argc() == 0 and project.of_cwd() or nil
  local cmd = config.current.cmd
  if not root or vim.fn.executable(vim.fs.normalize(cmd[1])) == 0 then
    return
  end
  local folders = workspace_folders(root)
  local encodings = vim.fn.has('nvim-0.11') == 1 and { 'utf-8', 'utf-16', 'utf-32' } or { 'utf-16' }
  -- An error appears when the client starts the program.
  pcall(link.start_early, root, cmd, {
    processId = vim.uv.os_getpid(),
    clientInfo = { name = 'Neovim' },
    rootPath = root,
    rootUri = folders[1].uri,
    workspaceFolders = folders,
    initializationOptions = INIT_OPTIONS,
    capabilities = { general = { positionEncodings = encodings } },
  })
end

local function is_disabled()
  return registers_config and vim.lsp.is_enabled ~= nil and not vim.lsp.is_enabled(NAME)
end

--- Starts the project's server unless it runs, and attaches `buf` to it.
---@param root string
---@param buf integer?
---@return boolean
function M.start(root, buf)
  if leaving or is_disabled() or not M.can_run() then
    return false
  end
  local client = M.client(root)
  if client and not buf then
    return true
  end
  local ok, id
  link.root = root
  if buf then
    ok, id = pcall(vim.lsp.start, config_of(root), { bufnr = buf, reuse_client = is_same_project, silent = true })
  elseif registers_config then
    ok, id = pcall(vim.lsp.start, config_of(root), { attach = false, silent = true })
  else
    ok, id = pcall(vim.lsp.start_client, config_of(root))
  end
  link.root = nil
  if not ok or not id then
    server_restart.show_once('start ' .. root, 'alongside: cannot start the server (:checkhealth alongside)')
  end
  return ok and id ~= nil
end

--- Attaches a file that was opened or entered to the server of its project, which starts if needed. `opened`: the file
--- was just read, which also restarts a stopped server.
---@param buf integer
---@param opened boolean?
function M.attach(buf, opened)
  if not project.is_file(buf) or not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  local root = project.of_buffer(buf)
  if opened then
    server_restart.release(root)
  elseif server_restart.is_held(root) then
    return
  end
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = buf, name = NAME, _uninitialized = true })) do
    if client.root_dir == root and not client.rpc.is_closing() then
      return
    end
    vim.lsp.buf_detach_client(buf, client.id)
  end
  M.start(root, buf)
end

--- Gives the client the position encoding of the buffer's other clients. Neovim uses one encoding for all clients of a
--- buffer and warns of differences; this client uses no positions.
---@param buf integer
function M.adopt_encoding(buf)
  local own, other
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = buf })) do
    if client.name == NAME then
      own = client
    else
      other = other or client
    end
  end
  if own and other then
    own.offset_encoding = other.offset_encoding
  end
end

--- Starts the server of the current directory, unless somebody stopped it.
function M.attach_cwd()
  local root = project.of_cwd()
  if not server_restart.is_held(root) then
    M.start(root)
  end
end

--- Attaches the open files. Starts the server of the current directory if Neovim has no files on its command line, or
--- if a terminal is open. For files outside all projects, such as a commit message, no server starts.
function M.begin()
  has_begun = true
  local has_terminal = false
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    M.attach(buf)
    has_terminal = has_terminal or vim.bo[buf].buftype == 'terminal'
  end
  local has_client = #vim.lsp.get_clients({ name = NAME, _uninitialized = true }) > 0
  if has_terminal or vim.fn.argc() == 0 and not has_client then
    M.attach_cwd()
  end
  link.end_early()
end

--- Restarts every server, also servers that were stopped, that crashed too often, or that failed to start.
function M.restart()
  local roots = server_restart.reset()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and project.is_file(buf) then
      roots[project.of_buffer(buf)] = true
    end
  end
  for _, client in ipairs(vim.lsp.get_clients({ name = NAME, _uninitialized = true })) do
    roots[client.root_dir] = nil
    server_restart.expect(client.root_dir)
    stop(client)
    vim.defer_fn(function()
      if not client.rpc.is_closing() then
        client.rpc.terminate()
      end
    end, 2000)
  end
  if next(roots) == nil and not M.is_starting() and #M.all() == 0 then
    roots[project.of_cwd()] = true
  end
  for root in pairs(roots) do
    start_again(root, project.buffers_of(root))
  end
end

--- Whether a server is starting.
---@return boolean
function M.is_starting()
  return #vim.lsp.get_clients({ name = NAME, _uninitialized = true }) > #M.all()
end

--- Returns every ready server, in the order of their starts.
---@return alongside.Server[]
function M.all()
  local all = vim.tbl_values(servers)
  table.sort(all, function(a, b)
    return a.id < b.id
  end)
  return all
end

--- Returns the ready server of a client, or of a project.
---@param which integer|string
---@return alongside.Server?
function M.get(which)
  if type(which) == 'number' then
    return servers[which]
  end
  for _, server in pairs(servers) do
    if server.root == which then
      return server
    end
  end
end

--- Sends a request. The callback runs once: with the reply, or with an error whose `data.why` is "gone" if the server
--- has ended.
---@param id integer the client
---@param method string
---@param params table
---@param callback fun(err: table?, result: any)
function M.request(id, method, params, callback)
  link.send(servers[id], method, params, callback)
end

--- Sends a notification.
---@param id integer the client
---@param method string
---@param params table
---@return boolean sent
function M.notify(id, method, params)
  local server = servers[id]
  return server ~= nil and server.rpc.notify(method, params)
end

--- Registers the server by name for Neovim's own commands. init.lua must have set `M.on` before.
function M.setup()
  server_restart.reset()
  -- Neovim 0.10 has no `vim.lsp.config`.
  registers_config = vim.fn.has('nvim-0.11') == 1
  if registers_config then
    local registered = client_config()
    registered.root_dir = function(buf, start)
      if has_begun and project.is_file(buf) and M.can_run() then
        start(project.of_buffer(buf))
      end
    end
    vim.lsp.config(NAME, registered)
    vim.lsp.enable(NAME)
  end
  autocommands('server')('VimLeavePre', 'keep servers from restarting', function()
    leaving = true
  end)
end

return M
