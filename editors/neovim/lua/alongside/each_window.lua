-- `:windo` and `:tabdo` in a review: Neovim splits a window whose buffer is fixed ('winfixbuf') before it runs them, and the
-- second window of the proposal would stay.

local M = {}

local COMMANDS = { windo = true, tabdo = true }

---@param shown fun(): alongside.View[] the views on the screen
function M.setup(shown)
  vim.api.nvim_create_autocmd('CmdlineLeave', {
    group = vim.api.nvim_create_augroup('alongside.each_window', {}),
    pattern = ':',
    desc = 'alongside: let :windo visit the windows of a review',
    callback = function()
      local ok, command = pcall(vim.api.nvim_parse_cmd, vim.fn.getcmdline(), {})
      if vim.v.event.abort or not ok or not COMMANDS[command.cmd] then
        return
      end
      local free = {}
      for _, view in ipairs(shown()) do
        for _, pair in ipairs({ { view.left_win, view.left }, { view.right_win, view.right } }) do
          local win = pair[1]
          if win and vim.api.nvim_win_is_valid(win) and vim.wo[win].winfixbuf then
            vim.wo[win].winfixbuf = false
            free[#free + 1] = pair
          end
        end
      end
      -- Once the command has run.
      vim.schedule(function()
        for _, pair in ipairs(free) do
          if vim.api.nvim_win_is_valid(pair[1]) and vim.api.nvim_win_get_buf(pair[1]) == pair[2] then
            vim.wo[pair[1]].winfixbuf = true
          end
        end
      end)
    end,
  })
end

return M
