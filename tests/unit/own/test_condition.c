// SPDX-License-Identifier: GPL-3.0-or-later
// Conditions of the user's own SQL (own/condition.h): what is read, what is
// left to the judgement by rows, and that every row with NULL in it gets the
// answer that SQLite gives.
#include "config.h"

#include "own/condition.h"
#include "tests/tap.h"

#include <gsl/gsl_rng.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TEST_COLUMNS = 3, TEST_COMPARISONS = CONDITION_NODES };

struct heard {
  uint32_t n;
  struct {
    char sign[3], constant[64];
  } all[TEST_COMPARISONS];
};

// The columns are a, b and c.
static uint32_t hear_column(void *context, const struct sql_tokens *t,
                            uint32_t i) {
  (void)context;
  const uint32_t c = (uint32_t)(t->text[t->all[i].begin] - 'a');
  return t->all[i].end == t->all[i].begin + 1 && c < TEST_COLUMNS ? c
                                                                  : UINT32_MAX;
}

static uint32_t hear_comparison(void *context, uint32_t column,
                                const char *sign, const char *constant,
                                uint32_t nbytes) {
  struct heard *heard = context;
  (void)column;
  if (heard->n == TEST_COMPARISONS)
    return UINT32_MAX;
  snprintf(heard->all[heard->n].sign, sizeof heard->all->sign, "%s", sign);
  snprintf(heard->all[heard->n].constant, sizeof heard->all->constant, "%.*s",
           (int)nbytes, constant);
  return heard->n++;
}

static bool read_text_in(const struct sql_dialect *dialect, const char *text,
                         struct condition_tree *tree, struct heard *heard) {
  const struct condition_listener listener = {heard, hear_column,
                                              hear_comparison};
  struct sql_tokens tokens = {.dialect = dialect};
  heard->n = 0;
  const bool read = sql_tokens_read(&tokens, text) &&
                    condition_read(tree, &tokens, &listener);
  sql_tokens_free(&tokens);
  return read;
}

static bool read_text(const char *text, struct condition_tree *tree,
                      struct heard *heard) {
  return read_text_in(&sql_dialect_postgresql, text, tree, heard);
}

// ---- What is read

static void put_node(FILE *out, const struct condition_tree *tree,
                     const struct heard *heard, uint32_t i) {
  const struct condition_node *node = &tree->all[i];
  if (node->kind == CONDITION_AND || node->kind == CONDITION_OR) {
    putc('(', out);
    put_node(out, tree, heard, node->first);
    fputs(node->kind == CONDITION_AND ? " & " : " | ", out);
    put_node(out, tree, heard, node->second);
    putc(')', out);
    return;
  }
  fprintf(out, "%s%c", node->negated ? "!" : "", 'a' + (int)node->column);
  if (node->kind == CONDITION_IS_NULL)
    fputs("=null", out);
  else
    fprintf(out, "%s%s", heard->all[node->comparison].sign,
            heard->all[node->comparison].constant);
}

static void check_read(const char *text, const char *wanted) {
  struct condition_tree tree;
  struct heard heard;
  char got[1000] = "by rows";
  if (read_text(text, &tree, &heard)) {
    FILE *out = fmemopen(got, sizeof got, "w");
    if (tree.n)
      put_node(out, &tree, &heard, tree.n - 1);
    else
      fputs("all rows", out);
    fclose(out);
  }
  if (!CHECK(!strcmp(got, wanted)))
    printf("# %s: %s, wanted %s\n", text, got, wanted);
}

