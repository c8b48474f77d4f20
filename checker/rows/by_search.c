// SPDX-License-Identifier: GPL-3.0-or-later
// Registers first, then a search (checker/rows/by_search.h).
#include "config.h"

#include "checker/rows/by_search.h"

#include "base/memory.h"
#include "checker/rows/engine.h"
#include "checker/rows/show_rows.h"
#include "checker/verdict/level_rules.h"
#include "checker/verify/rows/execute_rows.h"

#include <stdlib.h>

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

// The order that was found keeps the level of the options, or a stronger one.
static int
keep_searched(const struct history *h, const struct history *registers,
              const uint8_t *counted, const struct check_options *options,
              struct rows_decision *d, struct verdict *v, struct error *error) {
  v->kind = VERDICT_PASS;
  v->norder = d->norder;
  v->order = d->order;
  v->snapshot = d->snapshot;
  d->order = d->snapshot = NULL;
  const struct rows_proof proof = rows_proof_of(v);
  const enum verified verified =
      verify_rows(h, registers, counted, options, &proof, error);
  if (verified == VERIFY_STOPPED)
    rows_leave(v, "stopped before the proof was checked");
  return verified == VERIFY_REFUSED ? -1 : 0;
}

// `asked` is at PC or above, and kept by the rows as registers.
static int search_unseen(const struct history *h,
                         const struct history *registers,
                         const uint8_t *counted,
                         const struct check_options *asked,
                         const struct check_options *options, struct verdict *v,
                         struct error *error) {
  struct rows_decision d;
  const bool doubt = has_open_doubt(h, counted);
  if (rows_decide(&d, h, registers, asked, error))
    return -1;
  uint8_t *members = rows_members(h);
  int result = 0;
  if (d.answer == ROWS_KEPT)
    result = keep_searched(h, registers, counted, asked, &d, v, error);
  else if (d.answer == ROWS_STOPPED)
    rows_leave(v, "stopped before it was decided");
  else
    result =
        rows_show(h, members, options, &d,
                  doubt ? "it rests on transactions of unknown outcome, of "
                          "which only what is missing may show whether they "
                          "committed"
                  : asked->question.level == options->question.level
                      ? "rows that statements did not return break the level"
                      : "rows that statements did not return break prefix "
                        "consistency, and no order was found that keeps the "
                        "weaker level",
                  v, error);
  rows_decision_free(&d);
  free(members);
  return result;
}

// Asks whether the rows that came back keep the level, or PC if that is
// stronger.  The question goes to `asked`, the answer to `items`.
static int check_returned(const struct history *registers,
                          const struct check_options *options,
                          struct check_options *asked, struct verdict *items,
                          struct error *error) {
  *asked = *options;
  asked->max_examples = 0;
  while (level_saturates(asked->question.level))
    asked->question.level++;
  return check(registers, asked, items, error);
}

// The rows that plain SELECTs returned break the level by themselves.
static int show_returned(const struct history *h,
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

// The rows that came back break PC, or the level.
static int leave_returned(const struct history *h,
                          const struct check_options *options,
                          enum isolation broken, const struct verdict *items,
                          struct verdict *v, struct error *error) {
  const bool plain = options->question.plain_reads;
  if (plain && broken == options->question.level)
    return show_returned(h, options, items, v, error);
  rows_leave(v,
             "the rows that %s returned break prefix consistency, and no "
             "order was found that keeps the weaker level",
             plain ? "plain SELECTs" : "statements");
  return 0;
}

int rows_decide_by_search(const struct history *h,
                          const struct history *registers,
                          const uint8_t *counted,
                          const struct check_options *options,
                          struct verdict *v, struct error *error) {
  struct check_options asked;
  struct verdict items;
  if (check_returned(registers, options, &asked, &items, error))
    return -1;
  int result = 0;
  if (items.kind == VERDICT_PASS)
    result = search_unseen(h, registers, counted, &asked, options, v, error);
  else if (items.kind == VERDICT_VIOLATION)
    result = leave_returned(h, options, asked.question.level, &items, v, error);
  else
    rows_leave(v, "%s", items.why);
  verdict_free(&items);
  return result;
}
