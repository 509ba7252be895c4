-- The colours of a review, computed from the colour scheme: the original is coloured as removed, the proposal as added.
-- Colour schemes have one colour for changed words of both sides, and often none for removed text.

local oklab = require('alongside.oklab')

local M = {}

-- The least difference of two colours that a person notices at a glance, in OKLab.
local NOTICEABLE = 0.03
-- The least difference between the backgrounds of removed lines and of ordinary lines. Some schemes have a smaller one,
-- which is enough only for filler lines.
local REMOVED_DIFFERENCE = 0.06
-- The background of changed words differs from that of their line by one of these steps in lightness, and has at least
-- this chroma.
local WORD_STEPS, MIN_WORD_CHROMA = { 0.11, 0.09, 0.07 }, 0.09
-- The difference between words and their line that is enough, and the contrast (WCAG) of the text that is enough: above
-- both, no other background is better.
local ENOUGH_DIFFERENCE, ENOUGH_CONTRAST = 0.07, 4
-- The least contrast of text whose colour the plugin chooses: level AA of WCAG.
local MIN_CONTRAST = 4.5
-- The chroma below which a colour is nearly grey, so that its hue means little.
local MIN_CHROMA = 0.05
-- Hues in radians.
local RED, GREEN = 0.45, 2.53

--- Returns the definition of a group, with links followed. nvim_get_hl() with `link = false` would use the current
--- window's 'winhighlight', which hides some groups.
---@param group string
---@return table
function M.resolved(group)
  local found = vim.api.nvim_get_hl(0, { name = group })
  -- Links may form a cycle.
  for _ = 1, 100 do
    if not found.link then
      return found
    end
    found = vim.api.nvim_get_hl(0, { name = found.link })
  end
  return {}
end

--- Returns a group as Neovim draws it: links followed, reversed colours exchanged.
---@param group string
---@return table
function M.definition(group)
  local found = M.resolved(group)
  local cterm = found.cterm or {}
  local looks = {
    fg = found.fg, bg = found.bg, ctermfg = found.ctermfg, ctermbg = found.ctermbg, bold = found.bold,
  }
  if found.reverse then
    local normal = M.normal()
    looks.fg, looks.bg = looks.bg or normal.bg, looks.fg or normal.fg
  end
  if cterm.reverse and (looks.ctermfg or looks.ctermbg) then
    local normal = M.resolved('Normal')
    looks.ctermfg, looks.ctermbg = looks.ctermbg or normal.ctermbg, looks.ctermfg or normal.ctermfg
  end
  return looks
end

--- Returns the colours of ordinary text and of its background; for a transparent background, Neovim's default.
---@return { fg: integer, bg: integer }
function M.normal()
  local found = M.resolved('Normal')
  local is_dark = vim.o.background == 'dark'
  return { fg = found.fg or (is_dark and 0xe0e2ea or 0x14161b), bg = found.bg or (is_dark and 0x14161b or 0xe0e2ea) }
end

local function differ(one, other)
  return oklab.difference(one, other) >= NOTICEABLE
end

local function has_colour(group, normal)
  return group.bg and differ(group.bg, normal.bg) or group.fg and differ(group.fg, normal.fg)
end

-- The hue of a group: of its background, else of its text, else of the scheme's group `named` for text.
local function hue_of(group, named, otherwise)
  local text = M.resolved(named).fg
  for _, least in ipairs({ MIN_CHROMA, MIN_CHROMA / 3 }) do
    for _, colour in ipairs({ group.bg or false, group.fg or false, text or false }) do
      local lch = colour and oklab.to_lch(colour)
      if lch and lch[2] >= least then
        return lch[3]
      end
    end
  end
  return otherwise
end

-- Whether a colour is cold, such as the cyan of Vim's own scheme. Cold colours do not suit removed lines.
local function is_cold(colour)
  local lch = oklab.to_lch(colour)
  return lch[2] >= MIN_CHROMA / 2 and math.cos(lch[3] - RED) < 0
