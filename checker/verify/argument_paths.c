// SPDX-License-Identifier: GPL-3.0-or-later
// The paths of an argument (checker/verify/argument_reading.h): from event to
// event by steps that hold.
#include "config.h"

#include "checker/verify/argument_reading.h"

#include <assert.h>

// Is it one event, or a snapshot and its commit?
static bool steps_lead_to(const struct argument_reading *r, uint32_t event,
                          uint32_t other) {
  return event == other || (event % 2 == 0 && other == event + 1 &&
                            txn_of_event(event) < r->h->ntxns);
}

bool argument_may_use(const struct argument_reading *r, uint32_t s) {
  return s < r->at && (!r->in_lemma[s] || (r->inside && s >= r->scope)) &&
         r->argument->steps[s].why != REASON_CONTRADICTION;
}

// Walks along the path from *i on until it has led from one event to the other;
// -1 if it does not.
int argument_walk(const struct argument_reading *r,
                  const struct inference *step, uint32_t *i, uint32_t from,
                  uint32_t to) {
  uint32_t event = from;
  assert(*i <= step->end && step->end <= r->argument->npath);
  while (!steps_lead_to(r, event, to)) {
    if (*i == step->end)
      return -1;
    const uint32_t s = r->argument->path[(*i)++];
    if (!argument_may_use(r, s) ||
        !steps_lead_to(r, event, r->argument->steps[s].from))
      return -1;
    event = r->argument->steps[s].to;
  }
  return 0;
}

// Does the whole path lead from one event to the other?
bool argument_leads(const struct argument_reading *r,
                    const struct inference *step, uint32_t from, uint32_t to) {
  uint32_t i = step->first;
  return !argument_walk(r, step, &i, from, to) && i == step->end;
}
