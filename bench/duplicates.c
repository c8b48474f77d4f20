// SPDX-License-Identifier: GPL-3.0-or-later
// How histories are decided in which values were written more than once:
// histories of the memory store, whose values are then replaced by some of 1 to
// V, drawn for each write.  Each is asked about with its times and without.
// Prints what was found (p: the level is kept; v: it is not; ?: undecided) and
// how many seconds of processor time that took.
//
//   bench/duplicates [TRANSACTIONS...]    instead of 200 and 1000
//   LIMIT=SECONDS                         of a check, instead of 10
//   ONLY=NAME                             one of `sources` alone
#include "config.h"

#include "base/isolation.h"
#include "base/memory.h"
#include "bench/histories.h"
#include "bench/process.h"
#include "checker/verdict/verdict.h"
#include "recorder/builder/builder.h"
#include "recorder/builder/number_map.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum { SESSIONS = 10, LIMIT = 10 };

// A history of the memory store at a level that it keeps, or breaks.
struct source {
  const char *workload, *name;
  const char *store; // options of the target, and of the run
  enum isolation asked;
};

static const struct source sources[] = {
    {"general", "rc", "'memory:' -i rc", ISOLATION_RC},
    {"general", "ra", "'memory:' -i ra", ISOLATION_RA},
    {"general", "cc", "'memory:' -i cc", ISOLATION_CC},
    {"general", "pc", "'memory:' -i pc", ISOLATION_PC},
    {"general", "si", "'memory:' -i si", ISOLATION_SI},
    {"general", "ser", "'memory:' -i ser", ISOLATION_SER},
    {"general", "sser", "'memory:?stale=0' -i sser", ISOLATION_SSER},
    {"general", "rc<ra", "'memory:' -i rc", ISOLATION_RA},
    {"general", "ra<cc", "'memory:' -i ra", ISOLATION_CC},
    {"general", "cc<pc", "'memory:' -i cc", ISOLATION_PC},
    {"general", "pc<si", "'memory:?bug=LostUpdate:0.01' -i si", ISOLATION_SI},
    {"general", "si<ser", "'memory:?bug=WriteSkew:0.01' -i ser", ISOLATION_SER},
    {"general", "sser!", "'memory:?stale=0&bug=LostUpdate:0.01' -i sser",
     ISOLATION_SSER},
    {"append", "[rc]", "'memory:' -i rc", ISOLATION_RC},
    {"append", "[si]", "'memory:' -i si", ISOLATION_SI},
    {"append", "[ser]", "'memory:' -i ser", ISOLATION_SER},
    {"append", "[sser]", "'memory:?stale=0' -i sser", ISOLATION_SSER},
    {"append", "[sser]!", "'memory:?stale=0&bug=LostUpdate:0.01' -i sser",
     ISOLATION_SSER},
};
enum { NSOURCES = sizeof sources / sizeof *sources };

// Keys, and values for each (0: a tenth of the transactions).
static const uint32_t shapes[][2] = {{20, 2},   {20, 16},   {20, 64},
                                     {20, 0},   {100, 4},   {100, 16},
                                     {1000, 2}, {1000, 16}, {1000, 0}};
enum { NSHAPES = sizeof shapes / sizeof *shapes };

static volatile bool stop;

static void note_time(int signal) {
  (void)signal;
  stop = true;
}

static void limit_time(void) {
  const char *limit = getenv("LIMIT");
  const struct itimerval timer = {.it_value.tv_sec =
                                      limit ? atoi(limit) : LIMIT};
  stop = false;
  setitimer(ITIMER_PROF, &timer, NULL);
}

// --- Histories.

static void record_store(const char *directory, const struct source *source,
                         uint32_t txns, uint32_t keys, struct history *h) {
  char *path = xasprintf("%s/out/latest/history", directory);
  const struct cost cost = cost_of(
      xasprintf("rm -rf '%s/out'; exec ./isostress run %s --check=none "
                "--seed=1 --threads 1 -w %s -c %d -t %" PRIu32 " -k %" PRIu32
                " --distribution uniform --ops 6 --read-ratio "
                "0.5 --max-tries 50 -o '%s/out' >/dev/null 2>&1",
                directory, source->store, source->workload, SESSIONS,
                txns / SESSIONS, keys, directory));
  if (cost.status != 0) {
    fprintf(stderr, "failed: isostress run %s\n", source->store);
    exit(255);
  }
  bench_history_read(path, h);
  free(path);
}

static uint64_t reduced(uint64_t value, uint32_t nvalues) {
  return value ? 1 + number_mix(value) % nvalues : 0;
}

