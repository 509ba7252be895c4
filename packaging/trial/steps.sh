# Steps that the trials share. Sourced.

export LC_ALL=C.UTF-8 TERM=dumb
umask 022
said=/tmp/said-$(id -u)

ok() { printf 'ok: %s\n' "$*"; }

# $2 is a file with the output.
broken() {
    printf 'FAILED: %s\n' "$1"
    [ $# -lt 2 ] || sed 's/^/    /' "$2"
    exit 1
}

has_no_compiler() {
    for compiler in cc gcc clang tcc rustc cargo make; do
        ! command -v "$compiler" >/dev/null 2>&1 || broken "this is no clean machine: it has $compiler"
    done
    ok "there is no compiler here"
}

# All files but those that change by themselves: the kernel's, and the databases of dpkg and man.
everything() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /dist -o -path /tmp -o -path /run -o -path /var/lib/dpkg \
        -o -path /var/log -o -path /var/cache \) -prune -o -print | sort
}

# The program, from PATH. $1 is the version.
runs() {
    case "$(alongside --version)" in
        "alongside $1" | "alongside $1 ("*")") ;;
        *) broken "alongside --version does not say $1" ;;
    esac
    ok "alongside --version"

    find "$HOME" | sort >/tmp/home-unused
    alongside demo >$said 2>&1 </dev/null || broken "the demo failed" $said
    alongside status >$said 2>&1 </dev/null || [ $? -eq 1 ] || broken "alongside status failed" $said
    find "$HOME" | sort | diff /tmp/home-unused - >$said || broken "the demo leaves something" $said
    ok "alongside demo: agent, companion and desk, over the real wire"
}

# $1 removed the program. A shell remembers where a command was.
is_gone() {
    hash -r
    ! command -v alongside >/dev/null || broken "$1 left the program"
    ok "$1"
}

# The program, its manual and its completions, from wherever the shells look. $1 is the version.
is_used() {
    runs "$1"

    man -w alongside alongside-review >$said 2>&1 || broken "man does not find the pages" $said
    man -P cat alongside >$said 2>&1 || broken "man does not read the page" $said
    grep -q "IDE companion for every editor" $said || broken "the page says something else" $said
    ok "man alongside"

    bash -c '. /usr/share/bash-completion/bash_completion
        _completion_loader alongside 2>/dev/null || _comp_load alongside 2>/dev/null
        complete -p alongside' >$said 2>&1 || broken "bash finds no completions" $said
    ok "completions in bash"

    zsh -fc 'fpath+=("$@"); autoload -Uz compinit; compinit -D
        [[ $_comps[alongside] = _alongside ]] && autoload +X _alongside' zsh ${zsh_functions:-} >$said 2>&1 ||
        broken "zsh finds no completions" $said
    ok "completions in zsh"

    # fish writes its settings outside of home, and finds completions that are installed at home.
    XDG_CONFIG_HOME=/tmp/fish XDG_DATA_HOME="${data_home:-/tmp/fish}" fish -c 'complete -C "alongside rev"' >$said 2>&1 ||
        broken "fish does not start" $said
    grep -q '^review' $said || broken "fish finds no completions" $said
    ok "completions in fish"
}
