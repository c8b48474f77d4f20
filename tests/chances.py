# SPDX-License-Identifier: GPL-3.0-or-later
# Counts the chances of a history of registers or lists again, from its JSON lines
# and by the words of the manual alone, and holds the report of its check against
# that: chances.py REPORT.json HISTORY.jsonl.  Prints each number that is not
# right, or that all are.
import bisect, collections, json, sys

REFUSALS = {"serialization failure", "write conflict", "deadlock", "lock timeout",
            "statement timeout", "constraint"}


class Txn:
    def __init__(self, line, order):
        self.order, self.session = order, line["session"]
        self.begin, self.end = line.get("begin"), line.get("end")
        self.outcome = line.get("outcome", "committed")
        self.ops = [(o[0] != "r", o[1], o[2], o[0] == "append" or isinstance(o[2], list)) for o in line["ops"]]
        self.counts = self.outcome == "committed"
        reads, self.writes = collections.Counter(), collections.Counter()
        for write, key, value, is_list in self.ops:
            if write:
                self.writes[key] += 1
            elif is_list or not self.writes[key]:
                reads[key] += 1
        self.writes, self.reads = +self.writes, reads
        self.lists = {key for write, key, value, is_list in self.ops if not write and is_list}
        self.left = set(self.writes)
        # The write at which the database ended it was not accepted.
        if self.outcome == "aborted" and line.get("cause") in REFUSALS and self.ops and self.ops[-1][0]:
            if self.writes[self.ops[-1][1]] == 1:
                self.left.discard(self.ops[-1][1])


def values(txn):
    for write, key, value, is_list in txn.ops:
        for one in value if isinstance(value, list) else [value]:
            yield write, key, one


def count_unknown(txns):  # those whose writes were read did commit
    wrote = {(k, v): t for t in txns for write, k, v in values(t) if write and t.outcome == "unknown"}
    todo = [t for t in txns if t.counts]
    while todo:
        for write, key, value in values(todo.pop()):
            writer = wrote.get((key, value))
            if not write and writer and not writer.counts:
                writer.counts = True
                todo.append(writer)


def overlapping(t, sessions):
    for number, (txns, begins, ends) in sessions.items():
        if number != t.session:
            first = bisect.bisect_left(ends, t.begin)
            yield from txns[first:bisect.bisect_right(begins, t.until)]


def pair(t, u, count):
    read = t.reads.keys() & u.writes.keys()
    if t.counts:
        count["AbortedRead"] += u.outcome == "aborted" and not t.reads.keys().isdisjoint(u.left)
        count["IntermediateRead"] += any(u.writes[k] > 1 for k in read)
        count["NonRepeatableReads"] += any(t.reads[k] > 1 for k in read)
        for name in "IncompatibleOrder", "DuplicateElement", "LostElement":
            count[name] += bool(read & t.lists)
    count["NonMonotonicRead"] += len(read) > 1
    count["FracturedRead"] += len(read) > 1
    if t.order < u.order:
        back = u.reads.keys() & t.writes.keys()
        count["G0"] += len(t.writes.keys() & u.writes.keys()) > 1
        count["G1c"] += bool(read and back)
        count["LostUpdate"] += bool(read & back)
        count["WriteSkew"] += any(k != l for k in read for l in back)


def triples(t, met, count):
    met = [(u, t.reads.keys() & u.writes.keys(), t.reads.keys() & u.reads.keys()) for u in met]
    met = [m for m in met if m[1]]
    for i, (u, wrote, read) in enumerate(met):
        for v, writes, reads in met[:i]:
            if u.session != v.session:
                count["LongFork"] += any(k != l for k in wrote for l in writes)
                count["CausalityViolation"] += any(k != l for k in wrote & reads for l in writes) or \
                    any(k != l for k in writes & read for l in wrote)


def singles(t, before, ended, count):
    written, reads = collections.Counter(), collections.Counter()
    for write, key, value, is_list in t.ops:
        if write:
            count["FutureRead"] += reads.pop(key, 0)
            written[key] += 1
            continue
        reads[key] += 1
        count["ThinAirRead"] += 1
        count["NotMyOwnWrite"] += written[key] > 0
        count["NotMyLastWrite"] += written[key] > 1
        count["SessionGuaranteeViolation"] += key in before
        count["StaleRead"] += ended.get(key, t.begin) < t.begin
    before.update(t.writes)


def counted(txns):
    count = collections.Counter()
    by_session, ended = collections.defaultdict(list), {}
    for t in txns:
        by_session[t.session].append(t)
        for key in t.writes if t.counts else ():
            ended[key] = min(ended.get(key, t.end), t.end)
    for own in by_session.values():
        for t, following in zip(own, own[1:] + [None]):
            t.until = min(t.end, following.begin) if following else t.end
    sessions = {number: (own, [t.begin for t in own], [t.until for t in own]) for number, own in by_session.items()}
    for own in by_session.values():
        before = set()
        for t in own:
            if t.counts:
                singles(t, before, ended, count)
            met = list(overlapping(t, sessions))
            for u in met:
                pair(t, u, count)
            triples(t, met, count)
    return count


report = json.load(open(sys.argv[1]))["chances"]
history = [Txn(json.loads(line), i) for i, line in enumerate(open(sys.argv[2])) if '"ops"' in line]
count_unknown(history)
again = counted(history)
chances = wrong = 0
for row in report["anomalies"]:
    name, right = row["anomaly"], again[row["anomaly"]]
    if name == "LostWrite":
        continue  # its definition needs the order of elements
    chances += right
    low, high = row["low"], row["high"]
    if not low <= right <= (right if high is None else high) or report["all"] and low != high:
        print(f"{name}: between {low} and {high}, not {right}")
        wrong += 1
print(f"{'wrong' if wrong else 'right'}: {'some' if chances else 'no'} chances, {'all' if report['all'] else 'a sample'}")
