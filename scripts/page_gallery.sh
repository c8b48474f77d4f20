#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes a page of every kind, and pictures of each as readers see it: on a desk
# and on a phone, light and dark, and on paper.  DIRECTORY/gallery.html shows all
# pictures, for a person who looks at them.  Pages of a database are left out
# where its server is not installed.  isostress is the one of build/, or the one
# in PATH.
#
#   page_gallery.sh DIRECTORY [PAGE...]     (it needs chromium; PAGE: only these, such as postgresql-skew)
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
PATH=$top/build:$PATH
mkdir -p "${1:?say which directory}"
directory=$(cd "$1" && pwd)
shift
only=" $* "
servers=$directory/servers
: >"$servers"
stop_servers() {
  while read -r server; do
    isostress server stop "$server" >/dev/null || :
  done <"$servers"
}
trap stop_servers EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$directory" || exit

say() { echo "$*" >&2; }

wanted() { # wanted NAME: is this page asked for?
  [ -z "${only// /}" ] || [[ $only == *" $1 "* ]]
}

run() { # run NAME OPTION...: the page NAME.html of a run
  local name=$1
  shift
  wanted "$name" || return 0
  isostress run --progress=0 -o results/runs "$@" >"$name.txt" 2>&1 || :
  keep "$name" results/runs/latest/report.html
}

keep() { # keep NAME FILE: this page is one of the gallery
  if [ -e "$2" ]; then
    cp "$2" "$1.html"
  else
    say "$1: there is no page; its terminal is in $directory/$1.txt"
  fi
}

check() { # check NAME LEVEL: the page of a history, which is read from stdin
  wanted "$1" || return 0
  cat >"$1.history"
  isostress check -l "$2" "$1.history" --explain="checks/$1" >"$1.txt" 2>&1 || :
  keep "$1" "checks/$1/report.html"
}

ring() { # ring N: N sessions, each of which overwrites what the next one has read
  local i
  for ((i = 1; i <= $1; i++)); do
    ((i == 1)) || echo ---
    echo "[k$i==? k$((i % $1 + 1)):=$i]"
  done
}

serve() { # serve KIND [NAME=VALUE...]: the hosts of a new server, URI in $uri
  local started
  started=$(isostress server start "$@" 2>/dev/null) || {
    say "$1: not installed, or it does not start"
    return 1
  }
  sed -n 's/^server=//p' <<<"$started" >>"$servers"
  uri=$(sed -n 's/^uri=//p' <<<"$started")
  hosts=$(sed -n 's/^uri_[0-9]*=//p' <<<"$started" | sed 's#^[a-z]*://##' | paste -sd , -)
  all=${uri%%\?*}${hosts:+,$hosts}
}

any_wanted() { # any_wanted NAME...: is any of them asked for?
  local name
  for name; do
    wanted "$name" && return 0
  done
  return 1
}

# ---- Databases

