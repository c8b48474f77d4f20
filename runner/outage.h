// SPDX-License-Identifier: GPL-3.0-or-later
// Tells the person at the terminal that sessions lost their connections, and
// that all have one again.
#ifndef RUNNER_OUTAGE_H
#define RUNNER_OUTAGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

// Shared by the sessions of a run.
struct outage {
  pthread_mutex_t mutex;
  uint32_t without; // sessions that have no connection
  bool told;        // that some have none
  uint64_t told_at; // the last time, by clock_now; 0: never
};

void outage_init(struct outage *outage);
void outage_fini(struct outage *outage);

// A session is without a connection from now on, for this reason in the
// database's words.  Of an outage the first session is told, and no other
// outage within OUTAGE_SILENCE seconds: a server may drop connections all the
// time.
enum { OUTAGE_SILENCE = 10 };
void outage_begin(struct outage *outage, uint32_t session, const char *why);

// Such a session goes on, or ends for want of a connection.
void outage_end(struct outage *outage, bool connected);

#endif
