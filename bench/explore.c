// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the cost of exploring the 25 benchmark programs at cc, si and ser,
// and the programs that have bars.
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

static struct explored explored_by(const char *scratch, const char *level,
                                   const char *program, const char *options) {
  struct explored e = {0};
  char text[16384] = "";
  char *path = xasprintf("%s/out", scratch);
  e.cost = cost_of(xasprintf("./isostress explore --output=json --assert-only "
                             "-i %s %s %s >%s",
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
        const struct explored e = explored_by(scratch, levels[l], name, "");
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

static void put_bar(const char *what, struct explored e, const char *bar) {
  printf("%-32s%12" PRIu64 "%10.3f%12.0f%8.1f   %s\n", what, e.histories,
         e.cost.cpu, (double)e.leaves / e.cost.cpu, e.cost.megabytes, bar);
  fflush(stdout);
}

static void put_bars(const char *scratch) {
  char *eight = increments(scratch, 8);
  printf("\n%-32s%12s%10s%12s%8s   bar\n", "", "histories", "seconds",
         "leaves/s", "MB");
  put_bar("8 increments at cc", explored_by(scratch, "cc", eight, ""), "4 s");
  put_bar("tpcc-5 at cc", explored_by(scratch, "cc", "tpcc-5", ""), "3 s");
  put_bar("shopping-cart-4 at cc",
          explored_by(scratch, "cc", "shopping-cart-4", ""), "250000/s");
  put_bar("shopping-cart-2 at rc, 5 s",
          explored_by(scratch, "rc", "shopping-cart-2", "--timeout 5s"),
          "800000/s");
  free(eight);
}

int main(void) {
  char *scratch = scratch_make();
  put_programs(scratch);
  put_bars(scratch);
  scratch_remove(scratch);
  return 0;
}
