// SPDX-License-Identifier: GPL-3.0-or-later
// From a history with rows to a verdict (checker/rows/check_rows.h).
#include "config.h"

#include "checker/rows/check_rows.h"

#include "base/memory.h"
#include "checker/rows/engine.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/level_rules.h"
#include "checker/verify/referee_rows.h"
#include "checker/verify/replay_rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

// Tries everything; false if the history is too large for that.
static bool try_all(const struct history *h,
                    const struct check_options *options, struct verdict *v) {
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  const enum referee_answer answer =
      ask(h, options, options->level, order, &norder);
  if (answer == REFEREE_TOO_LARGE)
    return false;
  v->tried = true;
  v->kind = answer == REFEREE_KEPT ? VERDICT_PASS : VERDICT_VIOLATION;
  if (answer == REFEREE_BROKEN) {
    show_all(h, options, v);
    return true;
  }
  v->norder = norder;
  v->order = xmalloc(norder * sizeof *v->order);
  for (uint32_t i = 0; i < norder; i++)
    v->order[i] = order[i];
  return true;
}

// --- What is not tiny.

static void __attribute__((format(printf, 2, 3)))
leave(struct verdict *v, const char *format, ...) {
  va_list args;
  va_start(args, format);
  v->kind = VERDICT_UNDECIDED;
  vsnprintf(v->why, sizeof v->why, format, args);
  va_end(args);
}

// Is there a transaction in doubt of which nobody saw what it wrote?
static bool has_open_doubt(const struct history *h, const uint8_t *counted) {
  bool open = false;
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t];
         h->outcome[t] == OUTCOME_UNKNOWN && !counted[t] && !open &&
         op < h->txn_first[t + 1];
         op++)
      open = op_writes(h->kind[op]);
  return open;
}

// The order that was found keeps the level of the options, or a stronger one.
static int keep(const struct history *h, const struct history *registers,
                const uint8_t *counted, const struct check_options *options,
                struct rows_decision *d, struct verdict *v,
                struct error *error) {
  v->kind = VERDICT_PASS;
  v->norder = d->norder;
  v->order = d->order;
  v->snapshot = d->snapshot;
  d->order = d->snapshot = NULL;
  const enum verified verified =
      verify_rows(h, registers, counted, options, v, error);
  if (verified == VERIFY_STOPPED)
    leave(v, "stopped before the proof was checked");
  return verified == VERIFY_REFUSED ? -1 : 0;
}

static int decide_unseen(const struct history *h,
                         const struct history *registers,
                         const uint8_t *counted,
                         const struct check_options *options, struct verdict *v,
                         struct error *error) {
  struct rows_decision d;
  if (rows_decide(&d, h, registers, options, error))
    return -1;
  int result = 0;
  if (d.answer == ROWS_KEPT)
    result = keep(h, registers, counted, options, &d, v, error);
  else if (d.answer == ROWS_STOPPED)
    leave(v, "stopped before it was decided");
  else if (has_open_doubt(h, counted))
    leave(v, "it rests on transactions of unknown outcome, of which only what "
             "is missing may show whether they committed");
  else
    leave(v, "it is broken by rows that statements did not return, which is "
             "not proved yet in a history of this size");
  rows_decision_free(&d);
  return result;
}

// At PC and above, and whatever keeps these; all transactions at one level.
static int decide_large(const struct history *h,
                        const struct check_options *options, struct verdict *v,
                        struct error *error) {
  struct check_options question = *options;
  question.max_examples = 0;
  while (level_saturates(question.level))
    question.level++;
  struct history registers = rows_registers(h);
  uint8_t *counted = settled_count(&registers, &v->counts);
  struct verdict items;
  int result = check(&registers, &question, &items, error);
  const bool weak = question.level != options->level;
  if (!result && items.kind == VERDICT_VIOLATION && !weak) {
    verdict_free(v);
    *v = items;
    items = (struct verdict){0};
  } else if (!result && rows_wrong_statement(h, counted) != UINT32_MAX)
    leave(v, "a statement returned rows that it could not find, which is not "
             "proved yet in a history of this size");
  else if (!result && items.kind == VERDICT_PASS)
    result = decide_unseen(h, &registers, counted, &question, v, error);
  else if (!result)
    leave(v, "%s",
          weak ? "below prefix consistency SQL statements are decided "
                 "only in tiny histories so far"
               : items.why);
  verdict_free(&items);
  free(counted);
  rows_as_registers_free(&registers);
  return result;
}

static bool lacks_times(const struct history *h,
                        const struct check_options *options) {
  return (options->real_time || level_keeps_time(options->level)) &&
         !(h->begin && h->end);
}

int check_rows(const struct history *history, const struct check_options *asked,
               struct verdict *verdict, struct error *error) {
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
  int result = 0;
  if (options->level == ISOLATION_NONE)
    leave(verdict, "level none promises nothing that could be checked");
  else if (!try_all(history, options, verdict)) {
    if (options->recorded)
      leave(verdict, "where transactions have levels of their own, SQL "
                     "statements are decided only in tiny histories so far");
    else
      result = decide_large(history, options, verdict, error);
  }
  if (verdict->kind == VERDICT_PASS && lacks_times(history, options))
    leave(verdict, "this history has no times to decide real time");
  return result;
}
