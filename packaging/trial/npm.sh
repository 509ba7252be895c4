#!/bin/sh
# `cargo xtask dist --try` runs this as an ordinary user in a new Debian with npm. The trial installs both packages without
# a registry, and removes them. $1 is the version. The tests of xtask install from a registry, also with npx and pnpm.
set -eu
. /dist/trial/steps.sh

PATH=$HOME/.local/bin:$PATH
cpu=$(node -p process.arch)
npm install --global --prefix "$HOME/.local" --offline --ignore-scripts \
    "/dist/alongside-linux-$cpu-$1.tgz" "/dist/alongside-$1.tgz" >$output 2>&1 || fail "npm install failed" $output
ok "npm install --global"
check_program "$1"
man -w alongside-review >$output 2>&1 || fail "man does not find the pages" $output
ok "man alongside-review"
npm uninstall --global --prefix "$HOME/.local" alongside "alongside-linux-$cpu" >$output 2>&1 ||
    fail "npm uninstall failed" $output
check_removed "npm uninstall"