static void conditions_are_read(void) {
  static const char *const all[][2] = {
      {"", "all rows"},
      {"t.a = 3", "a=3"},
      {"a != 'x' AND b <= date '2026-01-01'",
       "(a<>'x' & b<=date '2026-01-01')"},
      {"a = 1 or b = 2 and c = 3", "(a=1 | (b=2 & c=3))"},
      {"(a = 1 or b = 2) and c = 3", "((a=1 | b=2) & c=3)"},
      {"NOT (a = 1 OR b IS NULL)", "(!a=1 & !b=null)"},
      {"not not a < 2", "a<2"},
      {"a between 1 and 3 and b = 1", "((a>=1 & a<=3) & b=1)"},
      {"a not between 1 and 3", "(!a>=1 | !a<=3)"},
      {"a in ('x', 'y')", "(a='x' | a='y')"},
      {"a NOT IN (-1, 2)", "(!a=-1 & !a=2)"},
      {"a in (7)", "a=7"},
      {"a is not null", "!a=null"},
      {"3 <= t.a", "a>=3"},
      {"((a)) = 1", "by rows"},
      {"a", "a<>false"},
      {"not t.a and b = 1", "(!a<>false & b=1)"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    check_read(all[i][0], all[i][1]);
}

static void mysql_joins_by_bars(void) {
  static const struct {
    const char *text;
    bool read;
  } all[] = {{"a = 1 || 2", false},
             {"a = 1 | 2", false},
             {"a < date '2026-01-01' + interval (2 + 1) day", true},
             {"a < interval + day", false},
             {"a < day", false},
             {"a = \"x\"", true}};
  struct condition_tree tree;
  struct heard heard;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    CHECK_INT(read_text_in(&sql_dialect_mysql, all[i].text, &tree, &heard),
              all[i].read);
}

static void what_is_not_known_is_left_to_rows(void) {
  static const char *const all[] = {
      "d = 1",
      "a = b",
      "a = now()",
      "a < 'now'",
      "a + 1 = 2",
      "a like 'x%'",
      "a is true",
      "a in (select 1)",
      "a in (1, 'x')",
      "a between 1 and 'x'",
      "a in ()",
      "a between 1",
      "a = 1 and",
      "or a = 1",
      "not",
      "a = any (array[1])",
      "a xor b",
      "exists (select 1)",
      "a is distinct from 3",
      "(a, b) = (1, 2)",
      "case when a = 1 then true end",
      "a >> 1",
      "a = 1 b = 2",
      "()",
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    check_read(all[i], "by rows");
}

static void many_comparisons_are_left_to_rows(void) {
  char text[2000] = "a = 0";
  for (int i = 1; i < CONDITION_NODES; i++)
    snprintf(text + strlen(text), sizeof text - strlen(text), " or a = %d", i);
  check_read(text, "by rows");
}

// ---- What they mean

static bool compare_numbers(const char *sign, long a, long b) {
  return !strcmp(sign, "=")    ? a == b
         : !strcmp(sign, "<>") ? a != b
         : !strcmp(sign, "<")  ? a < b
         : !strcmp(sign, "<=") ? a <= b
         : !strcmp(sign, ">")  ? a > b
                               : a >= b;
}

// As own/conditions.c reads the tree: NULL, which is -1 here, satisfies no
// comparison.
static bool tree_holds(const struct condition_tree *tree,
                       const struct heard *heard, const long *row) {
  bool holds[CONDITION_NODES];
  for (uint32_t i = 0; i < tree->n; i++) {
    const struct condition_node *node = &tree->all[i];
    const long value = row[node->column];
    if (node->kind == CONDITION_AND)
      holds[i] = holds[node->first] && holds[node->second];
    else if (node->kind == CONDITION_OR)
      holds[i] = holds[node->first] || holds[node->second];
    else if (node->kind == CONDITION_IS_NULL)
      holds[i] = (value < 0) != node->negated;
    else {
      const char *constant = heard->all[node->comparison].constant;
      holds[i] =
          value >= 0 &&
          compare_numbers(heard->all[node->comparison].sign, value,
                          strcmp(constant, "false") ? strtol(constant, NULL, 10)
                                                    : 0) != node->negated;
    }
  }
  return !tree->n || holds[tree->n - 1];
}

static unsigned draw_below(gsl_rng *draw, unsigned n) {
  return (unsigned)gsl_rng_uniform_int(draw, n);
}

static void put_random_comparison(FILE *out, gsl_rng *draw) {
  static const char *const signs[] = {"=", "<>", "!=", "<", "<=", ">", ">="};
  const int column = 'a' + (int)draw_below(draw, TEST_COLUMNS);
  const unsigned one = draw_below(draw, 4), two = draw_below(draw, 4);
  const char *sign = signs[draw_below(draw, sizeof signs / sizeof *signs)];
  const char *not = draw_below(draw, 2) ? "not " : "";
  switch (draw_below(draw, 6)) {
  case 0:
    fprintf(out, "%c is %snull", column, not );
    break;
  case 1:
    fprintf(out, "%c %sin (%u, %u)", column, not, one, two);
    break;
  case 2:
    fprintf(out, "%c %sbetween %u and %u", column, not, one, two);
    break;
  case 3:
    fprintf(out, "%u %s %c", one, sign, column);
    break;
  case 4:
    fprintf(out, "%c", column);
    break;
  default:
    fprintf(out, "t.%c %s %u", column, sign, one);
  }
}

static void put_random_condition(FILE *out, gsl_rng *draw, unsigned depth) {
  const unsigned kind = depth ? draw_below(draw, 4) : 3;
  if (kind == 3) {
    put_random_comparison(out, draw);
    return;
  }
  const bool brackets = kind == 2 || draw_below(draw, 2);
  fputs(kind == 2 ? "not (" : brackets ? "(" : "", out);
  put_random_condition(out, draw, depth - 1);
  if (kind != 2) {
    fputs(kind ? " or " : " AND ", out);
    put_random_condition(out, draw, depth - 1);
  }
  fputs(brackets ? ")" : "", out);
}

static void check_against_sqlite(sqlite3 *db, const char *text) {
  struct condition_tree tree;
  struct heard heard;
  char sql[4000];
  sqlite3_stmt *statement;
  if (!CHECK(read_text(text, &tree, &heard))) {
    printf("# %s is not read\n", text);
    return;
  }
  snprintf(sql, sizeof sql,
           "SELECT coalesce(a, -1), coalesce(b, -1), coalesce(c, -1), (%s) IS "
           "TRUE FROM t",
           text);
  CHECK(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    const long row[] = {(long)sqlite3_column_int(statement, 0),
                        (long)sqlite3_column_int(statement, 1),
                        (long)sqlite3_column_int(statement, 2)};
    if (!CHECK(tree_holds(&tree, &heard, row) ==
               (sqlite3_column_int(statement, 3) != 0)))
      printf("# %s of %ld, %ld, %ld\n", text, row[0], row[1], row[2]);
  }
  sqlite3_finalize(statement);
}

static void every_row_gets_the_answer_of_sqlite(void) {
  gsl_rng *draw = gsl_rng_alloc(gsl_rng_mt19937);
  sqlite3 *db;
  CHECK(sqlite3_open(":memory:", &db) == SQLITE_OK);
  CHECK(sqlite3_exec(db,
                     "CREATE TABLE v (x); INSERT INTO v VALUES (NULL), (0), "
                     "(1), (2), (3); CREATE TABLE t AS SELECT p.x a, q.x b, "
                     "r.x c FROM v p, v q, v r",
                     NULL, NULL, NULL) == SQLITE_OK);
  for (int i = 0; i < 1000; i++) {
    char text[2000] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    put_random_condition(out, draw, 3);
    fclose(out);
    check_against_sqlite(db, text);
  }
  sqlite3_close(db);
  gsl_rng_free(draw);
}

int main(void) {
  return TAP_RUN(
      {"conditions are read", conditions_are_read},
      {"what is not known is left to rows", what_is_not_known_is_left_to_rows},
      {"MySQL joins by bars", mysql_joins_by_bars},
      {"many comparisons are left to rows", many_comparisons_are_left_to_rows},
      {"every row gets the answer of SQLite",
       every_row_gets_the_answer_of_sqlite});
}
