// SPDX-License-Identifier: GPL-3.0-or-later
// Lists what events read (checker/verify/rows/row_reads.h).
#include "config.h"

#include "checker/verify/rows/row_reads.h"

#include "checker/verify/rows/condition.h"

#include <assert.h>
#include <stdlib.h>

#define NOTHING UINT32_MAX

struct listing {
  struct row_reads *r;
  const struct history *h;
  bool all, by_items, plain;
  uint32_t *own;   // per key: the last write of the member before the event
  uint32_t *op_on; // per key: the operation of the event, or NOTHING
};

// --- Versions.

// Goes through the last writes of the members: counts them by key, or puts them
// at the places.
static void list_versions(struct row_reads *r, uint32_t *last,
                          uint32_t *places) {
  const struct history *h = r->h;
  for (uint32_t m = 1; m < r->nmembers; m++) {
    const uint32_t first = h->txn_first[r->id[m]];
    for (uint32_t op = first; op < h->txn_first[r->id[m] + 1]; op++)
      if (op_writes(h->kind[op]))
        last[h->key[op]] = op;
    for (uint32_t op = first; op < h->txn_first[r->id[m] + 1]; op++) {
      const uint32_t key = h->key[op];
      if (last[key] != op)
        continue;
      last[key] = NOTHING;
      if (r->versions)
        r->versions[places[key]] = (struct member_version){m, op};
      places[key]++;
    }
  }
}

static void find_versions(struct row_reads *r) {
  const struct history *h = r->h;
  uint32_t *last = ids_none(h->nkeys),
           *count = xcalloc(h->nkeys, sizeof *count);
  list_versions(r, last, count);
  r->version_first = xmalloc((h->nkeys + 1) * sizeof *r->version_first);
  r->version_first[0] = 0;
  for (uint32_t key = 0; key < h->nkeys; key++)
    r->version_first[key + 1] = r->version_first[key] + 1 + count[key];
  r->versions = xmalloc(r->version_first[h->nkeys] * sizeof *r->versions);
  for (uint32_t key = 0; key < h->nkeys; key++) {
    count[key] = r->version_first[key];
    r->versions[count[key]++] =
        (struct member_version){FIRST_WRITER, h->nops + key};
  }
  list_versions(r, last, count);
  free(last);
  free(count);
}

// --- Reads.

static void add_listed_read(struct row_reads *r, struct row_read read) {
  ARRAY_RESERVE(r->reads, r->nreads, r->room);
  read.end = r->writers.count;
  r->reads[r->nreads++] = read;
}

// A row or a register that came back.
static bool list_found(const struct listing *l, uint32_t op,
                       struct row_read read) {
  struct row_reads *r = l->r;
  const struct history *h = l->h;
  const uint32_t saw = h->saw[op];
  const uint32_t version = saw == SAW_INITIAL ? h->nops + read.key : saw;
  const struct recorded_statement *s =
      read.statement == NOTHING ? NULL : &h->rows->statements[read.statement];
  if (version >= h->nops + h->nkeys ||
      (s &&
       (!condition_met(h, s, op, version) || !condition_shows(h, op, version))))
    return false;
  if (l->own[read.key] != NOTHING)
    return l->own[read.key] == version;
  for (uint32_t v = r->version_first[read.key];
       v < r->version_first[read.key + 1]; v++)
    if (r->versions[v].version == version &&
        r->versions[v].member != read.member) {
      ids_add(&r->writers, v);
      add_listed_read(r, read);
      return true;
    }
  return false; // aborted, of its own future, or not the last
}

// A row that the event did not return or, if `found`, found absent.
static bool list_unseen(const struct listing *l, bool found,
                        struct row_read read) {
  struct row_reads *r = l->r;
  const struct recorded_statement *s = &l->h->rows->statements[read.statement];
  bool any = !l->all; // does any version explain it?
  read.is_unseen = true;
  if (l->own[read.key] != NOTHING)
    return condition_finds(l->h, s, read.key, l->own[read.key]) == found;
  if (read.is_latest)
    return true;
  for (uint32_t v = r->version_first[read.key];
       v < r->version_first[read.key + 1]; v++) {
    if (r->versions[v].member == read.member)
      continue;
    if (condition_finds(l->h, s, read.key, r->versions[v].version) == found)
      ids_add(&r->writers, v);
    else
      any = false;
  }
  if (read.first == r->writers.count)
    return false;
  if (any)
    r->writers.count = read.first;
  else
    add_listed_read(r, read);
  return true;
}

