// SPDX-License-Identifier: GPL-3.0-or-later
// From a history with rows to a verdict (checker/rows/check_rows.h).
#include "config.h"

#include "checker/rows/check_rows.h"

#include "checker/rows/by_conditions.h"
#include "checker/rows/decide.h"
#include "checker/rows/show_rows.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/level_rules.h"

static void count_by_outcome(const struct history *h,
                             struct verdict_counts *counts) {
  for (uint32_t t = 0; t < h->ntxns; t++) {
    counts->committed += h->outcome[t] == OUTCOME_OK;
    counts->aborted += h->outcome[t] == OUTCOME_ABORTED;
    counts->unknown += h->outcome[t] == OUTCOME_UNKNOWN;
    if (h->outcome[t] == OUTCOME_OK)
      counts->operations += h->txn_first[t + 1] - h->txn_first[t];
  }
}

static bool has_no_times(const struct history *h,
                         const struct check_options *options) {
  return (options->question.real_time ||
          level_keeps_time(options->question.level)) &&
         !(h->begin && h->end);
}

int check_rows(const struct history *history, const struct check_options *asked,
               struct verdict *verdict, struct error *error) {
  const struct check_options settled = settled_options(history, asked);
  *verdict = verdict_open(&settled.question);
  count_by_outcome(history, &verdict->counts);
  int result = decide_rows(history, &settled, verdict, error);
  if (!result)
    result = rows_find_conditions(history, &settled, verdict, error);
  if (verdict->kind == VERDICT_PASS && has_no_times(history, &settled))
    rows_leave(verdict, "this history has no times to decide real time");
  // Verdicts on registers have no terms of rows.
  verdict->question = settled.question;
  for (uint32_t i = 0; i < verdict->nothers; i++)
    verdict->others[i].question = settled.question;
  return result;
}
