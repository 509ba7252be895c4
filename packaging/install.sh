#!/bin/sh
# Installs alongside from a built archive: no compiler, no root. See usage below, or run with --help.
#
# Nothing is changed before the archive for this machine has been fetched, its checksum compared and the program started once.
set -eu

# Where archives are published; `cargo xtask dist --from URL` fills it in.
published=''

usage() {
    cat <<'USAGE'
Usage: sh install.sh [--uninstall]

Installs the program, its manual pages and completions below ~/.local.

Options:
  --uninstall   remove what this script installed; before that, `alongside uninstall --all`
                takes alongside out of your editors
  --help        print this

Environment:
  ALONGSIDE_FROM      where the archives and SHA256SUMS are: a URL or a directory
                      (without it: beside this script, or where they are published)
  ALONGSIDE_VERSION   the version, where there are several; the newest otherwise
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

# --- What there is to remove is in a list, one path below the prefix a line; directories that were made end with a slash.

remove() {
    list=$prefix/$listed
    [ -f "$list" ] || fail "nothing is installed in $prefix (there is no $list)" \
        "set PREFIX to where it was installed; a package is removed by the package manager"
    while IFS= read -r path; do
        case $path in
            ./ | */) ;;
            '' | /* | *..*) fail "$list names $path, which is not ours to remove" "remove it by hand" ;;
            *) rm -f "$prefix/$path" || fail "cannot remove $prefix/$path" "is it yours?" ;;
        esac
    done <"$list"
    # In reverse, what a directory holds comes before it. What others put there keeps it.
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

# --- Which archive

targets() {
    system=$(uname -s) machine=$(uname -m)
    case $machine in
        x86_64 | amd64) machine=x86_64 ;;
        aarch64 | arm64) machine=aarch64 ;;
    esac
    case $system in
        Linux)
            # A static one runs everywhere; one for glibc does not where there is none.
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

# The newest version that SHA256SUMS lists for a target.
version_for() {
    sed -n "s/^[0-9a-f]\{64\}[ *]*alongside-\([0-9A-Za-z.+-]*\)-$1\.tar\.gz\$/\1/p" "$scratch/SHA256SUMS" |
        sort -t. -k1,1n -k2,2n -k3,3n | tail -n 1
}

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

# What prints a file's SHA-256 first.
hasher() {
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

# Makes a directory below the prefix, and notes which were not there.
make() {
    [ ! -d "$prefix/$1" ] || return 0
    case $1 in
        */*) make "${1%/*}" ;;
        *) [ -d "$prefix" ] || { mkdir -p "$prefix" && say ./ >>"$scratch/list"; } ;;
    esac
    mkdir "$prefix/$1" && say "$1/" >>"$scratch/list"
}

# A file under a name of its own first, so that a program that runs is replaced in one step.
put() {
    { make "${3%/*}" && cp "$2" "$prefix/$3.new" && chmod "$1" "$prefix/$3.new" && mv -f "$prefix/$3.new" "$prefix/$3"; } ||
        fail "cannot write $prefix/$3" "set PREFIX to a directory that is yours"
    say "$3" >>"$scratch/list"
}

install() {
    if [ -z "$from" ]; then
        fail "it is not said where the archives are" \
            "set ALONGSIDE_FROM to the URL or the directory that holds them, together with SHA256SUMS"
    fi
    scratch=$(mktemp -d) || fail "cannot make a temporary directory" "set TMPDIR to one that can be written"
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM

    fetch SHA256SUMS || fail "cannot read $from/SHA256SUMS" \
        "ALONGSIDE_FROM must be the URL or the directory that holds the archives"
    version=
    for target in $(targets); do
        version=${ALONGSIDE_VERSION:-$(version_for "$target")}
        archive=alongside-$version-$target.tar.gz
        grep -qF -- "$archive" "$scratch/SHA256SUMS" && break
        version=
    done
    [ -n "$version" ] ||
        fail "there is no archive ${ALONGSIDE_VERSION:+of version $ALONGSIDE_VERSION }for this machine ($(targets)) in $from" \
            "build it from source with Rust: cargo install --path crates/alongside"
    fetch "$archive" || fail "cannot fetch $from/$archive" "is the copy complete? try again"
    wanted=$(grep -F -- "$archive" "$scratch/SHA256SUMS" | cut -c 1-64)
    hasher=$(hasher) || fail "nothing here computes SHA-256" "install coreutils, perl or openssl"
    got=$($hasher "$scratch/$archive" | cut -c 1-64)
    [ "$got" = "$wanted" ] || fail "$archive is damaged: its checksum is $got, and should be $wanted" \
        "fetch it again; nothing was installed"
    tar -xzf "$scratch/$archive" -C "$scratch" || fail "cannot unpack $archive" "are tar and gzip installed?"
    tree=$scratch/${archive%.tar.gz}
    started=$("$tree/alongside" --version 2>"$scratch/said") ||
        fail "the program for $target does not start here: $(head -n 1 "$scratch/said")" \
            "where the C library is too old, build it from source: cargo install --path crates/alongside"

    : >"$scratch/list"
    put 755 "$tree/alongside" bin/alongside
    for page in "$tree"/man/*.1; do
        put 644 "$page" "share/man/man1/${page##*/}"
    done
    put 644 "$tree/completions/alongside.bash" share/bash-completion/completions/alongside
    put 644 "$tree/completions/_alongside" share/zsh/site-functions/_alongside
    put 644 "$tree/completions/alongside.fish" share/fish/vendor_completions.d/alongside.fish
    for text in "$tree"/*.md "$tree"/LICENSE-*; do
        put 644 "$text" "share/doc/alongside/${text##*/}"
    done
    # Of an older version, what this one has not goes, and what it made stays known.
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

    say "installed $started in $prefix"
    advise
}

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
        *) say "another alongside comes first on your PATH: $first" ;;
    esac
    case ${SHELL:-} in
        */zsh) say "for completions in zsh, before compinit in ~/.zshrc: fpath+=(\"$prefix/share/zsh/site-functions\")" ;;
    esac
    say "see what it does: alongside demo"
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
            fail "$argument is not known"
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
    # Piped into a shell, the script is nowhere.
    beside=$(dirname -- "$0")
    if [ -f "$beside/install.sh" ] && [ -f "$beside/SHA256SUMS" ]; then from=$beside; else from=$published; fi
fi
from=${from#file://}
from=${from%/}

if [ "$action" = uninstall ]; then
    remove
    say "removed alongside from $prefix"
else
    install
fi
