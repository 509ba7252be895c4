-- The person's reasons, which the agent's model reads with the decision: one for each change, and one for the whole
-- proposal.

local dropping = require('alongside.dropping')
local harmless = require('alongside.harmless')
local messages = require('alongside.messages')
local reviews = require('alongside.lazy')('review')
local seen = require('alongside.seen')

local M = {}

-- How often a reason is sent at most while other changes of the review make it stale, and the pause until such a change
-- has arrived, in milliseconds.
local MAX_TRIES, PAUSE = 20, 20

local NO_REASONS = '%s reads no reason here: its protocol carries none. `alongside install agent` offers its hook.'

-- The prompts for a change in each state. A reason for a kept change drops the change.
local PROMPTS = {
  kept = 'Reason to drop change',
  dropped = 'Reason for dropped change',
  edited = 'Reason for edited change',
}

local function no_reasons_message(review)
  return NO_REASONS:format(review.display.agent)
end

local function is_in(line, range)
  return line == range.start or (line > range.start and line < range['end'])
end

-- The current change that contains `hunk`. Edits merge and split changes; as at the companion, a reason belongs to the
-- change with its first line in original and proposal.
local function current_change(review, hunk)
  for _, candidate in ipairs(review.hunks) do
    if is_in(hunk.original.start, candidate.original) and is_in(hunk.proposed.start, candidate.proposed) then
      return candidate
    end
  end
end

-- The change under the cursor, or nil. The second value is whether the companion has all edits, so that the places of
-- changes are known.
local function under_cursor(review)
  local view = review.view
  if not seen.is_one_by_one(review) then
    return nil, true
  elseif not review.sync:settle() then
    return nil, false
  end
  return dropping.under_cursor(review, view:is_current() and 0 or view.right_win), true
end

