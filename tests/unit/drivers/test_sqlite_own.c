// SPDX-License-Identifier: GPL-3.0-or-later
// The instrument of SQLite on random statements: each is executed with it, and
// as it is on a twin of the database.  Both return the same rows and change the
// same.  What is told as read is there, and where all rows of a condition are
// told, they are as many as the twin counts.
#include "config.h"

#include "base/memory.h"
#include "base/random.h"
#include "drivers/instrument.h"
#include "drivers/rows.h"
#include "tests/kit/sqlite.h"

#include <inttypes.h>
#include <string.h>

enum { ROOM = 1 << 16, PART = 200 };

// In the place of SQLite's own answer, which the linker names __real_...
static bool old;
int __real_sqlite3_libversion_number(void);
int __wrap_sqlite3_libversion_number(void);

int __wrap_sqlite3_libversion_number(void) {
  return old ? 3038000 : __real_sqlite3_libversion_number();
}

static uint64_t rounds(void) { return tap_inputs(2000, 50); }

static const char schema[] =
    "PRAGMA foreign_keys = ON;"
    "CREATE TABLE a (id INTEGER PRIMARY KEY, x TEXT UNIQUE COLLATE NOCASE, n "
    "INT);"
    "CREATE INDEX a_n ON a (n);"
    "CREATE TABLE b (p TEXT, q INT, v, PRIMARY KEY (p, q)) WITHOUT ROWID;"
    "CREATE TABLE c (id INT PRIMARY KEY, a_id INT REFERENCES a ON DELETE "
    "CASCADE ON UPDATE CASCADE, n REAL);"
    "CREATE VIEW big AS SELECT * FROM a WHERE n > 3;"
    "CREATE VIEW sums AS SELECT n, count(*) AS k FROM a GROUP BY n;"
    "CREATE TRIGGER count_up AFTER UPDATE OF n ON a BEGIN INSERT INTO b VALUES "
    "('up', NEW.n, NEW.id) ON CONFLICT DO UPDATE SET v = v || 'x'; END;"
    "INSERT INTO a VALUES (1, 'One', 1), (2, 'two', 5), (3, NULL, 5), (4, "
    "'four', NULL);"
    "INSERT INTO b VALUES ('one', 1, 'v'), ('TWO', 1, NULL), ('one', 2, 7.5);"
    "INSERT INTO c VALUES (1, 1, 1.5), (2, 1, 2), (3, 4, NULL);";

// Parts of statements; # is a number.
static const char *const lists[] = {
    "*",
    "a.id, a.n",
    "count(*)",
    "sum(a.n), max(a.x)",
    "a.id + 1 AS m, (SELECT count(*) FROM b)",
    "min(a.id)",
    "DISTINCT a.n",
    "row_number() OVER (ORDER BY a.id)",
    "group_concat(a.x)",
    "1",
    "coalesce(max(a.id), 0), a.x",
    "(SELECT count(a.n))",
    "(SELECT sum(c.n) FROM c WHERE c.a_id = a.id), a.x",
    "sum(a.n) OVER ()",
    "count(*) FILTER (WHERE a.n > #)",
    "a.n",
};
static const char *const sources[] = {
    "a",
    "a",
    "a",
    "a LEFT JOIN b ON b.p = a.x",
    "a JOIN c ON c.a_id = a.id",
    "a, b",
    "(SELECT * FROM a WHERE n > #) a",
    "big a",
    "a JOIN sums ON sums.n = a.n",
    "a NATURAL JOIN c",
    "a JOIN c USING (id)",
    "a INDEXED BY a_n",
    "\"a\" AS a",
    "(SELECT # AS id, # AS n, 'q' AS x) a",
};
static const char *const conditions[] = {
    "",
    "WHERE a.id < #",
    "WHERE a.n = # AND a.x IS NOT NULL",
    "WHERE a.x IS NULL OR a.id = #",
    "WHERE EXISTS (SELECT 1 FROM b WHERE b.q = a.n)",
    "WHERE a.x > 'q' AND a.n BETWEEN # AND #",
    "WHERE 0",
};
static const char *const groups[] = {
    "", "", "", "GROUP BY a.n", "GROUP BY a.n HAVING count(*) > 1",
};
static const char *const ends[] = {
    "",
    "",
    "ORDER BY a.id",
    "ORDER BY 1 LIMIT 2",
    "LIMIT # OFFSET 1",
    "UNION SELECT 1, 2",
};
static const char *const changes[] = {
    "INSERT INTO a (x, n) VALUES ('x#', #)",
    "INSERT INTO a VALUES (#, 'X#', #) ON CONFLICT DO NOTHING",
    "INSERT INTO a VALUES (#, 'X#', #) ON CONFLICT (x) DO UPDATE SET n = n + 1",
    "INSERT OR REPLACE INTO a VALUES (#, 'x#', #)",
    "REPLACE INTO b VALUES ('one', #, #), ('two', #, x'00#0')",
    "UPDATE a SET n = # WHERE id < #",
    "UPDATE a SET id = 20 + # WHERE id = #",
    "UPDATE OR IGNORE a SET x = 'x#' WHERE n > #",
    "UPDATE b SET q = q + 10 WHERE p = 'one' AND q < #",
    "UPDATE a SET n = c.id FROM c WHERE c.a_id = a.id AND c.id = #",
    "DELETE FROM a WHERE id = #",
    "DELETE FROM b WHERE q > 1# RETURNING *",
    "DELETE FROM c WHERE n IS NULL OR id = #",
    "INSERT INTO c SELECT id + #, id, n / 2.0 FROM a WHERE n = # ON CONFLICT "
    "DO NOTHING",
    "INSERT INTO c VALUES (#, #, #) ON CONFLICT (id) DO UPDATE SET n = n + 0.5",
    "WITH w AS (SELECT # AS k) UPDATE a SET n = n + 1 WHERE id IN (SELECT k "
    "FROM w)",
};

