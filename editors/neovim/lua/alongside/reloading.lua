-- `:edit` in a review shows the proposal as the agent made it, with all marks and colours, and undo brings the person's
-- text back. Neovim empties the buffer before the plugin can act, so `:edit` cannot be refused.

local folds = require('alongside.folds')
local marks = require('alongside.marks')
local messages = require('alongside.messages')
local text = require('alongside.text')

local M = {}

-- Replaces the person's text with the proposed text, as one edit.
local function restore_proposal(review)
  local sync, proposed = review.sync, review.texts.proposed
  if text.equal(sync:person_text(), proposed) then
    return
  end
  local now = sync:options()
  local lines, form = text.shown(proposed, now.dos)
  if text.same_format(now, form) and not text.is_nothing(sync:person_text()) then
    -- Changes few lines, so that undo moves the cursor to the text that it brings back.
    sync.put(sync.buf, text.lines(sync:person_text(), now), lines)
  else
    sync:replace(0, -1, lines, { eol = { form.eol }, bom = { form.bom } })
  end
  local message = '%s: as %s proposed it. u brings your text back.'
  messages.later(message:format(require('alongside.review').name(review), review.display.agent))
end

-- Restores the file type, the diff and the marks, which Neovim has dropped with the text of the buffer.
local function restore_looks(review, buf)
  local view = review.view
  marks.clear(view.right)
  view:set_filetype(buf)
  vim.schedule(function()
    if review.is_over or review.view ~= view or not view:is_shown() then
      return
    end
    vim.api.nvim_win_call(view.right_win, function()
      vim.cmd('diffupdate')
      -- Neovim opens the folds of the other window while the buffer is empty.
      vim.cmd('normal! zX')
      vim.cmd('normal! zv')
    end)
    require('alongside.review').show(review)
    folds.level(view, review.hunks)
  end)
end

--- Handles `:edit` in the windows of a review.
---@param review alongside.Review
---@param on function adds an autocommand of the review
function M.watch(review, on)
  local view, is_reloading = review.view, false
  on('BufUnload', 'send the last edits', function()
    if review.sync.buf == view.right then
      review.sync:detach()
      review.sync:push()
    end
    is_reloading = true
    -- A buffer that is loaded again later gets the text of the person.
    vim.schedule(function()
      is_reloading = false
    end)
  end, { buffer = view.right })
  on('BufReadCmd', ':edit shows the proposal as the agent made it', function()
    review.sync:attach(view.right, review.sync.format)
    if is_reloading and not review.wholeFileOnly then
      restore_proposal(review)
    end
    restore_looks(review, view.right)
    -- `:edit` has listed the buffer.
    vim.bo[view.right].modifiable, vim.bo[view.right].buflisted = not review.wholeFileOnly, false
    review.sync:schedule_push()
  end, { buffer = view.right })
  on('BufReadCmd', ':edit shows the original again', function()
    view:show_original(review.sync.format)
    restore_looks(review, view.left)
    vim.bo[view.left].modifiable, vim.bo[view.left].buflisted = false, false
  end, { buffer = view.left })
end

return M
