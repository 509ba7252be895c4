#!/bin/sh
# `cargo xtask dist --try` runs this as an ordinary user in a new Debian. The trial unpacks the archive into a directory and
# runs the program there. $1 is the version.
set -eu
. /dist/trial/steps.sh

check_no_compiler
tar -xzf "/dist/alongside-$1-$(uname -m)-unknown-linux-gnu.tar.gz" -C "$HOME"
PATH=$(echo "$HOME"/alongside-*):$PATH
check_program "$1"
for text in LICENSE-MIT THIRD-PARTY-LICENSES.txt man/alongside.1 completions/_alongside; do
    [ -s "$(echo "$HOME"/alongside-*)/$text" ] || fail "the archive has no $text"
done
ok "the archive has licences, manual pages and completions"
(cd /dist && sha256sum --check --quiet --ignore-missing SHA256SUMS) >$output 2>&1 || fail "checksums differ" $output
ok "SHA256SUMS"
