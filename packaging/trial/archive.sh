#!/bin/sh
# `cargo xtask dist --try` runs this as an ordinary user in a new Debian: the archive is unpacked anywhere, and its
# program runs from there. $1 is the version.
set -eu
. /dist/trial/steps.sh

has_no_compiler
tar -xzf "/dist/alongside-$1-$(uname -m)-unknown-linux-gnu.tar.gz" -C "$HOME"
PATH=$(echo "$HOME"/alongside-*):$PATH
runs "$1"
for text in LICENSE-MIT THIRD-PARTY-LICENSES.txt man/alongside.1 completions/_alongside; do
    [ -s "$(echo "$HOME"/alongside-*)/$text" ] || broken "the archive has no $text"
done
ok "the archive has licences, manual pages and completions"
(cd /dist && sha256sum --check --quiet --ignore-missing SHA256SUMS) >$said 2>&1 || broken "checksums differ" $said
ok "SHA256SUMS"
