// SPDX-License-Identifier: GPL-3.0-or-later
// From a history with rows to a verdict (checker/rows/check_rows.h).
#include "config.h"

#include "checker/rows/check_rows.h"

#include "base/memory.h"
#include "checker/rows/engine.h"
#include "checker/rows/smallest_cut.h"
#include "checker/rows/weak_search.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/level_rules.h"
#include "checker/verify/execute_rows.h"
#include "checker/verify/referee_question.h"
#include "checker/verify/rows_cases.h"
#include "checker/verify/rows_part.h"

#include <inttypes.h>
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

static void __attribute__((format(printf, 2, 3)))
leave(struct verdict *v, const char *format, ...) {
  va_list args;
  va_start(args, format);
  v->kind = VERDICT_UNDECIDED;
  vsnprintf(v->why, sizeof v->why, format, args);
  va_end(args);
}

static enum referee_answer ask(const struct history *h,
                               const struct check_options *options,
                               enum isolation level, uint32_t *order,
                               uint32_t *norder) {
  struct referee_rows_options question = {.all = question_about(h, options)};
  question.all.level = level;
  return referee_rows_decide(h, &question, order, norder);
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

// --- Violations.

// The weakest level that a small history breaks, which breaks that of the
// options.
static enum isolation weakest_broken(const struct history *h,
                                     const struct check_options *options) {
  struct referee_rows_options question = {.all = question_about(h, options)};
  struct rows_cases cases = {.work = ROWS_CASES_WORK};
  question.all.level = options->recorded ? options->level : weakest_level;
  while (question.all.level < options->level &&
         rows_small_decide(h, &question, &cases) == REFEREE_KEPT)
    question.all.level++;
  return question.all.level;
}

// The part of a violation is all that there is.
static void show_all(const struct history *h,
                     const struct check_options *options, struct verdict *v) {
  v->kind = VERDICT_VIOLATION;
  v->tried = true;
  v->anomaly = ANOMALY_PHANTOM;
  v->broken = v->minimal = weakest_broken(h, options);
  v->part = xmalloc(h->nops * sizeof *v->part);
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t];
         h->outcome[t] != OUTCOME_ABORTED && op < h->txn_first[t + 1]; op++)
      v->part[v->npart++] = op;
}

// The part of a violation is a smallest one.  Takes it over.  -1 with a
// sentence if it is no proof.
static int show_part(const struct history *h, const uint8_t *counted,
                     const struct check_options *options,
                     struct rows_part *part, struct verdict *v,
                     struct error *error) {
  v->kind = VERDICT_VIOLATION;
  v->tried = true;
  v->anomaly = ANOMALY_PHANTOM;
  v->rows_part = xmalloc(sizeof *v->rows_part);
  *v->rows_part = part->history;
  v->rows_txns = part->txns.items;
  v->part = part->ops.items;
  v->npart = part->ops.count;
  v->broken = v->minimal = weakest_broken(v->rows_part, options);
  return verify_rows_part(h, counted, v->rows_part, v->rows_txns, options,
                          &v->ncases_refuted, error) == VERIFIED
             ? 0
             : -1;
}

static bool is_provable(const struct history *h,
                        const struct check_options *options) {
  const struct referee_rows_options question = {.all =
                                                    question_about(h, options)};
  struct rows_cases cases = {.work = 8 * (uint64_t)ROWS_CASES_WORK};
  return rows_small_decide(h, &question, &cases) == REFEREE_BROKEN;
}

// Shows a part that breaks the level, looked for from what a decision rests on.
// Undecided if there is none that is small enough for a proof; `why` says what
// is known.
static int show(const struct history *h, const uint8_t *counted,
                const struct check_options *options,
                const struct rows_decision *d, const char *why,
                struct verdict *v, struct error *error) {
  struct rows_part part = {0};
  const bool found = smallest_cut(h, counted, options, d, &part);
  if (found && is_provable(&part.history, options))
    return show_part(h, counted, options, &part, v, error);
  if (found)
    leave(v,
          "%s: it is broken by %" PRIu32 " transactions on %" PRIu32
          " rows, which are too many for the proof",
          why, part.history.ntxns, part.history.nkeys);
  else
    leave(v, "%s", why);
  rows_part_free(&part);
  return 0;
}

// --- What is tiny.

static int show_tiny(const struct history *h,
                     const struct check_options *options, struct verdict *v,
                     struct error *error) {
  struct verdict_counts counts;
  uint8_t *counted = settled_count(h, &counts);
  const struct rows_decision all = {.answer = ROWS_BROKEN};
  const bool doubt = has_open_doubt(h, counted);
  int result = 0;
  if (!options->recorded && !doubt)
    result = show(h, counted, options, &all, "", v, error);
  if (v->kind != VERDICT_VIOLATION && !result)
    show_all(h, options, v);
  free(counted);
  return result;
}

// Tries everything; false if the history is too large for that.
static bool try_all(const struct history *h,
                    const struct check_options *options, struct verdict *v,
                    int *result, struct error *error) {
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  const enum referee_answer answer =
      ask(h, options, options->level, order, &norder);
  if (answer == REFEREE_TOO_LARGE)
    return false;
  if (answer == REFEREE_BROKEN) {
    *result = show_tiny(h, options, v, error);
    return true;
  }
  v->tried = true;
  v->kind = VERDICT_PASS;
  v->norder = norder;
  v->order = xmalloc(norder * sizeof *v->order);
  for (uint32_t i = 0; i < norder; i++)
    v->order[i] = order[i];
  return true;
}

