// SPDX-License-Identifier: GPL-3.0-or-later
// The statistics and tables of sweeps: intervals that cover as often as they
// say, differences that are found and others that are not, lists and ranges,
// values with commas and quotes.
#include "config.h"

#include "base/random.h"
#include "sweep/axes.h"
#include "sweep/codes.h"
#include "sweep/summary.h"
#include "tests/tap.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

// 95 % of the intervals of a known distribution's samples hold its mean.
static void intervals_cover(void) {
  enum { TRIALS = 20000 };
  for (uint32_t n = 2; n <= 10; n += 4) {
    gsl_rng *random = random_stream(7, n, RANDOM_TEST);
    uint32_t covered = 0;
    for (int i = 0; i < TRIALS; i++) {
      double values[10];
      for (uint32_t j = 0; j < n; j++)
        values[j] = 3 + gsl_ran_gaussian(random, 2);
      const struct interval interval = interval_of(values, n);
      covered += fabs(interval.mean - 3) <= interval.half;
    }
    gsl_rng_free(random);
    // Four standard deviations of a binomial count.
    CHECK(fabs(covered - 0.95 * TRIALS) < 4 * sqrt(0.95 * 0.05 * TRIALS));
  }
  const double one[] = {5};
  CHECK(interval_of(one, 1).mean == 5 && isnan(interval_of(one, 1).half));
}

// Student's t by the tables: 2, 4, 4, 4, 5, 5, 7, 9 have mean 5,
// deviation 2.138.
static void intervals_are_those_of_the_tables(void) {
  const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
  const struct interval interval = interval_of(values, 8);
  CHECK(fabs(interval.mean - 5) < 1e-12);
  CHECK(fabs(interval.half - 2.364624 * 2.138090 / sqrt(8)) < 1e-4);
}

// How often two samples are said to differ at 5 %.
static double found(double shift, double spread) {
  enum { TRIALS = 10000, N = 5 };
  gsl_rng *random = random_stream(8, 0, RANDOM_TEST);
  int different = 0;
  for (int i = 0; i < TRIALS; i++) {
    double a[N], b[N];
    for (int j = 0; j < N; j++) {
      a[j] = gsl_ran_gaussian(random, 1);
      b[j] = shift + gsl_ran_gaussian(random, spread);
    }
    different += interval_difference(a, N, b, N) < 0.05;
  }
  gsl_rng_free(random);
  return (double)different / TRIALS;
}

static void differences_are_found(void) {
  CHECK(found(0, 1) > 0.03 && found(0, 1) < 0.06);
  CHECK(found(0, 4) < 0.07);
  CHECK(found(5, 1) > 0.99);
  const double a[] = {1, 1}, b[] = {2, 2};
  CHECK(interval_difference(a, 2, b, 2) == 0);
  CHECK(interval_difference(a, 2, a, 2) == 1);
  CHECK(interval_difference(a, 1, b, 1) == 1);
}

static void check_values(const char *text, bool commas, const char *values) {
  struct axes axes = {0};
  struct error error = {0};
  char all[256] = "";
  CHECK_INT(axes_add(&axes, "x", text, commas, &error), 0);
  for (uint32_t i = 0; i < axes.axes[0].nvalues; i++) {
    strcat(all, i ? " / " : "");
    strcat(all, axes.axes[0].values[i]);
  }
  CHECK_STR(all, values);
  axes_free(&axes);
}

static void lists_and_ranges(void) {
  check_values("2,4, 8", false, "2 / 4 / 8");
  check_values("repeatable read, serializable", false,
               "repeatable read / serializable");
  check_values("a:1,b:2 | c:3", true, "a:1,b:2 / c:3");
  check_values("10..10000 x10", false, "10 / 100 / 1000 / 10000");
  check_values("2..8 +2", false, "2 / 4 / 6 / 8");
  check_values("1..3", false, "1 / 2 / 3");
  check_values("1k..4k x2", false, "1000 / 2000 / 4000");
  check_values("uniform", false, "uniform");
  static const char *const wrong[] = {"4..2", "1..9 *2", "1..9 x1", "1..9 +0",
                                      "1..x", "a,,b",    "0..5 x2"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct axes axes = {0};
    struct error error = {0};
    CHECK_INT(axes_add(&axes, "x", wrong[i], false, &error), -1);
    CHECK(error.text[0]);
    axes_free(&axes);
  }
}

