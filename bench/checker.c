// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of a verdict: check() on made-up mini-transaction histories of two
// sizes, on one core, without reading a file.  Usage: bench/checker [SMALL
// [LARGE]], in committed transactions.  The history is that of a store that
// executes each transaction at one instant between its begin and its end, for
// 20 sessions on 10,000 keys, zipfian; so it keeps every level.
#include "config.h"

#include "base/memory.h"
#include "base/random.h"
#include "checker/verdict/verdict.h"

#include <gsl/gsl_randist.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NSESSIONS = 20, NKEYS = 10000, MAX_OPS = 4, REPEATS = 3 };

static const enum isolation levels[] = {ISOLATION_SI, ISOLATION_SER,
                                        ISOLATION_SSER};
enum { NLEVELS = sizeof levels / sizeof *levels };

struct figures {
  double seconds[NLEVELS];
  double megabytes; // at most, the history included
  uint32_t nops;
};

struct store {
  struct history *h;
  gsl_rng *random;
  gsl_ran_discrete_t *zipfian;
  uint64_t commit[NSESSIONS]; // when its next transaction takes effect
  uint64_t begin[NSESSIONS];
  uint32_t done[NSESSIONS]; // transactions
  uint32_t nops[NSESSIONS];
  uint32_t room;    // operations per session, while they are made
  uint32_t *latest; // per key
};

static void allocate(struct history *h, uint32_t ntxns, uint32_t nops) {
  *h = (struct history){.nsessions = NSESSIONS,
                        .ntxns = ntxns,
                        .nops = nops,
                        .nkeys = NKEYS,
                        .complete = true};
  h->session_first = xmalloc((NSESSIONS + 1) * sizeof *h->session_first);
  for (uint32_t s = 0; s <= NSESSIONS; s++)
    h->session_first[s] = (uint32_t)((uint64_t)ntxns * s / NSESSIONS);
  h->txn_first = xmalloc((ntxns + (size_t)1) * sizeof *h->txn_first);
  h->outcome = xcalloc(ntxns, 1);
  h->cause = xcalloc(ntxns, 1);
  h->level = xcalloc(ntxns, 1);
  h->begin = xmalloc(ntxns * sizeof *h->begin);
  h->end = xmalloc(ntxns * sizeof *h->end);
  h->kind = xmalloc(nops * sizeof *h->kind);
  h->key = xmalloc(nops * sizeof *h->key);
  h->value = xcalloc(nops, sizeof *h->value);
  h->saw = xmalloc(nops * sizeof *h->saw);
  h->key_number = xmalloc(NKEYS * sizeof *h->key_number);
  for (uint32_t k = 0; k < NKEYS; k++)
    h->key_number[k] = k;
}

static uint64_t microseconds(const struct store *store, double mean) {
  return (uint64_t)gsl_ran_exponential(store->random, mean * 1000);
}

static void do_op(struct store *store, uint32_t s, enum op_kind kind,
                  uint32_t key) {
  struct history *h = store->h;
  const uint32_t op = s * store->room + store->nops[s]++;
  h->kind[op] = kind;
  h->key[op] = key;
  h->saw[op] = op_reads(kind) ? store->latest[key] : 0;
  if (op_writes(kind))
    store->latest[key] = op;
}

static uint32_t other_key(const struct store *store, uint32_t key) {
  uint32_t other = key;
  while (other == key)
    other = (uint32_t)gsl_ran_discrete(store->random, store->zipfian);
  return other;
}

// One read; two; read-modify-write of one key; of two; of one of two.
static void do_txn(struct store *store, uint32_t s) {
  const uint32_t one =
      (uint32_t)gsl_ran_discrete(store->random, store->zipfian);
  const uint32_t two = other_key(store, one);
  const double shape = gsl_rng_uniform(store->random);
  do_op(store, s, OP_READ, one);
  if (shape < 0.2)
    return;
  if (shape < 0.5) {
    do_op(store, s, OP_WRITE, one);
    return;
  }
  do_op(store, s, OP_READ, two);
  if (shape < 0.6)
    return;
  do_op(store, s, OP_WRITE, one);
  if (shape < 0.8)
    do_op(store, s, OP_WRITE, two);
}

static uint32_t next_session(const struct store *store) {
  uint32_t next = NSESSIONS;
  for (uint32_t s = 0; s < NSESSIONS; s++) {
    const struct history *h = store->h;
    const bool more =
        store->done[s] < h->session_first[s + 1] - h->session_first[s];
    if (more && (next == NSESSIONS || store->commit[s] < store->commit[next]))
      next = s;
  }
  return next;
}

static void run_store(struct store *store) {
  struct history *h = store->h;
  for (uint32_t s; (s = next_session(store)) < NSESSIONS;) {
    const uint32_t t = h->session_first[s] + store->done[s]++;
    h->txn_first[t] = s * store->room + store->nops[s];
    do_txn(store, s);
    h->begin[t] = store->begin[s];
    h->end[t] = store->commit[s] + microseconds(store, 20);
    store->begin[s] = h->end[t] + microseconds(store, 5);
    store->commit[s] = store->begin[s] + microseconds(store, 100);
  }
}

