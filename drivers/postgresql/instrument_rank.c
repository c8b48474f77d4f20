// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks the values of a column (`rank` of drivers/instrument.h).  The database
// orders them as it compares them.  Then it is asked for each comparison
// whether it holds for just the values that the ranks say, since the type of a
// constant may make another comparison of it.
#include "config.h"

#include "drivers/postgresql/instrument.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RANKED_AT_ONCE = 200 }; // constants or comparisons in a statement

struct ranking {
  PGconn *pg;
  const char *schema, *table, *column;
  struct error *error;
};

static PGresult *ask_ranks(const struct ranking *r, char *sql, int nvalues,
                           const char *value) {
  const char *values[] = {value};
  PGresult *result =
      PQexecParams(r->pg, sql, nvalues, NULL, values, NULL, NULL, 0);
  free(sql);
  if (postgresql_succeeded(result))
    return result;
  postgresql_say(r->error, r->pg, result, "cannot rank values");
  PQclear(result);
  return NULL;
}

static int do_ranks(const struct ranking *r, char *sql) {
  PGresult *result = ask_ranks(r, sql, 0, NULL);
  PQclear(result);
  return result ? 0 : -1;
}

// As an array of texts.
static char *array_of_images(const char *const *images, uint32_t n) {
  char *list;
  size_t bytes;
  FILE *out = text_stream(&list, &bytes);
  putc('{', out);
  for (uint32_t i = 0; i < n; i++) {
    fputs(i ? ",\"" : "\"", out);
    for (const char *c = images[i]; *c; c++) {
      if (*c == '"' || *c == '\\')
        putc('\\', out);
      putc(*c, out);
    }
    putc('"', out);
  }
  putc('}', out);
  fclose(out);
  return list;
}

static int fill_values(const struct ranking *r, const char *const *images,
                       uint32_t n) {
  char *list = array_of_images(images, n);
  PGresult *done = ask_ranks(
      r,
      xasprintf("INSERT INTO pg_temp.isostress_value SELECT u.n, 0, "
                "(u.i::%s.%s).%s FROM unnest($1::text[]) WITH ORDINALITY u(i, "
                "n)",
                r->schema, r->table, r->column),
      1, list);
  free(list);
  PQclear(done);
  return done ? 0 : -1;
}

static int fill_constants(const struct ranking *r,
                          const struct instrument_comparison *c, uint32_t n) {
  for (uint32_t first = 0; first < n; first += RANKED_AT_ONCE) {
    char *sql;
    size_t bytes;
    FILE *out = text_stream(&sql, &bytes);
    fputs("INSERT INTO pg_temp.isostress_value VALUES", out);
    for (uint32_t i = first; i < n && i < first + RANKED_AT_ONCE; i++)
      fprintf(out, "%s (0, %" PRIu32 ", (%s))", i > first ? "," : "", i + 1,
              c[i].constant);
    fclose(out);
    if (do_ranks(r, sql))
      return -1;
  }
  return 0;
}

static int make_ranks(const struct ranking *r, const char *const *images,
                      uint32_t n, const struct instrument_comparison *c,
                      uint32_t nc) {
  return do_ranks(r, xstrdup("BEGIN")) ||
                 do_ranks(r, xasprintf("SET LOCAL search_path = %s, pg_temp",
                                       r->schema)) ||
                 do_ranks(r, xasprintf("CREATE TEMP TABLE isostress_value ON "
                                       "COMMIT DROP AS SELECT 0::bigint AS n, "
                                       "0::bigint AS c, (NULL::%s.%s).%s AS v "
                                       "LIMIT 0",
                                       r->schema, r->table, r->column)) ||
                 fill_values(r, images, n) || fill_constants(r, c, nc) ||
                 do_ranks(r, xstrdup("CREATE TEMP TABLE isostress_rank ON "
                                     "COMMIT DROP AS SELECT n, c, v, "
                                     "dense_rank() OVER (ORDER BY v) AS r FROM "
                                     "pg_temp.isostress_value WHERE v IS NOT "
                                     "NULL"))
             ? -1
             : 0;
}

static int read_ranks(const struct ranking *r, uint32_t n, int64_t *ranks,
                      struct instrument_comparison *c, uint32_t nc,
                      bool *valued) {
  PGresult *rows = ask_ranks(
      r, xstrdup("SELECT n, c, r FROM pg_temp.isostress_rank"), 0, NULL);
  for (int i = 0; rows && i < PQntuples(rows); i++) {
    const uint64_t value = strtoull(PQgetvalue(rows, i, 0), NULL, 10);
    const uint64_t constant = strtoull(PQgetvalue(rows, i, 1), NULL, 10);
    const int64_t rank = strtoll(PQgetvalue(rows, i, 2), NULL, 10);
    if (value && value <= n) {
      ranks[value - 1] = rank;
      valued[rank] = true;
    } else if (constant && constant <= nc) {
      c[constant - 1].rank = rank;
    }
  }
  PQclear(rows);
  return rows ? 0 : -1;
}

