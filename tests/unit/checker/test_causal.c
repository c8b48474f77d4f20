// SPDX-License-Identifier: GPL-3.0-or-later
// Causal consistency where transactions of unknown outcome lead nobody in their
// session: what the engine demands, and which orders the verifier accepts, by
// the axiom as it is written, on histories of more sessions than clocks are
// kept of at once.
#include "config.h"

#include "base/memory.h"
#include "base/random.h"
#include "checker/verify/verify.h"
#include "checker/weak/saturate.h"
#include "recorder/builder/builder.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

enum {
  HISTORIES = 400,
  ORDERS = 8,
  TXNS = 120,
  SESSIONS = 48, // at most
  KEYS = 5,
  DELAY = 40 // of what is unknown, in transactions
};

typedef bool relation[TXNS][TXNS]; // [a][b]: b comes after a

// A transaction does at most one thing with each key.
struct planned {
  uint32_t session;
  bool unknown;
  unsigned moment; // of its commit
  enum { NOTHING, READS, WRITES, READS_AND_WRITES } does[KEYS];
  uint32_t saw[KEYS]; // 1 + transaction; 0: the initial value
};

struct execution {
  gsl_rng *random;
  struct planned txn[TXNS];
  uint32_t order[TXNS]; // by moment
  struct history h;
  struct model m;
  relation past; // what was observed
  relation must; // that and what the axiom demands of it
};

static unsigned below(gsl_rng *random, unsigned bound) {
  return (unsigned)gsl_rng_uniform_int(random, bound);
}

// --- An execution.

static int by_session(const void *a, const void *b) {
  const struct planned *x = a, *y = b;
  return x->session != y->session
             ? (x->session > y->session) - (x->session < y->session)
             : (x->moment > y->moment) - (x->moment < y->moment);
}

// Moments are those of what came before in the session, at first.
static void plan(struct execution *x) {
  const unsigned sessions = 2 + below(x->random, SESSIONS - 1);
  const unsigned rarity = 2u << below(x->random, 3);
  for (unsigned t = 0; t < TXNS; t++) {
    x->txn[t] = (struct planned){.session = below(x->random, sessions),
                                 .unknown = below(x->random, rarity) == 0,
                                 .moment = t * TXNS};
    for (unsigned key = 0; key < KEYS; key++)
      x->txn[t].does[key] = below(x->random, READS_AND_WRITES + 1);
  }
  qsort(x->txn, TXNS, sizeof *x->txn, by_session);
  for (unsigned t = 0; t < TXNS; t++)
    if (x->txn[t].unknown)
      x->txn[t].moment += below(x->random, DELAY) * TXNS + 1 + t % (TXNS - 1);
}

static void put_in_order(struct execution *x) {
  for (uint32_t t = 0; t < TXNS; t++) {
    uint32_t i = t;
    for (; i > 0 && x->txn[x->order[i - 1]].moment > x->txn[t].moment; i--)
      x->order[i] = x->order[i - 1];
    x->order[i] = t;
  }
}

// A version of the key by one of its last writers before `end` in the order.
static uint32_t some_version(struct execution *x, unsigned key, uint32_t end,
                             unsigned lag) {
  unsigned skip = below(x->random, lag);
  for (uint32_t i = end; i-- > 0;)
    if (x->txn[x->order[i]].does[key] & WRITES && skip-- == 0)
      return x->order[i] + 1;
  return 0;
}

static bool is_led(const struct execution *x, uint32_t t, uint32_t by) {
  return by < t && x->txn[by].session == x->txn[t].session &&
         !x->txn[by].unknown;
}

static void follow(relation past, uint32_t t, uint32_t other) {
  past[other][t] = true;
  for (uint32_t a = 0; a < TXNS; a++)
    past[a][t] |= past[a][other];
}

static void observe(struct execution *x, uint32_t t) {
  for (uint32_t other = 0; other < TXNS; other++)
    x->past[other][t] = false;
  for (uint32_t other = 0; other < t; other++)
    if (is_led(x, t, other))
      follow(x->past, t, other);
  for (unsigned key = 0; key < KEYS; key++)
    if (x->txn[t].does[key] & READS && x->txn[t].saw[key])
      follow(x->past, t, x->txn[t].saw[key] - 1);
}