static void products_and_zips(void) {
  struct axes axes = {0};
  struct error error = {0};
  axes_add(&axes, "x", "1,2", false, &error);
  axes_add(&axes, "y", "a,b,c", false, &error);
  CHECK_INT(axes_check(&axes, &error), 0);
  CHECK_INT(axes_ncells(&axes), 6);
  bool seen[2][3] = {{0}};
  for (uint32_t c = 0; c < 6; c++)
    seen[axes_value(&axes, c, 0)[0] - '1'][axes_value(&axes, c, 1)[0] - 'a'] =
        true;
  for (int i = 0; i < 6; i++)
    CHECK(seen[i / 3][i % 3]);
  axes.zip = true;
  CHECK_INT(axes_check(&axes, &error), -1);
  axes_add_value(&axes, "x", "3", &error);
  CHECK_INT(axes_check(&axes, &error), 0);
  CHECK_INT(axes_ncells(&axes), 3);
  CHECK_STR(axes_value(&axes, 2, 0), "3");
  CHECK_STR(axes_value(&axes, 2, 1), "c");
  axes_free(&axes);
}

// The name is to be freed.
static char *write_file(const char *text) {
  char *path = xstrdup("/tmp/isostress-sweep-XXXXXX");
  const int fd = mkstemp(path);
  if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
    abort();
  close(fd);
  return path;
}

static int read_text(const char *text, struct table *table,
                     struct error *error) {
  char *path = write_file(text);
  const int failed = table_read(path, table, error);
  unlink(path);
  free(path);
  return failed;
}

static void tables_are_read_as_written(void) {
  static const char *const values[] = {"plain", "with, comma", "\"quoted\"", "",
                                       "a \"b\", c"};
  char *text = NULL;
  size_t bytes;
  struct table table;
  struct error error = {0};
  FILE *out = open_memstream(&text, &bytes);
  fputs("a,b,c,d,e\n", out);
  for (int i = 0; i < 5; i++)
    table_put(out, values[i], i == 0);
  fputs("\n1,2,3,4", out); // was being written
  fclose(out);
  CHECK_INT(read_text(text, &table, &error), 0);
  CHECK_INT(table.nrows, 1);
  for (int i = 0; i < 5; i++)
    CHECK_STR(table.rows[0][i], values[i]);
  CHECK_STR(table_text(&table, 0, "b"), "with, comma");
  CHECK_STR(table_text(&table, 0, "none"), "");
  table_free(&table);
  free(text);
  CHECK_INT(read_text("a,b\n1\n", &table, &error), -1);
  CHECK(strstr(error.text, ":2: expected 2 values apart by commas"));
  table_free(&table);
  CHECK_INT(read_text("a,b\n1,\"2\n", &table, &error), -1);
  table_free(&table);
  CHECK_INT(read_text("", &table, &error), -1);
  table_free(&table);
}

#define HEADER                                                                 \
  "clients,repetition,attempts,committed,aborted,unknown,abort_rate,"          \
  "given_up_rate,wasted_share,throughput,retries,p50_ms,p95_ms,p99_ms,"        \
  "p999_ms,verdict,anomaly,trouble\n"

// Three repetitions of two cells, with these abort rates.
static void make_runs(double few, double many, struct table *table) {
  char text[2048] = HEADER;
  struct error error;
  for (int r = 0; r < 3; r++)
    for (int cell = 0; cell < 2; cell++) {
      const double rate = (cell ? many : few) + r * 0.001;
      char line[160];
      snprintf(line, sizeof line,
               "%d,%d,1000,900,100,0,%g,0,0,%d,0,1,1,1,1,%s,,\n", cell ? 8 : 2,
               r, rate, 1000 + r, cell && r == 1 ? "violation" : "pass");
      strcat(text, line);
    }
  CHECK_INT(read_text(text, table, &error), 0);
}

static int compare_rates(double few, double many) {
  struct table one, other;
  struct summary a, b;
  struct error error = {0};
  make_runs(0.1, 0.2, &one);
  make_runs(few, many, &other);
  CHECK_INT(summary_make(&one, &a, &error), 0);
  CHECK_INT(summary_make(&other, &b, &error), 0);
  FILE *nowhere = fopen("/dev/null", "w");
  const int ndifferent = summary_compare(nowhere, &a, &b, &error);
  fclose(nowhere);
  summary_free(&a);
  summary_free(&b);
  table_free(&one);
  table_free(&other);
  return ndifferent;
}