#define PICK(random, texts)                                                    \
  (texts)[gsl_rng_uniform_int(random, sizeof(texts) / sizeof *(texts))]

static void put_part(gsl_rng *random, FILE *out, const char *part) {
  putc(' ', out);
  for (; *part; part++)
    if (*part == '#')
      fprintf(out, "%lu", gsl_rng_uniform_int(random, 9));
    else
      putc(*part, out);
}

// Free with free().
static char *random_statement(gsl_rng *random, bool *changes_rows) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  *changes_rows = gsl_rng_uniform_int(random, 3) == 0;
  if (*changes_rows) {
    put_part(random, out, PICK(random, changes));
  } else {
    fputs("SELECT", out);
    put_part(random, out, PICK(random, lists));
    fputs(" FROM", out);
    put_part(random, out, PICK(random, sources));
    put_part(random, out, PICK(random, conditions));
    put_part(random, out, PICK(random, groups));
    put_part(random, out, PICK(random, ends));
  }
  fclose(out);
  return text;
}

// ---- The twin

// Its rows, and a code of SQLite if it fails.
static int execute_twin(sqlite3 *db, const char *text, char *rows) {
  sqlite3_stmt *statement = NULL;
  *rows = '\0';
  int rc = sqlite3_prepare_v2(db, text, -1, &statement, NULL);
  while (!rc && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(statement); i++)
      rows_add(rows, ROOM, i, (const char *)sqlite3_column_text(statement, i));
    rc = SQLITE_OK;
  }
  sqlite3_finalize(statement);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

// ---- The instrument

struct own_bench {
  struct bench bench;
  sqlite3 *twin;
  const struct instrument *instrument;
  struct instrument_tables tables;
  struct seen_version *live; // versions of rows that are there
  uint32_t nlive, room;
  uint64_t failed, shown, whole, changed;
};

static uint32_t find_live(const struct own_bench *o,
                          const struct seen_version *version) {
  uint32_t i = 0;
  while (i < o->nlive && (o->live[i].table != version->table ||
                          o->live[i].writer != version->writer ||
                          o->live[i].place != version->place))
    i++;
  return i;
}

static void add_live(struct own_bench *o, struct seen_version version) {
  CHECK_INT(find_live(o, &version), o->nlive);
  ARRAY_RESERVE(o->live, o->nlive, o->room);
  o->live[o->nlive++] = version;
}

static void take_changes(struct own_bench *o,
                         const struct instrument_answer *answer) {
  for (uint32_t i = 0; i < answer->nchanges; i++) {
    const struct version_change *change = &answer->changes[i];
    if (change->kind != 'I') {
      const uint32_t before = find_live(o, &change->before);
      if (CHECK(before < o->nlive))
        o->live[before] = o->live[--o->nlive];
    }
    if (change->kind != 'D')
      add_live(o, change->after);
  }
  o->changed += answer->nchanges;
}

static uint32_t count_seen(const struct own_bench *o,
                           const struct instrument_answer *answer) {
  bool *seen = xcalloc((size_t)o->nlive + 1, sizeof *seen);
  uint32_t n = 0;
  for (uint32_t i = 0; i < answer->nseen; i++) {
    const uint32_t at = find_live(o, &answer->seen[i]);
    CHECK(at < o->nlive);
    n += at < o->nlive && !seen[at];
    seen[at] = true;
  }
  free(seen);
  return n;
}

// All rows of the condition were told, so the twin counts as many.
static void check_whole(struct own_bench *o, const char *text,
                        const struct sql_outline *outline, uint32_t seen) {
  const struct sql_table_reference *table = &outline->tables[0];
  char rows[ROOM], expected[24];
  const int n = (int)(outline->where.end - outline->where.begin);
  char *count = xasprintf(
      "SELECT count(*) FROM %.*s AS %.*s %s %.*s",
      (int)(table->name.end - table->name.begin), text + table->name.begin,
      (int)(table->alias.end - table->alias.begin), text + table->alias.begin,
      n ? "WHERE" : "", n, text + outline->where.begin);
  snprintf(expected, sizeof expected, "%" PRIu32, seen);
  CHECK_INT(execute_twin(o->twin, count, rows), SQLITE_OK);
  CHECK_STR(expected, rows);
  free(count);
  o->whole++;
}

