-- The waiting reviews: they are announced when they arrive, shown when the person asks for them, and ended when the
-- companion closes them. This file moves the cursor only if the person asks for it.

local first_word = require('alongside.first_word')
local folds = require('alongside.folds')
local harmless = require('alongside.harmless')
local marks = require('alongside.marks')
local memory = require('alongside.memory')
local messages = require('alongside.messages')
local seen = require('alongside.seen')
local server = require('alongside.lazy')('server')
local sync = require('alongside.sync')
local target = require('alongside.target')
local text = require('alongside.text')
local view = require('alongside.view')
local winbar = require('alongside.winbar')

local M = {}

---@class alongside.Review
---@field key string
---@field client integer
---@field id integer
---@field agent table
---@field file string
---@field root string?
---@field original string? the original text, until the first view; nil also for a new file
---@field proposed string? the proposed text, until the first view
---@field texts { original: string[], proposed: string[] }? the pieces of both texts, from the first view on
---@field has_original boolean whether the file exists
---@field size integer the bytes of the proposed text
---@field hunks table[]
---@field hunks_revision integer the revision to which the hunks belong
---@field display table labels and sentences from the companion
---@field stale boolean
---@field dirty boolean
---@field wholeFileOnly string?
---@field reasons string? the outcomes with which the agent's model reads a reason; nil: the agent reads no reasons
---@field reason string? the person's reason for the decision on the whole
---@field reason_flights integer? the number of reasons without a reply
---@field sync alongside.Sync
---@field view alongside.View?
---@field deciding string? a decision without a reply
---@field announcement alongside.Message? the announcement, if it names only this review
---@field is_over boolean?

local reviews = {} ---@type table<string, alongside.Review>
-- Views whose proposal was replaced, until the next proposal of the same file takes them over.
local reserved = {} ---@type table<string, { view: alongside.View, sync: alongside.Sync }>
local last_number = 0

local function key(client, id)
  return client .. '/' .. id
end

local function file_key(review)
  return ('%d/%s/%s'):format(review.client, tostring(review.agent.number), review.file)
end

function M.name(review)
  return review.display.name
end

--- Returns all waiting reviews, the oldest first.
---@return alongside.Review[]
function M.all()
  local all = vim.tbl_values(reviews)
  table.sort(all, function(a, b)
    return a.number < b.number
  end)
  return all
end

--- Returns the review that a buffer shows.
---@param buf integer
---@return alongside.Review?
function M.of_buffer(buf)
  for _, review in pairs(reviews) do
    if review.view and (review.view.right == buf or review.view.left == buf) then
      return review
    end
  end
end

--- Returns the review in the current buffer or tab page.
---@return alongside.Review?
function M.looked_at()
  local here = M.of_buffer(vim.api.nvim_get_current_buf())
  if here then
    return here
  end
  for _, review in ipairs(M.all()) do
    if review.view and review.view:is_shown() and review.view:tab() == vim.api.nvim_get_current_tabpage() then
      return review
    end
  end
end

local function redraw(review)
  local shown = review.view
  if not shown then
    return
  end
  for _, win in ipairs(vim.fn.win_findbuf(shown.right)) do
    vim.wo[win][0].winbar = winbar.proposal(review, {
      is_modified = target.is_modified(review.file),
      waiting = vim.tbl_count(reviews) - 1,
      width = vim.api.nvim_win_get_width(win),
    })
  end
  if shown.left_win and vim.api.nvim_win_is_valid(shown.left_win) then
    vim.wo[shown.left_win][0].winbar = winbar.original(review)
  end
end

--- Redraws the bars of a review.
M.redraw = redraw

-- Draws the marks only while the buffer shows the companion's text, to which the hunks belong.
local function draw_marks(review, draws_all)
  local shown, this = review.view, review.sync
  if not shown or this:is_unsent() or not vim.api.nvim_buf_is_loaded(shown.right) then
    return
  end
  marks.draw({
    hunks = review.hunks,
    left = shown.left,
    right = shown.right,
    left_win = shown.left_win,
    right_win = shown.right_win,
    original = shown.original,
  }, this.companion_text, function()
    draw_marks(review, true)
  end, draws_all)
end

-- Marks the buffer as modified while it holds typed text.
local function update_modified(review)
  if review.sync then
    review.sync:set_modified()
  end
