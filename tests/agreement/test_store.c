// SPDX-License-Identifier: GPL-3.0-or-later
// Whole small histories of the memory store, at each of its levels and with
// each of its bugs: the store keeps what its level claims, a bug breaks the
// level that forbids it and no weaker one, and the checker agrees with the
// referee.
#include "config.h"

#include "base/memory.h"
#include "checker/verify/referee.h"
#include "drivers/drivers.h"
#include "recorder/files/reader.h"
#include "runner/runner.h"
#include "tests/kit/compare.h"
#include "tests/tap.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

enum { SESSIONS = 3, TRANSACTIONS = 3 };

static unsigned runs(void) { return getenv("ISOSTRESS_LONG") ? 1000 : 60; }

// --- From a history to a tiny one.

// The value that a tiny history gives to what an operation wrote.
static uint8_t value_of_op(const struct history *h, uint32_t op) {
  if (op == SAW_INITIAL)
    return 0;
  const uint32_t value = op < h->nops ? op + 1 : h->nops + 1;
  assert(value < TINY_VALUES);
  return (uint8_t)value;
}

static void copy_op(const struct history *h, uint32_t op, struct tiny_op *to) {
  *to = (struct tiny_op){.kind = h->kind[op], .key = (uint8_t)h->key[op]};
  if (op_writes(h->kind[op]))
    to->value = value_of_op(h, op);
  if (h->kind[op] == OP_READ)
    to->value = value_of_op(h, h->saw[op]);
  if (h->kind[op] == OP_CAS)
    to->expected = value_of_op(h, h->saw[op]);
  if (h->kind[op] != OP_READ_LIST)
    return;
  for (uint32_t e = h->list[h->saw[op]].first;
       e < history_list_end(h, h->saw[op]); e++) {
    assert(to->length < TINY_LIST);
    to->list[to->length++] = value_of_op(h, h->element[e]);
  }
}

static void copy_history(const struct history *h, struct tiny *tiny) {
  assert(h->ntxns <= TINY_TXNS && h->nkeys <= TINY_KEYS);
  memset(tiny, 0, sizeof *tiny);
  tiny->ntxns = (uint8_t)h->ntxns;
  for (uint32_t t = 0; t < h->ntxns; t++) {
    struct tiny_txn *txn = &tiny->txn[t];
    txn->session = (uint8_t)history_session(h, t);
    txn->outcome = h->outcome[t];
    txn->begin = (uint32_t)h->begin[t] + 1;
    txn->end = (uint32_t)h->end[t] + 1;
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
      assert(txn->nops < TINY_OPS);
      copy_op(h, op, &txn->op[txn->nops++]);
    }
  }
}

// --- Runs.

// One run on one thread, which the seed decides, and its history.
static int run_once(const char *workload, const char *level, const char *bug,
                    uint64_t seed, const char *path, struct tiny *tiny,
                    struct error *error) {
  char *option = xasprintf("bug=%s", bug ? bug : "none");
  const char *const extra[] = {bug ? option : NULL, NULL};
  struct target *target;
  const int opened =
      target_open("memory:", NULL, extra, SESSIONS, seed, &target, error);
  free(option);
  if (opened)
    return -1;
  struct run_options options = {.target = target,
                                .threads = 1,
                                .transactions = TRANSACTIONS,
                                .max_tries = 1,
                                .history = path,
                                .about = ""};
  options.level = driver_level(target->driver, level, error);
  options.workload = workload_find(workload, error);
  workload_defaults(&options.workload_options);
  options.workload_options.seed = seed;
  options.workload_options.nsessions = SESSIONS;
  options.workload_options.nkeys = 2;
  options.workload_options.ops = 5;
  options.workload_options.max_length = 8;
  struct run_figures figures = {0};
  struct history history = {0};
  int result = -1;
  if (options.level && options.workload &&
      run(&options, &figures, error) == 0 &&
      history_read(path, NULL, &history, error) == 0) {
    copy_history(&history, tiny);
    result = 0;
  }
  run_figures_free(&figures);
  history_free(&history);
  target_close(target);
  unlink(path);
  return result;
}

