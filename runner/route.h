// SPDX-License-Identifier: GPL-3.0-or-later
// Which host of the target a session speaks to, and the count of it.  With one
// host there is nothing to choose.
#ifndef RUNNER_ROUTE_H
#define RUNNER_ROUTE_H

#include "runner/runner.h"

#include <gsl/gsl_rng.h>

struct endpoint_count {
  uint64_t begun, ended[OUTCOME_COUNT];
};

// One session's way.
struct route {
  uint32_t nhosts, session;
  enum routing routing;
  uint32_t host;   // where it is
  gsl_rng *random; // for ROUTING_RANDOM
  struct endpoint_count count[ENDPOINTS_MOST];
};

void route_init(struct route *route, const struct run_options *options,
                uint32_t session);
void route_fini(struct route *route);

// Will the session ever speak to this host?  With ROUTING_REPLICAS it is the
// first one and one of the others.
bool route_leads_to(const struct route *route, uint32_t host);

// Can it go to the first host, or to the one that takes writes, where closing
// plans are executed?
bool route_closes(const struct route *route);

// Goes to the host of the next attempt.  Closing plans look at the state of the
// database as a whole, and so go to the first host, or stay where writes go.
void route_next(struct route *route, bool reads_only, bool closing);

// After the host could not be reached: goes to the next one and returns true,
// or returns false if the route insists on it.
bool route_detour(struct route *route);

// Makes room for the figures of all hosts, if there are several, and adds those
// of one session.
void route_figures_init(struct run_figures *figures,
                        const struct run_options *options);
void route_merge(struct run_figures *into, const struct route *route);

#endif
