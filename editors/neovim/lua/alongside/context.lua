-- Reports the open files, the cursor and the selection to each project's companion. The last file stays active while
-- the person is in a terminal or a floating window, because there they talk to an agent about that file.

local autocommands = require('alongside.autocommands')
local config = require('alongside.config')
local log = require('alongside.log')
local project = require('alongside.project')
local selection = require('alongside.selection')
local server = require('alongside.server')

local M = {}

-- The shortest time between two notifications, in milliseconds.
local MIN_INTERVAL = 50
-- Agents get ten files. The companion omits excluded files, so it gets more.
local MAX_FILES = 50

local focused = {} ---@type table<integer, integer> by buffer: the value of `entries` when it was entered last
local entries = 0
local active_buf ---@type integer? the buffer of the active file
-- By buffer, as at the last read.
local positions = {} ---@type table<integer, { cursor: table, anchor: table?, selected: string? }>
local watched = {} ---@type table<integer, boolean?> buffers whose next change invalidates their selection
local files ---@type { buf: integer, root: string, path: string, dirty: boolean }[]? nil: must be read again
local sent = {} ---@type table<integer, table> by client: the last notification sent
local last_sent = 0
local timer ---@type uv.uv_timer_t?
local is_scheduled = false

local function open_files()
  if files then
    return files
  end
  files = {}
  local used = {}
  for _, info in ipairs(vim.fn.getbufinfo({ buflisted = 1 })) do
    local buf = info.bufnr
    if project.is_file(buf) and project.exists(buf) then
      used[buf] = info.lastused
      files[#files + 1] = {
        buf = buf,
        root = project.of_buffer(buf),
        path = project.path(buf),
        dirty = vim.bo[buf].modified,
      }
    end
  end
  table.sort(files, function(a, b)
    local left, right = focused[a.buf] or 0, focused[b.buf] or 0
    if left ~= right then
      return left > right
    end
    if used[a.buf] ~= used[b.buf] then
      return used[a.buf] > used[b.buf]
    end
    return a.buf < b.buf
  end)
  return files
end

local function is_floating(window)
  return vim.api.nvim_win_get_config(window).relative ~= ''
end

local schedule_send

-- Drops the selected text of a changed buffer: the same lines may hold other text now.
local function on_change(_, buf)
  watched[buf] = nil
  if positions[buf] then
    positions[buf].selected = nil
    schedule_send()
  end
  return true
end

local function record_position(buf, window, selected)
  positions[buf] = selected and { cursor = selected.cursor, anchor = selected.anchor, selected = selected.text }
    or { cursor = selection.cursor(window) }
  if selected and not watched[buf] then
    -- Without `on_reload`, Neovim detaches at a reload.
    watched[buf] = vim.api.nvim_buf_attach(buf, false, { on_lines = on_change, on_detach = on_change })
  end
end

--- Reads the cursor and the selection of the current window, if it shows a file.
local function read_window()
  -- While the person is in the command line, the cursor and the selection stay as they were before.
  if vim.fn.mode() == 'c' then
    return
  end
  local window = vim.api.nvim_get_current_win()
  local buf = vim.api.nvim_win_get_buf(window)
  if is_floating(window) then
    return
  end
  if project.is_file(buf) then
    active_buf = buf
    record_position(buf, window, selection.current())
  elseif vim.bo[buf].buftype == '' and vim.api.nvim_buf_get_name(buf) == '' then
    -- In an unnamed buffer, no file is active.
    active_buf = nil
  end
end

