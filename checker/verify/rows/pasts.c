// SPDX-License-Identifier: GPL-3.0-or-later
// Causal pasts (checker/verify/rows/pasts.h).
//
// A transaction that is no statement at a place of its own may have read
// whatever was current at its place: to those at CC after it all that had
// committed then is visible, which asks for no less than the axiom.
#include "config.h"

#include "checker/verify/rows/pasts.h"

#include "base/memory.h"
#include "checker/verify/levels.h"
#include "checker/verify/rows/latest_reads.h"

#include <assert.h>
#include <stdlib.h>

#define NOTHING UINT32_MAX
enum { CAUSAL_TXNS = 1 << 14 }; // whose pasts take 32 MB

static uint64_t *past_of(const struct pasts *p, uint32_t t) {
  return p->sets + (size_t)t * p->words;
}

// The transaction u, and its past, are in that of t.
static void add_past(const struct pasts *p, const struct visible *o, uint32_t t,
                     uint32_t u) {
  const uint64_t *more = past_of(p, u);
  uint64_t *past = past_of(p, t);
  for (uint32_t w = 0; w < p->words; w++)
    past[w] |= more[w];
  past[o->rank[u] / 64] |= UINT64_C(1) << o->rank[u] % 64;
}

static void add_visible_version(const struct pasts *p, const struct visible *o,
                                uint32_t t, uint32_t version) {
  if (version >= o->h->nops || o->txn_of[version] == t)
    return;
  const uint32_t u = o->txn_of[version];
  if (o->rank[u] != 0 && o->rank[u] < o->rank[t])
    add_past(p, o, t, u);
}

// How many of the order the transaction may have seen by where it stands.
static uint32_t prefix_of(const struct visible *o, uint32_t t) {
  const struct rows *rows = o->h->rows;
  const struct rows_proof *proof = o->proof;
  const enum isolation level = binding_level(o->h, o->options, t);
  const uint32_t at = o->rank[t] - 1, s = rows->txn_statement[t + 1];
  if (must_read_at_commit(level))
    return at;
  if (must_see_prefix(level) || must_see_reads_and_session(level))
    return proof->snapshot ? proof->snapshot[at] : 0;
  return must_see_earlier_reads(level) && proof->place &&
                 s > rows->txn_statement[t]
             ? proof->place[s - 1]
             : 0;
}

// Is the operation of a statement that read what was committed last?
static bool found_latest_committed(const struct visible *o, uint32_t op) {
  const uint32_t s = o->options->question.plain_reads
                         ? rows_statement(o->h->rows, op)
                         : ROWS_NONE;
  return s != ROWS_NONE && reads_latest(o->options, &o->h->rows->statements[s]);
}

// All that the transaction read, and may have read where it stands.
static void add_sources(const struct pasts *p, const struct visible *o,
                        uint32_t t) {
  const struct history *h = o->h;
  const uint32_t *statement = &h->rows->txn_statement[t];
  const uint32_t prefix = prefix_of(o, t);
  const bool reads = !proves_nothing(binding_level(h, o->options, t));
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1] && reads; op++)
    if (op_reads(h->kind[op]) && !found_latest_committed(o, op))
      add_visible_version(p, o, t, h->saw[op]);
  for (uint32_t i = visible_found(o->proof, statement[0]);
       i < o->proof->nfound && o->proof->found[i].statement < statement[1]; i++)
    add_visible_version(p, o, t, o->proof->found[i].version);
  for (uint32_t rank = 1; rank <= prefix && rank < o->rank[t]; rank++)
    past_of(p, t)[rank / 64] |= UINT64_C(1) << rank % 64;
}

// In the order, so that what a transaction read from has its past already.
int pasts_find(struct pasts *p, const struct visible *o,
               struct patience *patience, struct error *error) {
  const uint32_t n = o->proof->norder;
  if (n > CAUSAL_TXNS)
    return error_set(error,
                     "there are more than %d transactions, too many for "
                     "their causal pasts",
                     CAUSAL_TXNS);
  p->words = n / 64 + 1;
  p->sets = xcalloc((size_t)o->h->ntxns * p->words, sizeof *p->sets);
  for (uint32_t i = 0; i < n && !patience_ends(patience, n); i++) {
    const uint32_t t = o->proof->order[i];
    if (o->leader[t] != NOTHING)
      add_past(p, o, t, o->leader[t]);
    add_sources(p, o, t);
  }
  return 0;
}

void pasts_free(struct pasts *p) { free(p->sets); }

void pasts_show(const struct pasts *p, struct visible *o, uint32_t t) {
  const uint64_t *past = past_of(p, t);
  for (uint32_t rank = 1; rank < o->rank[t]; rank++)
    if (past[rank / 64] >> rank % 64 & 1)
      visible_show_txn(o, o->proof->order[rank - 1], 0);
}
