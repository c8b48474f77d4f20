#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# isostress run on an etcd that wants TLS.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs etcd
live_needs_driver etcd "libcurl4-openssl-dev libjansson-dev"
plan 19

certificate() { # certificate NAME: and its key, for the server's user
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
    -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$work/$1.key" -out "$work/$1.crt" 2>/dev/null
  [ "$(id -u)" != 0 ] || chown "$(etcd_user):" "$work/$1.key"
}
certificate right
certificate wrong
certificate client
chmod 711 "$work"
live_start etcd "cert-file=$work/right.crt" "key-file=$work/right.key"
uri=${server_uri[0]} at="etcd at 127\.0\.0\.1:$(line_of "$server/0/port")"

stress "$uri?cacert=$work/right.crt" -t 20
is "$status" 0 "a certificate that is trusted"
stress "$uri?tls=unverified" -t 20
is "$status" 0 "any certificate, if that is asked for"
refused 255 "$uri?cacert=$work/wrong.crt" "$at: TLS: SSL certificate problem: .*" \
  "a certificate of nobody known"
refused 255 "$uri?tls=on" "$at: TLS: SSL certificate problem: .*" \
  "a certificate that the system does not trust"
refused 255 "$uri" "$at: Server returned nothing \(no headers, no data\); if it wants TLS, say tls=on" \
  "no TLS where it is wanted"
refused 255 "$uri?cacert=$work/missing.crt" \
  "cacert=$work/missing\.crt cannot be read: No such file or directory" "a missing file"

# ---- Certificates of clients

# etcd speaks to itself by its own certificate.
cat "$work/right.crt" "$work/client.crt" >"$work/trusted.crt"
live_start etcd "cert-file=$work/right.crt" "key-file=$work/right.key" \
  client-cert-auth=true "trusted-ca-file=$work/trusted.crt"
uri="${server_uri[0]}?cacert=$work/right.crt" at="etcd at 127\.0\.0\.1:$(line_of "$server/0/port")"
stress "$uri&cert=$work/client.crt&key=$work/client.key" -t 20
is "$status" 0 "a client's certificate that the server trusts"
refused 255 "$uri" "$at: .+" "a client without a certificate"
refused 255 "$uri&cert=$work/wrong.crt&key=$work/wrong.key" "$at: .+" \
  "a client's certificate of nobody known"
refused 255 "$uri&cert=$work/client.crt&key=$work/wrong.key" "$at: .+" \
  "a key of another certificate"

# ---- None

live_start etcd
refused 255 "${server_uri[0]}?tls=unverified" \
  "etcd at 127\.0\.0\.1:[0-9]+: TLS: .*" "TLS where there is none"