end

--- Draws marks and bars of a review.
function M.show(review)
  draw_marks(review)
  redraw(review)
  update_modified(review)
  vim.schedule(function()
    seen.look_around()
    if review.view and review.view:is_shown() then
      review.view:set_filetypes()
    end
  end)
  require('alongside.reasons').follow_undo(review)
end

-- Returns the review's sync, created at the first view of the review, because splitting its texts takes time.
local function sync_of(review)
  if review.sync then
    return review.sync
  end
  review.sync = sync.new(review.current, review.revision, {
    request = function(params, answer)
      params.id = review.id
      server.request(review.client, 'alongside/setReviewText', params, function(err, result)
        answer(err, result)
        if review.sync.problem and not review.is_over and not review.has_shown_refusal then
          review.has_shown_refusal = true
          local message = '%s: the companion refused your edits. %s Your text stays here; :w tries again.'
          messages.later(message:format(M.name(review), M.refusal(err)), vim.log.levels.WARN)
        end
      end)
    end,
    on_settled = function()
      M.show(review)
    end,
    is_typed = function()
      return not review.is_over and not review.deciding and require('alongside.ending').is_edited(review)
    end,
  })
  -- The pieces share their lines, so the texts are not kept beside them.
  local is_as_proposed = review.current == review.proposed
  review.texts = {
    original = text.split(review.original or ''),
    proposed = is_as_proposed and review.sync.companion_text or text.split(review.proposed),
  }
  review.original, review.proposed, review.current = nil, nil, nil
  for _, changed in ipairs(review.backlog) do
    review.sync:on_change(changed)
  end
  review.backlog = {}
  return review.sync
end

--- Returns the message of a refusal as a sentence.
---@param err table
---@return string
function M.refusal(err)
  local message = harmless.name(type(err.message) == 'string' and err.message or 'the companion does not say why')
  return message:sub(1, 1):upper() .. message:sub(2) .. (message:find('[.!?]$') and '' or '.')
end

--- Returns the line of the first change, 1-based.
function M.first_line(review)
  local hunk = review.hunks[1]
  return hunk and require('alongside.next_change').line(hunk, 'current') + 1 or 1
end

--- Returns the line of the first change, 1-based, and the column of its first changed word, 0-based.
function M.first_place(review)
  local line, hunk = M.first_line(review), review.hunks[1]
  return line, hunk and first_word.column(review, hunk, 'current', line - 1) or 0
end

-- Stores the companion's labels and sentences, and numbers the changes.
local function store_display(review, display)
  review.display = display
  for number, hunk in ipairs(review.hunks) do
    hunk.number = number
  end
  for _, hunk_display in ipairs(display.hunks) do
    local hunk = review.hunks[hunk_display.hunk + 1]
    hunk.unseen, hunk.blanks, hunk.differs = hunk_display.unseen, hunk_display.blanks, hunk_display.differs
  end
end

--- Creates the buffers of a review.
function M.make_view(review)
  local this = sync_of(review)
  local name = ('%d-%d/%s'):format(review.client, review.id, harmless.name(vim.fs.basename(review.file)))
  review.view = view.new(review, this, name)
  require('alongside.deciding').watch(review)
  return review.view
end

local is_prepared = false

--- Loads what a review needs, once: that takes 5 ms, and an agent that connects will propose something.
function M.prepare()
  if is_prepared then
    return
  end
  is_prepared = true
  require('alongside.deciding').setup()
  for _, name in ipairs({ 'colours', 'navigation', 'next_change', 'reloading' }) do
    require('alongside.' .. name)
  end
end

--- Handles the companion's message about a new review.
function M.opened(client, opened)
  M.prepare()
  local this_server = server.get(client)
  last_number = last_number + 1
  -- The fields of the message, and those that the plugin adds.
  local review = vim.tbl_extend('force', opened, {
    key = key(client, opened.id),
    number = last_number,
    client = client,
    root = this_server and this_server.root,
    hunks_revision = opened.revision,
    backlog = {},
    has_original = opened.original ~= nil,
    size = #opened.proposed,
  })
  store_display(review, opened.display)
  reviews[review.key] = review
  local place = reserved[file_key(review)]
  reserved[file_key(review)] = nil
  if place and place.view:is_shown() then
    place.view:replace_with(M.make_view(review), M.first_place(review))
    vim.schedule(function()
      if review.view then
        folds.level(review.view, review.hunks)
      end
    end)
    M.show(review)
    messages.later(('%s: %s proposes this file again; the earlier proposal is gone.'):format(M.name(review), review.display.agent))
  else
    require('alongside.navigation').announce(review)
  end
  memory.give_back(review.size)
  M.redraw_all()
  vim.cmd.redrawstatus({ bang = true })
