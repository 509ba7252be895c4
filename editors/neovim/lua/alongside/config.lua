-- The options. A message names a misspelt option and the nearest valid name; all valid options still apply.

local harmless = require('alongside.harmless')

local M = {}

---@class alongside.Config
---@field cmd string[] the command that starts the server
---@field keys table<"go"|"terminal"|"send"|"accept"|"reject"|"reason"|"reason_all"|"help", string|false>
---@field agent string|string[]|false the command of the agent that `:Alongside terminal` starts
---@field auto_open boolean whether proposals open by themselves, when the person pauses
---@field context boolean whether agents learn which files are open
---@field environment boolean whether terminals opened in Neovim get the variables that lead agents here
---@field notify fun(message: string, level?: integer, opts?: table)
---@field log string|false a file to which the log is also written

--- Returns the program that installed the plugin, otherwise the name to search in $PATH.
local function program()
  local ok, installed = pcall(require, 'alongside.installed')
  if ok and type(installed) == 'table' and vim.fn.executable(installed.program or '') == 1 then
    return installed.program
  end
  return 'alongside'
end

local function is_command(value)
  return type(value) == 'table' and #value > 0 and vim.iter(value):all(function(word)
    return type(word) == 'string' and word ~= ''
  end)
end

local function is_boolean(value)
  return type(value) == 'boolean'
end

local function is_callable(value)
  return vim.is_callable(value)
end

local function is_string_or_false(value)
  return value == false or (type(value) == 'string' and value ~= '')
end

local function is_command_or_false(value)
  return value == false or is_command(value) or (type(value) == 'string' and value:find('%S') ~= nil)
end

local function key(default, example)
  return { is_string_or_false, ('a key such as "%s", or false'):format(example or default), default }
end

-- For each option: a check of the value, a description of valid values, and the default.
local rules = {
  cmd = { is_command, 'a list of words such as { "alongside", "lsp" }' },
  agent = { is_command_or_false, 'a command such as "qwen" or { "gemini", "--model", "pro" }, or false', false },
  auto_open = { is_boolean, 'true or false', false },
  context = { is_boolean, 'true or false', true },
  environment = { is_boolean, 'true or false', true },
  notify = { is_callable, 'a function such as vim.notify', false },
  log = { is_string_or_false, 'the path of a file, or false', false },
  keys = {
    go = key(false, '<leader>p'),
    terminal = key(false, '<F7>'),
    send = key(false, '<leader>s'),
    accept = key('<localleader>a'),
    reject = key('<localleader>r'),
    reason = key('<localleader>w'),
    reason_all = key('<localleader>W'),
    help = key('g?'),
  },
}

local function defaults()
  local function default(rule)
    return rule[3]
  end
  local config = vim.tbl_map(default, rules)
  config.cmd, config.keys = { program(), 'lsp' }, vim.tbl_map(default, rules.keys)
  return config
end

