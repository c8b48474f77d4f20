// SPDX-License-Identifier: GPL-3.0-or-later
// By cases (checker/rows/by_cases.h): what checker/rows/rows_cases.h keeps is
// checked by other verifiers.
#include "config.h"

#include "checker/rows/by_cases.h"

#include "base/memory.h"
#include "checker/part/row_registers.h"
#include "checker/rows/rows_cases.h"
#include "checker/rows/show_rows.h"
#include "checker/verdict/level_rules.h"
#include "checker/verify/rows/execute_rows.h"
#include "checker/verify/rows/rows_question.h"

#include <stdlib.h>

// The transactions of the order.
static uint8_t *members_in_order(const struct history *h,
                                 const struct verdict *v) {
  uint8_t *counted = xcalloc(h->ntxns, 1);
  for (uint32_t i = 0; i < v->norder; i++)
    counted[v->order[i]] = 1;
  return counted;
}

static enum verified verify_kept(const struct history *h,
                                 const struct check_options *options,
                                 const struct verdict *v, struct error *error) {
  const struct rows_proof proof = rows_proof_of(v);
  struct history registers = rows_registers(h, options->question.plain_reads);
  uint8_t *counted = members_in_order(h, v);
  const enum verified result =
      verify_rows(h, &registers, counted, options, &proof, error);
  free(counted);
  rows_as_registers_free(&registers);
  return result;
}

// Takes what was found as a PASS, and has it replayed.
static enum verified take_kept(const struct history *h,
                               const struct check_options *options,
                               struct rows_cases *cases, struct verdict *v,
                               struct error *error) {
  const bool split =
      options->question.recorded || level_splits(options->question.level);
  v->kind = VERDICT_PASS;
  v->norder = cases->norder;
  v->order = cases->order;
  v->snapshot = split ? cases->snapshot : NULL;
  v->nfound = cases->nfound;
  v->found_unseen = cases->found;
  cases->order = NULL;
  cases->found = NULL;
  if (split)
    cases->snapshot = NULL;
  return verify_kept(h, options, v, error);
}

// Where levels are mixed the verifiers ask for more than the axioms: that those
// at CC see all that one at PC or above may have read, and that the INSERT of a
// new key comes before whatever is done to it, even at level none.
static int keep_by_cases(const struct history *h,
                         const struct check_options *options,
                         struct rows_cases *cases, struct verdict *v,
                         struct error *error) {
  const enum verified verified = take_kept(h, options, cases, v, error);
  if (verified == VERIFY_STOPPED)
    rows_leave(v, "stopped before the proof was checked");
  if (verified == VERIFY_REFUSED && options->question.recorded)
    rows_leave(v, "its levels seem to be kept, by an order that the verifiers, "
                  "which ask for more here, do not accept");
  return verified == VERIFY_REFUSED && !options->question.recorded ? -1 : 0;
}

// Real time as session order would make more visible below PC than the
// verifiers look at.
static bool can_verify(const struct check_options *options) {
  return !options->question.real_time ||
         (!options->question.recorded &&
          !level_saturates(options->question.level));
}

static void forget_kept(struct verdict *v) {
  free(v->order);
  free(v->snapshot);
  free(v->found_unseen);
  v->order = v->snapshot = NULL;
  v->found_unseen = NULL;
  v->norder = v->nfound = 0;
}

bool rows_replay_by_cases(const struct history *h,
                          const struct check_options *options,
                          struct verdict *v) {
  const struct referee_rows_options question = question_about_rows(h, options);
  struct rows_cases cases = {.work = ROWS_CASES_WORK, .wants_proof = true};
  struct error error;
  const bool replayed =
      can_verify(options) &&
      rows_cases_decide(h, &question, &cases) == REFEREE_KEPT &&
      take_kept(h, options, &cases, v, &error) == VERIFIED;
  if (!replayed)
    forget_kept(v);
  rows_cases_free(&cases);
  return replayed;
}

int rows_decide_by_cases(const struct history *h,
                         const struct check_options *options, struct verdict *v,
                         struct error *error) {
  const struct referee_rows_options question = question_about_rows(h, options);
  const struct rows_decision all = {.answer = ROWS_BROKEN};
  struct rows_cases cases = {.work = 8 * (uint64_t)ROWS_CASES_WORK,
                             .wants_proof = true};
  const enum referee_answer answer = rows_cases_decide(h, &question, &cases);
  uint8_t *members = rows_members(h);
  int result = 0;
  if (answer == REFEREE_KEPT && can_verify(options))
    result = keep_by_cases(h, options, &cases, v, error);
  else if (answer == REFEREE_BROKEN)
    result =
        rows_show(h, members, options, &all,
                  "the level is broken, which was found by cases", v, error);
  free(members);
  rows_cases_free(&cases);
  return result;
}
