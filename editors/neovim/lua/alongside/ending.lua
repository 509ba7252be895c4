-- The end of a review: its windows close unless the person is typing in them, unsent text stays in a buffer, and a message
-- names the reason.

local marks = require('alongside.marks')
local messages = require('alongside.messages')
local reviews = require('alongside.lazy')('review')
local text = require('alongside.text')
local view = require('alongside.view')
local winbar = require('alongside.winbar')

local M = {}

-- A key within this time (milliseconds) means that the person is typing, so windows stay.
local IDLE = 600

local last_key = 0

--- Whether the person has edited the proposal beyond keeping and dropping whole changes.
---@param review alongside.Review
---@return boolean
function M.is_edited(review)
  if review.sync and review.sync:is_unsent() then
    return true
  end
  for _, hunk in ipairs(review.hunks) do
    if hunk.state == 'edited' then
      return true
    end
  end
  return false
end

-- Keeps unsent text in a buffer.
local function keep_text(review, pieces)
  local buf = view.ordinary(pieces)
  messages.later(('%s: your last edits are in an unnamed buffer (:buffer %d).'):format(reviews.name(review), buf))
end

-- The buffer in which the person types becomes an ordinary one.
local function leave_text(review, shown, is_modified)
  review.sync.buf = nil
  for _, lhs in ipairs(review.mapped or {}) do
    for _, buf in ipairs({ shown.right, shown.left }) do
      pcall(vim.keymap.del, 'n', lhs, { buffer = buf })
      pcall(vim.keymap.del, 'x', lhs, { buffer = buf })
    end
  end
  pcall(vim.api.nvim_del_augroup_by_name, 'alongside.review.' .. review.key)
  shown:become_ordinary(is_modified)
  messages.later(('%s: your text stays here, in an unnamed buffer (:w FILE).'):format(reviews.name(review)))
end

--- Milliseconds since the last key.
---@return integer
function M.idle()
  return vim.uv.now() - last_key
end

--- Whether the person is typing, or in a mode other than Normal mode.
---@return boolean
function M.is_typing()
  return vim.api.nvim_get_mode().mode ~= 'n' or M.idle() < IDLE
end

--- Milliseconds until a person who types in Normal mode pauses, without another key; nil in other modes and in a pause.
---@return integer?
function M.until_pause()
  local left = IDLE - M.idle()
  return vim.api.nvim_get_mode().mode == 'n' and left > 0 and left or nil
end

-- The review ended elsewhere while the person works on it: its windows close at the first pause, and stay after new text.
local function linger(review, shown, why, before)
  for _, win in ipairs(vim.fn.win_findbuf(shown.right)) do
    vim.wo[win][0].winbar = winbar.proposal(review, {
      ended = 'over: ' .. why, width = vim.api.nvim_win_get_width(win),
    })
  end
  local function look()
    if not vim.api.nvim_buf_is_loaded(shown.right) or not shown:is_shown() then
      shown:close()
    elseif not text.equal(before, review.sync:mine()) then
      -- No draft has text that was typed after the end.
      leave_text(review, shown, true)
    elseif shown:is_current() and M.is_typing() then
      vim.defer_fn(look, 100)
    else
      shown:close()
    end
  end
  look()
end

--- Ends a review. `vacate` keeps its windows for the proposal that replaces it.
---@param review alongside.Review
---@param closed table
---@param vacate fun(shown: alongside.View)?
function M.over(review, closed, vacate)
  local shown, this = review.view, review.sync
  local said = closed.display and closed.display.messages[1] or reviews.name(review) .. ': the review has ended.'
  local unsent = this and this:is_unsent() and this:mine() or nil
  if unsent and text.equal(unsent, this.told) then
    -- The companion has the text; only its reply is missing.
    unsent = nil
  end
  if this then
    this.problem = this.problem or { message = 'the review has ended' }
  end
  local function tell()
    if closed.closing == 'gone' and closed.is_restart then
      return
    elseif closed.closing == 'gone' then
      messages.later(('%s: the connection to alongside is lost; the review will return.'):format(reviews.name(review)), nil, false, review.announcement)
    elseif closed.closing ~= 'replaced' or not (shown and shown:is_shown()) then
      messages.later(said .. require('alongside.choosing').next_words(review.key), nil, false, review.announcement)
    end
  end
  -- The cause first, then what becomes of the text.
  tell()
  if not shown or not shown:is_shown() then
    if unsent then
      keep_text(review, unsent)
    end
    if shown then
      shown:close()
    end
    return
  end
  local why = said:sub(#reviews.name(review) + 3)
  local mode = vim.api.nvim_get_mode().mode
  local has_hands_on = not closed.decidedHere and shown:is_current()
  if has_hands_on and (unsent or (mode:find('^[iR]') and M.is_edited(review))) then
    local is_safe = closed.draft ~= nil or closed.closing == 'accepted'
    leave_text(review, shown, unsent ~= nil or not is_safe)
  else
    if unsent then
      keep_text(review, unsent)
    end
    marks.clear(shown.right)
    if closed.closing == 'replaced' and vacate and (mode == 'n' or not has_hands_on) then
      vacate(shown)
    elseif has_hands_on and M.is_typing() then
      linger(review, shown, why, this:mine())
    else
      -- A command may be closing the window or writing just now.
      vim.schedule(function()
        shown:close()
      end)
    end
  end
end

--- Records the time of each key.
function M.setup()
  vim.on_key(function()
    last_key = vim.uv.now()
  end, vim.api.nvim_create_namespace('alongside.keys'))
end

return M