local function context_of(root)
  local open, active = {}, nil
  for _, file in ipairs(open_files()) do
    if file.root == root then
      if #open < MAX_FILES then
        open[#open + 1] = { path = file.path, dirty = file.dirty }
      end
      local position = file.buf == active_buf and positions[file.buf]
      if position then
        local anchor = position.selected and position.anchor
        active = { path = file.path, cursor = position.cursor, anchor = anchor, selectedText = position.selected }
      end
    end
  end
  return { active = active, openFiles = open }
end

local function send()
  last_sent = vim.uv.now()
  for _, this in ipairs(server.all()) do
    local now = context_of(this.root)
    if not vim.deep_equal(now, sent[this.id]) and server.notify(this.id, 'alongside/didChangeContext', now) then
      sent[this.id] = now
    end
  end
end

--- Schedules a notification: after the current keys, and at least MIN_INTERVAL after the last one.
function schedule_send()
  if is_scheduled or not timer then
    return
  end
  is_scheduled = true
  timer:start(math.max(0, MIN_INTERVAL - (vim.uv.now() - last_sent)), 0, vim.schedule_wrap(log.guarded(function()
    is_scheduled = false
    read_window()
    send()
  end)))
end

local function record_entry(buf)
  if project.is_file(buf) and not is_floating(0) then
    entries = entries + 1
    focused[buf] = entries
    files = nil
  end
end

local function record_last_selection()
  local buf = vim.api.nvim_get_current_buf()
  if not project.is_file(buf) then
    return
  end
  -- A move to another window ends Visual mode first, and the selection then stays active in the other window. If the
  -- person is still in this window after the key, `read_window` drops the selection.
  local ok, selected = pcall(selection.last)
  record_position(buf, vim.api.nvim_get_current_win(), ok and selected or nil)
end

--- Returns the server of the active file's project, otherwise of the current directory's.
---@return alongside.Server?
function M.server()
  if active_buf and vim.api.nvim_buf_is_valid(active_buf) and project.is_file(active_buf) then
    local this = server.get(project.of_buffer(active_buf))
    if this then
      return this
    end
  end
  return server.get(project.of_cwd())
end

--- Sends everything to a server that is ready.
---@param id integer
function M.ready(id)
  sent[id] = nil
  if config.current.context then
    files = nil
    schedule_send()
  end
end

--- Forgets what a server was sent that has ended.
---@param id integer
function M.gone(id)
  sent[id] = nil
end

local function forget(buf)
  focused[buf], positions[buf] = nil, nil
  if active_buf == buf then
    active_buf = nil
  end
  project.forget(buf)
end

--- Starts to report; a second call applies the new configuration.
function M.setup()
  local add = autocommands('context')
  if timer then
    timer:stop()
    timer:close()
    timer, is_scheduled = nil, false
  end
  local function on(events, callback)
    add(events, 'context', callback)
  end
  on('FocusGained', function()
    local this = M.server()
    if this then
      server.notify(this.id, 'alongside/didFocus', vim.empty_dict())
    end
  end)
  on('BufWipeout', function(event)
    forget(event.buf)
  end)
  on('BufFilePost', function(event)
    project.forget(event.buf)
  end)
  on({ 'FocusGained', 'FileChangedShellPost' }, function()
    project.ask_again()
  end)
  on({ 'BufWritePost', 'BufReadPost', 'BufNewFile' }, function(event)
    project.ask_again(event.buf)
  end)
  on('BufWritePost', function(event)
    local this = project.is_file(event.buf) and server.get(project.of_buffer(event.buf))
    if this then
      server.notify(this.id, 'alongside/didSave', { path = project.path(event.buf) })
    end
  end)
  if not config.current.context then
    return
  end
  timer = assert(vim.uv.new_timer())
  on({ 'BufEnter', 'WinEnter' }, function(event)
    record_entry(event.buf)
    schedule_send()
  end)
  on('ModeChanged', function()
    local before, after = vim.v.event.old_mode or '', vim.v.event.new_mode or ''
    if selection.kind(before) and not selection.kind(after) then
      record_last_selection()
    end
    schedule_send()
  end)
  on({ 'CursorMoved', 'CursorMovedI', 'FocusLost' }, schedule_send)
  on({
    'BufAdd', 'BufDelete', 'BufWipeout', 'BufHidden', 'BufFilePost', 'BufModifiedSet', 'BufWritePost', 'BufReadPost',
    'FocusGained', 'FileChangedShellPost',
  }, function(event)
    if event.event == 'BufDelete' and active_buf == event.buf then
      active_buf = nil
    end
    files = nil
    schedule_send()
  end)
  on('OptionSet', function(event)
    if event.match == 'buflisted' or event.match == 'buftype' then
      files = nil
      schedule_send()
    end
  end)
  record_entry(vim.api.nvim_get_current_buf())
  schedule_send()
end

return M
