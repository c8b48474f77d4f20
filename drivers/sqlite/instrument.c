// SPDX-License-Identifier: GPL-3.0-or-later
// SQLite tells of versions (drivers/sqlite/instrument.h).  Its hook notes each
// row before it is changed, in the order in which rows change.  When the
// statement is over, the notes are gone through again: the table of versions
// says which version a row had, and gets the new one.
#include "config.h"

#define SQLITE_ENABLE_PREUPDATE_HOOK // in sqlite3.h

#include "drivers/sqlite/instrument.h"

#include "base/clock.h"
#include "base/memory.h"
#include "drivers/sqlite/session.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// Not every SQLite has them.
#pragma weak sqlite3_preupdate_hook
#pragma weak sqlite3_preupdate_old
#pragma weak sqlite3_preupdate_new

bool sqlite_can_tell_changes(void) { return sqlite3_preupdate_hook; }

enum {
  FIND_VERSION,
  PUT_VERSION,
  DROP_VERSION,
  QUOTE_VALUE,
  OWN_STATEMENTS,
};

static const char *const own_sql[OWN_STATEMENTS] = {
    [FIND_VERSION] = "SELECT writer, place FROM main.isostress_version WHERE t "
                     "= ?1 AND k = ?2",
    [PUT_VERSION] = "INSERT OR REPLACE INTO main.isostress_version VALUES (?1, "
                    "?2, ?3, ?4)",
    [DROP_VERSION] = "DELETE FROM main.isostress_version WHERE t = ?1 AND k = "
                     "?2",
    [QUOTE_VALUE] = "SELECT " SQLITE_LITERAL("?1"),
};

// A row that changes, before it does.
struct sqlite_note {
  char kind; // 'I', 'U' or 'D'
  uint32_t table;
  int64_t before, after;   // rowids
  sqlite3_value **old_key; // WITHOUT ROWID: of the primary key; else NULL
  sqlite3_value **values;  // of all columns; NULL of a deletion
};

struct sqlite_own_session {
  sqlite3 *db;
  const struct sqlite_instrument *own;
  sqlite3_stmt *statements[OWN_STATEMENTS];
  struct sqlite_note *notes;
  uint32_t nnotes, room;
  uint64_t stamp;  // of the last version
  uint32_t number; // of the session
  int changes;     // by the user's last statement that could change rows
  int all, extra;  // changes that SQLite counts; those of notes among them
};

// ---- Notes

static void free_values(sqlite3_value **values, uint32_t n) {
  for (uint32_t i = 0; values && i < n; i++)
    sqlite3_value_free(values[i]);
  free(values);
}

void sqlite_own_forget(struct sqlite_own_session *s) {
  for (uint32_t i = 0; i < s->nnotes; i++) {
    const struct sqlite_note *note = &s->notes[i];
    free_values(note->old_key, s->own->all[note->table].nkeys);
    free_values(note->values, s->own->tables->all[note->table].ncolumns);
  }
  s->nnotes = 0;
}

static uint32_t table_of_name(const struct sqlite_own_session *s,
                              const char *name) {
  for (uint32_t t = 0; t < s->own->tables->n; t++)
    if (!strcasecmp(s->own->tables->all[t].name, name))
      return t;
  return UINT32_MAX;
}

static sqlite3_value **copy_values(const struct sqlite_own_session *s,
                                   int (*get)(sqlite3 *, int, sqlite3_value **),
                                   const uint32_t *columns, uint32_t n) {
  sqlite3_value **values = xcalloc((size_t)n + 1, sizeof *values);
  for (uint32_t i = 0; i < n; i++) {
    sqlite3_value *value;
    if (get(s->db, (int)(columns ? columns[i] : i), &value) == SQLITE_OK)
      values[i] = sqlite3_value_dup(value);
  }
  return values;
}

