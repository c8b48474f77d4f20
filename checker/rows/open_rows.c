// SPDX-License-Identifier: GPL-3.0-or-later
// Versions, and open reads of them (checker/rows/open_rows.h).
#include "config.h"

#include "checker/rows/open_rows.h"

#include "base/memory.h"
#include "checker/verdict/level_rules.h"

#include <assert.h>
#include <stdlib.h>

// --- Versions.

static int by_row_version(const void *a, const void *b) {
  const struct chain_end *x = a, *y = b;
  return (x->version > y->version) - (x->version < y->version);
}

void open_rows_list_chains(struct engine_of_rows *e) {
  const uint32_t n = e->p.key_first[e->h->nkeys];
  assert(e->m.stage >= MODEL_WALKABLE);
  e->chains_up = e->p.by_updates;
  e->chain_ends = xmalloc(n * sizeof *e->chain_ends);
  for (uint32_t c = 0; c < n; c++)
    e->chain_ends[c] = (struct chain_end){e->p.tail_op[c], c};
  qsort(e->chain_ends, n, sizeof *e->chain_ends, by_row_version);
}

// The chain that the version ends, or NO_ID.
static uint32_t chain_ended_by(const struct engine_of_rows *e,
                               uint32_t version) {
  const struct chain_end wanted = {version, NO_ID};
  const struct chain_end *end =
      bsearch(&wanted, e->chain_ends, e->p.key_first[e->h->nkeys],
              sizeof *e->chain_ends, by_row_version);
  return end ? end->chain : NO_ID;
}

// The version that is known to follow this one at once, or NO_ID.
static uint32_t next_version(const struct engine_of_rows *e, uint32_t version) {
  const struct model *m = &e->m;
  uint32_t next = e->chains_up ? m->first_over[version] : NO_ID;
  while (next != NO_ID && (!is_final(m, next) || m->role[next] & ROLE_TAIL))
    next = model_next_over(m, next);
  return next;
}

void open_rows_list_finals(struct engine_of_rows *e) {
  const struct history *h = e->h;
  e->final_first = xcalloc((size_t)h->nkeys + 1, sizeof *e->final_first);
  for (uint32_t op = 0; op < h->nops; op++)
    e->final_first[h->key[op] + 1] += is_final(&e->m, op);
  for (uint32_t key = 0; key < h->nkeys; key++)
    e->final_first[key + 1] += e->final_first[key];
  assert(e->final_first[h->nkeys] <= h->nops);
  e->final_op = xmalloc(e->final_first[h->nkeys] * sizeof *e->final_op);
  uint32_t *place = ids_copy(e->final_first, h->nkeys);
  for (uint32_t op = 0; op < h->nops; op++)
    if (is_final(&e->m, op))
      e->final_op[place[h->key[op]]++] = op;
  free(place);
}

static uint32_t txn_of_version(const struct engine_of_rows *e, uint32_t v) {
  return v < e->h->nops ? e->m.txn_of[v] : NO_ID;
}

// May the statement have found this version of the row?
static bool may_miss_version(const struct engine_of_rows *e, struct unseen u,
                             uint32_t version) {
  assert(u.key < e->h->nkeys && version < e->m.nversions);
  const int64_t *row = rows_version(e->h, version);
  return u.inserted ? row == NULL
                    : !rows_satisfies(e->h, u.statement, u.key, row);
}

// --- Open reads.

uint32_t open_rows_txn(const struct engine_of_rows *e, uint32_t s) {
  return ids_below(e->h->rows->txn_statement, e->h->ntxns + 1, s + 1) - 1;
}

// Is the transaction one that has places?
static bool is_below_prefix(const struct engine_of_rows *e, uint32_t t) {
  return !level_has_prefix(problem_level(&e->p, t));
}

uint32_t open_rows_event(const struct engine_of_rows *e, uint32_t s,
                         uint32_t t) {
  const bool at_once = level_counts_session(problem_level(&e->p, t));
  if (!is_below_prefix(e, t))
    return problem_snapshot(&e->p, t);
  if (e->is_explicit[t])
    return problem_commit(&e->p, t);
  return e->p.nnodes + ids_below(e->events.items, e->events.count,
                                 at_once ? e->h->rows->txn_statement[t] : s);
}

// The chain that the transaction's write of the key starts, or NO_ID.
static uint32_t own_chain(const struct engine_of_rows *e, uint32_t t,
                          uint32_t key) {
  const struct problem *p = &e->p;
  for (uint32_t c = p->key_first[key]; c < p->key_first[key + 1]; c++)
    if (e->m.txn_of[p->head_op[c]] == t)
      return c;
  return NO_ID;
}

