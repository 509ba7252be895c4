-- The person's reasons, which the agent's model reads with the decision: one for each change, and one for the proposal.

local dropping = require('alongside.dropping')
local harmless = require('alongside.harmless')
local messages = require('alongside.messages')
local reviews = require('alongside.lazy')('review')
local seen = require('alongside.seen')

local M = {}

-- How often a reason is sent while the review changes on its way, and the pause until the change is here, in milliseconds.
local MOST_TRIES, PAUSE = 20, 20

local NONE = '%s reads no reason here: its protocol carries none. `alongside install agent` offers its hook.'

-- The prompts for a change in each state. The reason for a kept change drops it.
local PROMPTS = {
  kept = 'Reason to drop change',
  dropped = 'Reason for dropped change',
  edited = 'Reason for edited change',
}

local function none(review)
  return NONE:format(review.display.agent)
end

local function is_in(line, range)
  return line == range.start or (line > range.start and line < range['end'])
end

-- The change that `hunk` is now. Edits merge and split changes; as at the companion, a reason belongs to
-- the first line of its change in original and proposal.
local function find(review, hunk)
  for _, one in ipairs(review.hunks) do
    if is_in(hunk.original.start, one.original) and is_in(hunk.proposed.start, one.proposed) then
      return one
    end
  end
end

-- The change under the cursor; nil without one. The second value: whether the places of the changes are known.
local function under_cursor(review)
  local shown = review.view
  if not seen.is_one_by_one(review) then
    return nil, true
  elseif not review.sync:settle() then
    return nil, false
  end
  return dropping.under_cursor(review, shown:is_current() and 0 or shown.right_win), true
end