static void add_list(const struct history *h, uint32_t op, uint32_t nvalues,
                     struct builder *b) {
  const uint32_t list = h->saw[op], n = h->list[list].count;
  uint64_t *values = xmalloc(n * sizeof *values);
  for (uint32_t i = 0; i < n; i++)
    values[i] =
        reduced(history_element_value(h, h->list[list].first + i), nvalues);
  builder_list(b, h->key[op], values, n);
  free(values);
}

// Makes a copy with fewer values, and without times if `times` is false.
static void reduce(const struct history *h, uint32_t nvalues, bool times,
                   struct history *fewer) {
  struct error error;
  struct builder *b = builder_open();
  builder_options(b)->allow_duplicates = true;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    builder_txn(b, history_session(h, t), (enum outcome)h->outcome[t],
                (enum isolation)h->level[t], times ? h->begin[t] : TIME_UNKNOWN,
                times ? h->end[t] : TIME_UNKNOWN);
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      if (h->kind[op] == OP_READ_LIST)
        add_list(h, op, nvalues, b);
      else
        builder_op(b, (enum op_kind)h->kind[op], h->key[op],
                   reduced(history_op_value(h, op), nvalues));
  }
  if (builder_finish(b, fewer, &error)) {
    fprintf(stderr, "%s\n", error.text);
    exit(255);
  }
}

// --- Questions.

struct tally {
  uint32_t asked, decided;
};

static void ask(const struct history *h, enum isolation level,
                struct tally *tally) {
  const struct check_options options = {
      .question = {.level = level, .session_order = true}, .stop = &stop};
  struct verdict v;
  struct error error;
  limit_time();
  const clock_t start = clock();
  if (check(h, &options, &v, &error)) {
    fprintf(stderr, "%s\n", error.text);
    exit(255);
  }
  tally->asked++;
  tally->decided += v.kind != VERDICT_UNDECIDED;
  printf(" %c%6.2f", "pv?"[v.kind], (double)(clock() - start) / CLOCKS_PER_SEC);
  fflush(stdout);
  verdict_free(&v);
}

static void ask_source(const struct source *source, const char *directory,
                       uint32_t txns, uint32_t keys, struct tally *tally) {
  struct history h, fewer;
  record_store(directory, source, txns, keys, &h);
  for (int times = 1; times >= 0; times--) {
    if (!times && source->asked == ISOLATION_SSER)
      continue;
    printf("%-7s %5s %6" PRIu32 " %5" PRIu32, source->name,
           times ? "yes" : "no", txns, keys);
    for (int i = 0; i < NSHAPES; i++) {
      if (shapes[i][0] != keys)
        continue;
      reduce(&h, shapes[i][1] ? shapes[i][1] : txns / 10, times, &fewer);
      ask(&fewer, source->asked, &tally[times]);
      history_free(&fewer);
    }
    printf("\n");
  }
  history_free(&h);
}

static void ask_keys(const char *directory, uint32_t txns, uint32_t keys,
                     struct tally *tally) {
  printf("\n%-7s %5s %6s %5s", "level", "times", "txns", "keys");
  for (int i = 0; i < NSHAPES; i++)
    if (shapes[i][0] == keys)
      printf(" %7s", "");
  printf("\nvalues of a key:         ");
  for (int i = 0; i < NSHAPES; i++)
    if (shapes[i][0] == keys)
      printf(" %7" PRIu32, shapes[i][1] ? shapes[i][1] : txns / 10);
  printf("\n");
  const char *only = getenv("ONLY");
  for (int s = 0; s < NSOURCES; s++)
    if (!only || !strcmp(only, sources[s].name))
      ask_source(&sources[s], directory, txns, keys, tally);
}

static void ask_all(const char *directory, uint32_t txns) {
  struct tally tally[2] = {{0}};
  for (int i = 0; i < NSHAPES; i++)
    if (i == 0 || shapes[i][0] != shapes[i - 1][0])
      ask_keys(directory, txns, shapes[i][0], tally);
  printf("\n%" PRIu32 " transactions: with times %" PRIu32 " of %" PRIu32
         " are decided, without %" PRIu32 " of %" PRIu32 "\n",
         txns, tally[1].decided, tally[1].asked, tally[0].decided,
         tally[0].asked);
}

int main(int argc, char **argv) {
  static const uint32_t sizes[] = {200, 1000};
  char *directory = scratch_make();
  signal(SIGPROF, note_time);
  for (int i = 1; i < argc; i++)
    ask_all(directory, (uint32_t)strtoul(argv[i], NULL, 10));
  for (int i = 0; argc == 1 && i < 2; i++)
    ask_all(directory, sizes[i]);
  scratch_remove(directory);
  return 0;
}
