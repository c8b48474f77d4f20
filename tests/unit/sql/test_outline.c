// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens and outlines of statements in the user's own SQL (sql/outline.h).
#include "config.h"

#include "sql/outline.h"

#include "base/memory.h"
#include "sql/calculates.h"
#include "tests/tap.h"

#include <string.h>

static struct sql_outline outline_of(const char *text) {
  struct sql_tokens tokens = {0};
  struct sql_outline outline;
  CHECK(sql_tokens_read(&tokens, text));
  sql_outline_read(&outline, &tokens);
  sql_tokens_free(&tokens);
  return outline;
}

// "orders o, customer c": the tables of a SELECT, or why they are not known.
static void check_tables(const char *text, const char *wanted) {
  const struct sql_outline o = outline_of(text);
  char *got;
  size_t bytes;
  FILE *out = text_stream(&got, &bytes);
  CHECK_INT(o.verb, SQL_VERB_SELECT);
  if (o.why)
    fprintf(out, "%s", o.why);
  for (uint32_t i = 0; i < o.ntables && !o.why; i++)
    fprintf(out, "%s%.*s %.*s", i ? ", " : "",
            (int)(o.tables[i].name.end - o.tables[i].name.begin),
            text + o.tables[i].name.begin,
            (int)(o.tables[i].alias.end - o.tables[i].alias.begin),
            text + o.tables[i].alias.begin);
  fclose(out);
  CHECK_STR(got, wanted);
  if (!o.why)
    CHECK(!strncmp(text + o.at, "FROM", 4) || !strncmp(text + o.at, "from", 4));
  free(got);
}

