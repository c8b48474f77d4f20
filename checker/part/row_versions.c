// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the versions of rows in order (checker/part/row_versions.h).
#include "config.h"

#include "checker/part/row_versions.h"

#include "base/buckets.h"
#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

#define NOTHING UINT32_MAX

struct ordering {
  const struct history *h;
  const uint8_t *counted;
  struct row_version *all; // as they were met
  uint32_t n, room;
  uint32_t *open;    // per key: the version of the transaction at hand
  uint32_t *written; // per operation: the version that it is the last write of
  // Per version, and behind them per key for the one it had at first: the one
  // that replaced it.
  uint32_t *next;
  uint8_t *is_forked; // per key
};

static void note_row_write(struct ordering *o, uint32_t t, uint32_t op) {
  uint32_t *open = &o->open[o->h->key[op]];
  if (*open == NOTHING) {
    ARRAY_RESERVE(o->all, o->n, o->room);
    *open = o->n++;
    o->all[*open] = (struct row_version){.txn = t, .first = op};
  }
  o->all[*open].last = op;
}

static void note_row_writes(struct ordering *o) {
  const struct history *h = o->h;
  o->open = ids_none(h->nkeys);
  for (uint32_t t = 0; t < h->ntxns; t++) {
    if (!o->counted[t])
      continue;
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      if (op_writes(h->kind[op]) && op_is_row(h->kind[op]))
        note_row_write(o, t, op);
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      o->open[h->key[op]] = NOTHING;
  }
}

// The version that this one replaced, as an index of `next`; NOTHING: it is not
// known.
static uint32_t find_version_replaced(const struct ordering *o, uint32_t i) {
  const struct history *h = o->h;
  const uint32_t op = o->all[i].first, key = h->key[op], saw = h->saw[op];
  const bool is_absent = h->rows->key_image[key] == ROWS_NONE;
  if (h->kind[op] == OP_ROW_INSERT)
    return is_absent ? o->n + key : NOTHING;
  if (saw == SAW_INITIAL)
    return is_absent ? NOTHING : o->n + key;
  return saw < h->nops ? o->written[saw] : NOTHING;
}

static void link_versions(struct ordering *o) {
  const struct history *h = o->h;
  o->next = ids_none(o->n + h->nkeys);
  o->written = ids_none(h->nops);
  o->is_forked = xcalloc(h->nkeys, 1);
  for (uint32_t i = 0; i < o->n; i++)
    o->written[o->all[i].last] = i;
  for (uint32_t i = 0; i < o->n; i++) {
    const uint32_t before = find_version_replaced(o, i);
    if (before == NOTHING || o->next[before] != NOTHING)
      o->is_forked[h->key[o->all[i].first]] = 1;
    else
      o->next[before] = i;
  }
}

static uint32_t key_of_version(const void *ordering, uint32_t i) {
  const struct ordering *o = ordering;
  return o->h->key[o->all[i].first];
}

// Does each of so many versions of the key follow another one?  A cycle has
// some that do not come after the first.
static bool is_chain(const struct ordering *o, uint32_t key, uint32_t n) {
  uint32_t met = 0;
  for (uint32_t i = o->next[o->n + key]; i != NOTHING; i = o->next[i])
    met++;
  return !o->is_forked[key] && met == n;
}

static void take_known_order(struct ordering *o, struct row_versions *v,
                             bool bound) {
  struct buckets by_key = buckets_make(o->h->nkeys, o->n, key_of_version, o);
  v->nversions = o->n;
  v->versions = xmalloc(o->n * sizeof *v->versions);
  v->is_chain = xcalloc(o->h->nkeys, 1);
  for (uint32_t key = 0; key < o->h->nkeys; key++) {
    const uint32_t first = by_key.first[key], end = by_key.first[key + 1];
    v->is_chain[key] = bound && is_chain(o, key, end - first);
    uint32_t next = o->next[o->n + key];
    for (uint32_t i = first; i < end; i++) {
      v->versions[i] = o->all[v->is_chain[key] ? next : by_key.items[i]];
      next = v->is_chain[key] ? o->next[next] : NOTHING;
    }
  }
  v->first = by_key.first;
  by_key.first = NULL;
  buckets_free(&by_key);
}

static bool all_txns_are_bound(const struct history *h, const uint8_t *counted,
                               const struct check_options *options) {
  bool bound = !options->question.plain_reads;
  for (uint32_t t = 0; t < h->ntxns && options->question.recorded; t++)
    bound &= !counted[t] || h->level[t] != ISOLATION_NONE;
  return bound;
}

struct row_versions row_versions_of(const struct history *h,
                                    const uint8_t *counted,
                                    const struct check_options *options) {
  struct ordering o = {.h = h, .counted = counted};
  struct row_versions v = {0};
  note_row_writes(&o);
  link_versions(&o);
  take_known_order(&o, &v, all_txns_are_bound(h, counted, options));
  FREE_EACH(o.all, o.open, o.written, o.next, o.is_forked);
  return v;
}

void row_versions_free(struct row_versions *v) {
  FREE_EACH(v->first, v->versions, v->is_chain);
  *v = (struct row_versions){0};
}
