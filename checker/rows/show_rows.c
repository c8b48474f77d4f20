// SPDX-License-Identifier: GPL-3.0-or-later
// Verdicts on rows (checker/rows/show_rows.h).
#include "config.h"

#include "checker/rows/show_rows.h"

#include "base/memory.h"
#include "checker/part/row_registers.h"
#include "checker/rows/conjuncts.h"
#include "checker/rows/name_rows.h"
#include "checker/rows/row_cycle.h"
#include "checker/rows/rows_refute.h"
#include "checker/rows/smallest_cut.h"
#include "checker/rows/verify_part.h"
#include "checker/verdict/level_rules.h"
#include "checker/verify/rows/rows_question.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void rows_leave(struct verdict *v, const char *format, ...) {
  va_list args;
  va_start(args, format);
  v->kind = VERDICT_UNDECIDED;
  vsnprintf(v->why, sizeof v->why, format, args);
  va_end(args);
}

bool rows_rest_on_one_program(const struct history *part,
                              const struct check_options *options) {
  const struct referee_rows_options question =
      question_about_rows(part, options);
  return !rows_both_refute(part, &question) &&
         !search_breaks_part(part, options);
}

enum isolation rows_weakest_broken(const struct history *h,
                                   const struct check_options *options) {
  struct check_options at = *options;
  at.question.level =
      options->question.recorded ? options->question.level : weakest_level;
  while (at.question.level < options->question.level &&
         rows_refute(h, &at, ROWS_CASES_WORK) != REFEREE_BROKEN)
    at.question.level++;
  return at.question.level;
}

// The anomaly of registers that the returned rows show, and the read that shows
// it, if there is one; ANOMALY_NONE if they keep the level.
static enum anomaly item_anomaly(const struct history *h,
                                 const struct check_options *options,
                                 enum isolation level, bool plain,
                                 uint32_t *read) {
  struct check_options asked = *options;
  struct history registers = rows_registers(h, plain);
  struct verdict v = {0};
  struct error error;
  enum anomaly anomaly = ANOMALY_NONE;
  *read = UINT32_MAX;
  asked.question.level = level;
  asked.max_examples = 0;
  asked.question.rc_sees_session = false;
  if (!check(&registers, &asked, &v, &error) && v.kind == VERDICT_VIOLATION)
    anomaly = v.anomaly;
  if (anomaly != ANOMALY_NONE)
    *read = v.op;
  verdict_free(&v);
  rows_as_registers_free(&registers);
  return anomaly;
}

// Missed rows have their name from the weakest level that the part breaks where
// all transactions are held to it; mixed levels as well, of which the strongest
// one, of all, is broken at least.
static enum anomaly row_anomaly(const struct history *part,
                                const struct check_options *options,
                                enum isolation broken) {
  struct check_options all = *options;
  all.question.recorded = false;
  return rows_anomaly(part, options->question.recorded
                                ? rows_weakest_broken(part, &all)
                                : broken);
}

// The rows that plain SELECTs returned may break the level only together with
// what other statements say of the order of commits.  They then have the name
// that they have where all statements read.
static enum anomaly anomaly_of_returned(const struct history *part,
                                        const struct check_options *options,
                                        enum isolation broken, uint32_t *read) {
  const bool plain = options->question.plain_reads;
  const enum anomaly anomaly = item_anomaly(part, options, broken, plain, read);
  return plain && anomaly == ANOMALY_NONE
             ? item_anomaly(part, options, broken, false, read)
             : anomaly;
}

// Where the rows that came back already break the level, what statements missed
// gives the anomaly no name.  Writes of aborted transactions are not in the
// part.
static enum anomaly anomaly_of_rows_part(const struct history *h,
                                         const struct history *part,
                                         const uint32_t *ops,
                                         const struct check_options *options,
                                         enum isolation broken) {
  uint32_t read = UINT32_MAX, other;
  const enum anomaly rows = row_anomaly(part, options, broken);
  const enum anomaly items =
      rows == ANOMALY_EXTRA_ROW
          ? ANOMALY_NONE
          : anomaly_of_returned(part, options, broken, &read);
  if (items == ANOMALY_THIN_AIR_READ &&
      (rows_rolled_back(h, ops[read]) != ROWS_NONE ||
       anomaly_of_returned(h, options, weakest_level, &other) ==
           ANOMALY_ABORTED_READ))
    return ANOMALY_ABORTED_READ;
  if (items == ANOMALY_LOST_UPDATE && read != UINT32_MAX &&
      (rows_read_anew(h, ops[read]) || // the part may lack that
       rows_adds(h->rows, history_txn(h, ops[read]), ops[read])))
    return ANOMALY_NON_REPEATABLE_READS;
  return items == ANOMALY_NONE ? rows : items;
}

