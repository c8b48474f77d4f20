// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"

#include "checker/model/append_index.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

// Per transaction that counts, from 1 on.
static uint32_t *places_of(const struct model *m) {
  uint32_t *place = xcalloc(m->h->ntxns, sizeof *place);
  for (uint32_t i = 0; i < m->nguess; i++)
    place[m->guess[i]] = i + 1;
  return place;
}

// Per key: the longest list that was read.
static struct shown *longest_lists_shown(const struct model *m) {
  const struct history *h = m->h;
  struct shown *longest = xcalloc(h->nkeys, sizeof *longest);
  for (uint32_t op = 0; op < h->nops; op++) {
    const struct shown shown = shown_first_by(m, op);
    if (op_is_list(h->kind[op]) && shown.count > longest[h->key[op]].count)
      longest[h->key[op]] = shown;
  }
  return longest;
}

static void number_list(struct append_index *l, const struct model *m,
                        const uint32_t *place, struct shown list) {
  uint32_t latest = 0;
  for (uint32_t i = 0; i < list.count; i++) {
    const uint32_t at = place[writer_of(m, list.write[i])];
    latest = at > latest ? at : latest;
    l->number[list.write[i]] = i + 1;
    l->latest[list.write[i]] = latest;
  }
}

// Appends that no list shows come after all appends that some list shows.
static uint32_t *earliest_behind_lists(const struct append_index *l,
                                       const struct model *m,
                                       const uint32_t *place) {
  const struct history *h = m->h;
  uint32_t *earliest = ids_none(h->nkeys);
  for (uint32_t op = 0; op < h->nops; op++)
    if (h->kind[op] == OP_APPEND && is_final(m, op) && !l->number[op] &&
        place[m->txn_of[op]] < earliest[h->key[op]])
      earliest[h->key[op]] = place[m->txn_of[op]];
  return earliest;
}

static void note_missed(struct append_index *l, const struct model *m,
                        const uint32_t *place, struct shown list, uint32_t key,
                        uint32_t earliest) {
  for (uint32_t i = list.count; i-- > 0;) {
    const uint32_t at = place[writer_of(m, list.write[i])];
    l->missed[list.write[i]] = earliest;
    earliest = at < earliest ? at : earliest;
  }
  l->missed[m->h->nops + key] = earliest;
}

void append_index_open(struct append_index *l, const struct model *m) {
  assert(m->stage >= MODEL_LINKED);
  const struct history *h = m->h;
  *l = (struct append_index){0};
  if (!h->lists)
    return;
  uint32_t *place = places_of(m);
  struct shown *longest = longest_lists_shown(m);
  uint8_t *is_list = xcalloc(h->nkeys, 1);
  l->number = xcalloc(h->nops, sizeof *l->number);
  l->latest = xcalloc(h->nops, sizeof *l->latest);
  l->missed = xcalloc(m->nversions, sizeof *l->missed);
  for (uint32_t op = 0; op < h->nops; op++)
    is_list[h->key[op]] |= op_is_list(h->kind[op]);
  for (uint32_t key = 0; key < h->nkeys; key++)
    number_list(l, m, place, longest[key]);
  uint32_t *earliest = earliest_behind_lists(l, m, place);
  for (uint32_t key = 0; key < h->nkeys; key++)
    if (is_list[key])
      note_missed(l, m, place, longest[key], key, earliest[key]);
  FREE_EACH(place, longest, is_list, earliest);
}

void append_index_close(struct append_index *l) {
  FREE_EACH(l->number, l->latest, l->missed);
}
