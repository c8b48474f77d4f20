// SPDX-License-Identifier: GPL-3.0-or-later
// Asks SQLite for versions of what a SELECT reads (`choose` and `execute` of
// drivers/instrument.h).  SQLite is the judge of each guess about a statement:
// it names the tables and columns of a result, and its program for the
// statement says whether rows are gathered.
#include "config.h"

#define SQLITE_ENABLE_COLUMN_METADATA // in sqlite3.h

#include "drivers/sqlite/instrument.h"

#include "base/memory.h"
#include "drivers/rows.h"
#include "drivers/sqlite/session.h"
#include "sql/tokens.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Not every SQLite has them.
#pragma weak sqlite3_column_database_name
#pragma weak sqlite3_column_table_name
#pragma weak sqlite3_column_origin_name

bool sqlite_can_tell_origins(void) { return sqlite3_column_table_name; }

enum { VERSIONS_MOST = 4096 }; // of one statement; reads of more are left out

struct sqlite_asking {
  sqlite3 *db;
  const struct sqlite_instrument *own;
  const char *text;
  const struct sql_outline *outline;
  const struct instrument_tables *tables;
};

// ---- Texts

// A column that the table of the alias has and no expression hides.  NULL: the
// row is that of an outer join that found none.
static void put_origin(FILE *out, const struct sqlite_own_table *own,
                       const struct instrument_table *table, const char *alias,
                       int length) {
  char *name = own->rowid
                   ? sqlite3_mprintf("%s", own->rowid)
                   : sqlite3_mprintf("\"%w\"", table->columns[own->keys[0]]);
  fprintf(out, "%.*s.%s", length, alias, name);
  sqlite3_free(name);
}

// "?" of a row that has no version.
static void put_version_of(FILE *out, const struct sqlite_own_table *own,
                           const struct instrument_table *table, uint32_t t,
                           bool gathers, const char *alias, int length) {
  fputs(gathers ? "group_concat(CASE WHEN " : "CASE WHEN ", out);
  put_origin(out, own, table, alias, length);
  fprintf(out,
          " IS NOT NULL THEN coalesce((SELECT isostress_v.writer || '/' || "
          "isostress_v.place FROM main.isostress_version AS isostress_v WHERE "
          "isostress_v.t = %u AND isostress_v.k = ",
          t);
  sqlite_put_key(out, own, table, alias, length);
  fputs(gathers ? "), '?') END, ' ')" : "), '?') END", out);
}

static char *compose_asking(const struct sqlite_asking *a,
                            const struct instrument_way *way, bool origins) {
  char *made;
  size_t bytes;
  FILE *out = text_stream(&made, &bytes);
  fprintf(out, "%.*s", (int)a->outline->at, a->text);
  for (uint32_t i = 0; i < way->ntables; i++) {
    const struct sql_place place =
        a->outline->tables[way->tables[i].reference].alias;
    const uint32_t t = way->tables[i].table;
    const char *alias = a->text + place.begin;
    const int length = (int)(place.end - place.begin);
    fputs(", ", out);
    if (origins)
      put_origin(out, &a->own->all[t], &a->tables->all[t], alias, length);
    else
      put_version_of(out, &a->own->all[t], &a->tables->all[t], t, way->gathers,
                     alias, length);
  }
  fprintf(out, " %s", a->text + a->outline->at);
  fclose(out);
  return made;
}

// ---- Choosing

// SQLite's names are the same in any case, with quotes and without.
static bool is_name_of(const char *text, struct sql_place place,
                       const char *name) {
  const bool quoted = strchr("\"`", text[place.begin]);
  const uint32_t begin = place.begin + quoted, end = place.end - quoted;
  return strlen(name) == end - begin &&
         !strncasecmp(text + begin, name, end - begin);
}

static void find_own_tables(const struct sqlite_asking *a,
                            struct instrument_way *way) {
  const struct sql_outline *o = a->outline;
  for (uint32_t i = 0; i < o->ntables; i++)
    for (uint32_t t = 0; t < a->tables->n; t++)
      if (is_name_of(a->text, o->tables[i].name, a->tables->all[t].name)) {
        way->tables[way->ntables].reference = i;
        way->tables[way->ntables++].table = t;
      }
}

