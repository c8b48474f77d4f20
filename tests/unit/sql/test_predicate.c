// SPDX-License-Identifier: GPL-3.0-or-later
// Predicates: what is read, what is refused and where, and that every row gets
// the answer that SQLite gives.
#include "config.h"

#include "base/random.h"
#include "sql/predicate.h"
#include "tests/tap.h"

#include <gsl/gsl_rng.h>
#include <sqlite3.h>

static const char *const names[] = {"b", "v", "f"};
static const struct predicate_columns columns = {"id", names, 3};

static const int64_t parameters[] = {4, -7, INT64_MAX};

static bool holds(const char *text, int64_t key, int64_t b, int64_t v) {
  struct predicate p;
  struct error error = {0};
  const int64_t row[] = {b, v, 0};
  if (!CHECK(!predicate_read(&p, text, &columns, &error)))
    printf("# %s\n", error.text);
  return predicate_holds(&p, key, row, parameters);
}

static void conditions_are_evaluated(void) {
  CHECK(holds("true", 1, 2, 3));
  CHECK(holds("b = 2 and v > 2", 1, 2, 3));
  CHECK(!holds("b = 2 & v > 3", 1, 2, 3));
  CHECK(holds("b = 9 | NOT v = 4 AND id = 1", 1, 2, 3));
  CHECK(!holds("(b = 9 or not v = 4) and id = 2", 1, 2, 3));
  CHECK(holds("v % 4 = 3 and b in (1, 2)", 1, 2, 3));
  CHECK(holds("v % 4 = -3", 1, 2, -3));
  CHECK(holds("b between 2 and $1 and v <> $2", 1, 4, 3));
  CHECK(!holds("b BETWEEN 5 AND $1", 1, 4, 3));
  CHECK(holds("v <= $3 AND v >= -9223372036854775808", 1, 4, INT64_MAX));
}

static void says(const char *text, const char *wanted) {
  struct predicate p;
  struct error error = {0};
  CHECK_INT(predicate_read(&p, text, &columns, &error), -1);
  CHECK_STR(error.text, wanted);
  CHECK(error.usage);
}

static void bad_ones_are_refused_with_the_place(void) {
  says("", "character 1 of \"\": expected a column");
  says("b = ", "character 5 of \"b = \": expected an integer of 64 bits");
  says("b = 1 v", "character 7 of \"b = 1 v\": expected AND, OR or the end");
  says("c = 1", "character 1 of \"c = 1\": there is no column \"c\"");
  says("b + 1", "character 3 of \"b + 1\": expected a comparison, %, IN or "
                "BETWEEN");
  says("(b = 1", "character 7 of \"(b = 1\": expected AND, OR or \")\"");
  says("b in 1", "character 6 of \"b in 1\": expected \"(\"");
  says("b in (1", "character 8 of \"b in (1\": expected \",\" or \")\"");
  says("b % 0 = 1",
       "character 6 of \"b % 0 = 1\": expected a positive integer before this");
  says("b between 1 or 2",
       "character 13 of \"b between 1 or 2\": expected AND");
  says("b = $17", "character 8 of \"b = $17\": expected a parameter from $1 to "
                  "$16 before this");
  says("b = 9223372036854775808", "character 5 of \"b = 9223372036854775808\": "
                                  "expected an integer of 64 bits");
}

static void long_ones_are_refused(void) {
  char text[8192] = "b=1";
  for (int i = 1; i < 32; i++)
    strcat(text, " or b=1");
  struct predicate p;
  struct error error = {0};
  CHECK_INT(predicate_read(&p, text, &columns, &error), 0);
  strcat(text, " or b=1");
  CHECK_INT(predicate_read(&p, text, &columns, &error), -1);
  CHECK(strstr(error.text, "at most 64 parts"));
  memset(text, '(', 5000);
  text[5000] = 0;
  CHECK_INT(predicate_read(&p, text, &columns, &error), -1);
  CHECK(strstr(error.text, "expected fewer brackets"));
}

static char *written(const struct predicate *p, enum predicate_style style) {
  static char buffer[8192];
  FILE *out = fmemopen(buffer, sizeof buffer, "w");
  predicate_write(out, p, &columns, style, parameters);
  fclose(out);
  return buffer;
}