// --- What is not tiny.

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

// `question` is at PC or above, and kept by the rows as registers.
static int decide_unseen(const struct history *h,
                         const struct history *registers,
                         const uint8_t *counted,
                         const struct check_options *question,
                         const struct check_options *options, struct verdict *v,
                         struct error *error) {
  struct rows_decision d;
  if (rows_decide(&d, h, registers, question, error))
    return -1;
  int result = 0;
  if (d.answer == ROWS_KEPT)
    result = keep(h, registers, counted, question, &d, v, error);
  else if (d.answer == ROWS_STOPPED)
    leave(v, "stopped before it was decided");
  else if (has_open_doubt(h, counted))
    leave(v, "it rests on transactions of unknown outcome, of which only what "
             "is missing may show whether they committed");
  else
    result = show(h, counted, options, &d,
                  question->level == options->level
                      ? "rows that statements did not return break the level"
                      : "rows that statements did not return break prefix "
                        "consistency; what is weaker is decided only in tiny "
                        "histories",
                  v, error);
  rows_decision_free(&d);
  return result;
}

// A statement whose rows are wrong at any level.
static int show_wrong(const struct history *h, const uint8_t *counted,
                      const struct check_options *options, uint32_t statement,
                      struct verdict *v, struct error *error) {
  struct rows_decision d = {.answer = ROWS_BROKEN};
  uint32_t t = 0;
  while (h->rows->txn_statement[t + 1] <= statement)
    t++;
  ids_add(&d.txns, t);
  const int result =
      show(h, counted, options, &d,
           "a statement returned rows that it could not find", v, error);
  rows_decision_free(&d);
  return result;
}

// Do the rows as registers break the level, at which operations are events of
// their own?  At RC that is another question: there a statement is one event.
static int items_break(const struct history *registers,
                       const struct check_options *options, bool *broken,
                       struct verdict *v, struct error *error) {
  struct verdict items;
  *broken = false;
  if (!level_counts_session(options->level))
    return 0;
  if (check(registers, options, &items, error))
    return -1;
  *broken = items.kind == VERDICT_VIOLATION;
  if (*broken)
    *v = items;
  else
    verdict_free(&items);
  return 0;
}

static int decide_rest(const struct history *h, const struct history *registers,
                       const uint8_t *counted,
                       const struct check_options *options, struct verdict *v,
                       struct error *error) {
  struct check_options question = *options;
  struct verdict items;
  question.max_examples = 0;
  while (level_saturates(question.level))
    question.level++;
  if (check(registers, &question, &items, error))
    return -1;
  int result = 0;
  if (items.kind == VERDICT_PASS)
    result = decide_unseen(h, registers, counted, &question, options, v, error);
  else if (items.kind == VERDICT_VIOLATION)
    leave(v, "the rows that statements returned break prefix consistency; what "
             "is weaker is decided only in tiny histories");
  else
    leave(v, "%s", items.why);
  verdict_free(&items);
  return result;
}

// RC and RA by the nearest choices.  The verdict stays undecided where these do
// not tell.
static int decide_weak(const struct history *h, const uint8_t *counted,
                       const struct check_options *options, struct verdict *v,
                       struct error *error) {
  struct weak_rows weak;
  struct rows_decision d = {.answer = ROWS_BROKEN};
  int result = 0;
  weak_rows_decide(&weak, h, counted, options);
  if (weak.answer == WEAK_KEPT) {
    const enum verified verified =
        verify_weak_rows(h, counted, options, weak.order, weak.norder,
                         weak.found, weak.nfound, error);
    result = verified == VERIFY_REFUSED ? -1 : 0;
    v->kind = verified == VERIFIED ? VERDICT_PASS : VERDICT_UNDECIDED;
    v->norder = weak.norder;
    v->order = weak.order;
    weak.order = NULL;
  } else if (weak.txn != UINT32_MAX && !has_open_doubt(h, counted)) {
    ids_add(&d.txns, weak.txn);
    if (weak.statement != UINT32_MAX) {
      d.unseen = xmalloc(sizeof *d.unseen);
      d.unseen[d.nunseen++] = (struct unseen){weak.statement, weak.key, false};
    }
    result = show(h, counted, options, &d, "", v, error);
  }
  weak_rows_free(&weak);
  rows_decision_free(&d);
  return result;
}

// All transactions are at one level.
static int decide_large(const struct history *h,
                        const struct check_options *options, struct verdict *v,
                        struct error *error) {
  struct history registers = rows_registers(h);
  uint8_t *counted = settled_count(&registers, &v->counts);
  const uint32_t wrong = rows_wrong_statement(h, counted);
  bool broken = false;
  int result = wrong == UINT32_MAX
                   ? items_break(&registers, options, &broken, v, error)
                   : show_wrong(h, counted, options, wrong, v, error);
  if (!result && !broken && wrong == UINT32_MAX && !options->real_time &&
      level_observes_directly(options->level))
    result = decide_weak(h, counted, options, v, error);
  if (!result && !broken && wrong == UINT32_MAX && v->kind == VERDICT_UNDECIDED)
    result = decide_rest(h, &registers, counted, options, v, error);
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
  if (!level_binds_reads(options->level))
    leave(verdict, "level none promises nothing that could be checked");
  else if (!try_all(history, options, verdict, &result, error)) {
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