// Does none that it had observed come, in the order, behind what it saw?
static bool keeps_order(const struct execution *x, uint32_t place) {
  const uint32_t t = x->order[place];
  for (unsigned key = 0; key < KEYS; key++)
    for (uint32_t i = place; x->txn[t].does[key] & READS && i-- > 0 &&
                             x->order[i] + 1 != x->txn[t].saw[key];)
      if (x->txn[x->order[i]].does[key] & WRITES && x->past[x->order[i]][t])
        return false;
  return true;
}

// If it is to be `right`, until its reads are.
static void run_txn(struct execution *x, uint32_t place, bool right) {
  const uint32_t t = x->order[place];
  unsigned lag = 6;
  do {
    for (unsigned key = 0; key < KEYS; key++)
      x->txn[t].saw[key] = some_version(x, key, place, lag);
    observe(x, t);
    lag -= lag > 1;
  } while (right && !keeps_order(x, place));
}

static void tell(const struct execution *x, struct builder *b, uint32_t t) {
  const struct planned *txn = &x->txn[t];
  builder_txn(b, txn->session, txn->unknown ? OUTCOME_UNKNOWN : OUTCOME_OK,
              ISOLATION_SER, TIME_UNKNOWN, TIME_UNKNOWN);
  for (unsigned key = 0; key < KEYS; key++) {
    if (txn->does[key] & READS)
      builder_op(b, OP_READ, key, txn->saw[key]);
    if (txn->does[key] & WRITES)
      builder_op(b, OP_WRITE, key, t + 1);
  }
}

static void execute(struct execution *x, bool right) {
  static const struct check_options options = {
      .question = {.level = ISOLATION_CC, .session_order = true}};
  struct error error;
  plan(x);
  put_in_order(x);
  memset(x->past, 0, sizeof x->past);
  for (uint32_t i = 0; i < TXNS; i++)
    run_txn(x, i, right);
  struct builder *b = builder_open();
  builder_options(b)->initial = INITIAL_IMPLICIT;
  for (uint32_t t = 0; t < TXNS; t++)
    tell(x, b, t);
  CHECK_INT(builder_finish(b, &x->h, &error), 0);
  CHECK_INT(x->h.ntxns, TXNS);
  CHECK_INT(model_build(&x->m, &x->h, &options, &error), 0);
}

// --- The axiom.

static void close_over(relation r) {
  for (uint32_t b = 0; b < TXNS; b++)
    for (uint32_t a = 0; a < TXNS; a++)
      for (uint32_t c = 0; r[a][b] && c < TXNS; c++)
        r[a][c] |= r[b][c];
}

static bool is_acyclic(relation closed) {
  bool acyclic = true;
  for (uint32_t t = 0; t < TXNS; t++)
    acyclic &= !closed[t][t];
  return acyclic;
}

// Unknown transactions that nobody read from do not count and are in no
// relation.
static void leave_out(const struct execution *x, relation r) {
  for (uint32_t a = 0; a < TXNS; a++)
    for (uint32_t b = 0; b < TXNS; b++)
      r[a][b] &= x->m.counted[a] && x->m.counted[b];
}

static void demand(struct execution *x, uint32_t t, unsigned key) {
  const uint32_t saw = x->txn[t].saw[key];
  for (uint32_t other = 0; other < TXNS; other++) {
    if (other == t || other + 1 == saw || !x->past[other][t] ||
        !(x->txn[other].does[key] & WRITES))
      continue;
    if (saw)
      x->must[other][saw - 1] = true;
    else
      x->must[t][other] = true;
  }
}

static void apply_axiom(struct execution *x) {
  leave_out(x, x->past);
  memcpy(x->must, x->past, sizeof x->must);
  for (uint32_t t = 0; t < TXNS; t++)
    for (unsigned key = 0; x->m.counted[t] && key < KEYS; key++)
      if (x->txn[t].does[key] & READS)
        demand(x, t, key);
  close_over(x->must);
}

// --- The engine.

static uint32_t list_counted(const struct execution *x, uint32_t *order) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < TXNS; i++)
    if (x->m.counted[x->order[i]])
      order[n++] = x->order[i];
  return n;
}

