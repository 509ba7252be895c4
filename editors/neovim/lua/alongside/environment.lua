-- Sets the variables that lead agents in :terminal to the companion of the current project. They hold its token, so
-- nothing shows them, and they are reset when the companion ends.

local autocommands = require('alongside.autocommands')
local config = require('alongside.config')
local project = require('alongside.project')

local M = {}

local offered = {} ---@type table<integer, { root: string, variables: table<string, string> }> by client
local before = {} ---@type table<string, string|false> the values before
local ours = {} ---@type table<string, string> the values set here
local last ---@type integer? the client of the last file

--- The variables of the current directory's companion, because terminals start there; otherwise those of the last file's,
--- or of any.
local function chosen()
  local id = last and offered[last] and last or next(offered)
  return M.of(project.of_cwd()) or id and offered[id].variables or {}
end

local function put_back(name)
  -- A value that somebody else set since stays.
  if vim.env[name] == ours[name] then
    vim.env[name] = before[name] or nil
  end
  ours[name], before[name] = nil, nil
end

--- The variables of a project's companion, for a terminal in that project.
---@param root string
---@return table<string, string>?
function M.of(root)
  for _, offer in pairs(offered) do
    if offer.root == root and config.current.environment then
      return offer.variables
    end
  end
end

--- Sets and resets variables as needed now.
function M.refresh()
  local wanted = config.current.environment and chosen() or {}
  for name in pairs(vim.deepcopy(ours)) do
    if wanted[name] == nil then
      put_back(name)
    end
  end
  for name, value in pairs(wanted) do
    if ours[name] ~= value then
      if ours[name] == nil or vim.env[name] ~= ours[name] then
        before[name] = vim.env[name] or false
      end
      vim.env[name] = value
      ours[name] = value
    end
  end
end

--- A companion reports its variables.
---@param id integer the client
---@param root string
---@param variables table<string, string>?
function M.told(id, root, variables)
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

--- A companion has ended.
---@param id integer
function M.gone(id)
  offered[id] = nil
  M.refresh()
end

--- The person entered a file of this client's project.
---@param id integer?
function M.looked_at(id)
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
