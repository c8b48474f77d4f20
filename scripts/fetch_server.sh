#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Gets a newer server than the machine's own from a later suite of Debian, and
# prints the directory of its programs.  `isostress server start KIND@VERSION`
# runs it.  apt verifies the packages by Debian's keys.  They are only unpacked:
# apt has a root of its own in the cache directory, nothing of the machine's
# changes, and the programs run by the dynamic loader and the libraries of that
# suite.
#   fetch_server.sh KIND@VERSION [DIRECTORY]
#   fetch_server.sh list          the kinds, each with its suite and version
# The mirror is the one that the machine's own sources name.  A newer patch or build
# of the pinned series is taken, and a line on stderr says so.  Another series, the
# pinned version with another checksum, or a bad signature ends in status 255
# with a sentence.
set -u
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# KIND[,KIND...] SUITE PINNED-VERSION SHA256 PACKAGES : PROGRAMS
# The version and the checksum are those of the first package, for amd64.  Of a
# package after a + nothing that it depends on is taken.
servers='
mariadb@11.8,galera@11.8 trixie 11.8.9+ds-0+deb13u1 0d14ff7db4b97ba76ece9e1531f509ce9d82d7c8eba6c56bcb569d87d0481654 mariadb-server-core mariadb-client-core galera-4 +mariadb-server +mariadb-client : sbin/mariadbd bin/mariadb bin/mariadb-admin bin/mariadb-install-db bin/my_print_defaults bin/resolveip
postgresql@17,postgresql-standby@17 trixie 17.12-0+deb13u1 72443dcedfa0bdfa79dafdf414c18498b89929eeee1555e987c87154f3082fea postgresql-17 : lib/postgresql/17/bin/*
postgresql@18,postgresql-standby@18 sid 18.6-3 606c4d9b24ad721c4c8d297e7f52269743004cb556efc79c41042e40d8f631aa postgresql-18 : lib/postgresql/18/bin/*
mysql@9,mysql-group@9 sid 9.7.4-2 628d2d7d2dc827507bcae80677a9950766b002bec2c658cb96343d9f324f8660 mysql-server-core : sbin/mysqld
valkey@8 trixie 8.1.1+dfsg1-3+deb13u3 41ea4e273d45d54a7d6c20361efdb95bbc57590bc4ef8c1ef13220d589fc2c3a valkey-server valkey-tools : bin/valkey-server bin/valkey-cli
valkey@9 sid 9.1.2-1 a29ac13c50c5902e119c6d548fd39d285c5836df10451c23f2cb6cd59f8f002f valkey-server valkey-tools : bin/valkey-server bin/valkey-cli
etcd@3.5,etcd-3@3.5 trixie 3.5.16-4 0875921bb0d023f2af9b8e15cdfbe417a03e65731345fb832c40f9c2dd72967b etcd-server etcd-client : bin/etcd bin/etcdctl'

fail() { # fail SENTENCE
  echo "fetch_server.sh: $*" >&2
  exit 255
}

reason() { # that a program gave first
  grep -m 1 '^[EW]: ' log || tail -n 1 log
}

# ---- What is asked for

# The version that Debian's packager was given, without what Debian adds.
upstream() { # upstream VERSION
  local version=${1%%-*}
  echo "${version%%+*}"
}

list() {
  local kinds suite version
  while read -r kinds suite version _; do
    [ -z "$kinds" ] || echo "${kinds//,/ } ($suite, $(upstream "$version"))"
  done <<<"$servers"
}

kinds='' suite='' version='' checksum='' packages='' programs=''
find_server() { # find_server KIND: sets the variables above
  local rest
  while read -r kinds suite version checksum rest; do
    if [[ ,$kinds, == *",$1,"* ]]; then
      packages=${rest% :*} programs=${rest#*: }
      return 0
    fi
  done <<<"$servers"
  fail "no server \"$1\" can be had; there are" "$(list | sed 's/ (.*//' | tr ' \n' '  ')"
}

# ---- apt, with a root of its own

mirror_of() { # mirror_of LABEL DEFAULT: without a slash at its end
  local found
  found=$(apt-get indextargets --format '$(REPO_URI)' "Created-By: Packages" \
    "Origin: Debian" "Label: $1" 2>/dev/null | head -n 1)
  found=${found:-$2}
  echo "${found%/}"
}

# Nothing counts as installed.  A mirror that stands still is as good: Debian
# has signed all that it has.
make_root() {
  local main security
  main=$(mirror_of Debian http://deb.debian.org/debian)
  security=$(mirror_of Debian-Security http://deb.debian.org/debian-security)
  mkdir -p apt/etc/apt/{apt.conf.d,preferences.d,sources.list.d} \
    apt/var/lib/apt/lists/partial apt/var/cache/apt/archives/partial &&
    : >apt/status &&
    {
      echo "deb [signed-by=$keyring] $main $suite main"
      [ "$suite" = sid ] ||
        echo "deb [signed-by=$keyring] $security $suite-security main"
    } >apt/etc/apt/sources.list &&
    cat >apt/conf <<CONF
Dir "$PWD/apt";
Dir::State::status "$PWD/apt/status";
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
APT::Update::Error-Mode "any";
APT::Sandbox::User "root";
CONF
}

apt() { # apt ARGUMENT...: apt-get in that root
  APT_CONFIG=$PWD/apt/conf apt-get -qq -y "$@" >>log 2>&1
}

# ---- Packages

download() {
  local package wanted=() alone=()
  for package in $packages; do
    case $package in
      +*) alone+=("${package#+}") ;;
      *) wanted+=("$package") ;;
    esac
  done
  apt update || fail "Debian $suite cannot be had: $(reason)"
  apt --no-install-recommends --download-only install "${wanted[@]}" ||
    fail "Debian $suite has no ${wanted[0]} to install today: $(reason)"
  for package in "${alone[@]}"; do
    (cd apt/var/cache/apt/archives && APT_CONFIG=../../../../conf apt-get -qq download "$package") \
      >>log 2>&1 || fail "Debian $suite has no $package: $(reason)"
  done
}

