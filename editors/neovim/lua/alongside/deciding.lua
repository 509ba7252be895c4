-- Decisions of the person: by key, by command, by `:w`, or by closing the window. Each decision applies to the revision
-- that the person sees.

local autocommands = require('alongside.autocommands')
local config = require('alongside.config')
local ending = require('alongside.ending')
local harmless = require('alongside.harmless')
local leaving = require('alongside.leaving')
local messages = require('alongside.messages')
local on_screen = require('alongside.on_screen')
local reasons = require('alongside.reasons')
local reviews = require('alongside.lazy')('review')
local seen = require('alongside.seen')
local target = require('alongside.target')
local text = require('alongside.text')
local winbar = require('alongside.winbar')
local writing = require('alongside.writing')

local M = {}

-- The time that a decision waits until the companion has all edits, in milliseconds.
local PATIENCE = 1500
-- How many keys that were typed before a question are discarded at most.
local MAX_TYPEAHEAD = 10000
-- The time in which no further message follows a refused write, in milliseconds: one command, or a plugin that saves,
-- may write several times.
local HINT_INTERVAL = 8000

local has_bang = false -- whether the typed command that runs now has a "!"

-- Asks a question. Enter gives the first answer, which is harmless. Keys typed before the question was shown are
-- discarded.
local function ask(question, answers, kind)
  for _ = 1, MAX_TYPEAHEAD do
    if vim.fn.getchar(0) == 0 then
      break
    end
  end
  local answer = vim.fn.confirm(question, answers .. '\n&:command', 1, kind)
  local _, count = answers:gsub('\n', '')
  if answer ~= count + 2 then
    return answer
  end
  -- The person began a command; confirm() would take its next letter as an answer.
  vim.api.nvim_feedkeys(':', 'ni', false)
  return 1, true
end