end

-- A background of another hue that differs from ordinary text as much as `like` does.
local function tinted(like, normal, hue)
  local lch = oklab.to_lch(like)
  if not differ(like, normal.bg) then
    lch[1] = lch[1] + (lch[1] < 0.5 and 0.12 or -0.12)
  end
  -- Black has no hue.
  lch[1] = math.max(lch[1], 0.25)
  return oklab.to_rgb({ lch[1], math.max(lch[2], 0.06), hue })
end

-- Text and background of removed lines in a terminal without true colours.
local function removed_cterm(added, removed, bg)
  if removed.ctermbg and removed.ctermbg ~= added.ctermbg and not (removed.bg and is_cold(removed.bg)) then
    return added.ctermfg, removed.ctermbg
  elseif removed.ctermfg and removed.ctermfg ~= added.ctermfg and removed.ctermbg == added.ctermbg then
    return removed.ctermfg, removed.ctermbg
  elseif added.ctermbg and added.ctermbg >= 16 then
    return added.ctermfg, oklab.nearest_cterm(bg)
  end
  return added.ctermfg, (removed.ctermfg == 1 or removed.ctermfg == 9) and removed.ctermfg or 1
end

-- The text colour, made lighter or darker until it is readable on the background.
local function readable(fg, bg)
  local best, lch = fg, oklab.to_lch(fg)
  local away = oklab.contrast(0xffffff, bg) > oklab.contrast(0, bg) and 0.04 or -0.04
  local most = away > 0 and 1 or 0
  while oklab.contrast(best, bg) < MIN_CONTRAST and lch[1] ~= most do
    lch[1] = math.min(1, math.max(0, lch[1] + away))
    -- White and black have no chroma.
    best = oklab.to_rgb({ lch[1], (lch[1] == 0 or lch[1] == 1) and 0 or lch[2], lch[3] })
  end
  return best
end

-- Removes the text colour of a line if ordinary text is readable there: the line then keeps its syntax colours.
local function with_syntax(line, normal)
  if line.bg and differ(line.bg, normal.bg) and oklab.contrast(normal.fg, line.bg) >= MIN_CONTRAST then
    line.fg = nil
  elseif line.bg then
    line.fg = readable(line.fg or normal.fg, line.bg)
  end
  return line
end

local function added_line(normal)
  local added = M.definition('DiffAdd')
  if not has_colour(added, normal) then
    added.bg = tinted(normal.bg, normal, GREEN)
  end
  return added
end

-- The looks of removed lines. Schemes define DiffDelete for filler lines: often without a background, or with text that
-- is hard to read.
local function removed_line(added, normal)
  local removed = M.definition('DiffDelete')
  local line = { fg = added.fg, bg = removed.bg }
  local added_bg = added.bg or normal.bg
  local is_same = not removed.bg or not differ(removed.bg, added_bg) or is_cold(removed.bg)
  if is_same and removed.fg and differ(removed.fg, added.fg or normal.fg) and not differ(added_bg, normal.bg) then
    -- The scheme colours the text of added and removed lines, and no background.
    line.fg = removed.fg
  elseif is_same or oklab.difference(removed.bg, normal.bg) < REMOVED_DIFFERENCE then
    local is_warm = removed.fg and oklab.to_lch(removed.fg)[2] >= MIN_CHROMA and not is_cold(removed.fg)
    line.bg = tinted(added_bg, normal, is_warm and oklab.to_lch(removed.fg)[3] or RED)
  end
  line.ctermfg, line.ctermbg = removed_cterm(added, removed, line.bg or normal.bg)
  local text = line.bg and oklab.contrast(line.fg or normal.fg, line.bg)
  if removed.fg and text and text < 3 and oklab.contrast(removed.fg, line.bg) > text then
    line.fg = removed.fg
  end
  return line
end

