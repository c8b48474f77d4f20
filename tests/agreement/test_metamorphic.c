// SPDX-License-Identifier: GPL-3.0-or-later
// Changes of a history that must not change a verdict: other names of keys,
// values and sessions, a transaction that has nothing to do with the others, an
// aborted one that nobody read, another history beside it.  And what follows
// from one: the weaker levels, all levels at once.
#include "config.h"

#include "base/random.h"
#include "checker/auto_level.h"
#include "tests/kit/generate.h"
#include "tests/tap.h"

#include <assert.h>
#include <gsl/gsl_randist.h>
#include <stdlib.h>
#include <string.h>

enum { HISTORIES = 3000, MAX_TXNS = 6, FREE_KEY = TINY_KEYS - 1 };

// The verdicts on one history, by level.
struct kinds {
  enum verdict_kind at[ISOLATION_COUNT];
};

static struct check_options some_options(gsl_rng *random) {
  return (struct check_options){
      .question = {.session_order = gsl_rng_uniform_int(random, 4) != 0,
                   .real_time = gsl_rng_uniform_int(random, 4) == 0}};
}

static struct kinds kinds_of(const struct tiny *tiny,
                             struct check_options options) {
  struct kinds kinds;
  struct tiny_history room;
  const struct history *h = tiny_history(tiny, &room);
  memset(&kinds, 0, sizeof kinds);
  for (options.question.level = ISOLATION_RC;
       options.question.level <= ISOLATION_SSER; options.question.level++) {
    struct verdict verdict;
    struct error error;
    if (!CHECK(check(h, &options, &verdict, &error) == 0))
      printf("# %s\n", error.text);
    kinds.at[options.question.level] = verdict.kind;
    verdict_free(&verdict);
  }
  return kinds;
}

static void tell(const struct tiny *tiny) {
  char text[4096];
  tiny_print(tiny, text, sizeof text);
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
    printf("#   %s\n", line);
}

// --- Changes.  Each returns false where it cannot be made.

static bool rename_keys(gsl_rng *random, struct tiny *tiny) {
  uint8_t names[TINY_KEYS] = {0, 1, 2, 3};
  gsl_ran_shuffle(random, names, TINY_KEYS, sizeof *names);
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++)
      tiny->txn[t].op[i].key = names[tiny->txn[t].op[i].key];
  return true;
}

static bool rename_values(gsl_rng *random, struct tiny *tiny) {
  uint8_t names[TINY_VALUES];
  for (unsigned v = 0; v < TINY_VALUES; v++)
    names[v] = (uint8_t)v;
  gsl_ran_shuffle(random, names + 1, TINY_VALUES - 1, sizeof *names);
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++) {
      struct tiny_op *op = &tiny->txn[t].op[i];
      op->value = names[op->value];
      op->expected = names[op->expected];
      for (unsigned e = 0; e < op->length; e++)
        op->list[e] = names[op->list[e]];
    }
  return true;
}

// The last session becomes the first one, and so on.
static bool rename_sessions(gsl_rng *random, struct tiny *tiny) {
  (void)random;
  const struct tiny old = *tiny;
  unsigned n = 0;
  for (unsigned end = old.ntxns; end > 0;) {
    unsigned first = end - 1;
    while (first > 0 && old.txn[first - 1].session == old.txn[first].session)
      first--;
    for (unsigned t = first; t < end; t++) {
      tiny->txn[n] = old.txn[t];
      tiny->txn[n++].session = (uint8_t)(TINY_TXNS - old.txn[t].session);
    }
    end = first;
  }
  return true;
}

static uint8_t unused_value(const struct tiny *tiny) {
  uint8_t value = 1;
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++) {
      const struct tiny_op *op = &tiny->txn[t].op[i];
      value = op->value >= value ? op->value + 1 : value;
      value = op->expected >= value ? op->expected + 1 : value;
      for (unsigned e = 0; e < op->length; e++)
        value = op->list[e] >= value ? op->list[e] + 1 : value;
    }
  assert(value < TINY_VALUES);
  return value;
}

