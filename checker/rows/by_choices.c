// SPDX-License-Identifier: GPL-3.0-or-later
// The nearest choices, as a verdict (checker/rows/by_choices.h).
#include "config.h"

#include "checker/rows/by_choices.h"

#include "base/memory.h"
#include "checker/rows/show_rows.h"
#include "checker/rows/weak_search.h"
#include "checker/verify/rows/execute_rows.h"

#include <stdlib.h>

static int keep_chosen(const struct history *h, const uint8_t *counted,
                       const struct check_options *options,
                       struct weak_rows *weak, struct verdict *v,
                       struct error *error) {
  const struct rows_proof proof = {.order = weak->order,
                                   .norder = weak->norder,
                                   .found = weak->found,
                                   .nfound = weak->nfound};
  const enum verified verified =
      verify_rows(h, NULL, counted, options, &proof, error);
  if (verified != VERIFIED)
    return verified == VERIFY_REFUSED && !options->question.plain_reads ? -1
                                                                        : 0;
  v->kind = VERDICT_PASS;
  v->norder = weak->norder;
  v->order = weak->order;
  v->nfound = weak->nfound;
  v->found_unseen = weak->found;
  weak->order = NULL;
  weak->found = NULL;
  return 0;
}

// Shows the transaction for which there is no choice.
static int show_stuck(const struct history *h,
                      const struct check_options *options,
                      const struct weak_rows *weak, struct verdict *v,
                      struct error *error) {
  struct rows_decision d = {.answer = ROWS_BROKEN};
  uint8_t *members = rows_members(h);
  ids_add(&d.txns, weak->txn);
  if (weak->statement != UINT32_MAX) {
    d.unseen = xmalloc(sizeof *d.unseen);
    d.unseen[d.nunseen++] = (struct unseen){weak->statement, weak->key, false};
  }
  const int result = rows_show(h, members, options, &d, "", v, error);
  free(members);
  rows_decision_free(&d);
  return result;
}

// Where only plain SELECTs are reads, what keeps the reads of all statements is
// tried, since plain SELECTs see no more.
int rows_decide_by_choices(const struct history *h, const uint8_t *counted,
                           const struct check_options *options,
                           struct verdict *v, struct error *error) {
  struct weak_rows weak;
  struct check_options all = *options;
  int result = 0;
  all.question.plain_reads = false;
  weak_rows_decide(&weak, h, counted, &all);
  if (weak.answer == WEAK_KEPT)
    result = keep_chosen(h, counted, options, &weak, v, error);
  else if (weak.txn != UINT32_MAX && !options->question.plain_reads)
    result = show_stuck(h, options, &weak, v, error);
  weak_rows_free(&weak);
  return result;
}
