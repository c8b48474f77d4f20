// SPDX-License-Identifier: GPL-3.0-or-later
// From a history with rows to a verdict (checker/rows/check_rows.h).
#include "config.h"

#include "checker/rows/check_rows.h"

#include "base/memory.h"
#include "checker/part/row_registers.h"
#include "checker/rows/by_cases.h"
#include "checker/rows/by_level.h"
#include "checker/rows/engine.h"
#include "checker/rows/rows_cases.h"
#include "checker/rows/show_rows.h"
#include "checker/rows/weak_search.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/level_rules.h"
#include "checker/verify/rows/execute_rows.h"
#include "checker/verify/rows/latest_reads.h"
#include "checker/verify/rows/rows_question.h"

#include <stdlib.h>
#include <string.h>

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
  struct referee_rows_options question = question_about_rows(h, options);
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

// --- What is tiny.

// The part of a violation is all that there is.
static void show_all(const struct history *h,
                     const struct check_options *options, struct verdict *v) {
  v->kind = VERDICT_VIOLATION;
  v->tried = true;
  v->anomaly = ANOMALY_PHANTOM;
  v->broken = v->minimal = rows_weakest_broken(h, options);
  v->one_program = rows_rest_on_one_program(h, options);
  v->part = xmalloc(h->nops * sizeof *v->part);
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t];
         h->outcome[t] != OUTCOME_ABORTED && op < h->txn_first[t + 1]; op++)
      v->part[v->npart++] = op;
}

// Registers beside the rows are in no part.
static int show_tiny(const struct history *h,
                     const struct check_options *options, struct verdict *v,
                     struct error *error) {
  const struct rows_decision all = {.answer = ROWS_BROKEN};
  uint8_t *members = rows_members(h);
  const int result = rows_show(h, members, options, &all, "", v, error);
  if (!result && v->kind == VERDICT_UNDECIDED && h->complete)
    show_all(h, options, v);
  free(members);
  return result;
}

// By the order that was found by trying all, if there is none that separate
// code replays.
static void keep_tiny(const struct history *h,
                      const struct check_options *options,
                      const uint32_t *order, uint32_t norder,
                      struct verdict *v) {
  if (rows_replay_by_cases(h, options, v))
    return;
  v->tried = true;
  v->kind = VERDICT_PASS;
  v->norder = norder;
  v->order = xmalloc(norder * sizeof *v->order);
  for (uint32_t i = 0; i < norder; i++)
    v->order[i] = order[i];
}

// Tries everything; false if the history is too large for that.
static bool try_all(const struct history *h,
                    const struct check_options *options, struct verdict *v,
                    int *result, struct error *error) {
  uint32_t order[REFEREE_ROWS_TXNS], norder;
  const enum referee_answer answer =
      ask(h, options, options->question.level, order, &norder);
  if (answer == REFEREE_TOO_LARGE)
    return false;
  if (answer == REFEREE_BROKEN)
    *result = show_tiny(h, options, v, error);
  else
    keep_tiny(h, options, order, norder, v);
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
  if (verify_latest_reads(h, counted, options, v->order, v->norder, error) ==
      VERIFY_REFUSED) {
    rows_leave(v, "the plain SELECTs keep it, but no order was found that has "
                  "all statements that read the latest rows behind their "
                  "writers, too");
    return 0;
  }
  const enum verified verified =
      verify_rows(h, registers, counted, options, v, error);
  if (verified == VERIFY_STOPPED)
    rows_leave(v, "stopped before the proof was checked");
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
  const bool doubt = has_open_doubt(h, counted);
  if (rows_decide(&d, h, registers, question, NULL, error))
    return -1;
  uint8_t *members = rows_members(h);
  int result = 0;
  if (d.answer == ROWS_KEPT)
    result = keep(h, registers, counted, question, &d, v, error);
  else if (d.answer == ROWS_STOPPED)
    rows_leave(v, "stopped before it was decided");
  else
    result =
        rows_show(h, members, options, &d,
                  doubt ? "it rests on transactions of unknown outcome, of "
                          "which only what is missing may show whether they "
                          "committed"
                  : question->question.level == options->question.level
                      ? "rows that statements did not return break the level"
                      : "rows that statements did not return break prefix "
                        "consistency, and no order was found that keeps the "
                        "weaker level",
                  v, error);
  rows_decision_free(&d);
  free(members);
  return result;
}

