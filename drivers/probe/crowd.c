// SPDX-License-Identifier: GPL-3.0-or-later
// Checks with eight sessions at once (drivers/probe/scene.h).
#include "config.h"

#include "drivers/probe/scene.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
  KEY_RACE = 2,
  KEY_CROWD = 16, // one for each session, from here on
  APART_ROUNDS = 60,
  RACE_ROUNDS = 30,
  RACES = PROBE_SESSIONS * RACE_ROUNDS
};

// A transaction that read one key and replaced what it held.
struct replaced {
  uint64_t read, wrote;
  enum outcome outcome;
};

struct racer {
  const struct probe *probe;
  const struct driver_level *level;
  uint32_t rounds;
  uint64_t key, base; // values are base + round
  uint64_t until;     // when no round begins any more
  struct replaced done[APART_ROUNDS];
};

// One transaction on the session's own connection.
static enum outcome replace_once(const struct racer *racer,
                                 struct connection *c, struct replaced *r) {
  const struct driver *driver = racer->probe->driver;
  enum outcome outcome = driver->begin(c, racer->level);
  if (outcome == OUTCOME_OK)
    outcome = driver->get(c, racer->key, &r->read);
  if (outcome == OUTCOME_OK)
    outcome = driver->put(c, racer->key, r->wrote);
  if (outcome == OUTCOME_OK)
    return driver->commit(c);
  if (!c->broken)
    driver->rollback(c);
  return outcome;
}

static void race_on(struct connection *c, void *context) {
  struct racer *racer = context;
  for (uint32_t i = 0; i < racer->rounds; i++) {
    struct replaced *r = &racer->done[i];
    *r =
        (struct replaced){.wrote = racer->base + i, .outcome = OUTCOME_ABORTED};
    if (!c->broken && clock_now() < racer->until &&
        !probe_is_stopped(racer->probe))
      r->outcome = replace_once(racer, c, r);
  }
}

// All sessions at once, each with `apart` keys of its own from this one on.
// NULL, and the check has failed, if one does not end, or is given up; what it
// still uses is then not freed.
static struct racer *race_all(struct probe *probe,
                              const struct driver_level *level, uint64_t key,
                              bool apart, uint32_t rounds) {
  struct racer *racers = xcalloc(PROBE_SESSIONS, sizeof *racers);
  for (uint32_t i = 0; i < PROBE_SESSIONS; i++) {
    racers[i] = (struct racer){.probe = probe,
                               .level = level,
                               .rounds = rounds,
                               .key = key + (apart ? i : 0),
                               .base = probe->values + 1,
                               .until = clock_now() + PROBE_CROWD_TIME};
    probe->values += rounds;
  }
  return probe_at_once(probe, race_on, racers, sizeof *racers) ? racers : NULL;
}

// Does a session that alone uses its key read what it committed?
static void judge_apart(struct probe *probe, uint32_t session,
                        const struct racer *racer) {
  uint64_t last = 0;
  for (uint32_t n = 0; n < racer->rounds; n++) {
    const struct replaced *r = &racer->done[n];
    if (r->outcome == OUTCOME_UNKNOWN)
      return;
    if (r->outcome != OUTCOME_OK)
      continue;
    if (r->read != last) {
      probe_fail(probe,
                 "session %u alone uses key %" PRIu64 ", committed %" PRIu64
                 ", and reads %" PRIu64
                 ": answers get mixed up, commits are lost, or reads are not "
                 "of the open transaction",
                 session, racer->key, last, r->read);
      return;
    }
    last = r->wrote;
  }
}

static uint32_t count_committed(const struct racer *racers) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < PROBE_SESSIONS; i++)
    for (uint32_t k = 0; k < racers[i].rounds; k++)
      n += racers[i].done[k].outcome == OUTCOME_OK;
  return n;
}

void probe_crowd(struct probe *probe) {
  struct racer *racers = race_all(probe, probe_lightest_level(probe), KEY_CROWD,
                                  true, APART_ROUNDS);
  if (!racers)
    return;
  for (uint32_t i = 0; i < PROBE_SESSIONS; i++)
    judge_apart(probe, i, &racers[i]);
  if (!count_committed(racers))
    probe_look(probe,
               "none of the transactions of eight sessions committed in %d s, "
               "though each has a key of its own",
               (int)(PROBE_CROWD_TIME / NS_PER_SECOND));
  free(racers);
}

static const struct replaced *find_writer(const struct racer *racers,
                                          uint64_t value) {
  for (uint32_t i = 0; i < PROBE_SESSIONS; i++)
    if (value >= racers[i].base && value < racers[i].base + racers[i].rounds)
      return &racers[i].done[value - racers[i].base];
  return NULL;
}

// Committed transactions that read a value of one that failed, or read what
// another committed one read, too.
static uint32_t count_replaced_twice(struct probe *probe,
                                     const struct racer *racers,
                                     uint32_t *committed) {
  struct replaced all[RACES];
  uint32_t n = 0, twice = 0;
  for (uint32_t i = 0; i < PROBE_SESSIONS; i++)
    for (uint32_t k = 0; k < racers[i].rounds; k++) {
      const struct replaced *r = &racers[i].done[k];
      const struct replaced *writer = find_writer(racers, r->read);
      if (r->outcome != OUTCOME_OK)
        continue;
      if (writer && writer->outcome == OUTCOME_ABORTED)
        probe_fail(probe,
                   "a transaction was reported as failed, and %" PRIu64
                   ", which it wrote, was read by one that committed: report "
                   "as failed only what certainly has no effect",
                   r->read);
      for (uint32_t j = 0; j < n; j++)
        if (all[j].read == r->read) {
          twice++;
          break;
        }
      all[n++] = *r;
    }
  *committed = n;
  return twice;
}

void probe_race(struct probe *probe, const struct driver_level *level) {
  uint32_t committed;
  if (probe_claim(probe, level) < ISOLATION_RC) {
    probe_skip(probe, "the level promises nothing");
    return;
  }
  struct racer *racers = race_all(probe, level, KEY_RACE, false, RACE_ROUNDS);
  if (!racers)
    return;
  const uint32_t twice = count_replaced_twice(probe, racers, &committed);
  if (!committed)
    probe_look(probe, "of %d transactions on one key none committed", RACES);
  else if (twice && probe_claim(probe, level) >= ISOLATION_SI)
    probe_look(probe,
               "%u of %u committed transactions replaced a value that another "
               "one had replaced, and %s is claimed: the store loses updates "
               "(a finding), the level does not arrive, or this driver tries "
               "again by itself, which it must not",
               twice, committed, isolation_name(probe_claim(probe, level)));
  free(racers);
}