static void cells_are_summed_and_compared(void) {
  struct table table;
  struct summary summary;
  struct error error = {0};
  make_runs(0.1, 0.2, &table);
  CHECK_INT(summary_make(&table, &summary, &error), 0);
  CHECK_INT(summary.ncells, 2);
  CHECK_STR(summary.cells[0].values[0], "2");
  CHECK(fabs(summary.cells[0].measures[MEASURE_ABORT_RATE].mean - 0.101) <
        1e-9);
  CHECK(summary.cells[0].sums[0] == 3000);
  CHECK_STR(summary.cells[0].verdict, "pass");
  CHECK_STR(summary.cells[1].verdict, "violation");
  summary_free(&summary);
  table_free(&table);
  CHECK_INT(compare_rates(0.1, 0.2), 0);
  CHECK_INT(compare_rates(0.1, 0.3), 1);
  CHECK_INT(compare_rates(0.2, 0.3), 2);
}

static void codes_are_added_up(void) {
  struct arena arena = {0};
  CHECK_STR(codes_merge(&arena, "", ""), "");
  CHECK_STR(codes_merge(&arena, "40001=2", ""), "40001=2");
  CHECK_STR(codes_merge(&arena, "40001=2;40P01=1", "40P01=3;4000=1"),
            "40P01=4;40001=2;4000=1");
  CHECK_STR(codes_merge(&arena, "a=b=7", "a=b=1;a=2"), "a=b=8;a=2");
  CHECK_STR(codes_merge(&arena, "nonsense;x=1", ";"), "x=1");
  arena_free(&arena);
}

// Aborts by cause and by whom, codes and times of two runs of one cell, of
// which a third one failed; and of another one, which was made once more.
static void causes_and_times_are_summed(void) {
  struct table table;
  struct summary s;
  struct error error = {0};
  const char *text =
      "clients,repetition,setup_seconds,warmup_seconds,took_seconds,attempts,"
      "committed,"
      "aborted,unknown,abort_rate,generation_s,verification_s,"
      "aborts_serialization,aborts_deadlock,aborts_connection,aborts_client,"
      "codes,server,verdict,anomaly,trouble\n"
      "4,0,1,1,13,100,90,10,0,0.1,10,1,5,3,1,1,40001=5;40P01=3,A 1,pass,,\n"
      "4,1,0,1,11,100,92,8,0,0.08,10,0,1,5,0,2,40001=1;40P01=5,A 1,pass,,\n"
      "4,2,,,,,,,,,,,,,,,,,,,it could not be reached\n"
      "8,0,,,,,,,,,,,,,,,,,,,it could not be reached\n"
      "8,0,0,0,1,10,10,0,0,0,1,0,0,0,0,0,,A 1,pass,,\n";
  CHECK_INT(read_text(text, &table, &error), 0);
  CHECK_INT(summary_make(&table, &s, &error), 0);
  CHECK_INT(s.ncells, 2);
  CHECK_INT(s.cells[1].nruns, 1);
  CHECK_INT(s.cells[1].ntroubled, 0);
  CHECK_INT(s.cells[0].nruns, 2);
  CHECK_INT(s.cells[0].ntroubled, 1);
  CHECK_INT(s.ncauses, 4);
  CHECK(s.cells[0].aborts[0] == 6 && s.cells[0].aborts[1] == 8);
  CHECK(s.cells[0].aborts_by[ABORTER_DATABASE] == 14);
  CHECK(s.cells[0].aborts_by[ABORTER_CONNECTION] == 1);
  CHECK(s.cells[0].aborts_by[ABORTER_CLIENT] == 3);
  CHECK_STR(s.cells[0].codes, "40P01=8;40001=6");
  CHECK_STR(s.cells[0].server, "A 1");
  CHECK(s.times.took == 25 && s.times.setup == 1 && s.times.warmup == 2 &&
        s.times.load == 19);
  CHECK(s.times.checked == 1 && s.times.own == 2);
  CHECK(fabs(summary_overhead(&s) - 2.0 / 23) < 1e-12);
  summary_free(&s);
  table_free(&table);
}

int main(void) {
  return TAP_RUN(
      {"intervals cover the true mean", intervals_cover},
      {"intervals are those of the tables", intervals_are_those_of_the_tables},
      {"differences are found", differences_are_found},
      {"lists and ranges", lists_and_ranges},
      {"products and zips", products_and_zips},
      {"tables are read as written", tables_are_read_as_written},
      {"cells are summed and compared", cells_are_summed_and_compared},
      {"codes are added up", codes_are_added_up},
      {"causes and times are summed", causes_and_times_are_summed});
}