// Closes the gaps between the sessions' operations.
static void compact(struct store *store) {
  struct history *h = store->h;
  uint32_t gap[NSESSIONS], n = 0;
  for (uint32_t s = 0; s < NSESSIONS; s++) {
    gap[s] = s * store->room - n;
    n += store->nops[s];
  }
  for (uint32_t s = 0; s < NSESSIONS; s++) {
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++)
      h->txn_first[t] -= gap[s];
    for (uint32_t i = 0; i < store->nops[s]; i++) {
      const uint32_t from = s * store->room + i, to = from - gap[s];
      const uint32_t saw = h->saw[from];
      h->kind[to] = h->kind[from];
      h->key[to] = h->key[from];
      h->saw[to] =
          saw == SAW_INITIAL || !saw ? saw : saw - gap[saw / store->room];
    }
  }
  h->txn_first[h->ntxns] = h->nops = n;
}

static void shrink(struct history *h) {
  h->kind = xrealloc(h->kind, h->nops, sizeof *h->kind);
  h->key = xrealloc(h->key, h->nops, sizeof *h->key);
  h->value = xrealloc(h->value, h->nops, sizeof *h->value);
  h->saw = xrealloc(h->saw, h->nops, sizeof *h->saw);
}

static void make_history(struct history *h, uint32_t ntxns) {
  struct store store = {.h = h,
                        .random = random_stream(1, 0, RANDOM_TEST),
                        .room = (ntxns / NSESSIONS + 1) * MAX_OPS,
                        .latest = xmalloc(NKEYS * sizeof *store.latest)};
  double *weight = xmalloc(NKEYS * sizeof *weight);
  for (uint32_t k = 0; k < NKEYS; k++)
    weight[k] = 1 / pow(k + 1, 0.99);
  store.zipfian = gsl_ran_discrete_preproc(NKEYS, weight);
  memset(store.latest, 0xff, NKEYS * sizeof *store.latest);
  allocate(h, ntxns, NSESSIONS * store.room);
  for (uint32_t s = 0; s < NSESSIONS; s++)
    store.commit[s] = microseconds(&store, 100);
  run_store(&store);
  compact(&store);
  shrink(h);
  gsl_ran_discrete_free(store.zipfian);
  gsl_rng_free(store.random);
  free(store.latest);
  free(weight);
}

static double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static double measure(const struct history *h, enum isolation level) {
  const struct check_options options = {
      .question = {.level = level, .session_order = true}};
  double best = 1e9;
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    struct verdict verdict;
    struct error error;
    const double start = cpu_seconds();
    const int result = check(h, &options, &verdict, &error);
    const double seconds = cpu_seconds() - start;
    if (result || verdict.kind != VERDICT_PASS) {
      fprintf(stderr, "bench/checker: %s is not kept: %s\n",
              isolation_name(level), result ? error.text : verdict.why);
      exit(1);
    }
    verdict_free(&verdict);
    best = seconds < best ? seconds : best;
  }
  return best;
}

// In a process of its own, so that the memory is its own too.
static struct figures figures_of(uint32_t ntxns) {
  struct figures figures = {0};
  int ends[2];
  if (pipe(ends))
    exit(1);
  const pid_t child = fork();
  if (child == 0) {
    struct history h;
    make_history(&h, ntxns);
    figures.nops = h.nops;
    for (int i = 0; i < NLEVELS; i++)
      figures.seconds[i] = measure(&h, levels[i]);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    figures.megabytes = (double)usage.ru_maxrss / 1024;
    history_free(&h);
    _exit(write(ends[1], &figures, sizeof figures) != sizeof figures);
  }
  close(ends[1]);
  if (child < 0 || read(ends[0], &figures, sizeof figures) != sizeof figures)
    exit(1);
  close(ends[0]);
  waitpid(child, NULL, 0);
  return figures;
}

int main(int argc, char **argv) {
  const uint32_t small = argc > 1 ? (uint32_t)atol(argv[1]) : 1000000;
  const uint32_t large = argc > 2 ? (uint32_t)atol(argv[2]) : 10 * small;
  if (small < NSESSIONS || large < NSESSIONS ||
      large > HISTORY_MAX / (MAX_OPS + 1)) {
    fprintf(stderr, "usage: bench/checker [SMALL [LARGE]], at least %d\n",
            NSESSIONS);
    return 254;
  }
  const uint32_t sizes[] = {small, large};
  struct figures figures[2];
  printf("%12s %12s %6s %10s %10s %8s\n", "transactions", "operations", "level",
         "seconds", "ns/txn", "MB");
  for (int i = 0; i < 2; i++) {
    figures[i] = figures_of(sizes[i]);
    for (int l = 0; l < NLEVELS; l++)
      printf("%12" PRIu32 " %12" PRIu32 " %6s %10.3f %10.1f %8.0f\n", sizes[i],
             figures[i].nops, isolation_name(levels[l]), figures[i].seconds[l],
             figures[i].seconds[l] * 1e9 / sizes[i], figures[i].megabytes);
  }
  for (int l = 0; l < NLEVELS; l++)
    printf("%s: a transaction of %" PRIu32 " costs %.2f times one of %" PRIu32
           "\n",
           isolation_name(levels[l]), large,
           figures[1].seconds[l] / large / (figures[0].seconds[l] / small),
           small);
  return 0;
}