static bool are_texts_equal(const char *a, const char *b) {
  return a && b ? !strcmp(a, b) : a == b;
}

static bool is_column_as_before(sqlite3_stmt *before, sqlite3_stmt *after,
                                int i) {
  return are_texts_equal(sqlite3_column_name(before, i),
                         sqlite3_column_name(after, i)) &&
         are_texts_equal(sqlite3_column_database_name(before, i),
                         sqlite3_column_database_name(after, i)) &&
         are_texts_equal(sqlite3_column_table_name(before, i),
                         sqlite3_column_table_name(after, i)) &&
         are_texts_equal(sqlite3_column_origin_name(before, i),
                         sqlite3_column_origin_name(after, i));
}

static bool comes_from_table(sqlite3_stmt *after, int i, const char *name) {
  const char *database = sqlite3_column_database_name(after, i),
             *table = sqlite3_column_table_name(after, i);
  return database && table && !strcmp(database, "main") &&
         !strcasecmp(table, name);
}

// Does SQLite take the added columns from the tables that the outline names,
// and leave the others as they were?
static bool has_right_origins(const struct sqlite_asking *a,
                              const struct instrument_way *way) {
  char *text = compose_asking(a, way, true);
  sqlite3_stmt *before = NULL, *after = NULL;
  bool right = !sqlite3_prepare_v2(a->db, a->text, -1, &before, NULL) &&
               !sqlite3_prepare_v2(a->db, text, -1, &after, NULL);
  const int n = right ? sqlite3_column_count(before) : 0;
  right = right && sqlite3_column_count(after) == n + (int)way->ntables;
  for (int i = 0; i < n && right; i++)
    right = is_column_as_before(before, after, i);
  for (uint32_t i = 0; i < way->ntables && right; i++)
    right = comes_from_table(after, n + (int)i,
                             a->tables->all[way->tables[i].table].name);
  sqlite3_finalize(before);
  sqlite3_finalize(after);
  free(text);
  return right;
}

// How many rows of an EXPLAIN have, in this column, a text that begins so; -1:
// SQLite does not accept the statement.
static int count_explained(sqlite3 *db, const char *how, const char *text,
                           int column, const char *const *words) {
  char *sql = xasprintf("%s %s", how, text);
  sqlite3_stmt *row = NULL;
  int n = sqlite3_prepare_v2(db, sql, -1, &row, NULL) ? -1 : 0;
  while (n >= 0 && sqlite3_step(row) == SQLITE_ROW) {
    const char *at = (const char *)sqlite3_column_text(row, column);
    for (size_t i = 0; words[i] && at; i++)
      n += !strncmp(at, words[i], strlen(words[i]));
  }
  sqlite3_finalize(row);
  free(sql);
  return n;
}

// SQLite's program for it has a step that ends a group, or it has GROUP BY.
static bool gathers_somewhere(const struct sqlite_asking *a,
                              const struct sql_tokens *t) {
  static const char *const steps[] = {"AggFinal", "Count", NULL};
  for (uint32_t i = 0; i < t->n; i++)
    if (sql_token_is(t, i, "group"))
      return true;
  return count_explained(a->db, "EXPLAIN", a->text, 1, steps) != 0;
}

// It may be a part of the statement that gathers: then nobody says whether the
// whole does.
static bool has_parts(const struct sql_outline *o, const struct sql_tokens *t,
                      const struct instrument_way *way) {
  uint32_t selects = 0;
  bool windows = false;
  for (uint32_t i = 0; i < t->n; i++) {
    selects += sql_token_is(t, i, "select") || sql_token_is(t, i, "values");
    windows |= sql_token_is(t, i, "over") || sql_token_is(t, i, "window");
  }
  return selects > 1 || windows || way->ntables != o->ntables;
}

