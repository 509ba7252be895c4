#!/bin/sh
# `cargo xtask dist --try` runs this as an ordinary user in a new Debian with pip and pipx. Each of them installs the wheel
# without a network, and removes it. $1 is the version.
set -eu
. /dist/trial/steps.sh

PATH=$HOME/.local/bin:$PATH
data_home=$HOME/.local/share
zsh_functions=$HOME/.local/share/zsh/site-functions

pip install --user --break-system-packages --no-index --find-links /dist alongside >$output 2>&1 ||
    fail "pip install failed" $output
ok "pip install"
check_installation "$1"
pip uninstall --yes --break-system-packages alongside >$output 2>&1 || fail "pip uninstall failed" $output
check_removed "pip uninstall"

pipx install --pip-args="--no-index --find-links /dist" alongside >$output 2>&1 || fail "pipx install failed" $output
ok "pipx install"
check_program "$1"
pipx uninstall alongside >$output 2>&1 || fail "pipx uninstall failed" $output
check_removed "pipx uninstall"

# `cargo xtask dist --try` fetches uv into /uv, or reports that it cannot.
if [ -d /uv ]; then
    pip install --user --break-system-packages --no-index --find-links /uv uv >$output 2>&1 || fail "no uv" $output
    uv tool install --offline --no-index --find-links /dist alongside >$output 2>&1 ||
        fail "uv tool install failed" $output
    ok "uv tool install"
    check_program "$1"
    uv tool uninstall alongside >$output 2>&1 || fail "uv tool uninstall failed" $output
    ok "uv tool uninstall"
fi
