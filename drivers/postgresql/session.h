// SPDX-License-Identifier: GPL-3.0-or-later
// PostgreSQL's target and connections, and how statements are sent and answers
// awaited on them.
#ifndef DRIVERS_POSTGRESQL_SESSION_H
#define DRIVERS_POSTGRESQL_SESSION_H

#include "drivers/driver.h"
#include "drivers/instrument.h"
#include "drivers/postgresql/sql.h"
#include "drivers/sql_text/sql_rows.h"

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

struct postgresql_target {
  struct target base;
  char **keywords, **values; // what libpq connects with; end with NULL
  struct sql_shape shape;
  uint32_t statement_timeout, lock_timeout; // ms; 0: as the server has them
  int timeout;   // ms without an answer after which the connection counts
                 // as lost; -1: never
  bool pipeline; // whole transactions are sent at once
  bool pooled;   // each transaction may get another session of the server:
                 // nothing is set or locked beyond one
  bool unnamed;  // nothing is prepared beyond one, either
  int prepare;   // asked for: 0 named, 1 unnamed, -1 to be found out
  bool cancelled_is_ok; // a COMMIT whose wait for a synchronous standby was
                        // cancelled counts as committed
  const struct tables *tables;     // of rows, in place of keys; or NULL
  struct sql_rows_dialect dialect; // of these
  uint64_t preloaded;              // keys below are known to be there
  struct postgresql_guard *guard;  // drivers/postgresql/resolve.h
  PGconn *claim; // keeps the tables from other runs after setup; or NULL
  struct postgresql_instrument *own; // of the user's own SQL; or NULL
};

enum { POSTGRESQL_LEVELS = 4 };
extern const struct driver_level postgresql_levels[POSTGRESQL_LEVELS + 1];

struct postgresql_session {
  struct connection base;
  PGconn *pg;
  bool blocking; // reading from its socket waits
  bool begin_prepared[POSTGRESQL_LEVELS];
  bool *prepared; // by statement, table and column
  struct sql_rows rows;
  enum isolation claimed; // by the level of the last transaction
  uint64_t era;           // of the guard that vouches for it; 0: none
  // The server's last words, if it sent any before it closed the connection
  // while nothing was being asked.
  char last_code[16], last_words[200];
  struct instrument_answer *notes; // takes what triggers tell; or NULL
  bool wait_cancelled;             // by a warning since the last COMMIT began
};

static inline struct postgresql_target *postgresql_of(struct target *target) {
  return (struct postgresql_target *)target;
}
static inline struct postgresql_session *
postgresql_session_of(struct connection *connection) {
  return (struct postgresql_session *)connection;
}

// Settings that every transaction needs, each "SET TERM NAME = VALUE;", where
// `term` is "LOCAL " or empty.
enum { POSTGRESQL_SETTINGS_ROOM = 320 };
void postgresql_settings(const struct postgresql_target *target,
                         const char *term, char text[POSTGRESQL_SETTINGS_ROOM]);

// Finds out whether statements have to be unnamed, unless that was said. Before
// any other connection; -1 with a sentence.
int postgresql_find_pooler(struct postgresql_target *target,
                           struct error *error);

// Claims the tables until the target is closed, and opens the connection that
// may change them; it is the one that holds the claim, or to be finished.  -1
// with a sentence.
int postgresql_claim(struct postgresql_target *target, PGconn **pg,
                     struct error *error);

// A connection as the options ask for it; NULL with a sentence.
PGconn *postgresql_connect(const struct postgresql_target *target,
                           struct error *error);

// Says HOST:PORT: WHAT: why the last call failed.  Returns -1.
int postgresql_say(struct error *error, PGconn *pg, const PGresult *result,
                   const char *what);

int postgresql_open_session(struct target *target, uint32_t number,
                            struct connection **connection,
                            struct error *error);
void postgresql_close_session(struct connection *connection);

// See driver->waits.
int postgresql_waits(struct connection *connection,
                     const struct connection *other);

// Names of prepared statements.
enum { POSTGRESQL_NAME_ROOM = 16 };
void postgresql_name(const struct postgresql_session *session,
                     enum postgresql_statement statement,
                     const struct sql_cell *cell,
                     char name[POSTGRESQL_NAME_ROOM]);
bool *postgresql_is_prepared(const struct postgresql_session *session,
                             enum postgresql_statement statement,
                             const struct sql_cell *cell);

// The statement that writes this key, or replaces this value.
enum postgresql_statement postgresql_put(const struct postgresql_target *target,
                                         uint64_t key);
enum postgresql_statement postgresql_cas(uint64_t expected);

// Sends a prepared statement with `nvalues` 64-bit parameters; rows come back
// in binary.  False if it could not even be sent.
bool postgresql_send(struct postgresql_session *session, const char *name,
                     int nvalues, const uint64_t *values);
// Sends a statement without a name, prepared for this one time.
bool postgresql_send_unnamed(struct postgresql_session *session,
                             enum postgresql_statement statement,
                             const struct sql_cell *cell,
                             const uint64_t *values);
// BEGIN at the level, with the settings for this transaction.
bool postgresql_send_begin_unnamed(struct postgresql_session *session,
                                   const struct driver_level *level);
bool postgresql_send_prepare(struct postgresql_session *session,
                             enum postgresql_statement statement,
                             const struct sql_cell *cell);
bool postgresql_send_prepare_begin(struct postgresql_session *session,
                                   const struct driver_level *level);

// The code of a loss that only this side knows of.
#define POSTGRESQL_NO_CODE "no SQLSTATE"

// Waits until PQgetResult will not block; false if the connection is lost or
// the server kept silent for too long.
bool postgresql_await(struct postgresql_session *session);

// The answer to one statement that was sent: the first error if there is any,
// else the last result; NULL if the connection is lost.  Free with PQclear.
PGresult *postgresql_answer(struct postgresql_session *session);

bool postgresql_succeeded(const PGresult *result);
// Does this error or notice end the session?
bool postgresql_is_fatal(const PGresult *result);

// Notes why the transaction failed, frees the result (which may be NULL) and
// says what became of the transaction; `from_commit` if it was the answer to
// COMMIT.
enum outcome postgresql_failed(struct postgresql_session *session,
                               PGresult *result, bool from_commit);

// Notes a reason of our own; the connection is still fine.
enum outcome postgresql_refused(struct postgresql_session *session,
                                enum outcome outcome, const char *code,
                                const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Before COMMIT is sent, so that no warning of an earlier statement counts.
void postgresql_expect_commit(struct postgresql_session *session);
// The meaning of an answer to COMMIT that is no error.
enum outcome postgresql_take_commit(struct postgresql_session *session,
                                    const PGresult *result);

// The register or the list that a statement returned, if there was a row.
uint64_t postgresql_value(const PGresult *result);
void postgresql_list(const PGresult *result, struct value_list *list);
// Did a statement write a row?
bool postgresql_wrote(const PGresult *result);

// OUTCOME_OK if a statement that cannot have missed its row wrote it and, if
// it returned something, returned the value; else this is noted, and `failure`
// is returned.
enum outcome postgresql_check_write(struct postgresql_session *session,
                                    const PGresult *result,
                                    enum outcome failure, uint64_t key,
                                    uint64_t value);

#endif
