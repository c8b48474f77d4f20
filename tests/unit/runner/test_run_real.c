// SPDX-License-Identifier: GPL-3.0-or-later
// The runner with real databases, real workloads and real recordings: what a
// run counts is what its history holds.
#include "config.h"

#include "base/clock.h"
#include "base/memory.h"
#include "drivers/drivers.h"
#include "recorder/files/reader.h"
#include "runner/runner.h"
#include "tests/tap.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static char directory[] = "/tmp/isostress-test.XXXXXX";

struct real {
  struct run_options options;
  char *history, *text;
};

// 4 sessions, 100 transactions each, 3 tries, on 10 keys.
static void real_open(struct real *real, const char *target,
                      const char *workload) {
  struct run_options *options = &real->options;
  struct error error;
  real->history = xasprintf("%s/history", directory);
  real->text = strcmp(target, "sqlite") == 0
                   ? xasprintf("sqlite:%s/database?synchronous=off", directory)
                   : xstrdup("memory:");
  *options = (struct run_options){.transactions = 100,
                                  .max_tries = 3,
                                  .history = real->history,
                                  .about = "test = yes\n"};
  workload_defaults(&options->workload_options);
  options->workload_options.nsessions = 4;
  options->workload_options.seed = 7;
  options->workload = workload_find(workload, &error);
  const uint64_t least = options->workload->min_keys;
  options->workload_options.nkeys = least > 10 ? least : 10;
}

static void real_close(struct real *real) {
  unlink(real->history);
  free(real->history);
  free(real->text);
}

static void real_run(struct real *real, struct run_figures *figures) {
  struct run_options *options = &real->options;
  const struct workload_options *w = &options->workload_options;
  struct error error;
  *figures = (struct run_figures){0};
  if (!CHECK(target_open(real->text, NULL, NULL, w->nsessions, w->seed,
                         &options->target, &error) == 0))
    return;
  options->level = driver_level(options->target->driver, NULL, &error);
  CHECK_INT(run(options, figures, &error), 0);
  CHECK_STR(error.text, "");
  target_close(options->target);
}

// Every value that a committed transaction read was written to that key.
static void check_reads(const struct history *h) {
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      if (op_reads(h->kind[op]) && !op_is_list(h->kind[op]))
        CHECK(h->saw[op] != SAW_THIN_AIR && h->saw[op] != SAW_LOST);
  for (uint32_t list = 0; list < h->nlists; list++)
    for (uint32_t i = h->list[list].first; i < history_list_end(h, list); i++)
      CHECK(h->element[i] < h->nops);
}

static void check_times(const struct history *h) {
  for (uint32_t s = 0; s < h->nsessions; s++)
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++) {
      CHECK(h->begin[t] <= h->end[t]);
      CHECK(t == h->session_first[s] || h->end[t - 1] <= h->begin[t]);
    }
}

static void check_history(const struct real *real,
                          const struct run_figures *figures) {
  struct history history;
  struct error error;
  if (!CHECK(history_read(real->history, NULL, &history, &error) == 0))
    return;
  uint64_t ended[OUTCOME_COUNT] = {0};
  for (uint32_t t = 0; t < history.ntxns; t++)
    ended[history.outcome[t]]++;
  CHECK(history.complete);
  CHECK_INT(history.nsessions, real->options.workload_options.nsessions);
  CHECK_INT(history.ntxns, figures->all_begun);
  CHECK_INT(ended[OUTCOME_OK], figures->all_committed);
  CHECK_INT(ended[OUTCOME_ABORTED], figures->all_aborted);
  CHECK_INT(ended[OUTCOME_UNKNOWN], figures->all_unknown);
  CHECK(figures->committed > 0);
  check_reads(&history);
  check_times(&history);
  history_free(&history);
}

