#!/bin/sh
# Installs alongside from a built archive: no compiler, no root. See usage below, or run with --help.
#
# The script first fetches the archive for this machine, compares the checksum and starts the program once. Before that
# it changes nothing.
set -eu

# The URL of the published archives, which `cargo xtask dist --from URL` fills in.
published=''

usage() {
    cat <<'USAGE'
Usage: sh ./install.sh [--uninstall]

Installs the program, its manual pages and completions below ~/.local.

Options:
  --uninstall   remove what this script installed; first run `alongside uninstall --all`
                to remove alongside from your agents and editors
  --help        print this

Environment:
  ALONGSIDE_FROM      the URL or directory of the archives and SHA256SUMS
                      [default: beside this script, started by a path with a slash,
                      or where they are published]
  ALONGSIDE_VERSION   the version to install [default: the newest]
  PREFIX              install here instead of ~/.local
USAGE
}

say() { printf '%s\n' "$*"; }

fail() {
    printf 'install.sh: %s\n' "$1" >&2
    [ $# -lt 2 ] || printf '  hint: %s\n' "$2" >&2
    exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# --- Removing. The list of installed files has one path below the prefix on each line. Directories end with a slash.

remove() {
    list=$prefix/$listed
    [ -f "$list" ] || fail "nothing is installed in $prefix (there is no $list)" \
        "set PREFIX to the directory of the installation; remove a package with the package manager"
    while IFS= read -r path; do
        case $path in
            ./ | */) ;;
            '' | /* | *..*) fail "$list names $path, which this script did not install" "remove it by hand" ;;
            *) rm -f "$prefix/$path" || fail "cannot remove $prefix/$path" "check that it is yours" ;;
        esac
    done <"$list"
    # In reverse order, a directory comes after its content. A directory with other files stays.
    directories=$(grep '/$' "$list" | LC_ALL=C sort -r) || directories=
    rm -f "$list"
    printf '%s\n' "$directories" | while IFS= read -r path; do
        case $path in
            ./) rmdir "$prefix" 2>/dev/null || : ;;
            '' | /* | *..*) ;;
            *) rmdir "$prefix/$path" 2>/dev/null || : ;;
        esac
    done
}

# Warns if settings of agents or editors still start the program. The program lists them in a file of its own, which does
# not exist if there are none.
warn_of_settings() {
    ledger=${XDG_STATE_HOME:-${HOME:-}/.local/state}/alongside/installed.json
    [ -f "$ledger" ] || return 0
    printf 'install.sh: %s\n' "settings of your agents or editors still start alongside: $ledger lists them" >&2
    printf '  hint: %s\n' "install alongside again, run \`alongside uninstall --all\`, then this" >&2
}

# --- Choosing the archive

# Prints the targets whose program may start on this machine, the best first.
targets() {
    system=$(uname -s) machine=$(uname -m)
    case $machine in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
    esac
    case $system in
        Linux)
            # A static program runs on every system, a program for glibc only on systems with glibc.
            if ls /lib/ld-musl-* >/dev/null 2>&1; then
                say "$machine-unknown-linux-musl"
            else
                say "$machine-unknown-linux-gnu $machine-unknown-linux-musl"
            fi
            ;;
        Darwin) say "$machine-apple-darwin" ;;
        *) say "$machine-$system" ;;
    esac
}

# Prints the newest version that SHA256SUMS lists for a target.
version_for() {
    sed -n "s/^[0-9a-f]\{64\}[ *]*alongside-\([0-9A-Za-z.+-]*\)-$1\.tar\.gz\$/\1/p" "$scratch/SHA256SUMS" |
        sort -t. -k1,1n -k2,2n -k3,3n | tail -n 1
}

# Fetches a file from $from into $scratch.
fetch() {
    case $from in
        http://* | https://*)
            if has curl; then
                curl -fsSL --retry 2 -o "$scratch/$1" "$from/$1" || return 1
            elif has wget; then
                wget -q -O "$scratch/$1" "$from/$1" || return 1
            else
                fail "neither curl nor wget is installed" \
                    "install one of them, or download $from/$1 and SHA256SUMS yourself and set ALONGSIDE_FROM to their directory"
            fi
            ;;
        *)
            [ -f "$from/$1" ] || return 1
            cp "$from/$1" "$scratch/$1"
            ;;
    esac
}

# Prints a command whose output begins with the SHA-256 of a file.
hash_command() {
    if has sha256sum; then
        say sha256sum
    elif has shasum; then
        say "shasum -a 256"
    elif has openssl; then
        say "openssl dgst -sha256 -r"
    else
        return 1
    fi
}

# --- Installing

# Makes a directory below the prefix with its parents, and lists those that are new.
make_directory() {
    [ ! -d "$prefix/$1" ] || return 0
    case $1 in
        */*) make_directory "${1%/*}" ;;
        *) [ -d "$prefix" ] || { mkdir -p "$prefix" && say ./ >>"$scratch/list"; } ;;
    esac
    mkdir "$prefix/$1" && say "$1/" >>"$scratch/list"
}

# Installs a file with mode $1 from $2 as $3. The copy first has another name, so that a running program is replaced in
# one step.
put() {
    { make_directory "${3%/*}" && cp "$2" "$prefix/$3.new" && chmod "$1" "$prefix/$3.new" && mv -f "$prefix/$3.new" "$prefix/$3"; } ||
        fail "cannot write $prefix/$3" "set PREFIX to a directory that you can write to"
    say "$3" >>"$scratch/list"
}

