-- The waiting reviews: announced when they arrive, shown when the person asks for them, and over when the companion closes
-- them. Nothing here moves the cursor unless the person asks for it.

local config = require('alongside.config')
local first_word = require('alongside.first_word')
local folds = require('alongside.folds')
local harmless = require('alongside.harmless')
local highlights = require('alongside.highlights')
local marks = require('alongside.marks')
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
---@field original string?
---@field proposed string
---@field hunks table[]
---@field hunks_of integer the revision of the hunks
---@field display table the words of the companion
---@field stale boolean
---@field dirty boolean
---@field wholeFileOnly string?
---@field reasons string? the outcomes with which the agent's model reads a reason; nil: with none
---@field reason string? the person's reason for the decision on the whole
---@field reason_flights integer? the reasons without a reply
---@field sync alongside.Sync
---@field view alongside.View?
---@field deciding string? a decision without a reply
---@field announcement alongside.Message? the announcement of this one alone
---@field is_over boolean?

local reviews = {} ---@type table<string, alongside.Review>
-- Views whose proposal was replaced; the next proposal of the same file takes them over.
local vacant = {} ---@type table<string, { view: alongside.View, sync: alongside.Sync }>
local numbers = 0

local function key(client, id)
  return client .. '/' .. id
end

local function same_file(review)
  return ('%d/%s/%s'):format(review.client, tostring(review.agent.number), review.file)
end

function M.name(review)
  return review.display.name
end

--- All waiting reviews, the oldest first, as agents wait for them.
---@return alongside.Review[]
function M.all()
  local all = vim.tbl_values(reviews)
  table.sort(all, function(a, b)
    return a.number < b.number
  end)
  return all
end

--- The review that a buffer shows.
---@param buf integer
---@return alongside.Review?
function M.of_buffer(buf)
  for _, review in pairs(reviews) do
    if review.view and (review.view.right == buf or review.view.left == buf) then
      return review
    end
  end
end

--- The review in the current buffer or tab page.
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

--- Draws the bars of a review again.
M.redraw = redraw

-- The hunks belong to the companion's text, so marks are drawn only while the buffer shows it.
local function draw(review, anew)
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
  }, this.told, function()
    draw(review, true)
  end, anew)
end

-- Counts the buffer as modified while it holds typed text.
local function mark(review)
  if review.sync then
    review.sync:set_modified()
  end
end

--- Draws marks and bars.
function M.show(review)
  draw(review)
  redraw(review)
  mark(review)
  vim.schedule(function()
    seen.look_around()
  end)
  require('alongside.reasons').follow_undo(review)
end