-- Asks whether to accept despite warnings. Returns true if there are none.
local function confirm_warnings(review)
  local warnings = {}
  for _, note in ipairs(winbar.notes(review, target.is_modified(review.file))) do
    -- A proposal that can only be decided as a whole needs no question for that.
    local is_whole = review.wholeFileOnly and note.brief == harmless.name(review.wholeFileOnly)
    warnings[#warnings + 1] = note.warning and not is_whole and note.text or nil
  end
  local unseen, confirm = seen.question(review)
  warnings[#warnings + 1] = unseen
  if #warnings == 0 then
    return true
  end
  local question = ('%s\n%s'):format(reviews.name(review), table.concat(warnings, '\n'))
  local answer, is_command = ask(question, '&Not now\n&Accept anyway', 'Warning')
  if answer == 2 then
    confirm()
  elseif answer == 1 and not is_command then
    seen.go(review)
  end
  return answer == 2
end

-- The parts of a review's state on which a decision depends.
local function state_of(review)
  return { text = review.sync and review.sync.companion_text, stale = review.stale, dirty = review.dirty }
end

-- The reason why the companion refused a decision as stale, found by comparing the states: the refusal does not name
-- it.
local function change_since(review, before)
  local now = state_of(review)
  if before.text and not text.equal(before.text, now.text) then
    return 'another desk has changed it'
  elseif before.stale ~= now.stale then
    return 'the file has changed on disk'
  elseif before.dirty ~= now.dirty then
    return 'the unsaved changes of the file in an editor are others now'
  end
  return 'another desk has changed it'
end

local function stale_message(review, decision, before)
  local done, retry = 'accepted', 'accept it (:w)'
  if decision == 'reject' then
    done, retry = 'rejected', 'reject it'
  end
  return ('%s: not %s, because %s. Look at it, then %s again.'):format(reviews.name(review), done, change_since(review, before), retry)
end

local function send(review, decision, on_refused)
  local before = state_of(review)
  review.deciding = decision
  require('alongside.server').request(review.client, 'alongside/decideReview', {
    id = review.id,
    revision = review.sync and review.sync.revision or review.revision,
    decision = decision,
  }, function(err)
    review.deciding = nil
    if err and not review.is_over then
      reviews.show(review)
      local is_stale = type(err.data) == 'table' and err.data.why == 'stale'
      local message = is_stale and stale_message(review, decision, before)
        or ('%s: %s'):format(reviews.name(review), reviews.refusal(err))
      messages.later(message, vim.log.levels.WARN)
      if on_refused then
        on_refused()
      end
    end
  end)
end

-- Returns a function that shows a review again: the command that was to decide it has closed its window and failed.
local function reopen(review)
  return function()
    if not review.is_over and review.view and not review.view:is_shown() then
      reviews.go(review.key, review.view.return_place)
    end
  end
end

--- Decides a review for the person. Returns whether the decision was sent.
---@param review alongside.Review
---@param decision "accept"|"reject"
---@param quits boolean? whether the command closes the window afterwards
---@return boolean
function M.decide(review, decision, quits)
  if review.is_over then
    messages.now(('%s: this review has already ended.'):format(reviews.name(review)))
    return true
  elseif review.deciding then
    return true
  end
  reasons.settle(review, PATIENCE)
  if decision == 'accept' then
    if review.sync then
      review.sync:retry()
    end
    if review.sync and not review.sync:settle(PATIENCE) then
      local why = review.sync.problem and reviews.refusal(review.sync.problem) or 'The companion does not answer.'
      local message = ('%s: not accepted. %s Your text stays here; :w tries again.'):format(reviews.name(review), why)
      messages.now(message, vim.log.levels.WARN)
      return false
    end
    local revision, before = review.sync and review.sync.revision, state_of(review)
    if not confirm_warnings(review) then
      return false
    end
    if review.is_over or (review.sync and revision ~= review.sync.revision) then
      if not review.is_over then
        messages.now(stale_message(review, decision, before), vim.log.levels.WARN)
      end
      return false
    end
  elseif review.sync then
    -- The draft of the rejected review gets all edits.
    review.sync:settle(PATIENCE)
  end
  send(review, decision, quits and reopen(review) or nil)
  return true
end

--- Returns the review in the current tab page; without one, shows a message.
---@param action string what the person wants to do, such as "accept it"
---@return alongside.Review?
function M.of_command(action)
  local review = reviews.looked_at()
  if review then
    return review
  elseif #reviews.all() == 0 then
    messages.now('alongside: no review is waiting.')
  else
    messages.now(('alongside: look at the review first (:Alongside), then %s.'):format(action), vim.log.levels.WARN)
  end
end

--- Decides the review in the current tab page.
---@param decision "accept"|"reject"
function M.by_command(decision)
  local review = M.of_command(decision .. ' it')
  if review then
    M.decide(review, decision)
  end
end

-- The question before closing the window rejects edits or dropped changes of the person, and its answers, the harmless
-- one first. Nil if the person has decided nothing yet, or has dropped all changes.
local function question(review)
  local name, counts = reviews.name(review), winbar.counts(review.hunks)
  if ending.is_edited(review) then
    return name .. ' has your edits.', '&Keep the review open\n&Accept your text\n&Reject (edits go to drafts)'
  elseif counts.dropped > 0 and counts.kept > 0 then
    local changes = counts.dropped == 1 and 'You dropped 1 change' or ('You dropped %d changes'):format(counts.dropped)
    return ('%s of %s.'):format(changes, name), '&Keep the review open\n&Accept the rest\n&Reject all of it'
  end
end

-- Rejects the proposal, because its window was closed. If the person has worked on the proposal, shows it again and
-- asks first, unless they forced the command with "!": then edits go to drafts, as after `:qa!`.
local function reject_closed(review, is_forced)
  local view = review.view
  if review.is_over or view.is_closing or vim.v.exiting ~= vim.NIL or view:is_shown() or view:find_other_window() then
    return
  end
  if review.sync.buf and vim.api.nvim_buf_is_loaded(view.right) then
    review.line = vim.api.nvim_buf_get_mark(view.right, '"')[1]
    review.line = review.line > 0 and review.line or nil
  end
  view:close_windows()
  if review.deciding then
    return
  end
  local text_of_question, answers = question(review)
  if is_forced or not text_of_question then
    return M.decide(review, 'reject')
  end
  -- Not scheduled, because the next key belongs to the proposal.
  reopen(review)()
  vim.cmd.redraw()
  local answer = ask(text_of_question, answers, 'Question')
  if answer > 1 then
    M.decide(review, answer == 2 and 'accept' or 'reject')
  end
end

--- Adds keys and autocommands to the buffers of a review.
---@param review alongside.Review
function M.watch(review)
  local view = review.view
  review.mapped = vim.list_extend(require('alongside.dropping').map(view), require('alongside.next_change').map(view))
  local function map(lhs, run, what)
    if not lhs then
      return
    end
    review.mapped[#review.mapped + 1] = lhs
    for _, buf in ipairs({ view.right, view.left }) do
      vim.keymap.set('n', lhs, run, { buffer = buf, nowait = true, desc = 'alongside: ' .. what })
    end
  end
  local function accept()
    M.decide(review, 'accept')
  end
  map(config.current.keys.accept, accept, 'accept the proposal')
  map(config.current.keys.reject, function()
    M.decide(review, 'reject')
  end, 'reject the proposal')
  map(config.current.keys.reason, function()
    reasons.ask(review)
  end, 'drop the change, with a reason')
  map(config.current.keys.reason_all, function()
    reasons.ask(review, true)
  end, 'give a reason for the whole proposal')
  map(config.current.keys.help, function()
    require('alongside.keys').show(review, #reviews.all() - 1)
  end, 'show all keys of the proposal')
  -- ZZ accepts, because Neovim's own ZZ writes, as `:x` does.
  map('ZZ', accept, 'accept the proposal')
  local on = autocommands('review.' .. review.key)
  on('WinClosed', 'closing the proposal rejects it', function(event)
    if review.is_over or review.view ~= view then
      return true
    end
    if tonumber(event.match) == view.right_win and not view.is_closing then
      if view:is_shown() then
        review.window_view = vim.api.nvim_win_call(view.right_win, vim.fn.winsaveview)
      end
      local is_forced = has_bang
      vim.schedule(function()
        if review.view == view then
          reject_closed(review, is_forced)
        end
      end)
    end
  end)
  require('alongside.reloading').watch(review, on)
end

function M.setup()
  writing.setup(function(buf)
    local review = reviews.of_buffer(buf)
    return review ~= nil and review.view.right == buf
  end, function(buf, quits)
    local review = reviews.of_buffer(buf)
    return review ~= nil and M.decide(review, 'accept', quits)
  end, function(buf)
    local review = reviews.of_buffer(buf)
    if review and not (review.hinted_at and vim.uv.now() - review.hinted_at < HINT_INTERVAL) then
      review.hinted_at = vim.uv.now()
      messages.later(('%s: not accepted. To accept, type :w in the proposal.'):format(reviews.name(review)))
    end
  end, function(buf)
    local review = reviews.of_buffer(buf)
    if review and review.sync then
      review.sync:set_modified()
    end
  end)
  local on = autocommands('review')
  on('OptionSet', 'send changes of the line endings', function()
    for _, review in ipairs(reviews.all()) do
      if review.sync then
        review.sync:on_options()
      end
    end
  end, { pattern = { 'fileformat', 'bomb', 'endofline' } })
  on({ 'BufModifiedSet', 'BufWritePost', 'BufEnter' }, 'warn of unsaved changes in the bar', function(event)
    if (event.event == 'BufEnter') == (reviews.of_buffer(event.buf) ~= nil) then
      reviews.redraw_all()
    end
  end)
  on('CmdlineLeave', 'note whether a command is forced', function()
    for _, review in ipairs(reviews.all()) do
      -- The next command shows the message again.
      review.hinted_at = nil
    end
    local ok, command = pcall(vim.api.nvim_parse_cmd, vim.fn.getcmdline(), {})
    has_bang = not vim.v.event.abort and ok and command.bang == true
    -- Reset after the command has run.
    vim.schedule(function()
      has_bang = false
    end)
  end, { pattern = ':' })
  on('WinResized', 'fit the bar into its window', function()
    reviews.redraw_all()
  end)
  seen.setup(function(buf)
    local review = reviews.of_buffer(buf)
    return review and review.view.right == buf and not review.is_over and review or nil
  end, function(review)
    reviews.redraw(review)
  end)
  local function shown_views()
    local views = {}
    for _, review in ipairs(reviews.all()) do
      views[#views + 1] = review.view and review.view:is_shown() and review.view or nil
    end
    return views
  end
  leaving.setup(function()
    return has_bang
  end)
  on_screen.setup(shown_views)
end

return M
