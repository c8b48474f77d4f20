// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the tables of the user's own SQL (drivers/sqlite/instrument.h) in a
// file that has no others, in one transaction: on a failure the file is as it
// was.
#include "config.h"

#include "drivers/sqlite/instrument.h"

#include "base/memory.h"
#include "sql/tokens.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char reading_own[] = "cannot be read";

struct sqlite_making {
  const struct sqlite_database *database;
  struct sqlite_instrument *own;
  sqlite3 *db;
  const char *path, *schema;
  struct instrument_tables *tables;
  FILE *pragmas;
  struct error *error;
};

static int refuse_schema(const struct sqlite_making *m, const char *at,
                         const char *words) {
  uint32_t line = 1;
  for (const char *c = m->schema; c < at; c++)
    line += *c == '\n';
  return error_set_usage(m->error, "%s:%u: %s", m->path, line, words);
}

// Executes a composed text, which is freed.
static int do_own(const struct sqlite_making *m, char *sql) {
  const int failed = sqlite_prepare_by(m->database, m->db, sql, m->error);
  free(sql);
  return failed;
}

// A query of a composed text, which is freed; NULL with a sentence.
static sqlite3_stmt *query_of(const struct sqlite_making *m, char *sql) {
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(m->db, sql, -1, &statement, NULL))
    sqlite_say(m->error, m->database, m->db, reading_own);
  free(sql);
  return statement;
}

static const char *text_at(sqlite3_stmt *row, int column) {
  return (const char *)sqlite3_column_text(row, column);
}

// ---- What was there before

static int refuse_others(const struct sqlite_making *m) {
  sqlite3_stmt *query = query_of(
      m, xstrdup("SELECT type, name FROM main.sqlite_master WHERE name NOT "
                 "GLOB 'sqlite_*' AND tbl_name NOT GLOB 'isostress_*' LIMIT "
                 "1"));
  if (!query)
    return -1;
  const int failed =
      sqlite3_step(query) == SQLITE_ROW
          ? error_set_usage(m->error,
                            "%s has the %s %s, which isostress did not make: "
                            "name a new file for scripts that run as they are",
                            m->database->path, text_at(query, 0),
                            text_at(query, 1))
          : 0;
  sqlite3_finalize(query);
  return failed;
}

// ---- The user's statements

// The first word or sign of a statement; false: there is nothing but comments.
static bool find_first_word(const char *text, uint32_t end,
                            struct sql_token *token) {
  uint32_t at = 0;
  return sql_token_find(&sql_dialect_sqlite, text, &at, end, token) > 0;
}

static bool is_word(const char *text, const struct sql_token *token,
                    const char *word) {
  const size_t n = strlen(word);
  return token->end - token->begin == n &&
         !strncasecmp(text + token->begin, word, n);
}

static bool is_any_of(const char *text, const struct sql_token *token,
                      const char *const *words) {
  while (*words && !is_word(text, token, *words))
    words++;
  return *words;
}

// A setting of a connection is kept for those of the sessions.
static int keep_pragma(const struct sqlite_making *m, const char *text,
                       const struct sql_token *pragma, uint32_t end) {
  static const char *const of_target[] = {"journal_mode", "synchronous",
                                          "busy_timeout", NULL};
  struct sql_token name;
  uint32_t at = pragma->end;
  if (sql_token_find(&sql_dialect_sqlite, text, &at, end, &name) > 0 &&
      is_any_of(text, &name, of_target))
    return refuse_schema(m, text + pragma->begin,
                         "this PRAGMA is an option of the target: write "
                         "?journal=, ?synchronous= or ?busy= behind the file");
  fprintf(m->pragmas, "%.*s;\n", (int)(end - pragma->begin),
          text + pragma->begin);
  return 0;
}

static int execute_own(const struct sqlite_making *m, sqlite3_stmt *statement,
                       const char *at) {
  int rc;
  while ((rc = sqlite3_step(statement)) == SQLITE_ROW)
    ;
  if (rc == SQLITE_DONE)
    return 0;
  char words[300], *refusal;
  error_one_line(words, sizeof words, sqlite3_errmsg(m->db));
  refusal = xasprintf("the database refused it: %s", words);
  const int failed = refuse_schema(m, at, refusal);
  free(refusal);
  return failed;
}

