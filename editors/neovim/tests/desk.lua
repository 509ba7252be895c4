-- A companion inside the tested Neovim that replaces the server: it keeps reviews with the strict model, computes their
-- hunks and records decisions.

local harmless = require('alongside.harmless')
local model = require('model')
local text = require('alongside.text')

-- `status` is the companion's; no other desk keeps the reviews.
local M = { decided = {}, reviews = {}, refuse = {}, status = { desks = 1, keptBy = {} } }

local CLIENT = 7

-- The key of a reason: the place of its change in the proposal.
local function proposed_key(start)
  return 'at ' .. start
end

--- The `display` of a review: the parts that a test passes, and short defaults for the others.
function M.words(given)
  return vim.tbl_extend('force', {
    messages = {}, name = 'x', agent = 'A', size = 'no change', counts = '+0 -0', states = '', notes = {}, empties = false, hunks = {},
  }, given or {})
end

-- The notes of a review; the first ones are warnings.
local function notes_of(review)
  local notes = {}
  for _, one in ipairs({
    { review.outside, 'This path leads outside the project, to %s', 'OUTSIDE THE PROJECT' },
    { review.inGit, 'Git runs or obeys this file: %s', 'RUN BY GIT' },
    { review.ofAgents, 'Agents take settings or instructions from this file: %s', 'OBEYED BY AGENTS' },
    { review.stale, 'The file changed on disk; accepting undoes that change.', 'changed on disk' },
    { review.dirty, 'An editor holds unsaved changes to the file.', 'unsaved in an editor' },
    { review.remark, '%s' },
    { review.wholeFileOnly, 'You can only accept or reject this as a whole: %s.', review.wholeFileOnly },
    { review.reason, 'Your reason for the agent: %s', 'with a reason', is_remark = true },
  }) do
    if one[1] then
      local text = one[2]:format(harmless.name(one[1]))
      notes[#notes + 1] = { text = text, brief = one[3], warning = not one.is_remark }
    end
  end
  return notes
end

local function display_of(review, hunks)
  local differs, states, added, removed = {}, {}, 0, 0
  for i, hunk in ipairs(hunks) do
    differs[#differs + 1] = hunk.differs and { hunk = i - 1, differs = hunk.differs } or nil
    hunk.differs = nil
    states[hunk.state] = (states[hunk.state] or 0) + 1
    if hunk.state ~= 'dropped' then
      added, removed = added + hunk.current['end'] - hunk.current.start, removed + hunk.original['end'] - hunk.original.start
    end
  end
  local current = review.model.text
  if not review.original and #hunks == 0 then
    added = select(2, current:gsub('\n', ''))
  end
  local parts = { not review.original and not review.wholeFileOnly and 'new file' or nil }
  for _, state in ipairs({ 'kept', 'dropped', 'edited' }) do
    parts[#parts + 1] = states[state] and ('%d %s'):format(states[state], state) or nil
  end
  local name = harmless.name(review.file)
  local root = M.root .. '/'
  return M.words(vim.tbl_extend('force', {
    name = vim.startswith(name, root) and name:sub(#root + 1) or name,
    agent = harmless.name(review.agent.name),
    size = review.wholeFileOnly and 'the whole file' or not review.original and 'a new file' or #hunks == 0 and 'no change'
      or #hunks == 1 and '1 change' or #hunks .. ' changes',
    counts = ('+%d -%d'):format(added, removed),
    states = table.concat(parts, ', '),
    empties = current == '' and (review.original or '') ~= '' and not review.remark,
    notes = notes_of(review),
    hunks = differs,
  }, review.display or {}))
end

-- Lines as the companion counts them: an empty text has none, and a missing last line ending is a difference.
local function lines_of(whole)
  local pieces = text.split(whole)
  if pieces[#pieces] == '' then
    pieces[#pieces] = nil
  else
    pieces[#pieces] = pieces[#pieces] .. '\1no line end'
  end
  return pieces
end

local function hunks_of(review)
  local original, proposed = lines_of(review.original or ''), lines_of(review.proposed)
  local current = lines_of(review.model.text)
  local moved = text.differences(proposed, current)
  local hunks = {}
  for i, hunk in ipairs(review.without_hunks and {} or text.differences(original, proposed)) do
    local start, stop, before = hunk[3], hunk[4], 0
    local inside = 0
    for _, change in ipairs(moved) do
      local delta = (change[4] - change[3]) - (change[2] - change[1])
      if change[2] < start or (change[2] == start and change[1] < start) then
        before = before + delta
      elseif change[1] <= stop then
        inside = inside + delta
      end
    end
    local current_range = { start + before, stop + before + inside }
    local function lines(list, from, upto)
      return upto - from .. table.concat(vim.list_slice(list, from + 1, upto), '\n')
    end
    local now = lines(current, current_range[1], current_range[2])
    local state = now == lines(proposed, start, stop) and 'kept'
      or now == lines(original, hunk[1], hunk[2]) and 'dropped'
      or 'edited'
    local differs
    if state == 'edited' then
      differs = {}
      local now_lines = vim.list_slice(current, current_range[1] + 1, current_range[2])
      for _, block in ipairs(text.differences(vim.list_slice(original, hunk[1] + 1, hunk[2]), now_lines)) do
        -- Removed lines have their sign on the line above.
        local begins = block[3] < block[4] and block[3] or math.max(0, block[3] - 1)
        for line = begins, math.max(begins, block[4] - 1) do
          differs[#differs + 1] = current_range[1] + line
        end
      end
    end
    hunks[i] = {
      differs = differs and #differs > 0 and differs or nil,
      original = { start = hunk[1], ['end'] = hunk[2] },
      proposed = { start = start, ['end'] = stop },
      current = { start = current_range[1], ['end'] = current_range[2] },
      state = state,
      reason = review.given[proposed_key(start)],
      limit = review.limits and review.limits[i],
    }
  end
  return hunks
end

local function review_api()
  return require('alongside.review')
end

--- Opens a review: { id, file, original?, proposed, agent?, limits?, without_hunks?, … }; `limits` has one of each change, by
--- number.
function M.open(given)
  local review = vim.tbl_extend('keep', given, {
    agent = { number = 1, name = 'Gemini CLI', version = '1', since = 0, listening = true },
    stale = false,
    dirty = false,
    given = {},
  })
  review.model = model.new(review.proposed)
  review.model.tell = function(changed)
    changed.id, changed.hunks = review.id, hunks_of(review)
    changed.stale, changed.dirty, changed.reason = review.stale, review.dirty, review.reason
    changed.display = display_of(review, changed.hunks)
    review_api().changed(CLIENT, changed)
  end
  M.reviews[review.id] = review
  local opened = vim.deepcopy(vim.tbl_extend('force', {}, review, { model = false }))
  opened.model, opened.revision, opened.current, opened.hunks = nil, 1, review.proposed, hunks_of(review)
  opened.display = display_of(review, opened.hunks)
  review_api().opened(CLIENT, opened)
end

local STEPS = { accepted = 'accepted; %s writes it', rejected = 'rejected; %s is told' }

--- Ends a review. `said`: the message of the companion.
function M.close(id, closing, here, draft, said)
  local review = M.reviews[id]
  local display = display_of(review, hunks_of(review))
  said = said or (STEPS[closing] or closing):format(display.agent) .. '.'
  M.reviews[id] = nil
  review_api().closed(CLIENT, {
    id = id, closing = closing, decidedHere = here, draft = draft,
    display = { messages = { ('%s: %s'):format(display.name, said) } },
  })
end

--- Changes a review as another desk or a change on disk does.
function M.change(id, new, flags)
  local review = M.reviews[id]
  for name, value in pairs(flags or {}) do
    review[name] = value
  end
  review.model:set(new or review.model.text)
end

function M.text(id)
  return M.reviews[id] and M.reviews[id].model.text
end

local function set_reason(review, params, answer)
  local hunk = params.hunk and hunks_of(review)[params.hunk + 1]
  local why = params.revision ~= review.model.revision and 'stale' or not review.reasons and 'noReason'
    or params.hunk and not hunk and 'outOfRange'
  if why then
    -- After the change that it is refused for.
    return review.model:later(function()
      answer({ code = -32803, message = why, data = { why = why, revision = review.model.revision } })
    end)
  end
  local reason = params.reason ~= '' and params.reason or nil
  if hunk then
    review.given[proposed_key(hunk.proposed.start)] = reason
  else
    review.reason = reason
  end
  review.model:set(review.model.text)
  review.model:later(function()
    answer(nil, { revision = review.model.revision })
  end)
end

local function request(_, method, params, answer)
  local review = M.reviews[params.id]
  if not review then
    return vim.schedule(function()
      answer({ code = -32803, message = 'this review has already ended', data = { why = 'noSuchReview' } })
    end)
  end
  if method == 'alongside/setReviewText' then
    if M.refuse_edits then
      return vim.schedule(function()
        answer({ code = -32803, message = M.refuse_edits, data = { why = 'other' } })
      end)
    end
    return review.model:request(params, answer)
  end
  if method == 'alongside/setReason' then
    return set_reason(review, params, answer)
  end
  assert(method == 'alongside/decideReview')
  review.model:later(function()
    local why = M.refuse[params.id]
    if why or params.revision ~= review.model.revision then
      M.refuse[params.id] = nil
      local data = { why = why and 'other' or 'stale', revision = review.model.revision }
      -- After the change that it is refused for.
      return review.model:later(function()
        answer({ code = -32803, message = why or 'the review has changed: look at it again', data = data })
      end)
    end
    M.decided[#M.decided + 1] = { id = params.id, decision = params.decision, text = review.model.text }
    if M.deaf then
      return
    end
    M.close(params.id, params.decision == 'accept' and 'accepted' or 'rejected', true)
    answer(nil, { revision = params.revision })
  end)
end

-- Other requests of the plugin are ignored.
package.loaded['alongside.server'] = setmetatable({
  on = {},
  get = function()
    return { id = CLIENT, root = M.root, status = M.status }
  end,
  all = function()
    return {}
  end,
  request = request,
}, {
  __index = function()
    return function() end
  end,
})

return M
