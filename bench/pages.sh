#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How large pages of runs are, and what it costs to make one and to show it: the
# processor time of `isostress report`, and that of a browser's process until
# the page is drawn.  Processor time hardly depends on what else the machine
# does.
#
#   pages.sh     (in the build directory; it needs chromium)
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
PATH=$PWD:$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/isostress-pages.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

measure() { # measure NAME OPTION...: a line of the table
  local name=$1
  shift
  isostress run "$@" -o run memory: >/dev/null 2>&1 || [ $? = 1 ]
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$top/scripts python3 - "$name" run/latest <<'END'
import json, os, resource, subprocess, sys
import browser

name, run = sys.argv[1:]
def time_of_children():
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime
before = time_of_children()
subprocess.run(["isostress", "report", run], check=True, stdout=subprocess.DEVNULL)
made = time_of_children() - before
page = os.path.join(run, "report.html")
committed = json.load(open(os.path.join(run, "report.json")))["history"]["committed"]
with browser.Browser() as b:
    b.send("Performance.enable")
    def process_time():
        metrics = b.send("Performance.getMetrics")["metrics"]
        return next(m["value"] for m in metrics if m["name"] == "ProcessTime")
    before = process_time()
    b.open(page)
    b.picture(whole=False)
    drawn = process_time() - before
print("%-32s %12d %10d %8.3f s %8.3f s" % (
    name, committed, os.path.getsize(page), made, drawn))
END
}

printf '%-32s %12s %10s %10s %10s\n' run committed bytes report browser
measure "a violation, 2,000" -t 500 -c 4 -k 20 -i si --bug=LostUpdate --seed=1
measure "a violation, a million" -t 250k -c 4 -k 1000 -i si --bug=LongFork --seed=1
