#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# From a fresh checkout to a proved verdict: installs what is missing to build,
# builds in build/, and stresses an SQLite database for five seconds.
set -eu
cd "$(dirname "$0")/.."
. scripts/packages.sh
# shellcheck disable=SC2086  # a list of names
install_packages $build_packages
build_in build
database=$(mktemp -d "${TMPDIR:-/tmp}/isostress.XXXXXX")
trap 'rm -rf "$database"' EXIT
echo "build/isostress run --time 5s sqlite:$database/try.db" >&2
build/isostress run --time 5s "sqlite:$database/try.db"
echo "next: open results/runs/latest/report.html, or ask build/isostress help" >&2
