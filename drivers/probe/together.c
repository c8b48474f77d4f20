// SPDX-License-Identifier: GPL-3.0-or-later
// Checks with two open transactions (drivers/probe/scene.h).
#include "config.h"

#include "drivers/probe/scene.h"

#include <inttypes.h>
#include <string.h>

enum {
  KEY_UNCOMMITTED = 8,
  KEY_APART,
  KEY_APART_OTHER,
  KEY_WAITING,
  KEY_PAIR,
  KEY_AFTER,
  KEY_AFTER_OTHER
};

void probe_roll_both_back(struct probe *probe) {
  enum probe_answer answer;
  if (probe_end_call(probe, 0, &answer))
    probe_must(probe, 0, CALL_ROLLBACK, 0, 0);
  if (!probe->stuck && probe_end_call(probe, 1, &answer))
    probe_must(probe, 1, CALL_ROLLBACK, 0, 0);
}

void probe_uncommitted(struct probe *probe) {
  const uint64_t v = probe_fresh(probe);
  if (!probe_both(probe, probe->level))
    return;
  if (probe_must(probe, 0, CALL_PUT, KEY_UNCOMMITTED, v) &&
      probe_try(probe, 1, CALL_GET, KEY_UNCOMMITTED, 0) == ANSWER_OK &&
      probe->actors[1].value == v)
    probe_fail(probe, "another session reads what has not been committed: "
                      "`begin` begins nothing, or sessions share a connection");
  probe_roll_both_back(probe);
}

// A commits beside B, which rolls back; they have nothing in common.
void probe_apart(struct probe *probe) {
  const uint64_t v = probe_fresh(probe), w = probe_fresh(probe);
  enum probe_answer wrote, committed, rest;
  uint64_t before, seen, other;
  if (!probe_read(probe, 0, KEY_APART_OTHER, &before) ||
      !probe_both(probe, probe->level))
    return;
  if (!probe_must(probe, 0, CALL_PUT, KEY_APART, v))
    return;
  wrote = probe_try(probe, 1, CALL_PUT, KEY_APART_OTHER, w);
  probe_tell(&probe->actors[0], CALL_COMMIT, NULL, 0, 0);
  if (!probe_end_call(probe, 0, &committed))
    return;
  if (wrote == ANSWER_WAITS && !probe_end_call(probe, 1, &wrote))
    return;
  probe_tell(&probe->actors[1], CALL_ROLLBACK, NULL, 0, 0);
  if (!probe_end_call(probe, 1, &rest) ||
      !probe_read(probe, 0, KEY_APART, &seen) ||
      !probe_read(probe, 0, KEY_APART_OTHER, &other))
    return;
  if (committed == ANSWER_OK && seen != v)
    probe_fail(probe, "a commit is undone by the rollback of another session: "
                      "sessions share a connection");
  else if (wrote == ANSWER_OK && other != before)
    probe_fail(probe, "a rollback has no effect beside the commit of another "
                      "session: sessions share a connection, or reads are old");
}

void probe_waiting(struct probe *probe) {
  enum probe_answer answer;
  if (!probe_both(probe, probe->level) ||
      !probe_must(probe, 0, CALL_PUT, KEY_WAITING, probe_fresh(probe)))
    return;
  if (probe_try(probe, 1, CALL_PUT, KEY_WAITING, probe_fresh(probe)) !=
      ANSWER_WAITS) {
    probe_roll_both_back(probe);
    return;
  }
  probe_tell(&probe->actors[0], CALL_COMMIT, NULL, 0, 0);
  if (probe_await(&probe->actors[0], 3 * NS_PER_SECOND) == ANSWER_WAITS)
    probe_fail(probe, "while one session waits, the commit of another is not "
                      "answered: use asynchronous calls, or one process for "
                      "each session");
  if (probe_end_call(probe, 0, &answer) && probe_end_call(probe, 1, &answer))
    probe_must(probe, 1, CALL_ROLLBACK, 0, 0);
}