static bool list_op(const struct listing *l, uint32_t op,
                    struct row_read read) {
  if (op_reads(l->h->kind[op]))
    return list_found(l, op, read);
  return l->h->kind[op] != OP_ROW_INSERT || list_unseen(l, true, read);
}

static bool list_read_rows(const struct listing *l, struct row_read read) {
  const struct rows *rows = l->h->rows;
  const struct recorded_statement *s = &rows->statements[read.statement];
  for (read.key = 0; read.key < l->h->nkeys; read.key++) {
    read.first = l->r->writers.count;
    if (rows->key_table[read.key] == s->table &&
        l->op_on[read.key] == NOTHING && !list_unseen(l, false, read))
      return false;
  }
  return true;
}

static bool list_event(struct listing *l, struct row_read read, uint32_t first,
                       uint32_t end) {
  const struct history *h = l->h;
  bool right = true;
  for (uint32_t op = first; op < end; op++) {
    right &= l->op_on[h->key[op]] == NOTHING;
    l->op_on[h->key[op]] = op;
  }
  for (uint32_t op = first; op < end && right; op++) {
    read.key = h->key[op];
    read.first = l->r->writers.count;
    right = list_op(l, op, read);
  }
  if (right && !l->by_items && read.statement != NOTHING &&
      h->rows->statements[read.statement].condition != NO_CONDITION)
    right = list_read_rows(l, read);
  for (uint32_t op = first; op < end; op++) {
    l->op_on[h->key[op]] = NOTHING;
    if (op_writes(h->kind[op]))
      l->own[h->key[op]] = op;
  }
  return right;
}

static bool list_member(struct listing *l, uint32_t m) {
  const struct history *h = l->h;
  const struct rows *rows = h->rows;
  const uint32_t t = l->r->id[m];
  uint32_t s = rows->txn_statement[t];
  struct row_read read = {.member = m};
  bool right = true;
  for (uint32_t op = h->txn_first[t], end;
       right && (op < h->txn_first[t + 1] || s < rows->txn_statement[t + 1]);
       op = end, read.event++) {
    const bool comes =
        s < rows->txn_statement[t + 1] && rows->statements[s].first == op;
    end = comes ? rows->statements[s].end : op + 1;
    read.statement = comes ? s++ : NOTHING;
    read.is_latest =
        l->plain && comes &&
        statement_may_read_latest(
            (enum statement_sort)rows->statements[read.statement].sort);
    right = list_event(l, read, op, end);
  }
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    l->own[h->key[op]] = NOTHING;
  return right;
}

bool row_reads_open(struct row_reads *r, const struct history *h,
                    const uint32_t *id, uint32_t nmembers,
                    const uint8_t *is_bound, bool all, bool by_items,
                    bool plain) {
  assert(nmembers > 0 && !h->lists);
  *r = (struct row_reads){.h = h, .nmembers = nmembers, .id = id};
  struct listing l = {.r = r,
                      .h = h,
                      .all = all,
                      .by_items = by_items,
                      .plain = plain,
                      .own = ids_none(h->nkeys),
                      .op_on = ids_none(h->nkeys)};
  bool right = true;
  find_versions(r);
  r->first_read = xcalloc(nmembers + 1, sizeof *r->first_read);
  for (uint32_t m = 1; m < nmembers && right; m++) {
    r->first_read[m] = r->nreads;
    right = !is_bound[m] || list_member(&l, m);
  }
  r->first_read[nmembers] = r->nreads;
  free(l.own);
  free(l.op_on);
  return right;
}

void row_reads_close(struct row_reads *r) {
  FREE_EACH(r->version_first, r->versions, r->reads, r->first_read,
            r->writers.items);
  *r = (struct row_reads){0};
}