# Fetches $archive, compares its checksum and unpacks it into $tree.
unpack() {
    fetch "$archive" || fail "cannot fetch $from/$archive" "check that the copy is complete, and try again"
    expected=$(grep -F -- "$archive" "$scratch/SHA256SUMS" | cut -c 1-64)
    hasher=$(hash_command) || fail "no program here computes SHA-256" "install coreutils, perl or openssl"
    actual=$($hasher "$scratch/$archive" | cut -c 1-64)
    [ "$actual" = "$expected" ] || fail "$archive is damaged: its checksum is $actual, not $expected" \
        "nothing was installed; fetch it again"
    tar -xzf "$scratch/$archive" -C "$scratch" || fail "cannot unpack $archive" "check that tar and gzip are installed"
    tree=$scratch/${archive%.tar.gz}
}

install() {
    if [ -z "$from" ]; then
        fail "the location of the archives is unknown" \
            "set ALONGSIDE_FROM to the URL or directory that holds them and SHA256SUMS"
    fi
    scratch=$(mktemp -d) || fail "cannot make a temporary directory" "set TMPDIR to a directory that you can write to"
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM

    fetch SHA256SUMS || fail "cannot read $from/SHA256SUMS" \
        "set ALONGSIDE_FROM to the URL or directory that holds the archives"
    tree='' refused=''
    for target in $(targets); do
        version=${ALONGSIDE_VERSION:-$(version_for "$target")}
        archive=alongside-$version-$target.tar.gz
        grep -qF -- "$archive" "$scratch/SHA256SUMS" || continue
        unpack
        started=$("$tree/alongside" --version 2>"$scratch/errors") && break
        # The static program may start where the other one finds no C library, or a C library that is too old.
        refused=${refused:-"the program for $target does not start here: $(head -n 1 "$scratch/errors")"}
        tree=
    done
    if [ -z "$tree" ]; then
        [ -z "$refused" ] || fail "$refused" "build it from source with Rust: cargo install --path crates/alongside"
        fail "there is no archive ${ALONGSIDE_VERSION:+of version $ALONGSIDE_VERSION }for this machine ($(targets)) in $from" \
            "build it from source with Rust: cargo install --path crates/alongside"
    fi

    : >"$scratch/list"
    put 755 "$tree/alongside" bin/alongside
    for page in "$tree"/man/*.1; do
        put 644 "$page" "share/man/man1/${page##*/}"
    done
    put 644 "$tree/completions/alongside.bash" share/bash-completion/completions/alongside
    put 644 "$tree/completions/_alongside" share/zsh/site-functions/_alongside
    put 644 "$tree/completions/alongside.fish" share/fish/vendor_completions.d/alongside.fish
    for text in "$tree"/*.md "$tree"/*LICENSE*; do
        put 644 "$text" "share/doc/alongside/${text##*/}"
    done
    # Removes the files of an older version that this version does not have. Directories of that version stay in the list.
    if [ -f "$prefix/$listed" ]; then
        while IFS= read -r old; do
            grep -qxF -- "$old" "$scratch/list" && continue
            case $old in
                '' | /* | *..*) ;;
                */) say "$old" >>"$scratch/list" ;;
                *) rm -f "$prefix/$old" ;;
            esac
        done <"$prefix/$listed"
    fi
    put 644 "$scratch/list" "$listed"

    say "Installed $started in $prefix."
    advise
}

# Prints the steps that are left to the person.
advise() {
    case ":$PATH:" in
        *":$prefix/bin:"*) ;;
        *)
            say "$prefix/bin is not on your PATH. Add it, for bash and zsh in ~/.profile or ~/.zprofile:"
            say "    export PATH=\"$prefix/bin:\$PATH\""
            say "and for fish: fish_add_path \"$prefix/bin\""
            ;;
    esac
    first=$(command -v alongside 2>/dev/null) || first=
    case $first in
        '' | "$prefix/bin/alongside") ;;
        *) say "another alongside comes first in your PATH: $first" ;;
    esac
    case ${SHELL:-} in
        */zsh) say "for completions in zsh, before compinit in ~/.zshrc: fpath+=(\"$prefix/share/zsh/site-functions\")" ;;
    esac
    say "Try it: alongside demo"
}

listed=share/alongside/installed
action=install
for argument; do
    case $argument in
        --uninstall) action=uninstall ;;
        --help | -h)
            usage
            exit 0
            ;;
        *)
            usage >&2
            fail "unknown argument: $argument"
            ;;
    esac
done

prefix=${PREFIX:-}
if [ -z "$prefix" ]; then
    [ -n "${HOME:-}" ] || fail "neither HOME nor PREFIX is set" "set PREFIX to the directory to install in"
    prefix=$HOME/.local
fi
case $prefix in
    /*) ;;
    *) prefix=$(pwd)/$prefix ;;
esac
prefix=${prefix%/}

from=${ALONGSIDE_FROM:-}
if [ -z "$from" ]; then
    from=$published
    # A script from standard input or from an argument has no directory, and the working directory may belong to another
    # user. The flags `s` and `c` show this, but not in every shell. So archives beside the script are used only if the
    # script was started by a path with a slash.
    case $-,$0 in
        *[cs]*,*) ;;
        *,*/install.sh)
            beside=$(dirname -- "$0")
            if [ -f "$0" ] && [ -f "$beside/SHA256SUMS" ]; then from=$beside; fi
            ;;
    esac
fi
from=${from#file://}
from=${from%/}

if [ "$action" = uninstall ]; then
    remove
    say "Removed alongside from $prefix."
    warn_of_settings
else
    install
fi
