#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress repro and server on real servers: the quick recipes; nothing is left
# behind, neither after a success nor after a failure or an interruption.  With
# ISOSTRESS_LONG=1 every recipe of the catalogue.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql redis
export ISOSTRESS_FILES=$TOP_SRCDIR
# Servers of this test only, whatever else is going on.
export ISOSTRESS_SERVERS=$work/servers
server_root=$ISOSTRESS_SERVERS
chmod 711 "$work"
trap 'isostress server stop all; rm -rf "$work"' EXIT
cd "$work" || exit 1

quick=(postgresql-rc-lost-update postgresql-rc-read-skew postgresql-rr-write-skew
  redis-multi-lost-update)
if [ "${ISOSTRESS_LONG:-}" = 1 ]; then
  # Without those that need a server of a release that Debian lacks.
  mapfile -t quick < <(cd "$TOP_SRCDIR/configs/repro" && grep -L '^needs = ' ./*.ini |
    sed 's|^\./||; s|\.ini$||')
fi
plan $((${#quick[@]} * 2 + 17))

left() { # what is left of servers
  find "$server_root" -mindepth 1 2>/dev/null
  pgrep -af -- "$server_root/" | grep -v pgrep
}
for name in "${quick[@]}"; do
  run isostress repro "$name" --budget 400s
  is "$status $(tail -n 1 <<<"$out")" "0 as expected" "$name"
  is "$(left)" "" "$name leaves nothing"
done

ISOSTRESS_FILES=$work/kinds
mkdir -p kinds/configs/repro
ln -s "$TOP_SRCDIR/servers" kinds/servers
sed 's/^server = redis$/server = none/' "$TOP_SRCDIR/configs/repro/redis-multi-lost-update.ini" \
  >kinds/configs/repro/of-none.ini
cp "$TOP_SRCDIR/configs/repro/redis-multi-lost-update.ini" "$TOP_SRCDIR/configs/repro/postgresql-rc-lost-update.ini" \
  kinds/configs/repro/
run isostress repro of-none --server=redis --budget 400s
is "$status $(tail -n 1 <<<"$out")" "0 as expected" "a kind of server in place of the recipe's own"
run isostress repro --all --server=redis --budget 400s
is "$status $(grep -v '^ ' <<<"$out")" "0 redis-multi-lost-update" "all recipes of a kind"
ISOSTRESS_FILES=$TOP_SRCDIR

run isostress server start redis
is "$status" 0 "a server is started"
uri=$(sed -n 's/^uri=//p' <<<"$out") name=$(sed -n 's/^server=//p' <<<"$out")
run isostress repro redis-multi-lost-update "$uri" --budget 400s
is "$status" 0 "a recipe on a server that is there"
run isostress server list
like "$out" "^$name +up" "a server that was there stays after a recipe"
run isostress repro redis-restart-lost-writes "$uri"
is "$status" 254 "faults are for servers that repro itself started"
run isostress server pause "$name" 7
is "$status $err" "255 $name has no node 7: nodes are counted from 0" "a node that is not there"
mkdir -p elsewhere
for word in all redis; do
  run isostress server start redis # of this directory
  run env -C elsewhere isostress server stop "$word"
  like "$status:$err" '^0:left alone: 2, which were started in other directories' "stop $word leaves what was started elsewhere"
  run isostress server stop "$(isostress server list | awk -v it="$name" '$1 != it { print $1 }')"
done
run isostress server stop "$name"
is "$status" 0 "the server can be stopped"
run isostress server start redis port=none
is "$status" 255 "a server that does not come up is trouble"
is "$(left)" "" "a server that does not come up leaves nothing"

mkdir -p files/configs
ln -s "$TOP_SRCDIR/servers" files/servers
cp -r "$TOP_SRCDIR/configs/repro" files/configs/repro
sed 's/^server = redis$/&\nsettings = port=none/' files/configs/repro/redis-multi-lost-update.ini \
  >files/configs/repro/broken.ini
ISOSTRESS_FILES=$work/files run isostress repro broken
is "$status $(tail -n 1 <<<"$err")" "255 isostress: no server of kind redis was started" \
  "a recipe whose server does not come up"
like "$err" 'could.*parsed into an integer' "shows what it said"
is "$(left)" "" "a server that refuses its settings leaves nothing"
sed -i 's/^expect = .*/expect = ThinAirRead/; s/^check = .*/check = rc/; s/^time = .*/time = 60s/' files/configs/repro/redis-multi-lost-update.ini
ISOSTRESS_FILES=$work/files isostress repro redis-multi-lost-update --budget 60s >"$work/out" 2>&1 &
running=$!
is_running() { ls "$work"/results/runs/*redis*/history && ls "$server_root"/redis*/0/pid; }
wait_for 60 is_running
kill -INT "$running"
wait "$running"
is "$?" 2 "interrupted, it is undecided"
is "$(left)" "" "an interrupted recipe leaves nothing"
