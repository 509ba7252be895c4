-- The buffer of a review's file: whether it has unsaved changes, and its reload after the agent has written the file.

local M = {}

-- The times of the checks after a decision, in milliseconds: agents write the file at once, or after other work.
local CHECK_TIMES = { 50, 150, 400, 1000, 2000, 4000, 8000 }

--- Returns the loaded buffer of a file.
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

local function is_empty(buf)
  return vim.api.nvim_buf_line_count(buf) == 1 and vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ''
end

-- Reloads a buffer after its file was accepted, unless it has unsaved changes. Neovim would ask first if 'autoread' is
-- off or the file is new, and that question is needless.
local function reload(buf, file)
  if not vim.api.nvim_buf_is_loaded(buf) or vim.bo[buf].modified or not vim.uv.fs_stat(file) then
    return
  end
  local is_created = is_empty(buf) and vim.api.nvim_buf_call(buf, function()
    return vim.fn.getftime(file) >= 0 and vim.b.alongside_is_new == true
  end)
  if is_created then
    vim.b[buf].alongside_is_new = nil
    vim.api.nvim_buf_call(buf, function()
      vim.cmd('silent! edit')
    end)
    return
  end
  local autocommand = vim.api.nvim_create_autocmd('FileChangedShell', {
    buffer = buf,
    desc = 'alongside: reload an accepted file',
    callback = function()
      if vim.v.fcs_reason ~= 'deleted' and vim.v.fcs_reason ~= 'conflict' then
        vim.v.fcs_choice = 'reload'
      end
    end,
  })
  pcall(vim.cmd, 'silent checktime ' .. buf)
  pcall(vim.api.nvim_del_autocmd, autocommand)
end

--- Reloads the buffer of a file that the agent is about to write.
---@param file string
function M.follow(file)
  local buf = M.buffer(file)
  if not buf then
    return
  end
  if not vim.uv.fs_stat(file) then
    vim.b[buf].alongside_is_new = true
  end
  for _, delay in ipairs(CHECK_TIMES) do
    vim.defer_fn(function()
      -- A reload would disturb a command line or a prompt.
      if not vim.api.nvim_get_mode().mode:find('^[cr]') then
        reload(buf, file)
      end
    end, delay)
  end
end

return M
