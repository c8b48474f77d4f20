#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Do two builds of isostress give the same verdicts?
#
#   tests/same_verdicts.sh OLD NEW [DIRECTORY|HISTORY]...
#
# compares the programs OLD and NEW over tests/histories and what is named, at
# each level alone and at all of them at once.  Verdict, anomaly and the weakest
# level broken must be equal, and both must refuse the same histories.  A
# counterexample of NEW may have at most two transactions more than that of OLD,
# in at most 5 % of the violations.  NEW must verify each proof that it wrote, and
# write one unless it says that proofs about SQL statements have no file.  A
# history that OLD refuses is checked again with --duplicate-values=allow; then
# NEW may be undecided where OLD was not.
# Exit status 0: the same, 1: not the same (one line for each difference).
exec python3 - "$(dirname "$0")/histories" "$@" <<'END_OF_PYTHON'
import json, os, re, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

LEVELS = "rc,ra,cc,pc,si,ser,sser".split(",")
PROVED, VERDICTS, REFUSED = (0, 1), (0, 1, 2), 255
CRASHED = -1
NO_FILE = "a proof about SQL statements can"

if len(sys.argv) < 4:
    sys.exit("usage: tests/same_verdicts.sh OLD NEW [DIRECTORY|HISTORY]...")
old, new = (os.path.abspath(program) for program in sys.argv[2:4])
for program in old, new:
    if not os.access(program, os.X_OK):
        sys.exit("same_verdicts.sh: there is no program " + program)


def histories(path):
    """The histories below path; a directory of T0.log, T1.log... is one."""
    if not os.path.exists(path):
        sys.exit("same_verdicts.sh: there is no history " + path)
    if not os.path.isdir(path):
        return [path]
    names = sorted(os.listdir(path))
    if all(re.fullmatch(r"[TJ]\d+\.log", name) for name in names):
        return [path]
    return [h for name in names for h in histories(os.path.join(path, name))]


def documents(text):
    """The JSON documents of a text, which follow each other."""
    decoder, at, found = json.JSONDecoder(), 0, []
    while text[at:].strip():
        at = len(text) - len(text[at:].lstrip())
        document, at = decoder.raw_decode(text, at)
        found.append(document)
    return found


def check(program, history, levels, options):
    """Exit status of a check, its verdicts, one for each level that has one, and what
    it said."""
    command = [program, "check", "-j", "1", "-l", ",".join(levels), "--output=json",
               *options, history]
    done = subprocess.run(command, capture_output=True, text=True)
    status = CRASHED if "was ended by signal" in done.stderr else done.returncode
    verdicts = [d["verdict"] for d in documents(done.stdout) if "verdict" in d]
    return status, verdicts, done.stderr


def example(verdict):
    return verdict.get("counterexample") or {}


def told(verdict):
    e = example(verdict)
    return (verdict["verdict"], verdict["level"], e.get("anomaly"),
            e.get("weakest_level_broken"))


class Comparison:
    """OLD and NEW on one history."""

    def __init__(self, history):
        self.history = history
        self.notes, self.differences, self.growth = [], [], []
        self.proofs = 0
        self.compare(LEVELS, [])
        for level in LEVELS:
            self.compare([level], [])

    def differs(self, levels, what):
        self.differences.append("%s at %s: %s" % (self.history, ",".join(levels), what))

    def compare(self, levels, options):
        was, before, _ = check(old, self.history, levels, options)
        with tempfile.TemporaryDirectory() as directory:
            proof = directory + "/proof"
            witness = ["--witness=" + proof] if len(levels) == 1 else []
            now, after, said = check(new, self.history, levels, options + witness)
            if was <= CRASHED:
                self.notes.append("%s at %s: OLD crashes: not compared"
                                  % (self.history, ",".join(levels)))
            elif was == REFUSED == now and not before and not after:
                if not options:
                    self.compare(levels, ["--duplicate-values=allow"])
            elif now not in VERDICTS or len(before) != len(after):
                self.differs(levels, "exit status %d, was %d" % (now, was))
            else:
                for b, a in zip(before, after):
                    self.weigh(b, a, options)
                if witness and now in PROVED and NO_FILE not in said:
                    self.verify(levels, options, proof, now)

    def weigh(self, before, after, options):
        allowed = options and after["verdict"] == "undecided"
        if told(before) != told(after) and not allowed:
            self.differs([after["level"]], "%s, was %s" % (told(after), told(before)))
        if before["verdict"] == after["verdict"] == "violation":
            self.growth.append(len(example(after)["transactions"])
                               - len(example(before)["transactions"]))

    def verify(self, levels, options, proof, status):
        command = [new, "verify", *options, self.history, proof]
        if not os.path.exists(proof):
            self.differs(levels, "NEW wrote no proof")
        elif subprocess.run(command, capture_output=True).returncode != status:
            self.differs(levels, "NEW does not verify its proof")
        else:
            self.proofs += 1


found = [h for path in [sys.argv[1], *sys.argv[4:]] for h in histories(path)]
with ThreadPoolExecutor(2) as pool:
    done = list(pool.map(Comparison, found))
for c in done:
    print("\n".join(c.notes + c.differences), end="\n" if c.notes + c.differences else "")
    if any(n > 0 for n in c.growth):
        print("%s: counterexamples are larger by %s"
              % (c.history, ", ".join(str(n) for n in c.growth if n > 0)))
growth = [n for c in done for n in c.growth]
larger = [n for n in growth if n > 0]
different = sum(len(c.differences) for c in done)
print("%d histories at %d levels: %d differences; %d proofs verified; "
      "%d of %d counterexamples are larger"
      % (len(found), len(LEVELS), different, sum(c.proofs for c in done),
         len(larger), len(growth)))
too_large = max(larger, default=0) > 2 or 20 * len(larger) > len(growth)
sys.exit(1 if different or too_large else 0)
END_OF_PYTHON
