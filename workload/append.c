// SPDX-License-Identifier: GPL-3.0-or-later
// Appends to lists and reads of whole lists, from which the order of all writes
// to a key follows (Elle).  Since a read returns the whole list, lists must
// stay short: the keys in use are a window of nkeys keys which slides upwards,
// so that keys go beyond nkeys in the course of a run.
//
// A session moves its window by its own count of operations, for a plan may
// depend on nothing else: by one key whenever all sessions, if they are about
// as fast as this one, have appended max_length elements.  A key passes through
// every place of the window for equally long, so whatever the distribution, and
// even if sessions drift apart, each list is left alone after max_length
// appends on average.  The numbers are as good as Poisson distributed: lists of
// twice the length are rare, lists of three times the length do not occur.
// Drift costs contention: sessions that are a whole window apart share no list
// at that time.  So a session that is ahead of others by a small part of the
// window waits for them.
#include "config.h"

#include "workload/planner.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { MIXED, RO };
enum { CLOSING_READS = 8 }; // per closing transaction

enum {                // by how much a session may be ahead of others:
  WINDOW_PARTS = 16,  // one of so many parts of the window...
  MIN_LEAD = 4,       // ...but so many plans at least
  MAX_LEAD = 1 << 20, // without appends the window never slides
};

struct appender {
  struct planner planner;
  double slide;        // keys that the window moves by per operation
  uint64_t operations; // proposed so far

  // For closing: one bit for each key below `nlists` that had appends, and the
  // next key to look at.
  uint64_t *touched;
  uint64_t nlists, next_list;
};

static void *append_open(const struct workload_options *options,
                         uint32_t session) {
  struct appender *appender = xcalloc(1, sizeof *appender);
  struct planner *planner = &appender->planner;
  planner_init(planner, &workload_append, options, session);
  double appends = (1 - planner->options.read_ratio) *
                   gsl_ran_discrete_pdf(MIXED, planner->shapes);
  appender->slide = appends * options->nsessions / options->max_length;
  return appender;
}

static void append_close(void *state) {
  struct appender *appender = state;
  planner_fini(&appender->planner);
  free(appender->touched);
  free(appender);
}

static uint64_t append_lead(const struct workload_options *options) {
  struct appender *appender = append_open(options, 0);
  const double keys = (double)options->nkeys / WINDOW_PARTS;
  const double plans = keys / (appender->slide * options->ops);
  append_close(appender);
  return (uint64_t)fmax(MIN_LEAD, fmin(plans, MAX_LEAD));
}

static uint64_t window_first(const struct appender *appender) {
  return (uint64_t)((double)appender->operations * appender->slide);
}

static void append_next(void *state, struct plan *plan) {
  struct appender *appender = state;
  struct planner *planner = &appender->planner;
  plan_start(plan, planner);
  while (plan->nops < planner->options.ops) {
    uint64_t key = window_first(appender) + keys_draw(planner->keys);
    appender->operations++;
    if (plan->shape == RO)
      plan_add(plan, OP_READ_LIST, key);
    else
      plan_add_mixed(plan, planner, OP_READ_LIST, OP_APPEND, key);
  }
}

static void mark_appends(struct appender *appender, const struct plan *plan) {
  for (uint32_t i = 0; i < plan->nops; i++)
    if (op_writes(plan->ops[i].kind)) {
      uint64_t key = plan->ops[i].key;
      appender->touched[key / 64] |= UINT64_C(1) << key % 64;
    }
}

// Plans depend only on the session and on their number, so they can be made
// again.
static void find_touched(struct appender *appender,
                         const uint64_t *transactions) {
  const struct workload_options *options = &appender->planner.options;
  for (uint32_t s = 0; s < options->nsessions; s++) {
    uint64_t operations = transactions[s] * options->ops;
    uint64_t end =
        (uint64_t)((double)operations * appender->slide) + options->nkeys;
    appender->nlists = end > appender->nlists ? end : appender->nlists;
  }
  appender->touched = xcalloc(appender->nlists / 64 + 1, sizeof(uint64_t));
  for (uint32_t s = 0; s < options->nsessions; s++) {
    struct plan plan;
    struct appender *again = append_open(options, s);
    for (uint64_t i = 0; i < transactions[s]; i++) {
      append_next(again, &plan);
      mark_appends(appender, &plan);
    }
    append_close(again);
  }
}

// Reads every list that may have elements: without this, appends after the last
// read of a list would stay unseen.
static bool append_closing(void *state, const uint64_t *transactions,
                           struct plan *plan) {
  struct appender *appender = state;
  if (!appender->touched)
    find_touched(appender, transactions);
  *plan = (struct plan){.ops = appender->planner.ops, .shape = RO};
  while (appender->next_list < appender->nlists && plan->nops < CLOSING_READS) {
    uint64_t key = appender->next_list++;
    if (appender->touched[key / 64] >> key % 64 & 1)
      plan_add(plan, OP_READ_LIST, key);
  }
  return plan->nops > 0;
}

static const struct shape shapes[] = {
    [MIXED] = {"mixed", 1,
               "each operation reads a whole list or appends to one, by "
               "read-ratio, half and half unless set"},
    [RO] = {"ro", 0,
            "reads of whole lists only; so are the transactions that "
            "read every list at the end of a run"},
    {NULL, 0, NULL},
};

const struct workload workload_append = {
    .name = "append",
    .summary = "transactions of ops operations: appends to lists and reads of "
               "whole lists; lists stay near max-length",
    .shapes = shapes,
    .needs = 1 << OP_READ_LIST | 1 << OP_APPEND,
    .min_keys = 1,
    .lists = true,
    .open = append_open,
    .close = append_close,
    .next = append_next,
    .lead = append_lead,
    .closing = append_closing,
};
