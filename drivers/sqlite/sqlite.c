// SPDX-License-Identifier: GPL-3.0-or-later
// SQLite: a database file that every session opens for itself.  Serializable
// transactions are what SQLite always runs; read uncommitted is there only
// among connections that share one cache, so each session opens a second
// connection, in shared-cache mode, when it first begins at that level.
#include "config.h"

#include "drivers/driver.h"

#include "base/clock.h"
#include "base/memory.h"
#include "drivers/rows.h"
#include "drivers/sqlite/codes.h"
#include "drivers/sqlite/database.h"
#include "drivers/sqlite/instrument.h"
#include "drivers/sqlite/session.h"

#include <assert.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct driver sqlite_driver;

#define OPENING_MS 10000 // of patience

static const struct driver_level levels[LEVELS + 1] = {
    [SERIALIZABLE] = {"serializable", ISOLATION_SER},
    [READ_UNCOMMITTED] = {"read uncommitted", ISOLATION_NONE},
};

static const char *const sql[STATEMENTS] = {
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
    [GET] = "SELECT v FROM isostress_kv WHERE k = ?1",
    [PUT] = "INSERT INTO isostress_kv (k, v) VALUES (?1, ?2)"
            " ON CONFLICT (k) DO UPDATE SET v = excluded.v",
    [APPEND] = "INSERT INTO isostress_list (k, position, v)"
               " SELECT ?1, coalesce(max(position), 0) + 1, ?2"
               " FROM isostress_list WHERE k = ?1",
    [GET_LIST] = "SELECT v FROM isostress_list WHERE k = ?1 ORDER BY position",
    [REPLACE_VALUE] = "UPDATE isostress_kv SET v = ?2 WHERE k = ?1 AND v = ?3",
    [REPLACE_INITIAL] = "INSERT INTO isostress_kv (k, v) VALUES (?1, ?2)"
                        " ON CONFLICT (k) DO UPDATE SET v = excluded.v"
                        " WHERE v = ?3",
};

// ---- Connections

static void close_handle(struct sqlite_handle *handle) {
  for (int i = 0; i < STATEMENTS; i++)
    sqlite3_finalize(handle->statements[i]);
  for (uint32_t i = 0; i < handle->rows.nforms; i++)
    sqlite3_finalize(handle->rows.forms[i]->prepared);
  sql_rows_free(&handle->rows);
  sqlite_database_close(handle->db);
  *handle = (struct sqlite_handle){0};
}

static int prepare_sqlite_statement(const struct sqlite_database *database,
                                    struct sqlite_handle *handle,
                                    enum sqlite_level level,
                                    struct error *error) {
  char text[96], begin[24];
  snprintf(text, sizeof text,
           "PRAGMA synchronous = %s; PRAGMA read_uncommitted = %d",
           database->synchronous, level == READ_UNCOMMITTED);
  snprintf(begin, sizeof begin, "BEGIN %s", database->begin);
  if (sqlite3_exec(handle->db, text, NULL, NULL, NULL))
    return sqlite_say(error, database, handle->db, "cannot be opened");
  const int needed =
      database->tables || database->own ? FIRST_OF_KEYS : STATEMENTS;
  for (int i = 0; i < needed; i++)
    if (sqlite3_prepare_v3(handle->db, i == BEGIN ? begin : sql[i], -1,
                           SQLITE_PREPARE_PERSISTENT, &handle->statements[i],
                           NULL))
      return sqlite_say(error, database, handle->db, "cannot be used");
  return 0;
}

// SQLite calls this while a lock is held by somebody else, with the number of
// earlier calls for this lock; 0: give up.  The pauses are those of its own
// busy timeout, which would not say that it waits.
static int wait_for_lock(void *context, int calls) {
  static const uint8_t pauses[] = {1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50};
  enum { PAUSES = sizeof pauses, LONGEST_MS = 100 };
  struct sqlite_session *session = context;
  const uint32_t busy = sqlite_database_of(session->base.target)->busy;
  const uint64_t now = clock_now();
  if (!calls)
    session->asked = now;
  const uint64_t give_up = session->asked + busy * (NS_PER_SECOND / 1000);
  const uint64_t pause = calls < PAUSES ? pauses[calls] : LONGEST_MS;
  const uint64_t next = now + pause * (NS_PER_SECOND / 1000);
  if (now >= give_up)
    return 0;
  session->waits = true;
  clock_sleep_until(next < give_up ? next : give_up);
  return 1;
}