-- Splits texts only when the person looks at the review.
local function prepared(review)
  if review.sync then
    return review.sync
  end
  review.sync = sync.new(review.current, review.revision, {
    request = function(params, answer)
      params.id = review.id
      server.request(review.client, 'alongside/setReviewText', params, function(err, result)
        answer(err, result)
        if review.sync.problem and not review.is_over and not review.has_said_so then
          review.has_said_so = true
          local said = '%s: the companion refused your edits. %s Your text stays here; :w tries again.'
          messages.later(said:format(M.name(review), M.refusal(err)), vim.log.levels.WARN)
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
  for _, changed in ipairs(review.backlog) do
    review.sync:take(changed)
  end
  review.backlog, review.current = {}, nil
  return review.sync
end

--- A refusal as a sentence.
---@param err table
---@return string
function M.refusal(err)
  local said = harmless.name(type(err.message) == 'string' and err.message or 'the companion does not say why')
  return said:sub(1, 1):upper() .. said:sub(2) .. (said:find('[.!?]$') and '' or '.')
end

--- The line of the first change.
function M.first_line(review)
  local hunk = review.hunks[1]
  return hunk and require('alongside.next_change').line(hunk, 'current') + 1 or 1
end

--- The line of the first change, and the column of its first word that differs, 0-based.
function M.first_place(review)
  local line, hunk = M.first_line(review), review.hunks[1]
  return line, hunk and first_word.column(review, hunk, 'current', line - 1) or 0
end

-- Takes the words of the companion, those of changes too.
local function take_words(review, display)
  review.display = display
  for number, hunk in ipairs(review.hunks) do
    hunk.number = number
  end
  for _, one in ipairs(display.hunks) do
    local hunk = review.hunks[one.hunk + 1]
    hunk.unseen, hunk.blanks, hunk.differs = one.unseen, one.blanks, one.differs
  end
end

--- Creates the buffers of a review.
function M.make_view(review)
  local this = prepared(review)
  local name = ('%d-%d/%s'):format(review.client, review.id, harmless.name(vim.fs.basename(review.file)))
  review.view = view.new(review, this, name)
  require('alongside.deciding').watch(review)
  return review.view
end

--- The companion opened a review.
function M.opened(client, opened)
  local one = server.get(client)
  numbers = numbers + 1
  -- The fields that the companion tells, and those that the plugin adds.
  local review = vim.tbl_extend('force', opened, {
    key = key(client, opened.id),
    number = numbers,
    client = client,
    root = one and one.root,
    hunks_of = opened.revision,
    backlog = {},
  })
  take_words(review, opened.display)
  reviews[review.key] = review
  local place = vacant[same_file(review)]
  vacant[same_file(review)] = nil
  if place and place.view:is_shown() then
    place.view:give_to(M.make_view(review), M.first_place(review))
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
  M.redraw_all()
  vim.cmd.redrawstatus({ bang = true })
end

--- A review has changed, here or at another desk.
function M.changed(client, changed)
  local review = reviews[key(client, changed.id)]
  if not review or changed.revision < review.hunks_of then
    -- The hunks of an earlier text would count what is not there.
    return
  end
  review.hunks, review.hunks_of = changed.hunks, changed.revision
  review.stale, review.dirty = changed.stale, changed.dirty
  review.reason = changed.reason
  take_words(review, changed.display)
  if review.sync then
    review.sync:take(changed)
    draw(review)
  else
    review.backlog[#review.backlog + 1] = changed
  end
  redraw(review)
  mark(review)
  if review.sync then
    require('alongside.reasons').follow_undo(review)
  end
  vim.cmd.redrawstatus({ bang = true })
end

--- The companion closed a review.
function M.closed(client, closed)
  local review = reviews[key(client, closed.id)]
  if not review then
    return
  end
  reviews[review.key] = nil
  review.is_over = true
  mark(review)
  if closed.decidedHere then
    require('alongside.choosing').decided(review)
  end
  require('alongside.ending').over(review, closed, function(shown)
    vacant[same_file(review)] = { view = shown }
    vim.defer_fn(function()
      local place = vacant[same_file(review)]
      if place and place.view == shown then
        vacant[same_file(review)] = nil
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

--- The companion reports the end of the file of a decided review.
function M.last_word(client, last)
  local behind = require('alongside.choosing').next_words(key(client, last.id), true)
  messages.news(harmless.name(last.message), behind)
end

--- Sends unsent edits. Returns when the companion has them, or after 120 ms.
function M.flush(client, id)
  local review = reviews[key(client, id)]
  if review and review.sync then
    review.sync:settle(120)
  end
end

--- The server has ended. Nothing is decided; the reviews return with the next server. `is_restart`: the person asked for
--- it, so no message appears.
function M.gone(client, is_restart)
  for _, review in ipairs(M.all()) do
    if review.client == client then
      reviews[review.key] = nil
      review.is_over = true
      mark(review)
      require('alongside.ending').over(review, { closing = 'gone', is_restart = is_restart })
    end
  end
end

--- The companion reports a problem.
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

--- The waiting reviews, for display: names are harmless.
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

--- Draws all bars again.
function M.redraw_all()
  for _, review in pairs(reviews) do
    redraw(review)
  end
end

---@param resolved alongside.Config
function M.setup(resolved)
  config.current = resolved
  highlights.setup()
  require('alongside.deciding').setup()
end

return M
