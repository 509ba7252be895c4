-- The highlight groups. Persons and colour schemes may set any of them by name; the windows of a review use copies.

local autocommands = require('alongside.autocommands')
local colours = require('alongside.lazy')('colours')

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

-- Neovim shows an invisible character as its number, as in "<202e>", with the group SpecialKey, which is hardly legible
-- on many added lines. With a background of its own, the number is legible on any line.
local INVISIBLE = { fg = 0xffffff, bg = 0xaf0000, ctermfg = 15, ctermbg = 1, bold = true, cterm = { bold = true } }

-- Neovim draws its diff above every extmark. So the windows of a review hide Neovim's groups for changed lines and
-- words, and extmarks colour them. A link to a hidden group would be hidden as well, so the windows use copies of the
-- groups.
local copies = {
  AlongsideAddedLine = 'AlongsideShownAddedLine',
  AlongsideAdded = 'AlongsideShownAdded',
  AlongsideRemovedLine = 'AlongsideShownRemovedLine',
  AlongsideRemoved = 'AlongsideShownRemoved',
  AlongsideFiller = 'AlongsideShownFiller',
}

local HIDDEN_GROUPS = ',DiffDelete:AlongsideShownFiller'
  .. ',DiffChange:AlongsideNothing,DiffText:AlongsideNothing,DiffTextAdd:AlongsideNothing,SpecialKey:AlongsideInvisible'

--- 'winhighlight' of the two windows: in the diff, lines that only the original has were removed, lines that only the
--- proposal has were added.
M.ORIGINAL = 'DiffAdd:AlongsideShownRemovedLine' .. HIDDEN_GROUPS
M.PROPOSAL = 'DiffAdd:AlongsideShownAddedLine' .. HIDDEN_GROUPS

local ours = {} ---@type table<string, table> the definitions that the plugin has set
local has_review = false

local function get(group)
  return vim.api.nvim_get_hl(0, { name = group })
end

-- Sets a group unless a person or a colour scheme has set it.
local function define(group, looks)
  local now = get(group)
  if next(now) == nil or vim.deep_equal(now, ours[group]) then
    vim.api.nvim_set_hl(0, group, looks)
    ours[group] = get(group)
  end
end

--- Defines the groups for the current colour scheme.
function M.define()
  for group, to in pairs(links) do
    vim.api.nvim_set_hl(0, group, { link = to, default = true })
  end
  define('AlongsideInvisible', INVISIBLE)
  if not has_review then
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
    vim.api.nvim_set_hl(0, 'AlongsideShown' .. side .. 'Note', colours.of_remarks(colours.definition('Alongside' .. side .. 'Line')))
  end
end

--- Defines the groups of a review's windows before the first review opens: their computation takes some milliseconds,
--- which startup must not.
function M.prepare()
  has_review = true
  M.define()
end

function M.setup()
  M.define()
  autocommands('highlights')('ColorScheme', 'define colours again', M.define)
end

return M