// The candidate of the versions from `first` to `last`, which follow each
// other.
static void add_writer(struct engine_of_rows *e, uint32_t t, uint32_t first,
                       uint32_t last) {
  const struct model *m = &e->m;
  assert(first < m->nversions && last < m->nversions);
  struct open_writer writer = {.read = e->nreads,
                               .commit = NO_ID,
                               .before = NO_ID,
                               .chain = chain_ended_by(e, last)};
  if (!is_initial(m, first))
    writer.commit = problem_commit(&e->p, writer_of(m, first));
  const uint32_t next = next_version(e, last);
  if (next == NO_ID)
    writer.bottom = writer.chain == NO_ID;
  else if (m->txn_of[next] != t)
    writer.before = problem_commit(&e->p, m->txn_of[next]);
  ARRAY_RESERVE(e->writers, e->nwriters, e->writers_room);
  e->writers[e->nwriters++] = writer;
}

// Candidates among a version and those known to follow it, as far as they are
// not of the reader's transaction.
static void add_runs(struct engine_of_rows *e, struct unseen u, uint32_t t,
                     uint32_t version) {
  uint32_t first = NO_ID, last = NO_ID;
  for (; version != NO_ID && txn_of_version(e, version) != t;
       version = next_version(e, version)) {
    const bool may_be = may_miss_version(e, u, version);
    if (!may_be && first != NO_ID)
      add_writer(e, t, first, last);
    first = !may_be ? NO_ID : first == NO_ID ? version : first;
    last = version;
  }
  if (first != NO_ID)
    add_writer(e, t, first, last);
}

static bool follows_another(const struct engine_of_rows *e, uint32_t op) {
  return e->m.over[op] != NO_ID && next_version(e, e->m.over[op]) == op;
}

static void add_open_read(struct engine_of_rows *e, struct blocked_row row,
                          struct open_read read) {
  read.end = e->nwriters;
  e->impossible |= read.first == read.end;
  ARRAY_RESERVE(e->reads, e->nreads, e->reads_room);
  ARRAY_RESERVE(e->unseen, e->nreads, e->unseen_room);
  e->unseen[e->nreads] = row;
  e->reads[e->nreads++] = read;
}

// The version that the statement returned of the row.
static uint32_t version_returned(const struct engine_of_rows *e,
                                 struct unseen u) {
  const struct history *h = e->h;
  uint32_t op = h->rows->statements[u.statement].first;
  while (h->key[op] != u.key)
    op++;
  return h->saw[op] == SAW_INITIAL ? h->nops + u.key : h->saw[op];
}

void open_rows_add(struct engine_of_rows *e, struct blocked_row row) {
  const struct unseen u = row.row;
  const uint32_t key = u.key, t = row.txn;
  assert(u.statement < e->h->rows->nstatements && t < e->h->ntxns);
  const struct open_read read = {.event = open_rows_event(e, u.statement, t),
                                 .own = own_chain(e, t, key),
                                 .key = key,
                                 .first = e->nwriters};
  if (row.returned) {
    const uint32_t version = version_returned(e, u);
    add_writer(e, t, version, version);
  } else {
    add_runs(e, u, t, e->h->nops + key);
    for (uint32_t i = e->final_first[key]; i < e->final_first[key + 1]; i++)
      if (!follows_another(e, e->final_op[i]))
        add_runs(e, u, t, e->final_op[i]);
  }
  add_open_read(e, row, read);
}

// --- Open reads of a transaction that stands at no place.

// Is the version's writer known to be visible to the statement, whatever was
// found?
static bool is_visible_to(const struct engine_of_rows *e, uint32_t version,
                          uint32_t s, uint32_t t) {
  const struct history *h = e->h;
  const uint32_t w = writer_of(&e->m, version);
  const bool at_once = level_counts_session(problem_level(&e->p, t));
  const uint32_t end =
      at_once ? h->txn_first[t + 1] : h->rows->statements[s].first;
  bool is = (at_once || e->rc_sees_session) && e->m.session_order && w < t &&
            h->outcome[w] == OUTCOME_OK &&
            history_session(h, w) == history_session(h, t);
  for (uint32_t op = h->txn_first[t]; op < end && !is; op++)
    is = op_reads(h->kind[op]) && h->saw[op] < h->nops &&
         writer_of(&e->m, h->saw[op]) == w;
  return is && w != t;
}

static void add_edge_of_writer(struct engine_of_rows *e, uint32_t from,
                               uint32_t to) {
  ARRAY_RESERVE(e->edges, e->nedges, e->edges_room);
  e->edges[e->nedges++] =
      (struct node_edge){problem_commit(&e->p, writer_of(&e->m, from)),
                         problem_commit(&e->p, writer_of(&e->m, to))};
}

