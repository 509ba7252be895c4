-- The bars above the two windows: agent, state of the changes, warnings, and keys to decide.

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

--- The notes of a review in the words of every desk, and what a buffer here adds to them.
---@param review alongside.Review
---@param is_modified boolean whether a buffer here holds unsaved changes of the file
---@return { text: string, brief: string?, warning: boolean }[]
function M.notes(review, is_modified)
  local notes = vim.list_slice(review.display.notes)
  if review.display.empties then
    notes[#notes + 1] = { text = 'It empties the file.', brief = 'empties the file', warning = true }
  end
  if is_modified and not review.dirty then
    local said = 'A buffer has unsaved changes to the file and will differ from it.'
    notes[#notes + 1] = { text = said, brief = 'unsaved in a buffer', warning = true }
  end
  return notes
end

--- The name of a key, such as "\a" or "<Space>a".
---@param key string
---@return string
function M.key_name(key)
  return vim.fn.keytrans(require('alongside.config').key_codes(key))
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

--- The bar of the proposal.
---@param review alongside.Review
---@param context { is_modified: boolean?, ended: string?, waiting: integer?, width: integer }
---@return string
function M.proposal(review, context)
  local this, display = bar.new(context.width, 'AlongsideNote'), review.display
  local function place(group)
    return this:place('left', { group = group })
  end
  local title, agent, states = place('AlongsideTitle'), place('AlongsideNote'), place('AlongsideNote')
  if context.ended then
    title.said, place('AlongsideWarning').said = display.name, context.ended
    return this:drawn()
  end
  this:say(title, vim.fs.basename(display.name), true)
  local warnings, remarks, places = {}, {}, {}
  for _, note in ipairs(M.notes(review, context.is_modified or false)) do
    table.insert(note.warning and warnings or remarks, note)
  end
  for _, note in ipairs(warnings) do
    places[note] = place('AlongsideWarning')
    this:say(places[note], '! ' .. (note.brief or note.text), true)
  end
  if display.unseen then
    this:say(place('AlongsideWarning'), '! hard to see', true)
  end
  this:say(place('AlongsideNote'), seen.words(review), true)
  local waits, waiting = place('AlongsideNote'), context.waiting or 0
  this:say(waits, waiting == 1 and '1 more waits' or waiting > 1 and waiting .. ' more wait' or nil)
  local is_whole = not seen.is_one_by_one(review)
  local state = display.states ~= '' and display.states or display.size
  this:say(states, is_whole and state or nil)
  for _, key in ipairs(keys_of(review)) do
    this:say(this:place('right', { group = 'AlongsideNote', key = key[1] }), key[2])
  end
  for _, note in ipairs(warnings) do
    this:say(places[note], '! ' .. note.text)
  end
  -- The status line has them, too.
  this:say(states, state)
  for _, note in ipairs(remarks) do
    places[note] = place('AlongsideNote')
    this:say(places[note], note.brief or note.text)
  end
  for _, note in ipairs(remarks) do
    this:say(places[note], note.text)
  end
  this:say(agent, display.agent)
  this:say(title, display.name)
  return this:drawn()
end

--- The bar of the original.
---@param review alongside.Review
---@return string
function M.original(review)
  local said = review.original and 'original'
    or review.wholeFileOnly and 'original: cannot be shown'
    or 'original: none, the file is new'
  return ' %#AlongsideNote#' .. said .. '%*'
end

return M
