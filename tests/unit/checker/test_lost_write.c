// SPDX-License-Identifier: GPL-3.0-or-later
// Appends that were acknowledged and lost: random stores that lose some are
// told so, with the count, and nothing is told lost that somebody read.
#include "config.h"

#include "base/memory.h"
#include "base/random.h"
#include "checker/verdict/verdict.h"
#include "checker/verify/verify.h"
#include "recorder/builder/builder.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

enum { HISTORIES = 4000, KEYS = 2, SESSIONS = 3, ROOM = 64 };

// --- A store that is serial, but for what it loses.

struct store {
  gsl_rng *random;
  struct builder *b;
  uint64_t list[KEYS][ROOM];
  size_t count[KEYS];
  uint64_t now, value;
};

static uint32_t draw(struct store *s, uint32_t below) {
  return (uint32_t)gsl_rng_uniform_int(s->random, below);
}

// Makes a transaction that appends, or reads, or both.
static void make_txn(struct store *s, bool lose, bool overlap) {
  static const enum outcome outcomes[] = {OUTCOME_OK, OUTCOME_OK, OUTCOME_OK,
                                          OUTCOME_UNKNOWN};
  const uint64_t begin = overlap && s->now > 3 ? s->now - 3 : s->now;
  const uint32_t key = draw(s, KEYS), does = 1 + draw(s, 3);
  builder_txn(s->b, draw(s, SESSIONS), outcomes[draw(s, 4)], ISOLATION_NONE,
              begin, s->now + 1);
  if (does & 1)
    builder_list(s->b, key, s->list[key], s->count[key]);
  if (does & 2)
    builder_op(s->b, OP_APPEND, key, ++s->value);
  if (does & 2 && !lose)
    s->list[key][s->count[key]++] = s->value;
  s->now += 2;
}

static void make_history(struct history *h, uint64_t seed) {
  struct store s = {.random = random_stream(seed, 0, RANDOM_TEST),
                    .b = builder_open()};
  struct error error;
  for (uint32_t i = 4 + draw(&s, 9); i > 0; i--)
    make_txn(&s, draw(&s, 4) == 0, draw(&s, 3) == 0);
  CHECK(builder_finish(s.b, h, &error) == 0);
  gsl_rng_free(s.random);
}

// --- The same, from the operations.

static bool shows(const struct history *h, uint32_t read, uint32_t append) {
  bool found = false;
  for (uint32_t i = h->list[h->saw[read]].first;
       i < history_list_end(h, h->saw[read]); i++)
    found |= h->element[i] == append;
  return found;
}

// By another transaction than the one that made it, and than `but`.
static bool was_read(const struct history *h, uint32_t append, uint32_t but) {
  uint32_t nlost;
  uint8_t *counted = history_counted(h, &nlost);
  bool found = false;
  for (uint32_t op = 0; op < h->nops; op++)
    found |= h->kind[op] == OP_READ_LIST && counted[history_txn(h, op)] &&
             history_txn(h, op) != but &&
             history_txn(h, op) != history_txn(h, append) &&
             shows(h, op, append);
  free(counted);
  return found;
}

static bool comes_later(const struct history *h, uint32_t t, uint32_t u,
                        bool time) {
  return (t < u && history_session(h, t) == history_session(h, u)) ||
         (time && h->end[t] < h->begin[u]);
}

static bool is_lost(const struct history *h, uint32_t append, bool time) {
  const uint32_t t = history_txn(h, append);
  bool found = false;
  for (uint32_t op = 0; op < h->nops; op++)
    found |= h->kind[op] == OP_APPEND && h->key[op] == h->key[append] &&
             was_read(h, op, t) && comes_later(h, t, history_txn(h, op), time);
  return found && h->kind[append] == OP_APPEND && h->outcome[t] == OUTCOME_OK &&
         !was_read(h, append, t);
}

static uint32_t count_lost(const struct history *h, bool time) {
  uint32_t n = 0;
  for (uint32_t op = 0; op < h->nops; op++)
    n += is_lost(h, op, time);
  return n;
}

// --- Comparing.

static uint32_t missed_by(const struct verdict *v) {
  uint32_t i = 0;
  while (i < v->nedges && v->edges[i].kind != EDGE_WW &&
         v->edges[i].kind != EDGE_RW)
    i++;
  return i < v->nedges ? v->edges[i].to_op : UINT32_MAX;
}

