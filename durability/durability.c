// SPDX-License-Identifier: GPL-3.0-or-later
// Holds the writes of a history against its final reads
// (durability/durability.h).
#include "config.h"

#include "durability/durability.h"

#include "base/memory.h"
#include "durability/final.h"

#include <stdlib.h>
#include <string.h>

// The fate of a write.
enum fate { FATE_SURVIVED, FATE_OVERWRITTEN, FATE_LOST, FATE_UNREAD };

// ---- Fates

// Where levels let updates overwrite each other: did another append to the
// list, which is there, take place at that time?
static bool may_be_overwritten(const struct final *f, uint32_t txn,
                               uint32_t op) {
  const struct history *h = f->history;
  const uint32_t list = f->keys[h->key[op]].list;
  if (h->level[txn] >= ISOLATION_SI)
    return false;
  for (uint32_t i = h->list[list].first; i < history_list_end(h, list); i++) {
    if (h->element[i] >= h->nops)
      return true; // nobody knows whose it is
    const uint32_t other = history_txn(h, h->element[i]);
    if (h->begin[other] <= h->end[txn] &&
        (h->outcome[other] != OUTCOME_OK || h->end[other] >= h->begin[txn]))
      return true;
  }
  return false;
}

static enum fate fate_of_element(const struct final *f, uint32_t txn,
                                 uint32_t op) {
  if (f->keys[f->history->key[op]].list == NO_LIST)
    return FATE_UNREAD;
  return may_be_overwritten(f, txn, op) ? FATE_OVERWRITTEN : FATE_LOST;
}

// The fate of a write to a register, or to a row that came back.
static enum fate fate_of_version(const struct final *f, uint32_t txn,
                                 uint32_t op) {
  const struct final_key *key = &f->keys[f->history->key[op]];
  return key->latest < f->history->begin[txn] ? FATE_LOST : FATE_OVERWRITTEN;
}

// The fate of a write to a row that did not come back.
static enum fate fate_of_missing_row(const struct final *f, uint32_t txn,
                                     uint32_t op) {
  const struct final_key *key = &f->keys[f->history->key[op]];
  if (!final_looks_for_row(f, op))
    return FATE_UNREAD;
  if (!op_leaves_row(f->history->kind[op]))
    return FATE_SURVIVED;
  const uint64_t other = key->writer == txn ? key->other_end : key->writer_end;
  return other < f->history->begin[txn] ? FATE_LOST : FATE_OVERWRITTEN;
}

static enum fate fate_of_write(const struct final *f, uint32_t txn,
                               uint32_t op) {
  const struct history *h = f->history;
  const struct final_key *key = &f->keys[h->key[op]];
  if (f->seen[op])
    return FATE_SURVIVED;
  if (op_is_list(h->kind[op]))
    return fate_of_element(f, txn, op);
  if (key->read)
    return fate_of_version(f, txn, op);
  return op_is_row(h->kind[op]) ? fate_of_missing_row(f, txn, op) : FATE_UNREAD;
}

// ---- Counting

struct lost {
  uint64_t end;
  uint32_t op;
};

static int by_end_of_loss(const void *a, const void *b) {
  const struct lost *x = a, *y = b;
  if (x->end != y->end)
    return x->end < y->end ? -1 : 1;
  return (x->op > y->op) - (x->op < y->op);
}

// The losses, as far as they are shown, and how many there are.
struct losses {
  struct lost *all;
  size_t count, room;
};

static void note_lost_write(struct losses *losses, uint64_t end, uint32_t op) {
  if (losses->count == losses->room) {
    losses->room = losses->room ? 2 * losses->room : 64;
    losses->all = xrealloc(losses->all, losses->room, sizeof *losses->all);
  }
  losses->all[losses->count++] = (struct lost){end, op};
}

// The last write of a transaction to a key counts, and each element of a list.
// Operations are asked about from the last one of the transaction to the first.
static bool is_to_be_counted(const struct final *f, uint32_t txn, uint32_t op) {
  const struct history *h = f->history;
  struct final_key *key = &f->keys[h->key[op]];
  if (!op_writes(h->kind[op]))
    return false;
  if (op_is_list(h->kind[op]))
    return true;
  const bool first = key->counted != txn + 1;
  key->counted = txn + 1;
  return first;
}

static void count_acknowledged(const struct final *f, uint32_t txn,
                               struct durability *answer,
                               struct losses *losses) {
  const struct history *h = f->history;
  const size_t before = losses->count;
  for (uint32_t op = h->txn_first[txn + 1]; op-- > h->txn_first[txn];) {
    if (!is_to_be_counted(f, txn, op))
      continue;
    const enum fate fate = fate_of_write(f, txn, op);
    answer->acknowledged++;
    answer->surviving += fate == FATE_SURVIVED;
    answer->overwritten += fate == FATE_OVERWRITTEN;
    answer->unread += fate == FATE_UNREAD;
    if (fate == FATE_LOST)
      note_lost_write(losses, h->end[txn], op);
  }
  answer->transactions += losses->count > before;
}

static void count_unknown_writes(const struct final *f, uint32_t txn,
                                 struct durability *answer) {
  const struct history *h = f->history;
  for (uint32_t op = h->txn_first[txn + 1]; op-- > h->txn_first[txn];)
    if (is_to_be_counted(f, txn, op)) {
      answer->unknown++;
      answer->took_effect += f->seen[op];
    }
}

static void take_losses(struct losses *losses, struct durability *answer) {
  answer->lost = losses->count;
  if (!losses->count)
    return;
  qsort(losses->all, losses->count, sizeof *losses->all, by_end_of_loss);
  answer->first = losses->all[0].end;
  answer->last = losses->all[losses->count - 1].end;
  while (answer->nshown < LOST_SHOWN && answer->nshown < losses->count) {
    answer->shown[answer->nshown] = losses->all[answer->nshown].op;
    answer->nshown++;
  }
}

void durability_of(const struct history *history, struct durability *answer) {
  struct final final;
  struct losses losses = {0};
  *answer = (struct durability){.kind = VERDICT_UNDECIDED};
  if (!history->begin || !history->end)
    return;
  final_find(&final, history);
  answer->final_reads = final.ntransactions;
  for (uint32_t t = 0; t < history->ntxns; t++)
    if (history->outcome[t] == OUTCOME_OK)
      count_acknowledged(&final, t, answer, &losses);
    else if (history->outcome[t] == OUTCOME_UNKNOWN)
      count_unknown_writes(&final, t, answer);
  take_losses(&losses, answer);
  if (answer->lost)
    answer->kind = VERDICT_VIOLATION;
  else if (answer->surviving || answer->overwritten)
    answer->kind = VERDICT_PASS;
  free(losses.all);
  final_free(&final);
}
