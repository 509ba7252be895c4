#!/bin/sh
# drive-neovim.sh ACTION ARGUMENT…: drives the Neovim that was started with `nvim --listen "$NVIM_SOCKET"`.
# docs/conformance.md of alongside describes the actions and the exit codes.

# $1 as a string of Vim script; the x keeps newlines at its end.
vim_string() { quoted=$(printf %sx "$1" | sed "s/'/''/g") && printf "'%s'" "${quoted%x}"; }

# Evaluates the Lua expression $1 in that Neovim, with the other arguments in _A, and prints the result.
lua() {
  expression=$(vim_string "$1") list=
  shift
  for argument; do list="$list$(vim_string "$argument"),"; done
  nvim --server "$NVIM_SOCKET" --remote-expr "luaeval($expression, [$list])"
}

# Runs the Ex command $1, in which %s is the file $2. execute() suppresses messages, for Neovim answers no request at a
# hit-enter prompt.
ex() { lua 'vim.fn.execute(_A[1]:format(vim.fn.fnameescape(_A[2] or "")))' "$@"; }

# Puts the cursor on line $1, behind $2 UTF-16 units.
cursor() { lua 'vim.fn.cursor(_A[1], vim.fn.byteidx(vim.fn.getline(_A[1]), _A[2], true) + 1)' "$1" "$2"; }

# The functions below depend on the companion, here alongside's plugin.

# Prints a Lua expression: the proposal for the path _A[1], for which it waits $1 ms at most.
proposal() { printf %s "(function(found)
  vim.wait($1, function()
    found = vim.iter(require('alongside.review').all()):find(function(it) return it.file == _A[1] end)
    return found ~= nil
  end)
  return found
end)()"; }
# Shows the proposal for $1.
show_proposal() { lua "require('alongside.review').go($(proposal 9000).id)" "$1"; }
# Shows the proposal for $1, runs the Ex command $2, and waits until the proposal is decided and closed.
decide() { show_proposal "$1" && lua "(function(it)
  vim.fn.execute(_A[2])
  assert(vim.wait(9000, function() return it.is_over and not it.view:is_shown() end), 'it was not decided')
end)(require('alongside.review').looked_at())" "$@"; }

action=$1
shift
case $action in
  open)          ex 'edit %s' "$1" ;;
  focus)         ex 'drop %s' "$1" ;;
  close)         ex 'bdelete! %s' "$1" ;;
  new)           ex enew ;;
  cursor)        cursor "$2" $(($3 - 1)) ;;
  select)        cursor "$2" $(($3 - 1)) && ex 'normal! v' && cursor "$4" $(($5 - 2)) ;;
  wander)        lua 'vim.fn.timer_start(30, function() vim.cmd("normal! j") end,
                   { ["repeat"] = math.floor(_A[1] / 30) })' "$2" && sleep $(($2 / 1000)) ;;
  add-folder)    lua 'vim.lsp.buf.add_workspace_folder(_A[1])' "$1" ;;
  remove-folder) lua 'vim.fn.execute("lua vim.lsp.buf.remove_workspace_folder(" .. vim.inspect(_A[1]) .. ")")' "$1" ;;
  edit)          show_proposal "$1" && lua 'vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.split(_A[1]:gsub("\n$", ""), "\n"))' "$2" ;;
  accept)        decide "$1" 'Alongside accept' ;;
  reject)        decide "$1" 'Alongside reject' ;;
  close-view)    decide "$1" quit ;;
  is-shown)      test "$(lua "$(proposal 1000) ~= nil" "$1")" = true ;;
  stop)          nvim --server "$NVIM_SOCKET" --remote-send '<C-\><C-N>:qall!<CR>'
                 while test -S "$NVIM_SOCKET"; do sleep 0.05; done ;;
  *)             exit 3 ;;
esac
