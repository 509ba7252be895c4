-- `:edit` in the windows of a review.

local reviewing = require('reviewing')

local eq = reviewing.eq
local test = reviewing.test
local await = reviewing.await
local await_text = reviewing.await_text
local show = reviewing.show

-- Two changes in 90 lines of C, each with a fold of equal lines around it.
local function texts()
  local old, new = {}, {}
  for i = 1, 90 do
    old[i] = ('int n%d = %d;'):format(i, i)
    new[i] = (i == 30 or i == 60) and ('long n%d = %d;'):format(i, i) or old[i]
  end
  return table.concat(old, '\n') .. '\n', table.concat(new, '\n') .. '\n'
end

-- All that `:edit` could change in the two windows.
local LOOKS = [[
  local review, found = require('alongside.review').all()[1], {}
  vim.cmd.redraw()
  for _, win in ipairs({ review.view.left_win, review.view.right_win }) do
    local buf, marks, folds, syntax = vim.api.nvim_win_get_buf(win), 0, {}, nil
    for _, space in ipairs({ 'marks', 'ends' }) do
      marks = marks + #vim.api.nvim_buf_get_extmarks(buf, vim.api.nvim_get_namespaces()['alongside.' .. space], 0, -1, {})
    end
    vim.api.nvim_win_call(win, function()
      for line = 1, vim.fn.line('$') do
        folds[#folds + 1] = vim.fn.foldclosed(line)
      end
      syntax = vim.fn.synIDattr(vim.fn.synID(1, 1, 1), 'name')
    end)
    found[#found + 1] = {
      lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false),
      marks = marks,
      folds = folds,
      syntax = syntax,
      modifiable = vim.bo[buf].modifiable,
      buflisted = vim.bo[buf].buflisted,
      modified = vim.bo[buf].modified,
      has_winbar = vim.wo[win].winbar ~= '',
      winfixbuf = vim.wo[win].winfixbuf,
      diff = vim.wo[win].diff,
      top_line = vim.api.nvim_win_call(win, function() return vim.fn.line('w0') end),
    }
  end
  return found
]]

local function open(nvim)
  nvim:lua('vim.o.columns, vim.o.lines = 100, 24 vim.cmd("syntax on")')
  local old, new = texts()
  show(nvim, { file = nvim.root .. '/a.c', original = old, proposed = new })
  reviewing.quiet(nvim)
  local looks = nvim:lua(LOOKS)
  assert(looks[1].marks > 0 and looks[2].marks > 2 and looks[2].syntax == 'cType', vim.inspect(looks))
  return looks, new
end

local function await_looks(nvim, looks)
  nvim:lua('looks = ...', looks)
  local is_same = pcall(await, nvim, 'all to look as before', ('return vim.deep_equal(looks, (function() %s end)())'):format(LOOKS))
  if not is_same then
    -- Prints the difference.
    eq(looks, nvim:lua(LOOKS))
  end
end

test(':edit shows the proposal as the agent made it, with all marks, and u brings the text of the person back', {}, function(nvim)
  local looks, proposed = open(nvim)
  nvim:keys('do]cAmine<Esc>')
  local mine = proposed:gsub('long n30', 'int n30'):gsub('n60 = 60;', 'n60 = 60;mine')
  await_text(nvim, mine)
  nvim:keys('gg]c:e!<CR>')
  await_text(nvim, proposed)
  nvim:await_said('a.c: as Gemini CLI proposed it. u brings your text back.')
  await_looks(nvim, looks)
  nvim:keys('u')
  await_text(nvim, mine)
  await(nvim, 'the sign of the dropped change', ([[%s return vim.iter(seen()):any(function(mark) return mark:find('^29 =') end)]]):format(
    reviewing.SEEN_MARKS))
  eq(30, nvim:lua('return vim.fn.line(".")'))
  await(nvim, 'typed text to count', 'return vim.bo.modified')
  reviewing.undecided(nvim)
end)

test(':edit without changes says nothing and changes nothing', {}, function(nvim)
  local looks = open(nvim)
  nvim:lua('said = {}')
  nvim:keys(':e<CR>')
  await_looks(nvim, looks)
  eq({}, nvim:lua('return said'))
end)

test(':edit in the window of the original shows it again', {}, function(nvim)
  local looks, proposed = open(nvim)
  nvim:keys('<C-w>h:e!<CR>')
  await_looks(nvim, looks)
  await_text(nvim, proposed)
end)

test('u also brings back text that was in flight', {}, function(nvim)
  show(nvim)
  nvim:lua([[
    vim.api.nvim_buf_set_lines(0, 0, 1, false, { 'typed' })
    vim.cmd('edit!')
  ]])
  await_text(nvim, reviewing.PROPOSED)
  nvim:keys('u')
  await_text(nvim, (reviewing.PROPOSED:gsub('one', 'typed')))
end)

for name, case in vim.spairs({
  ['last line end'] = { original = 'a\nb\n', proposed = 'a\nc' },
  bom = { original = 'a\nb\n', proposed = '\239\187\191a\nc\n' },
  nothing = { original = 'a\nb\n', proposed = '' },
  crlf = { original = 'a\r\nb\r\n', proposed = 'a\r\nc\r\n' },
}) do
  test(':edit shows the exact text of the agent, and undo the text of the person: ' .. name, {}, function(nvim)
    show(nvim, { original = case.original, proposed = case.proposed })
    nvim:keys('ggVGdimine<CR>too<Esc>:set endofline<CR>')
    local mine = 'mine\ntoo\n'
    if name == 'bom' or name == 'crlf' then
      mine = name == 'bom' and '\239\187\191' .. mine or mine:gsub('\n', '\r\n')
    end
    await_text(nvim, mine)
    nvim:keys(':e!<CR>')
    await_text(nvim, case.proposed)
    nvim:keys('u')
    await_text(nvim, mine)
  end)
end

test('a buffer that is loaded again by another command has the text of the person', {}, function(nvim)
  show(nvim)
  nvim:keys('Ax<Esc>')
  await_text(nvim, (reviewing.PROPOSED:gsub('TWO', 'TWOx')))
  -- No window shows the buffer, so no autocommand ran.
  nvim:lua([[
    vim.o.eventignore = 'WinClosed'
    buf = vim.api.nvim_get_current_buf()
    vim.cmd('tabclose')
    vim.o.eventignore = ''
    vim.cmd('bunload! ' .. buf)
  ]])
  reviewing.quiet(nvim)
  nvim:lua([[vim.cmd('buffer ' .. buf)]])
  eq('TWOx', nvim:lua('return vim.fn.getbufline(buf, 2)[1]'))
  eq((reviewing.PROPOSED:gsub('TWO', 'TWOx')), nvim:lua('return desk.text(1)'))
end)

return reviewing.tests