// A statement whose rows are wrong at any level.
static int show_wrong(const struct history *h,
                      const struct check_options *options, uint32_t statement,
                      struct verdict *v, struct error *error) {
  uint8_t *members = rows_members(h);
  struct rows_decision d = {.answer = ROWS_BROKEN};
  uint32_t t = 0;
  while (h->rows->txn_statement[t + 1] <= statement)
    t++;
  ids_add(&d.txns, t);
  const int result =
      rows_show(h, members, options, &d,
                "a statement returned rows that it could not find", v, error);
  free(members);
  rows_decision_free(&d);
  return result;
}

// Do the rows that came back break the level, or the levels, by themselves?
static int items_break(const struct history *registers,
                       const struct check_options *options, bool *broken,
                       struct verdict *v, struct error *error) {
  struct check_options asked = *options;
  struct verdict items;
  // An RC that sees no session is broken by less.
  asked.question.rc_sees_session = false;
  if (check(registers, &asked, &items, error))
    return -1;
  *broken = items.kind == VERDICT_VIOLATION;
  if (*broken)
    *v = items;
  else
    verdict_free(&items);
  return 0;
}

// Asks whether the rows that came back keep the level, or PC if that is
// stronger.  The question goes to `question`, the answer to `items`.
static int check_returned(const struct history *registers,
                          const struct check_options *options,
                          struct check_options *question, struct verdict *items,
                          struct error *error) {
  *question = *options;
  question->max_examples = 0;
  while (level_saturates(question->question.level))
    question->question.level++;
  return check(registers, question, items, error);
}

static int decide_rest(const struct history *h, const struct history *registers,
                       const uint8_t *counted,
                       const struct check_options *options, struct verdict *v,
                       struct error *error) {
  struct check_options question;
  struct verdict items;
  if (check_returned(registers, options, &question, &items, error))
    return -1;
  int result = 0;
  if (items.kind == VERDICT_PASS)
    result = decide_unseen(h, registers, counted, &question, options, v, error);
  else if (items.kind == VERDICT_VIOLATION)
    rows_leave(
        v, "the rows that statements returned break prefix consistency, and no "
           "order was found that keeps the weaker level");
  else
    rows_leave(v, "%s", items.why);
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
    const struct weak_rows_proof proof = {.order = weak.order,
                                          .norder = weak.norder,
                                          .found = weak.found,
                                          .nfound = weak.nfound};
    const enum verified verified =
        verify_weak_rows(h, counted, options, &proof, error);
    result = verified == VERIFY_REFUSED ? -1 : 0;
    v->kind = verified == VERIFIED ? VERDICT_PASS : VERDICT_UNDECIDED;
    v->norder = weak.norder;
    v->order = weak.order;
    v->nfound = weak.nfound;
    v->found_unseen = weak.found;
    weak.order = NULL;
    weak.found = NULL;
  } else if (weak.txn != UINT32_MAX) {
    uint8_t *members = rows_members(h);
    ids_add(&d.txns, weak.txn);
    if (weak.statement != UINT32_MAX) {
      d.unseen = xmalloc(sizeof *d.unseen);
      d.unseen[d.nunseen++] = (struct unseen){weak.statement, weak.key, false};
    }
    result = rows_show(h, members, options, &d, "", v, error);
    free(members);
  }
  weak_rows_free(&weak);
  rows_decision_free(&d);
  return result;
}

