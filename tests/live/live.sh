# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# Tests against real servers: tests/tap.sh and servers/servers.sh together, and
# runs of isostress on them.  Whatever a test has started is stopped when it
# ends, however it ends.  Nothing here depends on how fast the machine is: what
# has to happen is waited for, or tried again.
. "$TOP_SRCDIR/tests/tap.sh"
# Apart from the servers of users, who may stop theirs at any time.
: "${ISOSTRESS_SERVERS:=${TMPDIR:-/tmp}/isostress-test-servers-$(id -u)}"
. "$TOP_SRCDIR/servers/servers.sh"
trap 'live_stop' EXIT

stressing= # the run in the background
live_stop() {
  [ -z "$stressing" ] || kill -KILL "$stressing" 2>/dev/null
  server_stop_started
  rm -rf "$work"
}

live_needs_driver() { # live_needs_driver NAME PACKAGE...
  local name=$1
  shift
  case $(isostress list drivers) in
    *"$name:"*) ;;
    *)
      echo "1..0 # SKIP built without the driver $name: apt-get install $*"
      exit 0
      ;;
  esac
}

# Ends the test with a skip if programs of one of these servers are missing.
live_needs() { # live_needs KIND...
  local kind missing
  for kind in "$@"; do
    if missing=$(server_missing "$kind"); then
      echo "1..0 # SKIP $kind: $missing"
      exit 0
    fi
  done
}

# Starts a server for the test, which fails as a whole without it.
live_start() { # live_start KIND [NAME=VALUE...]
  server_start "$@" || {
    echo "Bail out! $1 did not start"
    exit 1
  }
}

# Runs a program of this directory that says itself what it tests; without it,
# skips.  Variables in front of the call tell it where the servers are.
live_program() { # live_program NAME PACKAGE
  if [ -x "$TOP_BUILDDIR/tests/live/$1" ]; then
    "$TOP_BUILDDIR/tests/live/$1"
  else
    echo "1..0 # SKIP $1 was not built: apt-get install $2"
  fi
}

# A second login of MariaDB and MySQL, who may do all.
boss="CREATE USER boss@'127.0.0.1' IDENTIFIED BY '$server_password';
  GRANT ALL ON *.* TO boss@'127.0.0.1' WITH GRANT OPTION"

# Runs such a program with a MariaDB.
live_mysql_program() { # live_mysql_program NAME
  live_needs mariadb
  live_start mariadb innodb-lock-wait-timeout=120
  mariadb_sql "$server/0" "$boss"
  # A user's environment and option files must not reach the test.
  unset MYSQL_PWD
  HOME=$work MY_URI=${server_uri[0]} live_program "$1" libmariadb-dev
}

# ---- Runs

stress() { # stress TARGET [OPTION...]: sets $status, $out, $err and $results
  run isostress run -v "$@" --seed 1 -o "$work/runs"
  results=$(sed -n 's/^results: //p' <<<"$out")
}

committed() { # what the verdict says
  sed -n 's/^  \([0-9]*\) committed, .* count\.$/\1/p' <<<"$out"
}

at_least() { # at_least LEAST NUMBER NAME
  if [ "${2:-0}" -ge "$1" ]; then tap_report 1 "$3"
  else tap_report 0 "$3" "got: ${2:-nothing}, wanted: at least $1
$out
$err"; fi
}

# Transactions that the database aborts are tried again, so that all but a few
# commit: how many it aborts depends on the machine.
enough=4000 transactions=540 # committed; of each of eight clients
[ -z "${ISOSTRESS_LONG:-}" ] || enough=20000 transactions=2700
# Workloads of transactions with several operations; general ones get so many
# keys that they seldom meet.
# shellcheck disable=SC2034  # used by the tests
append=(-w append --ops 4)
# shellcheck disable=SC2034
general=(-w general --ops 4 -k 5000 --distribution uniform)
keeps() { # keeps TARGET LEVEL NAME OPTION...
  local target=$1 level=$2 name=$3
  shift 3
  stress "$target" -i "$level" --max-tries 100 -t "$transactions" "$@"
  is "$status" 0 "$name"
  at_least "$enough" "$(committed)" "$name: over $enough transactions"
}

# An anomaly is a matter of luck: some seed will show it.
breaks() { # breaks TARGET LEVEL REGEX NAME OPTION...
  local target=$1 level=$2 regex=$3 name=$4 seed
  shift 4
  for seed in {1..20}; do
    run isostress run -v "$target" -i "$level" "$@" --seed "$seed" -o "$work/runs"
    [ "$status" = 0 ] || [ "$status" = 1 ] || break
    ! grep -qE "^VIOLATION: .* broken by $regex" <<<"$out" || break
  done
  is "$status" 1 "$name"
  like "$out" "^VIOLATION: .* was broken by $regex" "$name: $regex"
}