static void parameters_are_written_in_three_ways(void) {
  struct predicate p;
  struct error error = {0};
  CHECK_INT(predicate_read(&p, "b = $2 and (v < $1 or id in (1, $2))", &columns,
                           &error),
            0);
  CHECK_INT(p.nparameters, 2);
  CHECK_STR(written(&p, PREDICATE_DOLLAR),
            "b = $2 AND (v < $1 OR id IN (1, $2))");
  CHECK_STR(written(&p, PREDICATE_QUESTION),
            "b = ? AND (v < ? OR id IN (1, ?))");
  CHECK_STR(written(&p, PREDICATE_BOUND),
            "b = -7 AND (v < 4 OR id IN (1, -7))");
  uint8_t order[PREDICATE_NODES];
  CHECK_INT(predicate_order(&p, order), 3);
  CHECK(order[0] == 1 && order[1] == 0 && order[2] == 1);
}

static void range_is(const char *text, int column, int64_t low, int64_t high) {
  struct predicate p;
  struct predicate_range range;
  struct error error = {0};
  CHECK_INT(predicate_read(&p, text, &columns, &error), 0);
  if (!CHECK(predicate_is_range(&p, parameters, &range) == (column >= 0)) ||
      column < 0)
    return;
  CHECK_INT(range.column, column);
  CHECK_INT(range.low, low);
  CHECK_INT(range.high, high);
}

static void ranges_are_recognised(void) {
  range_is("b = 3", 0, 3, 3);
  range_is("b = $1", 0, 4, 4);
  range_is("v > 3 and v <= $1", 1, 4, 4);
  range_is("id between 2 and 7 and id < 6", PREDICATE_KEY, 2, 5);
  range_is("v > $3", 1, INT64_MAX, INT64_MIN);
  range_is("v = 1 and v = 2", 1, 2, 1);
  range_is("v = 1 and b = 2", -1, 0, 0);
  range_is("not v = 1", -1, 0, 0);
  range_is("v = 1 or v = 2", -1, 0, 0);
  range_is("v <> 1", -1, 0, 0);
  range_is("true", -1, 0, 0);
}

// --- Random predicates.

static gsl_rng *rng;

static unsigned below(unsigned n) {
  return (unsigned)gsl_rng_uniform_int(rng, n);
}

static int64_t any_number(void) {
  static const int64_t far[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX,
                                INT64_MAX - 1, 0};
  return below(12) ? (int64_t)below(9) - 4 : far[below(5)];
}

static void put_number(FILE *out) {
  if (below(3))
    fprintf(out, "%" PRId64, any_number());
  else
    fprintf(out, "$%u", 1 + below(3));
}

static void put_comparison(FILE *out) {
  static const char *const signs[] = {"=", "<>", "<", "<=", ">", ">="};
  fprintf(out, "%s ", below(4) ? names[below(3)] : "id");
  switch (below(6)) {
  case 0:
    fprintf(out, "%% %u = ", 1 + below(4));
    put_number(out);
    break;
  case 1:
    fputs("in (", out);
    for (unsigned n = below(3);; n--) {
      put_number(out);
      fputs(n ? "," : ")", out);
      if (!n)
        break;
    }
    break;
  case 2:
    fputs("between ", out);
    put_number(out);
    fputs(" and ", out);
    put_number(out);
    break;
  default:
    fprintf(out, "%s ", signs[below(6)]);
    put_number(out);
  }
}

static void put_predicate(FILE *out, unsigned depth) {
  switch (depth ? below(5) : 4) {
  case 0:
  case 1:
    put_predicate(out, depth - 1);
    fputs(below(2) ? " and " : " or ", out);
    put_predicate(out, depth - 1);
    break;
  case 2:
    fputs("not ", out);
    put_predicate(out, depth - 1);
    break;
  case 3:
    fputc('(', out);
    put_predicate(out, depth - 1);
    fputc(')', out);
    break;
  default:
    if (below(20))
      put_comparison(out);
    else
      fputs("true", out);
  }
}

enum { ROWS = 24 };
static int64_t rows[ROWS][4]; // key, b, v, f

static sqlite3 *table_of_rows(void) {
  sqlite3 *db;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  sqlite3_exec(db, "create table t(id integer primary key, b, v, f)", 0, 0, 0);
  for (int i = 0; i < ROWS; i++) {
    char sql[200];
    rows[i][0] = i < 20 ? i - 10 : i < 22 ? INT64_MIN + i : INT64_MAX - i;
    for (int c = 1; c < 4; c++)
      rows[i][c] = any_number();
    snprintf(sql, sizeof sql, "insert into t values(%lld,%lld,%lld,%lld)",
             (long long)rows[i][0], (long long)rows[i][1],
             (long long)rows[i][2], (long long)rows[i][3]);
    CHECK(sqlite3_exec(db, sql, 0, 0, 0) == SQLITE_OK);
  }
  return db;
}