-- The background of changed words: the colour of their line, farther from the ordinary background if the text stays
-- readable.
local function words(line, normal, hue)
  local from, text = oklab.to_lch(line.bg or normal.bg), line.fg or normal.fg
  local away = from[1] >= oklab.to_lch(normal.bg)[1] and 1 or -1
  if not line.bg or not differ(line.bg, normal.bg) then
    away = from[1] < 0.5 and 1 or -1
  end
  local chroma = math.max(from[2] + 0.04, MIN_WORD_CHROMA)
  local best, most
  for _, direction in ipairs({ away, -away }) do
    for _, step in ipairs(WORD_STEPS) do
      local bg = oklab.to_rgb({ math.min(1, math.max(0, from[1] + direction * step)), chroma, hue })
      local quality = math.min(oklab.contrast(text, bg) / ENOUGH_CONTRAST, oklab.difference(bg, line.bg or normal.bg) / ENOUGH_DIFFERENCE, 1)
      if not most or quality > most then
        best, most = bg, quality
      end
    end
  end
  return best
end

local function with_words(line, normal, hue)
  -- Some syntax colours are hard to read on the stronger background.
  local looks = { bg = words(line, normal, hue), ctermfg = line.ctermfg, bold = line.bold }
  looks.fg = readable(line.fg or normal.fg, looks.bg)
  if line.ctermbg and line.ctermbg >= 16 then
    local terminal = M.resolved('Normal')
    local function colour(number, otherwise)
      return number and number >= 16 and oklab.from_cterm(number) or otherwise
    end
    local fg, bg = colour(terminal.ctermfg, normal.fg), colour(terminal.ctermbg, normal.bg)
    local bare = { bg = oklab.from_cterm(line.ctermbg), fg = colour(line.ctermfg, fg) }
    looks.ctermbg = oklab.nearest_cterm(words(bare, { fg = fg, bg = bg }, hue), line.ctermbg)
  else
    -- The terminal defines the first 16 colours, so no stronger one can be computed. Text and background change places,
    -- because many terminals draw bold and underlined text on a bright background like any other text.
    looks.ctermbg = line.ctermbg
    looks.cterm = { bold = true, underline = true, reverse = line.ctermbg ~= nil or nil }
  end
  return looks
end

--- Returns the colours of the remarks after a changed line, in a terminal without true colours: as readable as the
--- line's text. On a line without a background, or with true colours, the remarks keep their own colours.
---@param line table the definition of the line's group
---@return table
function M.of_remarks(line)
  if not line.ctermbg then
    return {}
  end
  local fg = line.ctermfg or M.resolved('Normal').ctermfg
  if line.ctermbg >= 16 then
    local bg = oklab.from_cterm(line.ctermbg)
    if not fg or fg >= 16 and oklab.contrast(oklab.from_cterm(fg), bg) < MIN_CONTRAST then
      fg = oklab.contrast(0xffffff, bg) > oklab.contrast(0, bg) and 231 or 16
    end
  end
  -- Among the terminal's own colours, black, blue and dark grey are dark in every terminal.
  fg = fg or vim.list_contains({ 0, 4, 8 }, line.ctermbg) and 15 or 0
  return { ctermfg = fg, ctermbg = line.ctermbg }
end

--- Returns the looks of lines and words of both sides in the current colour scheme.
---@return { added_line: table, removed_line: table, added: table, removed: table }
function M.of_scheme()
  local normal = M.normal()
  local added = added_line(normal)
  local removed = with_syntax(removed_line(added, normal), normal)
  added = with_syntax(added, normal)
  local green, red = hue_of(added, 'Added', GREEN), hue_of(removed, 'Removed', RED)
  if math.cos(green - red) > 0.75 then
    green, red = GREEN, RED
  end
  return {
    added_line = added,
    removed_line = removed,
    added = with_words(added, normal, green),
    removed = with_words(removed, normal, red),
  }
end

return M
