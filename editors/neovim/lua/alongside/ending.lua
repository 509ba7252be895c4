-- The end of a review: its windows close unless the person is typing there, unsent text stays in a buffer, and a
-- message gives the reason.

local marks = require('alongside.marks')
local messages = require('alongside.messages')
local reviews = require('alongside.lazy')('review')
local text = require('alongside.text')
local typing = require('alongside.typing')
local views = require('alongside.view')
local winbar = require('alongside.winbar')

local M = {}

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

-- Puts unsent text into an ordinary buffer.
local function keep_text(review, pieces)
  local buf = views.ordinary_buffer(pieces)
  messages.later(('%s: your last edits are in an unnamed buffer (:buffer %d).'):format(reviews.name(review), buf))
end

-- Turns the buffer in which the person types into an ordinary one.
local function keep_buffer(review, view, is_modified)
  review.sync.buf = nil
  for _, lhs in ipairs(review.mapped or {}) do
    for _, buf in ipairs({ view.right, view.left }) do
      pcall(vim.keymap.del, 'n', lhs, { buffer = buf })
      pcall(vim.keymap.del, 'x', lhs, { buffer = buf })
    end
  end
  pcall(vim.api.nvim_del_augroup_by_name, 'alongside.review.' .. review.key)
  view:become_ordinary(is_modified)
  messages.later(('%s: your text stays here, in an unnamed buffer (:w FILE).'):format(reviews.name(review)))
end

-- Ends a review that another desk decided while the person works on it: its windows close at the first pause, or stay
-- if the person has typed since.
local function close_at_pause(review, view, reason, text_before)
  for _, win in ipairs(vim.fn.win_findbuf(view.right)) do
    vim.wo[win][0].winbar = winbar.proposal(review, {
      ended = 'over: ' .. reason, width = vim.api.nvim_win_get_width(win),
    })
  end
  local function check()
    if not vim.api.nvim_buf_is_loaded(view.right) or not view:is_shown() then
      view:close()
    elseif not text.equal(text_before, review.sync:person_text()) then
      -- The draft lacks text that was typed after the end.
      keep_buffer(review, view, true)
    elseif view:is_current() and typing.is_typing() then
      vim.defer_fn(check, 100)
    else
      view:close()
    end
  end
  check()
end

--- Ends a review. `reserve` keeps its windows for the proposal that replaces this one.
---@param review alongside.Review
---@param closed table
---@param reserve fun(view: alongside.View)?
function M.end_review(review, closed, reserve)
  local view, sync = review.view, review.sync
  local message = closed.display and closed.display.messages[1] or reviews.name(review) .. ': the review has ended.'
  local unsent = sync and sync:is_unsent() and sync:person_text() or nil
  if unsent and text.equal(unsent, sync.companion_text) then
    -- The companion has the text; only its reply is missing.
    unsent = nil
  end
  if sync then
    sync.problem = sync.problem or { message = 'the review has ended' }
  end
  local function announce_end()
    if closed.closing == 'gone' and closed.is_restart then
      return
    elseif closed.closing == 'gone' then
      messages.later(('%s: the connection to alongside is lost; the review will return.'):format(reviews.name(review)), nil, false, review.announcement)
    elseif closed.closing ~= 'replaced' or not (view and view:is_shown()) then
      messages.later(message .. require('alongside.choosing').next_words(review.key), nil, false, review.announcement)
    end
  end
  -- The message about the end comes first, then the one about the text.
  announce_end()
  if not view or not view:is_shown() then
    if unsent then
      keep_text(review, unsent)
    end
    if view then
      view:close()
    end
    return
  end
  local reason = message:sub(#reviews.name(review) + 3)
  local mode = vim.api.nvim_get_mode().mode
  local has_hands_on = not closed.decidedHere and view:is_current()
  if has_hands_on and (unsent or (mode:find('^[iR]') and M.is_edited(review))) then
    local is_safe = closed.draft ~= nil or closed.closing == 'accepted'
    keep_buffer(review, view, unsent ~= nil or not is_safe)
  else
    if unsent then
      keep_text(review, unsent)
    end
    marks.clear(view.right)
    if closed.closing == 'replaced' and reserve and (mode == 'n' or not has_hands_on) then
      reserve(view)
    elseif has_hands_on and typing.is_typing() then
      close_at_pause(review, view, reason, sync:person_text())
    else
      -- Scheduled, because a command may be closing the window or writing at this moment.
      vim.schedule(function()
        view:close()
      end)
    end
  end
end

return M
