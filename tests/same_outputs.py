#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Do two builds of isostress say the same?

    tests/same_outputs.py [--but=NAME...] OLD NEW [HISTORY...]

compares what the programs OLD and NEW write of tests/histories (or of what is
named) and of some runs of the built-in store: text, JSON, JUnit, page and all
files beside it.  Times are left out, and so is what depends on them.
--but=report.txt leaves out a file.
Exit status 0: the same, 1: not the same (the first difference of each case).
"""
import os, re, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

LEVELS = ("", "rc", "si", "ser", "recorded", "auto")
RUNS = ["", "-i rc --check=ser -k 3", "-i si --bug=LostUpdate:.3 -k 3", "-w append -i rc --check=si -k 3",
        "-w bank --bug=LostUpdate -i si -k 4", "-w predicate -i si --bug=PhantomRead", "-w general -i rc --check=auto",
        "-w counter", "-w set -i si", "-w cas -i sser", "--check=none", "--require=committed>1G", "-i rc -w tpcc",
        "-w predicate -i rc --check=none", "--mix=ser:1,rc:3 -w general -k 5"]
TIMES = [(r"\d{8}-\d{6}", "DATE"), (r"\d\d\d\d-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?", "DATE"),
         (r"\(\d+\.\d+ s\)", "(S s)"), (r"\"(check_)?seconds\": ?[\d.e+-]+", "S"), (r" time=\"[\d.]+\"", ""),
         (r"[\d.]+( |\u2009|\u00a0|&nbsp;|&#160;)?(ns|us|ms|s|min|µs|&micro;s|μs)\b", "S")]
RUN_TIMES = [(r"\d[\d,.]*", "N")]


def outputs(program, words, directory):
    """What the program writes: its status, stdout and stderr, and its files."""
    os.makedirs(directory)
    done = subprocess.run([program] + words, cwd=directory, capture_output=True, timeout=120)
    found = {"status": str(done.returncode).encode(), "stdout": done.stdout, "stderr": done.stderr}
    for path, _, files in os.walk(directory):
        for name in files:
            if name not in ("history", "latency.csv", "series.csv", "index.html", "index.json"):
                found[re.sub(r"\d{8}-\d{6}", "DATE", os.path.relpath(os.path.join(path, name), directory))] = \
                    open(os.path.join(path, name), "rb").read()
    return found


def neutral(data, run):
    """Text without times; of a run without numbers, since they are times or come from them."""
    text = data.decode("utf-8", "replace")
    if run:
        text = re.sub(r"<svg.*?</svg>", "", text, flags=re.S)
    for pattern, word in TIMES + (RUN_TIMES if run else []):
        text = re.sub(pattern, word, text)
    return re.sub(r" +", " ", text) if run else text


def compare(case, old, new, but, run):
    lines = []
    for name in sorted(set(old) | set(new)):
        if os.path.basename(name) in but:
            continue
        a, b = neutral(old.get(name, b""), run), neutral(new.get(name, b""), run)
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            lines.append("%s: %s:\n  old: ...%r\n  new: ...%r" % (case, name, a[max(0, at - 60):at + 90], b[max(0, at - 60):at + 90]))
    return lines


def try_case(case):
    words, run, but = case
    with tempfile.TemporaryDirectory() as top:
        both = []
        for program in sys.argv[1:3]:
            both.append(outputs(program, words, os.path.join(top, "x")))
            os.rename(os.path.join(top, "x"), os.path.join(top, "old%d" % len(both)))
    return compare(" ".join(words), *both, but, run)


def main():
    but = [word[6:] for word in sys.argv if word.startswith("--but=")]
    sys.argv = [word for word in sys.argv if not word.startswith("--")]
    if len(sys.argv) < 3:
        sys.exit("usage: tests/same_outputs.py [--but=NAME...] OLD NEW [HISTORY...]")
    sys.argv[1:3] = [os.path.abspath(program) for program in sys.argv[1:3]]
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "histories")
    files = [os.path.abspath(f) for f in sys.argv[3:]] or \
        sorted(os.path.join(p, f) for p, _, names in os.walk(here) for f in names if not f.endswith(".md"))
    cases = []
    for path in files:
        for level in LEVELS:
            words = ["check"] + (["--level=" + level] if level else []) + [path]
            cases += [(words, False, but), (words + ["--output=json"], False, but),
                      (words + ["--junit=j.xml", "--explain=page"], False, but)]
    for run in [] if sys.argv[3:] else RUNS:
        words = ["run", "-t", "300", "-c", "3", "--threads=1", "--seed=1", "-P", "0", "-o", "r", "--junit=j.xml"] + run.split() + ["memory:"]
        cases += [(words, True, but), (words + ["-v"], True, but)]
    with ThreadPoolExecutor(2) as pool:
        lines = [line for result in pool.map(try_case, cases) for line in result]
    print("\n".join(lines) or "%d cases: the same" % len(cases))
    return 1 if lines else 0


sys.exit(main())
