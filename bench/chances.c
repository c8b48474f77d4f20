// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of the count of chances beside that of the check: reads a history,
// checks it, proves the verdict and counts its chances, and prints the
// processor time of each.  bench/chances.sh records the histories.
//
//   bench/chances LEVEL HISTORY
#include "config.h"

#include "checker/chances/chances.h"
#include "checker/verdict/verdict.h"
#include "recorder/files/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 3 };

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct cost {
  double read, check, count;
};

// -1 with a sentence.
static int measure(const char *path, enum isolation level, struct cost *cost,
                   struct chances *chances, struct error *error) {
  struct history history;
  struct verdict verdict = {0};
  const struct read_options reading = {0};
  const struct check_options options = {
      .question = {.level = level, .session_order = true}, .max_examples = 1};
  const struct chances_options counting = {.real_time =
                                               level == ISOLATION_SSER};
  const double start = cpu_seconds();
  if (history_read_with(path, &reading, &history, error))
    return -1;
  const double read = cpu_seconds();
  const int failed = check(&history, &options, &verdict, error);
  const double checked = cpu_seconds();
  if (!failed)
    chances_count(&history, &counting, chances);
  cost->count = fmin(cost->count, cpu_seconds() - checked);
  cost->check = fmin(cost->check, checked - read);
  cost->read = fmin(cost->read, read - start);
  verdict_free(&verdict);
  history_free(&history);
  return failed;
}

int main(int argc, char **argv) {
  struct cost cost = {INFINITY, INFINITY, INFINITY};
  struct chances chances;
  struct error error;
  enum isolation level;
  if (argc != 3 || !isolation_parse(argv[1], &level)) {
    fputs("usage: bench/chances LEVEL HISTORY\n", stderr);
    return 254;
  }
  for (int i = 0; i < ROUNDS; i++)
    if (measure(argv[2], level, &cost, &chances, &error)) {
      fprintf(stderr, "%s\n", error.text);
      return 255;
    }
  printf("%-5s %8.3f %8.3f %8.3f %6.1f %%  ", argv[1], cost.read, cost.check,
         cost.count, 100 * cost.count / (cost.read + cost.check));
  if (chances.all)
    puts("all");
  else
    printf("a sample of %" PRIu32 "\n", chances.sampled);
  return 0;
}