// Do the engine's demands lead to the same relation, or to a cycle as well?
static bool is_demanded(struct execution *x) {
  static relation r;
  uint32_t order[TXNS];
  struct demands demands = {0};
  const uint32_t n = list_counted(x, order);
  saturate(&x->m, ISOLATION_CC, order, n, &demands);
  memcpy(r, x->past, sizeof r);
  for (uint32_t i = 0; i < demands.count; i++)
    r[demands.items[i].before][demands.items[i].after] = true;
  close_over(r);
  demands_free(&demands);
  return is_acyclic(r) ? memcmp(r, x->must, sizeof r) == 0
                       : !is_acyclic(x->must);
}

static void engine(void) {
  static struct execution x;
  unsigned broken = 0, wrong = 0;
  x.random = random_stream(1, 1, RANDOM_TEST);
  for (unsigned i = 0; i < HISTORIES; i++) {
    execute(&x, i % 4 != 0);
    apply_axiom(&x);
    broken += !is_acyclic(x.must);
    wrong += !is_demanded(&x);
    model_free(&x.m);
    history_free(&x.h);
  }
  gsl_rng_free(x.random);
  CHECK_INT(wrong, 0);
  CHECK(broken > HISTORIES / 8 && broken <= HISTORIES / 4);
}

// --- The verifier.

static bool may_come_next(const struct execution *x, relation closed,
                          const bool *placed, uint32_t t) {
  bool may = x->m.counted[t] && !placed[t];
  for (uint32_t a = 0; a < TXNS && may; a++)
    may = !closed[a][t] || placed[a];
  return may;
}

// Some order that keeps an acyclic relation.
static uint32_t draw_order(struct execution *x, relation closed,
                           uint32_t *order) {
  bool placed[TXNS] = {false};
  uint32_t n = 0, candidates[TXNS];
  for (uint32_t found = 1; found; n += found > 0) {
    found = 0;
    for (uint32_t t = 0; t < TXNS; t++)
      if (may_come_next(x, closed, placed, t))
        candidates[found++] = t;
    if (found) {
      order[n] = candidates[below(x->random, found)];
      placed[order[n]] = true;
    }
  }
  return n;
}

// Puts one of them elsewhere, as far as what was observed lets it.
static void move_one(struct execution *x, uint32_t *order, uint32_t n) {
  uint32_t i = below(x->random, n);
  const uint32_t t = order[i];
  for (unsigned left = below(x->random, n);
       left > 0 && i + 1 < n && !x->past[t][order[i + 1]]; left--, i++)
    order[i] = order[i + 1];
  order[i] = t;
}

static bool keeps(relation r, const uint32_t *order, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = i + 1; k < n; k++)
      if (r[order[k]][order[i]])
        return false;
  return true;
}

struct count {
  unsigned accepted, refused, wrong;
};

static void try_orders(struct execution *x, struct count *count) {
  const struct check_options options = {
      .question = {.level = ISOLATION_CC, .session_order = true}};
  struct error error;
  uint32_t order[TXNS];
  for (unsigned i = 0; i < ORDERS; i++) {
    const uint32_t n = draw_order(x, x->must, order);
    if (i > 0)
      move_one(x, order, n);
    const struct verdict verdict = {
        .kind = VERDICT_PASS, .norder = n, .order = order};
    const bool accepted =
        !verify_weak(&x->h, x->m.counted, &options, &verdict, &error);
    count->accepted += accepted;
    count->refused += !accepted;
    count->wrong += accepted != keeps(x->must, order, n);
  }
}

static void verifier_accepts(void) {
  static struct execution x;
  struct count count = {0};
  x.random = random_stream(1, 2, RANDOM_TEST);
  for (unsigned i = 0; i < HISTORIES; i++) {
    execute(&x, true);
    apply_axiom(&x);
    try_orders(&x, &count);
    model_free(&x.m);
    history_free(&x.h);
  }
  gsl_rng_free(x.random);
  CHECK_INT(count.wrong, 0);
  CHECK(count.accepted > HISTORIES && count.refused > HISTORIES);
}

int main(void) {
  return TAP_RUN(
      {"the engine demands what the axiom does", engine},
      {"the verifier accepts what the axiom allows", verifier_accepts});
}
