// SPDX-License-Identifier: GPL-3.0-or-later
// Chances: counted again by looking at all pairs and triples of tiny random
// histories, and of the memory store, whose bugs show no anomaly without one.
#include "config.h"

#include "base/memory.h"
#include "base/random.h"
#include "checker/chances/chances.h"
#include "checker/verdict/verdict.h"
#include "drivers/drivers.h"
#include "drivers/memory/bugs.h"
#include "recorder/builder/builder.h"
#include "recorder/files/reader.h"
#include "runner/runner.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HISTORIES = 3000, KEYS = 3 };

static const struct chances_options real_time = {.real_time = true};

// --- Tiny histories.

static uint32_t draw(gsl_rng *random, uint32_t below) {
  return (uint32_t)gsl_rng_uniform_int(random, below);
}

// The values that were appended to each key so far.
enum { APPENDS = 64 };
struct lists {
  uint64_t value[KEYS][APPENDS];
  uint32_t count[KEYS];
};

// A read shows some beginning of the list.
static void make_list_op(struct builder *b, gsl_rng *random,
                         struct lists *lists, uint32_t key, bool write,
                         uint64_t *value) {
  if (!write) {
    builder_list(b, key, lists->value[key],
                 draw(random, lists->count[key] + 1));
    return;
  }
  builder_op(b, OP_APPEND, key, ++*value);
  lists->value[key][lists->count[key]++] = *value;
}

static void make_ops(struct builder *b, gsl_rng *random, struct lists *lists,
                     uint64_t *value) {
  for (uint32_t i = draw(random, 5); i > 0; i--) {
    const uint32_t key = draw(random, KEYS);
    const bool write = draw(random, 2);
    if (lists)
      make_list_op(b, random, lists, key, write, value);
    else
      builder_op(b, write ? OP_WRITE : OP_READ, key, write ? ++*value : 0);
  }
}

static void make_history(struct history *history, uint64_t seed, bool times) {
  static const enum outcome outcomes[] = {OUTCOME_OK, OUTCOME_OK,
                                          OUTCOME_ABORTED, OUTCOME_UNKNOWN};
  static const enum cause causes[] = {CAUSE_OTHER, CAUSE_CLIENT,
                                      CAUSE_DEADLOCK};
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  struct builder *b = builder_open();
  struct error error;
  uint64_t value = 0;
  struct lists lists = {0};
  for (uint32_t s = 0; s < 4; s++) {
    uint64_t now = draw(random, 4);
    for (uint32_t t = draw(random, 4); t > 0; t--) {
      const uint64_t begin = now, end = begin + draw(random, 8);
      now = end + draw(random, 3);
      builder_txn(b, s, outcomes[draw(random, 4)], ISOLATION_SER,
                  times ? begin : TIME_UNKNOWN, times ? end : TIME_UNKNOWN);
      builder_cause(b, causes[draw(random, 3)]);
      make_ops(b, random, seed % 4 ? NULL : &lists, &value);
    }
  }
  CHECK(builder_finish(b, history, &error) == 0);
  gsl_rng_free(random);
}

// --- The same, counted from the operations.

static uint32_t writes(const struct history *h, uint32_t t, uint32_t key) {
  uint32_t n = 0;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    n += h->key[op] == key && op_writes(h->kind[op]);
  return n;
}

// Reads that may see what others wrote.
static uint32_t reads(const struct history *h, uint32_t t, uint32_t key) {
  uint32_t n = 0;
  bool wrote = false;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    if (h->key[op] != key)
      continue;
    n += op_reads(h->kind[op]) && (!wrote || op_is_list(h->kind[op]));
    wrote |= op_writes(h->kind[op]);
  }
  return n;
}

// Did the transaction write the key, and not only where the database ended it?
static bool leaves(const struct history *h, uint32_t t, uint32_t key) {
  uint32_t n = writes(h, t, key);
  const uint32_t end = h->txn_first[t + 1];
  const bool ended =
      h->outcome[t] == OUTCOME_ABORTED && h->cause[t] == CAUSE_DEADLOCK;
  if (ended && n && h->key[end - 1] == key && op_writes(h->kind[end - 1]))
    n--;
  return n > 0;
}

