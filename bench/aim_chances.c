// SPDX-License-Identifier: GPL-3.0-or-later
// Counts the chances that aims bring on a database (bench/aim_chances.h).
#include "config.h"

#include "bench/aim_chances.h"

#include "base/memory.h"
#include "checker/chances/chances.h"
#include "drivers/drivers.h"
#include "recorder/files/reader.h"
#include "runner/runner.h"
#include "workload/aim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { SESSIONS = 8, KEYS = 96, RUNS_MOST = 15 };

static void fail(const struct error *error) {
  fprintf(stderr, "bench/aim: %s\n", error->text);
  exit(1);
}

static void choose_load(const struct aim *aim, bool plain,
                        struct run_options *options) {
  struct workload_options *w = &options->workload_options;
  struct error error;
  options->workload = workload_find("mt", &error);
  workload_defaults(w);
  w->seed = 1;
  w->nsessions = SESSIONS;
  w->nkeys = KEYS;
  w->distribution = DISTRIBUTION_UNIFORM;
  w->aim = plain ? NULL : aim;
  for (uint32_t i = 0; plain && i < AIM_MOST_PLANS; i++)
    w->shape_share[aim->plans[i].shape] += aim->plans[i].share;
}

static void record(const char *uri, const struct aim *aim, bool plain,
                   uint32_t seconds, const char *file) {
  struct run_figures figures = {0};
  struct error error = {0};
  struct run_options options = {.duration = seconds * UINT64_C(1000000000),
                                .max_tries = 1,
                                .history = file};
  choose_load(aim, plain, &options);
  if (target_open(uri, NULL, NULL, SESSIONS, 1, &options.target, &error))
    fail(&error);
  options.level = driver_level(options.target->driver, NULL, &error);
  if (options.target->driver->never_waits) // with a clock of its own
    options.threads = 1;
  if (run(&options, &figures, &error))
    fail(&error);
  run_figures_free(&figures);
  target_close(options.target);
}

// The number of chances.
static double chances_of(const struct history *history, const char *anomaly) {
  struct chances c;
  uint32_t i = 0;
  chances_count(history, &(struct chances_options){.steps = UINT64_MAX}, &c);
  while (chance_kind(i) && strcmp(chance_kind(i)->anomaly, anomaly))
    i++;
  if (!chance_kind(i))
    return 0;
  return (double)c.low[i];
}

// In one run.
static double chances_a_second(const char *uri, const struct aim *aim,
                               bool plain, uint32_t seconds) {
  char directory[] = "/tmp/isostress-bench.XXXXXX";
  struct history history;
  struct error error;
  if (!mkdtemp(directory))
    abort();
  char *file = xasprintf("%s/history", directory);
  record(uri, aim, plain, seconds, file);
  if (history_read(file, NULL, &history, &error))
    fail(&error);
  const double count = chances_of(&history, aim->name);
  history_free(&history);
  unlink(file);
  rmdir(directory);
  free(file);
  return count / seconds;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void compare(const char *uri, const struct aim *aim, uint32_t seconds,
                    uint32_t nruns) {
  double rate[2][RUNS_MOST];
  for (uint32_t i = 0; i < nruns; i++)
    for (int plain = 0; plain <= 1; plain++)
      rate[plain][i] = chances_a_second(uri, aim, plain, seconds);
  for (int plain = 0; plain <= 1; plain++)
    qsort(rate[plain], nruns, sizeof *rate[plain], by_size);
  const double aimed = rate[0][nruns / 2], alone = rate[1][nruns / 2];
  printf("%-10.*s %-25s %12.0f %12.0f", (int)strcspn(uri, ":"), uri, aim->name,
         alone, aimed);
  if (alone > 0)
    printf(" %7.2f", aimed / alone);
  putchar('\n');
  fflush(stdout);
}

static bool is_asked_for(const struct aim *aim, char **names) {
  bool found = !*names;
  for (; *names; names++)
    found |= strncasecmp(aim->name, *names, strlen(*names)) == 0;
  return found;
}

void aim_chances(const char *uri, uint32_t seconds, uint32_t nruns,
                 char **names) {
  nruns = nruns < 1 ? 1 : nruns > RUNS_MOST ? RUNS_MOST : nruns;
  printf("%-10s %-25s %12s %12s %7s\n", "driver", "anomaly", "plain", "aimed",
         "ratio");
  for (const struct aim *aim = aims; aim->name; aim++)
    if (is_asked_for(aim, names))
      compare(uri, aim, seconds ? seconds : 1, nruns);
}