// HAVING is refused where nothing gathers.
static bool accepts_having(const struct sqlite_asking *a,
                           const struct sql_tokens *t) {
  uint32_t at = (uint32_t)strlen(a->text);
  for (uint32_t i = t->n; i-- > 0 && t->all[i].begin > a->outline->at;)
    if (!t->all[i].depth &&
        (sql_token_is(t, i, "order") || sql_token_is(t, i, "limit") ||
         sql_token_is(t, i, "window")))
      at = t->all[i].begin;
  char *text = xasprintf("%.*s HAVING 1 %s", (int)at, a->text, a->text + at);
  sqlite3_stmt *statement = NULL;
  const bool accepted =
      sqlite3_prepare_v2(a->db, text, -1, &statement, NULL) == SQLITE_OK;
  sqlite3_finalize(statement);
  free(text);
  return accepted;
}

enum { TAKES_HAVING_ALONE = 3039000 }; // the version, without GROUP BY

// False: it is not known whether the statement gathers rows.
static bool find_gathering(const struct sqlite_asking *a,
                           const struct sql_tokens *t,
                           struct instrument_way *way) {
  bool grouped = false;
  for (uint32_t i = 0; i < t->n; i++)
    grouped |= !t->all[i].depth && sql_token_is(t, i, "group");
  if (grouped || sqlite3_libversion_number() >= TAKES_HAVING_ALONE) {
    way->gathers = grouped || accepts_having(a, t);
    return true;
  }
  way->gathers = gathers_somewhere(a, t);
  return !way->gathers || !has_parts(a->outline, t, way);
}

// A whole table that is read for the added columns alone takes its time.
static bool reads_as_before(const struct sqlite_asking *a,
                            const struct instrument_way *way) {
  static const char *const scans[] = {"SCAN", NULL};
  static const char how[] = "EXPLAIN QUERY PLAN";
  char *text = compose_asking(a, way, false);
  const int after = count_explained(a->db, how, text, 3, scans);
  free(text);
  return after >= 0 && after <= count_explained(a->db, how, a->text, 3, scans);
}

static void choose_asking(const struct sqlite_asking *a,
                          struct instrument_way *way) {
  struct sql_tokens t = {.dialect = &sql_dialect_sqlite};
  const bool read = sql_tokens_read(&t, a->text);
  if (!read || !has_right_origins(a, way))
    way->why = "the database shows no versions of what it reads";
  else if (!find_gathering(a, &t, way))
    way->why = "SQLite does not say which part of it gathers rows";
  else if (!reads_as_before(a, way))
    way->why = "the database would read whole tables to show versions";
  else
    way->adds = true;
  sql_tokens_free(&t);
}

void sqlite_choose_way(struct target *base, const char *text,
                       const struct sql_outline *outline,
                       const struct instrument_tables *tables,
                       struct instrument_way *way) {
  const struct sqlite_database *database = sqlite_database_of(base);
  struct sqlite_instrument *own = database->own;
  struct error error;
  struct sqlite_asking a = {
      .own = own, .text = text, .outline = outline, .tables = tables};
  *way = (struct instrument_way){.why = outline->why};
  if (outline->whole && outline->verb != SQL_VERB_SELECT)
    find_own_tables(&a, way);
  if (outline->verb != SQL_VERB_SELECT || outline->why)
    return;
  find_own_tables(&a, way);
  if (!way->ntables)
    way->why = "it names no table that the schema makes";
  else if (!own->judge &&
           sqlite_database_open(database, 0, &own->judge, &error))
    way->why = "the file could not be opened once more";
  else {
    a.db = own->judge;
    choose_asking(&a, way);
  }
}

// ---- Executing

static void add_own_seen(struct instrument_answer *answer,
                         struct seen_version version) {
  ARRAY_RESERVE(answer->seen, answer->nseen, answer->seen_room);
  answer->seen[answer->nseen++] = version;
}

