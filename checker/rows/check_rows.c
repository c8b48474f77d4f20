// SPDX-License-Identifier: GPL-3.0-or-later
// From a history with rows to a verdict (checker/rows/check_rows.h).
#include "config.h"

#include "checker/rows/check_rows.h"

#include <stdio.h>

static void count_outcomes(const struct history *h,
                           struct verdict_counts *counts) {
  for (uint32_t t = 0; t < h->ntxns; t++) {
    counts->committed += h->outcome[t] == OUTCOME_OK;
    counts->aborted += h->outcome[t] == OUTCOME_ABORTED;
    counts->unknown += h->outcome[t] == OUTCOME_UNKNOWN;
  }
  counts->operations = h->nops;
}

int check_rows(const struct history *history,
               const struct check_options *options, struct verdict *verdict,
               struct error *error) {
  (void)error;
  *verdict = (struct verdict){.kind = VERDICT_UNDECIDED,
                              .level = options->level,
                              .mixed = options->recorded,
                              .session_order = options->session_order,
                              .real_time = options->real_time,
                              .op = UINT32_MAX,
                              .other_op = UINT32_MAX};
  count_outcomes(history, &verdict->counts);
  snprintf(verdict->why, sizeof verdict->why,
           "the conditions of SQL statements are not decided yet");
  return 0;
}
