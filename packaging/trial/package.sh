#!/bin/sh
# `cargo xtask dist --try` runs this as root in a new Debian. The trial installs the package, uses the program as a person
# does, and purges the package. $1 is the version.
set -eu
. /dist/trial/steps.sh

check_no_compiler
list_files >/tmp/before
dpkg -i /dist/*_"$(dpkg --print-architecture)".deb >$output 2>&1 || fail "dpkg -i failed" $output
ok "dpkg -i"
dpkg -V alongside >$output 2>&1 || fail "files differ from the package's checksums" $output
ok "checksums of the installed files"

runuser -u dev -- env HOME=/home/dev sh -euc '. /dist/trial/steps.sh; check_installation "$1"' sh "$1"

dpkg -P alongside >$output 2>&1 || fail "dpkg -P failed" $output
list_files >/tmp/after
diff /tmp/before /tmp/after >$output || fail "purging left or removed other files" $output
ok "dpkg -P leaves nothing"