# Debian's own number behind the version is a part of what is pinned: a package
# that was built anew has another checksum.
compare_with_pinned() { # compare_with_pinned KIND
  local first have sum series=${1#*@}
  first=$(echo apt/var/cache/apt/archives/"${packages%% *}"_*.deb)
  have=$(dpkg-deb -f "$first" Version)
  have=${have#*:}
  case $(upstream "$have") in
    "$series" | "$series".*) ;;
    *) fail "Debian $suite has $have of ${packages%% *} now, which is not of the series $series" ;;
  esac
  if [ "$have" != "$version" ]; then
    echo "fetch_server.sh: $1 is $have in Debian $suite now; $version was tried" >&2
    return
  fi
  [ "$(dpkg --print-architecture)" = amd64 ] || return 0
  sum=$(sha256sum <"$first")
  [ "$checksum" = "${sum%% *}" ] ||
    fail "the checksum of ${first##*/} is ${sum%% *}, not $checksum as pinned"
}

unpack() {
  local archive
  for archive in apt/var/cache/apt/archives/*.deb; do
    dpkg-deb -x "$archive" root || return 1
  done
}

# ---- Programs that bring their libraries along

libraries='' loader=''
find_libraries() {
  local private
  libraries=$(echo "$PWD"/root/usr/lib/*-linux-gnu)
  loader=$(echo "$libraries"/ld-linux*.so.*)
  for private in "$libraries"/*/ "$PWD"/root/usr/lib/galera/; do
    ! ls "$private"*.so* >/dev/null 2>&1 || libraries+=:${private%/}
  done
}

# The file that PROGRAM is or leads to.  What was wrapped before is in .real.
real_program() { # real_program PROGRAM
  local real=$1
  if [ -L "$1" ]; then
    real=$(readlink "$1")
    case $real in
      /*) real=$PWD/root$real ;;
      *) real=${1%/*}/$real ;;
    esac
  fi
  [ ! -e "${real%/*}/.real/${real##*/}" ] || real=${real%/*}/.real/${real##*/}
  [ -f "$real" ] && echo "$real"
}

# The wrapper takes the program's place and keeps its name, for a program may
# look for its neighbours (initdb for postgres): it finds wrappers, too.
# MariaDB and MySQL are told where their messages and plugins are, behind
# --no-defaults, which has to stand first.
wrap() { # wrap PROGRAM
  local real given='"$@"' run
  real=$(real_program "$1") || return 1
  if [ -L "$1" ]; then
    rm "$1"
  elif [ "$real" = "$1" ]; then
    real=${1%/*}/.real/${1##*/}
    mkdir -p "${1%/*}/.real" && mv "$1" "$real" || return 1
  fi
  case ${1##*/} in
    mariadbd | mysqld)
      given="--no-defaults --basedir=\"$PWD/root/usr\" --plugin-dir=\"$PWD/root/usr/lib/mysql/plugin\" \"\$@\""
      ;;
    mariadb-install-db) given="--no-defaults --basedir=\"$PWD/root/usr\" \"\$@\"" ;;
  esac
  run="\"$real\""
  ! head -c 4 "$real" | grep -q ELF ||
    run="\"$loader\" --argv0 \"\$0\" --library-path \"$libraries\" \"$real\""
  {
    echo '#!/bin/sh'
    [ "$given" = '"$@"' ] || echo '[ "$1" != --no-defaults ] || shift'
    echo "exec $run $given"
  } >"$1"
  chmod 755 "$1" && ln -sf "$1" bin/
}

wrap_all() {
  local pattern program
  mkdir bin || return 1
  for pattern in $programs; do
    for program in "$PWD"/root/usr/$pattern; do
      [ ! -f "$program" ] || wrap "$program" || return 1
    done
  done
  chmod -R go+rX root bin
}

# ----

fetch() { # fetch KIND
  local tool
  for tool in apt-get dpkg-deb sha256sum; do
    type -P $tool >/dev/null || fail "there is no $tool: this is not Debian"
  done
  [ -r "$keyring" ] || fail "apt-get install debian-archive-keyring"
  echo "fetch_server.sh: getting $1 from Debian $suite into $PWD" >&2
  rm -rf apt root bin log
  make_root || exit 255
  download
  compare_with_pinned "$1"
  unpack && find_libraries && wrap_all ||
    fail "what Debian $suite has of $1 cannot be unpacked in $PWD"
  rm -rf apt log
  : >complete
}

kind=${1:?usage: fetch_server.sh KIND@VERSION [DIRECTORY]}
if [ "$kind" = list ]; then
  list
  exit
fi
find_server "$kind"
if [ "$(id -u)" = 0 ]; then # servers run as users who cannot enter root's home
  cache=${XDG_CACHE_HOME:-/var/cache}
else
  cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}
fi
directory=${2:-$cache/isostress/servers/${kinds%%,*}}
mkdir -p "$directory" && cd "$directory" ||
  fail "no server can be kept in $directory: set XDG_CACHE_HOME to a directory in which you may write"
# One of several who want a server gets it, and the others wait.
exec 9>lock && flock 9 || exit 255
[ -e complete ] || fetch "$kind"
echo "$PWD/bin"