// B's write conflicts with A's; what B writes then must go with its rollback.
void probe_after_failure(struct probe *probe) {
  const uint64_t v = probe_fresh(probe), w = probe_fresh(probe),
                 x = probe_fresh(probe);
  enum probe_answer answer, wrote;
  uint64_t seen;
  if (!probe_both(probe, probe->level) ||
      !probe_must(probe, 1, CALL_GET, KEY_AFTER, 0))
    return;
  if (probe_try(probe, 0, CALL_PUT, KEY_AFTER, v) == ANSWER_WAITS ||
      probe_try(probe, 0, CALL_COMMIT, 0, 0) == ANSWER_WAITS) {
    probe_skip(probe, "who reads keeps others from writing");
    probe_tell(&probe->actors[1], CALL_ROLLBACK, NULL, 0, 0);
    if (probe_end_call(probe, 1, &answer))
      probe_end_call(probe, 0, &answer);
    return;
  }
  probe_tell(&probe->actors[1], CALL_PUT, NULL, KEY_AFTER, w);
  if (!probe_end_call(probe, 1, &wrote))
    return;
  const bool refused =
      wrote == ANSWER_FAILED && !probe->actors[1].connection->broken;
  if (refused) {
    probe_tell(&probe->actors[1], CALL_PUT, NULL, KEY_AFTER_OTHER, x);
    if (!probe_end_call(probe, 1, &answer))
      return;
  }
  probe_clear(probe);
  if (refused && probe_read(probe, 0, KEY_AFTER_OTHER, &seen) && seen == x)
    probe_look(probe, "a write after a failure, before the rollback, took "
                      "effect by itself; isostress always rolls back, an "
                      "application may not");
}

void probe_level_names(struct probe *probe) {
  static const struct driver_level none = {"no such level", ISOLATION_NONE};
  enum probe_answer answer;
  if (!probe->driver->started_by || !probe->driver->levels[1].name) {
    probe_skip(probe, "levels do not come as names, or there is one only");
    return;
  }
  probe_tell(&probe->actors[0], CALL_BEGIN, &none, 0, 0);
  if (probe_end_call(probe, 0, &answer) && answer == ANSWER_OK)
    probe_fail(probe, "the level \"no such level\" is accepted: then others "
                      "may be ignored, too");
}

// ---- Two that read one key and replace it

enum pair_end { PAIR_OPEN, PAIR_COMMITTED, PAIR_FAILED, PAIR_UNKNOWN };

struct pair {
  struct probe *probe;
  uint64_t value[2]; // that each writes
  enum pair_end end[2];
  uint64_t read[2]; // before that, perhaps late
  bool late[2];     // the last call was not answered at once
  bool partial;     // a call was so late that the next one was left out
};

// The call of this session has ended; so has its transaction, if it failed.
static bool take_end(struct pair *pair, uint32_t i) {
  enum probe_answer answer;
  struct probe_actor *a = &pair->probe->actors[i];
  if (!probe_end_call(pair->probe, i, &answer))
    return false;
  if (a->call == CALL_COMMIT)
    pair->end[i] = a->outcome == OUTCOME_OK        ? PAIR_COMMITTED
                   : a->outcome == OUTCOME_ABORTED ? PAIR_FAILED
                                                   : PAIR_UNKNOWN;
  else if (answer == ANSWER_FAILED && a->call != CALL_ROLLBACK) {
    pair->end[i] = a->outcome == OUTCOME_UNKNOWN ? PAIR_UNKNOWN : PAIR_FAILED;
    probe_tell(a, CALL_ROLLBACK, NULL, 0, 0);
    return probe_end_call(pair->probe, i, &answer);
  }
  return true;
}

static bool is_waiting(const struct pair *pair, uint32_t i) {
  return probe_await(&pair->probe->actors[i], 0) == ANSWER_WAITS;
}