--- The Levenshtein distance of `a` and `b`.
local function distance(a, b)
  local row = {}
  for j = 0, #b do
    row[j] = j
  end
  for i = 1, #a do
    local diagonal = row[0]
    row[0] = i
    for j = 1, #b do
      local above = row[j]
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      row[j] = math.min(above + 1, row[j - 1] + 1, diagonal + cost)
      diagonal = above
    end
  end
  return row[#b]
end

--- Returns the one of `names` that is nearest to `name`; nil if none is near.
---@param name string
---@param names string[]
---@return string?
function M.nearest(name, names)
  local best, least
  table.sort(names)
  for _, candidate in ipairs(names) do
    local edits = distance(name:lower(), candidate)
    if not least or edits < least then
      best, least = candidate, edits
    end
  end
  return least and least <= 2 and least < #name / 2 and best or nil
end

local function merge(given, target, schema, prefix, errors)
  for name, value in pairs(given) do
    local label = prefix .. tostring(name)
    local rule = schema[name]
    if rule == nil then
      local nearest = M.nearest(tostring(name), vim.tbl_keys(schema))
      errors[#errors + 1] = ("there is no option '%s'%s"):format(
        label,
        nearest and (": did you mean '%s%s'?"):format(prefix, nearest) or '; :help alongside-options lists them'
      )
    elseif type(rule[1]) ~= 'function' then
      if type(value) == 'table' then
        merge(value, target[name], rule, label .. '.', errors)
      else
        errors[#errors + 1] = ("option '%s' must be a table, not %s"):format(label, type(value))
      end
    elseif rule[1](value) then
      target[name] = value
    else
      errors[#errors + 1] = ("option '%s' must be %s"):format(label, rule[2])
    end
  end
end

-- Which actions keep their key if two have the same one: the first. Actions that decide come last, so that a key of
-- another action never decides.
local KEY_PRIORITY = { 'go', 'terminal', 'send', 'help', 'reason', 'reason_all', 'reject', 'accept' }

--- Returns the characters of a key, with the leaders replaced: two keys with the same characters are one key.
---@param key string
---@return string
function M.key_codes(key)
  for name, leader in pairs({ ['<[lL][oO][cC][aA][lL][lL][eE][aA][dD][eE][rR]>'] = vim.g.maplocalleader or '\\',
    ['<[lL][eE][aA][dD][eE][rR]>'] = vim.g.mapleader or '\\' }) do
    key = key:gsub(name, function()
      return leader == '' and '\\' or leader
    end)
  end
  return vim.keycode(key)
end

-- Switches off a key that another action already has: the key that opens a proposal, pressed twice, must not accept it.
local function disable_duplicates(keys, errors)
  local taken = {}
  for _, name in ipairs(KEY_PRIORITY) do
    local codes = keys[name] and M.key_codes(keys[name])
    if codes and taken[codes] then
      errors[#errors + 1] = ("option 'keys.%s' is the same key as 'keys.%s' (%s), so it is off: set another one"):format(
        name, taken[codes], vim.fn.keytrans(codes))
      keys[name] = false
    elseif codes then
      taken[codes] = name
    end
  end
end

local TRUNCATED = '… (:Alongside log)'

-- Truncates a message to `room` columns, and logs it in full.
local function cut(message, room)
  if vim.fn.strdisplaywidth(message) <= room then
    return message
  end
  require('alongside.log').write(message)
  return vim.fn.printf('%.*S', math.max(0, room - vim.fn.strdisplaywidth(TRUNCATED)), message) .. TRUNCATED
end

--- Splits a message into lines that fit, because with a longer one Neovim asks for Enter and interrupts typing. A
--- sentence that does not fit after the previous one begins a line, so that the last line, which stays on the screen,
--- says what to do.
local function in_lines(message)
  local room = vim.o.columns * math.max(1, vim.o.cmdheight) - 12
  if vim.fn.strdisplaywidth(message) <= room then
    return { message }
  end
  local lines = {}
  for sentence in (message:gsub('([.!?]) +', '%1\n')):gmatch('[^\n]+') do
    local longer = #lines > 0 and lines[#lines] .. ' ' .. sentence
    if longer and vim.fn.strdisplaywidth(longer) <= room then
      lines[#lines] = longer
    else
      lines[#lines + 1] = sentence
    end
  end
  return vim.tbl_map(function(line)
    return cut(line, room)
  end, lines)
end

--- Returns the function that shows a message made harmless, without a prompt for Enter.
local function notifier(user)
  return function(message, level, opts)
    local notify = user or vim.notify
    local lines = { harmless.text(message) }
    -- Neovim's own function shows messages in the command line.
    if type(notify) == 'function' and require('alongside.messages').is_own(notify) then
      lines = in_lines((lines[1]:gsub('%s*\n%s*', ' ')))
    end
    opts = vim.tbl_extend('keep', opts or {}, { title = 'alongside' })
    for i, line in ipairs(lines) do
      if i > 1 then
        -- Neovim asks for Enter after two messages without a redraw in between.
        pcall(vim.cmd.redraw)
      end
      local ok, err = pcall(notify, line, level or vim.log.levels.INFO, opts)
      if not ok then
        require('alongside.log').write(('%s (the notify function failed: %s)'):format(line, err))
      end
    end
  end
end

--- Returns the configuration for the options `given`, and its errors.
---@param given table?
---@return alongside.Config config, string[] errors
function M.resolve(given)
  local config, errors = defaults(), {}
  if given ~= nil and type(given) ~= 'table' then
    errors[1] = ('setup() takes a table, not %s'):format(type(given))
    given = nil
  end
  merge(given or {}, config, rules, '', errors)
  disable_duplicates(config.keys, errors)
  -- Whether the person's configuration sets `notify`.
  M.is_custom = config.notify ~= false
  config.notify = notifier(config.notify or nil)
  table.sort(errors)
  return config, errors
end

M.current = (M.resolve())

return M
