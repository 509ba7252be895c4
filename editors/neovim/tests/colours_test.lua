-- The colours of a review in every colour scheme that this Neovim has, dark and light.

local reviewing = require('reviewing')

local eq = reviewing.eq
local test = reviewing.test
local show = reviewing.show

-- Well-known schemes that every supported Neovim must ship.
local WELL_KNOWN = { 'default', 'habamax', 'retrobox', 'lunaperche', 'quiet', 'wildcharm', 'desert' }

local function looks(nvim, scheme, background)
  return nvim:lua([[
    local scheme, background = ...
    vim.o.background = background
    vim.cmd.colorscheme(scheme)
    if vim.o.background ~= background then
      return false
    end
    local colours = require('alongside.colours')
    local found = { normal = colours.normal() }
    for _, name in ipairs({ 'AddedLine', 'Added', 'RemovedLine', 'Removed' }) do
      local group = vim.api.nvim_get_hl(0, { name = 'AlongsideShown' .. name })
      found[name] = { bg = group.bg or found.normal.bg, fg = group.fg or found.normal.fg, ctermbg = group.ctermbg,
        underline = (group.cterm or {}).underline, reverse = (group.cterm or {}).reverse }
    end
    return found
  ]], scheme, background)
end

-- Differences are computed in OKLab, as in the plugin.
local function check(seen, name)
  local oklab = require('alongside.oklab')
  local function differ(one, other, least)
    local found = oklab.difference(seen[one].bg, seen[other].bg)
    assert(found >= least, ('%s: %s and %s differ by %.3f only\n%s'):format(name, one, other, found, vim.inspect(seen)))
  end
  seen.normal.fg = nil
  differ('Added', 'Removed', 0.1)
  differ('AddedLine', 'RemovedLine', 0.05)
  differ('RemovedLine', 'normal', 0.06)
  differ('AddedLine', 'normal', 0.03)
  differ('Added', 'AddedLine', 0.05)
  differ('Removed', 'RemovedLine', 0.05)
  for _, side in ipairs({ 'Added', 'Removed' }) do
    local words, line = seen[side], seen[side .. 'Line']
    for _, one in ipairs({ words, line }) do
      local contrast = oklab.contrast(one.fg, one.bg)
      assert(contrast >= 4.5, ('%s: %s text is hard to read, %.2f %s'):format(name, side, contrast, vim.inspect(one)))
    end
    -- On a coloured line, an underline alone is hardly visible.
    local is_distinct = words.ctermbg ~= line.ctermbg or words.reverse or not line.ctermbg and words.underline
    assert(is_distinct, name .. ': words look like their line without true colours')
  end
  assert(seen.Added.ctermbg ~= seen.Removed.ctermbg or not seen.Added.ctermbg, name .. ': words look the same without true colours')
end

test('added and removed lines and words differ in every colour scheme, dark and light', {}, function(nvim)
  show(nvim)
  local schemes = nvim:lua([[return vim.fn.getcompletion('', 'color')]])
  local checked = {}
  for _, scheme in ipairs(schemes) do
    for _, background in ipairs({ 'dark', 'light' }) do
      local seen = looks(nvim, scheme, background)
      if seen then
        check(seen, scheme .. ', ' .. background)
        checked[scheme] = (checked[scheme] or '') .. background
      end
    end
  end
  for _, scheme in ipairs(WELL_KNOWN) do
    assert(checked[scheme], scheme .. ' was not checked')
  end
  eq({ 'darklight', 'darklight', 'darklight' }, { checked.default, checked.retrobox, checked.quiet })
end)

test('the number of an invisible character is legible on every background', {}, function(nvim)
  nvim:lua('vim.o.columns = 160')
  show(nvim, { original = 'ok\n', proposed = 'ok\226\128\139 \226\128\174 evil\n' })
  -- The attributes of the character's cell.
  local cell = nvim:lua([[
    vim.cmd.redraw()
    local place = vim.fn.screenpos(0, 1, 3)
    local attributes = vim.api.nvim__inspect_cell(1, place.row - 1, place.col - 1)
    return { attributes[1], attributes[2].foreground, attributes[2].background }
  ]])
  eq({ '<', 0xffffff, 0xaf0000 }, cell)
  local oklab = require('alongside.oklab')
  for _, scheme in ipairs(WELL_KNOWN) do
    local group = nvim:lua([[vim.cmd.colorscheme(...) return vim.api.nvim_get_hl(0, { name = 'AlongsideInvisible' })]], scheme)
    assert(oklab.contrast(group.fg, group.bg) >= 4.5, scheme)
    eq({ 15, 1 }, { group.ctermfg, group.ctermbg })
  end
end)