static bool keeps(const struct tiny *tiny, enum isolation level) {
  struct tiny_history room;
  const struct referee_options options = {.level = level,
                                          .session_order = true};
  return referee_decide(tiny_history(tiny, &room), &options, NULL, NULL) ==
         REFEREE_KEPT;
}

// Runs with many seeds; returns how many broke `broken`, after checking that
// none broke `kept` and that checker and referee agree.
static unsigned count_broken(const char *workload, enum isolation level,
                             const char *bug, enum isolation kept,
                             enum isolation broken) {
  const char *tmp = getenv("TMPDIR");
  char *directory = xasprintf("%s/isostress-test.XXXXXX", tmp ? tmp : "/tmp");
  if (!CHECK(mkdtemp(directory) != NULL)) {
    free(directory);
    return 0;
  }
  char *path = xasprintf("%s/history", directory);
  struct agreement agreement = {0};
  unsigned count = 0;
  for (uint64_t seed = 0; seed < runs(); seed++) {
    struct tiny tiny;
    struct error error = {0};
    const int result = run_once(workload, isolation_name(level), bug, seed,
                                path, &tiny, &error);
    if (!CHECK(result == 0)) {
      printf("# %s\n", error.text);
      break;
    }
    compare(&agreement, &tiny);
    if (!CHECK(kept == ISOLATION_NONE || keeps(&tiny, kept)))
      printf("# %s at %s with %s, seed %d\n", workload, isolation_name(level),
             bug ? bug : "no bug", (int)seed);
    count += !keeps(&tiny, broken);
  }
  CHECK_INT(agreement_failures(&agreement), 0);
  rmdir(directory);
  free(directory);
  free(path);
  return count;
}

// --- Tests.

// ...and does not keep more than it claims, or the comparison would say little.
static void every_level_is_kept(void) {
  static const char *const names[] = {"mt", "general", "append", "cas"};
  unsigned more[ISOLATION_COUNT + 1] = {0};
  for (enum isolation level = ISOLATION_RC; level <= ISOLATION_SSER; level++)
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
      more[level] += count_broken(names[i], level, NULL, level,
                                  level < ISOLATION_SSER ? level + 1 : level);
  for (enum isolation level = ISOLATION_RC; level < ISOLATION_SSER; level++)
    if (!CHECK(more[level] > 0))
      printf("# never less than %s\n", isolation_name(level + 1));
}

// MTC, figure 5: what each bug shows, and the weakest level that forbids it.
static const struct {
  const char *name, *workload;
  enum isolation weakest;
} bugs[] = {
    {"ThinAirRead", "mt", ISOLATION_RC},
    {"AbortedRead", "mt", ISOLATION_RC},
    {"FutureRead", "mt", ISOLATION_RC},
    {"NotMyLastWrite", "general", ISOLATION_RC},
    {"NotMyOwnWrite", "general", ISOLATION_RC},
    {"IntermediateRead", "general", ISOLATION_RC},
    {"NonMonotonicRead", "general", ISOLATION_RC},
    {"NonRepeatableReads", "general", ISOLATION_RA},
    {"SessionGuaranteeViolation", "general", ISOLATION_RA},
    {"FracturedRead", "general", ISOLATION_RA},
    {"CausalityViolation", "mt", ISOLATION_CC},
    {"LongFork", "mt", ISOLATION_PC},
    {"LostUpdate", "mt", ISOLATION_SI},
    {"WriteSkew", "mt", ISOLATION_SER},
};

static void every_bug_breaks_its_level(void) {
  for (unsigned i = 0; i < sizeof bugs / sizeof bugs[0]; i++) {
    char *bug = xasprintf("%s:1", bugs[i].name);
    const unsigned broken = count_broken(bugs[i].workload, ISOLATION_SSER, bug,
                                         bugs[i].weakest - 1, bugs[i].weakest);
    printf("# %s: %u of %u runs\n", bug, broken, runs());
    CHECK(broken > 0);
    free(bug);
  }
}

int main(void) {
  return TAP_RUN({"every level is kept", every_level_is_kept},
                 {"every bug breaks its level", every_bug_breaks_its_level});
}