// Unknown ones count if a transaction that counts read from them.
static bool counts(const struct history *h, uint32_t t) {
  uint32_t nlost;
  uint8_t *counted = history_counted(h, &nlost);
  const bool count = counted[t];
  free(counted);
  return count;
}

static uint32_t session_of(const struct history *h, uint32_t t) {
  return history_session(h, t);
}

static uint64_t ended(const struct history *h, uint32_t t) {
  const bool last =
      t + 1 == h->ntxns || session_of(h, t + 1) != session_of(h, t);
  return last || h->end[t] < h->begin[t + 1] ? h->end[t] : h->begin[t + 1];
}

static bool overlap(const struct history *h, uint32_t t, uint32_t u) {
  return session_of(h, t) != session_of(h, u) && h->begin[t] <= ended(h, u) &&
         h->begin[u] <= ended(h, t);
}

// Facts about a pair, with t as the one of whom "one reads" tells.
struct pair_facts {
  uint32_t read, left, rewritten, reread, updated, written; // keys
  bool each_reads, each_reads_another;
};

static struct pair_facts facts_of(const struct history *h, uint32_t t,
                                  uint32_t u) {
  struct pair_facts f = {0};
  for (uint32_t k = 0; k < h->nkeys; k++) {
    const bool read = reads(h, t, k) && writes(h, u, k);
    f.read += read;
    f.left += reads(h, t, k) && leaves(h, u, k);
    f.reread += reads(h, t, k) > 1 && writes(h, u, k);
    f.rewritten += reads(h, t, k) && writes(h, u, k) > 1;
    f.written += writes(h, t, k) && writes(h, u, k);
    f.updated +=
        reads(h, t, k) && writes(h, t, k) && reads(h, u, k) && writes(h, u, k);
    for (uint32_t l = 0; read && l < h->nkeys; l++) {
      const bool back = reads(h, u, l) && writes(h, t, l);
      f.each_reads |= back;
      f.each_reads_another |= back && k != l;
    }
  }
  return f;
}

static void add(struct chances *c, const char *anomaly, bool chance) {
  for (uint32_t i = 0; i < CHANCE_KINDS; i++)
    if (!strcmp(chance_kind(i)->anomaly, anomaly))
      c->low[i] += chance;
}

static void add_pair(struct chances *c, const struct history *h, uint32_t t,
                     uint32_t u) {
  const struct pair_facts f = facts_of(h, t, u);
  const bool committed = counts(h, t);
  const bool list = h->lists && committed && f.read;
  add(c, "AbortedRead",
      committed && f.left && h->outcome[u] == OUTCOME_ABORTED);
  add(c, "IntermediateRead", committed && f.rewritten);
  add(c, "NonRepeatableReads", committed && f.reread);
  add(c, "IncompatibleOrder", list);
  add(c, "DuplicateElement", list);
  add(c, "LostElement", list);
  add(c, "NonMonotonicRead", f.read > 1);
  add(c, "FracturedRead", f.read > 1);
  add(c, "G0", t < u && f.written > 1);
  add(c, "G1c", t < u && f.each_reads);
  add(c, "LostUpdate", t < u && f.updated);
  add(c, "WriteSkew", t < u && f.each_reads_another);
}

// Does v read a key of t, and another one of u, which if `follows` read the
// first one?
static bool reads_both(const struct history *h, uint32_t v, uint32_t t,
                       uint32_t u, bool follows) {
  for (uint32_t k = 0; k < h->nkeys; k++)
    for (uint32_t l = 0; l < h->nkeys; l++)
      if (k != l && reads(h, v, k) && reads(h, v, l) && writes(h, t, k) &&
          writes(h, u, l) && (!follows || reads(h, u, k)))
        return true;
  return false;
}