// Every workload with the target; `threads` as in the options.
static void check_workloads(const char *target, uint32_t threads) {
  for (int w = 0; workloads[w]; w++) {
    struct real real;
    struct run_figures figures;
    real_open(&real, target, workloads[w]->name);
    real.options.threads = threads;
    real.options.op_times = w % 2;
    real_run(&real, &figures);
    CHECK_INT(figures.end, RUN_DONE);
    CHECK(figures.transactions >= 400 &&
          figures.transactions < 400 + 4 * PLAN_MAX_OPS);
    check_history(&real, &figures);
    run_figures_free(&figures);
    real_close(&real);
  }
}

static void sqlite_on_threads(void) { check_workloads("sqlite", 0); }

static void memory_on_threads(void) { check_workloads("memory", 0); }

static void memory_on_fewer_threads(void) { check_workloads("memory", 2); }

static void memory_interleaved(void) { check_workloads("memory", 1); }

// The bytes of the history of an interleaved run; free it.
static char *bytes_of_run(const char *workload, uint64_t seed, size_t *length) {
  struct real real;
  struct run_figures figures;
  real_open(&real, "memory", workload);
  real.options.threads = 1;
  real.options.workload_options.seed = seed;
  real_run(&real, &figures);
  run_figures_free(&figures);
  FILE *file = fopen(real.history, "rb");
  char *bytes = xmalloc(1 << 22);
  *length = file ? fread(bytes, 1, 1 << 22, file) : 0;
  if (file)
    fclose(file);
  real_close(&real);
  return bytes;
}

static void equal_seeds_give_equal_files(void) {
  for (int w = 0; workloads[w]; w++) {
    size_t one_length, again_length, two_length;
    char *one = bytes_of_run(workloads[w]->name, 1, &one_length);
    char *again = bytes_of_run(workloads[w]->name, 1, &again_length);
    char *two = bytes_of_run(workloads[w]->name, 2, &two_length);
    CHECK(one_length > 1000 && one_length < 1 << 22);
    CHECK(one_length == again_length && !memcmp(one, again, one_length));
    CHECK(one_length != two_length || memcmp(one, two, one_length));
    free(one);
    free(again);
    free(two);
  }
}

// As if the disk were full, after 200 kB.
static void limit_files(rlim_t bytes) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, SIG_IGN);
}

static void check_what_was_kept(const struct real *real,
                                const struct run_figures *figures) {
  struct history history;
  struct error error;
  if (!CHECK(history_read(real->history, NULL, &history, &error) == 0))
    return;
  CHECK(!history.complete && error.text[0]);
  CHECK(history.ntxns > 1000 && history.ntxns < figures->all_begun);
  history_free(&history);
}

static void a_full_disk_keeps_what_there_is(void) {
  struct real real;
  struct run_figures figures;
  struct error error;
  real_open(&real, "memory", "mt");
  real.options.transactions = 0;
  const struct workload_options *w = &real.options.workload_options;
  CHECK_INT(target_open("memory:", NULL, NULL, w->nsessions, w->seed,
                        &real.options.target, &error),
            0);
  real.options.level = driver_level(real.options.target->driver, NULL, &error);
  limit_files(200000);
  CHECK_INT(run(&real.options, &figures, &error), 0);
  limit_files(RLIM_INFINITY);
  CHECK_INT(figures.end, RUN_RECORDING_FAILED);
  CHECK(strstr(error.text, real.history) != NULL);
  check_what_was_kept(&real, &figures);
  target_close(real.options.target);
  run_figures_free(&figures);
  real_close(&real);
}

static void remove_files(void) {
  static const char *const names[] = {"/database", "/database-wal",
                                      "/database-shm", ""};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *path = xasprintf("%s%s", directory, names[i]);
    remove(path);
    free(path);
  }
}

int main(void) {
  if (!mkdtemp(directory))
    return 255;
  const int failed = TAP_RUN(
      {"SQLite, a thread per session", sqlite_on_threads},
      {"memory, a thread per session", memory_on_threads},
      {"memory, two sessions per thread", memory_on_fewer_threads},
      {"memory, all interleaved", memory_interleaved},
      {"equal seeds give equal files", equal_seeds_give_equal_files},
      {"a full disk keeps what there is", a_full_disk_keeps_what_there_is});
  remove_files();
  return failed;
}
