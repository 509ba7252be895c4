-- Announces reviews, and takes the person to one when they ask.

local config = require('alongside.config')
local folds = require('alongside.folds')
local harmless = require('alongside.harmless')
local messages = require('alongside.messages')
local reviews = require('alongside.lazy')('review')
local target = require('alongside.target')
local winbar = require('alongside.winbar')
local window_state = require('alongside.window_state')

local M = {}

-- Reviews within this time (milliseconds) share one message, as when Neovim connects.
local TOGETHER = 300
local fresh = {} ---@type alongside.Review[] to announce in this turn
local recent = {} ---@type { review: alongside.Review, at: integer }[] announced within that time, and the fresh ones
local announcement ---@type alongside.Message? the last one

-- How to go to a review from here. In a terminal, typed keys are the agent's.
local function way()
  local go = config.current.keys.go and winbar.key_name(config.current.keys.go) or ':Alongside'
  local is_agents = vim.api.nvim_get_mode().mode == 't'
  return is_agents and ('leave the terminal with Ctrl-\\ Ctrl-N, then %s'):format(go) or go
end

-- Announces the fresh reviews, and with them those announced a moment ago.
local function announce_fresh()
  local new, now = fresh, vim.uv.now()
  fresh = {}
  recent = vim.tbl_filter(function(one)
    return now - one.at < TOGETHER and not one.review.is_over and not (one.review.view and one.review.view:is_shown())
  end, recent)
  if #recent == 0 or config.current.auto_open and require('alongside.auto_open').add(new) then
    return
  end
  local go, said = way(), nil
  if #recent > 1 then
    said = ('%d reviews are waiting: %s'):format(#recent, go)
  else
    local one = recent[1].review
    local agent, name = one.display.agent, reviews.name(one)
    said = messages.fitting({
      ('%s proposes %s (%s): %s'):format(agent, name, one.display.size, go),
      ('%s proposes %s: %s'):format(agent, name, go),
    })
  end
  announcement = messages.later(said, nil, false, announcement)
  if #recent == 1 then
    -- A message about its end makes this one needless.
    recent[1].review.announcement = announcement
  end
end

--- Announces a new review.
---@param review alongside.Review
function M.announce(review)
  fresh[#fresh + 1] = review
  recent[#recent + 1] = { review = review, at = vim.uv.now() }
  if #fresh == 1 then
    -- At the end of this turn: reviews that arrive in one message of the server are known by then.
    vim.schedule(announce_fresh)
  end
end

-- Once Neovim has folded both windows.
local function level_soon(review)
  local shown = review.view
  vim.schedule(function()
    folds.level(shown, review.hunks)
  end)
end

local function open(review, origin)
  messages.hush()
  local shown = review.view
  if shown and shown:is_shown() then
    shown:focus()
    if shown:lacks_original() then
      shown:open_original()
      level_soon(review)
      reviews.show(review)
    end
    return
  end
  if shown then
    -- The window of the original may still be there, if the person comes back in the turn in which they closed the proposal.
    shown:close_windows()
  end
  local before = reviews.of_buffer(vim.api.nvim_get_current_buf())
  origin = origin or window_state.here()
  origin.before = before and before.view.origin or nil
  if not shown or not vim.api.nvim_buf_is_loaded(shown.right) then
    if shown then
      shown:close()
    end
    shown = reviews.make_view(review)
  end
  local line, column = review.line, 0
  if not line then
    line, column = reviews.first_place(review)
  end
  shown:open(origin, line, column)
  level_soon(review)
  if review.look then
    vim.fn.winrestview(review.look)
  end
  reviews.show(review)
end

--- Goes to a review: the named one, the one without its original here, that of the current file, the only one, or the one
--- that the person chooses.
---@param id integer?
---@param origin table? where to return to; here by default
function M.go(id, origin)
  if vim.fn.getcmdwintype() ~= '' then
    return messages.now('alongside: close the command-line window first.', vim.log.levels.WARN)
  end
  local all, here = reviews.all(), reviews.looked_at()
  if not id and here and here.view:lacks_original() then
    return open(here, origin)
  elseif type(id) == 'string' or id then
    all = vim.tbl_filter(function(review)
      return review.id == tonumber(id) or review.key == id
    end, all)
  elseif here and #all > 1 then
    all = vim.tbl_filter(function(review)
      return review ~= here
    end, all)
  end
  if #all == 0 then
    return messages.now(id and ('alongside: there is no review %s.'):format(harmless.name(id)) or 'alongside: no review is waiting.')
  end
  local of_this_file = vim.tbl_filter(function(review)
    return target.buffer(review.file) == vim.api.nvim_get_current_buf()
  end, all)
  if #all == 1 or #of_this_file == 1 then
    return open(#all == 1 and all[1] or of_this_file[1], origin)
  end
  origin = origin or window_state.here()
  require('alongside.choosing').choose(all, function(chosen)
    if chosen and not chosen.is_over then
      open(chosen, origin)
    elseif chosen then
      messages.now(('%s: this review has already ended.'):format(reviews.name(chosen)))
    end
  end)
end

return M
