// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the cost of exploring the 25 benchmark programs at cc, si and ser,
// the programs that have bars, one core against two, and the two series of the
// paper (section 7.5): more sessions, and more transactions in each.  The
// argument is the limit of each program of the series in seconds, 10 without
// it.
#include "config.h"

#include "bench/process.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const applications[] = {"courseware", "shopping-cart",
                                           "tpcc", "twitter", "wikipedia"};
static const char *const levels[] = {"cc", "si", "ser"};
enum {
  APPLICATIONS = sizeof applications / sizeof *applications,
  LEVELS = sizeof levels / sizeof *levels
};

struct explored {
  struct cost cost;
  uint64_t histories, leaves;
};

static uint64_t number_behind(const char *text, const char *name) {
  const char *at = strstr(text, name);
  return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

// On one core, unless `options` has -j; `cores` is what taskset takes.
static struct explored explored_by(const char *scratch, const char *level,
                                   const char *program, const char *options,
                                   const char *cores) {
  struct explored e = {0};
  char text[16384] = "";
  char *path = xasprintf("%s/out", scratch);
  e.cost = cost_of(xasprintf("%s%s ./isostress explore --output=json "
                             "--assert-only -i %s %s '%s' >%s",
                             cores ? "taskset -c " : "", cores ? cores : "",
                             level, options, program, path));
  FILE *file = fopen(path, "r");
  if (file) {
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
  }
  free(path);
  e.histories = number_behind(text, "\"histories\": ");
  e.leaves = number_behind(text, "\"leaves\": ");
  return e;
}

static void put_programs(const char *scratch) {
  struct explored sums[LEVELS] = {{{0}, 0, 0}};
  printf("%-17s%-5s%12s%12s%10s%8s\n", "program", "level", "histories",
         "leaves", "seconds", "MB");
  for (size_t a = 0; a < APPLICATIONS; a++)
    for (int n = 1; n <= 5; n++)
      for (size_t l = 0; l < LEVELS; l++) {
        char name[40];
        snprintf(name, sizeof name, "%s-%d", applications[a], n);
        const struct explored e =
            explored_by(scratch, levels[l], name, "", NULL);
        printf("%-17s%-5s%12" PRIu64 "%12" PRIu64 "%10.3f%8.1f\n", name,
               levels[l], e.histories, e.leaves, e.cost.cpu, e.cost.megabytes);
        fflush(stdout);
        sums[l].cost.cpu += e.cost.cpu;
        sums[l].histories += e.histories;
        sums[l].leaves += e.leaves;
      }
  for (size_t l = 0; l < LEVELS; l++)
    printf("%-17s%-5s%12" PRIu64 "%12" PRIu64 "%10.3f\n", "all 25", levels[l],
           sums[l].histories, sums[l].leaves, sums[l].cost.cpu);
}

static char *increments(const char *scratch, int n) {
  char *path = xasprintf("%s/increments-%d.program", scratch, n);
  FILE *file = fopen(path, "w");
  if (!file)
    exit(255);
  fputs("initially x=0\ntransaction inc; read x into v; write x v + 1; end\n",
        file);
  for (int i = 0; i < n; i++)
    fprintf(file, "session s%d: inc\n", i);
  fclose(file);
  return path;
}

static void put_bar(const char *what, struct explored e, double seconds,
                    const char *bar) {
  printf("%-32s%12" PRIu64 "%10.3f%12.0f%8.1f   %s\n", what, e.histories,
         seconds, (double)e.leaves / seconds, e.cost.megabytes, bar);
  fflush(stdout);
}

static void put_bars(const char *scratch) {
  char *eight = increments(scratch, 8), *nine = increments(scratch, 9);
  const struct {
    const char *what, *level, *program, *options, *bar;
  } rows[] = {
      {"8 increments at cc", "cc", eight, "-j 1", "4 s"},
      {"tpcc-5 at cc", "cc", "tpcc-5", "-j 1", "3 s"},
      {"shopping-cart-4 at cc", "cc", "shopping-cart-4", "-j 1", "250000/s"},
      {"shopping-cart-2 at rc, 5 s", "rc", "shopping-cart-2",
       "-j 1 --timeout 5s", "800000/s"},
  };
  printf("\n%-32s%12s%10s%12s%8s   bar\n", "", "histories", "seconds",
         "leaves/s", "MB");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct explored e = explored_by(
        scratch, rows[i].level, rows[i].program, rows[i].options, NULL);
    put_bar(rows[i].what, e, e.cost.cpu, rows[i].bar);
  }
  const struct explored e = explored_by(scratch, "cc", nine, "-j 2", "0,1");
  put_bar("9 increments at cc, 2 cores", e, e.cost.wall, "60 s, wall clock");
  free(eight);
  free(nine);
}