static struct tiny_txn *add_txn(struct tiny *tiny) {
  struct tiny_txn *txn = &tiny->txn[tiny->ntxns];
  *txn = (struct tiny_txn){.session = txn[-1].session + 1};
  tiny->ntxns++;
  return txn;
}

static bool add_unrelated(gsl_rng *random, struct tiny *tiny) {
  (void)random;
  const uint8_t value = unused_value(tiny);
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++)
      if (tiny->txn[t].op[i].key == FREE_KEY)
        return false;
  struct tiny_txn *txn = add_txn(tiny);
  txn->op[txn->nops++] = (struct tiny_op){.kind = OP_READ, .key = FREE_KEY};
  txn->op[txn->nops++] =
      (struct tiny_op){.kind = OP_WRITE, .key = FREE_KEY, .value = value};
  return true;
}

// It reads what it likes and writes what nobody reads.
static bool add_aborted(gsl_rng *random, struct tiny *tiny) {
  const uint8_t value = unused_value(tiny);
  bool lists = false;
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++)
      lists |= op_is_list(tiny->txn[t].op[i].kind);
  struct tiny_txn *txn = add_txn(tiny);
  txn->outcome = OUTCOME_ABORTED;
  if (!lists)
    txn->op[txn->nops++] = (struct tiny_op){
        .kind = OP_READ, .value = (uint8_t)gsl_rng_uniform_int(random, value)};
  txn->op[txn->nops++] =
      (struct tiny_op){.kind = lists ? OP_APPEND : OP_WRITE, .value = value};
  return true;
}

static void nothing_changes(bool (*change)(gsl_rng *, struct tiny *)) {
  const unsigned n = tap_inputs(HISTORIES, 20);
  gsl_rng *random = random_stream(7, 0, RANDOM_TEST);
  unsigned changed = 0;
  for (unsigned i = 0; i < n; i++) {
    struct tiny before, after;
    const struct check_options options = some_options(random);
    generate(random, i % FAMILY_COUNT, MAX_TXNS, &before);
    after = before;
    if (!change(random, &after))
      continue;
    const struct kinds one = kinds_of(&before, options);
    const struct kinds two = kinds_of(&after, options);
    changed++;
    if (CHECK(!memcmp(&one, &two, sizeof one)))
      continue;
    tell(&before);
    tell(&after);
  }
  CHECK(changed > n / 2);
  gsl_rng_free(random);
}

// --- Several histories in one.

// Puts the other one beside it: other sessions, keys and values.
static void put_beside(struct tiny *tiny, const struct tiny *other) {
  const uint8_t session = (uint8_t)(tiny->txn[tiny->ntxns - 1].session + 1);
  const uint8_t value = (uint8_t)(unused_value(tiny) - 1);
  for (unsigned t = 0; t < other->ntxns; t++) {
    struct tiny_txn *txn = &tiny->txn[tiny->ntxns++];
    *txn = other->txn[t];
    txn->session = (uint8_t)(txn->session + session);
    for (unsigned i = 0; i < txn->nops; i++) {
      struct tiny_op *op = &txn->op[i];
      op->key = (uint8_t)(op->key + TINY_KEYS / 2);
      op->value = (uint8_t)(op->value + (op->value ? value : 0));
      op->expected = (uint8_t)(op->expected + (op->expected ? value : 0));
      for (unsigned e = 0; e < op->length; e++)
        op->list[e] = (uint8_t)(op->list[e] + value);
    }
  }
}

static bool uses_key(const struct tiny *tiny, unsigned key) {
  bool uses = false;
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++)
      uses |= tiny->txn[t].op[i].key == key;
  return uses;
}

static void generate_narrow(gsl_rng *random, unsigned family,
                            struct tiny *tiny) {
  do
    generate(random, family, MAX_TXNS - 2, tiny);
  while (uses_key(tiny, 2) || uses_key(tiny, 3));
}

