#!/bin/sh
# `cargo xtask dist --try` runs this as root in a new Debian: it installs the package, uses it as a person would,
# and purges it.
# $1 is the version.
set -eu
. /dist/trial/steps.sh

has_no_compiler
everything >/tmp/before
dpkg -i /dist/*_"$(dpkg --print-architecture)".deb >$said 2>&1 || broken "dpkg -i failed" $said
ok "dpkg -i"
dpkg -V alongside >$said 2>&1 || broken "files differ from the package's checksums" $said
ok "checksums of the installed files"

runuser -u dev -- env HOME=/home/dev sh -euc '. /dist/trial/steps.sh; is_used "$1"' sh "$1"

dpkg -P alongside >$said 2>&1 || broken "dpkg -P failed" $said
everything >/tmp/after
diff /tmp/before /tmp/after >$said || broken "purging left, or took, something" $said
ok "dpkg -P leaves nothing"