-- The prompt, with the change or the proposal that the reason is for, and a remark if the agent's model does not always
-- read the reason.
local function prompt(review, hunk)
  local name = reviews.name(review)
  local message = ('Reason for all of %s'):format(name)
  if hunk then
    message = ('%s %d of %d of %s'):format(PROMPTS[hunk.state] or PROMPTS.edited, hunk.number, #review.hunks, name)
  end
  return message .. (review.reasons == 'withRejection' and ' (read only if you reject): ' or ': ')
end

-- Puts a reason that cannot be sent into a register, and says why.
local function keep_in_register(review, why, reason)
  local message = ('%s: %s'):format(reviews.name(review), why)
  if reason ~= '' then
    vim.fn.setreg('"', reason)
    message = message .. ' Your reason is in the unnamed register: ""p puts it.'
  end
  messages.later(message, vim.log.levels.WARN)
end

-- Drops the change if it is kept.
local function drop(review, hunk)
  local now = review.sync:settle() and current_change(review, hunk)
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

-- Sends a reason for the current change that contains `hunk`, or for the whole proposal if the change is gone.
local function send(review, hunk, reason, tries)
  local now = hunk and current_change(review, hunk)
  local is_gone = hunk ~= nil and not now
  local full_reason = is_gone and review.reason and reason ~= '' and review.reason .. '\n' .. reason or reason
  local revision = review.sync.revision
  local function end_flight()
    review.reason_flights = review.reason_flights - 1
  end
  if is_gone and reason == '' then
    return end_flight()
  end
  require('alongside.server').request(review.client, 'alongside/setReason', {
    id = review.id,
    revision = revision,
    hunk = now and now.number - 1,
    reason = full_reason,
  }, function(err)
    local why = err and type(err.data) == 'table' and err.data.why
    if why == 'stale' and not review.is_over and tries < MAX_TRIES then
      return vim.defer_fn(function()
        send(review, hunk, reason, tries + 1)
      end, revision == review.sync.revision and PAUSE or 0)
    end
    end_flight()
    if not err and is_gone then
      messages.later(('%s: the change is gone, so its reason is for all of the file.'):format(reviews.name(review)))
    elseif err then
      keep_in_register(review, why == 'noReason' and no_reasons_message(review) or reviews.refusal(err), reason)
    end
  end)
end

-- Records a reason with the current undo state, so that undo takes the reason back.
local function record(review, hunk, reason)
  local recorded = {}
  for _, entry in ipairs(review.recorded or {}) do
    if current_change(review, entry.hunk) ~= current_change(review, hunk) then
      recorded[#recorded + 1] = entry
    end
  end
  if reason ~= '' and review.sync.buf and vim.api.nvim_buf_is_loaded(review.sync.buf) then
    local state = review.sync:undo_state()
    recorded[#recorded + 1] = { hunk = hunk, reason = reason, state = state }
  end
  review.recorded = recorded
end

local function start_sending(review, hunk, reason)
  review.reason_flights = (review.reason_flights or 0) + 1
  send(review, hunk, reason, 1)
end

--- Takes a reason back if undo has returned to a state before it and its change is kept, and sends it again after redo.
---@param review alongside.Review
function M.follow_undo(review)
  local recorded = review.recorded or {}
  if #recorded == 0 or review.is_over or (review.reason_flights or 0) > 0 or review.sync:is_unsent() or not review.sync.buf then
    return
  end
  local state = review.sync:undo_state()
  for _, entry in ipairs(recorded) do
    local hunk = current_change(review, entry.hunk)
    local reason = hunk and hunk.reason and vim.trim(hunk.reason)
    if hunk and hunk.state == 'kept' and state < entry.state and reason == entry.reason then
      entry.is_undone = true
      start_sending(review, entry.hunk, '')
      messages.later(('%s: your reason is taken back, too.'):format(reviews.name(review)))
    elseif hunk and hunk.state ~= 'kept' and state >= entry.state and entry.is_undone and not reason then
      entry.is_undone = false
      start_sending(review, entry.hunk, entry.reason)
    end
  end
end

--- Removes the reason of a change that the person keeps again. Returns whether the change had a reason.
---@param review alongside.Review
---@param hunk table
---@return boolean
function M.forget(review, hunk)
  if not review.reasons or not hunk.reason then
    return false
  end
  record(review, hunk, '')
  start_sending(review, hunk, '')
  return true
end

-- Sends the typed reason. `given` is the reason before.
local function submit(review, hunk, typed, given)
  local reason = vim.trim(typed)
  if reason == '' and given == '' then
    return
  elseif review.is_over then
    return keep_in_register(review, 'this review has already ended.', reason)
  end
  if hunk and reason ~= '' then
    drop(review, hunk)
  end
  if reason ~= given then
    start_sending(review, hunk, reason)
  end
  if hunk then
    record(review, hunk, reason)
  end
end

--- Asks for the reason for the change under the cursor, or for the whole proposal if the cursor is in no change.
---@param review alongside.Review
---@param is_for_all boolean? for the whole proposal wherever the cursor is
function M.ask(review, is_for_all)
  if review.is_over then
    return messages.now(('%s: this review has already ended.'):format(reviews.name(review)))
  elseif not review.reasons then
    return messages.now(no_reasons_message(review), vim.log.levels.WARN)
  end
  local hunk, is_known = nil, true
  if not is_for_all then
    hunk, is_known = under_cursor(review)
  end
  if not is_known then
    local message = '%s: the companion has not taken your edits, so the changes have no place yet. Try again.'
    return messages.now(message:format(reviews.name(review)), vim.log.levels.WARN)
  end
  -- A line ending or control character in the default would act as a typed key.
  local given = harmless.one_line((hunk or review).reason or '')
  vim.ui.input({ prompt = prompt(review, hunk), default = given }, function(typed)
    -- Removes the prompt, which Neovim leaves on the screen.
    vim.api.nvim_echo({ { '' } }, false, {})
    if typed then
      submit(review, hunk, typed, given)
    end
  end)
end

--- Waits until the companion has all reasons, because each reason raises the revision that a decision names.
---@param review alongside.Review
---@param milliseconds integer at most
function M.settle(review, milliseconds)
  local function is_settled()
    return (review.reason_flights or 0) == 0
  end
  if not is_settled() then
    vim.wait(milliseconds, is_settled, 2)
  end
end

return M
