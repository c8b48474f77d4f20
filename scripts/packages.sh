# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Debian packages by purpose, and how to install them; to be sourced.
# shellcheck disable=SC2034  # used by those who source this
build_packages="autoconf automake gcc make pkg-config libc6-dev libgsl-dev
  libzstd-dev zlib1g-dev libxxhash-dev libinih-dev libsqlite3-dev libpq-dev libhiredis-dev
  libcurl4-openssl-dev libjansson-dev
  libmariadb-dev"
# shellcheck disable=SC2034  # used by those who source this
test_packages="binutils clang clang-format shellcheck libclang-rt-14-dev mandoc sqlite3 zstd python3 openssl
  chromium tidy libxml2-utils universal-ctags libpg-query-dev
  mpich libmpich-dev gpg gpg-agent firebird3.0-server-core libdbd-firebird-perl"

# The databases that the live tests start for themselves.
# shellcheck disable=SC2034  # used by those who source this
server_packages="postgresql mariadb-server galera-4 rsync lsof socat
  redis-server etcd-server etcd-client pgbouncer procps"

# Make bench and make bench-live compare with these, besides those that come with the
# servers.
# shellcheck disable=SC2034  # used by those who source this
bench_packages="sysbench libcadical-dev"

# install_packages NAME...: those that are missing, with sudo unless root.
install_packages() {
  missing=
  for package in "$@"; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
      *" installed") ;;
      *) missing="$missing $package" ;;
    esac
  done
  [ -n "$missing" ] || return 0
  sudo=
  if [ "$(id -u)" != 0 ]; then
    sudo=sudo
    command -v sudo >/dev/null || {
      echo "run this as root, or install first:$missing" >&2
      return 1
    }
  fi
  echo "installing:$missing" >&2
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2 || return 1
  # shellcheck disable=SC2086  # a list of names
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends $missing >&2
}

# install_servers NAME...: likewise, but the packages start no service: that is
# what Debian asks this policy for.
install_servers() (
  policy=/usr/sbin/policy-rc.d
  sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  if [ ! -e "$policy" ]; then
    trap '$sudo rm -f "$policy"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    printf '#!/bin/sh\nexit 101\n' | $sudo install -m 755 /dev/stdin "$policy"
  fi
  install_packages "$@"
)

# build_in DIRECTORY [CONFIGURE ARGUMENT...]: configures and builds out of tree.
# make says nothing unless something is wrong.
build_in() {
  directory=$1
  shift
  if [ ! -x configure ]; then
    autoreconf -i >&2 || return 1
  fi
  mkdir -p "$directory" &&
    (cd "$directory" && { [ -f Makefile ] || ../configure -q "$@"; } &&
      echo "building in $directory/, which takes a minute or two" &&
      { make -s -j"$(nproc)" >/dev/null; }) >&2
}