-- The prompt: the place that the reason belongs to, and when the agent's model does not read it.
local function prompt(review, hunk)
  local name = reviews.name(review)
  local said = ('Reason for all of %s'):format(name)
  if hunk then
    said = ('%s %d of %d of %s'):format(PROMPTS[hunk.state] or PROMPTS.edited, hunk.number, #review.hunks, name)
  end
  return said .. (review.reasons == 'withRejection' and ' (read only if you reject): ' or ': ')
end

-- Keeps a reason that cannot be sent.
local function keep(review, why, reason)
  local said = ('%s: %s'):format(reviews.name(review), why)
  if reason ~= '' then
    vim.fn.setreg('"', reason)
    said = said .. ' Your reason is in the unnamed register: ""p puts it.'
  end
  messages.later(said, vim.log.levels.WARN)
end

-- Drops the change, if it is kept.
local function drop(review, hunk)
  local now = review.sync:settle() and find(review, hunk)
  if not now or now.state ~= 'kept' or not vim.api.nvim_buf_is_loaded(review.view.right) then
    return
  end
  if not vim.deep_equal({ now.original, now.proposed }, { hunk.original, hunk.proposed }) then
    messages.later(('%s: the change is another one now, so it is not dropped.'):format(reviews.name(review)))
    return
  end
  dropping.drop(review.view, now)
  review.sync:settle()
end

-- Sends a reason for what is now the change, or for the whole proposal if the change is gone.
local function send(review, hunk, reason, tries)
  local now = hunk and find(review, hunk)
  local is_gone = hunk ~= nil and not now
  local all = is_gone and review.reason and reason ~= '' and review.reason .. '\n' .. reason or reason
  local revision = review.sync.revision
  local function over()
    review.reason_flights = review.reason_flights - 1
  end
  if is_gone and reason == '' then
    return over()
  end
  require('alongside.server').request(review.client, 'alongside/setReason', {
    id = review.id,
    revision = revision,
    hunk = now and now.number - 1,
    reason = all,
  }, function(err)
    local why = err and type(err.data) == 'table' and err.data.why
    if why == 'stale' and not review.is_over and tries < MOST_TRIES then
      return vim.defer_fn(function()
        send(review, hunk, reason, tries + 1)
      end, revision == review.sync.revision and PAUSE or 0)
    end
    over()
    if not err and is_gone then
      messages.later(('%s: the change is gone, so its reason is for all of the file.'):format(reviews.name(review)))
    elseif err then
      keep(review, why == 'noReason' and none(review) or reviews.refusal(err), reason)
    end
  end)
end

-- Notes the state of undo with a reason, so that undo takes it back.
local function note(review, hunk, reason)
  local noted = {}
  for _, one in ipairs(review.noted or {}) do
    if find(review, one.hunk) ~= find(review, hunk) then
      noted[#noted + 1] = one
    end
  end
  if reason ~= '' and review.sync.buf and vim.api.nvim_buf_is_loaded(review.sync.buf) then
    local state = review.sync:undo_state()
    noted[#noted + 1] = { hunk = hunk, reason = reason, state = state }
  end
  review.noted = noted
end

local function dispatch(review, hunk, reason)
  review.reason_flights = (review.reason_flights or 0) + 1
  send(review, hunk, reason, 1)
end

--- Takes a reason back once undo has gone before it and its change is kept, and gives it again after redo.
---@param review alongside.Review
function M.follow_undo(review)
  local noted = review.noted or {}
  if #noted == 0 or review.is_over or (review.reason_flights or 0) > 0 or review.sync:is_unsent() or not review.sync.buf then
    return
  end
  local state = review.sync:undo_state()
  for _, one in ipairs(noted) do
    local hunk = find(review, one.hunk)
    local reason = hunk and hunk.reason and vim.trim(hunk.reason)
    if hunk and hunk.state == 'kept' and state < one.state and reason == one.reason then
      one.is_back = true
      dispatch(review, one.hunk, '')
      messages.later(('%s: your reason is taken back, too.'):format(reviews.name(review)))
    elseif hunk and hunk.state ~= 'kept' and state >= one.state and one.is_back and not reason then
      one.is_back = false
      dispatch(review, one.hunk, one.reason)
    end
  end
end

--- Removes the reason of a change that the person keeps again. Returns whether there was one.
---@param review alongside.Review
---@param hunk table
---@return boolean
function M.forget(review, hunk)
  if not review.reasons or not hunk.reason then
    return false
  end
  note(review, hunk, '')
  dispatch(review, hunk, '')
  return true
end

-- Takes the typed reason. `given` is the reason before.
local function take(review, hunk, typed, given)
  local reason = vim.trim(typed)
  if reason == '' and given == '' then
    return
  elseif review.is_over then
    return keep(review, 'this review has already ended.', reason)
  end
  if hunk and reason ~= '' then
    drop(review, hunk)
  end
  if reason ~= given then
    dispatch(review, hunk, reason)
  end
  if hunk then
    note(review, hunk, reason)
  end
end

--- Asks for the reason for the change under the cursor, or for the whole proposal if there is none.
---@param review alongside.Review
---@param is_for_all boolean? for the whole proposal wherever the cursor is
function M.ask(review, is_for_all)
  if review.is_over then
    return messages.now(('%s: this review has already ended.'):format(reviews.name(review)))
  elseif not review.reasons then
    return messages.now(none(review), vim.log.levels.WARN)
  end
  local hunk, is_known = nil, true
  if not is_for_all then
    hunk, is_known = under_cursor(review)
  end
  if not is_known then
    local said = '%s: the companion has not taken your edits, so the changes have no place yet. Try again.'
    return messages.now(said:format(reviews.name(review)), vim.log.levels.WARN)
  end
  -- A line end or control character would act as a typed key.
  local given = harmless.one_line((hunk or review).reason or '')
  vim.ui.input({ prompt = prompt(review, hunk), default = given }, function(typed)
    -- Neovim leaves the prompt on the screen.
    vim.api.nvim_echo({ { '' } }, false, {})
    if typed then
      take(review, hunk, typed, given)
    end
  end)
end

--- Waits until the companion has all reasons: they raise the revision that a decision names.
---@param review alongside.Review
---@param milliseconds integer
function M.settle(review, milliseconds)
  local function is_settled()
    return (review.reason_flights or 0) == 0
  end
  if not is_settled() then
    vim.wait(milliseconds, is_settled, 2)
  end
end

return M