// "17/2 19/1", or one of them.  A row without a version, "?", was written past
// the instrument: then nothing is told.
static void see_versions(const char *list, uint32_t table,
                         struct instrument_answer *answer) {
  for (const char *p = list; p && *p; p = strchr(p, ' ')) {
    p += *p == ' ';
    char *slash;
    const uint64_t writer = strtoull(p, &slash, 10);
    answer->cut |= *slash != '/';
    if (*slash == '/')
      add_own_seen(answer, (struct seen_version){
                               .table = table,
                               .writer = writer,
                               .place = strtoull(slash + 1, NULL, 10)});
  }
}

static void see_row(sqlite3_stmt *row, const struct instrument_way *way,
                    struct instrument_answer *answer) {
  const int first = sqlite3_column_count(row) - (int)way->ntables;
  for (uint32_t i = 0; i < way->ntables; i++)
    see_versions((const char *)sqlite3_column_text(row, first + (int)i),
                 way->tables[i].table, answer);
}

static void keep_row(sqlite3_stmt *row, int n,
                     struct instrument_answer *answer) {
  struct arena *arena = &answer->arena;
  if (n <= 0)
    return;
  if (!answer->nrows) {
    answer->ncolumns = (uint32_t)n;
    answer->names = arena_take(arena, (size_t)n * sizeof *answer->names);
    for (int i = 0; i < n; i++)
      answer->names[i] = arena_strdup(arena, sqlite3_column_name(row, i));
  }
  const char **values = instrument_answer_row(answer);
  for (int i = 0; i < n && values; i++) {
    const char *value = (const char *)sqlite3_column_text(row, i);
    values[i] = value ? arena_strdup(arena, value) : NULL;
  }
}

static void put_row(sqlite3_stmt *row, int n,
                    const struct instrument_answer *answer) {
  for (int i = 0; i < n; i++)
    rows_add(answer->rows, answer->rows_room, i,
             (const char *)sqlite3_column_text(row, i));
}

static int step_own(struct sqlite_session *session, sqlite3_stmt *statement,
                    const struct instrument_way *way,
                    struct instrument_answer *answer) {
  const int n =
      sqlite3_column_count(statement) - (way->adds ? (int)way->ntables : 0);
  int rc = sqlite_first_step(session, statement);
  for (; rc == SQLITE_ROW; rc = sqlite3_step(statement)) {
    answer->returned++;
    keep_row(statement, n, answer);
    if (answer->rows)
      put_row(statement, n, answer);
    if (way->adds)
      see_row(statement, way, answer);
  }
  answer->cut |= answer->nseen > VERSIONS_MOST;
  if (answer->cut)
    answer->nseen = 0;
  return rc;
}

enum outcome sqlite_execute_own(struct connection *connection, const char *text,
                                const struct sql_outline *outline,
                                const struct instrument_way *way,
                                struct instrument_answer *answer) {
  struct sqlite_session *session = sqlite_session_of(connection);
  const struct sqlite_instrument *own =
      sqlite_database_of(connection->target)->own;
  const struct sqlite_asking a = {
      .own = own, .text = text, .outline = outline, .tables = own->tables};
  instrument_answer_clear(answer);
  char *sent = way->adds ? compose_asking(&a, way, false) : NULL;
  sqlite3_stmt *statement = NULL;
  int rc = sqlite3_prepare_v2(session->current->db, sent ? sent : text, -1,
                              &statement, NULL);
  free(sent);
  if (rc || !statement)
    return sqlite_refused(session, rc);
  const bool changes = !sqlite3_stmt_readonly(statement);
  rc = step_own(session, statement, way, answer);
  enum outcome outcome = sqlite_finish(session, statement, rc);
  sqlite3_finalize(statement);
  if (outcome == OUTCOME_OK &&
      (rc = sqlite_own_note(session->own, changes, answer)) != SQLITE_OK)
    outcome = sqlite_refused(session, rc);
  if (outcome != OUTCOME_OK)
    sqlite_own_forget(session->own);
  answer->affected =
      changes ? (uint64_t)sqlite_own_changes(session->own) : answer->returned;
  return outcome;
}