// Executes the statement that begins the text, or keeps it, and says where the
// next one begins.
static int take_statement(const struct sqlite_making *m, const char **text) {
  static const char *const boundaries[] = {"begin", "commit", "end", ";", NULL};
  static const char *const others[] = {"attach", "vacuum", NULL};
  const char *begin = *text;
  struct sql_token first;
  if (!find_first_word(begin, (uint32_t)strlen(begin), &first)) {
    *text = begin + strlen(begin);
    return 0;
  }
  const char *at = begin + first.begin;
  if (is_any_of(begin, &first, others))
    return refuse_schema(m, at, "a run has one file and its tables");
  sqlite3_stmt *statement = NULL;
  const bool skipped = is_any_of(begin, &first, boundaries);
  const int rc = sqlite3_prepare_v2(m->db, at, -1, &statement, text);
  int failed = 0;
  if (skipped && first.end - first.begin == 1)
    *text = at + 1;
  else if (!rc && is_word(begin, &first, "pragma"))
    failed = keep_pragma(m, begin, &first, (uint32_t)(*text - begin));
  else if (rc || !skipped)
    failed = execute_own(m, statement, at);
  sqlite3_finalize(statement);
  return failed;
}

static int execute_schema(const struct sqlite_making *m) {
  const char *text = m->schema;
  int failed = 0;
  while (*text && !failed)
    failed = take_statement(m, &text);
  return failed;
}

// ---- Tables

void sqlite_put_key(FILE *out, const struct sqlite_own_table *own,
                    const struct instrument_table *table, const char *alias,
                    int length) {
  if (own->rowid) // whose type would keep SQLite from looking the version up
    fprintf(out, "+%.*s.%s", length, alias, own->rowid);
  for (uint32_t i = 0; i < own->nkeys; i++) {
    char *name = sqlite3_mprintf("\"%w\"", table->columns[own->keys[i]]);
    fprintf(out, "%squote(%.*s.%s)", i ? " || ',' || " : "", length, alias,
            name);
    sqlite3_free(name);
  }
}

// A key by which people know a row is one column of a whole type.
static int read_columns(const struct sqlite_making *m,
                        struct sqlite_own_table *own,
                        struct instrument_table *table) {
  sqlite3_stmt *row =
      query_of(m, xasprintf("PRAGMA main.table_xinfo(%s)", own->quoted));
  char **names = NULL;
  uint32_t room = 0, nkeys = 0;
  own->key = UINT32_MAX;
  if (!row)
    return -1;
  while (sqlite3_step(row) == SQLITE_ROW) {
    const bool hidden = sqlite3_column_int(row, 6) != 0;
    own->computed |= hidden;
    if (sqlite3_column_int(row, 5)) {
      own->keys = xrealloc(own->keys, nkeys + 1, sizeof *own->keys);
      own->keys[nkeys++] = table->ncolumns;
      if (table->ncolumns < 64)
        table->key |= UINT64_C(1) << table->ncolumns;
      if (strcasestr(text_at(row, 2), "int"))
        own->key = table->ncolumns;
    }
    ARRAY_RESERVE(names, table->ncolumns, room);
    names[table->ncolumns++] = xstrdup(text_at(row, 1));
  }
  assert(names); // a table has a column
  table->columns = texts_copy(names, NULL, table->ncolumns);
  for (uint32_t i = 0; i < table->ncolumns; i++)
    free(names[i]);
  free(names);
  if (nkeys != 1)
    own->key = UINT32_MAX;
  own->nkeys = nkeys;
  sqlite3_finalize(row);
  return 0;
}

static bool has_column(const struct instrument_table *table, const char *name) {
  for (uint32_t i = 0; i < table->ncolumns; i++)
    if (!strcasecmp(table->columns[i], name))
      return true;
  return false;
}