// ---- Cores

enum { ROUNDS = 5 };

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Medians of rounds by turns.
static void put_cores(const char *scratch) {
  char *eight = increments(scratch, 8);
  double seconds[2][ROUNDS];
  for (int round = 0; round < ROUNDS; round++)
    for (int two = 0; two < 2; two++)
      seconds[two][round] =
          explored_by(scratch, "cc", eight, two ? "-j 2" : "-j 1", "0,1")
              .cost.wall;
  for (int two = 0; two < 2; two++)
    qsort(seconds[two], ROUNDS, sizeof *seconds[two], by_size);
  const double one = seconds[0][ROUNDS / 2], two = seconds[1][ROUNDS / 2];
  printf("\n8 increments at cc, wall clock: %.2f s on one core, %.2f s on two: "
         "%.2f times as fast (bar: 1.8)\n",
         one, two, one / two);
  free(eight);
}

// ---- Series

enum { SIZES = 3, LEAST = 3, CALLS_MAX = 9 };

struct calls { // of a program of 3 sessions with 3 transactions
  int n;
  char text[CALLS_MAX][200];
};

// Copies the program without its sessions, whose calls are noted.
static void take_program(const char *name, FILE *out, struct calls *calls) {
  const char *files = getenv("ISOSTRESS_FILES");
  char *path =
      xasprintf("%s/configs/programs/%s.program", files ? files : "..", name);
  char line[4096];
  FILE *in = fopen(path, "r");
  if (!in) {
    perror(path);
    exit(255);
  }
  calls->n = 0;
  while (fgets(line, sizeof line, in)) {
    if (strncmp(line, "session ", 8)) {
      fputs(line, out);
      continue;
    }
    strtok(line, ":");
    for (char *call; (call = strtok(NULL, " \n")) && calls->n < CALLS_MAX;)
      snprintf(calls->text[calls->n++], sizeof calls->text[0], "%s", call);
  }
  fclose(in);
  free(path);
}

// The calls of the program again, along its diagonals: a fourth session is the
// first call of the second, the second of the third, the third of the first.
static const char *call_of(const struct calls *calls, int session, int place) {
  const int s = session < 3 ? session + place / 3 : session - 2 + place;
  return calls->text[s % 3 * 3 + place % 3];
}

static char *larger(const char *scratch, const char *name, int nsessions,
                    int ntxns) {
  char *path =
      xasprintf("%s/%s-%d-%d.program", scratch, name, nsessions, ntxns);
  struct calls calls;
  FILE *out = fopen(path, "w");
  if (!out)
    exit(255);
  take_program(name, out, &calls);
  for (int s = 0; s < nsessions; s++) {
    fprintf(out, "session S%d:", s + 1);
    for (int t = 0; t < ntxns; t++)
      fprintf(out, " %s", call_of(&calls, s, t));
    fputc('\n', out);
  }
  fclose(out);
  return path;
}

static void put_size(const char *scratch, int nsessions, int ntxns,
                     double limit) {
  static const char *const two[] = {"tpcc", "wikipedia"};
  uint64_t histories = 0;
  int ended = 0;
  double cpu = 0, megabytes = 0;
  for (int i = 0; i < 10; i++) {
    char name[20], options[40];
    snprintf(name, sizeof name, "%s-%d", two[i / 5], 1 + i % 5);
    snprintf(options, sizeof options, "-j 1 --timeout %gs", limit);
    char *program = larger(scratch, name, nsessions, ntxns);
    const struct explored e =
        explored_by(scratch, "cc", program, options, NULL);
    ended += e.cost.status != 2;
    histories += e.histories;
    cpu += e.cost.cpu;
    megabytes = e.cost.megabytes > megabytes ? e.cost.megabytes : megabytes;
    free(program);
  }
  printf("%8d%14d%8d of 10%14" PRIu64 "%10.2f%8.1f\n", nsessions, ntxns, ended,
         histories, cpu / 10, megabytes);
  fflush(stdout);
}

static void put_series(const char *scratch, double limit) {
  printf(
      "\nTPC-C and Wikipedia at cc, at most %g s each\n%8s%14s%14s%14s%10s%8s"
      "\n",
      limit, "sessions", "transactions", "ended", "histories", "s each", "MB");
  for (int i = 0; i < SIZES; i++)
    put_size(scratch, LEAST + i, LEAST, limit);
  for (int i = 1; i < SIZES; i++)
    put_size(scratch, LEAST, LEAST + i, limit);
}

int main(int argc, char **argv) {
  char *scratch = scratch_make();
  put_programs(scratch);
  put_bars(scratch);
  put_cores(scratch);
  put_series(scratch, argc > 1 ? strtod(argv[1], NULL) : 10);
  scratch_remove(scratch);
  return 0;
}
