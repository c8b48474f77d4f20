#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Gets MySQL's own server (GPL), which stable releases of Debian have no package
# of, from Debian sid into a directory, and prints the path of its mysqld, for
# ISOSTRESS_MYSQLD.  Only the long tests need it.  The packages, 60 MB with the
# libraries that they need, are verified by Debian's keys and only unpacked: apt
# has a root of its own in that directory, so that nothing of the machine's
# changes, and the server runs by the dynamic loader and the libraries of sid.
# What sid has differs from day to day.  Exit status: 0, or 255 with a sentence.
set -u
package=mysql-server-core
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
directory=${1:?usage: fetch_mysql.sh DIRECTORY}

fail() {
  echo "fetch_mysql.sh: $*" >&2
  exit 255
}

# Neither the sources nor the hooks of the machine; nothing counts as installed.
# A mirror that stands still is as good: what it has is signed all the same.
make_root() {
  mkdir -p apt/etc/apt/{apt.conf.d,preferences.d,sources.list.d} \
    apt/var/lib/apt/lists/partial apt/var/cache/apt/archives/partial &&
    : >apt/status &&
    echo "deb [signed-by=$keyring] http://deb.debian.org/debian sid main" \
      >apt/etc/apt/sources.list &&
    cat >apt/conf <<CONF
Dir "$PWD/apt";
Dir::State::status "$PWD/apt/status";
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
APT::Update::Error-Mode "any";
CONF
}

apt() { # apt ARGUMENT...: apt-get in that root
  APT_CONFIG=$PWD/apt/conf apt-get -qq -y "$@" >>log 2>&1
}

reason() { # that a program gave first
  grep -m 1 '^[EW]: ' log || tail -n 1 log
}

unpack() {
  local archive
  for archive in apt/var/cache/apt/archives/*.deb; do
    dpkg-deb -x "$archive" sid || return 1
  done
}

# A program that brings its own libraries along.
make_program() {
  local libraries loader
  libraries=$(echo "$PWD"/sid/usr/lib/*-linux-gnu)
  loader=$(echo "$libraries"/ld-linux*.so.*)
  cat >mysqld <<PROGRAM
#!/bin/sh
exec "$loader" --library-path "$libraries" "$PWD/sid/usr/sbin/mysqld" "\$@"
PROGRAM
  chmod 755 mysqld && chmod -R go+rX sid
}

fetch() {
  local tool
  for tool in apt-get dpkg-deb; do
    type -P $tool >/dev/null || fail "there is no $tool: this is not Debian"
  done
  [ -r "$keyring" ] || fail "apt-get install debian-archive-keyring"
  rm -rf apt sid log
  make_root || exit 255
  apt update || fail "Debian sid cannot be had: $(reason)"
  apt --no-install-recommends --download-only install "$package" ||
    fail "Debian sid has no $package to install today: $(reason)"
  unpack && make_program || exit 255
  ./mysqld --version >>log 2>&1 || {
    rm mysqld
    fail "the mysqld of Debian sid does not run here: $(reason)"
  }
  rm -r apt log
}

mkdir -p "$directory" && cd "$directory" || exit 255
[ -x mysqld ] || fetch
realpath mysqld
