-- `:edit` in a review: the proposal is as the agent made it, with all marks and colours, and undo brings the person's text
-- back. Neovim empties the buffer first, so that nothing can refuse it.

local folds = require('alongside.folds')
local marks = require('alongside.marks')
local messages = require('alongside.messages')
local text = require('alongside.text')

local M = {}

-- Puts the text of the agent in the place of the person's, as one edit.
local function as_proposed(review)
  local this, proposed = review.sync, text.split(review.proposed)
  if text.equal(this:mine(), proposed) then
    return
  end
  local now = this:options()
  local lines, form = text.shown(proposed, now.dos)
  if text.same_format(now, form) and not text.is_nothing(this:mine()) then
    -- The least changes, so that undo goes to the text that it brings back.
    this.put(this.buf, text.lines(this:mine(), now), lines)
  else
    this:replace(0, -1, lines, { eol = { form.eol }, bom = { form.bom } })
  end
  local said = '%s: as %s proposed it. u brings your text back.'
  messages.later(said:format(require('alongside.review').name(review), review.display.agent))
end

-- Neovim has dropped all that belongs to the text of a buffer.
local function restore(review, buf)
  local shown = review.view
  marks.clear(shown.right)
  shown:colour(buf)
  vim.schedule(function()
    if review.is_over or review.view ~= shown or not shown:is_shown() then
      return
    end
    vim.api.nvim_win_call(shown.right_win, function()
      vim.cmd('diffupdate')
      -- Neovim opens the folds of the other window while the buffer is empty.
      vim.cmd('normal! zX')
      vim.cmd('normal! zv')
    end)
    require('alongside.review').show(review)
    folds.level(shown, review.hunks)
  end)
end

--- Follows `:edit` in the windows of a review.
---@param review alongside.Review
---@param on function adds autocommands of the review
function M.watch(review, on)
  local shown, is_edit = review.view, false
  on('BufUnload', 'send the last edits', function()
    if review.sync.buf == shown.right then
      review.sync:detach()
      review.sync:push()
    end
    is_edit = true
    -- Loaded again later, the buffer has the text of the person.
    vim.schedule(function()
      is_edit = false
    end)
  end, { buffer = shown.right })
  on('BufReadCmd', ':edit shows the proposal as the agent made it', function()
    review.sync:attach(shown.right, review.sync.format)
    if is_edit and not review.wholeFileOnly then
      as_proposed(review)
    end
    restore(review, shown.right)
    -- `:edit` lists it.
    vim.bo[shown.right].modifiable, vim.bo[shown.right].buflisted = not review.wholeFileOnly, false
    review.sync:soon()
  end, { buffer = shown.right })
  on('BufReadCmd', ':edit shows the original again', function()
    shown:show_original(review.sync.format)
    restore(review, shown.left)
    vim.bo[shown.left].modifiable, vim.bo[shown.left].buflisted = false, false
  end, { buffer = shown.left })
end

return M