static void add_triple(struct chances *c, const struct history *h, uint32_t v,
                       uint32_t t, uint32_t u) {
  add(c, "LongFork",
      reads_both(h, v, t, u, false) || reads_both(h, v, u, t, false));
  add(c, "CausalityViolation",
      reads_both(h, v, t, u, true) || reads_both(h, v, u, t, true));
}

// Writes of the key in the same transaction, before or after the operation.
static uint32_t writes_beside(const struct history *h, uint32_t op,
                              bool after) {
  const uint32_t t = history_txn(h, op);
  uint32_t n = 0;
  for (uint32_t o = h->txn_first[t]; o < h->txn_first[t + 1]; o++)
    n += (after ? o > op : o < op) && h->key[o] == h->key[op] &&
         op_writes(h->kind[o]);
  return n;
}

// Did an earlier transaction of the session write the key, or one that had
// ended?
static bool was_written_before(const struct history *h, uint32_t t,
                               uint32_t key, bool time) {
  bool found = false;
  for (uint32_t u = 0; u < h->ntxns; u++) {
    const bool before = time ? h->end && h->end[u] < h->begin[t]
                             : u < t && session_of(h, u) == session_of(h, t);
    found |= before && writes(h, u, key) && counts(h, u);
  }
  return found;
}

static bool is_read(const struct history *h, uint32_t append) {
  bool found = false;
  for (uint32_t op = 0; op < h->nops; op++) {
    const uint32_t t = history_txn(h, op);
    if (h->kind[op] != OP_READ_LIST || !counts(h, t) ||
        t == history_txn(h, append))
      continue;
    const struct seen_list list = h->list[h->saw[op]];
    for (uint32_t i = list.first; i < list.first + list.count; i++)
      found |= h->element[i] == append;
  }
  return found;
}

static bool is_later(const struct history *h, uint32_t t, uint32_t u) {
  return (t < u && session_of(h, t) == session_of(h, u)) ||
         (h->end && h->begin[u] != TIME_UNKNOWN && h->end[t] < h->begin[u]);
}

static bool appends_before_read(const struct history *h, uint32_t t) {
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    for (uint32_t later = 0; later < h->nops; later++)
      if (h->kind[op] == OP_APPEND && h->kind[later] == OP_APPEND &&
          h->key[op] == h->key[later] &&
          is_later(h, t, history_txn(h, later)) && is_read(h, later))
        return h->outcome[t] == OUTCOME_OK;
  return false;
}

static void add_read(struct chances *c, const struct history *h, uint32_t t,
                     uint32_t op) {
  const uint32_t key = h->key[op];
  add(c, "ThinAirRead", true);
  add(c, "FutureRead", writes_beside(h, op, true));
  add(c, "NotMyLastWrite", writes_beside(h, op, false) > 1);
  add(c, "NotMyOwnWrite", writes_beside(h, op, false));
  add(c, "SessionGuaranteeViolation", was_written_before(h, t, key, false));
  add(c, "StaleRead", was_written_before(h, t, key, true));
}

static void add_one(struct chances *c, const struct history *h, uint32_t t) {
  if (!counts(h, t))
    return;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    if (op_reads(h->kind[op]))
      add_read(c, h, t, op);
  add(c, "LostWrite", appends_before_read(h, t));
}

static struct chances counted_again(const struct history *h) {
  struct chances c = {0};
  for (uint32_t t = 0; t < h->ntxns; t++) {
    add_one(&c, h, t);
    for (uint32_t u = 0; h->end && u < h->ntxns; u++) {
      if (!overlap(h, t, u))
        continue;
      add_pair(&c, h, t, u);
      for (uint32_t v = 0; v < u; v++)
        if (overlap(h, t, v) && session_of(h, u) != session_of(h, v))
          add_triple(&c, h, t, u, v);
    }
  }
  return c;
}

