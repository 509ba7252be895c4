-- Memory: nothing keeps the texts of a review that has ended, and a large proposal gives its memory back.

local reviewing = require('reviewing')

local eq = reviewing.eq
local test = reviewing.test
local await = reviewing.await

test('a review that has ended is freed', {}, function(nvim)
  reviewing.show(nvim)
  nvim:lua([[kept = setmetatable({ require('alongside.review').all()[1] }, { __mode = 'v' })]])
  nvim:keys(':quit<CR>')
  reviewing.await_decided(nvim, 'reject')
  await(nvim, 'the review to be freed', [[collectgarbage() collectgarbage() return kept[1] == nil]])
end)

test('garbage is collected after a large proposal was read, shown and decided', {}, function(nvim)
  -- From here on, only the plugin collects garbage.
  nvim:lua([[function drop() collectgarbage('stop') garbage = setmetatable({ {} }, { __mode = 'v' }) end drop()]])
  local collected = 'return garbage[1] == nil'
  local line = ('x'):rep(99) .. '\n'
  reviewing.open(nvim, { original = line:rep(11000), proposed = line:rep(11000) .. 'y\n' })
  await(nvim, 'a collection after the arrival', collected)
  nvim:lua('drop()')
  reviewing.go(nvim)
  await(nvim, 'a collection after the proposal was shown', collected)
  nvim:lua('drop()')
  nvim:keys(':quit<CR>')
  reviewing.await_decided(nvim, 'reject')
  await(nvim, 'a collection after the end', collected)
  nvim:lua('drop()')
  -- A small proposal needs no collection.
  reviewing.open(nvim, { id = 2 })
  nvim:await_said('proposes a.txt')
  nvim:lua('vim.wait(700, function() return false end)')
  eq(false, nvim:lua(collected))
end)

test('compiled code does not keep a large review', {}, function(nvim)
  -- LuaJIT compiles the loop for this function, with its text.
  nvim:lua([[
    function repeated(run)
      for _ = 1, 1000 do
        run()
      end
    end
    local text = { 'a text' }
    kept = setmetatable({ text }, { __mode = 'v' })
    repeated(function()
      return #text
    end)
  ]])
  eq(nvim:lua('return jit ~= nil and jit.status()'), nvim:lua('collectgarbage() collectgarbage() return kept[1] ~= nil'))
  local line = ('x'):rep(99) .. '\n'
  reviewing.open(nvim, { original = line:rep(11000), proposed = line:rep(11000) .. 'y\n' })
  await(nvim, 'the text to be freed', 'return kept[1] == nil')
end)

return reviewing.tests
