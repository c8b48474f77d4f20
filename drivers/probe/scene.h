// SPDX-License-Identifier: GPL-3.0-or-later
// A probe at work: its sessions, what the check at hand found, and the calls
// that checks are made of.
#ifndef DRIVERS_PROBE_SCENE_H
#define DRIVERS_PROBE_SCENE_H

#include "base/clock.h"
#include "drivers/probe/actor.h"
#include "drivers/probe/probe.h"

enum { PROBE_SESSIONS = 8, PROBE_KEYS = 32 };

// After so long a call is one that waits for another session...
#define PROBE_WAITS (NS_PER_SECOND / 2)
// ...and one that waits for nobody has to be answered within this.
#define PROBE_PATIENCE (60 * NS_PER_SECOND)
// Eight sessions at once are given this long; most stores need a part of it.
#define PROBE_CROWD_TIME (5 * NS_PER_SECOND)

struct probe {
  struct target *target;
  const struct driver *driver;
  const struct driver_level *level; // of checks of no level in particular
  struct probe_actor actors[PROBE_SESSIONS];
  uint32_t nactors, nsessions; // that are open; that there are to be
  uint64_t values;             // that were used; none is used twice
  struct probe_said *said;     // of the check at hand
  bool stuck; // some call does not come back: no check can follow
  const volatile sig_atomic_t *stop; // a signal: the check is given up
  uint32_t *nended; // checks of all stages so far; NULL: nobody counts
};

static inline bool probe_is_stopped(const struct probe *probe) {
  return *probe->stop;
}

// A value that the store has not held.
uint64_t probe_fresh(struct probe *probe);

// These end a check that has found something.
void probe_fail(struct probe *probe, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void probe_look(struct probe *probe, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void probe_skip(struct probe *probe, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// One call of a session at the level at hand; waits for PROBE_WAITS only.
enum probe_answer probe_try(struct probe *probe, uint32_t actor,
                            enum probe_call call, uint64_t key, uint64_t value);
// A call that waits for nobody: false, and the check has failed, if it does, or
// is given up.  Whether it took effect is in `answer`.
bool probe_end_call(struct probe *probe, uint32_t actor,
                    enum probe_answer *answer);
// A call that nothing can refuse: else the check has failed.
bool probe_must(struct probe *probe, uint32_t actor, enum probe_call call,
                uint64_t key, uint64_t value);

// A transaction of one read or one write, again while it is refused.  False,
// and the check has failed, if it never commits.
bool probe_read(struct probe *probe, uint32_t actor, uint64_t key,
                uint64_t *value);
bool probe_write(struct probe *probe, uint32_t actor, uint64_t key,
                 uint64_t value);
bool probe_append(struct probe *probe, uint32_t actor, uint64_t key,
                  uint64_t value);
// For lists; the session then has what it read.
bool probe_read_list(struct probe *probe, uint32_t actor, uint64_t key);

// Two sessions begin at this level.  False, and the check is skipped, if only
// one transaction can be open.
bool probe_both(struct probe *probe, const struct driver_level *level);
// Ends what both sessions do: A by a rollback, after which B cannot wait.
void probe_roll_both_back(struct probe *probe);

// The promise of a level on this server.
enum isolation probe_claim(const struct probe *probe,
                           const struct driver_level *level);

// Rolls back what is open, and replaces connections that broke.
void probe_clear(struct probe *probe);

// Opens the sessions.  -1 with a sentence.
int probe_open_sessions(struct probe *probe, struct error *error);
// Closes them.  False: it was stopped, and a call is still under way, so that
// the probe, its target and its sessions have to stay.
bool probe_close_sessions(struct probe *probe);

// The level that promises least of those at which a session sees what it
// committed; or the strongest one.  Sessions that have nothing in common wait
// least for each other there.
const struct driver_level *probe_lightest_level(const struct probe *probe);

// Performs a job in all sessions at once; `contexts` are of so many bytes each.
// False, and the check has failed, if one does not end, or is given up.
bool probe_at_once(struct probe *probe, probe_job *job, void *contexts,
                   size_t bytes);

// ---- The checks

typedef void probe_check(struct probe *probe);
probe_check probe_setup, probe_kept, probe_large, probe_own, probe_rollback,
    probe_session_end, probe_all_closed;
probe_check probe_uncommitted, probe_apart, probe_waiting, probe_after_failure,
    probe_level_names;
probe_check probe_crowd;
probe_check probe_second_setup;
probe_check probe_cas, probe_cas_absent, probe_cas_rollback;
probe_check probe_list, probe_list_new, probe_list_own, probe_list_rollback,
    probe_list_uncommitted, probe_list_long, probe_list_crowd;
typedef void probe_level_check(struct probe *probe,
                               const struct driver_level *level);
probe_level_check probe_outcomes, probe_race;

#endif
