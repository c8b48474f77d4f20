#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Firebird by a pipe, a process for each session on one file: what each of its levels
# keeps, and a write skew.  Its settings are of a directory of the test's own.
. "$TOP_SRCDIR/tests/tap.sh"
home=
for home in /usr/lib/*/firebird/3.0; do :; done
if [ ! -e "$home/plugins/libEngine12.so" ] || ! perl -MDBD::Firebird -e 1 2>/dev/null; then
  echo "1..0 # SKIP no Firebird: apt-get install firebird3.0-server-core libdbd-firebird-perl"
  exit 0
fi
plan 5
cp -rs "$home" "$work/home"
rm -f "$work/home/firebird.conf"
echo 'ServerMode = Classic' >"$work/home/firebird.conf"
mkdir "$work/locks"
export FIREBIRD=$work/home FIREBIRD_LOCK=$work/locks
driver="perl $TOP_SRCDIR/examples/drivers/firebird.pl"

# The quick checks of driver-test come before each run.
keeps() { # keeps LEVEL OPTION...
  run isostress run --driver="$driver" "firebird:$work/keys.fdb" -i "$@" -T 0 -t 60 -c 4 --seed 1 -P 0 -o "$work/runs"
  is "$status" 0 "kept: $*"
}
keeps snapshot
like "$out" '^PASS: ' "and it says so"
keeps snapshot -w append
keeps 'read committed'
run isostress steps g2-item --driver="$driver" "firebird:$work/keys.fdb" -i snapshot
like "$out" '^anomaly +seen$' "snapshot lets write skew through"
