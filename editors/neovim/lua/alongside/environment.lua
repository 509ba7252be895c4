-- Terminals opened inside Neovim start with the variables that lead an agent to the companion of the project Neovim is
-- in. They hold its token, so they are set and given back here and shown nowhere.

local config = require('alongside.config')
local project = require('alongside.project')

local M = {}

local offered = {} ---@type table<integer, { root: string, variables: table<string, string> }> by client
local before = {} ---@type table<string, string|false> what a variable was before it was set here
local ours = {} ---@type table<string, string> what it was set to
local last ---@type integer? the client of what was looked at last

--- Whose variables count: the companion of the directory Neovim is in, where terminals start; else the one of the file
--- looked at last; else any.
local function chosen()
  local cwd = project.of_cwd()
  for _, offer in pairs(offered) do
    if offer.root == cwd then
      return offer.variables
    end
  end
  local id = last and offered[last] and last or next(offered)
  return id and offered[id].variables or {}
end

local function put_back(name)
  -- What somebody else has set since then is theirs.
  if vim.env[name] == ours[name] then
    vim.env[name] = before[name] or nil
  end
  ours[name], before[name] = nil, nil
end

--- Brings the variables to what they should be now.
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

--- A companion says which variables lead to it.
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

--- A companion is gone, and with it what led to it.
---@param id integer
function M.gone(id)
  offered[id] = nil
  M.refresh()
end

--- The person turned to a file of this client's project.
---@param id integer?
function M.looked_at(id)
  if id and id ~= last then
    last = id
    M.refresh()
  end
end

function M.setup()
  vim.api.nvim_create_autocmd('DirChanged', {
    group = vim.api.nvim_create_augroup('alongside.environment', {}),
    desc = 'alongside: the variables are those of the directory Neovim is in',
    callback = function()
      M.refresh()
    end,
  })
  M.refresh()
end

return M
