-- The buffer of a review's file: whether it has unsaved changes, and reloading it after the agent writes the file.

local M = {}

-- When to check, in milliseconds: agents write soon after the decision, or after some work.
local LOOKS = { 50, 150, 400, 1000, 2000, 4000, 8000 }

--- The loaded buffer of a file.
---@param file string
---@return integer?
function M.buffer(file)
  local real = vim.uv.fs_realpath(file)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' then
      local name = vim.api.nvim_buf_get_name(buf)
      if name == file or (real and name ~= '' and vim.uv.fs_realpath(name) == real) then
        return buf
      end
    end
  end
end

--- Whether a buffer has unsaved changes to the file.
---@param file string
---@return boolean
function M.is_modified(file)
  local buf = M.buffer(file)
  return buf ~= nil and vim.bo[buf].modified
end

local function is_blank(buf)
  return vim.api.nvim_buf_line_count(buf) == 1 and vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ''
end

-- Neovim asks before it reloads a file if 'autoread' is off, or the file is new. After an acceptance the question is needless,
-- except with unsaved changes.
local function look(buf, file)
  if not vim.api.nvim_buf_is_loaded(buf) or vim.bo[buf].modified or not vim.uv.fs_stat(file) then
    return
  end
  local created = is_blank(buf) and vim.api.nvim_buf_call(buf, function()
    return vim.fn.getftime(file) >= 0 and vim.b.alongside_is_new == true
  end)
  if created then
    vim.b[buf].alongside_is_new = nil
    vim.api.nvim_buf_call(buf, function()
      vim.cmd('silent! edit')
    end)
    return
  end
  local shell = vim.api.nvim_create_autocmd('FileChangedShell', {
    buffer = buf,
    desc = 'alongside: reload an accepted file',
    callback = function()
      if vim.v.fcs_reason ~= 'deleted' and vim.v.fcs_reason ~= 'conflict' then
        vim.v.fcs_choice = 'reload'
      end
    end,
  })
  pcall(vim.cmd, 'silent checktime ' .. buf)
  pcall(vim.api.nvim_del_autocmd, shell)
end

--- The agent is about to write the file: reloads its buffer afterwards.
---@param file string
function M.follow(file)
  local buf = M.buffer(file)
  if not buf then
    return
  end
  if not vim.uv.fs_stat(file) then
    vim.b[buf].alongside_is_new = true
  end
  for _, after in ipairs(LOOKS) do
    vim.defer_fn(function()
      -- Not while the person types a command.
      if not vim.api.nvim_get_mode().mode:find('^[cr]') then
        look(buf, file)
      end
    end, after)
  end
end

return M