static void note_row(void *context, sqlite3 *db, int op, const char *database,
                     const char *table, sqlite3_int64 before,
                     sqlite3_int64 after) {
  struct sqlite_own_session *s = context;
  (void)db;
  const uint32_t t = table_of_name(s, table);
  if (t == UINT32_MAX || strcmp(database, "main") != 0)
    return;
  const struct sqlite_own_table *own = &s->own->all[t];
  struct sqlite_note note = {.kind = op == SQLITE_INSERT   ? 'I'
                                     : op == SQLITE_UPDATE ? 'U'
                                                           : 'D',
                             .table = t,
                             .before = before,
                             .after = after};
  if (!own->rowid && op != SQLITE_INSERT)
    note.old_key = copy_values(s, sqlite3_preupdate_old, own->keys, own->nkeys);
  if (op != SQLITE_DELETE)
    note.values = copy_values(s, sqlite3_preupdate_new, NULL,
                              s->own->tables->all[t].ncolumns);
  ARRAY_RESERVE(s->notes, s->nnotes, s->room);
  s->notes[s->nnotes++] = note;
}

// ---- Versions

// A text of the value in SQL, in the arena of the statement: until the next
// call.
static const char *quote_value(struct sqlite_own_session *s,
                               const sqlite3_value *value) {
  sqlite3_stmt *quote = s->statements[QUOTE_VALUE];
  sqlite3_reset(quote);
  if (value)
    sqlite3_bind_value(quote, 1, value);
  else
    sqlite3_bind_null(quote, 1);
  return sqlite3_step(quote) == SQLITE_ROW
             ? (const char *)sqlite3_column_text(quote, 0)
             : "NULL";
}

// The values in SQL, with a comma between.  Free with free().
static char *quote_values(struct sqlite_own_session *s, sqlite3_value **values,
                          const uint32_t *columns, uint32_t n) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  for (uint32_t i = 0; i < n; i++)
    fprintf(out, "%s%s", i ? "," : "",
            quote_value(s, values[columns ? columns[i] : i]));
  fclose(out);
  return text;
}

struct version_key { // of a row, in the table of versions
  uint32_t table;
  int64_t rowid;
  char *text; // WITHOUT ROWID; owned
};

static struct version_key key_before(struct sqlite_own_session *s,
                                     const struct sqlite_note *note) {
  const struct sqlite_own_table *own = &s->own->all[note->table];
  return (struct version_key){
      note->table, note->before,
      own->rowid ? NULL : quote_values(s, note->old_key, NULL, own->nkeys)};
}

static struct version_key key_after(struct sqlite_own_session *s,
                                    const struct sqlite_note *note) {
  const struct sqlite_own_table *own = &s->own->all[note->table];
  return (struct version_key){
      note->table, note->after,
      own->rowid ? NULL : quote_values(s, note->values, own->keys, own->nkeys)};
}

static sqlite3_stmt *bind_key(struct sqlite_own_session *s, int which,
                              const struct version_key *key) {
  sqlite3_stmt *statement = s->statements[which];
  sqlite3_reset(statement);
  sqlite3_bind_int64(statement, 1, key->table);
  if (key->text)
    sqlite3_bind_text(statement, 2, key->text, -1, SQLITE_TRANSIENT);
  else
    sqlite3_bind_int64(statement, 2, key->rowid);
  return statement;
}