// Says why no serial order keeps the part, in ids of the history.
static void take_cycle(const struct check_options *options, struct verdict *v) {
  struct row_cycle cycle;
  if (options->question.recorded || !level_sees_all(options->question.level))
    return;
  row_cycle_find(&cycle, v->rows_part, options);
  for (uint32_t i = 0; i < cycle.nedges; i++) {
    struct edge *edge = &cycle.edges[i];
    edge->from = v->rows_txns[edge->from];
    if (cycle.leavers[i] != UINT32_MAX)
      cycle.leavers[i] = v->rows_txns[cycle.leavers[i]];
    edge->to = v->rows_txns[edge->to];
    edge->from_op =
        edge->from_op == UINT32_MAX ? UINT32_MAX : v->part[edge->from_op];
    edge->to_op = edge->to_op == UINT32_MAX ? UINT32_MAX : v->part[edge->to_op];
  }
  v->nrow_edges = cycle.nedges;
  v->row_edges = cycle.edges;
  v->row_statements = cycle.statements;
  v->row_leavers = cycle.leavers;
}

// The part of a violation is a smallest one.  Takes it over.  -1 with a
// sentence if it is no proof.
static int show_part(const struct history *h, const uint8_t *counted,
                     const struct check_options *options,
                     struct rows_part *part, struct verdict *v,
                     struct error *error) {
  v->kind = VERDICT_VIOLATION;
  v->tried = true;
  v->rows_part = xmalloc(sizeof *v->rows_part);
  *v->rows_part = part->history;
  v->rows_txns = part->txns.items;
  leave_out_conjuncts(v->rows_part);
  rows_argue(&v->argument, v->rows_part, options);
  v->rows_statements = part->statements.items;
  v->part = part->ops.items;
  v->npart = part->ops.count;
  v->broken = v->minimal = rows_weakest_broken(v->rows_part, options);
  v->anomaly =
      anomaly_of_rows_part(h, v->rows_part, v->part, options, v->broken);
  take_cycle(options, v);
  const enum verified verified = verify_rows_part(
      h, counted, v->rows_part, v->rows_txns, v->rows_statements, &v->argument,
      options, &v->ncases_refuted, error);
  v->one_program =
      !v->argument.nsteps && rows_rest_on_one_program(v->rows_part, options);
  return verified == VERIFIED ? 0 : -1;
}

static bool is_provable(const struct history *h,
                        const struct check_options *options) {
  return rows_refute(h, options, 8 * (uint64_t)ROWS_CASES_WORK) ==
         REFEREE_BROKEN;
}

int rows_show(const struct history *h, const uint8_t *counted,
              const struct check_options *options,
              const struct rows_decision *d, const char *why, struct verdict *v,
              struct error *error) {
  struct rows_part part = {0};
  if (options->passes_only) {
    rows_leave(v, "%s", why);
    return 0;
  }
  if (!h->complete) {
    rows_leave(v, "a part of the history is lost, and with it perhaps the "
                  "statements that changed or deleted what others did not "
                  "return");
    return 0;
  }
  const bool found = smallest_cut(h, counted, options, d, &part);
  if (found && is_provable(&part.history, options))
    return show_part(h, counted, options, &part, v, error);
  if (found)
    rows_leave(v,
               "%s: it is broken by %" PRIu32 " transactions on %" PRIu32
               " rows, which are too many for the proof",
               why, part.history.ntxns, part.history.nkeys);
  else
    rows_leave(v, "%s", why);
  rows_part_free(&part);
  return 0;
}

uint8_t *rows_members(const struct history *h) {
  uint8_t *members = xmalloc(h->ntxns);
  for (uint32_t t = 0; t < h->ntxns; t++)
    members[t] = h->outcome[t] != OUTCOME_ABORTED;
  return members;
}
