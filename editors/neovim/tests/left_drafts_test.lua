-- After `:qa!` with typed text, the next Neovim names the draft, once.

local reviewing = require('reviewing')
local editor = require('editor')

local eq = reviewing.eq
local test = reviewing.test

-- The messages of a new Neovim after its request for the drafts.
local function said_next(drafts)
  local directory, said = editor.directory(), nil
  editor.with({ cwd = directory, setup = { cmd = editor.fake(directory .. '/log', nil, drafts) }, before = [[
    done, own_system = 0, vim.system
    vim.system = function(words, options, answer)
      return own_system(words, options, words[2] == 'drafts' and function(...)
        answer(...)
        vim.schedule(function() done = done + 1 end)
      end or answer)
    end
  ]] }, function(nvim)
    nvim:await_lua('the start', 'return vim.v.vim_did_enter == 1')
    if vim.uv.fs_stat(vim.fn.stdpath('state') .. '/alongside/left.json') == nil and drafts ~= '' then
      nvim:await_lua('the drafts', 'return done == 1')
    end
    reviewing.quiet(nvim)
    said = nvim:lua('return said')
  end)
  return vim.tbl_map(function(one)
    return one[1]
  end, said)
end

local function leave(nvim, keys)
  nvim:last_keys(keys)
  editor.await('Neovim to end', function()
    return nvim.ended
  end)
end

test('the next Neovim names the draft of text left with :qa!, once', {}, function(nvim)
  reviewing.show(nvim)
  nvim:keys('Amine<Esc>')
  reviewing.await_text(nvim, (reviewing.PROPOSED:gsub('TWO', 'TWOmine')))
  leave(nvim, ':qa!<CR>')
  eq({ ('Your last edits of %s are in drafts: run `alongside drafts` in a shell.'):format(nvim.root .. '/a.txt') },
    said_next('1. ' .. nvim.root .. '/a.txt (Gemini CLI, just now): the editor went away'))
  eq({}, said_next(''))
end)

test('a listed draft that is gone is not named', {}, function(nvim)
  reviewing.show(nvim)
  nvim:keys('Amine<Esc>')
  reviewing.await_text(nvim, (reviewing.PROPOSED:gsub('TWO', 'TWOmine')))
  leave(nvim, ':qa!<CR>')
  eq({}, said_next('There are no drafts.'))
end)

test('without typed text no draft is listed', {}, function(nvim)
  reviewing.show(nvim)
  nvim:keys('do')
  reviewing.await_text(nvim, (reviewing.PROPOSED:gsub('TWO', 'two')))
  reviewing.await(nvim, 'the buffer to be unmodified', 'return not vim.bo.modified')
  leave(nvim, ':qa!<CR>')
  eq(nil, vim.uv.fs_stat(vim.fn.stdpath('state') .. '/alongside/left.json'))
end)

return reviewing.tests