# The findings of the last run are told, and both pictures are there.
told() { # told NAME CONTRADICTION
  like "$out" '^    1\. T[0-9]+ read .*\. So T[0-9]+ comes before T[0-9]+\.$' \
    "$1: why"
  like "$out" "^    $2" "$1: the contradiction"
  results=$(sed -n 's/^results: //p' <<<"$out")
  like "$(cat "$results/counterexample-1.svg")" 'class="w cyc"><title>T[0-9]+ before T[0-9]+' \
    "$1: the picture"
}

# As breaks, for one anomaly among all that are found.
finds() { # finds TARGET LEVEL ANOMALY NAME OPTION...
  local target=$1 level=$2 anomaly=$3 name=$4 seed
  shift 4
  for seed in {1..40}; do
    run isostress run -v "$target" -i "$level" "$@" --seed "$seed" -o "$work/runs"
    [ "$status" = 0 ] || [ "$status" = 1 ] || break
    ! grep -qE "^  Found:.* $anomaly (in )?(at least )?[0-9]" <<<"$out" || break
  done
  is "$status" 1 "$name"
  like "$out" "^  Found:.* $anomaly (in )?(at least )?[0-9]" "$name: $anomaly"
}

# The contrary, for an anomaly that something else may be mistaken for once in a
# while: some seed will not show it.
finds_no() { # finds_no ANOMALY TARGET LEVEL NAME OPTION...
  local anomaly=$1 target=$2 level=$3 name=$4 seed found=1
  shift 4
  for seed in {1..10}; do
    run isostress run -v "$target" -i "$level" "$@" --seed "$seed" -o "$work/runs"
    [ "$status" = 0 ] || [ "$status" = 1 ] || break
    found=$(grep -cE "^  Found:.* $anomaly (in )?(at least )?[0-9]" <<<"$out")
    [ "$found" != 0 ] || break
  done
  is "$found" 0 "$name"
}

