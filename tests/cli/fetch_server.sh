#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# scripts/fetch_server.sh on a mirror of our own: the pinned version, a newer
# patch of its series and a newer build are taken, and the latter are told; another series, another
# checksum, and what its signature does not cover are refused.
. "${TOP_SRCDIR:?}/tests/tap.sh"
for tool in apt-get dpkg-deb gpg gpg-agent; do
  type -P $tool >/dev/null || {
    echo "1..0 # SKIP there is no $tool: apt-get install apt dpkg gpg gpg-agent"
    exit 0
  }
done
cd "$work" || exit 1
plan 17

# ---- A mirror with one suite and one server, whose program is a script

mkdir -m 700 keys
export GNUPGHOME=$work/keys
trap 'gpgconf --kill gpg-agent; rm -rf "$work"' EXIT
for name in archive stranger; do
  gpg -q --batch --passphrase '' --quick-generate-key "$name@example.org" ed25519 sign never 2>/dev/null
done
gpg -q --export archive@example.org >keyring.gpg

sign_release() { # sign_release KEY
  {
    echo 'Origin: Debian
Label: Debian
Suite: sid
Codename: sid
Components: main
Architectures: '"$(dpkg --print-architecture)"'
Date: Sat, 01 Jan 2022 00:00:00 UTC
SHA256:'
    (cd mirror/dists/sid && echo " $(sha256sum <"$1" | cut -d ' ' -f 1) $(stat -c %s "$1") $1")
  } >release
  gpg -q --batch --yes -u "$2@example.org" --clearsign -o mirror/dists/sid/InRelease release
}
publish() { # publish VERSION KEY
  local list sum
  list=main/binary-$(dpkg --print-architecture)/Packages
  rm -rf package mirror
  mkdir -p package/DEBIAN package/usr/{bin,lib/this-linux-gnu} "mirror/dists/sid/${list%/*}" mirror/pool
  printf 'Package: valkey-server\nVersion: %s\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: a test\n' \
    "$1" >package/DEBIAN/control
  printf '#!/bin/sh\necho this is %s\n' "$1" >package/usr/bin/valkey-server
  chmod 755 package/usr/bin/valkey-server
  dpkg-deb -b package mirror/pool/valkey-server.deb >/dev/null
  sum=$(sha256sum <mirror/pool/valkey-server.deb)
  checksum=${sum%% *}
  {
    cat package/DEBIAN/control
    echo "Filename: pool/valkey-server.deb
Size: $(stat -c %s mirror/pool/valkey-server.deb)
SHA256: $checksum"
  } >"mirror/dists/sid/$list"
  sign_release "$list" "$2"
}

# apt of this machine, with that mirror as its only source.
mkdir -p apt/{lists,cache}/partial apt/parts
echo "deb [signed-by=$work/keyring.gpg] copy:$work/mirror sid main" >apt/sources.list
cat >apt/conf <<CONF
Dir::Etc::SourceList "$work/apt/sources.list";
Dir::Etc::SourceParts "$work/apt/parts";
Dir::State::Lists "$work/apt/lists";
Dir::Cache "$work/apt/cache";
APT::Sandbox::User "root";
Acquire::Check-Valid-Until "false";
CONF
export APT_CONFIG=$work/apt/conf

# The script as it is but for the archive's keys and the table of servers.
pin() { # pin VERSION CHECKSUM
  sed -e "s|^keyring=.*|keyring=$work/keyring.gpg|" \
    -e "/^servers='/,/'\$/c servers='valkey@9 sid $1 $2 valkey-server : bin/valkey-server'" \
    "$TOP_SRCDIR/scripts/fetch_server.sh" >fetch_server.sh
}
fetch() { # fetch: sets $status, $out and $said, without the line that it begins with
  rm -rf got
  run bash fetch_server.sh valkey@9 "$work/got"
  said=$(grep -v ' getting ' <<<"$err")
}

# ----

publish 9.1.2-1 archive
apt-get -qq update 2>/dev/null
pin 9.1.2-1 "$checksum"
fetch
is "$status $out" "0 $work/got/bin" "the pinned version is taken"
is "$said" "" "without a word about it"
is "$(got/bin/valkey-server)" "this is 9.1.2-1" "its program runs"
run bash fetch_server.sh valkey@9 "$work/got"
is "$status $out$err" "0 $work/got/bin" "what is there is not fetched again"

pin 9.1.2-1 "${checksum//[0-9]/0}"
fetch
like "$status $said" "^255 fetch_server.sh: the checksum of valkey-server_9.1.2-1_all.deb is $checksum, not [0a-f]+ as pinned$" \
  "the pinned version with another checksum is refused"
is "$(ls got/bin 2>/dev/null)" "" "and cannot be run"

for version in 9.1.1-1 9.1.2-0; do
  pin "$version" "${checksum//[0-9]/0}"
  fetch
  is "$status $said" "0 fetch_server.sh: valkey@9 is 9.1.2-1 in Debian sid now; $version was tried" \
    "newer than the pinned $version: taken, and told"
done
is "$(got/bin/valkey-server)" "this is 9.1.2-1" "its program runs"

for version in 10.0.0-1 8.1.2-1 90.1-1; do
  publish "$version" archive
  fetch
  like "$status $said" "^255 fetch_server.sh: Debian sid has $version of valkey-server now, which is not of the series 9$" \
    "$version is of another series, and refused"
done

publish 9.1.3-1 stranger
fetch
like "$status $said" '^255 fetch_server.sh: Debian sid cannot be had: .*(NO_PUBKEY|not signed|signature)' \
  "a list that somebody else signed is refused"
publish 9.1.3-1 archive
echo >>mirror/dists/sid/main/binary-"$(dpkg --print-architecture)"/Packages
fetch
like "$status $said" '^255 fetch_server.sh: Debian sid cannot be had: .*([Hh]ash [Ss]um|size)' \
  "a list that was changed after it had been signed is refused"
publish 9.1.3-1 archive
printf x >>mirror/pool/valkey-server.deb
fetch
like "$status $said" '^255 fetch_server.sh: Debian sid has no valkey-server to install today: ' \
  "a package that was changed after it had been listed is refused"
is "$(ls got/bin 2>/dev/null)" "" "and cannot be run"
publish 9.1.3-1 archive
run bash fetch_server.sh valkey@9 "$work/got"
is "$status $(got/bin/valkey-server)" "0 this is 9.1.3-1" "after a failure the next attempt starts anew"
