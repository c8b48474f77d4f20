// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks the values of a column on MariaDB and MySQL (`rank` of
// drivers/instrument.h).  The database orders them as it compares them.  Then
// it is asked for each comparison whether it holds for just the values that the
// ranks say, since the type of a constant may make another comparison of it.
#include "config.h"

#include "drivers/mysql/instrument.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_AT_ONCE = 500, COMPARISONS_AT_ONCE = 100 }; // in a statement

struct mysql_ranking {
  const struct mysqldb_target *target;
  const char *column; // in backticks
  uint32_t number;    // of the column in an image
  struct error *error;
};

static const char what[] = "cannot rank values";

// Executes a composed text, which is freed.
static int do_ranking(const struct mysql_ranking *r, char *sql) {
  MYSQL *mysql = r->target->claim;
  const int failed = mysql_real_query(mysql, sql, strlen(sql))
                         ? mysqldb_say(r->error, r->target, mysql, what)
                         : 0;
  free(sql);
  return failed;
}

static void put_value_of_image(FILE *out, const char *image, uint32_t number) {
  for (; number; number--) {
    image = mysqldb_image_value_end(image);
    image += *image == ',';
  }
  fprintf(out, "%.*s", (int)(mysqldb_image_value_end(image) - image), image);
}

static int fill_images(const struct mysql_ranking *r, const char *const *images,
                       uint32_t n) {
  for (uint32_t first = 0; first < n; first += VALUES_AT_ONCE) {
    char *sql;
    size_t bytes;
    FILE *out = text_stream(&sql, &bytes);
    fputs("INSERT INTO isostress_value VALUES ", out);
    for (uint32_t i = first; i < n && i < first + VALUES_AT_ONCE; i++) {
      fprintf(out, "%s(%" PRIu32 ", 0, ", i > first ? ", " : "", i + 1);
      put_value_of_image(out, images[i], r->number);
      putc(')', out);
    }
    fclose(out);
    if (do_ranking(r, sql))
      return -1;
  }
  return 0;
}

// A constant that the column cannot hold becomes another value; no comparison
// with it holds then.
static int fill_mysql_constants(const struct mysql_ranking *r,
                                const struct instrument_comparison *c,
                                uint32_t n) {
  for (uint32_t first = 0; first < n; first += VALUES_AT_ONCE) {
    char *sql;
    size_t bytes;
    FILE *out = text_stream(&sql, &bytes);
    fputs("INSERT IGNORE INTO isostress_value VALUES ", out);
    for (uint32_t i = first; i < n && i < first + VALUES_AT_ONCE; i++)
      fprintf(out, "%s(0, %" PRIu32 ", (%s))", i > first ? ", " : "", i + 1,
              c[i].constant);
    fclose(out);
    if (do_ranking(r, sql))
      return -1;
  }
  return 0;
}

// The names of our columns are no words that a constant may have.
static int make_rank_tables(const struct mysql_ranking *r, const char *table,
                            const char *const *images, uint32_t n,
                            const struct instrument_comparison *c,
                            uint32_t nc) {
  return do_ranking(r, xasprintf("CREATE TEMPORARY TABLE isostress_value AS "
                                 "SELECT 0 AS isostress_i, 0 AS isostress_c, "
                                 "%s AS isostress_v FROM %s LIMIT 0",
                                 r->column, table)) ||
                 fill_images(r, images, n) || fill_mysql_constants(r, c, nc) ||
                 do_ranking(r,
                            xstrdup("CREATE TEMPORARY TABLE isostress_rank AS "
                                    "SELECT isostress_i, isostress_c, "
                                    "isostress_v, DENSE_RANK() OVER (ORDER BY "
                                    "isostress_v) AS isostress_r FROM "
                                    "isostress_value WHERE isostress_v IS NOT "
                                    "NULL")) ||
                 do_ranking(r,
                            xstrdup("CREATE TEMPORARY TABLE isostress_differ "
                                    "AS SELECT isostress_r, isostress_v FROM "
                                    "isostress_rank WHERE isostress_i > 0 "
                                    "GROUP BY isostress_r, CAST(isostress_v AS "
                                    "BINARY)"))
             ? -1
             : 0;
}

