#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One number has one value: terminal, page, report.txt, report.json, JUnit and the
# index of runs of many kinds.
. "${TOP_SRCDIR:?}/tests/tap.sh"
cd "$work" || exit 1
plan 27

cat >numbers.py <<'END'
import html, json, os, re, sys
import xml.etree.ElementTree
directory, terminal = sys.argv[1], open(sys.argv[2]).read()
run = json.load(open(directory + "/report.json"))["run"]
page = re.sub(r"<[^>]*>", "", html.unescape(open(directory + "/report.html").read()))
text = open(directory + "/report.txt").read()
number = lambda pattern, where: int(re.search(pattern, where).group(1).replace(",", ""))
index = html.unescape(open(directory + "/../index.html").read())
row = index[index.index('href="' + os.path.basename(os.path.realpath(directory))):]
series = [r.split(",") for r in open(directory + "/series.csv").read().split()[1:]]
rate = int(run["committed"] * 1e9 / run["measured_ns"] + 0.5)
wanted = {
    "committed": (run["committed"], number(r"([\d,]+) committed, ", terminal), number(r"([\d,]+) committed \(", page),
                  number(r"= (\d+) committed", text), number(r'"committed">([\d,]+)<', row),
                  sum(int(interval[1]) for interval in series)),
    "rate": (rate, number(r"committed,\s+([\d,]+)/s", terminal), number(r"committed \(([\d,]+) per second", page),
             number(r"throughput +(\d+)", text), number(r'"per second">(?:<svg.*?</svg> )?([\d,]+)<', row)),
    "refused": (run["refused"], number(r"/s;\s+([\d,]+)\s+refused", terminal), number(r"([\d,]+) refused \(", page)),
    "aborted": (run["aborted"], number(r"\+ (\d+) aborted", text)),
}
junit = "".join(xml.etree.ElementTree.parse("junit.xml").getroot().itertext())
wanted["committed"] += (number(r"committed>1G was required, and it is (\d+)", junit),)
verdict = json.load(open(directory + "/report.json")).get("verdict", {})
if " committed transactions fit" in terminal:
    order = r" of (\d+) transactions, "
    wanted["order"] = (verdict["commit_order"], number(r"([\d,]+) committed transactions fit", terminal),
                       number(r"All ([\d,]+) committed transactions", page), number(order, text))
    counted = lambda where: [int(n.replace(",", "")) for n in re.findall(r"figures\s+of\s+the\s+run\s+count\s+([\d,]+)", where)]
    differ = [run["committed"]] if run["committed"] < verdict["commit_order"] else []
    wanted["difference"] = [str(differ), str(counted(terminal)), str(counted(page))]
if verdict.get("verdict") == "violation":
    found = (r"found(?:\s+in)?(\s+at\s+least)?\s+([\d,]+)\s+(times?|writes?|reads?)",
             r"was found(?: in)?( at least)? ([\d,]+) (times?|writes?|reads?)")
    told = [re.search(pattern, where) for pattern, where in zip(found, (terminal, page))]
    if all(told):
        wanted["found"] = [(t.group(1) is not None, int(t.group(2).replace(",", "")), t.group(3)) for t in told]
# Chances, by anomaly; those that are an interval are written in other words.
chances = json.load(open(directory + "/report.json")).get("chances", {}).get("anomalies", [])
if chances and all(c["low"] == c["high"] for c in chances):
    sort = lambda pairs: str(sorted((n.replace(",", ""), of.rstrip("s")) for n, of in pairs))
    table = re.search(r"How much this history could have shown:\n(.*)", text, re.S).group(1)
    in_text = re.findall(r"^    ([a-zA-Z][a-zA-Z -]*?) +([\d,]+) (\w+)  ", table, re.M)
    in_page = re.findall(r'data-l="chances">([\d,]+) (\w+)<', open(directory + "/report.html").read())
    wanted["chances"] = [sort((str(c["count"]), c["of"]) for c in chances), sort(c[1:] for c in in_text), sort(in_page)]
    by_name = {name: number for name, number, _ in in_text}
    tried = re.search(r"^  tried +(.*?); none\s+seen", terminal, re.M | re.S)
    for name, number in re.findall(r"([a-z][a-z -]*?) ([\d,]+)(?: chances?)?(?:,|$)", " ".join(tried.group(1).split()) if tried else ""):
        wanted["chances of " + name] = [number, by_name.get(name)]
