#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each driver at the port of each other database: a sentence with the host, and
# no waiting for ever.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql mariadb redis etcd
for driver in postgresql mysql redis etcd; do
  live_needs_driver "$driver" libpq-dev libmariadb-dev libhiredis-dev \
    libcurl4-openssl-dev libjansson-dev
done
plan 24
unset MYSQL_PWD
export HOME=$work

schemes=(postgresql mysql redis etcd)
targets=(postgresql://isostress:throwaway@HOST/isostress?connect_timeout=3
  mysql://isostress:throwaway@HOST/isostress?timeout=3s
  redis://:throwaway@HOST?timeout=3s
  etcd://HOST?timeout=3s)
hosts=()
for kind in postgresql mariadb redis etcd; do
  live_start "$kind"
  hosts+=("127.0.0.1:$(line_of "$server/0/port")")
done

# All at once, since most of them wait in vain.
try() { # try DRIVER HOST
  isostress run -v "${targets[$1]/HOST/${hosts[$2]}}" -t 1 -o "$work/runs$1$2" \
    >"$work/out$1$2" 2>"$work/err$1$2" </dev/null
  echo "$?" >"$work/status$1$2"
}
for i in 0 1 2 3; do
  for j in 0 1 2 3; do
    [ "$i" = "$j" ] || try "$i" "$j" &
  done
done
# shellcheck disable=SC2046  # numbers
wait $(jobs -p)

for i in 0 1 2 3; do
  for j in 0 1 2 3; do
    [ "$i" != "$j" ] || continue
    name="${schemes[i]}: at the port of ${schemes[j]}"
    err=$(grep -v ' sessions, workload ' "$work/err$i$j")
    is "$(line_of "$work/status$i$j")" 255 "$name"
    like "$err" "^isostress: .*127\.0\.0\.1.*${hosts[j]#*:}.*: [^:]*$" \
      "$name: the host and the reason are said"
  done
done
