-- The bars above the two windows: agent, state of the changes, warnings, and keys to decide.

local harmless = require('alongside.harmless')
local seen = require('alongside.seen')
local text = require('alongside.text')

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

local function holds_nothing(review)
  return review.sync and text.is_nothing(review.sync.told) or review.current_text == ''
end

--- Whether accepting leaves an empty file. A remark says it of a deletion.
---@return boolean
function M.is_emptied(review)
  if not review.original_text or review.original_text == '' or review.remark then
    return false
  end
  return holds_nothing(review)
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

--- A proposal that is not decided change by change, in words; nil for one that is.
---@return string?
function M.whole(review)
  return review.wholeFileOnly and 'as a whole' or not review.original_text and 'new file' or nil
end

--- The warnings, loudest first. The second text is for the question before accepting, if there is one; `brief` says less where
--- the bar has no room for a path or a sentence.
---@param review table
---@param root string?
---@param is_modified boolean whether a buffer here holds unsaved changes of the file
---@return { [1]: string, [2]: string?, brief: string? }[]
function M.notes(review, root, is_modified)
  local notes = {}
  local file = review.file
  local function danger(path, brief, said)
    if path then
      local real = harmless.name(path)
      notes[#notes + 1] = { brief .. ': ' .. real, said:format(real), brief = brief }
    end
  end
  danger(review.outside, 'OUTSIDE THE PROJECT', 'The file leads outside the project, to %s.')
  if not review.outside and (file .. '/'):find('/../', 1, true) then
    notes[#notes + 1] = { 'path leads through ..' }
  elseif not review.outside and root and not vim.startswith(file, root .. '/') then
    notes[#notes + 1] = { 'outside the project' }
  end
  danger(review.inGit, 'RUN BY GIT', 'Git runs or obeys the file: %s.')
  danger(review.ofAgents, 'OBEYED BY AGENTS', 'Agents take settings or instructions from the file: %s.')
  if M.is_emptied(review) then
    notes[#notes + 1] = { 'empties the file', 'It empties the file.' }
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
    if review.kind == 'delete' and not holds_nothing(review) then
      remark = M.agent_name(review.agent) .. ' would delete this file; it stays, with the lines that you keep.'
    end
    notes[#notes + 1] = { remark, remark }
  end
  if review.wholeFileOnly then
    notes[#notes + 1] = { harmless.name(review.wholeFileOnly) }
  end
  -- The question about it is one of its own.
  if review.display.unseen then
    notes[#notes + 1] = { 'hard to see' }
  end
  return notes
end

local function part(group, said)
  return ('%%#%s#%s'):format(group, harmless.statusline(said))
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

-- The keys of this review with their effects, the most important first: an edit waits for the decision. Where Neovim has its
-- own key, the bar shows that one; the plugin's work as well.
local function keys_of(review)
  local keys = { { ':w', 'accept' }, { ':q', 'reject' } }
  if seen.is_one_by_one(review) then
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

-- The left parts of a bar and its keys in the order of the screen, and the texts for them in the order of importance. A
-- later text for a part replaces the earlier one where there is room. Texts with `stays` are there in any case.
local function parts_of(review, context)
  local left, right, texts = {}, {}, {}
  local function place(group)
    left[#left + 1] = { group = group }
    return left[#left]
  end
  local function wish(of, said, stays)
    if said then
      texts[#texts + 1] = { place = of, said = said, stays = stays }
    end
  end
  local title, agent, counts = place('AlongsideTitle'), place('AlongsideNote'), place('AlongsideNote')
  local name = M.file_name(review.file, context.root)
  wish(title, vim.fs.basename(name), true)
  local notes = M.notes(review, context.root, context.is_modified)
  local warnings = {}
  for i, note in ipairs(notes) do
    warnings[i] = place('AlongsideWarning')
    wish(warnings[i], '! ' .. (note.brief or note[1]), true)
  end
  local unseen, reason = place('AlongsideNote'), place('AlongsideNote')
  wish(unseen, seen.words(review), true)
  for i, note in ipairs(notes) do
    wish(warnings[i], '! ' .. note[1])
  end
  local differs, waits = place('AlongsideNote'), place('AlongsideNote')
  local waiting = context.waiting or 0
  wish(waits, waiting == 1 and '1 more waits' or waiting > 1 and waiting .. ' more wait' or nil)
  wish(reason, review.reason and 'with a reason')
  local whole = M.whole(review) or #review.hunks == 0 and M.size(review) or nil
  if whole == 'new file' and M.counts(review.hunks).edited > 0 then
    whole = 'new file, edited'
  end
  wish(counts, whole)
  for _, key in ipairs(keys_of(review)) do
    right[#right + 1] = { key = key[1] }
    wish(right[#right], key[2])
  end
  -- The status line has them, too.
  wish(counts, not whole and M.states(M.counts(review.hunks)))
  wish(reason, review.reason and 'reason: ' .. shortened(harmless.one_line(review.reason)))
  wish(differs, form(review))
  wish(agent, M.agent_name(review.agent))
  wish(title, name)
  return left, right, texts
end

-- The columns of the parts that have a text, with the blanks around them.
local function width_of(left, right)
  local width = 0
  for _, one in ipairs(left) do
    width = width + (one.said and vim.fn.strdisplaywidth(one.said) + 2 or 0)
  end
  for _, one in ipairs(right) do
    width = width + (one.said and vim.fn.strdisplaywidth(one.key .. ' ' .. one.said) + 2 or 0)
  end
  return width
end

local function drawn(left, right)
  -- If nothing else helps, Neovim cuts here: the name first, the warnings last.
  local items, between = { ' %<' }, ''
  for _, one in ipairs(left) do
    if one.said then
      items[#items + 1] = between .. part(one.group, one.said)
      between = part('AlongsideNote', '  ')
    end
  end
  items[#items + 1] = '%='
  for _, one in ipairs(right) do
    if one.said then
      items[#items + 1] = part('AlongsideNote', '  ') .. part('AlongsideKey', one.key) .. part('AlongsideNote', ' ' .. one.said)
    end
  end
  items[#items + 1] = '%* '
  return table.concat(items)
end

--- The bar of the proposal: of all that could be said, in one order of importance, as much as there is room for. Keys have
--- their words, or are not there.
---@param review table
---@param context { root: string?, is_modified: boolean?, ended: string?, waiting: integer?, width: integer }
---@return string
function M.proposal(review, context)
  if context.ended then
    local title = { group = 'AlongsideTitle', said = M.file_name(review.file, context.root) }
    return drawn({ title, { group = 'AlongsideWarning', said = context.ended } }, {})
  end
  local left, right, texts = parts_of(review, context)
  for _, one in ipairs(texts) do
    local before = one.place.said
    one.place.said = one.said
    if not one.stays and width_of(left, right) > context.width then
      one.place.said = before
    end
  end
  return drawn(left, right)
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