test('without true colours, remarks are as readable as the text of their line', {}, function(nvim)
  nvim:lua('vim.o.termguicolors = false')
  show(nvim, { limits = { 'words' } })
  nvim:keys('Ax<Esc>')
  local remarks = reviewing.await(nvim, 'both remarks', [[
    local ns = vim.api.nvim_get_namespaces()['alongside.marks']
    for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
      if #(mark[4].virt_text or {}) == 2 then return vim.tbl_map(function(one) return one[2] end, mark[4].virt_text) end
    end
  ]])
  eq({ { 'AlongsideEdited', 'AlongsideShownAddedNote' }, { 'AlongsideNote', 'AlongsideShownAddedNote' } }, remarks)
  local oklab = require('alongside.oklab')
  for _, scheme in ipairs(nvim:lua([[return vim.fn.getcompletion('', 'color')]])) do
    for _, background in ipairs({ 'dark', 'light' }) do
      if looks(nvim, scheme, background) then
        for _, side in ipairs({ 'Added', 'Removed' }) do
          local line, note = unpack(nvim:lua([[local side = ...
            return { require('alongside.colours').definition('AlongsideShown' .. side .. 'Line'),
              vim.api.nvim_get_hl(0, { name = 'AlongsideShown' .. side .. 'Note' }) }]], side))
          local name = ('%s, %s, %s: %s'):format(scheme, background, side, vim.inspect({ line, note }))
          assert(note.ctermbg == line.ctermbg, name)
          assert(not line.ctermbg or note.ctermfg and note.ctermfg ~= note.ctermbg, name)
          -- The terminal defines the first 16 colours.
          if line.ctermbg and line.ctermbg >= 16 and note.ctermfg >= 16 then
            assert(oklab.contrast(oklab.from_cterm(note.ctermfg), oklab.from_cterm(note.ctermbg)) >= 4.5, name)
          elseif line.ctermfg and line.ctermbg and line.ctermbg < 16 then
            assert(note.ctermfg == line.ctermfg, name)
          end
        end
      end
    end
  end
  nvim:lua([[vim.cmd.colorscheme('default')]])
end)

test('the original shows the copies for removed lines, the proposal those for added lines', {}, function(nvim)
  show(nvim)
  local found = nvim:lua([[
    local found = {}
    for i, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do found[i] = vim.wo[win].winhighlight end
    return found
  ]])
  assert(found[1]:find('DiffAdd:AlongsideShownRemovedLine', 1, true), found[1])
  assert(found[2]:find('DiffAdd:AlongsideShownAddedLine', 1, true), found[2])
end)

test('a group that the person sets stays, also with the next colour scheme', {
  before = [[vim.cmd('hi AlongsideRemoved guibg=#123456 | hi link AlongsideAdded DiffText')]],
}, function(nvim)
  show(nvim)
  local function found()
    return nvim:lua([[return { vim.api.nvim_get_hl(0, { name = 'AlongsideShownRemoved' }).bg,
      vim.api.nvim_get_hl(0, { name = 'AlongsideShownAdded' }).bg == require('alongside.colours').resolved('DiffText').bg,
      vim.api.nvim_get_hl(0, { name = 'AlongsideShownRemovedLine' }).bg }]])
  end
  local before = found()
  eq({ 0x123456, true }, { before[1], before[2] })
  -- A colour scheme may not clear the groups.
  nvim:lua([[vim.cmd('hi DiffDelete guibg=#5f0000') vim.api.nvim_exec_autocmds('ColorScheme', {})]])
  eq({ 0x123456, true, 0x5f0000 }, found())
end)

return reviewing.tests
