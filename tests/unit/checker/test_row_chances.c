// SPDX-License-Identifier: GPL-3.0-or-later
// Chances of rows: counted again by looking at all pairs and triples of tiny
// random histories with statements, and of the memory store, whose bugs show
// hardly an anomaly without one.
#include "config.h"

#include "base/memory.h"
#include "checker/chances/chances.h"
#include "checker/verdict/verdict.h"
#include "drivers/drivers.h"
#include "drivers/memory/bugs.h"
#include "recorder/files/reader.h"
#include "runner/runner.h"
#include "tests/kit/row_histories.h"
#include "tests/tap.h"
#include "workload/aim.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HISTORIES = 3000, NO_OP = UINT32_MAX };

// --- Counted from the operations.

static bool overlap(const struct history *h, uint32_t t, uint32_t u) {
  return history_session(h, t) != history_session(h, u) &&
         h->begin[t] <= h->end[u] && h->begin[u] <= h->end[t];
}

static bool writes(const struct history *h, uint32_t op, uint32_t key) {
  return h->key[op] == key && op_writes(h->kind[op]);
}

// The first or last write of the row in some operations.
static uint32_t write_of(const struct history *h, uint32_t first, uint32_t end,
                         uint32_t key, bool last) {
  uint32_t found = NO_OP;
  for (uint32_t op = first; op < end; op++)
    if (writes(h, op, key) && (last || found == NO_OP))
      found = op;
  return found;
}

static bool holds(const struct history *h, uint32_t statement, uint32_t key,
                  const int64_t *image) {
  return h->rows->statements[statement].condition != NO_CONDITION &&
         rows_satisfies(h, statement, key, image);
}

// How a row that u wrote stands to a statement of t.
struct standing {
  bool before, after, early;
};

static struct standing standing(const struct history *h, uint32_t t,
                                uint32_t statement, uint32_t u, uint32_t key) {
  struct standing is = {0};
  const uint32_t first =
      write_of(h, h->txn_first[u], h->txn_first[u + 1], key, false);
  const uint32_t last =
      write_of(h, h->txn_first[u], h->txn_first[u + 1], key, true);
  if (first == NO_OP ||
      write_of(h, h->txn_first[t], h->rows->statements[statement].first, key,
               false) != NO_OP)
    return is;
  const int64_t *found = NULL;
  if (op_reads(h->kind[first]) && h->saw[first] == SAW_INITIAL)
    found = rows_version(h, h->nops + key);
  else if (op_reads(h->kind[first]) && h->saw[first] < h->nops)
    found = rows_version(h, h->saw[first]);
  is.before = holds(h, statement, key, found);
  is.after = holds(h, statement, key, rows_version(h, last));
  for (uint32_t op = first; op < last; op++)
    is.early |=
        writes(h, op, key) && holds(h, statement, key, rows_version(h, op));
  return is;
}

// The rows of u that t looks for, as bits.
struct facts {
  uint64_t looked_for, wanted, moved, early;
  bool fractured, repeated;
};

static struct facts facts_of(const struct history *h, uint32_t t, uint32_t u) {
  struct facts f = {0};
  unsigned nwanting = 0, nmoved_in = 0;
  for (uint32_t s = h->rows->txn_statement[t];
       s < h->rows->txn_statement[t + 1]; s++) {
    uint64_t wanted = 0, moved_in = 0;
    for (uint32_t key = 0; key < h->nkeys; key++) {
      const struct standing is = standing(h, t, s, u, key);
      f.looked_for |= (uint64_t)(is.before || is.after) << key;
      f.moved |= (uint64_t)(is.before != is.after) << key;
      f.early |= (uint64_t)is.early << key;
      wanted |= (uint64_t)is.after << key;
      moved_in |= (uint64_t)(is.after && !is.before) << key;
    }
    f.fractured |= moved_in && (wanted & (wanted - 1));
    f.wanted |= wanted;
    nwanting += wanted != 0;
    nmoved_in += moved_in != 0;
  }
  f.repeated = nmoved_in && nwanting > 1;
  return f;
}

// Is there a row of the one and another one of the other?
static bool differ(uint64_t one, uint64_t other) {
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++)
      if (i != j && one >> i & 1 && other >> j & 1)
        return true;
  return false;
}

// Does t find a row that u writes, or writes twice, and has not written itself?
static bool finds(const struct history *h, uint32_t t, uint32_t u, bool twice) {
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    const uint32_t first =
        write_of(h, h->txn_first[u], h->txn_first[u + 1], h->key[op], false);
    const uint32_t last =
        write_of(h, h->txn_first[u], h->txn_first[u + 1], h->key[op], true);
    if (op_reads(h->kind[op]) && first != NO_OP && (!twice || first != last) &&
        write_of(h, h->txn_first[t], op, h->key[op], false) == NO_OP)
      return true;
  }
  return false;
}

