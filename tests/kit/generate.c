// SPDX-License-Identifier: GPL-3.0-or-later
// Random tiny histories.  An interleaving of begins and commits is drawn, and a
// rule for which commits each transaction sees; some reads are then changed. So
// all levels are kept by some and broken by others.
#include "config.h"

#include "tests/kit/generate.h"

#include <assert.h>
#include <string.h>

enum { MAX_TXNS = 8 };

enum rule {        // what a transaction sees:
  RULE_AT_COMMIT,  // all that committed before it
  RULE_AT_BEGIN,   // all that had committed when it began
  RULE_FIRST_WINS, // as before, but RULE_AT_COMMIT if it were to lose an update
  RULE_STALE_BY_KEY, // of each key, some prefix of what committed before it
  RULE_COUNT
};

struct execution {
  gsl_rng *random;
  enum family family; // of what they do: not FAMILY_OUTCOME
  bool all_commit;
  struct tiny *tiny;
  unsigned nkeys;
  unsigned nvalues;                   // used so far, with the initial one
  unsigned rank[MAX_TXNS];            // position among the commits
  unsigned view[MAX_TXNS][TINY_KEYS]; // sees commits of a smaller rank
  bool installed[MAX_TXNS];           // took effect
};

static unsigned below(gsl_rng *random, unsigned bound) {
  return (unsigned)gsl_rng_uniform_int(random, bound);
}

static bool one_in(gsl_rng *random, unsigned bound) {
  return below(random, bound) == 0;
}

// --- What the transactions do.

static struct tiny_op *add_op(struct execution *x, struct tiny_txn *txn,
                              unsigned kind, unsigned key) {
  if (txn->nops == TINY_OPS)
    return NULL;
  struct tiny_op *op = &txn->op[txn->nops++];
  *op = (struct tiny_op){.kind = (uint8_t)kind, .key = (uint8_t)key};
  if (op_writes(kind))
    op->value = (uint8_t)x->nvalues++;
  return op;
}

static void plan_mini(struct execution *x, struct tiny_txn *txn) {
  const unsigned one = below(x->random, x->nkeys);
  const unsigned two = below(x->random, x->nkeys);
  add_op(x, txn, OP_READ, one);
  if (one_in(x->random, 2)) {
    add_op(x, txn, OP_READ, two);
    if (one_in(x->random, 2))
      add_op(x, txn, OP_WRITE, two);
  }
  if (!one_in(x->random, 3))
    add_op(x, txn, OP_WRITE, one);
}

static void plan_general(struct execution *x, struct tiny_txn *txn) {
  const unsigned nops = 1 + below(x->random, 4);
  for (unsigned i = 0; i < nops; i++)
    add_op(x, txn, one_in(x->random, 2) ? OP_READ : OP_WRITE,
           below(x->random, x->nkeys));
}

static void plan_append(struct execution *x, struct tiny_txn *txn) {
  const unsigned nops = 1 + below(x->random, 3);
  unsigned appends = 0;
  for (unsigned i = 0; i < nops; i++) {
    const bool append = appends < 2 && one_in(x->random, 2);
    appends += append;
    add_op(x, txn, append ? OP_APPEND : OP_READ_LIST,
           below(x->random, x->nkeys));
  }
}

static void plan_cas(struct execution *x, struct tiny_txn *txn) {
  add_op(x, txn, one_in(x->random, 4) ? OP_READ : OP_CAS,
         below(x->random, x->nkeys));
}

static void plan(struct execution *x, struct tiny_txn *txn) {
  switch (x->family) {
  case FAMILY_MINI:
    plan_mini(x, txn);
    break;
  case FAMILY_APPEND:
    plan_append(x, txn);
    break;
  case FAMILY_CAS:
    plan_cas(x, txn);
    break;
  default:
    plan_general(x, txn);
  }
}

// --- When.

static void set_view(struct execution *x, unsigned t, unsigned commits) {
  for (unsigned key = 0; key < TINY_KEYS; key++)
    x->view[t][key] = commits;
}

// Draws an interleaving of begins and commits; a session has one transaction
// open at a time.
static void interleave(struct execution *x) {
  struct tiny *tiny = x->tiny;
  bool begun[MAX_TXNS] = {0}, ended[MAX_TXNS] = {0};
  unsigned commits = 0;
  for (unsigned step = 1; commits < tiny->ntxns;) {
    const unsigned t = below(x->random, tiny->ntxns);
    if (ended[t] || (t > 0 && !ended[t - 1] &&
                     tiny->txn[t - 1].session == tiny->txn[t].session))
      continue;
    if (!begun[t]) {
      begun[t] = true;
      set_view(x, t, commits);
      tiny->txn[t].begin = 10 * step++;
    } else {
      ended[t] = true;
      x->rank[t] = commits++;
      tiny->txn[t].end = 10 * step++;
    }
  }
}

static bool writes(const struct tiny_txn *txn, unsigned key) {
  for (unsigned i = 0; i < txn->nops; i++)
    if (op_writes(txn->op[i].kind) && txn->op[i].key == key)
      return true;
  return false;
}

