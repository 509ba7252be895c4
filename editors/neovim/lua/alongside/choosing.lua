-- The order of several proposals: the list to choose from, the next and the previous one, and the message that names
-- the next one. The oldest comes first, because its agent has waited longest.

local harmless = require('alongside.harmless')
local messages = require('alongside.messages')
local reviews = require('alongside.lazy')('review')

local M = {}

-- The name of the file, after the name of its project if the proposals have several projects.
local function name_of(review, all)
  for _, other in ipairs(all) do
    if other.root ~= review.root and review.root then
      return harmless.name(vim.fs.basename(review.root)) .. '/' .. reviews.name(review)
    end
  end
  return reviews.name(review)
end

local function item(review, all)
  local display = review.display
  local counts = display.counts ~= '+0 -0' and ', ' .. display.counts or ''
  return ('%s: %s (%s%s)'):format(display.agent, name_of(review, all), display.size, counts)
end

-- Asks in the command line, where Enter chooses the first item. A plugin that replaces vim.ui.select asks instead of
-- this.
local function ask(prompt, items, on_choice)
  local lines = { prompt }
  for i, text in ipairs(items) do
    lines[#lines + 1] = ('%d: %s'):format(i, text)
  end
  lines[#lines + 1] = 'Number (Enter takes 1, Escape none): '
  local ok, typed = pcall(vim.fn.input, { prompt = table.concat(lines, '\n'), cancelreturn = 'none' })
  vim.cmd.redraw()
  on_choice(ok and (typed == '' and 1 or tonumber(typed)) or nil)
end

--- Lets the person choose one of the reviews. Calls `on_choice` with the chosen review, or with nil.
---@param all alongside.Review[]
---@param on_choice fun(review: alongside.Review?)
function M.choose(all, on_choice)
  local prompt, items = 'Which review?', {}
  for i, review in ipairs(all) do
    items[i] = item(review, all)
  end
  if messages.is_own(vim.ui.select) then
    return ask(prompt, items, function(number)
      on_choice(all[number])
    end)
  end
  vim.ui.select(all, {
    prompt = prompt,
    kind = 'alongside',
    format_item = function(review)
      return item(review, all)
    end,
  }, on_choice)
end

--- Goes to the next or previous proposal in the order of their arrival. Outside every review, it goes to the oldest or
--- the newest proposal.
---@param step 1|-1
function M.go(step)
  local all, current = reviews.all(), reviews.looked_at()
  if #all == 0 then
    return messages.now('alongside: no review is waiting.')
  elseif current and #all == 1 then
    return messages.now('alongside: no other review is waiting.')
  end
  local index = step == 1 and 0 or #all + 1
  for i, review in ipairs(all) do
    index = review == current and i or index
  end
  reviews.go(all[(index + step - 1) % #all + 1].key)
end

local decided = {} ---@type table<string, boolean> keys of reviews that were decided here, until their last word

--- Records that the person decided a review in this Neovim.
---@param review alongside.Review
function M.record_decision(review)
  decided[review.key] = true
end

--- Returns the sentence that names the next proposal, to follow a message about a review that was decided here. Empty
--- if no proposal waits.
---@param key string the key of the decided review
---@param is_last boolean? whether this is the last message about the decided review
---@return string
function M.next_words(key, is_last)
  local all = reviews.all()
  if not decided[key] or #all == 0 or require('alongside.config').current.auto_open then
    return ''
  end
  decided[key] = not is_last or nil
  return (' Next: %s, %s.'):format(reviews.name(all[1]), #all == 1 and '1 waits' or #all .. ' wait')
end

return M