// Adds what was counted to `met`.
static void compare(const struct history *h, uint64_t seed,
                    struct chances *met) {
  const struct chances wanted = counted_again(h);
  struct chances got;
  CHECK(chances_count(h, &real_time, &got));
  CHECK(got.all && !got.left_out && got.sampled == h->ntxns);
  for (uint32_t i = 0; i < CHANCE_KINDS; i++) {
    met->low[i] += got.low[i];
    CHECK(got.high[i] == got.low[i]);
    if (!CHECK(got.low[i] == wanted.low[i]))
      printf("# seed %d: %d chances of %s, not %d\n", (int)seed,
             (int)got.low[i], chance_kind(i)->anomaly, (int)wanted.low[i]);
  }
}

static void tiny_histories(void) {
  struct chances met = {0};
  for (uint64_t seed = 1; seed <= HISTORIES; seed++) {
    struct history history = {0};
    make_history(&history, seed, true);
    compare(&history, seed, &met);
    history_free(&history);
  }
  for (uint32_t i = 0; i < CHANCE_KINDS; i++)
    CHECK((met.low[i] > 0) != chance_kind(i)->rows);
}

static void without_times(void) {
  struct chances met = {0};
  for (uint64_t seed = 1; seed <= 100; seed++) {
    struct history history = {0};
    make_history(&history, seed, false);
    compare(&history, seed, &met);
    history_free(&history);
  }
  for (uint32_t i = 0; i < CHANCE_KINDS; i++)
    CHECK(!chance_needs_times(chance_kind(i)->of) || met.low[i] == 0);
}

static void every_name(void) {
  for (uint32_t i = 0; i < CHANCE_KINDS; i++) {
    bool found = false;
    for (int a = 1; a < ANOMALY_COUNT; a++)
      found |=
          !strcmp(anomaly_info((enum anomaly)a)->name, chance_kind(i)->anomaly);
    CHECK(found);
  }
  CHECK(chance_kind(CHANCE_KINDS) == NULL);
}

// --- Samples, which chances_count takes where it may take few steps only.

static uint32_t kind_of(const char *anomaly) {
  uint32_t i = 0;
  while (strcmp(chance_kind(i)->anomaly, anomaly) != 0)
    i++;
  return i;
}

// Sessions whose transactions overlap now and then, on more and less popular
// keys.
static void make_long_history(struct history *history, uint64_t seed) {
  enum { TRANSACTIONS = 60000, SESSIONS = 5, POPULAR = 40 };
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  struct builder *b = builder_open();
  struct error error;
  uint64_t value = 0, now[SESSIONS] = {0};
  for (uint32_t i = 0; i < TRANSACTIONS; i++) {
    const uint32_t s = i % SESSIONS;
    const uint64_t begin = now[s] + draw(random, 8);
    now[s] = begin + draw(random, 16);
    builder_txn(b, s, OUTCOME_OK, ISOLATION_SER, begin, now[s]);
    for (uint32_t n = draw(random, 6); n > 0; n--) {
      const uint32_t key = draw(random, 1 + draw(random, POPULAR));
      const bool write = draw(random, 2);
      builder_op(b, write ? OP_WRITE : OP_READ, key, write ? ++value : 0);
    }
  }
  CHECK(builder_finish(b, history, &error) == 0);
  gsl_rng_free(random);
}

// How often an interval holds the number that was counted: an end that is known
// is wrong in less than one of twenty cases.
static void intervals_hold_the_counts(void) {
  enum { LONG = 30, STEPS = 1500000 };
  static const struct chances_options few = {.steps = STEPS};
  uint32_t intervals = 0, wrong = 0;
  for (uint64_t seed = 1; seed <= LONG; seed++) {
    struct history h = {0};
    struct chances all, sample;
    make_long_history(&h, seed);
    CHECK(chances_count(&h, &(struct chances_options){0}, &all) && all.all);
    CHECK(chances_count(&h, &few, &sample) && !sample.all &&
          sample.sampled < h.ntxns);
    for (uint32_t i = 0; i < CHANCE_KINDS; i++) {
      intervals +=
          sample.low[i] < sample.high[i] && sample.high[i] < UINT64_MAX;
      wrong += all.low[i] < sample.low[i] || all.low[i] > sample.high[i];
    }
    history_free(&h);
  }
  printf("# %u of %u intervals were wrong\n", wrong, intervals);
  CHECK(intervals > 4 * LONG);
  CHECK(20 * wrong < intervals);
}