static int fetch_ranks(const struct mysql_ranking *r, uint32_t n,
                       int64_t *ranks, struct instrument_comparison *c,
                       uint32_t nc) {
  MYSQL_RES *rows = mysqldb_query(
      r->target, r->target->claim,
      "SELECT isostress_i, isostress_c, isostress_r FROM isostress_rank", what,
      r->error);
  MYSQL_ROW row;
  while (rows && (row = mysql_fetch_row(rows))) {
    const uint64_t value = strtoull(row[0], NULL, 10),
                   constant = strtoull(row[1], NULL, 10);
    if (value && value <= n)
      ranks[value - 1] = strtoll(row[2], NULL, 10);
    else if (constant && constant <= nc)
      c[constant - 1].rank = strtoll(row[2], NULL, 10);
  }
  mysql_free_result(rows);
  return rows ? 0 : -1;
}

// For how many values does the database say something else than the ranks?
static int check_comparisons(const struct mysql_ranking *r,
                             struct instrument_comparison *c, uint32_t n) {
  for (uint32_t first = 0; first < n; first += COMPARISONS_AT_ONCE) {
    char *sql;
    size_t bytes;
    FILE *out = text_stream(&sql, &bytes);
    fputs("SELECT ", out);
    for (uint32_t i = first; i < n && i < first + COMPARISONS_AT_ONCE; i++)
      fprintf(out,
              "%sCOALESCE(SUM(NOT ((isostress_v %s (%s)) <=> (isostress_r %s "
              "%" PRId64 "))), 0)",
              i > first ? ", " : "", c[i].sign, c[i].constant, c[i].sign,
              c[i].rank);
    fputs(" FROM isostress_differ", out);
    fclose(out);
    MYSQL_RES *rows =
        mysqldb_query(r->target, r->target->claim, sql, what, r->error);
    const MYSQL_ROW row = rows ? mysql_fetch_row(rows) : NULL;
    for (uint32_t i = first; row && i < n && i < first + COMPARISONS_AT_ONCE;
         i++)
      c[i].holds = c[i].rank && row[i - first] && !strcmp(row[i - first], "0");
    mysql_free_result(rows);
    free(sql);
    if (!row)
      return -1;
  }
  return 0;
}

static uint32_t number_of_column(const struct instrument_table *table,
                                 const char *column) {
  uint32_t i = 0;
  while (i < table->ncolumns && strcmp(table->columns[i], column) != 0)
    i++;
  return i;
}

static int rank_values(const struct mysql_ranking *r, const char *table,
                       const char *const *images, uint32_t n, int64_t *ranks,
                       struct instrument_comparison *c, uint32_t nc) {
  static const char drop[] = "DROP TEMPORARY TABLE IF EXISTS isostress_value, "
                             "isostress_rank, isostress_differ";
  const int failed = do_ranking(r, xstrdup("SET SESSION sql_mode = ''")) ||
                             do_ranking(r, xstrdup(drop)) ||
                             make_rank_tables(r, table, images, n, c, nc) ||
                             fetch_ranks(r, n, ranks, c, nc) ||
                             check_comparisons(r, c, nc)
                         ? -1
                         : 0;
  struct error ignored;
  const struct mysql_ranking quiet = {.target = r->target, .error = &ignored};
  do_ranking(&quiet, xstrdup(drop));
  do_ranking(&quiet, xstrdup("SET SESSION sql_mode = " MYSQLDB_OWN_MODE));
  return failed;
}

int mysqldb_rank(struct target *base, const struct instrument_tables *tables,
                 uint32_t table, const char *column, const char *const *images,
                 uint32_t n, int64_t *ranks,
                 struct instrument_comparison *comparisons,
                 uint32_t ncomparisons, struct error *error) {
  const struct mysqldb_target *target = mysqldb_of(base);
  const struct mysqldb_own_table *own = &target->own->tables[table];
  const uint32_t number = number_of_column(&tables->all[table], column);
  memset(ranks, 0, n * sizeof *ranks);
  if (number == tables->all[table].ncolumns || own->moves[number])
    return error_set(error, "the column %s changes by itself", column);
  char *name = xasprintf("`%s`", column);
  const struct mysql_ranking r = {
      .target = target, .column = name, .number = number, .error = error};
  const int failed =
      rank_values(&r, own->name, images, n, ranks, comparisons, ncomparisons);
  free(name);
  return failed;
}
