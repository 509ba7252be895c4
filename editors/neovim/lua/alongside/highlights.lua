-- The highlight groups. Their names are for persons and colour schemes, which may set any of them; the windows of a review
-- use copies.

local autocommands = require('alongside.autocommands')
local colours = require('alongside.colours')

local M = {}

local links = {
  AlongsideFiller = 'NonText',
  AlongsideKept = 'Added',
  AlongsideDropped = 'Comment',
  AlongsideEdited = 'Changed',
  AlongsideTitle = 'Title',
  AlongsideNote = 'Comment',
  AlongsideWarning = 'WarningMsg',
  AlongsideKey = 'Special',
}

-- Neovim writes an invisible character as its number, "<202e>", in the colour of SpecialKey, which is hardly legible on many
-- an added line. With a background of its own it is legible on any.
local INVISIBLE = { fg = 0xffffff, bg = 0xaf0000, ctermfg = 15, ctermbg = 1, bold = true, cterm = { bold = true } }

-- Neovim draws its diff over every mark. So the windows of a review hide Neovim's groups for changed lines and words, and
-- marks show them. A group linked to a hidden one would be hidden too, so the windows show copies.
local copies = {
  AlongsideAddedLine = 'AlongsideShownAddedLine',
  AlongsideAdded = 'AlongsideShownAdded',
  AlongsideRemovedLine = 'AlongsideShownRemovedLine',
  AlongsideRemoved = 'AlongsideShownRemoved',
  AlongsideFiller = 'AlongsideShownFiller',
}

local HIDDEN = ',DiffDelete:AlongsideShownFiller'
  .. ',DiffChange:AlongsideNothing,DiffText:AlongsideNothing,DiffTextAdd:AlongsideNothing,SpecialKey:AlongsideInvisible'

--- 'winhighlight' of the two windows: lines that only the original has were removed, the others added.
M.ORIGINAL = 'DiffAdd:AlongsideShownRemovedLine' .. HIDDEN
M.PROPOSAL = 'DiffAdd:AlongsideShownAddedLine' .. HIDDEN

local ours = {} ---@type table<string, table> the definitions set here
local is_used = false

local function get(group)
  return vim.api.nvim_get_hl(0, { name = group })
end

-- Sets a group unless a person or a colour scheme has done so.
local function define(group, looks)
  local now = get(group)
  if next(now) == nil or vim.deep_equal(now, ours[group]) then
    vim.api.nvim_set_hl(0, group, looks)
    ours[group] = get(group)
  end
end

--- Defines the groups for the present colour scheme.
function M.define()
  for group, to in pairs(links) do
    vim.api.nvim_set_hl(0, group, { link = to, default = true })
  end
  define('AlongsideInvisible', INVISIBLE)
  if not is_used then
    return
  end
  local looks = colours.of_scheme()
  define('AlongsideAddedLine', looks.added_line)
  define('AlongsideAdded', looks.added)
  define('AlongsideRemovedLine', looks.removed_line)
  define('AlongsideRemoved', looks.removed)
  for group, copy in pairs(copies) do
    vim.api.nvim_set_hl(0, copy, colours.resolved(group))
  end
  for _, side in ipairs({ 'Added', 'Removed' }) do
    vim.api.nvim_set_hl(0, 'AlongsideShown' .. side .. 'Note', colours.note(colours.definition('Alongside' .. side .. 'Line')))
  end
end

--- Defines the groups of a review's windows, which takes some milliseconds, so not at startup.
function M.prepare()
  is_used = true
  M.define()
end

function M.setup()
  M.define()
  autocommands('highlights')('ColorScheme', 'define colours again', M.define)
end

return M
