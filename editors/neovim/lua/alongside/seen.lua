-- Records which changes of a review were on the screen. Accepting asks if some were not, with the same sentences at
-- every desk.

local autocommands = require('alongside.autocommands')

local M = {}

-- The key of a change, which stays the same while the change is at the same place of the proposal.
local function key_of(hunk)
  hunk.seen_key = hunk.seen_key or hunk.original.start .. ' ' .. hunk.proposed.start
  return hunk.seen_key
end

-- The lines of a change in the buffer, 0-based; a change without lines is at the line with its sign.
local function lines_of(hunk)
  local first = require('alongside.next_change').line(hunk, 'current')
  return first, math.max(hunk.current['end'], first + 1)
end

--- Whether a proposal is decided change by change.
---@return boolean
function M.is_one_by_one(review)
  return review.has_original and not review.wholeFileOnly and #review.hunks > 0
end

-- The changes that are counted. A new file or an undivided proposal counts as one change of all its lines.
local function parts_of(review)
  if M.is_one_by_one(review) then
    return review.hunks
  end
  local stop = vim.api.nvim_buf_line_count(review.view.right)
  local all = { start = 0, ['end'] = stop }
  return { { original = all, proposed = all, current = all, state = 'kept' } }
end

-- The number of the first change that reaches line `first` or a line below it.
local function first_at(parts, first)
  local low, high = 1, #parts + 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    local _, stop = lines_of(parts[middle])
    if stop > first then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end

--- Records that the lines from `first` to before `stop`, 0-based, are on the screen. `is_hidden` says whether a fold
--- hides a line.
---@return boolean whether a line is on the screen for the first time
function M.record(review, first, stop, is_hidden)
  local parts, is_new = parts_of(review), false
  local record = review.seen or { whole = {}, lines = {} }
  review.seen = record
  for i = first_at(parts, first), #parts do
    local from, upto = lines_of(parts[i])
    if from >= stop then
      break
    end
    local key = key_of(parts[i])
    if not record.whole[key] then
      local lines = record.lines[key] or {}
      record.lines[key] = lines
      for line = math.max(from, first), math.min(upto, stop) - 1 do
        if not is_hidden(line) then
          is_new = is_new or not lines[line - from]
          lines[line - from] = true
        end
      end
      local all = true
      for line = 0, upto - from - 1 do
        all = all and lines[line]
        if not all then
          break
        end
      end
      if all then
        record.whole[key], record.lines[key] = true, nil
      end
    end
  end
  return is_new
end

---@class alongside.Seen
---@field unseen integer
---@field all integer
---@field unit "changes"|"lines"
---@field hard integer the number of unseen changes with something hard to see

--- Returns how many changes were not wholly on the screen; for a single change, how many of its lines.
---@return alongside.Seen
function M.count(review)
  local parts, record = parts_of(review), review.seen or { whole = {}, lines = {} }
  local count = { unseen = 0, all = #parts, unit = 'changes', hard = 0 }
  for _, part in ipairs(parts) do
    if not record.whole[key_of(part)] then
      count.unseen = count.unseen + 1
      count.hard = count.hard + (part.unseen and 1 or 0)
    end
  end
  if #parts == 1 then
    local from, upto = lines_of(parts[1])
    count.unit, count.all = 'lines', upto - from
    if count.unseen > 0 then
      count.unseen = math.max(0, count.all - vim.tbl_count(record.lines[key_of(parts[1])] or {}))
    end
  end
  return count
end

-- A sentence such as "3 of 20 changes were not on the screen yet."
local function unseen_sentence(count)
  local hard = count.hard == 0 and ''
    or count.unit == 'lines' and ', and the change has something hard to see'
    or count.hard == 1 and count.unseen == 1 and ', and has something hard to see'
    or (', %d of them with something hard to see'):format(count.hard)
  local were = count.unseen == 1 and 'was' or 'were'
  return ('%d of %d %s %s not on the screen yet%s.'):format(count.unseen, count.all, count.unit, were, hard)
end

--- Returns the count of changes that were not on the screen yet, for a bar: "16 of 20 not seen". Nil if all were.
---@return string?
function M.label(review)
  if not review.view or review.is_over then
    return
  end
  local count = M.count(review)
  return count.unseen > 0 and ('%d of %d not seen'):format(count.unseen, count.all) or nil
end

--- Returns the question before accepting, if something was not on the screen or is hard to see and the person has not
--- confirmed it, and the function that records the confirmation.
---@return string?, fun()
function M.question(review)
  M.look_around()
  local parts = {}
  if review.view then
    local count = M.count(review)
    if count.unseen > 0 then
      parts[#parts + 1] = unseen_sentence(count)
    end
  end
  parts[#parts + 1] = review.display.unseen
  local question = table.concat(parts, '\n')
  if question == '' or question == review.confirmed then
    return nil, function() end
  end
  return question .. ' Accept all the same?', function()
    review.confirmed = question
  end
end

-- The first line that was not on the screen, 1-based; nil if all were.
local function first_unseen(review)
  local record = review.seen or { whole = {}, lines = {} }
  for _, part in ipairs(parts_of(review)) do
    local from, upto = lines_of(part)
    local lines = record.lines[key_of(part)] or {}
    for line = from, record.whole[key_of(part)] and from - 1 or upto - 1 do
      if not lines[line - from] then
        return line + 1
      end
    end
  end
end

--- Goes to the first line of a change that was not on the screen, if the person is in the proposal.
---@param review alongside.Review
function M.go(review)
  local view = review.view
  local line = view and view:is_shown() and view:is_current() and first_unseen(review)
  if line then
    view:focus()
    vim.cmd("normal! m'")
    vim.api.nvim_win_set_cursor(0, { math.min(line, vim.api.nvim_buf_line_count(view.right)), 0 })
    vim.cmd('normal! zvzz')
  end
end

-- Records the lines that a window of a proposal shows now.
local function record_window(win, review)
  -- Neovim updates the last visible line only if it is queried in the window.
  local range = vim.api.nvim_win_call(win, function()
    return { vim.fn.line('w0') - 1, vim.fn.line('w$') }
  end)
  return M.record(review, range[1], range[2], function(line)
    return vim.api.nvim_win_call(win, function()
      return vim.fn.foldclosed(line + 1) >= 0
    end)
  end)
end

--- Records what is on the screen now.
function M.look_around() end

--- Follows what is on the screen. `review_of` returns the review whose proposal is in a buffer; `on_seen` is called
--- when more of the review was on the screen.
---@param review_of fun(buf: integer): alongside.Review?
---@param on_seen fun(review: alongside.Review)
function M.setup(review_of, on_seen)
  local is_scheduled = false
  local function look_around()
    is_scheduled = false
    if vim.fn.getcmdwintype() ~= '' then
      return
    end
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      local review = review_of(vim.api.nvim_win_get_buf(win))
      if review and record_window(win, review) then
        on_seen(review)
      end
    end
  end
  M.look_around = look_around
  autocommands('seen')({ 'WinScrolled', 'WinResized', 'CursorMoved', 'CursorMovedI', 'WinEnter', 'TabEnter' }, 'note which changes are on the screen', function()
    if not is_scheduled then
      is_scheduled = true
      -- Runs after Neovim has scrolled.
      vim.schedule(look_around)
    end
  end)
end

return M
