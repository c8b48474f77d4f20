// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks the values of a column (`rank` of drivers/instrument.h) in a database
// of its own in memory.  SQLite orders them in a column of the same type and
// collation.  Then it is asked for each comparison whether it holds for just
// the values that the ranks say.
#include "config.h"

#define SQLITE_ENABLE_COLUMN_METADATA // in sqlite3.h

#include "drivers/sqlite/instrument.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { RANKED_AT_ONCE = 200 }; // values or comparisons in a statement

struct sqlite_ranking {
  sqlite3 *db;
  uint32_t column; // of the table's
  char *type;      // with its collation
  char *encoding;  // of texts, which decides their order
  struct error *error;
};

static int say_rank(const struct sqlite_ranking *r) {
  return error_set(r->error, "SQLite cannot rank values: %s",
                   sqlite3_errmsg(r->db));
}

// Executes a composed text, which is freed.
static int execute_rank(const struct sqlite_ranking *r, char *sql) {
  const int failed = sqlite3_exec(r->db, sql, NULL, NULL, NULL);
  free(sql);
  return failed ? say_rank(r) : 0;
}

// ---- Values

// Where the i-th value of an image begins; a comma follows each but the last.
static const char *value_of_image(const char *image, uint32_t i) {
  bool text = false;
  for (; *image && i; image++) {
    text ^= *image == '\'';
    i -= !text && *image == ',';
  }
  return image;
}

static int length_of_value(const char *value) {
  const char *end = value;
  for (bool text = false; *end && (text || *end != ','); end++)
    text ^= *end == '\'';
  return (int)(end - value);
}

static int fill_rank_values(const struct sqlite_ranking *r,
                            const char *const *images, uint32_t n) {
  int failed = 0;
  for (uint32_t first = 0; first < n && !failed; first += RANKED_AT_ONCE) {
    char *sql;
    size_t bytes;
    FILE *out = text_stream(&sql, &bytes);
    fputs("INSERT INTO value VALUES", out);
    for (uint32_t i = first; i < n && i < first + RANKED_AT_ONCE; i++) {
      const char *value = value_of_image(images[i], r->column);
      fprintf(out, "%s (%" PRIu32 ", 0, %.*s)", i > first ? "," : "", i + 1,
              length_of_value(value), value);
    }
    fclose(out);
    failed = execute_rank(r, sql);
  }
  return failed;
}

static int fill_rank_constants(const struct sqlite_ranking *r,
                               const struct instrument_comparison *c,
                               uint32_t n) {
  int failed = 0;
  for (uint32_t i = 0; i < n && !failed; i++)
    failed = execute_rank(r, xasprintf("INSERT INTO value VALUES (0, %" PRIu32
                                       ", (%s))",
                                       i + 1, c[i].constant));
  return failed;
}

static int make_rank_tables(const struct sqlite_ranking *r) {
  return execute_rank(
      r, xasprintf(
             "PRAGMA encoding = '%s'; CREATE TABLE value (n, c, v %s); CREATE "
             "TABLE distinct_value (r, v %s); BEGIN",
             r->encoding, r->type, r->type));
}

static int rank_values(const struct sqlite_ranking *r) {
  return execute_rank(
      r, xstrdup("CREATE TABLE ranked AS SELECT n, c, dense_rank() OVER (ORDER "
                 "BY v) AS r FROM value WHERE v IS NOT NULL; INSERT INTO "
                 "distinct_value SELECT r, v FROM (SELECT n, v, dense_rank() "
                 "OVER (ORDER BY v) AS r FROM value WHERE v IS NOT NULL) WHERE "
                 "n > 0 GROUP BY r"));
}

static int read_rank_rows(const struct sqlite_ranking *r, uint32_t n,
                          int64_t *ranks, struct instrument_comparison *c,
                          uint32_t nc) {
  sqlite3_stmt *row = NULL;
  int rc =
      sqlite3_prepare_v2(r->db, "SELECT n, c, r FROM ranked", -1, &row, NULL);
  while (!rc && (rc = sqlite3_step(row)) == SQLITE_ROW) {
    const int64_t value = sqlite3_column_int64(row, 0),
                  constant = sqlite3_column_int64(row, 1),
                  rank = sqlite3_column_int64(row, 2);
    if (value > 0 && value <= n)
      ranks[value - 1] = rank;
    else if (constant > 0 && constant <= nc)
      c[constant - 1].rank = rank;
    rc = SQLITE_OK;
  }
  sqlite3_finalize(row);
  return rc == SQLITE_DONE ? 0 : say_rank(r);
}

