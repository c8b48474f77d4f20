// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts of the user's own SQL (own/script.h), what stands between their
// statements (own/compute.h), and how they are played (own/play.h).
#include "config.h"

#include "base/memory.h"
#include "own/compute.h"
#include "own/draws.h"
#include "own/play.h"
#include "tests/tap.h"

#include <unistd.h>

static void check_value(const char *expression, const char *wanted) {
  struct raw_variables v = {0};
  gsl_rng *draw = gsl_rng_alloc(gsl_rng_mt19937);
  struct error error;
  char *got = NULL;
  raw_variable_set(&v, "a", "7");
  raw_variable_set(&v, "x", "2.5");
  raw_variable_set(&v, "name", "bob");
  const int failed = raw_compute(expression, &v, draw, &got, &error);
  CHECK_STR(failed ? error.text : got ? got : "NULL", wanted);
  free(got);
  gsl_rng_free(draw);
  raw_variables_free(&v);
}

static void expressions_are_computed(void) {
  static const char *const all[][2] = {
      {"1 + 2 * 3", "7"},
      {"(1 + 2) * -3 % 4", "-1"},
      {":a / 2", "3"},
      {":a * :x", "17.5"},
      {"-:a", "-7"},
      {":a >= 7 and not :a <> 7", "true"},
      {":a = 8 OR NULL IS NULL", "true"},
      {"null + 1", "NULL"},
      {"random(3, 3) + abs(-2)", "5"},
      {"greatest(1, :a, 3) - least(4, 2)", "5"},
      {"int(7.9)", "7"},
      {"mod(9, 4)", "1"},
      {"1 / 0", "division by zero"},
      {":b + 1", "the variable is not set: b"},
      {":name + 1", "is no number: bob"},
      {"9223372036854775807 + 1", "a number is too large"},
      {"1 +", "a value is missing before the end"},
      {"1 2", "is more than an expression: 2"},
      {"permute(1)", "there is no such function here: permute"},
      // As pgbench 15 computes them.
      {"hash_murmur2(10, 5432)", "-5817877081768721676"},
      {"hash_fnv1a(10, 5432)", "-7793829335365542153"},
      {"hash(-7, 3)", "-9164783984481346725"},
      {"hash_fnv1a(9223372036854775807, -1)", "9116682525541297170"},
      {"hash(5)", "-208465272938114760"},
      {"hash(1.5)", "whole numbers are the value and the seed of hash"},
      {"random_zipfian(4, 4, 1.5)", "4"},
      {"random_zipfian(1, 9, 1)",
       "the last number is too small: random_zipfian"},
      {"random_zipfian(1, 9, 1001)",
       "the last number is too large: random_zipfian"},
      {"random_zipfian(1, 9)",
       "two whole numbers are the range of random_zipfian"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    check_value(all[i][0], all[i][1]);
}

// The k-th of the numbers 1 to 10 comes in proportion to 1 / k ** 1.5, and the
// first one 5,012 times of 10,000.
static void small_numbers_are_drawn_most(void) {
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  unsigned drawn[11] = {0};
  for (int i = 0; i < 10000; i++) {
    const int64_t n = draw_number_zipfian(rng, 1, 10, 1.5);
    CHECK(n >= 1 && n <= 10);
    drawn[n]++;
  }
  CHECK(drawn[1] > 4800 && drawn[1] < 5200);
  CHECK(drawn[2] > 1650 && drawn[2] < 1900); // 1,772
  CHECK(drawn[10] > 110 && drawn[10] < 210); // 158
  gsl_rng_free(rng);
}

// Reads a text as a script; NULL with the sentence behind the path.
static struct raw_scripts *read_text_as_script(const char *text,
                                               struct error *error) {
  char path[] = "/tmp/test_scripts.XXXXXX";
  const int fd = mkstemp(path);
  const size_t n = strlen(text);
  CHECK(fd >= 0 && write(fd, text, n) == (ssize_t)n);
  close(fd);
  struct raw_scripts *scripts =
      raw_scripts_read(path, path, 1, &sql_dialect_postgresql, error);
  if (!scripts)
    error_rename(error, path, "s");
  unlink(path);
  return scripts;
}

static void mistakes_are_named(void) {
  static const char *const all[][2] = {
      {"SELECT 1;\nTRUNCATE t;",
       "s:2: TRUNCATE changes rows that no trigger sees"},
      {"\n\nBEGIN;\nSELECT 1;",
       "s:3: the transaction that begins here has no COMMIT or ROLLBACK"},
      {"COMMIT;", "s:1: no transaction is open at this COMMIT"},
      {"BEGIN;\nBEGIN;", "s:2: a transaction is open already at this BEGIN"},
      {"\\if 1\nSELECT 1;", "s:1: an \\if that begins here has no \\endif"},
      {"\\endif", "s:1: there is no \\if for \\endif"},
      {"\\shell x", "s:1: a run has no \\shell"},
      {"\\set a 1 +", "s:1: a value is missing before the end"},
      {"-- nothing\n", "s: there is no statement"},
      {"SELECT 'a;",
       "s:1: a quote or a comment that begins here or behind has no end"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    struct error error = {0};
    struct raw_scripts *scripts = read_text_as_script(all[i][0], &error);
    CHECK(!scripts);
    raw_scripts_free(scripts);
    CHECK_STR(error.text, all[i][1]);
  }
}

// The texts that are sent, and how each transaction ends, as one text.
static void play_twice(struct raw_play *play, FILE *out) {
  const struct raw_step *step;
  const char *text;
  const char *names[] = {"n"}, *values[] = {"5"};
  const struct raw_pace pace = {0};
  struct error error = {0};
  for (int i = 0; i < 2; i++) {
    enum raw_turn turn;
    raw_play_take(play, &pace, &error);
    raw_play_start(play);
    while ((turn = raw_play_next(play, &pace, &step, &text, &error)) ==
           RAW_TURN_STATEMENT) {
      struct instrument_answer answer = {.affected = 1, .returned = 1};
      if (step->kept) {
        answer.names = names;
        answer.values = values;
        answer.ncolumns = 1;
      }
      fprintf(out, "%u %s; ", step->line, text);
      raw_play_keep(play, &answer, &error);
    }
    fputs(turn == RAW_TURN_COMMIT ? "commit. " : "rollback. ", out);
  }
}

static void scripts_are_played(void) {
  struct error error = {0};
  struct raw_scripts *scripts = read_text_as_script(
      "\\set a 1 + 1\nBEGIN;\nSELECT n FROM t WHERE k = ':a'\n  \\gset old_\n"
      "\\if :old_n > 4\nUPDATE t SET n = :old_n::int + :ROW_COUNT;\n\\else\n"
      "DELETE FROM t;\n\\endif\nROLLBACK; SELECT :client_id\n",
      &error);
  CHECK_STR(error.text, "");
  struct raw_workload made;
  struct workload_options options = {.seed = 1, .nsessions = 1, .own = scripts};
  char *got;
  size_t bytes;
  raw_workload_make(&made, scripts);
  void *play = made.workload.open(&options, 3);
  FILE *out = text_stream(&got, &bytes);
  play_twice(play, out);
  fclose(out);
  CHECK_STR(got, "3 SELECT n FROM t WHERE k = '2'; 6 UPDATE t SET n = 5::int + "
                 "1; rollback. 10 SELECT 3; commit. ");
  free(got);
  made.workload.close(play);
  raw_scripts_free(scripts);
}

int main(void) {
  return TAP_RUN({"expressions are computed", expressions_are_computed},
                 {"small numbers are drawn most", small_numbers_are_drawn_most},
                 {"mistakes are named", mistakes_are_named},
                 {"scripts are played", scripts_are_played});
}
