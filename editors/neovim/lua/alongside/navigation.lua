-- Announces reviews, and opens a review when the person asks for it.

local config = require('alongside.config')
local folds = require('alongside.folds')
local harmless = require('alongside.harmless')
local messages = require('alongside.messages')
local reviews = require('alongside.lazy')('review')
local target = require('alongside.target')
local winbar = require('alongside.winbar')
local window_state = require('alongside.window_state')

local M = {}

-- Reviews within this time share one message, in milliseconds: they arrive together when Neovim connects.
local GROUPING_TIME = 300
local fresh = {} ---@type alongside.Review[] to announce after the current event
local recent = {} ---@type { review: alongside.Review?, at: integer }[] those announced within GROUPING_TIME, and the fresh ones
local announcement ---@type alongside.Message? the last announcement

-- The keys that open a review from here. In a terminal, typed keys go to the agent.
local function opening_keys()
  local go = config.current.keys.go and winbar.key_name(config.current.keys.go) or ':Alongside'
  local is_agents = vim.api.nvim_get_mode().mode == 't'
  return is_agents and ('leave the terminal with Ctrl-\\ Ctrl-N, then %s'):format(go) or go
end

-- Announces the fresh reviews, together with recently announced ones.
local function announce_fresh()
  local new, now = fresh, vim.uv.now()
  fresh = {}
  recent = vim.tbl_filter(function(entry)
    local review = entry.review
    return review and now - entry.at < GROUPING_TIME and not review.is_over and not (review.view and review.view:is_shown())
  end, recent)
  if #recent == 0 or config.current.auto_open and require('alongside.auto_open').add(new) then
    return
  end
  local go, message = opening_keys(), nil
  if #recent > 1 then
    message = ('%d reviews are waiting: %s'):format(#recent, go)
  else
    local review = recent[1].review
    local agent, name = review.display.agent, reviews.name(review)
    message = messages.fitting({
      ('%s proposes %s (%s): %s'):format(agent, name, review.display.size, go),
      ('%s proposes %s: %s'):format(agent, name, go),
    })
  end
  announcement = messages.later(message, nil, false, announcement)
  if #recent == 1 then
    -- A message about the end of this review replaces the announcement.
    recent[1].review.announcement = announcement
  end
end

--- Announces a new review.
---@param review alongside.Review
function M.announce(review)
  fresh[#fresh + 1] = review
  -- Weak, so that a review that has ended is freed.
  recent[#recent + 1] = setmetatable({ review = review, at = vim.uv.now() }, { __mode = 'v' })
  if #fresh == 1 then
    -- Scheduled, so that all reviews of one message of the server are announced together.
    vim.schedule(announce_fresh)
  end
end

-- Lets both windows begin at the same line, after Neovim has folded them.
local function schedule_level(review)
  local view = review.view
  vim.schedule(function()
    folds.level(view, review.hunks)
  end)
end

local function open(review, return_place)
  messages.close_corner()
  local view = review.view
  if view and view:is_shown() then
    view:focus()
    if view:lacks_original() then
      view:open_original()
      schedule_level(review)
      reviews.show(review)
    end
    return
  end
  if view then
    -- The window of the original may still be open if the person returns before the closing of the proposal was
    -- handled.
    view:close_windows()
  end
  local before = reviews.of_buffer(vim.api.nvim_get_current_buf())
  return_place = return_place or window_state.here()
  return_place.before = before and before.view.return_place or nil
  if not view or not vim.api.nvim_buf_is_loaded(view.right) then
    if view then
      view:close()
    end
    view = reviews.make_view(review)
  end
  local line, column = review.line, 0
  if not line then
    line, column = reviews.first_place(review)
  end
  view:open(return_place, line, column)
  schedule_level(review)
  if review.window_view then
    vim.fn.winrestview(review.window_view)
  end
  reviews.show(review)
end

--- Opens a review: the one with the given id or key; otherwise the current one if its original is closed, that of the
--- current file, the only one, or the one that the person chooses.
---@param id integer?
---@param return_place table? the place to return to; by default the current one
function M.go(id, return_place)
  if vim.fn.getcmdwintype() ~= '' then
    return messages.now('alongside: close the command-line window first.', vim.log.levels.WARN)
  end
  local all, current = reviews.all(), reviews.looked_at()
  if not id and current and current.view:lacks_original() then
    return open(current, return_place)
  elseif type(id) == 'string' or id then
    all = vim.tbl_filter(function(review)
      return review.id == tonumber(id) or review.key == id
    end, all)
  elseif current and #all > 1 then
    all = vim.tbl_filter(function(review)
      return review ~= current
    end, all)
  end
  if #all == 0 then
    return messages.now(id and ('alongside: there is no review %s.'):format(harmless.name(id)) or 'alongside: no review is waiting.')
  end
  local of_this_file = vim.tbl_filter(function(review)
    return target.buffer(review.file) == vim.api.nvim_get_current_buf()
  end, all)
  if #all == 1 or #of_this_file == 1 then
    return open(#all == 1 and all[1] or of_this_file[1], return_place)
  end
  return_place = return_place or window_state.here()
  require('alongside.choosing').choose(all, function(chosen)
    if chosen and not chosen.is_over then
      open(chosen, return_place)
    elseif chosen then
      messages.now(('%s: this review has already ended.'):format(reviews.name(chosen)))
    end
  end)
end

return M
