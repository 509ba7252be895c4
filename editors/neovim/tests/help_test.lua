-- The help is readable where Neovim conceals bars, stars and backquotes.

local here = vim.fs.dirname(vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p'))
local lines = vim.fn.readfile(vim.fs.dirname(here) .. '/doc/alongside.txt')

local tests = {}

local function test(name, body)
  tests[#tests + 1] = { name, body }
end

-- The help after the table of contents, as one line.
local function prose()
  local all = table.concat(lines, ' '):gsub('%s+', ' ')
  return all:sub(all:find('======', 1, true), -1)
end

test('a reference within a sentence says "see"', function()
  local found = 0
  for before, tag in prose():gmatch('(.......)|(alongside%-[^|]+)|') do
    found = found + 1
    assert(before:lower():find('see $'), ('%s|%s|'):format(before, tag))
  end
  assert(found > 4, 'only ' .. found)
end)

test('every reference to a place of this help leads there', function()
  local all = table.concat(lines, '\n')
  for tag in all:gmatch('|(:?[Aa]longside[^|]*)|') do
    assert(all:find('*' .. tag .. '*', 1, true), tag)
  end
end)

test('no line is wider than a terminal of 80 columns', function()
  for i, line in ipairs(lines) do
    assert(vim.fn.strdisplaywidth(line) < 80, ('line %d: %s'):format(i, line))
  end
end)

return tests