static void tables_are_found(void) {
  static const struct {
    const char *text, *tables;
  } all[] = {
      {"SELECT * FROM orders", "orders orders"},
      {"select a.x from shop.account as a", "account a"},
      {"SELECT 1 FROM \"Order\" o, \"c d\" WHERE 'from' = x",
       "\"Order\" o, \"c d\" \"c d\""},
      {"SELECT a.balance, c.name FROM account a JOIN customer c ON c.id = a.c "
       "LEFT JOIN LATERAL (SELECT 1 FROM z) l ON true, t WHERE a.id IN (SELECT "
       "id FROM u)",
       "account a, customer c, t t"},
      {"SELECT EXTRACT(year FROM d) FROM ONLY day NATURAL JOIN night",
       "day day, night night"},
      {"SELECT a IS DISTINCT FROM b FROM pair", "pair pair"},
      {"SELECT $$ FROM a $$, $q$ $$ FROM b $q$, E'\\' FROM c' FROM d", "d d"},
      {"SELECT x /* FROM a /* nested */ */ -- FROM b\nFROM c FOR UPDATE",
       "c c"},
      {"SELECT * FROM generate_series(1, 3) g, t", "t t"},
      {"SELECT substring(x FROM 2) FROM t GROUP BY 1 ORDER BY 1 LIMIT 3",
       "t t"},
      {"SELECT DISTINCT x FROM t", "DISTINCT"},
      {"SELECT x FROM t UNION SELECT y FROM u", "UNION"},
      {"SELECT x FROM (SELECT 1 UNION SELECT 2) s",
       "it reads no table by its name"},
      {"SELECT nextval('s')", "it reads no table"},
      {"SELECT * FROM a JOIN b USING (id) FOR UPDATE OF a", "FOR UPDATE OF"},
      {"SELECT * FROM a FOR KEY SHARE", "FOR KEY SHARE"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    check_tables(all[i].text, all[i].tables);
}

static void verbs_are_found(void) {
  static const struct {
    const char *text;
    enum sql_verb verb;
  } all[] = {
      {"insert into t values (1)", SQL_VERB_INSERT},
      {"UPDATE t SET n = n + 1", SQL_VERB_UPDATE},
      {"DELETE FROM t", SQL_VERB_DELETE},
      {"WITH x AS (SELECT 1) SELECT * FROM x", SQL_VERB_OTHER},
      {"BEGIN", SQL_VERB_BEGIN},
      {"START TRANSACTION", SQL_VERB_BEGIN},
      {"END", SQL_VERB_COMMIT},
      {"ABORT", SQL_VERB_ROLLBACK},
      {"ROLLBACK TO SAVEPOINT a", SQL_VERB_ROLLBACK_TO},
      {"SAVEPOINT a", SQL_VERB_SAVEPOINT},
      {"RELEASE a", SQL_VERB_RELEASE},
      {"SET LOCAL lock_timeout = 5", SQL_VERB_OTHER},
      {"SET LOCAL session_replication_role = replica", SQL_VERB_REFUSED},
      {"TRUNCATE t", SQL_VERB_REFUSED},
      {"alter table t add x int", SQL_VERB_REFUSED},
      {"BEGIN ISOLATION LEVEL SERIALIZABLE", SQL_VERB_REFUSED},
      {"COMMIT AND CHAIN", SQL_VERB_REFUSED},
      {"SELECT * INTO u FROM t", SQL_VERB_REFUSED},
      {"SELECT * FROM public.t", SQL_VERB_REFUSED},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (outline_of(all[i].text).verb != all[i].verb)
      CHECK_STR(all[i].text, "of another verb");
}

static bool are_of_one_form(const char *a, const char *b) {
  struct sql_tokens x = {0}, y = {0};
  CHECK(sql_tokens_read(&x, a) && sql_tokens_read(&y, b));
  const bool same = sql_tokens_form(&x) == sql_tokens_form(&y);
  sql_tokens_free(&x);
  sql_tokens_free(&y);
  return same;
}

static void forms_leave_constants_out(void) {
  CHECK(are_of_one_form("SELECT a FROM t WHERE b = 'x y' AND c > 1.5e-3",
                        "SELECT a  FROM t WHERE b = '' -- b\n AND c > 2"));
  CHECK(!are_of_one_form("SELECT a FROM t", "SELECT a FROM u"));
  CHECK(!are_of_one_form("SELECT a b FROM t", "SELECT ab FROM t"));
}

static void what_has_no_end_is_refused(void) {
  static const char *const all[] = {"SELECT 'a", "SELECT \"a", "/* a /* b */",
                                    "SELECT $x$ a $y$", "SELECT 1)"};
  struct sql_tokens tokens = {0};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    CHECK(!sql_tokens_read(&tokens, all[i]));
  sql_tokens_free(&tokens);
}

// Which statements come to all rows that satisfy a condition, and to which.
static void whole_statements_are_found(void) {
  static const char *const all[][2] = {
      {"SELECT count(*) FROM t x WHERE x.a = 1 GROUP BY b", "x.a = 1"},
      {"SELECT a + 1, max(b) FROM t WHERE a < 'b' FOR UPDATE", "a < 'b'"},
      {"SELECT * FROM t ORDER BY a", ""},
      {"UPDATE t AS u SET a = (SELECT 1 FROM v LIMIT 1) WHERE b > 2 RETURNING "
       "a",
       "b > 2"},
      {"UPDATE t SET a = 1 WHERE b->>'c' = 'd' RETURNING a, b",
       "b->>'c' = 'd'"},
      {"SELECT * FROM t WHERE a = 1 ORDER BY b, c", "a = 1"},
      {"SELECT * FROM t ORDER BY b, c", ""},
      {"SELECT * FROM t WHERE a = 1 ORDER BY b, c LIMIT 3", NULL},
      {"DELETE FROM t", ""},
      {"SELECT * FROM t WHERE a = 1 LIMIT 3", NULL},
      {"SELECT * FROM t LIMIT 3", NULL},
      {"SELECT unnest(a) FROM t WHERE b = 1", NULL},
      {"SELECT a FROM t, u WHERE a = 1", NULL},
      {"SELECT a FROM t JOIN u ON true WHERE a = 1", NULL},
      {"SELECT a FROM t WHERE a = 1 FOR UPDATE SKIP LOCKED", NULL},
      {"SELECT a, count(*) FROM t GROUP BY a HAVING count(*) > 1", NULL},
      {"SELECT * FROM t TABLESAMPLE system (10)", NULL},
      {"UPDATE t SET a = 1 FROM u WHERE t.b = u.b", NULL},
      {"DELETE FROM t USING u WHERE t.b = u.b", NULL},
      {"UPDATE t SET a = 1 WHERE CURRENT OF c", NULL},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const struct sql_outline o = outline_of(all[i][0]);
    char where[80];
    snprintf(where, sizeof where, "%.*s", (int)(o.where.end - o.where.begin),
             all[i][0] + o.where.begin);
    CHECK_STR(o.whole ? where : "some", all[i][1] ? all[i][1] : "some");
  }
}

// ---- Dialects

static void check_mysql(const char *text, const char *alias, bool whole,
                        bool locks) {
  struct sql_tokens tokens = {.dialect = &sql_dialect_mysql};
  struct sql_outline o;
  CHECK(sql_tokens_read(&tokens, text));
  sql_outline_read(&o, &tokens);
  sql_tokens_free(&tokens);
  CHECK(!o.why);
  CHECK_INT(o.ntables, 1 + (strstr(text, "straight_join b") != NULL));
  CHECK(!strncmp(text + o.tables[0].alias.begin, alias, strlen(alias)));
  CHECK_INT(o.tables[0].alias.end - o.tables[0].alias.begin, strlen(alias));
  CHECK_INT(o.whole, whole);
  CHECK_INT(o.locks, locks);
}

static void mysql_is_read(void) {
  check_mysql("SELECT `a;b` FROM `t (` WHERE x = 'it\\'s' # ' (\n", "`t (`",
              true, false);
  check_mysql("SELECT 5--1 FROM t -- ( '\n", "t", true, false);
  check_mysql("SELECT \"a\\\" FROM u\" FROM t a", "a", true, false);
  check_mysql("SELECT a FROM t FORCE INDEX (i) WHERE a = 1", "t", false, false);
  check_mysql("SELECT a FROM t WHERE a = 1 LOCK IN SHARE MODE", "t", true,
              true);
  check_mysql("SELECT a FROM t LOCK IN SHARE MODE", "t", true, true);
  check_mysql("SELECT t.a FROM t straight_join b", "t", false, false);
  check_mysql("UPDATE t JOIN u ON t.a = u.a SET t.b = 1 WHERE t.c = 2", "t",
              false, false);
  check_mysql("UPDATE t SET b = 1 WHERE c = 2", "t", true, false);
}

static void mysql_has_refusals(void) {
  static const char *const all[] = {"CALL p()", "LOCK TABLES t WRITE",
                                    "SET autocommit = 0", "ANALYZE TABLE t",
                                    "/* a */ RENAME TABLE t TO u"};
  struct sql_outline o;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    struct sql_tokens tokens = {.dialect = &sql_dialect_mysql};
    CHECK(sql_tokens_read(&tokens, all[i]));
    sql_outline_read(&o, &tokens);
    CHECK_INT(o.verb, SQL_VERB_REFUSED);
    sql_tokens_free(&tokens);
  }
  o = outline_of("CALL p()");
  CHECK_INT(o.verb, SQL_VERB_OTHER);
}

static void calculations_are_found(void) {
  static const struct {
    bool calculates;
    const char *text;
  } all[] = {
      {true, "UPDATE stock SET quantity = quantity - 1 WHERE id = 3"},
      {true, "UPDATE stock SET quantity = quantity - :n, at = now()"},
      {true, "update \"stock\" s set \"quantity\" = s.quantity - (1)"},
      {true, "UPDATE a SET n = CASE WHEN n > 0 THEN n - 1 ELSE 0 END FROM b"},
      {true,
       "INSERT INTO hits VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET n = "
       "hits.n + excluded.n"},
      {true, "INSERT INTO hits VALUES (1, 1) ON DUPLICATE KEY UPDATE n = n + "
             "VALUES(n)"},
      {false, "UPDATE stock SET quantity = :quantity - 1 WHERE id = 3"},
      {false, "UPDATE stock SET quantity = quantity - 1, state = 'sold'"},
      {false, "UPDATE stock SET quantity = @quantity - 1"},
      {false, "UPDATE orders SET status = 'paid' WHERE status = 'new'"},
      {false, "UPDATE orders SET paid = now()"},
      {false, "UPDATE orders SET n = n + 1, total = (SELECT sum(n) FROM line)"},
      {false, "INSERT INTO hits VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET n "
              "= excluded.n"},
      {false, "INSERT INTO hits VALUES (1, 1) ON DUPLICATE KEY UPDATE n = "
              "VALUES(n)"},
      {false, "SELECT n + 1 FROM hits"},
      {false, "DELETE FROM hits WHERE n = n"},
      {false, "UPDATE t SET (n, m) = (n + 1, 2)"},
      {false, "UPDATE t SET"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    struct sql_tokens tokens = {0};
    CHECK(sql_tokens_read(&tokens, all[i].text));
    if (sql_calculates(&tokens) != all[i].calculates)
      CHECK_STR(all[i].text, all[i].calculates ? "calculates" : "does not");
    sql_tokens_free(&tokens);
  }
}

int main(void) {
  return TAP_RUN(
      {"tables are found", tables_are_found},
      {"verbs are found", verbs_are_found},
      {"what the database calculates is found", calculations_are_found},
      {"forms leave constants out", forms_leave_constants_out},
      {"whole statements are found", whole_statements_are_found},
      {"what has no end is refused", what_has_no_end_is_refused},
      {"MySQL's dialect is read", mysql_is_read},
      {"MySQL has refusals of its own", mysql_has_refusals});
}
