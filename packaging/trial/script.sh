#!/bin/sh
# `cargo xtask dist --try` runs this as an ordinary user in a new Debian: install.sh installs, installs again,
# refuses a damaged archive, and removes. $1 is the version.
set -eu
. /dist/trial/steps.sh

has_no_compiler
find "$HOME" | sort >/tmp/home-before

sh /dist/install.sh >$said 2>&1 || broken "install.sh failed" $said
grep -q "is not on your PATH" $said || broken "it does not say that PATH lacks the program" $said
ok "install.sh beside its archive, without root"
PATH=$HOME/.local/bin:$PATH
data_home=$HOME/.local/share
zsh_functions=$HOME/.local/share/zsh/site-functions
is_used "$1"

find "$HOME" | sort >/tmp/home-once
ALONGSIDE_FROM=/dist sh /dist/install.sh >$said 2>&1 || broken "installing again failed" $said
find "$HOME" | sort | diff /tmp/home-once - >$said || broken "installing again leaves other files" $said
ok "installed again, the same is there"

cp -r /dist /tmp/damaged
for archive in /tmp/damaged/alongside-*.tar.gz; do printf x >>"$archive"; done
if ALONGSIDE_FROM=/tmp/damaged PREFIX=/tmp/elsewhere sh /dist/install.sh >$said 2>&1; then
    broken "a damaged archive was installed" $said
fi
grep -q "is damaged" $said || broken "it does not say that the archive is damaged" $said
[ ! -e /tmp/elsewhere ] || broken "a damaged archive left something" $said
ok "a damaged archive is refused"

sh /dist/install.sh --uninstall >$said 2>&1 || broken "--uninstall failed" $said
find "$HOME" | sort | diff /tmp/home-before - >$said || broken "--uninstall left, or took, something" $said
ok "--uninstall leaves nothing"