// ---- Does the database compare so?

struct rank_sum { // of ranks
  int64_t n, least, most, sum;
};

static bool ranks_compare(int64_t a, const char *sign, int64_t b) {
  return (strchr(sign, '<') && a < b) || (strchr(sign, '>') && a > b) ||
         (strchr(sign, '=') && a == b);
}

// The values for which the comparison holds by the ranks.  Of an interval, the
// number and both ends say all; of <>, number and sum say which one is missing.
static struct rank_sum expected_ranks(const bool *valued, uint32_t most,
                                      const struct instrument_comparison *c) {
  struct rank_sum s = {0};
  for (int64_t rank = 1; rank <= (int64_t)most; rank++) {
    if (!valued[rank] || !ranks_compare(rank, c->sign, c->rank))
      continue;
    s.least = s.n ? s.least : rank;
    s.most = rank;
    s.sum += rank;
    s.n++;
  }
  return s;
}

static int64_t number_of(const PGresult *rows, int row, int column) {
  return strtoll(PQgetvalue(rows, row, column), NULL, 10);
}

static void compare_sums(const PGresult *rows, uint32_t first,
                         struct instrument_comparison *c, const bool *valued,
                         uint32_t most) {
  for (int i = 0; i < PQntuples(rows); i++) {
    struct instrument_comparison *one = &c[first + number_of(rows, i, 0)];
    const struct rank_sum s = expected_ranks(valued, most, one);
    one->holds = one->rank && s.n == number_of(rows, i, 1) &&
                 s.least == number_of(rows, i, 2) &&
                 s.most == number_of(rows, i, 3) &&
                 s.sum == number_of(rows, i, 4);
  }
}

static int hold_comparisons(const struct ranking *r,
                            struct instrument_comparison *c, uint32_t n,
                            const bool *valued, uint32_t most) {
  for (uint32_t first = 0; first < n; first += RANKED_AT_ONCE) {
    char *sql;
    size_t bytes;
    FILE *out = text_stream(&sql, &bytes);
    fputs("WITH d AS MATERIALIZED (SELECT DISTINCT ON (r) r, v FROM "
          "pg_temp.isostress_rank WHERE n > 0)",
          out);
    for (uint32_t i = first; i < n && i < first + RANKED_AT_ONCE; i++)
      fprintf(out,
              "%s SELECT %" PRIu32 ", count(*), coalesce(min(r), 0), "
              "coalesce(max(r), 0), coalesce(sum(r), 0) FROM d WHERE v %s (%s)",
              i > first ? " UNION ALL" : "", i - first, c[i].sign,
              c[i].constant);
    fclose(out);
    PGresult *rows = ask_ranks(r, sql, 0, NULL);
    if (!rows)
      return -1;
    compare_sums(rows, first, c, valued, most);
    PQclear(rows);
  }
  return 0;
}

int postgresql_rank(struct target *base, const struct instrument_tables *tables,
                    uint32_t table, const char *column,
                    const char *const *images, uint32_t n, int64_t *ranks,
                    struct instrument_comparison *comparisons,
                    uint32_t ncomparisons, struct error *error) {
  const struct postgresql_target *target = postgresql_of(base);
  char *quoted =
      PQescapeIdentifier(target->own->asking, tables->all[table].name,
                         strlen(tables->all[table].name));
  char *name = PQescapeIdentifier(target->own->asking, column, strlen(column));
  const struct ranking r = {.pg = target->own->asking,
                            .schema = target->own->schema,
                            .table = quoted,
                            .column = name,
                            .error = error};
  const uint32_t most = n + ncomparisons;
  bool *valued = xcalloc((size_t)most + 1, sizeof *valued);
  memset(ranks, 0, n * sizeof *ranks);
  const int failed =
      make_ranks(&r, images, n, comparisons, ncomparisons) ||
              read_ranks(&r, n, ranks, comparisons, ncomparisons, valued) ||
              hold_comparisons(&r, comparisons, ncomparisons, valued, most)
          ? -1
          : 0;
  PQclear(PQexec(r.pg, "ROLLBACK"));
  free(valued);
  PQfreemem(quoted);
  PQfreemem(name);
  return failed;
}
