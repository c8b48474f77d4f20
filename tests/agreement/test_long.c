// SPDX-License-Identifier: GPL-3.0-or-later
// Tiny histories one after the other, by the same sessions and with keys of
// their own, make a long one that keeps a level below PC if each of them does,
// by the referee.  If not, what is wrong with one of them is found.
#include "config.h"

#include "base/random.h"
#include "recorder/builder/builder.h"
#include "tests/kit/compare.h"
#include "tests/kit/generate.h"
#include "tests/tap.h"

#include <gsl/gsl_randist.h>
#include <string.h>

enum {
  HISTORIES = 3000,
  PIECES = 24,
  MAX_BROKEN = 2, // of them
  MAX_TXNS = 5,
  PIECE_NS = 100000
};

// --- A long history.

static uint64_t value_in_piece(unsigned piece, unsigned value) {
  return value ? piece * (uint64_t)TINY_VALUES + value : 0;
}

static void tell_op(struct builder *b, unsigned piece,
                    const struct tiny_op *op) {
  const uint64_t key = piece * (uint64_t)TINY_KEYS + op->key;
  const uint64_t value = value_in_piece(piece, op->value);
  if (op->kind == OP_CAS)
    builder_cas(b, key, value_in_piece(piece, op->expected), value);
  else
    builder_op(b, (enum op_kind)op->kind, key, value);
}

static void tell(struct builder *b, unsigned piece, const struct tiny *tiny) {
  const uint64_t start = piece * (uint64_t)PIECE_NS;
  for (unsigned t = 0; t < tiny->ntxns; t++) {
    const struct tiny_txn *txn = &tiny->txn[t];
    builder_txn(b, txn->session, (enum outcome)txn->outcome, ISOLATION_NONE,
                start + txn->begin, start + txn->end);
    for (unsigned i = 0; i < txn->nops; i++)
      tell_op(b, piece, &txn->op[i]);
  }
}

static bool put_in_a_row(const struct tiny *pieces, struct history *h) {
  struct builder *b = builder_open();
  struct error error;
  for (unsigned i = 0; i < PIECES; i++)
    tell(b, i, &pieces[i]);
  return CHECK(builder_finish(b, h, &error) == 0);
}

static bool has_lists(const struct tiny *tiny) {
  bool lists = false;
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++)
      lists |= op_is_list(tiny->txn[t].op[i].kind);
  return lists;
}

static void draw(gsl_rng *random, enum family family, struct tiny *piece) {
  do
    generate(random, family, MAX_TXNS, piece);
  while (has_lists(piece));
}

// --- The comparison.

static void tell_broken(const struct tiny *pieces,
                        struct compared_question question) {
  for (unsigned i = 0; i < PIECES; i++) {
    char text[4096];
    if (referee_keeps(&pieces[i], question))
      continue;
    tiny_print(&pieces[i], text, sizeof text);
    printf("# broken at %s:\n", isolation_name(question.level));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
      printf("#   %s\n", line);
  }
}

// One long history; returns how many of its pieces break the level.
static unsigned compare_one(gsl_rng *random, enum family family,
                            struct compared_question question) {
  const struct check_options options = {
      .question = {.level = question.level,
                   .session_order = question.session_order},
      .max_examples = 1};
  struct tiny pieces[PIECES];
  struct history h;
  struct verdict v;
  struct error error;
  unsigned broken = 0;
  for (unsigned i = 0; i < PIECES; i++) {
    do
      draw(random, family, &pieces[i]);
    while (broken == MAX_BROKEN && !referee_keeps(&pieces[i], question));
    broken += !referee_keeps(&pieces[i], question);
  }
  gsl_ran_shuffle(random, pieces, PIECES, sizeof *pieces);
  if (!put_in_a_row(pieces, &h))
    return 0;
  const bool right =
      CHECK(check(&h, &options, &v, &error) == 0) &&
      CHECK((v.kind == VERDICT_PASS) == (broken == 0)) &&
      (!broken ||
       (CHECK(v.kind == VERDICT_VIOLATION) && CHECK(v.found[v.anomaly] > 0) &&
        CHECK(v.counts.committed > 4 * PIECES / 5) &&
        CHECK(referee_finds_minimal(&h, question, &v))));
  if (!right)
    tell_broken(pieces, question);
  verdict_free(&v);
  history_free(&h);
  return broken;
}

static void agree_at(enum isolation level) {
  static const enum family families[] = {FAMILY_MINI, FAMILY_GENERAL,
                                         FAMILY_CAS, FAMILY_OUTCOME};
  const unsigned n = tap_inputs(HISTORIES, 10);
  gsl_rng *random = random_stream(9, (unsigned)level, RANDOM_TEST);
  unsigned broken = 0;
  for (unsigned i = 0; i < n; i++) {
    const struct compared_question question = {.level = level,
                                               .session_order = i % 8 != 0};
    broken += compare_one(random, families[i % 4], question) > 0;
  }
  CHECK(broken > n / 2);
  gsl_rng_free(random);
}

static void at_rc(void) { agree_at(ISOLATION_RC); }
static void at_ra(void) { agree_at(ISOLATION_RA); }
static void at_cc(void) { agree_at(ISOLATION_CC); }

int main(void) {
  return TAP_RUN({"long histories at read committed", at_rc},
                 {"long histories at read atomic", at_ra},
                 {"long histories at causal consistency", at_cc});
}
