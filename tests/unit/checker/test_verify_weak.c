// SPDX-License-Identifier: GPL-3.0-or-later
// The execution of commit orders at RC, RA and CC against the axioms written
// down as plainly as they are in dbcop's figure 2, or of lists against the
// referee: any order of random small histories is accepted if, and only if, it
// keeps them.
#include "config.h"

#include "base/random.h"
#include "checker/verify/referee.h"
#include "checker/verify/verify.h"
#include "tests/kit/generate.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

enum { HISTORIES = 20000, ORDERS = 24, MAX_TXNS = 6, MAX_LIST_TXNS = 5 };

struct oracle {
  const struct history *h;
  enum isolation level;
  bool session_order;
  uint32_t place[TINY_TXNS];
  uint32_t txn_of[TINY_TXNS * TINY_OPS];
  bool past[TINY_TXNS][TINY_TXNS];     // [a][b]: b follows a, directly
  bool any_past[TINY_TXNS][TINY_TXNS]; // or through others
};

static uint32_t own_write_before(const struct oracle *o, uint32_t op) {
  const struct history *h = o->h;
  uint32_t own = UINT32_MAX;
  for (uint32_t i = h->txn_first[o->txn_of[op]]; i < op; i++)
    if (op_writes(h->kind[i]) && h->key[i] == h->key[op])
      own = i;
  return own;
}

static bool is_external(const struct oracle *o, uint32_t op) {
  return op_reads(o->h->kind[op]) && own_write_before(o, op) == UINT32_MAX;
}

// The transaction's last write to the key; UINT32_MAX: none.
static uint32_t final_write(const struct oracle *o, uint32_t t, uint32_t key) {
  uint32_t last = UINT32_MAX;
  for (uint32_t i = o->h->txn_first[t]; i < o->h->txn_first[t + 1]; i++)
    if (op_writes(o->h->kind[i]) && o->h->key[i] == key)
      last = i;
  return last;
}

static void relate(struct oracle *o) {
  const struct history *h = o->h;
  for (uint32_t op = 0; op < h->nops; op++)
    if (is_external(o, op) && h->saw[op] < h->nops)
      o->past[o->txn_of[h->saw[op]]][o->txn_of[op]] = true;
  for (uint32_t s = 0; s < h->nsessions && o->session_order; s++)
    for (uint32_t a = h->session_first[s]; a < h->session_first[s + 1]; a++)
      for (uint32_t b = a + 1; b < h->session_first[s + 1]; b++)
        o->past[a][b] = true;
  memcpy(o->any_past, o->past, sizeof o->past);
  for (uint32_t b = 0; b < h->ntxns; b++)
    for (uint32_t a = 0; a < h->ntxns; a++)
      for (uint32_t c = 0; c < h->ntxns; c++)
        o->any_past[a][c] |= o->any_past[a][b] && o->any_past[b][c];
}

static bool had_observed(const struct oracle *o, uint32_t other,
                         uint32_t read) {
  const struct history *h = o->h;
  const uint32_t t = o->txn_of[read];
  bool observed = false;
  if (o->level == ISOLATION_CC)
    return o->any_past[other][t];
  if (o->level == ISOLATION_RA)
    return o->past[other][t];
  for (uint32_t op = h->txn_first[t]; op < read; op++)
    observed |= is_external(o, op) && h->saw[op] < h->nops &&
                o->txn_of[h->saw[op]] == other;
  return observed;
}

static bool read_is_right(const struct oracle *o, uint32_t op) {
  const struct history *h = o->h;
  const uint32_t t = o->txn_of[op], saw = h->saw[op];
  if (!is_external(o, op))
    return saw == own_write_before(o, op);
  if (saw != SAW_INITIAL && (saw >= h->nops || o->txn_of[saw] == t ||
                             final_write(o, o->txn_of[saw], h->key[op]) != saw))
    return false;
  for (uint32_t other = 0; other < h->ntxns; other++) {
    if (other == t || final_write(o, other, h->key[op]) == UINT32_MAX ||
        !had_observed(o, other, op))
      continue;
    if (saw == SAW_INITIAL || o->place[other] > o->place[o->txn_of[saw]])
      return false;
  }
  return true;
}