// The rows that plain SELECTs returned break the level by themselves.
static int show_items(const struct history *h,
                      const struct check_options *options,
                      const struct verdict *items, struct verdict *v,
                      struct error *error) {
  struct rows_decision d = {.answer = ROWS_BROKEN};
  uint8_t *members = rows_members(h);
  for (uint32_t i = 0; i < items->npart; i++) {
    const uint32_t t = history_txn(h, items->part[i]);
    if (!d.txns.count || d.txns.items[d.txns.count - 1] != t)
      ids_add(&d.txns, t);
  }
  const int result =
      rows_show(h, members, options, &d,
                "rows that plain SELECTs returned break the level", v, error);
  rows_decision_free(&d);
  free(members);
  return result;
}

static int decide_plain_rest(const struct history *h,
                             const struct history *registers,
                             const uint8_t *counted,
                             const struct check_options *options,
                             struct verdict *v, struct error *error) {
  struct check_options question;
  struct verdict items;
  if (check_returned(registers, options, &question, &items, error))
    return -1;
  int result = 0;
  if (items.kind == VERDICT_PASS)
    result = decide_unseen(h, registers, counted, &question, options, v, error);
  else if (items.kind == VERDICT_VIOLATION &&
           question.question.level == options->question.level)
    result = show_items(h, options, &items, v, error);
  else
    rows_leave(v, "%s",
               items.kind == VERDICT_UNDECIDED
                   ? items.why
                   : "the rows that plain SELECTs returned break prefix "
                     "consistency, and no order was found that keeps the "
                     "weaker level");
  verdict_free(&items);
  return result;
}

// Do the same transactions in doubt count without the reads of the latest rows?
static bool counts_alike(const struct history *registers, uint32_t ntxns,
                         const uint8_t *counted) {
  struct verdict_counts counts;
  uint8_t *others = settled_count(registers, &counts);
  const bool alike = !memcmp(counted, others, ntxns);
  free(others);
  return alike;
}

// Where only plain SELECTs are reads: an order for these is looked for, and the
// other statements are checked in it.
static int decide_plain(const struct history *h,
                        const struct check_options *options, struct verdict *v,
                        struct error *error) {
  struct history all = rows_registers(h, false),
                 registers = rows_registers(h, true);
  uint8_t *counted = settled_count(&all, &v->counts);
  const uint32_t wrong = rows_wrong_statement(h, counted, options);
  int result = 0;
  if (wrong != UINT32_MAX)
    result = show_wrong(h, options, wrong, v, error);
  else if (!counts_alike(&registers, h->ntxns, counted))
    rows_leave(v, "only statements that read the latest rows show that some "
                  "transactions of unknown outcome committed");
  else
    result = decide_plain_rest(h, &registers, counted, options, v, error);
  free(counted);
  rows_as_registers_free(&all);
  rows_as_registers_free(&registers);
  return result;
}

// RC, RA and CC: what keeps PC keeps them (dbcop, lemma 2.4), and whether it
// does is mostly found out sooner.
static int decide_below_pc(const struct history *h,
                           const struct history *registers,
                           const uint8_t *counted,
                           const struct check_options *options,
                           struct verdict *v, struct error *error) {
  struct check_options briefly = *options;
  const bool weak = !options->question.real_time &&
                    level_observes_directly(options->question.level);
  char why[sizeof v->why]; // it breaks the level, which cannot be shown
  int result = 0;
  briefly.passes_only |= weak;
  result = decide_rest(h, registers, counted, &briefly, v, error);
  if (result || v->kind != VERDICT_UNDECIDED || !weak)
    return result;
  v->why[0] = 0;
  result = decide_weak(h, counted, options, v, error);
  if (result || v->kind != VERDICT_UNDECIDED)
    return result;
  memcpy(why, v->why, sizeof why);
  result = decide_rest(h, registers, counted, options, v, error);
  if (!result && v->kind == VERDICT_UNDECIDED && *why)
    memcpy(v->why, why, sizeof why);
  return result;
}

