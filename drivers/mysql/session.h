// SPDX-License-Identifier: GPL-3.0-or-later
// The target and the connections of the mysql driver, and how statements are
// executed on them.  Names start with mysqldb, since the client library owns
// all that start with mysql.
#ifndef DRIVERS_MYSQL_SESSION_H
#define DRIVERS_MYSQL_SESSION_H

#include "drivers/authority.h"
#include "drivers/driver.h"
#include "drivers/mysql/sql.h"
#include "drivers/sql_text/sql_rows.h"

#include <mysql.h>
#include <stdbool.h>
#include <stdint.h>

enum mysqldb_tls {
  MYSQLDB_TLS_DEFAULT, // as the client's option files say
  MYSQLDB_TLS_DISABLED,
  MYSQLDB_TLS_PREFERRED,
  MYSQLDB_TLS_REQUIRED,
  MYSQLDB_TLS_VERIFY, // the certificate and that it is the host's
};

struct mysqldb_instrument;

enum mysqldb_deletes {
  MYSQLDB_DELETES_REAL,
  MYSQLDB_DELETES_SOFT,
  MYSQLDB_DELETES_ANY, // real where the server tells what it deleted
};

struct mysqldb_target {
  struct target base;
  struct authority authority; // of one host
  const char *product;        // "MySQL" or "MariaDB", as the target was written
  const char *database;       // or NULL
  char *socket, *defaults_file;                   // or NULL
  char *tls_ca, *tls_capath, *tls_cert, *tls_key; // or NULL
  enum mysqldb_tls tls;
  struct sql_shape shape;
  uint32_t statement_timeout; // ms; 0: as the server has it
  int64_t lock_timeout;       // s; -1: as the server has it
  int snapshot_isolation;     // innodb_snapshot_isolation; -1: as the server
  uint32_t timeout; // s without an answer after which the connection counts
                    // as lost; 0: never
  enum mysqldb_deletes deletes;
  const struct tables *tables;     // of rows, in place of keys; or NULL
  struct sql_rows_dialect dialect; // of these
  uint64_t preloaded;              // keys below are known to be there
  struct mysqldb_instrument *own;  // of the user's own SQL; or NULL
  MYSQL *claim; // keeps the tables from other runs after setup; or NULL
};

enum { MYSQLDB_LEVELS = 4 };
extern const struct driver_level mysqldb_levels[MYSQLDB_LEVELS + 1];
extern const struct driver_level mysqldb_plain_levels[MYSQLDB_LEVELS + 1];
extern const struct driver_level mysqldb_mixed_levels[MYSQLDB_LEVELS + 1];

struct mysqldb_session {
  struct connection base;
  MYSQL *mysql;
  const struct driver_level *level; // that the server was told last
  MYSQL_STMT **prepared;            // by statement, table and column
  struct sql_rows rows;
  bool captures; // the variable for what an UPDATE changes is an empty text
  bool failed;   // the transaction can only be rolled back any more
  bool multiple; // it takes several statements at once
  // The buffers of the statements' parameters and results.
  uint64_t row, value, expected, result;
  unsigned char element[8];
  unsigned long length; // of a list, in bytes
  my_bool is_null;
  unsigned char *bytes; // of a list
  size_t room;
};

static inline struct mysqldb_target *mysqldb_of(struct target *target) {
  return (struct mysqldb_target *)target;
}
static inline struct mysqldb_session *
mysqldb_session_of(struct connection *connection) {
  return (struct mysqldb_session *)connection;
}

// A connection that has claimed the tables, and may change them.  NULL with a
// sentence.
MYSQL *mysqldb_claim(struct mysqldb_target *target, struct error *error);
// Notes what the levels of the sessions promise.  `wide`: rows have several
// columns that are written apart.
void mysqldb_note_claims(struct mysqldb_target *target, MYSQL *mysql,
                         bool wide);
// Does another connection hold the claim on the tables of this name?  Else this
// one holds it from now on.
bool mysqldb_is_claimed(MYSQL *mysql, const char *table);

// A connection as the options ask for it; NULL with a sentence.
MYSQL *mysqldb_connect(const struct mysqldb_target *target,
                       struct error *error);

// "MySQL at HOST:PORT", or what else stands for the server in sentences.
enum { MYSQLDB_NAME_ROOM = 200 };
void mysqldb_name_server(const struct mysqldb_target *target, char *name,
                         size_t room);

// Says SERVER: WHAT: why the last call failed.  Returns -1.
int mysqldb_say(struct error *error, const struct mysqldb_target *target,
                MYSQL *mysql, const char *what);

int mysqldb_open_session(struct target *target, uint32_t number,
                         struct connection **connection, struct error *error);
void mysqldb_close_session(struct connection *connection);

// See driver->waits.  Needs PROCESS, and of MySQL the right to read
// performance_schema.
int mysqldb_waits(struct connection *connection,
                  const struct connection *other);

// The level of the next transactions; the server is told if it is another one
// than before.  False if that failed.
bool mysqldb_set_level(struct mysqldb_session *session,
                       const struct driver_level *level);

// Had the server a transaction open at its last answer that was no error?
bool mysqldb_in_transaction(const struct mysqldb_session *session);

// After a statement that succeeded.  Not OK if the server has no transaction
// open any more: Galera rolls back behind a SELECT whose rows are on their way,
// and says so by its status alone.  It would execute further statements outside
// of a transaction, as it may have done with one that wrote, which is UNKNOWN
// (drivers/driver.h).
enum outcome mysqldb_stay(struct mysqldb_session *session, bool wrote);

// The statement that writes this key.
enum mysqldb_statement mysqldb_put(const struct mysqldb_target *target,
                                   uint64_t key);

// Executes a statement that returns no rows and waits; false if it failed,
// which the caller then notes.
bool mysqldb_ask(struct mysqldb_session *session, const char *sql);

// Executes a statement about a key, preparing it the first time; NULL if it
// failed, which is then noted.  One that returns rows has to be followed by
// mysqldb_fetch.
MYSQL_STMT *mysqldb_execute(struct mysqldb_session *session,
                            enum mysqldb_statement statement, uint64_t key,
                            uint64_t value, uint64_t expected);

// Reads the row that a statement returned into session->result, or its list
// into session->bytes; without a row, they are zero and empty.
enum outcome mysqldb_fetch(struct mysqldb_session *session, MYSQL_STMT *stmt);

// Notes why the transaction failed and says what became of it; `from_commit` if
// the error was the answer to COMMIT.
enum outcome mysqldb_failed(struct mysqldb_session *session, unsigned number,
                            const char *words, bool from_commit);

// Notes a reason of our own; the connection is still fine.
enum outcome mysqldb_refused(struct mysqldb_session *session,
                             enum outcome outcome, const char *code,
                             const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
