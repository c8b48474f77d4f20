// SPDX-License-Identifier: GPL-3.0-or-later
// Places, as a verdict (checker/rows/by_places.h).
#include "config.h"

#include "checker/rows/by_places.h"

#include "base/memory.h"
#include "checker/part/row_registers.h"
#include "checker/rows/engine.h"
#include "checker/rows/show_rows.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/level_rules.h"
#include "checker/verify/rows/execute_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Where all are at one level it is RC, where there are no snapshots, or RA,
// where statements have no places of their own.
static void drop_idle(const struct check_options *options,
                      struct rows_decision *d) {
  uint32_t **idle =
      level_counts_session(options->question.level) ? &d->place : &d->snapshot;
  if (options->question.recorded)
    return;
  free(*idle);
  *idle = NULL;
}

// Takes the order over, with the places and what was found; `h` has the levels
// that were looked for.
static int keep_places(const struct history *h, const uint8_t *counted,
                       const struct check_options *options,
                       struct rows_decision *d, struct verdict *v,
                       struct error *error) {
  drop_idle(options, d);
  const struct rows_proof proof = {.order = d->order,
                                   .snapshot = d->snapshot,
                                   .place = d->place,
                                   .norder = d->norder,
                                   .nfound = d->nfound,
                                   .found = d->found};
  struct history registers = rows_registers(h, options->question.plain_reads);
  const enum verified verified =
      verify_rows(h, &registers, counted, options, &proof, error);
  rows_as_registers_free(&registers);
  if (verified == VERIFY_STOPPED)
    rows_leave(v, "stopped before the proof was checked");
  // The verifiers ask for more than the axioms here (checker/rows/by_cases.c).
  if (verified == VERIFY_REFUSED && options->question.recorded)
    rows_leave(v, "its levels seem to be kept, by an order that the verifiers, "
                  "which ask for more here, do not accept");
  const bool may_refuse =
      options->question.recorded || options->question.plain_reads;
  if (verified != VERIFIED)
    return verified == VERIFY_REFUSED && !may_refuse ? -1 : 0;
  v->kind = VERDICT_PASS;
  v->norder = d->norder;
  v->order = d->order;
  v->snapshot = d->snapshot;
  v->place = d->place;
  v->nfound = d->nfound;
  v->found_unseen = d->found;
  d->order = d->snapshot = d->place = NULL;
  d->found = NULL;
  return 0;
}

static int show_without_order(const struct history *h,
                              const struct check_options *options,
                              const struct rows_decision *d, struct verdict *v,
                              struct error *error) {
  uint8_t *members = rows_members(h);
  const int result =
      rows_show(h, members, options, d,
                options->question.recorded
                    ? "rows that statements did not return break the levels of "
                      "the transactions"
                    : "rows that statements did not return break the level",
                v, error);
  free(members);
  return result;
}

static void leave_without_places(const struct rows_decision *d,
                                 uint32_t ncounted, struct verdict *v) {
  if (d->nleft)
    rows_leave(
        v,
        "for %u of %u transactions no place in a commit order was found, "
        "nor that there is none",
        d->nleft, ncounted);
  else
    rows_leave(v, "stopped before it was decided");
}

// --- Levels that places are looked for by.
//
// Places know neither CC nor real time as session order.  PC is more than CC,
// and RA is less: so what keeps PC instead keeps CC, and what breaks RA breaks
// CC.  In the same way what keeps PC in real time keeps RA, and what is broken
// without real time is broken with it.  Of RC, which need not see its session,
// real time orders the commits alone, as it does those of all levels.
enum reading_of_levels { LEVELS_AS_THEY_ARE, LEVELS_RAISED, LEVELS_LOWERED };

// Must it see the transactions that had ended before it began?
static bool sees_earlier(enum isolation level,
                         const struct question *question) {
  return question->real_time &&
         (level_counts_session(level) || question->rc_sees_session);
}

static enum isolation level_read_as(enum isolation level,
                                    const struct check_options *options,
                                    enum reading_of_levels reading) {
  if (!level_binds_reads(level) || level_has_prefix(level))
    return level;
  if (reading == LEVELS_RAISED &&
      (level_is_causal(level) || sees_earlier(level, &options->question)))
    return ISOLATION_PC;
  return reading == LEVELS_LOWERED && level_is_causal(level) ? ISOLATION_RA
                                                             : level;
}

