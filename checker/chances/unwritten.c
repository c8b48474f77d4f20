// SPDX-License-Identifier: GPL-3.0-or-later
// Histories that could show nothing at all (checker/chances/chances.h).
#include "config.h"

#include "checker/chances/chances.h"

#include <stdlib.h>

static bool has_write(const struct history *h, uint32_t t) {
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    if (op_writes(h->kind[op]))
      return true;
  return false;
}

// Most histories answer with one of their first transactions.
static bool committed_write(const struct history *h) {
  for (uint32_t t = 0; t < h->ntxns; t++)
    if (h->outcome[t] == OUTCOME_OK && has_write(h, t))
      return true;
  return false;
}

const char *chances_missing(const struct history *history) {
  if (committed_write(history))
    return NULL;
  uint32_t lost, committed = 0, writers = 0;
  uint8_t *counted = history_counted(history, &lost);
  for (uint32_t t = 0; t < history->ntxns; t++) {
    committed += counted[t];
    writers += counted[t] && has_write(history, t);
  }
  free(counted);
  if (writers)
    return NULL;
  return committed ? "no transaction that committed wrote anything, so that no "
                     "anomaly could occur"
                   : "no transaction committed, so that no anomaly could occur";
}
