-- The drafts of a Neovim that exited with `:qa!`. Nothing can be shown after the exit, so a file lists them, and the
-- next Neovim names them, once.

local config = require('alongside.config')
local harmless = require('alongside.harmless')
local log = require('alongside.log')
local messages = require('alongside.lazy')('messages')

local M = {}

local function list_path()
  return vim.fn.stdpath('state') .. '/alongside/left.json'
end

local function read(path)
  local ok, files = pcall(function()
    return vim.json.decode(table.concat(vim.fn.readfile(path), '\n'))
  end)
  return ok and type(files) == 'table' and vim.tbl_filter(function(file)
    return type(file) == 'string'
  end, files) or {}
end

--- At the exit of Neovim: lists the files of reviews with edits that were not accepted and that no other desk keeps.
function M.record()
  local files = vim.uv.fs_stat(list_path()) and read(list_path()) or {}
  local old_count = #files
  for _, review in ipairs(require('alongside.review').all()) do
    local is_edited = require('alongside.ending').is_edited(review)
    local goes_to_drafts = is_edited and review.deciding ~= 'accept' and not require('alongside.leaving').is_kept(review)
    if goes_to_drafts and not vim.list_contains(files, review.file) then
      files[#files + 1] = review.file
    end
  end
  if #files == old_count then
    return
  end
  local ok, why = pcall(function()
    vim.fn.mkdir(vim.fs.dirname(list_path()), 'p', tonumber('700', 8))
    assert(vim.fn.writefile({ vim.json.encode(files) }, list_path()) == 0)
  end)
  if not ok then
    log.write('cannot note the files with drafts: ' .. tostring(why))
  end
end

-- "a.txt", "a.txt and b.txt", "a.txt and 2 more".
local function names(files)
  local shown = vim.tbl_map(function(file)
    return harmless.name(vim.fn.fnamemodify(file, ':~:.'))
  end, files)
  return #shown > 2 and ('%s and %d more'):format(shown[1], #shown - 1) or table.concat(shown, ' and ')
end

--- At the start of Neovim: names the listed drafts that still exist.
function M.announce()
  -- If two Neovims start at once, only one gets the list.
  local own_path = list_path() .. '.' .. vim.uv.os_getpid()
  if not vim.uv.fs_rename(list_path(), own_path) then
    return
  end
  local files = read(own_path)
  vim.uv.fs_unlink(own_path)
  local words = { config.current.cmd[1], 'drafts', 'list' }
  pcall(vim.system, words, { text = true, timeout = 10000 }, vim.schedule_wrap(function(listed)
    local remaining = vim.tbl_filter(function(file)
      return (listed.stdout or ''):find(harmless.name(vim.fs.basename(file)), 1, true) ~= nil
    end, files)
    if listed.code == 0 and #remaining > 0 then
      messages.later(('Your last edits of %s are in drafts: run `alongside drafts` in a shell.'):format(names(remaining)))
    end
  end))
end

return M