// Two sessions that always overlap, of which each transaction reads and writes
// one key: the same one at first.
static void make_pairs(struct history *history, uint64_t together) {
  enum { TRANSACTIONS = 40000 };
  struct builder *b = builder_open();
  struct error error;
  for (uint64_t i = 0; i < TRANSACTIONS; i++) {
    const uint64_t key = i < together ? 0 : 1 + i % 2;
    builder_txn(b, i % 2, OUTCOME_OK, ISOLATION_SER, 2 * i, 2 * i + 3);
    builder_op(b, OP_READ, key, 0);
    builder_op(b, OP_WRITE, key, i + 1);
  }
  CHECK(builder_finish(b, history, &error) == 0);
}

// Where few blocks matter, the sample says how many it has seen, and no more.
static void a_rare_kind(void) {
  enum { RARE = 20 };
  static const struct chances_options few = {.steps = 1 << 14};
  const uint32_t kind = kind_of("LostUpdate");
  struct history history = {0};
  struct chances chances;
  make_pairs(&history, RARE);
  CHECK(chances_count(&history, &few, &chances) && !chances.all);
  CHECK(chances.low[kind] < RARE && chances.high[kind] == UINT64_MAX);
  CHECK(chances_count(&history, &(struct chances_options){0}, &chances));
  CHECK(chances.all && chances.low[kind] >= RARE - 1 &&
        chances.high[kind] == chances.low[kind]);
  history_free(&history);
}

// --- Transactions of many keys: two that overlap, with some keys in common.

static void make_wide_pair(struct history *history, uint32_t keys,
                           uint32_t common) {
  struct builder *b = builder_open();
  struct error error;
  for (uint32_t s = 0; s < 2; s++) {
    builder_txn(b, s, OUTCOME_OK, ISOLATION_SER, 1, 9);
    for (uint32_t i = 0; i < keys; i++) {
      const uint32_t key = i < keys - common ? i + s * keys : 2 * keys + i;
      builder_op(b, OP_READ, key, 0);
      builder_op(b, OP_WRITE, key, 1 + i + s * keys);
    }
  }
  CHECK(builder_finish(b, history, &error) == 0);
}

static void many_keys(void) {
  enum { WIDE = 500 };
  static const uint32_t common[] = {0, 1, 2, 64, 65, 200};
  for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
    struct history h = {0};
    struct chances chances;
    make_wide_pair(&h, WIDE, common[i]);
    CHECK(chances_count(&h, &(struct chances_options){0}, &chances));
    CHECK_INT(chances.low[kind_of("LostUpdate")], common[i] > 0);
    CHECK_INT(chances.low[kind_of("FracturedRead")], common[i] > 1 ? 2 : 0);
    CHECK_INT(chances.low[kind_of("G0")], common[i] > 1);
    CHECK(chances.left_out == (common[i] > 64));
    CHECK(chances.all == !chances.left_out);
    CHECK((chances.high[kind_of("G0")] == UINT64_MAX) == chances.left_out);
    history_free(&h);
  }
}

// --- The memory store.