// A write that is told lost was committed, and nobody read it.
static void check_told(const struct history *h, const struct verdict *v) {
  for (uint32_t i = 0; i <= v->nothers; i++) {
    const struct verdict *told = i ? &v->others[i - 1] : v;
    if (told->anomaly != ANOMALY_LOST_WRITE)
      continue;
    const uint32_t op = missed_by(told);
    if (CHECK(op < h->nops && h->kind[op] == OP_APPEND))
      CHECK(!was_read(h, op, UINT32_MAX) &&
            h->outcome[history_txn(h, op)] == OUTCOME_OK);
  }
}

// Adds how often one was told.  Where time alone says that it is lost, a lost
// update may show it with fewer transactions.
static void compare(const struct history *h, uint64_t seed,
                    const struct check_options *options, uint32_t *ntold) {
  const bool time = options->question.level >= ISOLATION_SI &&
                    (options->question.real_time ||
                     options->question.level == ISOLATION_SSER);
  const uint32_t wanted = count_lost(h, time);
  struct verdict v;
  struct error error;
  if (!CHECK(check(h, options, &v, &error) == 0)) {
    printf("# seed %d: %s\n", (int)seed, error.text);
    return;
  }
  const uint32_t found = v.found[ANOMALY_LOST_WRITE];
  const bool told = v.kind == VERDICT_VIOLATION && v.op == UINT32_MAX;
  if (!CHECK(!wanted || (v.kind == VERDICT_VIOLATION && found >= wanted)) ||
      !CHECK(!wanted || !told || v.anomaly == ANOMALY_LOST_WRITE ||
             (time && v.anomaly == ANOMALY_LOST_UPDATE)))
    printf("# seed %d at %s: %d lost, %d found, %s first\n", (int)seed,
           isolation_name(options->question.level), (int)wanted, (int)found,
           anomaly_info(v.anomaly)->name);
  check_told(h, &v);
  *ntold += v.anomaly == ANOMALY_LOST_WRITE;
  verdict_free(&v);
}

static void stores_that_lose(void) {
  uint32_t told[ISOLATION_COUNT] = {0}, in_time = 0;
  for (uint64_t seed = 1; seed <= HISTORIES; seed++) {
    struct history h = {0};
    make_history(&h, seed);
    struct check_options options = {
        .question = {.session_order = true, .level = ISOLATION_RC},
        .max_examples = 3};
    for (; options.question.level <= ISOLATION_SSER; options.question.level++)
      compare(&h, seed, &options, &told[options.question.level]);
    options.question.real_time = true;
    options.question.level = ISOLATION_SI;
    compare(&h, seed, &options, &in_time);
    history_free(&h);
  }
  for (int level = ISOLATION_RC; level <= ISOLATION_SSER; level++)
    CHECK(told[level] > HISTORIES / 50);
  CHECK(in_time > told[ISOLATION_SI]);
}

// --- A proof that lies.

static void builder_said(struct builder *b, uint64_t session, uint64_t value) {
  builder_txn(b, session, OUTCOME_OK, ISOLATION_NONE, TIME_UNKNOWN,
              TIME_UNKNOWN);
  builder_op(b, OP_APPEND, 1, value);
}

static void builder_heard(struct builder *b, const uint64_t *list, size_t n) {
  builder_txn(b, 1, OUTCOME_OK, ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
  builder_list(b, 1, list, n);
}

// The part of the first three is the same, and nobody in it read 1.
static void what_was_read_is_not_lost(void) {
  static const uint64_t lists[][2] = {{2, 0}, {2, 1}};
  for (uint32_t n = 1; n <= 2; n++) {
    const struct check_options options = {
        .question = {.level = ISOLATION_RC, .session_order = true},
        .max_examples = 1};
    struct builder *b = builder_open();
    struct history h;
    struct verdict v;
    struct error error;
    builder_said(b, 0, 1);
    builder_said(b, 0, 2);
    builder_heard(b, lists[0], 1);
    builder_heard(b, lists[1], n);
    CHECK_INT(builder_finish(b, &h, &error), 0);
    CHECK_INT(check(&h, &options, &v, &error), 0);
    CHECK_INT(v.anomaly, n == 2 ? ANOMALY_CYCLE_G0 : ANOMALY_LOST_WRITE);
    v.anomaly = ANOMALY_LOST_WRITE;
    CHECK_INT(verify_violation(&h, &options, &v, &error), n == 2 ? -1 : 0);
    if (n == 2)
      CHECK_STR(error.text, "the append that was reported lost was not lost");
    verdict_free(&v);
    history_free(&h);
  }
}

int main(void) {
  return TAP_RUN({"stores that lose appends", stores_that_lose},
                 {"what was read is not lost", what_was_read_is_not_lost});
}
