#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Committed transactions per second and client CPU of isostress against sysbench
# on MariaDB.
. "$(dirname "${BASH_SOURCE[0]}")/live.sh"
command -v sysbench >/dev/null || {
  echo "sysbench is not installed: apt-get install sysbench" >&2
  exit 1
}

server_start mariadb || exit 1
uri=${server_uri[0]}

# sysbench itself tries again what deadlocks, and does not count it.  It has the
# rows of prepared statements stored by the library, and offers no way to take
# values out of them, which isostress does.
cat >"$work/rmw2.lua" <<'LUA'
sysbench.cmdline.options = {keys = {"Number of keys", 10000}}

writes = 0

function thread_init()
  con = sysbench.sql.driver():connect()
  read = con:prepare("SELECT v FROM rival WHERE k = ?")
  read_k = read:bind_create(sysbench.sql.type.BIGINT)
  read:bind_param(read_k)
  write = con:prepare("UPDATE rival SET v = ? WHERE k = ?")
  write_v = write:bind_create(sysbench.sql.type.BIGINT)
  write_k = write:bind_create(sysbench.sql.type.BIGINT)
  write:bind_param(write_v, write_k)
end

function get(k)
  read_k:set(k)
  read:execute()
end

function put(k)
  writes = writes + 1 -- a value that is there already would not be written
  write_v:set(sysbench.tid * 1000000000 + writes)
  write_k:set(k)
  write:execute()
end

function event()
  local a = sysbench.rand.uniform(0, sysbench.opt.keys - 1)
  local b = sysbench.rand.uniform(0, sysbench.opt.keys - 1)
  con:query("START TRANSACTION")
  get(a)
  get(b)
  put(a)
  put(b)
  con:query("COMMIT")
end

function thread_done()
  read:close()
  write:close()
  con:disconnect()
end
LUA

run_rival() {
  exec sysbench --db-driver=mysql --mysql-host=127.0.0.1 \
    --mysql-port="$(line_of "$server/0/port")" --mysql-user="$server_login" \
    --mysql-password="$server_password" --mysql-db="$server_login" \
    --threads="$sessions" --time="$longest" --keys="$keys" "$work/rmw2.lua" run
}

ask_server() {
  while read -r _; do
    echo "SELECT variable_value FROM information_schema.global_status" \
      "WHERE variable_name = 'Com_commit';"
  done | "$(mariadb_program mariadb)" --no-defaults -n -N -B \
    -h 127.0.0.1 -P "$(line_of "$server/0/port")" -u "$server_login" \
    "-p$server_password" "$server_login"
}

report sysbench live_mysql "$("$(mariadb_program mariadbd)" --version | sed "s|^[^ ]* *||")"
