-- Drafts of a Neovim that was left with `:qa!`: nothing can be shown after its end, so a note on disk makes the next Neovim
-- name them, once.

local config = require('alongside.config')
local harmless = require('alongside.harmless')
local log = require('alongside.log')
local messages = require('alongside.messages')

local M = {}

local function note()
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

--- Neovim ends: notes the files of reviews with edits that nobody accepted and no other desk keeps.
function M.leave()
  local files = vim.uv.fs_stat(note()) and read(note()) or {}
  local known = #files
  for _, review in ipairs(require('alongside.review').all()) do
    local is_edited = require('alongside.ending').is_edited(review)
    local goes_to_drafts = is_edited and review.deciding ~= 'accept' and not require('alongside.leaving').is_kept(review)
    if goes_to_drafts and not vim.list_contains(files, review.file) then
      files[#files + 1] = review.file
    end
  end
  if #files == known then
    return
  end
  local ok, why = pcall(function()
    vim.fn.mkdir(vim.fs.dirname(note()), 'p', tonumber('700', 8))
    assert(vim.fn.writefile({ vim.json.encode(files) }, note()) == 0)
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

--- Neovim starts: names the drafts of the last one, as far as they are still there.
function M.tell()
  -- Of two Neovims that start at once, one gets the note.
  local mine = note() .. '.' .. vim.uv.os_getpid()
  if not vim.uv.fs_rename(note(), mine) then
    return
  end
  local files = read(mine)
  vim.uv.fs_unlink(mine)
  local words = { config.current.cmd[1], 'drafts', 'list' }
  pcall(vim.system, words, { text = true, timeout = 10000 }, vim.schedule_wrap(function(listed)
    local there = vim.tbl_filter(function(file)
      return (listed.stdout or ''):find(harmless.name(vim.fs.basename(file)), 1, true) ~= nil
    end, files)
    if listed.code == 0 and #there > 0 then
      messages.later(('Your last edits of %s are in drafts: run `alongside drafts` in a shell.'):format(names(there)))
    end
  end))
end

return M