if any_wanted postgresql-skew postgresql-update postgresql-predicates postgresql-kept scorecard compare explored-live steps-sql &&
  serve postgresql; then
  run postgresql-skew -i "repeatable read" --check=ser -k 20 -T 2s --op-times=on --seed=1 "$uri"
  run postgresql-update -i "read committed" --check=si -k 20 -T 2s --seed=1 "$uri"
  run postgresql-predicates -w predicate -i "repeatable read" --check=ser -T 2s --seed=1 "$uri"
  run postgresql-kept -i serializable -k 50 -T 3s --seed=1 "$uri"
  if wanted scorecard; then
    rm -rf results/runs/*scorecard*
    isostress scorecard -T 300ms -o results/runs "$uri" >scorecard.txt 2>&1 || :
    keep scorecard "$(find results/runs -name scorecard.html | head -n 1)"
  fi
  if wanted explored-live; then
    isostress explore -i rc-statement,si,ser oncall --repair --explain=explored-live "$uri" >explored-live.txt 2>&1 || :
    keep explored-live explored-live/report.html
  fi
  ! wanted steps-sql || isostress steps -i "repeatable read" g-single-write "$uri" --page=steps-sql.html >steps-sql.txt 2>&1 || :
fi
if any_wanted mariadb-update && serve mariadb; then
  run mariadb-update -i "repeatable read" --check=si -k 20 -T 2s --op-times=on --seed=1 "$uri"
fi
if any_wanted redis-update && serve redis; then
  run redis-update -i multi --check=si -k 20 -T 2s --seed=1 "$uri"
fi
if any_wanted etcd-stale etcd-session etcd-steps && serve etcd-3; then
  run etcd-stale -i stale --check=sser -k 10 -T 4s --seed=1 "$all"
  run etcd-session -i stale --endpoints=hop -k 10 -T 4s --seed=1 "$all"
  ! wanted etcd-steps || isostress steps -i stale etcd-stale-read --server="$(tail -n 1 "$servers")" "$all" --page=etcd-steps.html >etcd-steps.txt 2>&1 || :
fi

# ---- The built-in store

run list --threads=1 -w append -t 500 -c 4 -i si --check=ser -k 5 --seed=1 memory:
run kept -t 2k -c 4 -k 20 -i si --seed=1 memory:
run sessions-12 --threads=1 -t 500 -c 12 -k 12 -i ser --bug=LongFork --seed=3 memory:
if wanted undecided; then
  for ((ms = 10; ms < 100000; ms *= 2)); do
    run undecided -t 50k -c 8 -k 200 -i ser --timeout="${ms}ms" --seed=1 memory:
    ! grep -q '^UNDECIDED' undecided.txt || break
  done
fi
if wanted interrupted; then
  isostress run --progress=0 -T 1h --rate=200 -o results/runs memory: >interrupted.txt 2>&1 &
  sleep 3
  kill -INT $! || :
  wait $! || :
  keep interrupted results/runs/latest/report.html
fi
while read -r bug rest; do
  load=(-k 20 -t 2000 -c 4)
  case $rest in
    *rows*) load=(-w predicate -k 100 -t 4000 -c 8) ;;
  esac
  run "bug-$bug" "${load[@]}" --threads=1 -i ser --bug="$bug" --seed=7 memory:
done < <(isostress list bugs)

# ---- Histories

for n in 2 4 7 12; do
  ring "$n" | check "cycle-$n" ser
done
long=$(printf 'a_key_whose_name_goes_on_and_on_%.0s' 1 2 3 4 5 6 7 | head -c 200)
for i in 1 2; do
  printf '{"session":%d,"ops":[["r","%s1",null],["r","%s2",null],["w","%s%d",%d]]}\n' \
    "$i" "$long" "$long" "$long" "$i" "$i"
done | check long-keys ser

# ---- Other pages

if wanted sweep; then
  rm -rf results/sweeps
  isostress sweep quick -T 300ms -o results/sweeps memory: >sweep.txt 2>&1 || :
  keep sweep "$(find results/sweeps -name sweep.html | head -n 1)"
fi
if wanted explored; then
  isostress explore stock --explain=explored >explored.txt 2>&1 || :
  keep explored explored/report.html
fi
! wanted steps || isostress steps -i si g2-item memory: --page=steps.html >steps.txt 2>&1 || :
! wanted steps-prevented || isostress steps -i si p4 memory: --page=steps-prevented.html >steps-prevented.txt 2>&1 || :
if wanted compare; then
  rm -rf compared
  for clients in 4 8; do
    isostress run --progress=0 -T 4s -k 20 -c "$clients" -o "compared/$clients" "${uri:-memory:}" >/dev/null 2>&1 || :
  done
  isostress report compared/4/latest compared/8/latest --compare=compare.html >compare.txt 2>&1 || :
fi
! wanted index || keep index results/index.html

# ---- Pictures

PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$top/scripts python3 - "$only" <<'END'
import glob, html, os, sys
import browser

only = sys.argv[1].split()
pages = sorted(p[:-len(".html")] for p in glob.glob("*.html") if p != "gallery.html")
views = [("1280", 1280, "light"), ("1280 dark", 1280, "dark"),
         ("390", 390, "light"), ("390 dark", 390, "dark")]
os.makedirs("pictures", exist_ok=True)

def picture(name, view):
    return "pictures/%s-%s.png" % (name, view.replace(" ", "-"))

if not browser.path():
    sys.exit("there is no chromium")
with browser.Browser() as b:
    for name in pages:
        if only and name not in only:
            continue
        for view, width, scheme in views:
            b.open(name + ".html", width, 900, scheme)
            wide = b.value("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if wide:
                print("%s, %s: %d pixels stick out" % (name, view, wide), file=sys.stderr)
            with open(picture(name, view), "wb") as file:
                file.write(b.picture())
        with open("pictures/%s.pdf" % name, "wb") as file:
            file.write(b.paper())
with open("gallery.html", "w", encoding="utf-8") as out:
    out.write("""<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>All pages</title>
<style>body{font:15px system-ui;margin:1em}img{height:420px;width:auto;border:1px solid #888;object-fit:cover;object-position:top}
div{display:flex;gap:.5em;overflow-x:auto}</style><h1>All pages</h1>\n""")
    for name in pages:
        out.write('<h2><a href="%s.html">%s</a> (<a href="pictures/%s.pdf">paper</a>)</h2><div>' % ((html.escape(name),) * 3))
        for view, _, _ in views:
            out.write('<a href="%s"><img loading="lazy" alt="%s" src="%s"></a>' % (
                picture(name, view), html.escape(name + ", " + view), picture(name, view)))
        out.write("</div>\n")
END
say "all pages: $directory/gallery.html"