// When connections are opened at once, the first one makes what all of them
// share and the others wait for it, whatever `busy` says about transactions.
static int open_handle(struct sqlite_session *session, enum sqlite_level level,
                       struct error *error) {
  const struct sqlite_database *database =
      sqlite_database_of(session->base.target);
  struct sqlite_handle *handle = &session->handles[level];
  int cache = level == READ_UNCOMMITTED ? SQLITE_OPEN_SHAREDCACHE
                                        : SQLITE_OPEN_PRIVATECACHE;
  if (sqlite_database_open(database, cache, &handle->db, error))
    return -1;
  sqlite3_busy_timeout(handle->db, OPENING_MS);
  if (!prepare_sqlite_statement(database, handle, level, error) &&
      (level != SERIALIZABLE || !database->own ||
       !sqlite_own_open(session, handle->db, error))) {
    sqlite3_busy_handler(handle->db, wait_for_lock, session);
    return 0;
  }
  sqlite_own_close(session->own);
  session->own = NULL;
  close_handle(handle);
  return -1;
}

static void disconnect(struct connection *connection) {
  struct sqlite_session *session = sqlite_session_of(connection);
  sqlite_own_close(session->own);
  for (int i = 0; i < LEVELS; i++)
    close_handle(&session->handles[i]);
  free(session);
}

static int connect(struct target *target, uint32_t number,
                   struct connection **connection, struct error *error) {
  struct sqlite_session *session = xcalloc(1, sizeof *session);
  session->base.target = target;
  session->base.session = number;
  if (open_handle(session, SERIALIZABLE, error)) {
    disconnect(&session->base);
    return -1;
  }
  *connection = &session->base;
  return 0;
}

// ---- Transactions

// Keeps why a call failed.  The text is SQLite's and holds no secrets.
enum outcome sqlite_refused(struct sqlite_session *session, int rc) {
  struct connection *base = &session->base;
  base->cause = sqlite_cause(rc, base->code, sizeof base->code);
  base->broken |= base->cause == CAUSE_CONNECTION;
  session->collided = rc == SQLITE_BUSY;
  snprintf(base->text, sizeof base->text, "%s",
           sqlite3_errmsg(session->current->db));
  return OUTCOME_ABORTED;
}

// SQLite's busy timeout does not cover the locks within a shared cache, so they
// are waited for here.  A session that reads uncommitted holds no lock until it
// writes, and from then on it needs no other, so nobody waits in a circle.
int sqlite_first_step(struct sqlite_session *session, sqlite3_stmt *statement) {
  session->waits = false;
  int rc = sqlite3_step(statement);
  session->waits = rc == SQLITE_LOCKED_SHAREDCACHE;
  if (!session->waits)
    return rc;
  uint32_t busy = sqlite_database_of(session->base.target)->busy;
  uint64_t give_up = clock_now() + busy * (NS_PER_SECOND / 1000);
  while (rc == SQLITE_LOCKED_SHAREDCACHE && clock_now() < give_up) {
    sqlite3_reset(statement);
    clock_sleep_until(clock_now() + NS_PER_SECOND / 2000);
    rc = sqlite3_step(statement);
  }
  session->waits = false;
  return rc;
}

static int waits(struct connection *connection,
                 const struct connection *other) {
  (void)connection; // the session itself knows
  return ((const struct sqlite_session *)other)->waits;
}

// Ends a statement whose last step returned `rc`.  One that is not reset keeps
// its locks.
enum outcome sqlite_finish(struct sqlite_session *session,
                           sqlite3_stmt *statement, int rc) {
  sqlite3_reset(statement);
  if (rc == SQLITE_ROW || rc == SQLITE_DONE)
    return OUTCOME_OK;
  return sqlite_refused(session, rc);
}

static bool sqlite_in_transaction(const struct sqlite_session *session) {
  return session->current && !sqlite3_get_autocommit(session->current->db);
}

