#!/bin/sh
# `cargo xtask dist --try` runs this as an ordinary user in a new Debian with npm, which installs both files without a
# registry, and removes them. $1 is the version. The tests of xtask install from a registry, also with npx and pnpm.
set -eu
. /dist/trial/steps.sh

PATH=$HOME/.local/bin:$PATH
cpu=$(node -p process.arch)
npm install --global --prefix "$HOME/.local" --offline --ignore-scripts \
    "/dist/alongside-linux-$cpu-$1.tgz" "/dist/alongside-$1.tgz" >$said 2>&1 || broken "npm install failed" $said
ok "npm install --global"
runs "$1"
man -w alongside-review >$said 2>&1 || broken "man does not find the pages" $said
ok "man alongside-review"
npm uninstall --global --prefix "$HOME/.local" alongside "alongside-linux-$cpu" >$said 2>&1 ||
    broken "npm uninstall failed" $said
is_gone "npm uninstall"
