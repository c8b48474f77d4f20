#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run on an etcd that wants TLS.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs etcd
live_needs_driver etcd "libcurl4-openssl-dev libjansson-dev"
plan 13

certificate() { # certificate NAME: and its key, for the server's user
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
    -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$work/$1.key" -out "$work/$1.crt" 2>/dev/null
  [ "$(id -u)" != 0 ] || chown "$(etcd_user):" "$work/$1.key"
}
certificate right
certificate wrong
chmod 711 "$work"
live_start etcd "cert-file=$work/right.crt" "key-file=$work/right.key"
uri=${server_uri[0]} at="etcd at 127\.0\.0\.1:$(line_of "$server/0/port")"

stress "$uri?cacert=$work/right.crt" -t 20
is "$status" 0 "a certificate that is trusted"
stress "$uri?tls=unverified" -t 20
is "$status" 0 "any certificate, if that is asked for"
stress "$uri?cacert=$work/right.crt&cert=$work/right.crt&key=$work/right.key" -t 20
is "$status" 0 "a certificate of the client's own"
refused 255 "$uri?cacert=$work/wrong.crt" "$at: TLS: SSL certificate problem: .*" \
  "a certificate of nobody known"
refused 255 "$uri?tls=on" "$at: TLS: SSL certificate problem: .*" \
  "a certificate that the system does not trust"
refused 255 "$uri" "$at: Server returned nothing \(no headers, no data\); if it wants TLS, say tls=on" \
  "no TLS where it is wanted"
refused 255 "$uri?cacert=$work/missing.crt" \
  "cacert=$work/missing\.crt can not be read: No such file or directory" "a missing file"
live_start etcd
refused 255 "${server_uri[0]}?tls=unverified" \
  "etcd at 127\.0\.0\.1:[0-9]+: TLS: .*" "TLS where there is none"
