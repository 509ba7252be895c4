-- The bars above the two windows: agent, state of the changes, warnings, and keys to decide.

local hard_to_see = require('alongside.hard_to_see')
local harmless = require('alongside.harmless')
local seen = require('alongside.seen')

local M = {}

--- The file for a person: relative to the project if it lies in it, and with single separators, so that no name looks
--- like a URL.
---@param file string
---@param root string?
---@return string harmless
function M.file_name(file, root)
  file = file:gsub('//+', '/')
  if root and vim.startswith(file, root .. '/') and #file > #root + 1 and not file:find('/../', 1, true) then
    return harmless.name(file:sub(#root + 2))
  end
  return harmless.name(file)
end

--- The agent for a person.
---@param agent table?
---@return string harmless
function M.agent_name(agent)
  local name = type(agent) == 'table' and agent.name or ''
  if vim.trim(name) == '' then
    return type(agent) == 'table' and agent.number and ('agent %d'):format(agent.number) or 'an agent'
  end
  return harmless.name(name)
end

---@param hunks table[]
---@return { kept: integer, dropped: integer, edited: integer }
function M.counts(hunks)
  local counts = { kept = 0, dropped = 0, edited = 0 }
  for _, hunk in ipairs(hunks) do
    counts[hunk.state] = (counts[hunk.state] or 0) + 1
  end
  return counts
end

--- How many changes are in each state, as at the other desks: "2 kept, 1 dropped". Empty without changes.
---@param counts { kept: integer, dropped: integer, edited: integer }
---@return string
function M.states(counts)
  local parts = {}
  for _, state in ipairs({ 'kept', 'dropped', 'edited' }) do
    if counts[state] > 0 then
      parts[#parts + 1] = ('%d %s'):format(counts[state], state)
    end
  end
  return table.concat(parts, ', ')
end

--- The number of changes for a person: "2 changes", or "no change left" if all are dropped.
---@return string
function M.size(review)
  if #review.hunks == 0 then
    local ends, mark = review.fileLineEnding ~= nil, type(review.fileHasBom) == 'boolean'
    return ends and mark and 'other line ends and another byte-order mark' or ends and 'other line ends'
      or mark and 'another byte-order mark' or 'no change'
  elseif M.counts(review.hunks).dropped == #review.hunks then
    return 'no change left'
  end
  return #review.hunks == 1 and '1 change' or #review.hunks .. ' changes'
end

local function states(review, is_short)
  if review.wholeFileOnly then
    return 'as a whole'
  end
  local counts = M.counts(review.hunks)
  if not review.original_text then
    return 'new file' .. (counts.edited > 0 and ', edited' or '')
  end
  if is_short and counts.dropped + counts.edited > 0 then
    counts.kept = 0
  end
  local said = M.states(counts)
  return said == '' and M.size(review) or said
end

--- The warnings, loudest first. The second text is for the question before accepting, if there is one; `brief` says less where
--- the bar has no room for a path or a sentence.
---@param review table
---@param root string?
---@param is_modified boolean whether a buffer here holds unsaved changes of the file
---@return { [1]: string, [2]: string?, brief: string?, is_at_change: boolean? }[]
function M.notes(review, root, is_modified)
  local notes = {}
  local file = review.file
  if review.outside then
    local real = harmless.name(review.outside)
    notes[#notes + 1] = {
      'OUTSIDE THE PROJECT: ' .. real, 'The file leads outside the project, to ' .. real .. '.', brief = 'OUTSIDE THE PROJECT',
    }
  elseif (file .. '/'):find('/../', 1, true) then
    notes[#notes + 1] = { 'path leads through ..' }
  elseif root and not vim.startswith(file, root .. '/') then
    notes[#notes + 1] = { 'outside the project' }
  end
  if review.inGit then
    local real = harmless.name(review.inGit)
    notes[#notes + 1] = { 'RUN BY GIT: ' .. real, 'Git runs or obeys the file: ' .. real .. '.', brief = 'RUN BY GIT' }
  end
  if review.stale then
    notes[#notes + 1] = { 'changed on disk', 'The file has changed on disk: accepting undoes that change.' }
  end
  if is_modified then
    notes[#notes + 1] = {
      'unsaved in a buffer',
      'A buffer has unsaved changes to the file and will differ from it.',
    }
  elseif review.dirty then
    notes[#notes + 1] = { 'unsaved in an editor', 'An editor has unsaved changes to the file.' }
  end
  if review.remark then
    local remark = harmless.one_line(review.remark)
    notes[#notes + 1] = { remark, remark }
  end
  if review.wholeFileOnly then
    notes[#notes + 1] = { harmless.name(review.wholeFileOnly) }
  end
  -- The question about it is one of its own.
  if hard_to_see.of_review(review) then
    notes[#notes + 1] = { 'hard to see', is_at_change = true }
  end
  return notes
end

local function part(group, said)
  return ('%%#%s#%s'):format(group, (said:gsub('%%', '%%%%')))
end

--- The name of a key, such as "\a" or "<Space>a".
---@param key string
---@return string
function M.key_name(key)
  return vim.fn.keytrans(require('alongside.config').key_codes(key))
end

-- Uniform differences of file and proposal. The agent converts, so this is no warning.
local function form(review)
  local file, proposal = {}, {}
  if review.fileLineEnding == 'crlf' or review.fileLineEnding == 'lf' then
    local is_crlf = review.fileLineEnding == 'crlf'
    file[1], proposal[1] = is_crlf and 'CRLF' or 'LF', is_crlf and 'LF' or 'CRLF'
  end
  if type(review.fileHasBom) == 'boolean' then
    file[#file + 1] = review.fileHasBom and 'BOM' or 'no BOM'
    proposal[#proposal + 1] = review.fileHasBom and 'no BOM' or 'BOM'
  end
  if #file > 0 then
    return ('file: %s, proposal: %s'):format(table.concat(file, ' '), table.concat(proposal, ' '))
  end
end

-- The keys of this review with their effects, the last to go first: an edit waits for the decision. Where Neovim has its own
-- key, the bar shows that one; the plugin's work as well.
local function keys_of(review)
  local keys = { { ':w', 'accept' }, { ':q', 'reject' } }
  if review.original_text and not review.wholeFileOnly and #review.hunks > 0 then
    keys = { { ':w', 'accept' }, { 'do', 'drop' }, { ':q', 'reject' }, { ']c', 'next' } }
  end
  local reason = review.reasons and require('alongside.config').current.keys.reason
  if reason then
    keys[#keys + 1] = { M.key_name(reason), 'reason' }
  end
  return keys
end

-- The bar has no room for more of a reason.
local MOST_OF_REASON = 60

local function shortened(reason)
  if vim.fn.strchars(reason) <= MOST_OF_REASON then
    return reason
  end
  return vim.fn.strcharpart(reason, 0, MOST_OF_REASON - 1) .. '…'
end

-- `less` has the parts to omit for lack of room, and how many keys and effects of keys remain.
local function bar(review, context, less, space)
  local name = M.file_name(review.file, context.root)
  -- If nothing else helps, Neovim cuts here: the name first, the warnings last.
  local parts = { ' %<' }
  local function add(group, said)
    parts[#parts + 1] = #parts > 1 and part('AlongsideNote', '  ') or nil
    parts[#parts + 1] = part(group, said)
  end
  if not less.name then
    add('AlongsideTitle', less.directories and vim.fs.basename(name) or name)
  end
  if context.ended then
    add('AlongsideWarning', context.ended)
    parts[#parts + 1] = '%* '
    return table.concat(parts)
  end
  if not less.agent then
    add('AlongsideNote', M.agent_name(review.agent))
  end
  add('AlongsideNote', states(review, less.kept))
  for _, note in ipairs(M.notes(review, context.root, context.is_modified)) do
    -- Words below the change say the same.
    if not (note.is_at_change and less.hard) then
      add('AlongsideWarning', '! ' .. (less.places and note.brief or note[1]))
    end
  end
  if context.unseen and not less.seen then
    add('AlongsideNote', context.unseen)
  end
  if review.reason and not less.has_reason then
    add('AlongsideNote', less.reason and 'with a reason' or 'reason: ' .. shortened(harmless.one_line(review.reason)))
  end
  local differs = not less.form and form(review)
  if differs then
    add('AlongsideNote', differs)
  end
  if context.waiting and context.waiting > 0 and not less.waiting then
    add('AlongsideNote', context.waiting == 1 and '1 more waits' or context.waiting .. ' more wait')
  end
  parts[#parts + 1] = space
  for i, key in ipairs(vim.list_slice(keys_of(review), 1, less.keys)) do
    parts[#parts + 1] = part('AlongsideNote', i > 1 and i - 1 > less.effects and ' ' or '  ')
    parts[#parts + 1] = part('AlongsideKey', key[1])
    if i <= less.effects then
      parts[#parts + 1] = part('AlongsideNote', ' ' .. key[2])
    end
  end
  parts[#parts + 1] = '%* '
  return table.concat(parts)
end

-- The parts to omit for lack of room, in this order, or how many of the keys and of their effects remain. Accepting and dropping
-- keep their words longest. A warning loses its path before it would be cut. Without "waiting" the effects return, and without those the name, which the tab has, too. A
-- long reason is only mentioned at first. How many changes were dropped or edited stays, and so do warnings.
local GOES = {
  'directories', 'agent', 'form', 'reason', { effects = 4 }, { effects = 3 }, { effects = 2 }, 'waiting', { effects = 9 },
  { effects = 4 }, { effects = 3 }, { effects = 2 }, { keys = 4 }, { keys = 3 }, { keys = 2 }, 'places', 'seen', 'hard', 'name',
  'kept', { effects = 1, name = false, kept = false }, { effects = 0, keys = 4 }, { keys = 3 }, { keys = 2 }, 'has_reason', 'kept',
  { keys = 1 }, { keys = 0 },
}

--- The bar of the proposal.
---@param review table
---@param context { root: string?, is_modified: boolean?, ended: string?, waiting: integer?, width: integer, unseen: string? }
---@return string
function M.proposal(review, context)
  local keys = keys_of(review)
  local number = #keys
  -- Without a change to drop, the second key rejects, and its word goes first.
  local words = keys[2][1] == 'do' and 2 or 1
  local less = { keys = number, effects = number }
  context.unseen = seen.words(review)
  for _, what in ipairs(GOES) do
    local drawn = bar(review, context, less, '')
    if vim.api.nvim_eval_statusline(drawn, { use_winbar = true, maxwidth = 1000 }).width <= context.width then
      break
    end
    for name, value in pairs(type(what) == 'table' and what or { [what] = true }) do
      value = name == 'effects' and value == 2 and words or value
      less[name] = type(value) == 'number' and math.min(value, number) or value
    end
  end
  return bar(review, context, less, '%=')
end

--- The bar of the original.
---@param review table
---@return string
function M.original(review)
  local said = review.original_text and 'original'
    or review.wholeFileOnly and 'original: cannot be shown'
    or 'original: none, the file is new'
  return ' ' .. part('AlongsideNote', said) .. '%*'
end

return M
