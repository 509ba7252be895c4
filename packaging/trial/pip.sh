#!/bin/sh
# `cargo xtask dist --try` runs this as an ordinary user in a new Debian with pip and pipx: each installs the wheel
# without a network, and removes it. $1 is the version.
set -eu
. /dist/trial/steps.sh

PATH=$HOME/.local/bin:$PATH
data_home=$HOME/.local/share
zsh_functions=$HOME/.local/share/zsh/site-functions

pip install --user --break-system-packages --no-index --find-links /dist alongside >$said 2>&1 ||
    broken "pip install failed" $said
ok "pip install"
is_used "$1"
pip uninstall --yes --break-system-packages alongside >$said 2>&1 || broken "pip uninstall failed" $said
is_gone "pip uninstall"

pipx install --pip-args="--no-index --find-links /dist" alongside >$said 2>&1 || broken "pipx install failed" $said
ok "pipx install"
runs "$1"
pipx uninstall alongside >$said 2>&1 || broken "pipx uninstall failed" $said
is_gone "pipx uninstall"

# The machine that runs the trials fetches uv, or says that it cannot.
if [ -d /uv ]; then
    pip install --user --break-system-packages --no-index --find-links /uv uv >$said 2>&1 || broken "no uv" $said
    uv tool install --offline --no-index --find-links /dist alongside >$said 2>&1 ||
        broken "uv tool install failed" $said
    ok "uv tool install"
    runs "$1"
    uv tool uninstall alongside >$said 2>&1 || broken "uv tool uninstall failed" $said
    ok "uv tool uninstall"
fi