// One of its three names that no column has.
static void find_rowid(const struct sqlite_making *m,
                       struct sqlite_own_table *own,
                       const struct instrument_table *table) {
  static const char *const names[] = {"rowid", "_rowid_", "oid"};
  for (size_t i = 0; i < sizeof names / sizeof *names && !own->rowid; i++) {
    sqlite3_stmt *statement = NULL;
    char *sql = xasprintf("SELECT %s FROM main.%s", names[i], own->quoted);
    if (!has_column(table, names[i]) &&
        !sqlite3_prepare_v2(m->db, sql, -1, &statement, NULL))
      own->rowid = names[i];
    sqlite3_finalize(statement);
    free(sql);
  }
  if (own->rowid) {
    free(own->keys);
    own->keys = NULL;
    own->nkeys = 0;
  }
}

// A number of a column for floating point may be kept as a whole one, so that
// its text is not one.
static int check_key(const struct sqlite_making *m,
                     const struct sqlite_own_table *own,
                     const struct instrument_table *table) {
  bool floats = false;
  for (uint32_t i = 0; i < own->nkeys; i++) {
    const char *type = NULL;
    sqlite3_table_column_metadata(m->db, "main", table->name,
                                  table->columns[own->keys[i]], &type, NULL,
                                  NULL, NULL, NULL);
    floats |= type && (strcasestr(type, "real") || strcasestr(type, "floa") ||
                       strcasestr(type, "doub"));
  }
  if (!own->rowid && (floats || !own->nkeys))
    return error_set_usage(m->error,
                           "%s: rows of %s have no rowid, and no primary key "
                           "of texts and whole numbers to be known by",
                           m->path, table->name);
  return 0;
}

// Where a statement may find a row and leave it as it is: a trigger before each
// row, or one that says IGNORE; constraints that do.
static bool may_hide(const char *sql) {
  return sql && strcasestr(sql, "conflict");
}

// "CREATE TRIGGER name AFTER ...", as SQLite keeps it; without the word it is
// one before each row.
static bool is_trigger_behind(struct sql_tokens *tokens, const char *sql) {
  return sql_tokens_read(tokens, sql) && sql_token_is(tokens, 3, "after") &&
         !strcasestr(sql, "ignore");
}

static int read_triggers(const struct sqlite_making *m,
                         struct instrument_table *table) {
  struct sql_tokens tokens = {.dialect = &sql_dialect_sqlite};
  sqlite3_stmt *row = query_of(
      m, xstrdup("SELECT sql FROM main.sqlite_master WHERE type = 'trigger' "
                 "AND tbl_name = ?1 COLLATE NOCASE"));
  if (!row)
    return -1;
  sqlite3_bind_text(row, 1, table->name, -1, SQLITE_STATIC);
  while (sqlite3_step(row) == SQLITE_ROW)
    table->hides |= !is_trigger_behind(&tokens, text_at(row, 0));
  sqlite3_finalize(row);
  sql_tokens_free(&tokens);
  return 0;
}

static int note_own(struct sqlite_making *m, const char *name,
                    const char *sql) {
  struct instrument_tables *tables = m->tables;
  struct sqlite_instrument *own = m->own;
  ARRAY_RESERVE(tables->all, tables->n, tables->room);
  ARRAY_RESERVE(own->all, own->n, own->room);
  struct instrument_table *table = &tables->all[tables->n++];
  struct sqlite_own_table *mine = &own->all[own->n++];
  char *quoted = sqlite3_mprintf("\"%w\"", name);
  *table =
      (struct instrument_table){.name = xstrdup(name), .hides = may_hide(sql)};
  *mine = (struct sqlite_own_table){.quoted = xstrdup(quoted)};
  sqlite3_free(quoted);
  if (read_columns(m, mine, table) || read_triggers(m, table))
    return -1;
  find_rowid(m, mine, table);
  return check_key(m, mine, table);
}

// Writes the first versions of a table.
static int fill_first_versions(const struct sqlite_making *m, uint32_t t) {
  char *sql;
  size_t bytes;
  FILE *out = text_stream(&sql, &bytes);
  fprintf(out, "INSERT INTO main.isostress_version SELECT %u, ", t);
  sqlite_put_key(out, &m->own->all[t], &m->tables->all[t], "isostress_row", 13);
  fprintf(out, ", row_number() OVER (), 0 FROM main.%s AS isostress_row",
          m->own->all[t].quoted);
  fclose(out);
  return do_own(m, sql);
}