// Adds the edges of having found the version: the visible writers of the key
// come before its writer.  False: it cannot be.
static bool edges_before_version(struct engine_of_rows *e, uint32_t version,
                                 const struct ids *visible) {
  for (uint32_t i = 0; i < visible->count; i++) {
    if (visible->items[i] == version)
      continue;
    if (is_initial(&e->m, version))
      return false;
    add_edge_of_writer(e, visible->items[i], version);
  }
  return true;
}

// Its writer is visible as well: it comes before those that later reads of its
// keys read from.  False: it cannot be.
static bool edges_behind_version(struct engine_of_rows *e, uint32_t s,
                                 uint32_t t, uint32_t version) {
  const struct history *h = e->h;
  if (is_initial(&e->m, version))
    return true;
  const uint32_t w = writer_of(&e->m, version);
  const bool at_once = level_counts_session(problem_level(&e->p, t));
  uint32_t op = at_once ? h->txn_first[t] : h->rows->statements[s].end;
  for (; op < h->txn_first[t + 1]; op++) {
    const uint32_t saw = h->saw[op];
    if (!op_reads(h->kind[op]) ||
        (saw < h->nops &&
         (writer_of(&e->m, saw) == t || writer_of(&e->m, saw) == w)))
      continue;
    for (uint32_t own = h->txn_first[w]; own < h->txn_first[w + 1]; own++) {
      if (h->key[own] != h->key[op] || !is_final(&e->m, own))
        continue;
      if (saw >= h->nops)
        return false;
      add_edge_of_writer(e, own, saw);
    }
  }
  return true;
}

static void add_single(struct engine_of_rows *e, struct unseen u, uint32_t t,
                       uint32_t version, const struct ids *visible) {
  if (txn_of_version(e, version) == t || !may_miss_version(e, u, version))
    return;
  struct open_writer writer = {.read = e->nreads,
                               .commit = NO_ID,
                               .before = NO_ID,
                               .chain = NO_ID,
                               .version = version,
                               .first_edge = e->nedges};
  if (!is_initial(&e->m, version))
    writer.commit = problem_commit(&e->p, writer_of(&e->m, version));
  const bool can = edges_before_version(e, version, visible) &&
                   edges_behind_version(e, u.statement, t, version);
  writer.end_edge = e->nedges;
  if (!can) {
    e->nedges = writer.first_edge;
    return;
  }
  ARRAY_RESERVE(e->writers, e->nwriters, e->writers_room);
  e->writers[e->nwriters++] = writer;
}

void open_rows_add_explicit(struct engine_of_rows *e, struct unseen u,
                            uint32_t t) {
  const struct open_read read = {.event = problem_commit(&e->p, t),
                                 .own = NO_ID,
                                 .key = u.key,
                                 .first = e->nwriters};
  struct ids visible = {0};
  for (uint32_t i = e->final_first[u.key]; i < e->final_first[u.key + 1]; i++)
    if (is_visible_to(e, e->final_op[i], u.statement, t))
      ids_add(&visible, e->final_op[i]);
  add_single(e, u, t, e->h->nops + u.key, &visible);
  for (uint32_t i = e->final_first[u.key]; i < e->final_first[u.key + 1]; i++)
    add_single(e, u, t, e->final_op[i], &visible);
  free(visible.items);
  add_open_read(e, (struct blocked_row){u, t, false}, read);
}

uint32_t open_rows_version(const struct engine_of_rows *e, uint32_t writer) {
  return e->writers[writer].version;
}

// --- Dropping.

// Pairs of writers by their new numbers; NO_ID: the writer is gone.
static void renumber_pairs(struct engine_of_rows *e, const uint32_t *moved) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < e->nboth; i++) {
    struct edge_of_two both = e->both[i];
    both.first = moved[both.first];
    both.other = moved[both.other];
    if (both.first != NO_ID && both.other != NO_ID)
      e->both[n++] = both;
  }
  e->nboth = n;
}

void open_rows_drop(struct engine_of_rows *e, const uint8_t *marked) {
  uint32_t nreads = 0, nwriters = 0;
  uint32_t *moved = ids_none(e->nwriters);
  for (uint32_t r = 0; r < e->nreads; r++) {
    const struct open_read read = e->reads[r];
    if (marked[e->unseen[r].txn])
      continue;
    e->unseen[nreads] = e->unseen[r];
    e->reads[nreads] = read;
    e->reads[nreads].first = nwriters;
    for (uint32_t w = read.first; w < read.end; w++) {
      moved[w] = nwriters;
      e->writers[nwriters] = e->writers[w];
      e->writers[nwriters++].read = nreads;
    }
    e->reads[nreads++].end = nwriters;
  }
  renumber_pairs(e, moved);
  free(moved);
  e->nreads = nreads;
  e->nwriters = nwriters;
}
