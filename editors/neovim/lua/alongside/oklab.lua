-- Colours in OKLab, where equal distances look equally different to people. Neovim has no function for that.

local M = {}

local function linear(value)
  value = value / 255
  return value <= 0.04045 and value / 12.92 or ((value + 0.055) / 1.055) ^ 2.4
end

local function channels(colour)
  return linear(math.floor(colour / 65536) % 256), linear(math.floor(colour / 256) % 256), linear(colour % 256)
end

local function root(value)
  return value < 0 and -((-value) ^ (1 / 3)) or value ^ (1 / 3)
end

--- Returns lightness (0 to 1), chroma (0 to about 0.3) and hue (radians) of an RGB number.
function M.to_lch(colour)
  local r, g, b = channels(colour)
  local l = root(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  local m = root(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  local s = root(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  local lightness = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s
  local a = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s
  local b_axis = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s
  return { lightness, math.sqrt(a * a + b_axis * b_axis), math.atan2(b_axis, a) }
end

--- Returns the nearest RGB number of a lightness, a chroma and a hue.
function M.to_rgb(lch)
  local a, b = lch[2] * math.cos(lch[3]), lch[2] * math.sin(lch[3])
  local l = (lch[1] + 0.3963377774 * a + 0.2158037573 * b) ^ 3
  local m = (lch[1] - 0.1055613458 * a - 0.0638541728 * b) ^ 3
  local s = (lch[1] - 0.0894841775 * a - 1.2914855480 * b) ^ 3
  local number = 0
  for _, value in ipairs({
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
  }) do
    value = math.min(1, math.max(0, value))
    value = value <= 0.0031308 and value * 12.92 or 1.055 * value ^ (1 / 2.4) - 0.055
    number = number * 256 + math.floor(value * 255 + 0.5)
  end
  return number
end

--- Returns the difference of two colours in OKLab: 0 for equal ones, 1 for black and white.
---@param one integer
---@param other integer
---@return number
function M.difference(one, other)
  local x, y = M.to_lch(one), M.to_lch(other)
  local a = x[2] * math.cos(x[3]) - y[2] * math.cos(y[3])
  local b = x[2] * math.sin(x[3]) - y[2] * math.sin(y[3])
  return math.sqrt((x[1] - y[1]) ^ 2 + a * a + b * b)
end

--- Returns the contrast of two colours as WCAG defines it: 1 to 21.
---@param one integer
---@param other integer
---@return number
function M.contrast(one, other)
  local function luminance(colour)
    local r, g, b = channels(colour)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  end
  local x, y = luminance(one), luminance(other)
  return (math.max(x, y) + 0.05) / (math.min(x, y) + 0.05)
end

local STEPS = { 0, 95, 135, 175, 215, 255 }

--- Returns the RGB number of one of the 240 fixed colours of a terminal, which begin at 16.
---@param number integer
---@return integer
function M.from_cterm(number)
  if number >= 232 then
    return (8 + (number - 232) * 10) * 0x10101
  end
  local n = number - 16
  return STEPS[math.floor(n / 36) + 1] * 65536 + STEPS[math.floor(n / 6) % 6 + 1] * 256 + STEPS[n % 6 + 1]
end

--- Returns the nearest fixed terminal colour that is not grey and not `except`.
---@param colour integer
---@param except integer?
---@return integer
function M.nearest_cterm(colour, except)
  local best, least
  for number = 16, 231 do
    local candidate = M.from_cterm(number)
    local difference = M.difference(candidate, colour)
    if number ~= except and candidate % 0x10101 ~= 0 and (not least or difference < least) then
      best, least = number, difference
    end
  end
  return best
end

return M