// Performs a call unless the transaction has ended or waits.
static bool step(struct pair *pair, uint32_t i, enum probe_call call) {
  if (pair->end[i] != PAIR_OPEN)
    return true;
  if (is_waiting(pair, i)) {
    pair->partial = true;
    return true;
  }
  if (pair->late[i] && !take_end(pair, i))
    return false;
  pair->late[i] = false;
  if (pair->end[i] != PAIR_OPEN)
    return true; // the call that was late has failed
  if (call == CALL_PUT)
    pair->read[i] = pair->probe->actors[i].value;
  pair->late[i] =
      probe_try(pair->probe, i, call, KEY_PAIR, pair->value[i]) == ANSWER_WAITS;
  return pair->late[i] || take_end(pair, i);
}

// Commits who does not wait first, after which the other one does not, either.
static bool end_pair(struct pair *pair) {
  for (uint32_t round = 0; round < 2; round++)
    for (uint32_t i = 0; i < 2; i++)
      if (pair->end[i] == PAIR_OPEN && !is_waiting(pair, i) &&
          !step(pair, i, CALL_COMMIT))
        return false;
  for (uint32_t i = 0; i < 2; i++)
    if (pair->end[i] == PAIR_OPEN &&
        (!take_end(pair, i) || !step(pair, i, CALL_COMMIT) ||
         (pair->end[i] == PAIR_OPEN && !take_end(pair, i))))
      return false;
  return true;
}

// Both by turns, or one after the other, each with what it read before.
static bool perform_pair(struct pair *pair, bool by_turns) {
  bool ok = step(pair, 0, CALL_GET) && step(pair, 1, CALL_GET) &&
            step(pair, 0, CALL_PUT);
  if (ok && !by_turns)
    ok = step(pair, 0, CALL_COMMIT);
  return ok && step(pair, 1, CALL_PUT) && end_pair(pair);
}

// Whose value is there must be one that was committed.
static void judge_pair(struct pair *pair) {
  bool committed = false, explained = false;
  uint64_t seen;
  if (!probe_read(pair->probe, 2, KEY_PAIR, &seen))
    return;
  for (int i = 0; i < 2; i++) {
    if (seen == pair->value[i] && pair->end[i] == PAIR_FAILED)
      probe_fail(pair->probe,
                 "a transaction failed, and %" PRIu64
                 ", which it wrote, is there: report as failed only what "
                 "certainly has no effect",
                 seen);
    committed |= pair->end[i] == PAIR_COMMITTED;
    explained |= seen == pair->value[i];
  }
  if (committed && !explained)
    probe_fail(pair->probe,
               "%" PRIu64 " was committed, and %" PRIu64
               " is there: a failure is not reported, or values are lost",
               pair->value[pair->end[1] == PAIR_COMMITTED], seen);
}

void probe_outcomes(struct probe *probe, const struct driver_level *level) {
  enum { PAIRS = 30 };
  const uint64_t enough = clock_now() + 5 * NS_PER_SECOND;
  uint32_t lost = 0, pairs = 0;
  if (probe_claim(probe, level) < ISOLATION_RC) {
    probe_skip(probe, "the level promises nothing");
    return;
  }
  while (pairs < PAIRS && (pairs < 2 || clock_now() < enough) &&
         !probe_is_stopped(probe) && probe->said->result == PROBE_PASSED) {
    struct pair pair = {.probe = probe,
                        .value = {probe_fresh(probe), probe_fresh(probe)}};
    if (!probe_both(probe, level) || !perform_pair(&pair, pairs++ % 2 == 0))
      return;
    judge_pair(&pair);
    lost += !pair.partial && pair.read[0] == pair.read[1] &&
            pair.end[0] == PAIR_COMMITTED && pair.end[1] == PAIR_COMMITTED;
  }
  if (lost && probe_claim(probe, level) >= ISOLATION_SI)
    probe_look(probe,
               "in %u of %u pairs both replaced the value that both had read, "
               "and %s is claimed: the store loses updates (a finding), the "
               "level does not arrive, or this driver tries again by itself, "
               "which it must not",
               lost, pairs, isolation_name(probe_claim(probe, level)));
}
