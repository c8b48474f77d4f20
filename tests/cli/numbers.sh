#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One number has one value: terminal, page, report.txt and report.json of runs of
# many kinds.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 11

cat >numbers.py <<'END'
import html, json, re, sys
directory, terminal = sys.argv[1], open(sys.argv[2]).read()
run = json.load(open(directory + "/report.json"))["run"]
page = re.sub(r"<[^>]*>", "", html.unescape(open(directory + "/report.html").read()))
text = open(directory + "/report.txt").read()
number = lambda pattern, where: int(re.search(pattern, where).group(1).replace(",", ""))
rate = int(run["committed"] * 1e9 / run["measured_ns"] + 0.5)
wanted = {
    "committed": (run["committed"], number(r"([\d,]+) committed, ", terminal), number(r"([\d,]+) committed \(", page),
                  number(r"= (\d+) committed", text)),
    "rate": (rate, number(r"committed,\s+([\d,]+)/s", terminal), number(r"committed \(([\d,]+) per second", page),
             number(r"throughput +(\d+)", text)),
    "refused": (run["aborted"], number(r"/s;\s+([\d,]+)\s+refused", terminal), number(r"([\d,]+) refused or rolled", page),
                number(r"\+ (\d+) aborted", text)),
}
print([name for name, values in wanted.items() if len(set(values)) > 1] or "equal")
END
same() { # same OPTION...
  isostress run -T 0 -t 100 -P 0 -o runs "$@" >terminal 2>/dev/null
  is "$(python3 numbers.py runs/latest terminal)" "equal" "$*"
}
same memory:
same -c 3 --check=none memory:
same -i si --bug=LostUpdate -k 3 --check=si memory:
same -w predicate memory:
same -w bank memory:
same -w cas memory:
same -w long-fork memory:
same -w general --long-share=.1 memory:
same -i rc --check=auto memory:
same -k 5 sqlite:a.db
same -w append -c 3 sqlite:b.db
