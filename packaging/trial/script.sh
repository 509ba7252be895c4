#!/bin/sh
# `cargo xtask dist --try` runs this as an ordinary user in a new Debian. install.sh installs the program, installs it again,
# refuses a damaged archive, and removes the program. $1 is the version.
set -eu
. /dist/trial/steps.sh

check_no_compiler
find "$HOME" | sort >/tmp/home-before

sh /dist/install.sh >$output 2>&1 || fail "install.sh failed" $output
grep -q "is not on your PATH" $output || fail "it does not say that PATH lacks the program" $output
ok "install.sh beside its archive, without root"
PATH=$HOME/.local/bin:$PATH
data_home=$HOME/.local/share
zsh_functions=$HOME/.local/share/zsh/site-functions
check_installation "$1"

find "$HOME" | sort >/tmp/home-once
ALONGSIDE_FROM=/dist sh /dist/install.sh >$output 2>&1 || fail "installing again failed" $output
find "$HOME" | sort | diff /tmp/home-once - >$output || fail "installing again changes the list of files" $output
ok "installed again, with the same files"

cp -r /dist /tmp/damaged
for archive in /tmp/damaged/alongside-*.tar.gz; do printf x >>"$archive"; done
if ALONGSIDE_FROM=/tmp/damaged PREFIX=/tmp/elsewhere sh /dist/install.sh >$output 2>&1; then
    fail "a damaged archive was installed" $output
fi
grep -q "is damaged" $output || fail "it does not say that the archive is damaged" $output
[ ! -e /tmp/elsewhere ] || fail "a damaged archive left files" $output
ok "a damaged archive is refused"

sh /dist/install.sh --uninstall >$output 2>&1 || fail "--uninstall failed" $output
find "$HOME" | sort | diff /tmp/home-before - >$output || fail "--uninstall left or removed other files" $output
ok "--uninstall leaves nothing"