// Did a transaction that t does not see, but that committed before it, write
// one of its keys?
static bool would_lose_update(const struct execution *x, unsigned t) {
  const struct tiny_txn *txn = x->tiny->txn;
  for (unsigned o = 0; o < x->tiny->ntxns; o++)
    for (unsigned key = 0; key < x->nkeys; key++)
      if (x->rank[o] >= x->view[t][key] && x->rank[o] < x->rank[t] &&
          writes(&txn[o], key) && writes(&txn[t], key))
        return true;
  return false;
}

// After the interleaving, in which all see what had committed at their begin.
static void choose_views(struct execution *x) {
  const enum rule rule = below(x->random, RULE_COUNT);
  for (unsigned t = 0; t < x->tiny->ntxns; t++) {
    if (rule == RULE_AT_COMMIT ||
        (rule == RULE_FIRST_WINS && would_lose_update(x, t)))
      set_view(x, t, x->rank[t]);
    for (unsigned key = 0; rule == RULE_STALE_BY_KEY && key < x->nkeys; key++)
      x->view[t][key] = below(x->random, x->rank[t] + 1);
  }
}

// Turns the last transaction into one that begins after all others have
// committed and reads all lists, so that no append is left unread.
static void observe(struct execution *x) {
  const unsigned last = x->tiny->ntxns - 1u;
  struct tiny_txn *txn = &x->tiny->txn[last];
  txn->nops = 0;
  for (unsigned key = 0; key < x->nkeys; key++)
    add_op(x, txn, OP_READ_LIST, key);
  set_view(x, last, x->tiny->ntxns);
  txn->begin = 10 * (2 * x->tiny->ntxns + 1u);
  txn->end = txn->begin + 10;
}

// Makes some transactions seem longer or shorter than they were, with ties.
static void distort_times(struct execution *x) {
  for (unsigned t = 0; t < x->tiny->ntxns; t++) {
    struct tiny_txn *txn = &x->tiny->txn[t];
    if (!one_in(x->random, 3))
      continue;
    if (one_in(x->random, 2))
      txn->end += 10 * below(x->random, 4);
    else
      txn->begin -= txn->begin > 10 ? 10 : 0;
    if (one_in(x->random, 2) && txn->end - txn->begin > 10)
      txn->end -= 10;
  }
}

static void draw_outcomes(struct execution *x) {
  for (unsigned t = 0; t < x->tiny->ntxns; t++) {
    x->installed[t] = true;
    if (x->all_commit || !one_in(x->random, 3))
      continue;
    const bool aborted = one_in(x->random, 2);
    x->tiny->txn[t].outcome = aborted ? OUTCOME_ABORTED : OUTCOME_UNKNOWN;
    x->installed[t] = !aborted && one_in(x->random, 2);
  }
}

// --- What the reads see.

// The value of the key that transaction t sees, without its own writes.
static uint8_t seen_register(const struct execution *x, unsigned t,
                             unsigned key) {
  int best = -1;
  uint8_t value = 0;
  for (unsigned w = 0; w < x->tiny->ntxns; w++) {
    if (w == t || !x->installed[w] || x->rank[w] >= x->view[t][key] ||
        (int)x->rank[w] < best)
      continue;
    const struct tiny_txn *txn = &x->tiny->txn[w];
    for (unsigned i = 0; i < txn->nops; i++)
      if (op_writes(txn->op[i].kind) && txn->op[i].key == key) {
        value = txn->op[i].value;
        best = (int)x->rank[w];
      }
  }
  return value;
}

static void push(struct tiny_op *op, uint8_t value) {
  if (op->length < TINY_LIST)
    op->list[op->length++] = value;
}

// Adds the appends of the first `nops` operations of a transaction.
static void push_appends(struct tiny_op *op, const struct tiny_txn *txn,
                         unsigned nops) {
  for (unsigned i = 0; i < nops; i++)
    if (txn->op[i].kind == OP_APPEND && txn->op[i].key == op->key)
      push(op, txn->op[i].value);
}

static void see_list(const struct execution *x, unsigned t,
                     struct tiny_op *op) {
  for (unsigned rank = 0; rank < x->view[t][op->key]; rank++)
    for (unsigned w = 0; w < x->tiny->ntxns; w++)
      if (w != t && x->installed[w] && x->rank[w] == rank)
        push_appends(op, &x->tiny->txn[w], x->tiny->txn[w].nops);
}

// The value of an own write before the operation, or what is seen of others.
static uint8_t see_register(const struct execution *x, unsigned t, unsigned i) {
  const struct tiny_txn *txn = &x->tiny->txn[t];
  for (unsigned own = i; own-- > 0;)
    if (op_writes(txn->op[own].kind) && txn->op[own].key == txn->op[i].key)
      return txn->op[own].value;
  return seen_register(x, t, txn->op[i].key);
}

