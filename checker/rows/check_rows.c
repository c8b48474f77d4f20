// SPDX-License-Identifier: GPL-3.0-or-later
// From a history with rows to a verdict (checker/rows/check_rows.h).
#include "config.h"

#include "checker/rows/check_rows.h"

#include "base/memory.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/level_rules.h"
#include "checker/verify/referee_rows.h"

#include <stdio.h>

static void count_outcomes(const struct history *h,
                           struct verdict_counts *counts) {
  for (uint32_t t = 0; t < h->ntxns; t++) {
    counts->committed += h->outcome[t] == OUTCOME_OK;
    counts->aborted += h->outcome[t] == OUTCOME_ABORTED;
    counts->unknown += h->outcome[t] == OUTCOME_UNKNOWN;
    if (h->outcome[t] == OUTCOME_OK)
      counts->operations += h->txn_first[t + 1] - h->txn_first[t];
  }
}

static enum referee_answer ask(const struct history *h,
                               const struct check_options *options,
                               enum isolation level, uint32_t *order,
                               uint32_t *norder) {
  const struct referee_rows_options question = {
      .all = {.level = level,
              .levels = options->recorded ? h->level : NULL,
              .session_order = options->session_order,
              .real_time = options->real_time}};
  return referee_rows_decide(h, &question, order, norder);
}

// The part of a violation is all that there is; it breaks `broken`, and no
// weaker level.
static void show_all(const struct history *h,
                     const struct check_options *options, struct verdict *v) {
  uint32_t norder;
  v->anomaly = ANOMALY_PHANTOM;
  v->broken = options->recorded ? v->level : ISOLATION_RC;
  while (v->broken < v->level &&
         ask(h, options, v->broken, NULL, &norder) == REFEREE_KEPT)
    v->broken++;
  v->minimal = v->broken;
  v->part = xmalloc(h->nops * sizeof *v->part);
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t];
         h->outcome[t] != OUTCOME_ABORTED && op < h->txn_first[t + 1]; op++)
      v->part[v->npart++] = op;
}

// Tries everything, if the history is small enough for that.
static void try_all(const struct history *h,
                    const struct check_options *options, struct verdict *v) {
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  const enum referee_answer answer =
      ask(h, options, options->level, order, &norder);
  if (answer == REFEREE_TOO_LARGE) {
    snprintf(v->why, sizeof v->why,
             "SQL statements are decided in histories of at most %d "
             "transactions and %d rows so far",
             REFEREE_ROWS_TXNS, REFEREE_ROWS_KEYS);
    return;
  }
  v->tried = true;
  v->kind = answer == REFEREE_KEPT ? VERDICT_PASS : VERDICT_VIOLATION;
  if (answer == REFEREE_BROKEN) {
    show_all(h, options, v);
    return;
  }
  v->norder = norder;
  v->order = xmalloc(norder * sizeof *v->order);
  for (uint32_t i = 0; i < norder; i++)
    v->order[i] = order[i];
}

static bool lacks_times(const struct history *h,
                        const struct check_options *options) {
  return (options->real_time || level_keeps_time(options->level)) &&
         !(h->begin && h->end);
}

int check_rows(const struct history *history, const struct check_options *asked,
               struct verdict *verdict, struct error *error) {
  (void)error;
  const struct check_options settled = settled_options(history, asked),
                             *options = &settled;
  *verdict = (struct verdict){.kind = VERDICT_UNDECIDED,
                              .level = options->level,
                              .mixed = options->recorded,
                              .session_order = options->session_order,
                              .real_time = options->real_time,
                              .op = UINT32_MAX,
                              .other_op = UINT32_MAX};
  count_outcomes(history, &verdict->counts);
  if (options->level == ISOLATION_NONE)
    snprintf(verdict->why, sizeof verdict->why,
             "level none promises nothing that could be checked");
  else
    try_all(history, options, verdict);
  if (verdict->kind == VERDICT_PASS && lacks_times(history, options)) {
    verdict->kind = VERDICT_UNDECIDED;
    snprintf(verdict->why, sizeof verdict->why,
             "this history has no times to decide real time");
  }
  return 0;
}
