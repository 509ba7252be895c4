-- The context that agents get, as notifications of the desk protocol.

local editor = require('editor')

local CONTEXT = 'alongside/didChangeContext'

local function with(files, options, body)
  local root = editor.files(editor.directory(), files, true)
  options.cwd = root
  editor.with(options, function(e)
    e:await_message('initialized')
    body(e, root)
  end)
end

-- Waits until the active file has these values.
local function await_active(e, values, skip)
  return e:await_message(CONTEXT, function(params)
    return params.active and vim.deep_equal(params.active, vim.tbl_deep_extend('force', params.active, values))
  end, skip)
end

local function await_no_selection(e, skip)
  e:await_message(CONTEXT, function(params)
    return params.active and params.active.selectedText == nil
  end, skip)
end

local function count(e)
  return #e:got(CONTEXT)
end

local function newest(e)
  local all = e:got(CONTEXT)
  return all[#all].params
end

-- Asserts that no further message arrives.
local function settle(e)
  local before
  editor.await('silence', function()
    local now = count(e)
    local same = before == now
    before = now
    vim.wait(120)
    return same
  end)
end

-- Waits for a message that `is` accepts and that no message follows; skips the first `skip` messages.
local function await_last(e, is, skip)
  e:await_message(CONTEXT, is, skip)
  settle(e)
  assert(is(newest(e)), vim.inspect(newest(e)))
end

local function names(params)
  return vim.tbl_map(function(file)
    return vim.fs.basename(file.path)
  end, params.openFiles)
end

local function selects(lines, keys, wanted)
  return function()
    with({ ['a.txt'] = table.concat(lines, '\n') .. '\n' }, { args = { 'a.txt' } }, function(e)
      await_no_selection(e)
      e:keys(keys)
      e:await_message(CONTEXT, function(params)
        local selected = params.active and params.active.selectedText
        return selected and (wanted == nil or selected == wanted)
      end)
      e:keys('<Esc>')
      await_no_selection(e, #e:got(CONTEXT) - 1)
    end)
  end
end

return {
  {
    'files are told newest first, with the cursor in UTF-16 units and what is not saved',
    function()
      with({ ['a.txt'] = 'a\n', ['b.txt'] = 'x😀é y\n' }, { args = { 'a.txt', 'b.txt' } }, function(e, root)
        e:cmd('next')
        await_active(e, { path = root .. '/b.txt', cursor = { character = 0 } })
        e:keys('fy')
        await_active(e, { cursor = { line = 0, character = 5 } })
        assert(vim.deep_equal(names(newest(e)), { 'b.txt', 'a.txt' }), vim.inspect(newest(e)))
        assert(newest(e).openFiles[1].dirty == false)
        e:keys('A!<Esc>')
        e:await_message(CONTEXT, function(params)
          return params.openFiles[1].dirty
        end)
        local before = count(e)
        e:cmd('write')
        await_last(e, function(params)
          return params.openFiles[1].dirty == false
        end, before)
        e:await_message('alongside/didSave', function(params)
          return params.path == root .. '/b.txt'
        end)
      end)
    end,
  },
  { 'a selection of characters', selects({ 'one two', 'über 😀 x' }, 'wvj', 'two\nüber ') },
  { 'a selection of characters, made backwards', selects({ 'one two', 'three' }, 'jvkw', 'two\nt') },
  { 'a selection of lines', selects({ 'one two', '', 'three' }, 'wVj', 'one two\n') },
  { 'a selected block', selects({ 'abcd', 'a', 'éx😀z' }, 'l<C-v>2jl', 'bcd\n\nx😀') },
  { 'a selected block to the ends of the lines', selects({ 'abcd', 'a', '\txyz' }, 'l<C-v>2j$', 'bcd\n\n\txyz') },
  { 'a selection in Select mode', selects({ 'one two' }, 'wgh<S-Right><S-Right>') },
  {
    'a large selection is cut, by lines, characters and within one line',
    function()
      local lines = {}
      for i = 1, 5000 do
        lines[i] = ('line %d 😀'):format(i)
      end
      with({ ['a.txt'] = table.concat(lines, '\n') .. '\n', ['b.txt'] = ('😀'):rep(20000) }, { args = { 'a.txt', 'b.txt' } }, function(e)
        for _, keys in ipairs({ 'ggVG', 'gg0lvG$', 'gg0<C-v>G$', ':next<CR>V' }) do
          local before = count(e)
          e:keys('<Esc>' .. keys)
          local text = e:await_message(CONTEXT, function(params)
            return params.active and params.active.selectedText and #params.active.selectedText > 1000
          end, before).params.active.selectedText
          local units = vim.fn.strutf16len(text)
          assert(units >= 16384 and units <= 16410, keys .. ' ' .. units)
          assert(vim.fn.strcharlen(text) > 0 and vim.fn.iconv(text, 'utf-8', 'utf-8') == text)
        end
      end)
    end,
  },
  {
    'a terminal or a floating window leaves the file active that was looked at last, with its selection',
    function()
      with({ ['a.txt'] = 'one two\n', ['b.txt'] = 'b\n' }, { args = { 'a.txt' } }, function(e, root)
        await_active(e, {})
        e:lua([[vim.cmd('split | enew | setlocal buftype=nofile | wincmd p')]])
        settle(e)
        e:keys('wviw<C-w>w')
        await_active(e, { selectedText = 'two' })
        settle(e)
        assert(newest(e).active.selectedText == 'two')
        -- The same from a command line.
        e:keys('<C-w>wgg0viw:')
        await_last(e, function(params)
          return params.active and params.active.selectedText == 'one'
        end)
        e:keys('<C-u>wincmd w<CR>')
        settle(e)
        assert(newest(e).active.selectedText == 'one')
        e:cmd('terminal')
        e:keys('i')
        settle(e)
        assert(newest(e).active.path == root .. '/a.txt', vim.inspect(newest(e)))
        assert(vim.deep_equal(names(newest(e)), { 'a.txt' }), vim.inspect(newest(e)))
        e:lua([[local buf = vim.fn.bufadd('b.txt')
          vim.bo[buf].buflisted = true
          vim.api.nvim_open_win(buf, true, { relative = 'editor', row = 1, col = 1, width = 10, height = 3 })]])
        await_last(e, function(params)
          return params.active and params.active.path == root .. '/a.txt' and vim.deep_equal(names(params), { 'a.txt', 'b.txt' })
        end)
      end)
    end,
  },
  {
    'a selection that is kept in a terminal ends when its text changes',
    function()
      with({ ['a.txt'] = 'one\ntwo\nthree\n' }, { args = { 'a.txt' } }, function(e, root)
        local function gone(change)
          e:cmd('silent! only')
          e:keys('gg0jV:')
          await_last(e, function(params)
            return params.active and params.active.selectedText == 'two'
          end)
          e:keys('<C-u>split | terminal<CR>i')
          e:await_lua('the terminal', [[return vim.api.nvim_get_mode().mode == 't']])
          settle(e)
          assert(newest(e).active.selectedText == 'two')
          local before = count(e)
          change()
          await_last(e, function(params)
            return params.active and params.active.path == root .. '/a.txt' and params.active.selectedText == nil
          end, before)
          e:keys([[<C-\><C-n>:bwipeout!<CR>]])
          e:await_lua('the file', [[return vim.fn.bufname() == 'a.txt' and vim.api.nvim_get_mode().mode == 'n']])
        end
        gone(function()
          editor.files(root, { ['a.txt'] = 'new\none\ntwo\nthree and more\n' })
          e:cmd('checktime')
        end)
        e:cmd('2delete')
        gone(function()
          e:lua([[vim.api.nvim_buf_set_lines(vim.fn.bufnr('a.txt'), 0, 1, false, { 'other' })]])
        end)
      end)
    end,
  },
  {
    'an unnamed text is no file, and neither is one that is not on disk yet',
    function()
      with({ ['a.txt'] = 'one\n' }, { args = { 'a.txt' } }, function(e)
        await_active(e, {})
        e:cmd('enew')
        e:await_message(CONTEXT, function(params)
          return params.active == nil and #params.openFiles == 1
        end)
        e:cmd('edit new.txt')
        settle(e)
        assert(vim.deep_equal(names(newest(e)), { 'a.txt' }))
        e:cmd('write')
        e:await_message(CONTEXT, function(params)
          return params.active and vim.deep_equal(names(params), { 'new.txt', 'a.txt' })
        end)
      end)
    end,
  },
  {
    'a file reached by a link is told under the name it has in its project',
    function()
      local other = editor.directory()
      with({ ['deep/a.txt'] = 'one\n' }, {}, function(e, root)
        assert(vim.uv.fs_symlink(root .. '/deep', other .. '/link'))
        e:lua([[vim.api.nvim_buf_set_name(0, ...) vim.cmd('edit!')]], other .. '/link/a.txt')
        await_active(e, { path = root .. '/deep/a.txt' })
      end)
    end,
  },
  {
    'renamed and deleted buffers are followed',
    function()
      with({ ['a.txt'] = 'one\n', ['b.txt'] = 'two\n' }, { args = { 'a.txt', 'b.txt' } }, function(e, root)
        e:cmd('next')
        settle(e)
        e:cmd('saveas c.txt')
        await_active(e, { path = root .. '/c.txt' })
        for _, one in ipairs({ { 'bdelete', 'c.txt' }, { 'silent! bwipeout a.txt', 'a.txt' } }) do
          local before = count(e)
          e:cmd(one[1])
          await_last(e, function(params)
            return not vim.list_contains(names(params), one[2])
          end, before)
        end
      end)
    end,
  },
  {
    'each server is told of its own files, and of no other focus',
    function()
      local other = editor.files(editor.directory(), { ['o.txt'] = 'o\n' }, true)
      with({ ['a.txt'] = 'one\n' }, { args = { 'a.txt' } }, function(e, root)
        await_active(e, { path = root .. '/a.txt' })
        e:cmd('edit ' .. other .. '/o.txt')
        await_active(e, { path = other .. '/o.txt' })
        e:await_message(CONTEXT, function(params)
          return params.active == nil and vim.deep_equal(names(params), { 'a.txt' })
        end)
        for _, message in ipairs(e:got(CONTEXT)) do
          assert(#message.params.openFiles <= 1)
        end
      end)
    end,
  },
  {
    'no more than one message in 50 ms however fast the cursor moves, and the last place is told',
    function()
      local lines = {}
      for i = 1, 3000 do
        lines[i] = 'line ' .. i
      end
      with({ ['a.txt'] = table.concat(lines, '\n') .. '\n' }, { args = { 'a.txt' } }, function(e)
        settle(e)
        local before, began = count(e), vim.uv.hrtime()
        for _ = 1, 200 do
          e:keys('j')
          vim.wait(5)
        end
        await_active(e, { cursor = { line = 200 } })
        local passed = (vim.uv.hrtime() - began) / 1e6
        assert(count(e) - before <= passed / 50 + 2, ('%d in %d ms'):format(count(e) - before, passed))
      end)
    end,
  },
  {
    'turning to the editor is told, and nothing is when the context is off',
    function()
      with({ ['a.txt'] = 'one\n' }, { args = { 'a.txt' }, setup = { context = false } }, function(e)
        e:cmd('doautocmd FocusGained')
        e:await_message('alongside/didFocus')
        e:keys('A!<Esc>')
        vim.wait(200)
        assert(count(e) == 0)
      end)
    end,
  },
  {
    'bytes that are not UTF-8 never reach the wire, and names that are not are left out',
    function()
      with({ ['a.txt'] = 'caf\233 \0 x\n', ['b\233.txt'] = 'two\n' }, { args = { 'a.txt' } }, function(e)
        e:cmd('set binary | edit! ++bin a.txt')
        e:keys('V')
        await_active(e, { selectedText = 'caf\239\191\189 \0 x' })
        e:keys('<Esc>')
        e:lua([[vim.cmd.edit(vim.fn.fnameescape('b\233.txt'))]])
        settle(e)
        assert(vim.deep_equal(names(newest(e)), { 'a.txt' }), vim.inspect(newest(e)))
      end)
    end,
  },
}
