#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# own/TRANSACTIONS.md does what it says: each of its commands is run on PostgreSQL,
# and the lines behind a command, "# says:", "# unlike:" and "# status:", hold.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql
live_needs_driver postgresql libpq-dev
page=$TOP_SRCDIR/own/TRANSACTIONS.md
plan "$(grep -cE '^# (says|unlike|status): ' "$page")"

live_start postgresql
cd "$work" || exit 1
# The blocks of the page, each in a file; the one that starts a server is done.
awk '/^```sh$/ { n++; inside = 1; next } /^```$/ { inside = 0 } inside { print > ("block." n) }' "$page"
for block in $(printf '%s\n' block.* | sort -t. -k2n); do
  ! grep -q 'server start' "$block" || continue
  sed "s|postgresql://me@localhost/test|'${server_uri[0]}'|; s|^isostress run|isostress run -P 0|; s|-T 2s|-T 1s|" "$block" >typed
  bash typed >out 2>err
  status=$?
  flat=$(cat out err | tr -s ' \n' ' ')
  while read -r _ what pattern; do
    case $what in
    says:) like "$flat" "$pattern" "says $pattern" ;;
    unlike:) unlike "$flat" "$pattern" "does not say $pattern" ;;
    status:) is "$status" "$pattern" "the status is $pattern" ;;
    esac
  done < <(grep -E '^# (says|unlike|status): ' "$block")
done