// All transactions are at one level.
static int decide_large(const struct history *h,
                        const struct check_options *options, struct verdict *v,
                        struct error *error) {
  if (options->question.plain_reads)
    return decide_plain(h, options, v, error);
  struct history registers = rows_registers(h, false);
  uint8_t *counted = settled_count(&registers, &v->counts);
  const uint32_t wrong = rows_wrong_statement(h, counted, options);
  bool broken = false;
  int result = 0;
  if (wrong != UINT32_MAX)
    result = show_wrong(h, options, wrong, v, error);
  else if (!options->passes_only)
    result = items_break(&registers, options, &broken, v, error);
  if (!result && !broken && wrong == UINT32_MAX)
    result = level_saturates(options->question.level)
                 ? decide_below_pc(h, &registers, counted, options, v, error)
                 : decide_rest(h, &registers, counted, options, v, error);
  free(counted);
  rows_as_registers_free(&registers);
  return result;
}

// Has each transaction that took effect, or may have, a level that binds it to
// what it read?  A transaction at level none need not come behind the writers
// of what it read.  So its INSERT may come behind the deletion of the very row
// that it inserted, which a history of registers cannot say.
static bool all_are_bound(const struct history *h) {
  bool bound = true;
  for (uint32_t t = 0; t < h->ntxns; t++)
    bound &= h->outcome[t] == OUTCOME_ABORTED ||
             level_binds_reads((enum isolation)h->level[t]);
  return bound;
}

// Do the rows that came back break the levels of their transactions?
static int items_break_levels(const struct history *h,
                              const struct check_options *options, bool *broken,
                              struct verdict *v, struct error *error) {
  *broken = false;
  if (options->question.plain_reads || !all_are_bound(h))
    return 0;
  struct history registers = rows_registers(h, false);
  struct verdict_counts counts;
  uint8_t *counted = settled_count(&registers, &counts);
  int result = 0;
  if (rows_wrong_statement(h, counted, options) == UINT32_MAX)
    result = items_break(&registers, options, broken, v, error);
  free(counted);
  rows_as_registers_free(&registers);
  return result;
}

// A level that is at least each transaction's own is enough for a PASS.
static int decide_recorded(const struct history *h,
                           const struct check_options *options,
                           struct verdict *v, struct error *error) {
  struct check_options all = *options;
  struct verdict strongest = *v;
  bool broken = false;
  all.question.recorded = false;
  all.max_examples = 0;
  all.passes_only = true;
  rows_leave(&strongest, "%s", "");
  int result = decide_large(h, &all, &strongest, error);
  if (!result && strongest.kind == VERDICT_PASS) {
    strongest.question.recorded = true;
    *v = strongest;
    return 0;
  }
  verdict_free(&strongest);
  rows_leave(v,
             "the levels of the transactions are kept or broken by rows that "
             "statements did not return, or by statements at read committed, "
             "in more transactions than can be decided case by case");
  if (!result)
    result = items_break_levels(h, options, &broken, v, error);
  return result || broken ? result : rows_decide_by_level(h, options, v, error);
}

static bool lacks_times(const struct history *h,
                        const struct check_options *options) {
  return (options->question.real_time ||
          level_keeps_time(options->question.level)) &&
         !(h->begin && h->end);
}

int check_rows(const struct history *history, const struct check_options *asked,
               struct verdict *verdict, struct error *error) {
  const struct check_options settled = settled_options(history, asked),
                             *options = &settled;
  *verdict = verdict_open(&options->question);
  count_outcomes(history, &verdict->counts);
  int result = 0;
  if (!level_binds_reads(options->question.level))
    rows_leave(verdict, "level none promises nothing that could be checked");
  else if (!try_all(history, options, verdict, &result, error)) {
    if (options->question.recorded)
      result = decide_recorded(history, options, verdict, error);
    else
      result = decide_large(history, options, verdict, error);
    if (!result && verdict->kind == VERDICT_UNDECIDED && history->complete)
      result = rows_decide_by_cases(history, options, verdict, error);
  }
  if (verdict->kind == VERDICT_PASS && lacks_times(history, options))
    rows_leave(verdict, "this history has no times to decide real time");
  verdict->question = options->question; // of registers it has no such terms
  return result;
}
