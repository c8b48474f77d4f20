// SPDX-License-Identifier: GPL-3.0-or-later
// The hosts of a target that lists several,
// SCHEME://USER@HOST:PORT,HOST:PORT/X, each opened as a target of its own, so
// that drivers know of one host only.
#ifndef DRIVERS_ENDPOINTS_H
#define DRIVERS_ENDPOINTS_H

#include "drivers/driver.h"

enum { ENDPOINTS_MOST = 16 };

struct endpoints {
  uint32_t count;                         // at least 1 when open
  struct target *targets[ENDPOINTS_MOST]; // the first one is set up
  char *names[ENDPOINTS_MOST]; // HOST:PORT as typed; "" if the target
                               // names none
};

// Which host a session speaks to.
struct instrument;

enum routing {
  ROUTING_PIN,      // session I always to host I modulo their number
  ROUTING_HOP,      // to the next host at each attempt at a transaction
  ROUTING_RANDOM,   // to any host at each attempt
  ROUTING_REPLICAS, // transactions that only read go to one of the hosts after
                    // the first, the others to the first
  ROUTING_PRIMARY,  // all to one host, from the first on: if it is lost, to the
                    // next one that takes writes
  ROUTING_COUNT
};

// "pin", "hop", "random", "replica-reads", "primary"; a constant string.
const char *routing_name(enum routing routing);
// 0, or -1 with a sentence that goes after the option's name.
int routing_parse(const char *text, enum routing *routing, struct error *error);

// How many hosts the text lists; 1 if it names none.
uint32_t endpoints_listed(const char *text);

// As target_open (drivers/drivers.h), for each of the hosts.  Only of drivers
// whose places name hosts is a target taken apart.  -1 with a sentence and
// nothing left open.
int endpoints_open(const char *text, const struct driver *loaded,
                   const char *const *extra, uint32_t nsessions, uint64_t seed,
                   struct endpoints *endpoints, struct error *error);
// All connections are closed by then; one that is zeroed may be closed.
void endpoints_close(struct endpoints *endpoints);

// The least that a level promises on any of the hosts (drivers/drivers.h).
enum isolation endpoints_claim(const struct endpoints *endpoints,
                               const struct driver_level *level);

// Waits until the hosts after the first have received what setup made there.
// `endpoints` NULL: there are none.  With `first` the first one is waited for,
// too, since another process has set it up.  -1 with a sentence that names the
// host that did not.
int endpoints_await(const struct endpoints *endpoints,
                    const struct keyspace *keys, bool first,
                    struct error *error);
// Waits for the tables of an instrument, which has `follow`.
int endpoints_await_own(const struct endpoints *endpoints,
                        const struct instrument *instrument,
                        struct error *error);

#endif
