-- Helpers for tests of reviews: a second Neovim with typed keys and a companion inside it, its screen, and the state of
-- reviews.

local editor = require('editor')

local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
local ORIGINAL = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n'
local PROPOSED = 'one\nTWO\nthree\nfour\nfive\nSIX\nseven\neight\nnine\n'

local tests = {}

local function eq(expected, found, what)
  if not vim.deep_equal(expected, found) then
    error(('%s\nexpected %s\nfound    %s'):format(what or 'not equal', vim.inspect(expected), vim.inspect(found)), 2)
  end
end

-- The visible state: every tab page with its windows, sizes, cursors and the mode.
local PICTURE = [[
  local tabs = {}
  for _, tab in ipairs(vim.api.nvim_list_tabpages()) do
    local wins = {}
    for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
      wins[#wins + 1] = {
        win, vim.api.nvim_win_get_buf(win), vim.api.nvim_win_get_cursor(win), vim.api.nvim_win_get_width(win),
        vim.api.nvim_win_get_height(win), vim.wo[win].diff, vim.wo[win].winbar, vim.wo[win].statusline, vim.wo[win].scrollbind,
        vim.api.nvim_win_call(win, function() return { vim.fn.line('w0'), vim.fn.bufnr('#') } end),
      }
    end
    tabs[#tabs + 1] = { tab, wins, vim.api.nvim_tabpage_get_win(tab) }
  end
  return {
    tabs, vim.api.nvim_get_current_tabpage(), vim.api.nvim_get_mode().mode, vim.o.diffopt,
    vim.fn.tabpagenr('#'), vim.fn.winnr('#'), #vim.fn.getbufinfo(), vim.o.tabline,
  }
]]

-- Runs a test in a Neovim with a project, the plugin and a companion.
local function with(options, body)
  local root = editor.directory() .. '/project'
  editor.files(root, { ['a.txt'] = ORIGINAL, ['b.txt'] = 'b\n', ['c.txt'] = 'c\n' }, true)
  options.cwd = root
  options.args = options.args or { 'a.txt' }
  options.before = ([[
    package.path = %q .. '/?.lua;' .. package.path
    answers = {}
    asked = {}
    vim.fn.confirm = function(question) asked[#asked + 1] = question return table.remove(answers, 1) or 1 end
    desk = require('desk')
    desk.root = %q
  ]]):format(here, root) .. (options.before or '')
  editor.with(options, function(nvim)
    nvim.root = root
    nvim:lua('vim.cmd("runtime plugin/alongside.lua")')
    body(nvim)
  end)
end

local function test(name, options, body)
  tests[#tests + 1] = {
    name,
    function()
      with(vim.deepcopy(options), body)
    end,
  }
end

local function open(nvim, more)
  nvim:lua('desk.open(...)', vim.tbl_extend('force', {
    id = 1, file = nvim.root .. '/a.txt', original = ORIGINAL, proposed = PROPOSED,
  }, more or {}))
end

local await = editor.await_lua

local function go(nvim)
  nvim:cmd('Alongside')
  await(nvim, 'the review to be shown', [[return vim.bo.buftype == 'acwrite' and vim.wo.diff]])
end

local function show(nvim, more)
  open(nvim, more)
  go(nvim)
end

-- Waits until all keys are handled.
local function typed(nvim, keys)
  nvim:keys(keys)
  nvim:lua('return 1')
end

local function await_mode(nvim, mode)
  await(nvim, 'mode ' .. mode, ('return vim.api.nvim_get_mode().mode:sub(1, 1) == %q'):format(mode))
end

-- The review, and a function that returns its marks.
local SEEN_MARKS = [[
  local review = require('alongside.review').all()[1]
  local ns = vim.api.nvim_get_namespaces()['alongside.marks']
  local function seen()
    local found = {}
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(review.view.right, ns, 0, -1, { details = true })) do
      local d = mark[4]
      if not (d.hl_group or ''):find('Line$') then
        found[#found + 1] = ('%d %s %s %s'):format(mark[2], d.sign_text or '', d.hl_group or '', d.virt_text and d.virt_text[1][1] or '')
      end
    end
    table.sort(found)
    return found
  end
]]

-- The marks after edits, and after a redraw.
local MARKS = SEEN_MARKS .. [[
  local followed = seen()
  require('alongside.marks').clear(review.view.right)
  require('alongside.review').show(review)
  return { followed, seen() }
]]

local function await_text(nvim, expected, id)
  editor.await('the companion to have ' .. vim.inspect(expected), function()
    return nvim:lua('return desk.text(...)', id or 1) == expected
  end)
end

local function await_decided(nvim, decision, id)
  return await(nvim, 'the decision ' .. decision, ([[
    local last = desk.decided[#desk.decided]
    return last and last.decision == %q and last.id == %d and last
  ]]):format(decision, id or 1))
end

local function await_picture(nvim, before)
  editor.await('everything to be as before', function()
    return vim.deep_equal(before, nvim:lua(PICTURE))
  end)
end

-- Waits until no message is in flight.
local function quiet(nvim)
  nvim:lua([[
    local turns = 0
    local function turn() turns = turns + 1 if turns < 5 then vim.defer_fn(turn, 10) end end
    turn()
    assert(vim.wait(60000, function() return turns >= 5 end, 5))
  ]])
end

local function undecided(nvim)
  quiet(nvim)
  eq({}, nvim:lua('return desk.decided'))
end

-- Ends Neovim by keys. Returns the numbers of decisions and of questions.
local function ends(nvim, keys)
  local out = vim.fn.tempname()
  nvim:lua([[local out = ...
    vim.api.nvim_create_autocmd('VimLeave', { callback = function()
      vim.fn.writefile({ tostring(#desk.decided), tostring(#asked) }, out) end })]], out)
  nvim:last_keys(keys)
  editor.await('Neovim to end', function()
    return nvim.ended
  end)
  return vim.fn.readfile(out)
end

return {
  eq = eq,
  PICTURE = PICTURE,
  SEEN_MARKS = SEEN_MARKS,
  MARKS = MARKS,
  ORIGINAL = ORIGINAL,
  PROPOSED = PROPOSED,
  test = test,
  open = open,
  await = await,
  go = go,
  show = show,
  typed = typed,
  await_mode = await_mode,
  await_text = await_text,
  await_decided = await_decided,
  await_picture = await_picture,
  quiet = quiet,
  undecided = undecided,
  ends = ends,
  tests = tests,
}