static bool is_kept(struct oracle *o, const uint32_t *order) {
  const struct history *h = o->h;
  for (uint32_t i = 0; i < h->ntxns; i++)
    o->place[order[i]] = i;
  for (uint32_t a = 0; a < h->ntxns; a++)
    for (uint32_t b = 0; b < h->ntxns; b++)
      if (o->past[a][b] && o->place[a] >= o->place[b])
        return false;
  for (uint32_t op = 0; op < h->nops; op++)
    if (op_reads(h->kind[op]) && !read_is_right(o, op))
      return false;
  return true;
}

static void shuffle(gsl_rng *random, uint32_t *order, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    order[i] = i;
  for (uint32_t i = n; i > 1; i--) {
    const uint32_t j = (uint32_t)gsl_rng_uniform_int(random, i);
    const uint32_t was = order[i - 1];
    order[i - 1] = order[j];
    order[j] = was;
  }
}

struct count {
  unsigned accepted, refused, wrong;
};

// Asks the referee about an order of a history of lists.
static bool referee_accepts(const struct oracle *o, const uint32_t *order) {
  const struct referee_options options = {.level = o->level,
                                          .session_order = o->session_order};
  return referee_order_keeps(o->h, &options, order, o->h->ntxns);
}

static void try_orders(gsl_rng *random, struct oracle *o, struct count *count) {
  const struct history *h = o->h;
  const struct check_options options = {
      .question = {.level = o->level, .session_order = o->session_order}};
  const uint8_t counted[TINY_TXNS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  uint32_t order[TINY_TXNS];
  struct verdict verdict = {
      .kind = VERDICT_PASS, .norder = h->ntxns, .order = order};
  for (int i = 0; i < ORDERS; i++) {
    struct error error;
    shuffle(random, order, h->ntxns);
    const bool kept = h->lists ? referee_accepts(o, order) : is_kept(o, order);
    const bool accepted = !verify_pass(h, counted, &options, &verdict, &error);
    count->accepted += accepted;
    count->refused += !accepted;
    count->wrong += accepted != kept;
  }
}

static void agree_about(enum family family, enum isolation level,
                        bool session_order) {
  const bool lists = family == FAMILY_APPEND;
  gsl_rng *random = random_stream(1, level, RANDOM_TEST);
  const unsigned histories = tap_inputs(HISTORIES, 10);
  struct count count = {0};
  for (unsigned i = 0; i < histories; i++) {
    struct tiny tiny;
    struct tiny_history room;
    generate(random, family, lists ? MAX_LIST_TXNS : MAX_TXNS, &tiny);
    struct oracle o = {.h = tiny_history(&tiny, &room),
                       .level = level,
                       .session_order = session_order};
    for (uint32_t t = 0; t < o.h->ntxns; t++)
      for (uint32_t op = o.h->txn_first[t]; op < o.h->txn_first[t + 1]; op++)
        o.txn_of[op] = t;
    if (!lists)
      relate(&o);
    try_orders(random, &o, &count);
  }
  gsl_rng_free(random);
  CHECK_INT(count.wrong, 0);
  CHECK(count.accepted > histories / 10 && count.refused > histories / 10);
}

static void agree_at(enum isolation level, bool session_order) {
  agree_about(FAMILY_GENERAL, level, session_order);
  agree_about(FAMILY_APPEND, level, session_order);
}

static void read_committed(void) {
  agree_at(ISOLATION_RC, true);
  agree_at(ISOLATION_RC, false);
}

static void read_atomic(void) {
  agree_at(ISOLATION_RA, true);
  agree_at(ISOLATION_RA, false);
}

static void causal_consistency(void) {
  agree_at(ISOLATION_CC, true);
  agree_at(ISOLATION_CC, false);
}

int main(void) {
  return TAP_RUN({"proofs of read committed", read_committed},
                 {"proofs of read atomic", read_atomic},
                 {"proofs of causal consistency", causal_consistency});
}