// The rows for which SQLite says yes, as bits.
static uint32_t sqlite_says(sqlite3 *db, const char *where) {
  char sql[9000];
  sqlite3_stmt *statement;
  uint32_t yes = 0;
  snprintf(sql, sizeof sql, "select id from t where %s", where);
  if (!CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK))
    printf("# %s: %s\n", sql, sqlite3_errmsg(db));
  for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++)
    sqlite3_bind_int64(
        statement, i,
        parameters[atoi(sqlite3_bind_parameter_name(statement, i) + 1) - 1]);
  while (sqlite3_step(statement) == SQLITE_ROW)
    for (int i = 0; i < ROWS; i++)
      if (rows[i][0] == sqlite3_column_int64(statement, 0))
        yes |= UINT32_C(1) << i;
  sqlite3_finalize(statement);
  return yes;
}

static uint32_t we_say(const struct predicate *p) {
  uint32_t yes = 0;
  for (int i = 0; i < ROWS; i++)
    if (predicate_holds(p, rows[i][0], rows[i] + 1, parameters))
      yes |= UINT32_C(1) << i;
  return yes;
}

static uint32_t range_says(const struct predicate_range *range) {
  uint32_t yes = 0;
  for (int i = 0; i < ROWS; i++) {
    const int64_t is =
        rows[i][range->column == PREDICATE_KEY ? 0 : range->column + 1];
    if (is >= range->low && is <= range->high)
      yes |= UINT32_C(1) << i;
  }
  return yes;
}

// The text as a person wrote it and as it is written again give the same rows.
static void agree_on_one(sqlite3 *db) {
  char text[4096];
  struct predicate p, again;
  struct predicate_range range;
  struct error error = {0};
  FILE *out = fmemopen(text, sizeof text, "w");
  put_predicate(out, below(4));
  fclose(out);
  if (predicate_read(&p, text, &columns, &error)) {
    CHECK(strstr(error.text, "too long"));
    return;
  }
  const uint32_t yes = we_say(&p);
  bool ok = yes == sqlite_says(db, text);
  const char *sql = written(&p, PREDICATE_DOLLAR);
  ok &= yes == sqlite_says(db, sql);
  ok &= yes == sqlite_says(db, written(&p, PREDICATE_BOUND));
  ok &= !predicate_read(&again, written(&p, PREDICATE_DOLLAR), &columns,
                        &error) &&
        we_say(&again) == yes;
  if (predicate_is_range(&p, parameters, &range))
    ok &= range_says(&range) == yes;
  if (!CHECK(ok))
    printf("# %s\n", text);
}

// The condition without the first, or second, of the last two that an AND
// combines.
static void left_out(const char *text, bool second, const char *wanted) {
  struct predicate p, shorter, expected;
  struct error error;
  CHECK(!predicate_read(&p, text, &columns, &error));
  CHECK(!predicate_read(&expected, wanted, &columns, &error));
  uint32_t node = p.nnodes - 1;
  while (p.nodes[node].op != PREDICATE_AND)
    node--;
  predicate_without(&shorter, &p,
                    second ? p.nodes[node].end : p.nodes[node].first);
  CHECK(predicate_equals(&shorter, &expected));
  CHECK_INT(shorter.nparameters, p.nparameters);
}

static void conjuncts_are_left_out(void) {
  left_out("b = 1 AND v < 2", false, "v < 2");
  left_out("b = 1 AND v < 2", true, "b = 1");
  left_out("b IN (1, 2) AND v IN (3, 4)", false, "v IN (3, 4)");
  left_out("NOT (b = 1 AND v < 2) OR id = 7", true, "NOT b = 1 OR id = 7");
  left_out("b = $1 AND v = $2 AND f = 3", true, "b = $1 AND v = $2");
  left_out("b = $1 AND v = $2 AND f = 3", false, "f = 3");
}

static void sqlite_agrees(void) {
  rng = random_stream(36, 0, RANDOM_TEST);
  const unsigned n = tap_inputs(20000, 50);
  for (unsigned i = 0; i < n; i += 100) {
    sqlite3 *db = table_of_rows();
    for (unsigned k = 0; k < 100; k++)
      agree_on_one(db);
    sqlite3_close(db);
  }
  gsl_rng_free(rng);
}

int main(void) {
  return TAP_RUN(
      {"conditions are evaluated", conditions_are_evaluated},
      {"bad conditions are refused with the place",
       bad_ones_are_refused_with_the_place},
      {"long conditions are refused", long_ones_are_refused},
      {"parameters are written in three ways",
       parameters_are_written_in_three_ways},
      {"ranges are recognised", ranges_are_recognised},
      {"what AND combines is left out", conjuncts_are_left_out},
      {"SQLite agrees on random predicates and rows", sqlite_agrees});
}
