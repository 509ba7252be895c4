-- Reports the open files, the cursor and the selection to each project's companion. The last file stays active while the
-- person is in a terminal or a floating window, because they talk to an agent about it there.

local autocommands = require('alongside.autocommands')
local config = require('alongside.config')
local log = require('alongside.log')
local project = require('alongside.project')
local selection = require('alongside.selection')
local server = require('alongside.server')

local M = {}

-- The shortest time between two messages, in milliseconds.
local PACE = 50
-- Agents take ten files; the companion omits excluded ones.
local MOST_FILES = 50

local focused = {} ---@type table<integer, integer> by buffer, when it was entered last
local turn = 0
local looked_at ---@type integer? the file's buffer that counts as active
-- By buffer, as last seen.
local places = {} ---@type table<integer, { cursor: table, anchor: table?, selected: string? }>
local watched = {} ---@type table<integer, boolean?> buffers whose next change ends their selection
local files ---@type { buf: integer, root: string, path: string, dirty: boolean }[]? nil: to be read again
local told = {} ---@type table<integer, table> by client, the last message
local last_sent = 0
local timer ---@type uv.uv_timer_t?
local waiting = false

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

local soon

-- The lines of a selection may hold other text now.
local function changed(_, buf)
  watched[buf] = nil
  if places[buf] then
    places[buf].selected = nil
    soon()
  end
  return true
end

local function note(buf, window, selected)
  places[buf] = selected and { cursor = selected.cursor, anchor = selected.anchor, selected = selected.text }
    or { cursor = selection.cursor(window) }
  if selected and not watched[buf] then
    -- Without `on_reload`, a reload detaches.
    watched[buf] = vim.api.nvim_buf_attach(buf, false, { on_lines = changed, on_detach = changed })
  end
end

--- Reads the state of the current window, if it counts.
local function look()
  -- A command line keeps the cursor, and applies to the selection from before.
  if vim.fn.mode() == 'c' then
    return
  end
  local window = vim.api.nvim_get_current_win()
  local buf = vim.api.nvim_win_get_buf(window)
  if is_floating(window) then
    return
  end
  if project.is_file(buf) then
    looked_at = buf
    note(buf, window, selection.current())
  elseif vim.bo[buf].buftype == '' and vim.api.nvim_buf_get_name(buf) == '' then
    -- In a new, unnamed buffer the person is in no file.
    looked_at = nil
  end
end

local function message(root)
  local open, active = {}, nil
  for _, file in ipairs(open_files()) do
    if file.root == root then
      if #open < MOST_FILES then
        open[#open + 1] = { path = file.path, dirty = file.dirty }
      end
      local place = file.buf == looked_at and places[file.buf]
      if place then
        local anchor = place.selected and place.anchor
        active = { path = file.path, cursor = place.cursor, anchor = anchor, selectedText = place.selected }
      end
    end
  end
  return { active = active, openFiles = open }
end

local function send()
  last_sent = vim.uv.now()
  for _, one in ipairs(server.all()) do
    local now = message(one.root)
    if not vim.deep_equal(now, told[one.id]) and server.notify(one.id, 'alongside/didChangeContext', now) then
      told[one.id] = now
    end
  end
end

--- Sends changes soon: after the current keys, and not before the interval has passed.
function soon()
  if waiting or not timer then
    return
  end
  waiting = true
  timer:start(math.max(0, PACE - (vim.uv.now() - last_sent)), 0, vim.schedule_wrap(log.guarded(function()
    waiting = false
    look()
    send()
  end)))
end

local function entered(buf)
  if project.is_file(buf) and not is_floating(0) then
    turn = turn + 1
    focused[buf] = turn
    files = nil
  end
end

local function left_visual_mode()
  local buf = vim.api.nvim_get_current_buf()
  if not project.is_file(buf) then
    return
  end
  -- Leaving the window ends Visual mode first, but the selection stays the topic in the next window. `look` forgets it if
  -- the person is still here after this key.
  local ok, selected = pcall(selection.last)
  note(buf, vim.api.nvim_get_current_win(), ok and selected or nil)
end

--- The server of the current file.
---@return alongside.Server?
function M.server()
  if looked_at and vim.api.nvim_buf_is_valid(looked_at) and project.is_file(looked_at) then
    local one = server.get(project.of_buffer(looked_at))
    if one then
      return one
    end
  end
  return server.get(project.of_cwd())
end

--- A server is ready: it gets everything.
---@param id integer
function M.ready(id)
  told[id] = nil
  if config.current.context then
    files = nil
    soon()
  end
end

--- A server has ended.
---@param id integer
function M.gone(id)
  told[id] = nil
end

local function forget(buf)
  focused[buf], places[buf] = nil, nil
  if looked_at == buf then
    looked_at = nil
  end
  project.forget(buf)
end

--- Starts to follow the person; a second call applies the new configuration.
function M.setup()
  local add = autocommands('context')
  if timer then
    timer:stop()
    timer:close()
    timer, waiting = nil, false
  end
  local function on(events, what)
    add(events, 'context', what)
  end
  on('FocusGained', function()
    local one = M.server()
    if one then
      server.notify(one.id, 'alongside/didFocus', vim.empty_dict())
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
    local one = project.is_file(event.buf) and server.get(project.of_buffer(event.buf))
    if one then
      server.notify(one.id, 'alongside/didSave', { path = project.path(event.buf) })
    end
  end)
  if not config.current.context then
    return
  end
  timer = assert(vim.uv.new_timer())
  on({ 'BufEnter', 'WinEnter' }, function(event)
    entered(event.buf)
    soon()
  end)
  on('ModeChanged', function()
    local before, after = vim.v.event.old_mode or '', vim.v.event.new_mode or ''
    if selection.kind(before) and not selection.kind(after) then
      left_visual_mode()
    end
    soon()
  end)
  on({ 'CursorMoved', 'CursorMovedI', 'FocusLost' }, soon)
  on({
    'BufAdd', 'BufDelete', 'BufWipeout', 'BufHidden', 'BufFilePost', 'BufModifiedSet', 'BufWritePost', 'BufReadPost',
    'FocusGained', 'FileChangedShellPost',
  }, function(event)
    if event.event == 'BufDelete' and looked_at == event.buf then
      looked_at = nil
    end
    files = nil
    soon()
  end)
  on('OptionSet', function(event)
    if event.match == 'buflisted' or event.match == 'buftype' then
      files = nil
      soon()
    end
  end)
  entered(vim.api.nvim_get_current_buf())
  soon()
end

return M