end

--- Handles a change of a review, made here or at another desk.
function M.changed(client, changed)
  local review = reviews[key(client, changed.id)]
  if not review or changed.revision < review.hunks_revision then
    -- Hunks of an earlier text would not match this text.
    return
  end
  review.hunks, review.hunks_revision = changed.hunks, changed.revision
  review.stale, review.dirty = changed.stale, changed.dirty
  review.reason = changed.reason
  store_display(review, changed.display)
  if review.sync then
    review.sync:on_change(changed)
    draw_marks(review)
  else
    review.backlog[#review.backlog + 1] = changed
  end
  redraw(review)
  update_modified(review)
  if review.sync then
    require('alongside.reasons').follow_undo(review)
  end
  vim.cmd.redrawstatus({ bang = true })
end

--- Handles the end of a review.
function M.closed(client, closed)
  local review = reviews[key(client, closed.id)]
  if not review then
    return
  end
  reviews[review.key] = nil
  review.is_over = true
  memory.give_back(review.size)
  update_modified(review)
  if closed.decidedHere then
    require('alongside.choosing').record_decision(review)
  end
  require('alongside.ending').end_review(review, closed, function(shown)
    reserved[file_key(review)] = { view = shown }
    vim.defer_fn(function()
      local place = reserved[file_key(review)]
      if place and place.view == shown then
        reserved[file_key(review)] = nil
        shown:close()
      end
    end, 1000)
  end)
  if closed.closing == 'accepted' or closed.closing == 'answeredInAgent' then
    target.follow(review.file)
  end
  M.redraw_all()
  vim.cmd.redrawstatus({ bang = true })
end

--- Handles the last word of a decided review.
function M.last_word(client, last)
  local suffix = require('alongside.choosing').next_words(key(client, last.id), true)
  messages.news(harmless.name(last.message), suffix)
end

--- Sends unsent edits. Returns when the companion has them, or after 120 ms.
function M.flush(client, id)
  local review = reviews[key(client, id)]
  if review and review.sync then
    review.sync:settle(120)
  end
end

--- Ends the reviews of a server that has ended, without a decision; they return with the next server. With
--- `is_restart`, the person asked for it, so no message appears.
function M.gone(client, is_restart)
  for _, review in ipairs(M.all()) do
    if review.client == client then
      reviews[review.key] = nil
      review.is_over = true
      update_modified(review)
      require('alongside.ending').end_review(review, { closing = 'gone', is_restart = is_restart })
    end
  end
end

--- Shows a problem that the companion reports.
function M.problem(_, problem)
  local hint = type(problem.hint) == 'string' and '; ' .. problem.hint or ''
  messages.later('alongside: ' .. harmless.name(tostring(problem.what) .. hint), vim.log.levels.WARN)
end

function M.go(id, origin)
  require('alongside.navigation').go(id, origin)
end

function M.accept()
  require('alongside.deciding').by_command('accept')
end

function M.reject()
  require('alongside.deciding').by_command('reject')
end

--- Asks for a reason for the change under the cursor, or for the whole proposal.
---@param is_for_all boolean
function M.reason(is_for_all)
  local review = require('alongside.deciding').of_command('give a reason')
  if review then
    require('alongside.reasons').ask(review, is_for_all)
  end
end

--- Returns the waiting reviews for display, with harmless names.
---@return table[]
function M.waiting()
  return vim.tbl_map(function(review)
    return {
      id = review.id,
      client = review.client,
      file = M.name(review),
      agent = review.display.agent,
      states = review.display.states,
    }
  end, M.all())
end

--- Redraws the bars of all reviews.
function M.redraw_all()
  for _, review in pairs(reviews) do
    redraw(review)
  end
end

return M