// A version that nobody wrote is told as one that is not there; the tables that
// the run leaves are held against what is told.
static int take_version(struct sqlite_own_session *s, struct version_key key,
                        struct seen_version *version) {
  sqlite3_stmt *find = bind_key(s, FIND_VERSION, &key);
  int rc = sqlite3_step(find);
  *version = (struct seen_version){.table = key.table};
  if (rc == SQLITE_ROW) {
    version->writer = (uint64_t)sqlite3_column_int64(find, 0);
    version->place = (uint64_t)sqlite3_column_int64(find, 1);
  }
  sqlite3_reset(find);
  if (rc == SQLITE_ROW || rc == SQLITE_DONE) {
    sqlite3_stmt *drop = bind_key(s, DROP_VERSION, &key);
    rc = sqlite3_step(drop);
    sqlite3_reset(drop);
  }
  free(key.text);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

// A number that no other version of the run has, together with the session:
// later than all that an earlier connection of the session gave.
static struct seen_version next_version(struct sqlite_own_session *s,
                                        uint32_t table) {
  const uint64_t now = clock_now();
  s->stamp = s->stamp < now ? now : s->stamp + 1;
  return (struct seen_version){
      .table = table, .writer = s->stamp, .place = s->number + 1};
}

static int put_version(struct sqlite_own_session *s, struct version_key key,
                       const struct seen_version *version) {
  sqlite3_stmt *put = bind_key(s, PUT_VERSION, &key);
  sqlite3_bind_int64(put, 3, (sqlite3_int64)version->writer);
  sqlite3_bind_int64(put, 4, (sqlite3_int64)version->place);
  const int rc = sqlite3_step(put);
  sqlite3_reset(put);
  free(key.text);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int64_t key_for_people(const struct sqlite_own_session *s,
                              const struct sqlite_note *note) {
  const uint32_t column = s->own->all[note->table].key;
  sqlite3_value *value =
      column == UINT32_MAX || !note->values ? NULL : note->values[column];
  const int64_t key = value && sqlite3_value_type(value) == SQLITE_INTEGER
                          ? sqlite3_value_int64(value)
                          : -1;
  return key < 0 ? -1 : key;
}

static int tell_note(struct sqlite_own_session *s,
                     const struct sqlite_note *note,
                     struct instrument_answer *answer) {
  struct version_change change = {.kind = note->kind,
                                  .key = key_for_people(s, note)};
  int rc = SQLITE_OK;
  if (note->kind != 'I')
    rc = take_version(s, key_before(s, note), &change.before);
  if (rc == SQLITE_OK && note->kind != 'D') {
    change.after = next_version(s, note->table);
    rc = put_version(s, key_after(s, note), &change.after);
    if (!s->own->all[note->table].computed)
      change.image = quote_values(s, note->values, NULL,
                                  s->own->tables->all[note->table].ncolumns);
  }
  ARRAY_RESERVE(answer->changes, answer->nchanges, answer->changes_room);
  answer->changes[answer->nchanges++] = change;
  return rc;
}

int sqlite_own_note(struct sqlite_own_session *s, bool could_change,
                    struct instrument_answer *answer) {
  int rc = SQLITE_OK;
  if (could_change)
    s->changes = sqlite3_changes(s->db);
  const int before = sqlite3_total_changes(s->db);
  for (uint32_t i = 0; i < s->nnotes && rc == SQLITE_OK; i++)
    rc = tell_note(s, &s->notes[i], answer);
  s->all = sqlite3_total_changes(s->db);
  s->extra += s->all - before;
  sqlite_own_forget(s);
  return rc;
}

int sqlite_own_changes(const struct sqlite_own_session *s) {
  return s->changes;
}

// ---- Connections

// SQL's functions changes() and total_changes(), without what notes change.
// Within a statement, a trigger may have changed something since the notes.
static void tell_changes(sqlite3_context *context, int n,
                         sqlite3_value **values) {
  const struct sqlite_own_session *s = sqlite3_user_data(context);
  (void)n, (void)values;
  sqlite3_result_int(context, sqlite3_total_changes(s->db) == s->all
                                  ? s->changes
                                  : sqlite3_changes(s->db));
}

static void tell_all_changes(sqlite3_context *context, int n,
                             sqlite3_value **values) {
  const struct sqlite_own_session *s = sqlite3_user_data(context);
  (void)n, (void)values;
  sqlite3_result_int(context, sqlite3_total_changes(s->db) - s->extra);
}

static bool prepare_own(struct sqlite_own_session *s) {
  const int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS;
  bool failed = sqlite3_exec(s->db, s->own->pragmas, NULL, NULL, NULL) ||
                sqlite3_create_function(s->db, "changes", 0, flags, s,
                                        tell_changes, NULL, NULL) ||
                sqlite3_create_function(s->db, "total_changes", 0, flags, s,
                                        tell_all_changes, NULL, NULL);
  for (int i = 0; i < OWN_STATEMENTS && !failed; i++)
    failed =
        sqlite3_prepare_v3(s->db, own_sql[i], -1, SQLITE_PREPARE_PERSISTENT,
                           &s->statements[i], NULL) != SQLITE_OK;
  sqlite3_preupdate_hook(s->db, note_row, s);
  return !failed;
}

int sqlite_own_open(struct sqlite_session *session, sqlite3 *db,
                    struct error *error) {
  const struct sqlite_database *database =
      sqlite_database_of(session->base.target);
  struct sqlite_own_session *s = xcalloc(1, sizeof *s);
  *s = (struct sqlite_own_session){
      .db = db, .own = database->own, .number = session->base.session};
  session->own = s;
  return prepare_own(s) ? 0
                        : sqlite_say(error, database, db, "cannot be opened");
}

void sqlite_own_close(struct sqlite_own_session *s) {
  if (!s)
    return;
  sqlite3_preupdate_hook(s->db, NULL, NULL);
  sqlite_own_forget(s);
  for (int i = 0; i < OWN_STATEMENTS; i++)
    sqlite3_finalize(s->statements[i]);
  free(s->notes);
  free(s);
}

// ---- What the tables hold

static void add_version(struct instrument_tables *found, uint32_t t,
                        sqlite3_stmt *row, bool computed) {
  char *image;
  size_t bytes;
  FILE *out = text_stream(&image, &bytes);
  const int columns = sqlite3_column_count(row);
  for (int i = 3; i < columns; i++)
    fprintf(out, "%s%s", i > 3 ? "," : "",
            (const char *)sqlite3_column_text(row, i));
  fclose(out);
  ARRAY_RESERVE(found->first, found->nfirst, found->first_room);
  struct version_change *change = &found->first[found->nfirst++];
  *change = (struct version_change){
      .kind = 'I',
      .after = {.table = t,
                .writer = (uint64_t)sqlite3_column_int64(row, 0),
                .place = (uint64_t)sqlite3_column_int64(row, 1)},
      .key = sqlite3_column_int64(row, 2),
      .image = computed ? NULL : image};
  if (computed)
    free(image);
}

// A key that is no whole number, or below 0, tells people nothing.
static char *select_of_versions(const struct sqlite_own_table *own,
                                const struct instrument_table *table,
                                uint32_t t) {
  char *sql;
  size_t bytes;
  FILE *out = text_stream(&sql, &bytes);
  fputs("SELECT v.writer, v.place, ", out);
  for (uint32_t i = 0; i <= table->ncolumns; i++) {
    const bool key = !i && own->key != UINT32_MAX;
    char *name = i || key
                     ? sqlite3_mprintf("isostress_row.\"%w\"",
                                       table->columns[key ? own->key : i - 1])
                     : NULL;
    if (i)
      fprintf(out, ", " SQLITE_LITERAL("%s"), name, name, name, name);
    else if (key)
      fprintf(out,
              "CASE WHEN typeof(%s) = 'integer' AND %s >= 0 THEN %s ELSE "
              "-1 END",
              name, name, name);
    else
      fputs("-1", out);
    sqlite3_free(name);
  }
  fprintf(out,
          " FROM main.%s AS isostress_row LEFT JOIN main.isostress_version AS "
          "v ON v.t = %u AND v.k = ",
          own->quoted, t);
  sqlite_put_key(out, own, table, "isostress_row", 13);
  fclose(out);
  return sql;
}

int sqlite_read_versions(struct target *base,
                         const struct instrument_tables *tables,
                         struct instrument_tables *found, struct error *error) {
  const struct sqlite_database *database = sqlite_database_of(base);
  sqlite3 *db;
  if (sqlite_database_open(database, 0, &db, error))
    return -1;
  int failed = 0;
  for (uint32_t t = 0; t < tables->n && !failed; t++) {
    const struct sqlite_own_table *own = &database->own->all[t];
    char *sql = select_of_versions(own, &tables->all[t], t);
    sqlite3_stmt *row = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &row, NULL);
    while (row && (rc = sqlite3_step(row)) == SQLITE_ROW)
      add_version(found, t, row, own->computed);
    failed = rc == SQLITE_DONE
                 ? 0
                 : sqlite_say(error, database, db, "cannot be read");
    sqlite3_finalize(row);
    free(sql);
  }
  sqlite_database_close(db);
  return failed;
}

// No block of a function fails without its statement.
static int find_none_undone(struct target *target, const uint64_t *writers,
                            uint32_t n, bool *undone, struct error *error) {
  (void)target, (void)writers, (void)error;
  memset(undone, 0, n * sizeof *undone);
  return 0;
}

// Versions are written behind a statement, so a session that reads uncommitted
// would see them too late.
const struct instrument sqlite_instrument = {
    .dialect = &sql_dialect_sqlite,
    .not_at = "read uncommitted",
    .setup = sqlite_own_setup,
    .choose = sqlite_choose_way,
    .execute = sqlite_execute_own,
    .read_tables = sqlite_read_versions,
    .rank = sqlite_rank,
    .find_undone = find_none_undone,
};
