// SPDX-License-Identifier: GPL-3.0-or-later
// Versions that are visible behind a place (checker/verify/rows/visible.h).
#include "config.h"

#include "checker/verify/rows/visible.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

#define NOTHING UINT32_MAX

static void find_last_writes(struct visible *o) {
  const struct history *h = o->h;
  uint32_t *last = o->sight; // not used yet
  for (uint32_t t = 0; t < h->ntxns; t++) {
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
      o->txn_of[op] = t;
      if (op_writes(h->kind[op]) && o->counted[t])
        last[h->key[op]] = op;
    }
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
      if (last[h->key[op]] != NOTHING)
        o->final[last[h->key[op]]] = 1;
      last[h->key[op]] = NOTHING;
    }
  }
}

void visible_open(struct visible *o, const struct history *h,
                  const uint8_t *counted, const struct check_options *options,
                  const struct rows_proof *proof) {
  *o = (struct visible){.h = h,
                        .counted = counted,
                        .options = options,
                        .proof = proof,
                        .rank = xcalloc(h->ntxns, sizeof(uint32_t)),
                        .txn_of = xmalloc(h->nops * sizeof(uint32_t)),
                        .final = xcalloc(h->nops, 1),
                        .leader = session_leaders(h, counted, options),
                        .sight = ids_none(h->nkeys)};
  for (uint32_t i = 0; i < proof->norder; i++)
    if (proof->order[i] < h->ntxns)
      o->rank[proof->order[i]] = i + 1;
  find_last_writes(o);
}

void visible_close(struct visible *o) {
  FREE_EACH(o->rank, o->txn_of, o->final, o->leader, o->sight,
            o->touched.items);
}

static int refuse_order(struct error *error, const char *what, uint32_t t) {
  return error_set(error, "the order that was found is wrong: %s %u", what, t);
}

int visible_check_order(const struct visible *o, struct error *error) {
  uint32_t ncounted = 0;
  for (uint32_t i = 0; i < o->proof->norder; i++) {
    const uint32_t t = o->proof->order[i];
    if (t >= o->h->ntxns || !o->counted[t] || o->rank[t] != i + 1)
      return refuse_order(error, "transaction", t);
  }
  for (uint32_t t = 0; t < o->h->ntxns; t++) {
    ncounted += o->counted[t];
    if (o->counted[t] && o->leader[t] != NOTHING &&
        o->rank[t] < o->rank[o->leader[t]])
      return refuse_order(error, "the session of transaction", t);
  }
  return ncounted == o->proof->norder
             ? 0
             : refuse_order(error, "its length", o->proof->norder);
}

uint32_t visible_found(const struct rows_proof *proof, uint32_t s) {
  uint32_t low = 0, high = proof->nfound;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (proof->found[middle].statement < s)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool visible_readable(const struct visible *o, uint32_t t, uint32_t key,
                      uint32_t version) {
  const struct history *h = o->h;
  if (version >= h->nops)
    return version == h->nops + key;
  return h->key[version] == key && o->final[version] &&
         o->txn_of[version] != t && visible_rank(o, version) < o->rank[t];
}

void visible_show_txn(struct visible *o, uint32_t t, uint32_t place) {
  const struct history *h = o->h;
  if (o->rank[t] <= place)
    return;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t key = h->key[op];
    if (!o->final[op])
      continue;
    if (o->sight[key] == NOTHING)
      ids_add(&o->touched, key);
    if (o->sight[key] == NOTHING || visible_rank(o, o->sight[key]) < o->rank[t])
      o->sight[key] = op;
  }
}

static void show_version_behind(struct visible *o, uint32_t t, uint32_t place,
                                uint32_t version) {
  if (version < o->h->nops && o->txn_of[version] != t)
    visible_show_txn(o, o->txn_of[version], place);
}

void visible_show(struct visible *o, uint32_t t, uint32_t place, uint32_t s,
                  uint32_t first, uint32_t end) {
  const struct history *h = o->h;
  const struct rows_proof *proof = o->proof;
  for (uint32_t op = first; op < end; op++)
    if (op_reads(h->kind[op]))
      show_version_behind(o, t, place, h->saw[op]);
  if (s == NOTHING || !proof->nfound)
    return;
  for (uint32_t i = visible_found(proof, s);
       i < proof->nfound && proof->found[i].statement == s; i++)
    show_version_behind(o, t, place, proof->found[i].version);
}

void visible_show_session(struct visible *o, uint32_t t, uint32_t place) {
  for (uint32_t u = o->leader[t]; u != NOTHING && o->rank[u] > place;
       u = o->leader[u])
    visible_show_txn(o, u, place);
}

void visible_forget(struct visible *o) {
  while (o->touched.count)
    o->sight[o->touched.items[--o->touched.count]] = NOTHING;
}
