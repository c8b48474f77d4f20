// SPDX-License-Identifier: GPL-3.0-or-later
// The append workload: lists stay short, and none of them stays unread.
#include "config.h"

#include "tests/tap.h"
#include "workload/planner.h"

#include <math.h>

enum { SESSIONS = 6, LISTS = 100000 };

static struct workload_options defaults(void) {
  struct workload_options options;
  workload_defaults(&options);
  options.seed = 7;
  return options;
}

// Runs all sessions of an append workload, with session s as fast as
// transactions[s] says; counts the appends to each list.  Returns the number of
// keys that were used.
static uint64_t append_all(const struct workload_options *options,
                           const uint64_t *transactions, uint32_t *appends) {
  const struct workload *append = &workload_append;
  uint64_t nlists = 0;
  for (uint32_t s = 0; s < SESSIONS; s++) {
    void *state = append->open(options, s);
    uint64_t low = 0;
    for (uint64_t i = 0; i < transactions[s]; i++) {
      struct plan plan;
      append->next(state, &plan);
      for (uint32_t j = 0; j < plan.nops; j++) {
        uint64_t key = plan.ops[j].key;
        // The window has nkeys keys and never slides back.
        low = key >= options->nkeys + low ? key - options->nkeys + 1 : low;
        CHECK(key >= low && key < LISTS);
        nlists = key >= nlists ? key + 1 : nlists;
        appends[key] += op_writes(plan.ops[j].kind);
      }
    }
    append->close(state);
  }
  return nlists;
}

static void append_lists_stay_short(void) {
  static const uint64_t same[] = {2000, 2000, 2000, 2000, 2000, 2000};
  static const uint64_t apart[] = {100, 3000, 1500, 2000, 5, 2500};
  static uint32_t appends[LISTS];
  for (int d = 0; d < DISTRIBUTION_COUNT; d++)
    for (int run = 0; run < 4; run++) {
      struct workload_options o = defaults();
      o.nsessions = SESSIONS;
      o.distribution = d;
      o.nkeys = run < 2 ? 100 : 1;
      memset(appends, 0, sizeof appends);
      uint64_t nlists = append_all(&o, run % 2 ? apart : same, appends);
      uint32_t longest = 0;
      double sum = 0;
      for (uint64_t k = 0; k < nlists; k++) {
        longest = appends[k] > longest ? appends[k] : longest;
        sum += appends[k];
      }
      CHECK(longest <= 3 * o.max_length);
      // The lists before the last window have had all of their appends.
      if (run % 2 == 0)
        CHECK(fabs(sum / (double)(nlists - o.nkeys) - o.max_length) < 4);
    }
}

static void sessions_stay_within_a_part_of_the_window(void) {
  struct workload_options o = defaults();
  o.nsessions = SESSIONS;
  const uint64_t lead = workload_append.lead(&o);
  // Half of the operations append, and a key has max_length of all sessions'.
  const double slide = 0.5 * o.ops * SESSIONS / o.max_length;
  CHECK(lead > 1 && (double)lead * slide <= (double)o.nkeys / 10);
  o.nkeys = 1;
  CHECK(workload_append.lead(&o) >= 1);
  o.read_ratio = 1;
  CHECK(workload_append.lead(&o) > lead);
}

static void append_closing_reads_every_list_once(void) {
  static const uint64_t none[SESSIONS] = {0};
  static const uint64_t some[SESSIONS] = {300, 0, 20, 200, 1, 500};
  static uint32_t appends[LISTS], reads[LISTS];
  const struct workload *append = &workload_append;
  struct workload_options o = defaults();
  o.nsessions = SESSIONS;
  append_all(&o, some, appends);
  void *state = append->open(&o, 0);
  struct plan plan;
  while (append->closing(state, some, &plan)) {
    CHECK(plan.nops >= 1 && plan.nops <= 8);
    CHECK_STR(append->shapes[plan.shape].name, "ro");
    for (uint32_t i = 0; i < plan.nops; i++) {
      CHECK_INT(plan.ops[i].kind, OP_READ_LIST);
      reads[plan.ops[i].key]++;
    }
  }
  CHECK(!append->closing(state, some, &plan));
  append->close(state);
  int wrong = 0, read = 0;
  for (int k = 0; k < LISTS; k++) {
    wrong += reads[k] != (appends[k] > 0);
    read += reads[k];
  }
  CHECK_INT(wrong, 0);
  CHECK(read > 100);
  state = append->open(&o, 0);
  CHECK(!append->closing(state, none, &plan));
  append->close(state);
}

int main(void) {
  return TAP_RUN({"append lists stay short", append_lists_stay_short},
                 {"sessions stay within a part of the window",
                  sessions_stay_within_a_part_of_the_window},
                 {"append closing reads every list once",
                  append_closing_reads_every_list_once});
}
