// SPDX-License-Identifier: GPL-3.0-or-later
// Checks with eight sessions at once (drivers/probe/scene.h).
#include "config.h"

#include "drivers/probe/scene.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

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
  uint32_t session, rounds;
  uint64_t key, base; // values are base + round
  struct replaced done[APART_ROUNDS];
  pthread_t thread;
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

static void *race_on(void *context) {
  struct racer *racer = context;
  struct connection *c = racer->probe->actors[racer->session].connection;
  for (uint32_t i = 0; i < racer->rounds; i++) {
    struct replaced *r = &racer->done[i];
    *r =
        (struct replaced){.wrote = racer->base + i, .outcome = OUTCOME_ABORTED};
    if (!c->broken)
      r->outcome = replace_once(racer, c, r);
  }
  return NULL;
}

// All sessions at once; those whose thread cannot be started stand by.
static void race_all(struct racer racers[PROBE_SESSIONS]) {
  bool started[PROBE_SESSIONS] = {0};
  for (uint32_t i = 0; i < PROBE_SESSIONS; i++)
    started[i] = !pthread_create(&racers[i].thread, NULL, race_on, &racers[i]);
  for (uint32_t i = 0; i < PROBE_SESSIONS; i++)
    if (started[i])
      pthread_join(racers[i].thread, NULL);
    else
      racers[i].rounds = 0;
}

static void make_racers(struct racer racers[PROBE_SESSIONS],
                        struct probe *probe, const struct driver_level *level,
                        uint32_t rounds) {
  for (uint32_t i = 0; i < PROBE_SESSIONS; i++) {
    racers[i] = (struct racer){.probe = probe,
                               .level = level,
                               .session = i,
                               .rounds = rounds,
                               .base = probe->values + 1};
    probe->values += rounds;
  }
}

// A session alone uses its key.
void probe_crowd(struct probe *probe) {
  struct racer racers[PROBE_SESSIONS];
  make_racers(racers, probe, probe->level, APART_ROUNDS);
  for (uint32_t i = 0; i < PROBE_SESSIONS; i++)
    racers[i].key = KEY_CROWD + i;
  race_all(racers);
  for (uint32_t i = 0; i < PROBE_SESSIONS; i++) {
    uint64_t last = 0;
    for (uint32_t n = 0; n < racers[i].rounds; n++) {
      const struct replaced *r = &racers[i].done[n];
      if (r->outcome == OUTCOME_UNKNOWN)
        break;
      if (r->outcome != OUTCOME_OK)
        continue;
      if (r->read != last) {
        probe_fail(probe,
                   "session %u alone uses key %" PRIu64 ", committed %" PRIu64
                   ", and reads %" PRIu64
                   ": answers get mixed up, commits are lost, or reads are not "
                   "of the open transaction",
                   i, racers[i].key, last, r->read);
        return;
      }
      last = r->wrote;
    }
  }
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
  struct racer racers[PROBE_SESSIONS];
  uint32_t committed;
  if (probe_claim(probe, level) < ISOLATION_RC) {
    probe_skip(probe, "the level promises nothing");
    return;
  }
  make_racers(racers, probe, level, RACE_ROUNDS);
  for (uint32_t i = 0; i < PROBE_SESSIONS; i++)
    racers[i].key = KEY_RACE;
  race_all(racers);
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
}