static void add(struct chances *c, const char *anomaly, bool chance) {
  for (uint32_t i = 0; i < CHANCE_KINDS; i++)
    if (!strcmp(chance_kind(i)->anomaly, anomaly))
      c->low[i] += chance;
}

static void add_pair(struct chances *c, const struct history *h,
                     const uint8_t *counted, uint32_t t, uint32_t u) {
  const struct facts f = facts_of(h, t, u), back = facts_of(h, u, t);
  add(c, "AbortedRead",
      counted[t] && h->outcome[u] == OUTCOME_ABORTED &&
          (f.wanted || finds(h, t, u, false)));
  add(c, "IntermediateRead", counted[t] && (f.early || finds(h, t, u, true)));
  add(c, "G1c",
      t < u && (f.wanted || finds(h, t, u, false)) &&
          (back.wanted || finds(h, u, t, false)));
  add(c, "FracturedStatement", f.fractured);
  add(c, "PhantomRead", f.repeated);
  add(c, "PhantomWriteSkew",
      t < u && differ(f.looked_for, back.looked_for) &&
          (f.moved || back.moved));
}

static void add_triple(struct chances *c, const struct history *h, uint32_t v,
                       uint32_t t, uint32_t u) {
  const struct facts one = facts_of(h, v, t), other = facts_of(h, v, u);
  add(c, "PhantomLongFork",
      differ(one.looked_for, other.looked_for) && (one.moved || other.moved));
}

// Does any transaction that may have committed change the column that the
// condition names, of a row that is always there?
static bool changes(const struct history *h, uint32_t statement, uint32_t key) {
  static const char *const names[] = {"b", "v"};
  const int64_t *initial = rows_version(h, h->nops + key);
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  rows_write_condition(out, h->rows, &h->rows->statements[statement]);
  fclose(out);
  bool changed = !initial;
  for (uint32_t op = 0; op < h->nops && initial; op++) {
    if (!writes(h, op, key) ||
        h->outcome[history_txn(h, op)] == OUTCOME_ABORTED)
      continue;
    const int64_t *image = rows_version(h, op);
    changed |= !image;
    for (int i = 0; i < 2 && image; i++)
      changed |= image[i] != initial[i] && strstr(text, names[i]);
  }
  free(text);
  return changed;
}

static void add_rows(struct chances *c, const struct history *h, uint32_t t) {
  for (uint32_t i = h->rows->txn_statement[t];
       i < h->rows->txn_statement[t + 1]; i++) {
    const struct recorded_statement *s = &h->rows->statements[i];
    for (uint32_t op = s->first; op < s->end && s->condition != NO_CONDITION;
         op++) {
      add(c, "ExtraRow", op_reads(h->kind[op]));
      add(c, "MissingRow", op_reads(h->kind[op]) && !changes(h, i, h->key[op]));
    }
  }
}

static struct chances counted_again(const struct history *h) {
  struct chances c = {0};
  uint32_t nlost;
  uint8_t *counted = history_counted(h, &nlost);
  for (uint32_t t = 0; t < h->ntxns; t++) {
    if (counted[t])
      add_rows(&c, h, t);
    for (uint32_t u = 0; u < h->ntxns; u++) {
      if (!overlap(h, t, u))
        continue;
      add_pair(&c, h, counted, t, u);
      for (uint32_t v = 0; v < u; v++)
        if (overlap(h, t, v) && history_session(h, u) != history_session(h, v))
          add_triple(&c, h, t, u, v);
    }
  }
  free(counted);
  return c;
}

static bool is_counted_again(uint32_t i) {
  static const char *const names[] = {"AbortedRead", "IntermediateRead", "G1c"};
  bool is = chance_kind(i)->rows;
  for (int n = 0; n < 3; n++)
    is |= !strcmp(chance_kind(i)->anomaly, names[n]);
  return is;
}

// In each session one transaction comes after the other.
static void make_times(gsl_rng *random, struct history *h) {
  for (uint32_t s = 0; s < h->nsessions; s++) {
    uint64_t now = gsl_rng_uniform_int(random, 4);
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++) {
      h->begin[t] = now;
      h->end[t] = now + gsl_rng_uniform_int(random, 8);
      now = h->end[t] + gsl_rng_uniform_int(random, 3);
    }
  }
}

static void tiny_histories(void) {
  const struct rows_odds odds = {
      .ntxns = 8, .unknown = 10, .aborted = 15, .reuse = true, .times = true};
  uint64_t met[CHANCE_KINDS] = {0};
  gsl_rng *random = random_stream(1, 0, RANDOM_TEST);
  for (uint32_t n = 0; n < HISTORIES; n++) {
    struct history h = rows_random(random, &odds);
    const struct chances_options real_time = {.real_time = true};
    struct chances got, wanted;
    if (h.rows) {
      make_times(random, &h);
      wanted = counted_again(&h);
      CHECK(chances_count(&h, &real_time, &got));
      CHECK(got.all);
      for (uint32_t i = 0; i < CHANCE_KINDS; i++) {
        met[i] += got.low[i];
        if (is_counted_again(i) && !CHECK(got.low[i] == wanted.low[i]))
          printf("# history %u: %d chances of %s, not %d\n", n, (int)got.low[i],
                 chance_kind(i)->anomaly, (int)wanted.low[i]);
      }
    }
    history_free(&h);
  }
  for (uint32_t i = 0; i < CHANCE_KINDS; i++)
    CHECK(met[i] > 0 || !is_counted_again(i));
  gsl_rng_free(random);
}

