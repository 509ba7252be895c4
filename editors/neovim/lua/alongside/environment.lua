-- Sets the variables that lead agents in :terminal to the companion of the current project. The variables contain its
-- token, so no command shows them, and they are reset when the companion ends.

local autocommands = require('alongside.autocommands')
local config = require('alongside.config')
local project = require('alongside.project')

local M = {}

local offered = {} ---@type table<integer, { root: string, variables: table<string, string> }> by client
local before = {} ---@type table<string, string|false> the values before ours
local ours = {} ---@type table<string, string> the values that the plugin has set
local last ---@type integer? the client of the last entered file

--- The variables to set: those of the current directory's companion, because terminals start there; otherwise those of
--- the last entered file's companion, or of any companion.
local function chosen()
  local id = last and offered[last] and last or next(offered)
  return M.of(project.of_cwd()) or id and offered[id].variables or {}
end

local function restore(name)
  -- A value that was changed since then stays.
  if vim.env[name] == ours[name] then
    vim.env[name] = before[name] or nil
  end
  ours[name], before[name] = nil, nil
end

--- Returns the variables of a project's companion, for a terminal in that project.
---@param root string
---@return table<string, string>?
function M.of(root)
  for _, offer in pairs(offered) do
    if offer.root == root and config.current.environment then
      return offer.variables
    end
  end
end

--- Sets the chosen variables, and restores the others.
function M.refresh()
  local new = config.current.environment and chosen() or {}
  for name in pairs(vim.deepcopy(ours)) do
    if new[name] == nil then
      restore(name)
    end
  end
  for name, value in pairs(new) do
    if ours[name] ~= value then
      if ours[name] == nil or vim.env[name] ~= ours[name] then
        before[name] = vim.env[name] or false
      end
      vim.env[name] = value
      ours[name] = value
    end
  end
end

--- Takes the variables that a companion reports.
---@param id integer the client
---@param root string
---@param variables table<string, string>?
function M.set_variables(id, root, variables)
  offered[id] = nil
  if type(variables) == 'table' and next(variables) then
    offered[id] = { root = root, variables = {} }
    for name, value in pairs(variables) do
      if type(name) == 'string' and name:find('^[%a_][%w_]*$') and type(value) == 'string' then
        offered[id].variables[name] = value
      end
    end
  end
  M.refresh()
end

--- Forgets the variables of a companion that has ended.
---@param id integer
function M.gone(id)
  offered[id] = nil
  M.refresh()
end

--- Records that the person entered a file of this client's project.
---@param id integer?
function M.enter_project(id)
  if id and id ~= last then
    last = id
    M.refresh()
  end
end

function M.setup()
  autocommands('environment')('DirChanged', 'set the variables of the current directory', function()
    M.refresh()
  end)
  M.refresh()
end

return M