static void see(const struct execution *x, unsigned t, unsigned i) {
  struct tiny_txn *txn = &x->tiny->txn[t];
  struct tiny_op *op = &txn->op[i];
  if (op->kind == OP_READ)
    op->value = see_register(x, t, i);
  if (op->kind == OP_CAS)
    op->expected = see_register(x, t, i);
  if (op->kind == OP_READ_LIST) {
    see_list(x, t, op);
    push_appends(op, txn, i);
  }
}

// --- Near misses.

// Some value that was written to the key, the initial one, or now and then one
// that nobody wrote.
static uint8_t any_value(const struct execution *x, unsigned key) {
  uint8_t values[MAX_TXNS * TINY_OPS + 1];
  unsigned count = 0;
  values[count++] = 0;
  for (unsigned t = 0; t < x->tiny->ntxns; t++)
    for (unsigned i = 0; i < x->tiny->txn[t].nops; i++) {
      const struct tiny_op *op = &x->tiny->txn[t].op[i];
      if (op_writes(op->kind) && op->key == key)
        values[count++] = op->value;
    }
  if (one_in(x->random, 64))
    return (uint8_t)x->nvalues;
  return values[below(x->random, count)];
}

static void distort_list(const struct execution *x, struct tiny_op *op) {
  if (op->length == 0 || one_in(x->random, 8)) {
    push(op, any_value(x, op->key));
    if (op->length > 0 && op->list[op->length - 1] == 0)
      op->length--;
  } else if (one_in(x->random, 2)) {
    op->length--;
  } else {
    const unsigned one = below(x->random, op->length);
    const unsigned two = below(x->random, op->length);
    const uint8_t value = op->list[one];
    op->list[one] = op->list[two];
    op->list[two] = value;
  }
}

static void distort(const struct execution *x, struct tiny_op *op) {
  if (op->kind == OP_READ)
    op->value = any_value(x, op->key);
  if (op->kind == OP_CAS)
    op->expected = any_value(x, op->key);
  if (op->kind == OP_READ_LIST)
    distort_list(x, op);
}

// --- Gaps.

// A transaction that did nothing, in any session, at any time.
static void insert_empty(gsl_rng *random, struct tiny *tiny) {
  const unsigned place = below(random, tiny->ntxns + 1u);
  const unsigned next = place < tiny->ntxns ? place : place - 1;
  const uint32_t begin = 1 + below(random, 10 * tiny->ntxns);
  const struct tiny_txn empty = {.session = tiny->txn[next].session,
                                 .level = tiny->txn[next].level,
                                 .outcome = one_in(random, 8) ? OUTCOME_UNKNOWN
                                                              : OUTCOME_OK,
                                 .begin = begin,
                                 .end = begin + below(random, 20)};
  memmove(&tiny->txn[place + 1], &tiny->txn[place],
          (tiny->ntxns - place) * sizeof tiny->txn[0]);
  tiny->txn[place] = empty;
  tiny->ntxns++;
}

static void forget_times(gsl_rng *random, struct tiny *tiny) {
  for (unsigned t = 0; t < tiny->ntxns; t++) {
    if (one_in(random, 3))
      tiny->txn[t].begin = 0;
    if (one_in(random, 3))
      tiny->txn[t].end = 0;
  }
}

// --- Public.

const char *family_name(enum family family) {
  static const char *const names[FAMILY_COUNT] = {
      "mini-transactions", "general registers", "list append",
      "compare-and-set", "aborted and unknown"};
  return names[family];
}

void generate(gsl_rng *random, enum family family, unsigned max_txns,
              struct tiny *tiny) {
  assert(max_txns >= 2 && max_txns <= MAX_TXNS);
  struct execution x = {.random = random,
                        .family = family,
                        .all_commit = family != FAMILY_OUTCOME,
                        .tiny = tiny,
                        .nvalues = 1};
  if (family == FAMILY_OUTCOME)
    x.family = below(random, FAMILY_OUTCOME);
  x.nkeys = one_in(random, 5) ? 1 : 2 + below(random, 2);
  tiny->ntxns =
      (uint8_t)(one_in(random, 2) ? max_txns : 2 + below(random, max_txns - 1));
  for (unsigned t = 0; t < tiny->ntxns; t++) {
    tiny->txn[t] = (struct tiny_txn){.outcome = OUTCOME_OK};
    if (t > 0)
      tiny->txn[t].session =
          (uint8_t)(tiny->txn[t - 1].session + (one_in(random, 3) ? 0 : 1));
    plan(&x, &tiny->txn[t]);
  }
  interleave(&x);
  choose_views(&x);
  draw_outcomes(&x);
  if (x.family == FAMILY_APPEND && one_in(random, 2))
    observe(&x);
  const unsigned rarity = 4u << below(random, 3);
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++)
      see(&x, t, i);
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++)
      if (one_in(random, rarity))
        distort(&x, &tiny->txn[t].op[i]);
  if (one_in(random, 2))
    distort_times(&x);
}

void generate_gaps(gsl_rng *random, struct tiny *tiny) {
  for (unsigned n = 1 + below(random, 2); n > 0; n--)
    insert_empty(random, tiny);
  forget_times(random, tiny);
}