static void check_answer(struct own_bench *o, const char *text,
                         const struct sql_outline *outline,
                         const struct instrument_way *way,
                         const struct instrument_answer *answer) {
  const uint32_t seen = count_seen(o, answer);
  o->shown += way->adds;
  if (way->adds && outline->whole && way->ntables == 1 && !answer->cut)
    check_whole(o, text, outline, seen);
}

static void execute_both(struct own_bench *o, const char *text,
                         bool changes_rows) {
  struct sql_tokens tokens = {.dialect = o->instrument->dialect};
  struct sql_outline outline;
  struct instrument_way way;
  static char rows[ROOM], twin[ROOM];
  struct instrument_answer answer = {.rows = rows, .rows_room = ROOM};
  *rows = '\0';
  CHECK(sql_tokens_read(&tokens, text));
  sql_outline_read(&outline, &tokens);
  o->instrument->choose(o->bench.target, text, &outline, &o->tables, &way);
  CHECK_INT(sqlite_driver.begin(o->bench.c[0], &sqlite_driver.levels[SER]),
            OUTCOME_OK);
  const bool fails = o->instrument->execute(o->bench.c[0], text, &outline, &way,
                                            &answer) != OUTCOME_OK;
  const bool twin_fails = execute_twin(o->twin, text, twin) != SQLITE_OK;
  CHECK_INT(fails, twin_fails);
  o->failed += fails;
  if (!fails) {
    CHECK_STR(rows, twin);
    if (changes_rows)
      CHECK_INT(answer.affected, sqlite3_changes(o->twin));
    check_answer(o, text, &outline, &way, &answer);
    take_changes(o, &answer);
  }
  CHECK_INT(fails ? sqlite_driver.rollback(o->bench.c[0])
                  : sqlite_driver.commit(o->bench.c[0]),
            OUTCOME_OK);
  instrument_answer_free(&answer);
  sql_tokens_free(&tokens);
}

// The versions that the tables have are those that the changes left.
static void check_versions(struct own_bench *o) {
  struct instrument_tables found = {0};
  struct error error;
  CHECK_INT(
      o->instrument->read_tables(o->bench.target, &o->tables, &found, &error),
      0);
  CHECK_INT(found.nfirst, o->nlive);
  for (uint32_t i = 0; i < found.nfirst; i++)
    CHECK(find_live(o, &found.first[i].after) < o->nlive);
  instrument_tables_free(&found);
}

// The instrument keeps where the tables are.
static void open_own_bench(struct own_bench *o) {
  struct error error;
  *o = (struct own_bench){.instrument = sqlite_driver.instrument};
  bench_directory(&o->bench);
  CHECK_STR(bench_open(&o->bench, ""), "");
  CHECK_INT(o->instrument->setup(o->bench.target, "schema", schema, &o->tables,
                                 &error),
            0);
  bench_connect(&o->bench, 0);
  for (uint32_t i = 0; i < o->tables.nfirst; i++)
    add_live(o, o->tables.first[i].after);
  CHECK_INT(sqlite3_open(":memory:", &o->twin), SQLITE_OK);
  CHECK_INT(sqlite3_exec(o->twin, schema, NULL, NULL, NULL), SQLITE_OK);
}

static void close_own_bench(struct own_bench *o) {
  CHECK_INT(sqlite3_close(o->twin), SQLITE_OK);
  instrument_tables_free(&o->tables);
  free(o->live);
  bench_close(&o->bench);
}

// A database is filled with what is left of some statements.
static void compare_statements(uint64_t seed) {
  gsl_rng *random = random_stream(seed, 0, RANDOM_TEST);
  struct own_bench sum = {0};
  for (uint64_t i = 0; i < rounds() && !tap_failures;) {
    struct own_bench o;
    open_own_bench(&o);
    for (int k = 0; k < PART && !tap_failures; k++, i++) {
      bool changes_rows;
      char *text = random_statement(random, &changes_rows);
      execute_both(&o, text, changes_rows);
      if (tap_failures)
        printf("# statement: %s\n", text);
      free(text);
    }
    check_versions(&o);
    sum.failed += o.failed;
    sum.shown += o.shown;
    sum.whole += o.whole;
    sum.changed += o.changed;
    close_own_bench(&o);
  }
  gsl_rng_free(random);
  printf("# failed %" PRIu64 ", with versions %" PRIu64 ", whole %" PRIu64
         ", rows changed %" PRIu64 "\n",
         sum.failed, sum.shown, sum.whole, sum.changed);
  CHECK(sum.failed < rounds() / 2);
  CHECK(sum.shown > rounds() / 8 && sum.whole > rounds() / 30);
  CHECK(sum.changed > rounds() / 8);
}

static void statements_are_the_same(void) { compare_statements(1); }

// Before 3.39 HAVING says nothing without GROUP BY.
static void an_older_version_is_asked_otherwise(void) {
  old = true;
  compare_statements(2);
  old = false;
}

int main(void) {
  return TAP_RUN({"statements do with the instrument as without it",
                  statements_are_the_same},
                 {"so they do where SQLite is older",
                  an_older_version_is_asked_otherwise});
}
