// SPDX-License-Identifier: GPL-3.0-or-later
// Tries all commit orders of a history with rows (checker/rows/tiny.h).
#include "config.h"

#include "checker/rows/tiny.h"

#include "base/memory.h"
#include "checker/rows/by_cases.h"
#include "checker/rows/show_rows.h"
#include "checker/verify/rows/rows_question.h"

#include <stdlib.h>

// The part of a violation is all that there is.
static void show_whole(const struct history *h,
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
static int show_refuted(const struct history *h,
                        const struct check_options *options, struct verdict *v,
                        struct error *error) {
  const struct rows_decision all = {.answer = ROWS_BROKEN};
  uint8_t *members = rows_members(h);
  const int result = rows_show(h, members, options, &all, "", v, error);
  if (!result && v->kind == VERDICT_UNDECIDED && h->complete)
    show_whole(h, options, v);
  free(members);
  return result;
}

// By the order that was found by trying all, if there is none that separate
// code replays.
static void keep_tried(const struct history *h,
                       const struct check_options *options,
                       const struct tried_orders *tried, struct verdict *v) {
  if (rows_replay_by_cases(h, options, v))
    return;
  v->tried = true;
  v->kind = VERDICT_PASS;
  v->norder = tried->norder;
  v->order = xmalloc(tried->norder * sizeof *v->order);
  for (uint32_t i = 0; i < tried->norder; i++)
    v->order[i] = tried->order[i];
}

struct tried_orders rows_try_orders(const struct history *h,
                                    const struct check_options *options) {
  const struct referee_rows_options question = question_about_rows(h, options);
  struct tried_orders tried = {.norder = 0};
  tried.answer = referee_rows_decide(h, &question, tried.order, &tried.norder);
  return tried;
}

int rows_show_tried(const struct history *h,
                    const struct check_options *options,
                    const struct tried_orders *tried, struct verdict *v,
                    struct error *error) {
  if (tried->answer == REFEREE_BROKEN)
    return show_refuted(h, options, v, error);
  keep_tried(h, options, tried, v);
  return 0;
}
