#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# PostgreSQL and MariaDB that want certificates of their clients: those that an
# authority has signed get in, from the URI, the environment and the client's
# own files; others are told why not.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
live_needs postgresql mariadb
for driver in postgresql mysql; do
  live_needs_driver "$driver" libpq-dev libmariadb-dev
done
plan 26
unset MYSQL_PWD
export HOME=$work
chmod 711 "$work"

# ---- An authority, and what it signs

authority() { # authority NAME
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
    -days 2 -subj "/CN=$1" -keyout "$work/$1.key" -out "$work/$1.crt" 2>/dev/null
}

certificate() { # certificate NAME AUTHORITY COMMON-NAME
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
    -subj "/CN=$3" -keyout "$work/$1.key" -out "$work/$1.csr" 2>/dev/null &&
    openssl x509 -req -in "$work/$1.csr" -CA "$work/$2.crt" \
      -CAkey "$work/$2.key" -CAcreateserial -days 2 -out "$work/$1.crt" \
      -extfile <(echo 'subjectAltName=IP:127.0.0.1,DNS:localhost') 2>/dev/null
  chmod 600 "$work/$1.key"
}

authority ours
authority theirs
certificate postgres ours 127.0.0.1
certificate maria ours 127.0.0.1
certificate client ours isostress
certificate other ours somebody
certificate stranger theirs isostress
if [ "$(id -u)" = 0 ]; then
  chown "$(postgresql_user):" "$work/postgres.key"
  chown "$(mariadb_user):" "$work/maria.key"
fi

# ---- PostgreSQL: who the certificate says, without a password

live_start postgresql ssl=on "ssl_cert_file=$work/postgres.crt" \
  "ssl_key_file=$work/postgres.key" "ssl_ca_file=$work/ours.crt"
sql() { "$(postgresql_program psql)" -qX -d "${server_admin[0]}" -c "$1"; }
sql "COPY (VALUES ('local all all trust'),
  ('hostssl all all 127.0.0.1/32 cert')) TO '$server/0/data/pg_hba.conf'"
sql 'SELECT pg_reload_conf()' >/dev/null
port=$(line_of "$server/0/port")
uri="postgresql://isostress@127.0.0.1:$port/isostress?sslmode=verify-full&sslrootcert=$work/ours.crt"
at="PostgreSQL: connection to server at \"127\.0\.0\.1\", port $port failed"
with() { echo "&sslcert=$work/$1.crt&sslkey=$work/${2:-$1}.key"; }

# The server takes its time to read its files again.
wait_for 60 "$(postgresql_program psql)" -qX -d "$uri$(with client)" -c 'SELECT 1'
stress "$uri$(with client)" -i si -t 10
is "$status" 0 "PostgreSQL: a certificate named in the URI"
PGSSLCERT=$work/client.crt PGSSLKEY=$work/client.key stress "$uri" -i si -t 10
is "$status" 0 "PostgreSQL: a certificate named in the environment"
mkdir "$work/.postgresql"
cp "$work/client.crt" "$work/.postgresql/postgresql.crt"
cp "$work/client.key" "$work/.postgresql/postgresql.key"
stress "$uri" -i si -t 10
is "$status" 0 "PostgreSQL: a certificate in the client's own files"
rm -r "$work/.postgresql"
refused 255 "$uri" "$at: .*connection requires a valid client certificate" \
  "PostgreSQL: no certificate"
refused 255 "$uri$(with other)" \
  "$at: .*certificate authentication failed for user \"isostress\"" \
  "PostgreSQL: somebody else's certificate"
refused 255 "$uri$(with stranger)" "$at: .*(unknown ca|certificate).*" \
  "PostgreSQL: a certificate of an authority nobody knows"
refused 255 "$uri$(with client other)" "$at: .*key.*" \
  "PostgreSQL: a key of another certificate"
refused 255 "$uri&sslcert=$work/client.crt&sslkey=$work/missing.key" \
  "$at: certificate present, but not private key file \"$work/missing\.key\"" \
  "PostgreSQL: a key that is missing"

# ---- MariaDB: a certificate and the password

live_start mariadb "ssl-ca=$work/ours.crt" "ssl-cert=$work/maria.crt" \
  "ssl-key=$work/maria.key"
mariadb_sql "$server/0" "ALTER USER isostress@'127.0.0.1' REQUIRE SUBJECT '/CN=isostress'"
port=$(line_of "$server/0/port")
uri="${server_uri[0]}?ssl-ca=$work/ours.crt"
at="MySQL at 127\.0\.0\.1:$port: cannot connect"
with() { echo "&ssl-cert=$work/$1.crt&ssl-key=$work/${2:-$1}.key"; }

stress "$uri$(with client)" -i rc -t 10
is "$status" 0 "MariaDB: a certificate named in the URI"
printf '[client]\nssl-cert=%s\nssl-key=%s\n' "$work/client.crt" \
  "$work/client.key" >"$work/.my.cnf"
stress "$uri" -i rc -t 10
is "$status" 0 "MariaDB: a certificate named in the usual option file"
mv "$work/.my.cnf" "$work/options.cnf"
stress "$uri&defaults-file=$work/options.cnf" -i rc -t 10
is "$status" 0 "MariaDB: a certificate named in another option file"
refused 255 "$uri" "$at: Access denied for user 'isostress'@'127\.0\.0\.1' .*" \
  "MariaDB: no certificate"
refused 255 "$uri$(with other)" \
  "$at: Access denied for user 'isostress'@'127\.0\.0\.1' .*" \
  "MariaDB: somebody else's certificate"
refused 255 "$uri$(with stranger)" "$at: .+" \
  "MariaDB: a certificate of an authority nobody knows"
refused 255 "$uri$(with client other)" "$at: .*key.*" \
  "MariaDB: a key of another certificate"
refused 255 "$uri$(with missing)" \
  "ssl-cert=$work/missing\.crt cannot be read: No such file or directory" \
  "MariaDB: a certificate that is missing"
