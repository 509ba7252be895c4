-- Which of several proposals: the list to choose from, the order in which they wait, and the one that is next. Agents wait for
-- the oldest first.

local harmless = require('alongside.harmless')
local messages = require('alongside.messages')
local reviews = require('alongside.lazy')('review')

local M = {}

-- The name of the file, in front of it that of its project if there are several.
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

-- Asks in the command line, where Enter takes the first one. With an interface of the person's own, that one asks.
local function ask(prompt, items, chosen)
  local lines = { prompt }
  for i, said in ipairs(items) do
    lines[#lines + 1] = ('%d: %s'):format(i, said)
  end
  lines[#lines + 1] = 'Number (Enter takes 1, Escape none): '
  local ok, typed = pcall(vim.fn.input, { prompt = table.concat(lines, '\n'), cancelreturn = 'none' })
  vim.cmd.redraw()
  chosen(ok and (typed == '' and 1 or tonumber(typed)) or nil)
end

--- Lets the person choose one of these reviews. Calls `chosen` with it, or with nil.
---@param all alongside.Review[]
---@param chosen fun(review: alongside.Review?)
function M.choose(all, chosen)
  local prompt, items = 'Which review?', {}
  for i, review in ipairs(all) do
    items[i] = item(review, all)
  end
  if messages.is_own(vim.ui.select) then
    return ask(prompt, items, function(number)
      chosen(all[number])
    end)
  end
  vim.ui.select(all, {
    prompt = prompt,
    kind = 'alongside',
    format_item = function(review)
      return item(review, all)
    end,
  }, chosen)
end

--- Goes to the next or previous proposal in the order in which they came, from the one that is looked at; from elsewhere, to
--- the oldest or the newest one.
---@param step 1|-1
function M.go(step)
  local all, here = reviews.all(), reviews.looked_at()
  if #all == 0 then
    return messages.now('alongside: no review is waiting.')
  elseif here and #all == 1 then
    return messages.now('alongside: no other review is waiting.')
  end
  local at = step == 1 and 0 or #all + 1
  for i, review in ipairs(all) do
    at = review == here and i or at
  end
  reviews.go(all[(at + step - 1) % #all + 1].key)
end

local decided = {} ---@type table<string, boolean> reviews that ended here, until their last word

--- Notes that a person decided a review here.
---@param review alongside.Review
function M.decided(review)
  decided[review.key] = true
end

--- The sentence about the proposal that is next, behind a message about one that was decided here; empty without any.
---@param key string that of the decided one
---@param is_last boolean? whether no message about it follows
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