static sqlite3_stmt *statement_on(struct sqlite_session *session,
                                  enum sqlite_statement which, uint64_t key) {
  assert(sqlite_in_transaction(session));
  sqlite3_stmt *statement = session->current->statements[which];
  sqlite3_bind_int64(statement, 1, (sqlite3_int64)key);
  return statement;
}

// A statement without parameters.
static int execute(struct sqlite_session *session,
                   enum sqlite_statement which) {
  sqlite3_stmt *statement = session->current->statements[which];
  int rc = sqlite_first_step(session, statement);
  sqlite3_reset(statement);
  return rc;
}

static enum outcome could_not_open(struct sqlite_session *session,
                                   const struct error *error) {
  struct connection *base = &session->base;
  base->cause = CAUSE_CONNECTION;
  base->broken = true;
  snprintf(base->code, sizeof base->code, "SQLITE_CANTOPEN");
  snprintf(base->text, sizeof base->text, "%.*s", (int)sizeof base->text - 1,
           error->text);
  return OUTCOME_ABORTED;
}

static enum outcome begin(struct connection *connection,
                          const struct driver_level *level) {
  struct sqlite_session *session = sqlite_session_of(connection);
  assert(level >= levels && level < levels + LEVELS);
  assert(!sqlite_in_transaction(session));
  enum sqlite_level which = (enum sqlite_level)(level - levels);
  struct sqlite_handle *handle = &session->handles[which];
  struct error error;
  session->current = NULL;
  session->collided = false;
  if (!handle->db && open_handle(session, which, &error))
    return could_not_open(session, &error);
  session->current = handle;
  int rc = execute(session, BEGIN);
  return rc == SQLITE_DONE ? OUTCOME_OK : sqlite_refused(session, rc);
}

// A transaction that has read from a snapshot is not allowed to wait for the
// write lock: SQLite refuses it at once, whatever the busy timeout.  Without a
// pause, sessions would burn the processor with transactions that read and are
// refused while another one writes (50 for each that commits, among 8 sessions
// on 2 processors).  So the first millisecond of the busy timeout is spent
// here, when nothing is held any more.
static void pause_after_collision(struct sqlite_session *session) {
  if (session->collided && sqlite_database_of(session->base.target)->busy)
    clock_sleep_until(clock_now() + NS_PER_SECOND / 1000);
  session->collided = false;
}

// Some errors make SQLite roll back by itself, and then there is nothing left
// to be rolled back.
static enum outcome rollback(struct connection *connection) {
  struct sqlite_session *session = sqlite_session_of(connection);
  int rc =
      sqlite_in_transaction(session) ? execute(session, ROLLBACK) : SQLITE_DONE;
  pause_after_collision(session);
  if (rc == SQLITE_DONE)
    return OUTCOME_OK;
  connection->broken = true; // closing rolls back
  return sqlite_refused(session, rc);
}

// After a COMMIT that failed, the transaction may still be open, as when
// readers hold their locks on a rollback journal for longer than the busy
// timeout, which SQLite has already waited out: rolling back makes sure.  If
// SQLite has ended it, it was rolled back; but after an I/O error that may not
// be what the file says.  When the sync of a WAL fails, for instance, the
// commit is already in the WAL, and recovery after a crash would find it there.
static enum outcome commit(struct connection *connection) {
  struct sqlite_session *session = sqlite_session_of(connection);
  assert(sqlite_in_transaction(session));
  int rc = execute(session, COMMIT);
  if (rc == SQLITE_DONE)
    return OUTCOME_OK;
  sqlite_refused(session, rc);
  if (sqlite_in_transaction(session)) {
    connection->broken |= execute(session, ROLLBACK) != SQLITE_DONE;
    return OUTCOME_ABORTED;
  }
  if ((rc & 0xff) != SQLITE_IOERR)
    return OUTCOME_ABORTED;
  connection->broken = true;
  return OUTCOME_UNKNOWN;
}