# Failures by statement and code, with the words of the database.
places = json.load(open(directory + "/report.json"))["run"].get("places", [])
page = open(directory + "/report.html").read()
for p in places:
    of = "%s of %s" % (p["place"], p["code"])
    words = html.escape(p["text"], quote=False)
    row = re.search(r'>%s</th>(?:(?!</tr>).)*?>([\d,]+)</td>(?:(?!</tr>).)*%s' % (p["place"], re.escape(words)), page, re.S)
    wanted[of] = [str(p["count"]), row and row.group(1).replace(",", ""),
                  re.search(r"(\d+)  %s: .*%s" % (p["place"], re.escape(p["text"])), text).group(1),
                  re.search(r"%s ([\d,]+) times? \(%s\)" % (p["place"], p["code"]), " ".join(terminal.split())).group(1).replace(",", "")]
print([name for name, values in wanted.items() if len(set(values)) > 1] or "equal")
END
same() { # same OPTION...
  isostress run -T 0 -t 100 -P 0 -o runs --junit junit.xml --require "committed>1G" "$@" >terminal 2>/dev/null
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
same -w counter memory:
same -w set -i si memory:
same -w tpcc -c 2 -i ser memory:
same -w twitter -c 2 memory:
same -w rubis -c 2 memory:
same -w monotonic memory:
same -i ra --bug=FracturedRead -k 3 --check=auto memory:
same --rate=20000 -k 5 memory:
printf 'CREATE TABLE account (id INT PRIMARY KEY, balance INT);\nINSERT INTO account VALUES (1, 100);\n' >bank.sql
printf 'UPDATE account SET balance = balance + 1 WHERE id = 1;\n' >pay.pgbench
printf 'SELECT balance FROM account WHERE id = 1;\n' >see.pgbench
same -w pay.pgbench@3,see.pgbench --schema bank.sql -c 2 memory:
printf "CREATE TABLE tag (name text PRIMARY KEY, n int);\nINSERT INTO tag VALUES ('a', 1);\n" >tag.sql
printf "BEGIN;\nSELECT n FROM tag WHERE name = 'a';\nINSERT INTO tag VALUES ('a', 7);\nCOMMIT;\n" >twice.sql
printf "SELECT count(*) FROM tag;\n" >look.sql
same -w twice.sql,look.sql --schema tag.sql -c 1 sqlite:d.db
is "$(python3 -c 'import json
print([(p["place"], p["statement"], p["code"], p["text"]) for p in json.load(open("runs/latest/report.json"))["run"]["places"]][:1])')" \
  "[('twice.sql:3', \"INSERT INTO tag VALUES ('a', 7)\", 'SQLITE_CONSTRAINT_PRIMARYKEY', 'UNIQUE constraint failed: tag.name')]" "what failed is told by statement and code"
same -w predicate --check=ser --timeout=1ms -t 300 memory:
same -w append -c 4 -k 3 -i ra --bug=LostUpdate --check=si memory:
same -w append -c 4 -k 4 --check=auto sqlite:c.db

# Several runs at once: the table behind the runs of a job file, the table and the
# lines of a sweep, and a comparison.
cat >several.py <<'END'
import csv, html, json, re, sys
whole = lambda run: int(run["committed"] * 1e9 / run["measured_ns"] + 0.5)
percent = lambda run: "%.2f" % (100 * run["aborted"] / run["begun"])
run_of = lambda directory: json.load(open(directory + "/report.json"))["run"]
plain = lambda text: text.replace(",", "")
wrong = []
def equal(what, *values):
    if len({str(v) for v in values}) > 1: wrong.append((what, values))

runs = {}
for line in open("jobs.txt"):
    cells = re.split(r"  +", line.strip())
    if len(cells) == 7 and cells[0] in ("a", "b"):
        runs[cells[0]] = run = run_of(cells[6])
        equal("job", plain(cells[2]), run["committed"])
        equal("job's rate", plain(cells[3]), whole(run))
        equal("job's refused", cells[4], percent(run) + " %")
equal("jobs", sorted(runs), ["a", "b"])
asked = re.findall(r"it is (\d+)$", open("jobs.xml").read(), re.M)
equal("JUnit of jobs", asked, [str(runs[name]["committed"]) for name in "ab"])

told = re.findall(r"^  ([\d.]+) % refused, (\d+) committed a second$", open("sweep.err").read(), re.M)
rows = list(csv.DictReader(open("runs/s-s/runs.csv")))
equal("runs of the sweep", len(told), len(rows), 4)
for row, (refused, rate) in zip(rows, told):
    run = run_of("runs/s-s/runs/" + row["run"])
    equal("row", row["committed"], run["committed"], re.search(r"it is (\d+)$", row["unmet"]).group(1))
    equal("row's aborted", row["aborted"], run["aborted"])
    equal("row's attempts", row["attempts"], run["begun"])
    equal("row's rate", int(float(row["throughput"]) + 0.5), rate, whole(run))
    equal("row's refused", "%.2f" % (100 * float(row["abort_rate"])), refused, percent(run))
    page = re.sub(r"<[^>]*>", "", html.unescape(open("runs/s-s/runs/" + row["run"] + "/report.html").read()))
    equal("member's page", plain(re.search(r"([\d,]+) committed \(", page).group(1)), row["committed"])
cells = json.load(open("runs/s-s/sweep.json"))["cells"]
table, page = open("sweep.txt").read(), re.sub(r"<[^>]*>", "", html.unescape(open("runs/s-s/sweep.html").read()))
for cell in cells:
    counts = sorted(int(row["committed"]) for row in rows if row["clients"] == cell["clients"])
    equal("unmet", cell["unmet"], [{"required": "committed>1G", "runs": 2, "least": str(counts[0]), "most": str(counts[1])}])
    words = "committed>1G was required, and in 2 of 2 runs it is " + " to ".join(str(n) for n in sorted(set(counts)))
    equal("unmet in words", True, "clients=%s:\n  %s\n" % (cell["clients"], words) in table, words in page)
asked = re.findall(r"it is (\d+)$", open("sweep.xml").read(), re.M)
equal("JUnit of the sweep", sorted(asked), sorted(row["committed"] for row in rows))

lines = open("compared.txt").read().splitlines()
for what, value in (("committed", lambda r: r["committed"]), ("throughput", lambda r: "%d /s" % whole(r)),
                    ("attempts", lambda r: r["begun"]), ("aborted", lambda r: r["aborted"])):
    at = lines.index(what)
    equal("compared " + what, [line.strip().split("  ")[1] for line in lines[at + 1:at + 3]],
          [str(value(run_of(d))) for d in sys.argv[1:3]])
side_by_side = open("compared.html").read()
def row_of(name):
    row = re.search('<tr><th scope="row">' + name + "</th>(.*?)</tr>", side_by_side, re.S).group(1)
    return [plain(html.unescape(re.sub(r"<[^>]*>", "", cell)).replace("\xa0", " ")) for cell in re.findall(r"<td.*?</td>", row, re.S)[:2]]
for name, value in (("committed", lambda r: r["committed"]), ("attempts", lambda r: r["begun"]), ("aborted", lambda r: r["aborted"]),
                    ("throughput", lambda r: "%d /s" % whole(r)), ("committed per second", whole),
                    ("abort rate", lambda r: percent(r) + " %"),
                    ("aborted attempts", lambda r: percent(r) + " %")):
    equal("page that compares, " + name, row_of(name), [str(value(run_of(d))) for d in sys.argv[1:3]])
print(wrong or "equal")
END
printf '[global]\ntransactions = 200\nrequire = committed>1G\n[a]\n[b]\nclients = 3\nworkload = append\n' >two.ini
isostress run two.ini memory: -T 0 -P 0 -o runs --junit jobs.xml >jobs.txt 2>/dev/null
printf '[s]\nclients = 2,3\ntransactions = 200\ncheck = si\nworkload = append\nrequire = committed>1G\n' >s.ini
isostress sweep s.ini memory: --repetitions 2 -o runs --junit sweep.xml >sweep.txt 2>sweep.err
mapfile -t two < <(sed -n 's/^[ab]  .*  \(runs.*\)$/\1/p' jobs.txt)
isostress report "${two[@]}" >compared.txt
isostress report --compare=compared.html "${two[@]}" >/dev/null
is "$(python3 several.py "${two[@]}")" "equal" "jobs, a sweep and a comparison"

touch before
isostress run -T 0 -P 0 -c 2 --op-delay=1ms -o runs --junit junit.xml --require "committed>1G" memory: >terminal 2>/dev/null &
until find runs -newer before -name history -size +4k | grep -q .; do sleep .1; done
kill -INT $!
wait $!
is "$(python3 numbers.py runs/latest terminal)" "equal" "a run that a signal ended"