static int instrument_own(struct sqlite_making *m) {
  sqlite3_stmt *row = query_of(
      m, xstrdup("SELECT name, sql FROM main.sqlite_master WHERE type = "
                 "'table' AND rootpage > 0 AND name NOT GLOB 'sqlite_*' AND "
                 "name NOT GLOB 'isostress_*' ORDER BY name"));
  int failed = row ? 0 : -1;
  while (!failed && sqlite3_step(row) == SQLITE_ROW)
    failed = note_own(m, text_at(row, 0), text_at(row, 1));
  sqlite3_finalize(row);
  if (!failed && !m->tables->n)
    failed = error_set_usage(m->error, "%s: it makes no table", m->path);
  for (uint32_t t = 0; t < m->tables->n && !failed; t++)
    failed = fill_first_versions(m, t);
  return failed;
}

// ---- All of it

// Names of the run's own; a number of the table and a key have a version.
static const char beside[] =
    "CREATE TABLE isostress_made AS SELECT type, name FROM main.sqlite_master "
    "WHERE name NOT GLOB 'isostress_*';"
    "CREATE TABLE isostress_version (t INTEGER, k, writer INTEGER, place "
    "INTEGER, PRIMARY KEY (t, k)) WITHOUT ROWID;";

// While tables are made, keys of other tables are not enforced.
static int check_foreign_keys(const struct sqlite_making *m) {
  fflush(m->pragmas);
  if (!strcasestr(m->own->pragmas, "foreign_keys"))
    return 0;
  sqlite3_stmt *row = query_of(m, xstrdup("PRAGMA foreign_key_check"));
  const int failed =
      row && sqlite3_step(row) == SQLITE_ROW
          ? error_set_usage(m->error,
                            "%s: a row of %s refers to a row of %s that is "
                            "not there",
                            m->path, text_at(row, 0), text_at(row, 2))
          : 0;
  sqlite3_finalize(row);
  return row ? failed : -1;
}

static int make_own(const struct sqlite_database *database, sqlite3 *db,
                    const void *context, struct error *error) {
  struct sqlite_making *m = (struct sqlite_making *)(uintptr_t)context;
  uint64_t removed = 0;
  m->db = db;
  return sqlite_own_drop(database, db, &removed, error) || refuse_others(m) ||
                 execute_schema(m) || check_foreign_keys(m) ||
                 sqlite_prepare_by(database, db, beside, error) ||
                 instrument_own(m)
             ? -1
             : 0;
}

int sqlite_own_setup(struct target *base, const char *path, const char *schema,
                     struct instrument_tables *tables, struct error *error) {
  struct sqlite_database *database = (struct sqlite_database *)base;
  size_t bytes;
  if (!sqlite_can_tell_changes() || !sqlite_can_tell_origins())
    return error_set(error,
                     "%s: SQLite %s was built without "
                     "SQLITE_ENABLE_PREUPDATE_HOOK or "
                     "SQLITE_ENABLE_COLUMN_METADATA, which scripts need that "
                     "run as they are",
                     database->path, sqlite3_libversion());
  sqlite_instrument_free(database->own);
  database->own = xcalloc(1, sizeof *database->own);
  struct sqlite_making m = {.database = database,
                            .own = database->own,
                            .path = path,
                            .schema = schema,
                            .tables = tables,
                            .error = error};
  m.own->tables = tables;
  m.pragmas = text_stream(&m.own->pragmas, &bytes);
  const int failed = sqlite_make(database, &m, make_own, error);
  fclose(m.pragmas);
  return failed || sqlite_read_versions(base, tables, tables, error) ? -1 : 0;
}

void sqlite_instrument_free(struct sqlite_instrument *own) {
  if (!own)
    return;
  for (uint32_t i = 0; i < own->n; i++)
    FREE_EACH(own->all[i].quoted, own->all[i].keys);
  sqlite_database_close(own->judge);
  FREE_EACH(own->all, own->pragmas);
  free(own);
}