# Several targets that differ in their host as one that lists all hosts.
all_hosts() { # all_hosts URI...
  local first=$1 hosts='' uri authority
  for uri in "$@"; do
    authority=${uri#*://} authority=${authority%%/*}
    hosts+=,${authority##*@}
  done
  authority=${first#*://} authority=${authority%%/*}
  echo "${first/"${authority##*@}"/${hosts#,}}"
}

refused() { # refused STATUS TARGET REGEX NAME [OPTION...]
  local wanted=$1 target=$2 regex=$3 name=$4
  shift 4
  stress "$target" -t 1 "$@"
  is "$status" "$wanted" "$name is refused"
  like "$err" "^isostress: $regex$" "$name: in one sentence"
}

# Two runs that would read each other's values; four checks.
one_at_a_time() { # one_at_a_time TARGET LEVEL REGEX
  stress_start "$1" -i "$2" -T 0 -R 100
  stress_past 50
  run isostress run -v "$1" -i "$2" -t 10 -o "$work/runs"
  is "$status" 255 "another run with the same names is refused"
  is "$(grep -cE "^isostress: ${3%%;*}; waiting for its end, 10 s at most$" <<<"$err")$(grep -cE "^isostress: $3$" <<<"$err")" 11 \
    "the refused run says that it waits, and why it is refused"
  kill -TERM "$stressing"
  stress_wait
  kept_when_stopped "the first run knows nothing of it"
  stress "$1" -i "$2" -t 10
  is "$status" 0 "once it has ended, another one can begin"
}

# ---- TLS of MariaDB and MySQL

live_certificate() { # live_certificate NAME: and its key, for the server's user
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
    -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1,DNS:localhost \
    -keyout "$work/$1.key" -out "$work/$1.crt" 2>/dev/null
  [ "$(id -u)" != 0 ] || chown "$(mariadb_user):" "$work/$1.key"
}

# With a certificate that is right and one that is somebody else's.
live_start_with_tls() { # live_start_with_tls KIND
  live_certificate right
  live_certificate wrong
  chmod 711 "$work"
  live_start "$1" "ssl-cert=$work/right.crt" "ssl-key=$work/right.key"
}

# Four checks.
speaks_tls() {
  stress "${server_uri[0]}?ssl-mode=required" -i rc -t 10
  is "$status" 0 "TLS can be demanded"
  stress "${server_uri[0]}?ssl-ca=$work/right.crt" -i rc -t 10
  is "$status" 0 "the client library's TLS options reach it"
  refused 255 "${server_uri[0]}?ssl-ca=$work/wrong.crt" \
    'MySQL at .*: cannot connect: TLS/SSL error: .*' \
    "a certificate of nobody known"
}

# ---- Crashes in mid-run

# Its files are its own: `run` empties those of the commands beside it.
stress_start() { # stress_start TARGET OPTION...: in the background
  : >"$work/.stress.err" # at once: the progress of the run before must not be taken for its
  isostress run -v -R 1000 "$@" --seed 1 -P 20ms -o "$work/runs" \
    >"$work/.stress.out" 2>"$work/.stress.err" </dev/null &
  stressing=$!
}

progress() { # transactions committed so far
  sed -n 's/.* per second; \([0-9]*\) committed, .*/\1/p' "$work/.stress.err" | tail -n 1
}

# False if the run ends before, or two minutes are over.
stress_past() { # stress_past COUNT: until the run has committed more than that
  local tries=2400
  until [ "$(progress)" -gt "$1" ] 2>/dev/null; do
    { ((tries-- > 0)) && kill -0 "$stressing" 2>/dev/null; } || return 1
    sleep 0.05
  done
}

# A signal ended the run, which is no success then; the verdict is on what was
# recorded.
kept_when_stopped() { # kept_when_stopped NAME
  is "$status $(grep -c '^INTERRUPTED: .* was kept in what was recorded\.$' <<<"$out")" "2 1" "$1"
}

stress_wait() { # sets what stress sets
  wait "$stressing"
  status=$?
  stressing=
  out=$(<"$work/.stress.out") err=$(<"$work/.stress.err")
  results=$(sed -n 's/^results: //p' <<<"$out")
}

are_connected() { grep -q 'all sessions have a connection again' "$work/.stress.err"; }

# Crashes the server in mid-run and starts it again; the run ends when its
# sessions have committed again and all are connected.
crash_within() { # crash_within NODE TARGET OPTION...
  local node=$1
  shift
  stress_start "$@" -T 0
  stress_past 500
  node_crash "$node"
  local before
  before=$(progress)
  node_start "$node"
  stress_past $((before + 500))
  is "$?" 0 "sessions went on after the restart"
  wait_for 60 are_connected
  kill -TERM "$stressing"
  stress_wait
}

accounted() { # accounted NAME: is every attempt?
  is "$(sed -n 's/^attempts  *\([0-9]*\) = \([0-9]*\) committed + \([0-9]*\) aborted.* + \([0-9]*\) unknown$/\1 \2+\3+\4/p' <<<"$out" |
    awk '{ split($2, n, "+"); print $1 - n[1] - n[2] - n[3] }')" 0 "$1"
}

# Seven checks.
survives_crash() { # survives_crash NODE TARGET LEVEL CHECKED OPTION...
  local node=$1 target=$2 level=$3 checked=$4 counts
  shift 4
  crash_within "$node" "$target" -i "$level" "$@"
  kept_when_stopped "$checked is kept over a crash"
  like "$out" 'connection lost \(' "sessions lost their connections"
  like "$(xargs -d '\n' <<<"$err")" 'isostress: session [0-9]+ lost its connection \(.+\); reconnecting .*isostress: all sessions have a connection again' \
    "a line says so, and one that all have a connection again"
  accounted "every attempt is accounted for"
  counts=$(grep -m 1 ' count\.$' <<<"$out")
  run isostress check "$results/history" -l "$checked"
  is "$status" 0 "the record is complete"
  is "$(grep -m 1 ' count\.$' <<<"$out")" "$counts" "the check of the record counts the same"
}

# Crashes the server in mid-run for good; four checks.  Should the run be over
# before it has begun to commit, a longer one will not be.
dies() { # dies NODE TARGET LEVEL CHECKED REGEX
  local node=$1 target=$2 level=$3 checked=$4 regex="^isostress: .*$5$" seconds before
  for seconds in 3 30 300; do
    stress_start "$target" -i "$level" -T "$seconds"
    stress_past 100
    before=$(progress)
    node_crash "$node"
    stress_wait
    ! { [ "$status" = 255 ] && grep -qE "$regex" <<<"$err"; } || break
    node_start "$node"
  done
  is "$status" 255 "a server that dies for good is trouble"
  like "$err" "$regex" "the reason is said"
  run isostress check "$results/history" -l "$checked"
  is "$status" 0 "what was recorded can be checked"
  at_least "${before:-1}" "$(committed)" "up to the end"
  node_start "$node"
}
