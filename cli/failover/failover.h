// SPDX-License-Identifier: GPL-3.0-or-later
// Failovers of throw-away clusters under load: in how many of them acknowledged
// writes are lost.
#ifndef CLI_FAILOVER_FAILOVER_H
#define CLI_FAILOVER_FAILOVER_H

#include "base/error.h"
#include "report/report.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// A kind of server whose first node is killed.
struct failover_kind {
  const char *name;
  const char *after;        // what follows the crash, as in "0.2 promote 1";
                            // NULL: the database acts by itself
  const char *workloads[3]; // taken in turn, ends with NULL
};

// The table; ends with a NULL name.
extern const struct failover_kind failover_kinds[];

// By name, which may have a version behind "@"; NULL with a sentence.
const struct failover_kind *failover_kind_find(const char *name,
                                               struct error *error);

// One run.  Times in ns.
struct failover_run {
  const char *workload;
  bool promoted; // writes were acknowledged before the crash, and by another
                 // host after it
  uint64_t acknowledged, lost;
  uint32_t transactions; // with a lost write
  uint64_t unknown, took_effect;
  uint64_t silence; // the longest time in which no write was acknowledged
  enum loss loss;
  bool broken; // the level
  char directory[512];
};

struct failover {
  const char *kind;
  const char *settings; // NAME=VALUE, blanks between them; may be empty
  const char *out;      // where runs are kept
  uint64_t seed, time;
  struct failover_run *runs; // owned by the caller
  uint32_t nruns, count;     // asked for, and made
  enum keeps_commits keeps;  // of the first run that says so
  char keeps_words[240], server[256];
};

// Makes run number failover->count and counts it.  -1 with a sentence if the
// server did not start, a fault could not be brought about or the run failed.
int failover_run_next(struct failover *failover,
                      const struct failover_kind *kind, struct error *error);

// The sum of all runs.
struct failover_sum {
  uint32_t promoted, lossy;  // runs with a promotion; of these with lost writes
  double low, high;          // 95 % interval of their share (Clopper-Pearson)
  uint64_t lost, most;       // writes in all, and in one run
  uint64_t silence, longest; // median and longest of the promoted runs
  bool against_promise;
};
void failover_add_up(const struct failover *failover, struct failover_sum *sum);

// A table of the runs and two sentences; and a page of the same.
void failover_put_text(FILE *out, const struct failover *failover);
void failover_put_page(FILE *out, const struct failover *failover);
void failover_put_json(FILE *out, const struct failover *failover);

#endif
