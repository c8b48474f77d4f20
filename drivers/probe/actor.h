// SPDX-License-Identifier: GPL-3.0-or-later
// A session that is told each of its calls, in a thread of its own: a call that
// waits for another session stops nobody.
#ifndef DRIVERS_PROBE_ACTOR_H
#define DRIVERS_PROBE_ACTOR_H

#include "drivers/driver.h"

#include <pthread.h>

enum probe_call {
  CALL_BEGIN,
  CALL_GET,
  CALL_PUT,
  CALL_LIST,
  CALL_APPEND,
  CALL_CAS,
  CALL_COMMIT,
  CALL_ROLLBACK,
  CALL_JOB
};

// How a call stands that was waited for.
enum probe_answer { ANSWER_OK, ANSWER_FAILED, ANSWER_WAITS };

// Many calls of one session.
typedef void probe_job(struct connection *connection, void *context);

struct probe_actor {
  struct target *target;
  struct connection *connection; // NULL: none
  uint32_t session;
  bool open; // a transaction
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool busy, quits; // has a call to perform; is to end
  enum probe_call call;
  const struct driver_level *level;
  uint64_t key, value;    // of the call; of CALL_GET, what was read
  uint64_t expected;      // of CALL_CAS: what it replaces; then what it found
  struct value_list list; // that CALL_LIST read
  probe_job *job;         // of CALL_JOB
  void *context;
  enum outcome outcome;
};

// Connects, and starts the thread.  -1 with a sentence.
int probe_actor_start(struct probe_actor *actor, struct target *target,
                      uint32_t session, struct error *error);
// Waits for its call to end, disconnects.
void probe_actor_end(struct probe_actor *actor);
// Disconnects and connects again.  -1 with a sentence.
int probe_actor_renew(struct probe_actor *actor, struct error *error);

// Tells it a call; it has none.
void probe_tell(struct probe_actor *actor, enum probe_call call,
                const struct driver_level *level, uint64_t key, uint64_t value);
// Tells it to perform a job, which leaves no transaction open; it has no call.
void probe_tell_job(struct probe_actor *actor, probe_job *job, void *context);
// Waits so many ns at most for the call to end.
enum probe_answer probe_await(struct probe_actor *actor, uint64_t patience);

#endif
