// SPDX-License-Identifier: GPL-3.0-or-later
// The least pasts, as a verdict (checker/rows/by_causes.h).
#include "config.h"

#include "checker/rows/by_causes.h"

#include "base/memory.h"
#include "checker/rows/causal_rows.h"
#include "checker/rows/show_rows.h"
#include "checker/verify/rows/execute_rows.h"

#include <stdlib.h>

static int keep_pasts(const struct history *h, const struct history *registers,
                      const uint8_t *counted,
                      const struct check_options *options,
                      struct causal_rows *pasts, struct verdict *v,
                      struct error *error) {
  const struct rows_proof proof = {.order = pasts->d.order,
                                   .norder = pasts->d.norder,
                                   .found = pasts->found,
                                   .nfound = pasts->nfound};
  const enum verified verified =
      verify_rows(h, registers, counted, options, &proof, error);
  if (verified != VERIFIED)
    return verified == VERIFY_REFUSED ? -1 : 0;
  v->kind = VERDICT_PASS;
  v->norder = pasts->d.norder;
  v->order = pasts->d.order;
  v->nfound = pasts->nfound;
  v->found_unseen = pasts->found;
  pasts->d.order = NULL;
  pasts->found = NULL;
  return 0;
}

int rows_decide_by_causes(const struct history *h,
                          const struct history *registers,
                          const uint8_t *counted,
                          const struct check_options *options,
                          struct verdict *v, struct error *error) {
  struct causal_rows pasts;
  int result = 0;
  causal_rows_decide(&pasts, h, counted, options);
  if (pasts.d.answer == ROWS_KEPT)
    result = keep_pasts(h, registers, counted, options, &pasts, v, error);
  if (pasts.d.answer == ROWS_BROKEN) {
    uint8_t *members = rows_members(h);
    result = rows_show(h, members, options, &pasts.d,
                       "rows that statements did not return break the level", v,
                       error);
    free(members);
  }
  causal_rows_free(&pasts);
  return result;
}