static void run_bug(enum bug bug, uint64_t seed, const char *path,
                    struct history *history) {
  char *text = xasprintf("memory:?bug=%s:%s", bug_info(bug)->name,
                         bug_info(bug)->per_transaction ? "0.2" : "1");
  struct run_figures figures = {0};
  struct error error = {0};
  struct run_options options = {.workload = workload_find("mt", &error),
                                .threads = 1,
                                .transactions = 30,
                                .max_tries = 1,
                                .history = path,
                                .about = ""};
  workload_defaults(&options.workload_options);
  options.workload_options.seed = seed;
  options.workload_options.nsessions = 6;
  options.workload_options.nkeys = 8;
  if (!CHECK(target_open(text, NULL, NULL, 6, seed, &options.target, &error) ==
             0))
    return;
  options.level = driver_level(options.target->driver, NULL, &error);
  CHECK(run(&options, &figures, &error) == 0);
  CHECK(history_read(path, NULL, history, &error) == 0);
  run_figures_free(&figures);
  target_close(options.target);
  unlink(path);
  free(text);
}

static void every_bug(void) {
  char directory[] = "/tmp/isostress-test.XXXXXX", path[64];
  if (!mkdtemp(directory))
    abort();
  snprintf(path, sizeof path, "%s/history", directory);
  for (enum bug bug = BUG_NONE + 1; bug < BUG_FIRST_OF_ROWS; bug++)
    for (uint64_t seed = 1; seed <= 10; seed++) {
      const struct check_options options = {
          .question = {.level = ISOLATION_SER, .session_order = true},
          .max_examples = 1};
      struct history history = {0};
      struct chances chances;
      struct verdict verdict;
      struct error error;
      run_bug(bug, seed, path, &history);
      CHECK(check(&history, &options, &verdict, &error) == 0);
      chances_count(&history, &real_time, &chances);
      CHECK(chances.all);
      for (uint32_t i = 0; i < CHANCE_KINDS; i++)
        for (int a = 1; a < ANOMALY_COUNT; a++)
          if (verdict.found[a] &&
              !strcmp(anomaly_info((enum anomaly)a)->name,
                      chance_kind(i)->anomaly) &&
              !CHECK(chances.low[i] > 0))
            printf("# %s: no chance of %s\n", bug_info(bug)->name,
                   chance_kind(i)->anomaly);
      verdict_free(&verdict);
      history_free(&history);
    }
  rmdir(directory);
}

// Every transaction overlaps with all others, so that there are more triples
// than are looked at.
static void a_crowd(void) {
  enum { CROWD = 300, LOOKED_AT = 256 };
  struct builder *b = builder_open();
  struct history h;
  struct chances chances;
  struct error error;
  for (uint32_t s = 0; s < CROWD; s++) {
    builder_txn(b, s, OUTCOME_OK, ISOLATION_SER, s, 1000 + s);
    builder_op(b, OP_READ, 0, 0);
    builder_op(b, OP_READ, 1 + s % 2, 0);
    builder_op(b, OP_WRITE, 0, 1 + s);
    builder_op(b, OP_WRITE, 1 + s % 2, 1 + s);
  }
  CHECK(builder_finish(b, &h, &error) == 0);
  CHECK(chances_count(&h, &(struct chances_options){0}, &chances));
  CHECK(chances.crowded && !chances.all && chances.sampled == CROWD);
  const uint32_t pair = kind_of("LostUpdate"), triple = kind_of("LongFork");
  CHECK(chances.low[pair] == CROWD * (CROWD - 1) / 2);
  CHECK(chances.high[pair] == chances.low[pair]);
  CHECK(chances.low[triple] > 0 && chances.high[triple] == UINT64_MAX);
  CHECK(chances.low[triple] <= CROWD * LOOKED_AT * (LOOKED_AT - 1) / 2);
  CHECK(chances.overlaps == CROWD * (CROWD - 1));
  history_free(&h);
}

int main(void) {
  return TAP_RUN(
      {"tiny histories, by all pairs and triples", tiny_histories},
      {"without times only single transactions count", without_times},
      {"every row names an anomaly", every_name},
      {"intervals of samples hold the counts", intervals_hold_the_counts},
      {"what is rare is not extrapolated", a_rare_kind},
      {"transactions of many keys", many_keys},
      {"a crowd of sessions", a_crowd},
      {"no bug of the memory store shows what had no chance", every_bug});
}
