-- The bars above the two windows: agent, state of the changes, warnings, and the keys that decide.

local bar = require('alongside.bar')
local seen = require('alongside.seen')

local M = {}

---@param hunks table[]
---@return { kept: integer, dropped: integer, edited: integer }
function M.counts(hunks)
  local counts = { kept = 0, dropped = 0, edited = 0 }
  for _, hunk in ipairs(hunks) do
    counts[hunk.state] = (counts[hunk.state] or 0) + 1
  end
  return counts
end

--- Returns the notes of a review that every desk shows, and those that only concern buffers here.
---@param review alongside.Review
---@param is_modified boolean whether a buffer here holds unsaved changes of the file
---@return { text: string, brief: string?, warning: boolean }[]
function M.notes(review, is_modified)
  local notes = vim.list_slice(review.display.notes)
  if review.display.empties then
    notes[#notes + 1] = { text = 'It empties the file.', brief = 'empties the file', warning = true }
  end
  if is_modified and not review.dirty then
    local message = 'A buffer has unsaved changes to the file and will differ from it.'
    notes[#notes + 1] = { text = message, brief = 'unsaved in a buffer', warning = true }
  end
  return notes
end

--- Returns the name of a key, such as "\a" or "<Space>a".
---@param key string
---@return string
function M.key_name(key)
  return vim.fn.keytrans(require('alongside.config').key_codes(key))
end

-- The keys of this review with their effects, in order of importance: an edit waits for the decision. For an action
-- with a key of Neovim and one of the plugin, the bar shows Neovim's.
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

--- Returns the bar of the proposal.
---@param review alongside.Review
---@param context { is_modified: boolean?, ended: string?, waiting: integer?, width: integer }
---@return string
function M.proposal(review, context)
  local line, display = bar.new(context.width, 'AlongsideNote'), review.display
  local function add(group)
    return line:add('left', { group = group })
  end
  local title, agent, states = add('AlongsideTitle'), add('AlongsideNote'), add('AlongsideNote')
  if context.ended then
    title.text, add('AlongsideWarning').text = display.name, context.ended
    return line:render()
  end
  line:set(title, vim.fs.basename(display.name), true)
  local warnings, remarks, parts = {}, {}, {}
  for _, note in ipairs(M.notes(review, context.is_modified or false)) do
    table.insert(note.warning and warnings or remarks, note)
  end
  for _, note in ipairs(warnings) do
    parts[note] = add('AlongsideWarning')
    line:set(parts[note], '! ' .. (note.brief or note.text), true)
  end
  if display.unseen then
    line:set(add('AlongsideWarning'), '! hard to see', true)
  end
  line:set(add('AlongsideNote'), seen.label(review), true)
  local waits, waiting = add('AlongsideNote'), context.waiting or 0
  line:set(waits, waiting == 1 and '1 more waits' or waiting > 1 and waiting .. ' more wait' or nil)
  local is_whole = not seen.is_one_by_one(review)
  local state = display.states ~= '' and display.states or display.size
  line:set(states, is_whole and state or nil)
  for _, key in ipairs(keys_of(review)) do
    line:set(line:add('right', { group = 'AlongsideNote', key = key[1] }), key[2])
  end
  for _, note in ipairs(warnings) do
    line:set(parts[note], '! ' .. note.text)
  end
  -- The status line also has the states.
  line:set(states, state)
  for _, note in ipairs(remarks) do
    parts[note] = add('AlongsideNote')
    line:set(parts[note], note.brief or note.text)
  end
  for _, note in ipairs(remarks) do
    line:set(parts[note], note.text)
  end
  line:set(agent, display.agent)
  line:set(title, display.name)
  return line:render()
end

--- Returns the bar of the original.
---@param review alongside.Review
---@return string
function M.original(review)
  local label = review.has_original and 'original'
    or review.wholeFileOnly and 'original: cannot be shown'
    or 'original: none, the file is new'
  return ' %#AlongsideNote#' .. label .. '%*'
end

return M
