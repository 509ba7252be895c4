# Steps that the trials share. The trials source this file.

export LC_ALL=C.UTF-8 TERM=dumb
umask 022
output=/tmp/output-$(id -u)

ok() { printf 'ok: %s\n' "$*"; }

# Ends the trial. $1 is the reason, and $2 a file with the output of the command.
fail() {
    printf 'FAILED: %s\n' "$1"
    [ $# -lt 2 ] || sed 's/^/    /' "$2"
    exit 1
}

check_no_compiler() {
    for compiler in cc gcc clang tcc rustc cargo make; do
        ! command -v "$compiler" >/dev/null 2>&1 || fail "this is no clean machine: it has $compiler"
    done
    ok "there is no compiler here"
}

# Prints all files except those that other programs change: the kernel's, and the databases of dpkg and man.
list_files() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /dist -o -path /tmp -o -path /run -o -path /var/lib/dpkg \
        -o -path /var/log -o -path /var/cache \) -prune -o -print | sort
}

# Checks the program in PATH. $1 is the version.
check_program() {
    case "$(alongside --version)" in
        "alongside $1" | "alongside $1 ("*")") ;;
        *) fail "alongside --version does not say $1" ;;
    esac
    ok "alongside --version"

    find "$HOME" | sort >/tmp/home-unused
    alongside demo >$output 2>&1 </dev/null || fail "the demo failed" $output
    alongside status >$output 2>&1 </dev/null || [ $? -eq 1 ] || fail "alongside status failed" $output
    find "$HOME" | sort | diff /tmp/home-unused - >$output || fail "the demo leaves files" $output
    ok "alongside demo: agent, companion and desk, over the real wire"
}

# Checks that the step $1 has removed the program. `hash -r` forgets the path of the command in this shell.
check_removed() {
    hash -r
    ! command -v alongside >/dev/null || fail "$1 left the program"
    ok "$1"
}

# Checks the program, its manual pages and its completions in the directories where the shells search. $1 is the version.
check_installation() {
    check_program "$1"

    man -w alongside alongside-review >$output 2>&1 || fail "man does not find the pages" $output
    man -P cat alongside >$output 2>&1 || fail "man does not read the page" $output
    grep -q "IDE companion for every editor" $output || fail "the page has another text" $output
    ok "man alongside"

    bash -c '. /usr/share/bash-completion/bash_completion
        _completion_loader alongside 2>/dev/null || _comp_load alongside 2>/dev/null
        complete -p alongside' >$output 2>&1 || fail "bash finds no completions" $output
    ok "completions in bash"

    zsh -fc 'fpath+=("$@"); autoload -Uz compinit; compinit -D
        [[ $_comps[alongside] = _alongside ]] && autoload +X _alongside' zsh ${zsh_functions:-} >$output 2>&1 ||
        fail "zsh finds no completions" $output
    ok "completions in zsh"

    # fish writes its settings outside of the home directory, and finds completions inside it.
    XDG_CONFIG_HOME=/tmp/fish XDG_DATA_HOME="${data_home:-/tmp/fish}" fish -c 'complete -C "alongside rev"' >$output 2>&1 ||
        fail "fish does not start" $output
    grep -q '^review' $output || fail "fish finds no completions" $output
    ok "completions in fish"
}