// Two histories that share nothing keep a level together if each does.  Not so
// in real time, which orders the transactions of one by those of the other.
static void beside(void) {
  const unsigned n = tap_inputs(HISTORIES, 1);
  gsl_rng *random = random_stream(7, 2, RANDOM_TEST);
  unsigned mixed = 0;
  for (unsigned i = 0; i < n; i++) {
    struct tiny one, other, both;
    struct check_options options = some_options(random);
    options.question.real_time = false;
    generate_narrow(random, i % FAMILY_COUNT, &one);
    generate_narrow(random, i % FAMILY_COUNT, &other);
    both = one;
    put_beside(&both, &other);
    const struct kinds a = kinds_of(&one, options);
    const struct kinds b = kinds_of(&other, options);
    const struct kinds c = kinds_of(&both, options);
    bool right = true;
    for (enum isolation level = ISOLATION_RC; level < ISOLATION_SSER; level++) {
      const bool kept =
          a.at[level] == VERDICT_PASS && b.at[level] == VERDICT_PASS;
      right &= CHECK((c.at[level] == VERDICT_PASS) == kept);
      mixed += a.at[level] != b.at[level];
    }
    if (!right)
      tell(&both);
  }
  CHECK(mixed > n / 2);
  gsl_rng_free(random);
}

static void keys(void) { nothing_changes(rename_keys); }
static void values(void) { nothing_changes(rename_values); }
static void sessions(void) { nothing_changes(rename_sessions); }
static void unrelated(void) { nothing_changes(add_unrelated); }
static void aborted(void) { nothing_changes(add_aborted); }

// --- What follows.

static void compare_card(const struct tiny *tiny,
                         const struct check_options *options,
                         const struct kinds *kinds) {
  struct tiny_history room;
  struct auto_level card;
  struct error error;
  bool right = CHECK(
      auto_level_fill(&card, tiny_history(tiny, &room), options, &error) == 0);
  for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SSER; level++) {
    const struct verdict *verdict = auto_level_at(&card, level);
    right &= CHECK(card.score[level].kind == kinds->at[level]);
    right &= CHECK(verdict->kind == kinds->at[level]);
    right &=
        CHECK(verdict->kind == VERDICT_PASS ? verdict->question.level >= level
                                            : verdict->question.level <= level);
    right &= CHECK((card.score[level].kind == VERDICT_PASS) ==
                   (level <= card.strongest));
  }
  if (!right)
    tell(tiny);
  auto_level_free(&card);
}

static void cards(void) {
  const unsigned n = tap_inputs(HISTORIES, 20);
  gsl_rng *random = random_stream(8, 0, RANDOM_TEST);
  unsigned kept[ISOLATION_COUNT] = {0};
  for (unsigned i = 0; i < n; i++) {
    struct tiny tiny;
    const struct check_options options = some_options(random);
    generate(random, i % FAMILY_COUNT, MAX_TXNS, &tiny);
    const struct kinds kinds = kinds_of(&tiny, options);
    for (enum isolation l = ISOLATION_RC; l <= ISOLATION_SSER; l++) {
      kept[l] += kinds.at[l] == VERDICT_PASS;
      if (l < ISOLATION_SSER && kinds.at[l] != VERDICT_PASS &&
          !CHECK(kinds.at[l + 1] != VERDICT_PASS))
        tell(&tiny);
    }
    compare_card(&tiny, &options, &kinds);
  }
  for (enum isolation l = ISOLATION_RC; l <= ISOLATION_SSER; l++)
    CHECK(kept[l] > n / 50 && kept[l] < n - n / 50);
  gsl_rng_free(random);
}

int main(void) {
  return TAP_RUN(
      {"renamed keys change no verdict", keys},
      {"renamed values change no verdict", values},
      {"renamed sessions change no verdict", sessions},
      {"an unrelated transaction", unrelated},
      {"an aborted transaction that nobody read", aborted},
      {"two histories in one", beside},
      {"weaker levels follow, and the check of all levels says so", cards});
}