// --- The memory store.

// `reads_only`: of the shapes that only read.
static void run_memory(const char *uri, bool reads_only, uint64_t seed,
                       struct history *history) {
  char path[] = "/tmp/isostress-test.XXXXXX";
  struct run_figures figures = {0};
  struct error error = {0};
  const int file = mkstemp(path);
  struct run_options options = {.workload = workload_find("predicate", &error),
                                .threads = 1,
                                .transactions = 30,
                                .max_tries = 1,
                                .history = path,
                                .about = ""};
  close(file);
  unlink(path); // a run makes its file anew
  workload_defaults(&options.workload_options);
  options.workload_options.seed = seed;
  options.workload_options.nsessions = 6;
  options.workload_options.nkeys = 48;
  if (reads_only)
    options.workload_options.shape_share[ROWS_RO] = 1;
  if (!CHECK(target_open(uri, NULL, NULL, 6, seed, &options.target, &error) ==
             0))
    return;
  options.level = driver_level(options.target->driver, NULL, &error);
  CHECK_INT(run(&options, &figures, &error), 0);
  CHECK_STR(error.text, "");
  CHECK_INT(history_read(path, NULL, history, &error), 0);
  run_figures_free(&figures);
  target_close(options.target);
  unlink(path);
}

static uint64_t chances_of(const struct history *history, const char *anomaly) {
  struct chances chances;
  uint64_t count = 0;
  CHECK(chances_count(history, &(struct chances_options){0}, &chances));
  for (uint32_t i = 0; i < CHANCE_KINDS; i++)
    if (!strcmp(chance_kind(i)->anomaly, anomaly))
      count = chances.low[i];
  return count;
}

// An anomaly of more than two transactions is no pair, and is not counted.
static bool is_longer(const struct verdict *verdict,
                      const struct chance_kind *kind) {
  return kind->of == CHANCE_PAIR && verdict->rows_part->ntxns > 2;
}

// FracturedStatement is left out: it also strikes at transactions that ended
// long before, which overlap with nobody.
static void every_bug(void) {
  uint32_t nshown = 0;
  for (enum bug bug = BUG_FIRST_OF_ROWS; bug < BUG_COUNT; bug++) {
    if (bug == BUG_FRACTURED_STATEMENT)
      continue;
    char *uri = xasprintf("memory:?bug=%s", bug_info(bug)->name);
    for (uint64_t seed = 1; seed <= 40; seed++) {
      const struct check_options options = {
          .question = {.level = ISOLATION_SER, .session_order = true},
          .max_examples = 1};
      struct history history = {0};
      struct verdict verdict;
      struct error error;
      run_memory(uri, false, seed, &history);
      CHECK_INT(check(&history, &options, &verdict, &error), 0);
      const char *name = anomaly_info(verdict.anomaly)->name;
      for (uint32_t i = 0; i < CHANCE_KINDS; i++)
        if (verdict.kind == VERDICT_VIOLATION && chance_kind(i)->rows &&
            !strcmp(name, chance_kind(i)->anomaly) &&
            !is_longer(&verdict, chance_kind(i))) {
          nshown++;
          if (!CHECK(chances_of(&history, name) > 0))
            printf("# %s, seed %d: no chance of %s\n", bug_info(bug)->name,
                   (int)seed, name);
        }
      verdict_free(&verdict);
      history_free(&history);
    }
    free(uri);
  }
  CHECK(nshown > 10);
}

// Rows that nobody writes can show only what one row shows.
static void reads_alone(void) {
  static const char *const none[] = {"FracturedStatement", "PhantomRead",
                                     "PhantomLongFork", "PhantomWriteSkew",
                                     "AbortedRead"};
  struct history history = {0};
  run_memory("memory:", true, 1, &history);
  for (int i = 0; i < 5; i++)
    CHECK_INT(chances_of(&history, none[i]), 0);
  CHECK(chances_of(&history, "ExtraRow") > 0);
  CHECK_INT(chances_of(&history, "MissingRow"),
            chances_of(&history, "ExtraRow"));
  history_free(&history);
}

int main(void) {
  return TAP_RUN(
      {"tiny histories, by all pairs and triples", tiny_histories},
      {"bugs of the memory store show nothing that had no chance", every_bug},
      {"who only reads has no chance of a phantom", reads_alone});
}
