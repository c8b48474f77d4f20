// SPDX-License-Identifier: GPL-3.0-or-later
// Rows at mixed levels (checker/rows/by_level.h): RC and RA by the nearest
// choices, which say what comes before what; then PC and above by a search that
// keeps this.
#include "config.h"

#include "checker/rows/by_level.h"

#include "checker/part/row_registers.h"
#include "checker/rows/engine.h"
#include "checker/rows/show_rows.h"
#include "checker/rows/weak_search.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/level_rules.h"
#include "checker/verify/rows/execute_rows.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

// The order that was found, with what weak statements are taken to have found.
static int keep_by_level(const struct history *h,
                         const struct history *registers,
                         const uint8_t *counted,
                         const struct check_options *options,
                         struct weak_rows *weak, struct rows_decision *d,
                         struct verdict *v, struct error *error) {
  const struct rows_proof proof = {.order = d->order,
                                   .snapshot = d->snapshot,
                                   .norder = d->norder,
                                   .found = weak->found,
                                   .nfound = weak->nfound};
  const enum verified verified =
      verify_rows(h, registers, counted, options, &proof, error);
  if (verified == VERIFY_STOPPED)
    rows_leave(v, "stopped before the proof was checked");
  // The verifiers ask for more than the axioms here (checker/rows/by_cases.c).
  if (verified == VERIFY_REFUSED)
    rows_leave(v, "its levels seem to be kept, by an order that the verifiers, "
                  "which ask for more here, do not accept");
  if (verified != VERIFIED)
    return 0;
  v->kind = VERDICT_PASS;
  v->norder = d->norder;
  v->order = d->order;
  v->snapshot = d->snapshot;
  v->nfound = weak->nfound;
  v->found_unseen = weak->found;
  d->order = d->snapshot = NULL;
  weak->found = NULL;
  return 0;
}

static bool has_causal(const struct history *h, const uint8_t *counted) {
  bool any = false;
  for (uint32_t t = 0; t < h->ntxns && !any; t++)
    any = counted[t] && level_is_causal((enum isolation)h->level[t]);
  return any;
}

// Shows how the nearest choices or the search found a level broken, if the part
// that shows it proves it: other choices might keep the levels.
static int show_by_level(const struct history *h,
                         const struct check_options *options,
                         const struct weak_rows *weak, struct rows_decision *d,
                         struct verdict *v, struct error *error) {
  uint8_t *members = rows_members(h);
  if (weak->answer == WEAK_BROKEN) {
    d->answer = ROWS_BROKEN;
    ids_add(&d->txns, weak->txn);
  }
  char why[sizeof v->why];
  snprintf(why, sizeof why, "%s", v->why);
  const int result = rows_show(h, members, options, d, why, v, error);
  free(members);
  return result;
}

// False: it does not tell.
static bool is_decidable(const struct history *h, const uint8_t *counted,
                         const struct check_options *options) {
  return !options->question.real_time && !options->question.plain_reads &&
         !has_causal(h, counted) &&
         rows_wrong_statement(h, counted, options) == UINT32_MAX;
}

int rows_decide_by_level(const struct history *h,
                         const struct check_options *options, struct verdict *v,
                         struct error *error) {
  assert(options->question.recorded && v->kind == VERDICT_UNDECIDED);
  struct history registers = rows_registers(h, false);
  struct verdict_counts counts = {0};
  uint8_t *counted = settled_count(&registers, &counts);
  struct weak_rows weak = {.answer = WEAK_OPEN};
  struct rows_decision d = {.answer = ROWS_STOPPED};
  int result = 0;
  if (is_decidable(h, counted, options))
    weak_rows_decide(&weak, h, counted, options);
  const struct known_order known = {&weak.from, &weak.to};
  if (weak.answer == WEAK_KEPT)
    result = rows_decide(&d, h, &registers, options, &known, error);
  if (!result && d.answer == ROWS_KEPT)
    result =
        keep_by_level(h, &registers, counted, options, &weak, &d, v, error);
  else if (!result && (d.answer == ROWS_BROKEN ||
                       (weak.answer == WEAK_BROKEN && weak.txn != UINT32_MAX)))
    result = show_by_level(h, options, &weak, &d, v, error);
  free(counted);
  weak_rows_free(&weak);
  rows_decision_free(&d);
  rows_as_registers_free(&registers);
  return result;
}