// ---- Does SQLite compare so?

static bool ranks_hold(int64_t a, const char *sign, int64_t b) {
  return (strchr(sign, '<') && a < b) || (strchr(sign, '>') && a > b) ||
         (strchr(sign, '=') && a == b);
}

// For one value after another.
static int hold_one(const struct sqlite_ranking *r,
                    struct instrument_comparison *c) {
  char *sql = xasprintf("SELECT r, v %s (%s) FROM distinct_value", c->sign,
                        c->constant);
  sqlite3_stmt *row = NULL;
  int rc = sqlite3_prepare_v2(r->db, sql, -1, &row, NULL);
  free(sql);
  c->holds = c->rank > 0;
  while (!rc && (rc = sqlite3_step(row)) == SQLITE_ROW) {
    c->holds &= (sqlite3_column_int(row, 1) != 0) ==
                ranks_hold(sqlite3_column_int64(row, 0), c->sign, c->rank);
    rc = SQLITE_OK;
  }
  sqlite3_finalize(row);
  return rc == SQLITE_DONE ? 0 : say_rank(r);
}

static int hold_all(const struct sqlite_ranking *r,
                    struct instrument_comparison *c, uint32_t n) {
  int failed = 0;
  for (uint32_t i = 0; i < n && !failed; i++)
    failed = hold_one(r, &c[i]);
  return failed;
}

// ---- All of it

static uint32_t number_of_column(const struct instrument_table *table,
                                 const char *column) {
  uint32_t i = 0;
  while (strcmp(table->columns[i], column) != 0)
    i++;
  return i;
}

static int read_encoding(struct sqlite_ranking *r, sqlite3 *db) {
  sqlite3_stmt *row = NULL;
  if (!sqlite3_prepare_v2(db, "PRAGMA encoding", -1, &row, NULL) &&
      sqlite3_step(row) == SQLITE_ROW)
    r->encoding = xstrdup((const char *)sqlite3_column_text(row, 0));
  sqlite3_finalize(row);
  return r->encoding ? 0 : -1;
}

// The type decides how a column compares, but for ANY, which means another
// thing in a STRICT table.
static int find_type(struct sqlite_ranking *r, const struct target *base,
                     const struct instrument_table *table, const char *column) {
  const struct sqlite_database *database = sqlite_database_of(base);
  const char *type = NULL, *collation = NULL;
  sqlite3 *db;
  if (sqlite_database_open(database, 0, &db, r->error))
    return -1;
  int failed = sqlite3_table_column_metadata(
      db, "main", table->name, column, &type, &collation, NULL, NULL, NULL);
  failed = failed || read_encoding(r, db);
  if (failed)
    sqlite_say(r->error, database, db, "cannot be read");
  else if (type && !strcasecmp(type, "any"))
    failed = error_set(r->error, "values of the type ANY are not ranked");
  if (!failed) {
    char *words = sqlite3_mprintf("%s COLLATE \"%w\"", type ? type : "",
                                  collation ? collation : "BINARY");
    r->type = xstrdup(words);
    sqlite3_free(words);
  }
  sqlite_database_close(db);
  return failed ? -1 : 0;
}

static int open_ranking(struct sqlite_ranking *r) {
  return sqlite3_open(":memory:", &r->db) ? say_rank(r) : 0;
}

int sqlite_rank(struct target *base, const struct instrument_tables *tables,
                uint32_t table, const char *column, const char *const *images,
                uint32_t n, int64_t *ranks,
                struct instrument_comparison *comparisons,
                uint32_t ncomparisons, struct error *error) {
  struct sqlite_ranking r = {
      .column = number_of_column(&tables->all[table], column), .error = error};
  memset(ranks, 0, n * sizeof *ranks);
  const int failed =
      find_type(&r, base, &tables->all[table], column) || open_ranking(&r) ||
      make_rank_tables(&r) || fill_rank_values(&r, images, n) ||
      fill_rank_constants(&r, comparisons, ncomparisons) || rank_values(&r) ||
      read_rank_rows(&r, n, ranks, comparisons, ncomparisons) ||
      hold_all(&r, comparisons, ncomparisons);
  sqlite3_close(r.db);
  FREE_EACH(r.type, r.encoding);
  return failed ? -1 : 0;
}