static enum outcome get(struct connection *connection, uint64_t key,
                        uint64_t *value) {
  struct sqlite_session *session = sqlite_session_of(connection);
  sqlite3_stmt *statement = statement_on(session, GET, key);
  int rc = sqlite_first_step(session, statement);
  *value = rc == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(statement, 0)
                            : VALUE_INITIAL;
  return sqlite_finish(session, statement, rc);
}

static enum outcome write_sqlite_value(struct sqlite_session *session,
                                       enum sqlite_statement which,
                                       uint64_t key, uint64_t value) {
  sqlite3_stmt *statement = statement_on(session, which, key);
  sqlite3_bind_int64(statement, 2, (sqlite3_int64)value);
  return sqlite_finish(session, statement,
                       sqlite_first_step(session, statement));
}

static enum outcome put(struct connection *connection, uint64_t key,
                        uint64_t value) {
  return write_sqlite_value(sqlite_session_of(connection), PUT, key, value);
}

static enum outcome append(struct connection *connection, uint64_t key,
                           uint64_t value) {
  return write_sqlite_value(sqlite_session_of(connection), APPEND, key, value);
}

static enum outcome get_list(struct connection *connection, uint64_t key,
                             struct value_list *list) {
  struct sqlite_session *session = sqlite_session_of(connection);
  sqlite3_stmt *statement = statement_on(session, GET_LIST, key);
  int rc = sqlite_first_step(session, statement);
  for (; rc == SQLITE_ROW; rc = sqlite3_step(statement))
    value_list_push(list, (uint64_t)sqlite3_column_int64(statement, 0));
  return sqlite_finish(session, statement, rc);
}

// Writes first and reads only if nothing was written: the attempt to write
// takes the write lock, so that nobody comes in between, at whichever level.
static enum outcome cas(struct connection *connection, uint64_t key,
                        uint64_t expected, uint64_t value, uint64_t *found) {
  struct sqlite_session *session = sqlite_session_of(connection);
  enum sqlite_statement which =
      expected == VALUE_INITIAL ? REPLACE_INITIAL : REPLACE_VALUE;
  sqlite3_stmt *statement = session->current->statements[which];
  sqlite3_bind_int64(statement, 3, (sqlite3_int64)expected);
  *found = expected;
  enum outcome outcome = write_sqlite_value(session, which, key, value);
  if (outcome != OUTCOME_OK || sqlite3_changes(session->current->db))
    return outcome;
  return get(connection, key, found);
}

static enum outcome sql_statement(struct connection *connection,
                                  const char *text, char *rows, size_t room) {
  struct sqlite_session *session = sqlite_session_of(connection);
  sqlite3_stmt *statement;
  rows[0] = '\0';
  if (!sqlite_in_transaction(session))
    session->current = &session->handles[SERIALIZABLE];
  int rc = sqlite3_prepare_v2(session->current->db, text, -1, &statement, NULL);
  if (rc)
    return sqlite_refused(session, rc);
  for (rc = sqlite_first_step(session, statement); rc == SQLITE_ROW;
       rc = sqlite3_step(statement))
    for (int i = 0; i < sqlite3_column_count(statement); i++)
      rows_add(rows, room, i, (const char *)sqlite3_column_text(statement, i));
  const enum outcome outcome = sqlite_finish(session, statement, rc);
  sqlite3_finalize(statement);
  return outcome;
}

const struct driver sqlite_driver = {
    .abi = DRIVER_ABI,
    .name = "sqlite",
    .summary = "an SQLite database file, opened by every session",
    .example = "sqlite:/tmp/test.db",
    .options = sqlite_options,
    .levels = levels,
    .open = sqlite_target_open,
    .close = sqlite_target_close,
    .setup = sqlite_setup,
    .setup_tables = sqlite_setup_tables,
    .follow = sqlite_follow,
    .clean = sqlite_clean,
    .describe = sqlite_describe,
    .connect = connect,
    .disconnect = disconnect,
    .begin = begin,
    .commit = commit,
    .rollback = rollback,
    .get = get,
    .put = put,
    .append = append,
    .get_list = get_list,
    .cas = cas,
    .executes = SQLITE_EXECUTES,
    .execute = sqlite_execute,
    .sql = sql_statement,
    .question = sqlite_question,
    .instrument = &sqlite_instrument,
    .waits = waits,
};
