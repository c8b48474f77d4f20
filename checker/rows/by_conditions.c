// SPDX-License-Identifier: GPL-3.0-or-later
// Looks for what statements missed where the rows that came back break the
// level by themselves (checker/rows/by_conditions.h).
//
// The rows that SELECTs returned are asked for less: their writers commit
// before the reader, and nothing else follows.  What is broken then is broken
// by what statements missed, or changed.  The part that shows this is refuted
// as it is, with all that its statements returned.
#include "config.h"

#include "checker/rows/by_conditions.h"

#include "base/memory.h"
#include "checker/part/row_registers.h"
#include "checker/rows/engine.h"
#include "checker/rows/show_rows.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/level_rules.h"

#include <stdlib.h>

static bool may_look_for_conditions(const struct check_options *options,
                                    const struct verdict *v) {
  const struct question *question = &options->question;
  return v->kind == VERDICT_VIOLATION && !v->rows_part &&
         options->max_examples && options->count_stronger &&
         !question->recorded && !question->real_time && !question->by_items &&
         !question->plain_reads && !level_saturates(question->level) &&
         !level_keeps_time(question->level);
}

// Takes the reads of SELECTs out of the registers.
static void free_selects(const struct rows *rows, struct history *registers) {
  rows_copy_saw(registers); // which is the history's
  for (uint32_t s = 0; s < rows->nstatements; s++) {
    const struct recorded_statement *statement = &rows->statements[s];
    if (statement->sort != STATEMENT_SELECT)
      continue;
    for (uint32_t op = statement->first; op < statement->end; op++) {
      registers->kind[op] &= OP_IS_WRITE;
      registers->saw[op] = SAW_INITIAL;
    }
  }
}

static bool are_kept(const struct history *registers,
                     const struct check_options *options) {
  struct check_options briefly = *options;
  struct verdict v;
  struct error error;
  briefly.max_examples = 0;
  const bool kept =
      !check(registers, &briefly, &v, &error) && v.kind == VERDICT_PASS;
  verdict_free(&v);
  return kept;
}

static bool is_by_conditions(const struct verdict *v) {
  return v->kind == VERDICT_VIOLATION && v->rows_part &&
         (v->anomaly == ANOMALY_PHANTOM || v->anomaly == ANOMALY_PHANTOM_READ ||
          v->anomaly == ANOMALY_PHANTOM_LONG_FORK ||
          v->anomaly == ANOMALY_PHANTOM_WRITE_SKEW ||
          v->anomaly == ANOMALY_FRACTURED_STATEMENT ||
          v->anomaly == ANOMALY_MISSING_ROW);
}

static void add_case(struct verdict *v, struct verdict *other) {
  other->counts = v->counts;
  v->others = xrealloc(v->others, v->nothers + 1, sizeof *v->others);
  v->others[v->nothers++] = *other;
  v->found[other->anomaly] += !v->found[other->anomaly];
  v->found_more = true;
}

static int show_conditions(const struct history *h,
                           const struct check_options *options,
                           const struct rows_decision *d, struct verdict *v,
                           struct error *error) {
  uint8_t *members = rows_members(h);
  struct verdict other = verdict_open(&options->question);
  const int result = rows_show(h, members, options, d, "", &other, error);
  free(members);
  if (!result && is_by_conditions(&other))
    add_case(v, &other);
  else
    verdict_free(&other);
  return result;
}

int rows_find_conditions(const struct history *h,
                         const struct check_options *options, struct verdict *v,
                         struct error *error) {
  struct rows_decision d = {.answer = ROWS_STOPPED};
  struct verdict_counts counts;
  int result = 0;
  if (!may_look_for_conditions(options, v))
    return 0;
  struct history registers = rows_registers(h, false);
  uint8_t *counted = settled_count(&registers, &counts);
  const bool right = rows_wrong_statement(h, counted, options) == UINT32_MAX;
  free_selects(h->rows, &registers);
  if (right && are_kept(&registers, options))
    result = rows_decide(&d, h, &registers, options, error);
  if (!result && d.answer == ROWS_BROKEN && d.nunseen)
    result = show_conditions(h, options, &d, v, error);
  rows_decision_free(&d);
  free(counted);
  rows_as_registers_free(&registers);
  return result;
}