// The registers of the rows, and of each transaction the level that binds it.
struct levelled {
  struct history rows, registers; // share what they have with the history
  uint8_t *levels;
  uint32_t nother; // transactions that are read at a level that is not theirs
  struct check_options asked;
};

static struct levelled level_history(const struct history *h,
                                     const struct check_options *options,
                                     enum reading_of_levels reading) {
  struct levelled l = {.rows = *h,
                       .registers = rows_registers(h, false),
                       .levels = xmalloc(h->ntxns),
                       .asked = *options};
  for (uint32_t t = 0; t < h->ntxns; t++) {
    const enum isolation level = options->question.recorded
                                     ? (enum isolation)h->level[t]
                                     : options->question.level;
    l.levels[t] = (uint8_t)level_read_as(level, options, reading);
    l.nother += h->outcome[t] != OUTCOME_ABORTED && l.levels[t] != level;
  }
  l.rows.level = l.registers.level = l.levels;
  l.asked.question.recorded = true;
  l.asked.question.plain_reads = false; // plain SELECTs see no more than all do
  return l;
}

static void levelled_free(struct levelled *l) {
  free(l->levels);
  rows_as_registers_free(&l->registers);
}

// --- The search.

static uint32_t count_txns(const struct history *h, const uint8_t *counted) {
  uint32_t n = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    n += counted[t];
  return n;
}

// The levels are as they are, or raised.
static int search_places(const struct history *h, const uint8_t *counted,
                         const struct levelled *levelled,
                         const struct check_options *options, struct verdict *v,
                         struct error *error) {
  struct rows_decision d;
  if (rows_decide(&d, h, &levelled->registers, &levelled->asked, error))
    return -1;
  int result = 0;
  if (d.answer == ROWS_KEPT)
    result = keep_places(&levelled->rows, counted, options, &d, v, error);
  else if (d.answer == ROWS_STOPPED)
    leave_without_places(&d, count_txns(h, counted), v);
  else if (!options->question.plain_reads && !levelled->nother)
    result = show_without_order(h, options, &d, v, error);
  rows_decision_free(&d);
  return result;
}

static int break_lowered(const struct history *h,
                         const struct check_options *options, struct verdict *v,
                         struct error *error) {
  struct levelled lowered = level_history(h, options, LEVELS_LOWERED);
  struct rows_decision d;
  lowered.asked.question.real_time = false;
  int result = rows_decide(&d, h, &lowered.registers, &lowered.asked, error);
  if (!result && d.answer == ROWS_BROKEN)
    result = show_without_order(h, options, &d, v, error);
  if (!result)
    rows_decision_free(&d);
  levelled_free(&lowered);
  return result;
}

// checker/rows/by_cases.h alone is left.
static void leave_to_cases(const struct check_options *options,
                           struct verdict *v) {
  rows_leave(v,
             "%s, which the rows that statements did not return leave open, "
             "and then only few transactions are decided, case by case",
             options->question.real_time
                 ? "some transactions below prefix consistency must see what "
                   "had ended before they began"
                 : "some transactions are at causal consistency beside others "
                   "at other levels");
}

int rows_decide_by_places(const struct history *h,
                          const struct check_options *options,
                          struct verdict *v, struct error *error) {
  assert(v->kind == VERDICT_UNDECIDED);
  assert(options->question.recorded || !options->question.real_time);
  struct levelled raised = level_history(h, options, LEVELS_RAISED);
  struct verdict_counts counts = {0};
  uint8_t *counted = settled_count(&raised.registers, &counts);
  int result = 0;
  if (rows_wrong_statement(h, counted, options) == UINT32_MAX) {
    result = search_places(h, counted, &raised, options, v, error);
    const bool open = !result && raised.nother && v->kind == VERDICT_UNDECIDED;
    if (open)
      leave_to_cases(options, v);
    if (open && !options->question.plain_reads)
      result = break_lowered(h, options, v, error);
  }
  free(counted);
  levelled_free(&raised);
  return result;
}

bool rows_break_by_places(const struct history *h,
                          const struct check_options *options) {
  struct levelled levelled = level_history(h, options, LEVELS_LOWERED);
  struct rows_decision d = {.answer = ROWS_STOPPED};
  struct error error;
  const bool breaks =
      !options->question.real_time &&
      !rows_decide(&d, h, &levelled.registers, &levelled.asked, &error) &&
      d.answer == ROWS_BROKEN;
  rows_decision_free(&d);
  levelled_free(&levelled);
  return breaks;
}
