// SPDX-License-Identifier: GPL-3.0-or-later
// Sets of transactions (checker/stream/copies.h).
#include "config.h"

#include "checker/stream/copies.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void copies_add(struct copies *copies, const struct flow_txn *txn) {
  const size_t n = txn->nops;
  uint64_t *block = xmalloc(n * (2 * sizeof *block + 1) + 1);
  uint64_t *key = block + n;
  uint8_t *kind = (uint8_t *)(key + n);
  if (n) {
    memcpy(block, txn->saw, n * sizeof *block);
    memcpy(key, txn->key, n * sizeof *key);
    memcpy(kind, txn->kind, n);
  }
  ARRAY_RESERVE(copies->txns, copies->count, copies->room);
  struct flow_txn *copy = &copies->txns[copies->count++];
  *copy = *txn;
  copy->saw = block;
  copy->key = key;
  copy->kind = kind;
  copies->nops += n;
}

void copies_move(struct copies *to, struct copies *from) {
  for (uint32_t i = 0; i < from->count; i++) {
    ARRAY_RESERVE(to->txns, to->count, to->room);
    to->txns[to->count++] = from->txns[i];
  }
  to->nops += from->nops;
  from->count = 0;
  from->nops = 0;
}

static int in_sessions(const void *a, const void *b) {
  const struct flow_txn *x = a, *y = b;
  if (x->session != y->session)
    return x->session < y->session ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

static void free_block(const struct flow_txn *txn) {
  free((uint64_t *)(uintptr_t)txn->saw);
}

void copies_sort(struct copies *copies) {
  uint32_t kept = 0;
  if (!copies->count)
    return;
  qsort(copies->txns, copies->count, sizeof *copies->txns, in_sessions);
  for (uint32_t i = 1; i < copies->count; i++)
    if (in_sessions(&copies->txns[kept], &copies->txns[i])) {
      copies->txns[++kept] = copies->txns[i];
    } else {
      copies->nops -= copies->txns[i].nops;
      free_block(&copies->txns[i]);
    }
  copies->count = kept + 1;
}

void copies_clear(struct copies *copies) {
  for (uint32_t i = 0; i < copies->count; i++)
    free_block(&copies->txns[i]);
  copies->count = 0;
  copies->nops = 0;
}

void copies_free(struct copies *copies) {
  copies_clear(copies);
  free(copies->txns);
  *copies = (struct copies){0};
}
