// SPDX-License-Identifier: GPL-3.0-or-later
// Connections to MariaDB and MySQL (drivers/mysql/session.h): statements are
// prepared once per session and speak the binary protocol.
#include "config.h"

#include "drivers/mysql/session.h"

#include "base/memory.h"
#include "drivers/mysql/codes.h"
#include "drivers/mysql/instrument.h"
#include "drivers/mysql/rows.h"

#include <assert.h>
#include <endian.h>
#include <errmsg.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Words

void mysqldb_name_server(const struct mysqldb_target *target, char *name,
                         size_t room) {
  const struct authority_host *host = target->authority.hosts;
  char *text = !target->socket && host->name && host->port
                   ? authority_host_text(host)
                   : NULL;
  snprintf(name, room, "%s at %s", target->product,
           target->socket ? target->socket
           : text         ? text
           : host->name   ? host->name
                          : "localhost");
  free(text);
}

// The library says "(115)", that is, operation in progress, when a connection
// is refused; and that it lost a connection, where nobody has greeted it.
static void copy_reason(char *words, size_t room,
                        const struct mysqldb_target *target, MYSQL *mysql) {
  const unsigned number = mysql_errno(mysql);
  if (number == CR_SERVER_LOST &&
      strstr(mysql_error(mysql), "initial communication packet"))
    snprintf(words, room, "no greeting of a %s server came", target->product);
  else if ((number == CR_CONNECTION_ERROR || number == CR_CONN_HOST_ERROR) &&
           strstr(mysql_error(mysql), "(115)"))
    snprintf(words, room, "the connection was refused");
  else
    error_one_line(words, room, mysql_error(mysql));
}

int mysqldb_say(struct error *error, const struct mysqldb_target *target,
                MYSQL *mysql, const char *what) {
  char server[MYSQLDB_NAME_ROOM], words[300];
  mysqldb_name_server(target, server, sizeof server);
  copy_reason(words, sizeof words, target, mysql);
  return error_set(error, "%s: %s: %s (%u)", server, what, words,
                   mysql_errno(mysql));
}

// ---- Failures

enum outcome mysqldb_failed(struct mysqldb_session *session, unsigned number,
                            const char *words, bool from_commit) {
  struct connection *base = &session->base;
  const struct mysqldb_code *code = mysqldb_code(number);
  base->cause = code->cause;
  base->broken |= code->lost;
  session->failed = true;
  snprintf(base->code, sizeof base->code, "%u", number);
  error_one_line(base->text, sizeof base->text, words);
  return from_commit ? code->from_commit : OUTCOME_ABORTED;
}

enum outcome mysqldb_refused(struct mysqldb_session *session,
                             enum outcome outcome, const char *code,
                             const char *format, ...) {
  struct connection *base = &session->base;
  va_list list;
  base->cause = CAUSE_OTHER;
  session->failed = true;
  snprintf(base->code, sizeof base->code, "%s", code);
  va_start(list, format);
  vsnprintf(base->text, sizeof base->text, format, list);
  va_end(list);
  return outcome;
}

// The library notes failures while rows are fetched only at the connection.
static enum outcome statement_failed(struct mysqldb_session *session,
                                     MYSQL_STMT *stmt) {
  const unsigned number = mysql_stmt_errno(stmt);
  MYSQL *mysql = session->mysql;
  return mysqldb_failed(session, number ? number : mysql_errno(mysql),
                        number ? mysql_stmt_error(stmt) : mysql_error(mysql),
                        false);
}

// ---- Statements

static void bind_parameters(struct mysqldb_session *session, MYSQL_STMT *stmt,
                            const char *parameters) {
  MYSQL_BIND binds[4];
  memset(binds, 0, sizeof binds);
  assert(strlen(parameters) == mysql_stmt_param_count(stmt));
  for (size_t i = 0; parameters[i]; i++) {
    binds[i].buffer_type = MYSQL_TYPE_LONGLONG;
    if (parameters[i] == 'r')
      binds[i].buffer = &session->row;
    else if (parameters[i] == 'v')
      binds[i].buffer = &session->value;
    else if (parameters[i] == 'e')
      binds[i].buffer = &session->expected;
    else {
      binds[i].buffer_type = MYSQL_TYPE_BLOB;
      binds[i].buffer = session->element;
      binds[i].buffer_length = sizeof session->element;
    }
  }
  mysql_stmt_bind_param(stmt, binds);
}

// A list's length is not known beforehand, so its bytes are fetched in a
// second step.
static void bind_result(struct mysqldb_session *session, MYSQL_STMT *stmt) {
  MYSQL_RES *columns = mysql_stmt_result_metadata(stmt);
  if (!columns)
    return;
  const bool list =
      mysql_fetch_field_direct(columns, 0)->type != MYSQL_TYPE_LONGLONG;
  mysql_free_result(columns);
  MYSQL_BIND bind = {
      .buffer_type = list ? MYSQL_TYPE_BLOB : MYSQL_TYPE_LONGLONG,
      .buffer = list ? (void *)session->element : &session->result,
      .length = &session->length,
      .is_null = &session->is_null,
  };
  mysql_stmt_bind_result(stmt, &bind);
}

static MYSQL_STMT *prepare_mysql_statement(struct mysqldb_session *session,
                                           enum mysqldb_statement statement,
                                           const struct sql_cell *cell) {
  const struct sql_shape *shape = &mysqldb_of(session->base.target)->shape;
  MYSQL_STMT *stmt = mysql_stmt_init(session->mysql);
  if (!stmt)
    out_of_memory(0);
  char *text = mysqldb_text(shape, statement, cell->table, cell->column);
  const bool failed = mysql_stmt_prepare(stmt, text, strlen(text));
  free(text);
  if (failed) {
    statement_failed(session, stmt);
    mysql_stmt_close(stmt);
    return NULL;
  }
  bind_parameters(session, stmt, mysqldb_parameters(shape, statement));
  bind_result(session, stmt);
  return stmt;
}

MYSQL_STMT *mysqldb_execute(struct mysqldb_session *session,
                            enum mysqldb_statement statement, uint64_t key,
                            uint64_t value, uint64_t expected) {
  const struct sql_shape *shape = &mysqldb_of(session->base.target)->shape;
  const struct sql_cell cell = sql_cell(shape, key);
  // The server may have rolled back, and would take this for a transaction of
  // its own.
  if (session->failed || session->base.broken) {
    mysqldb_refused(session, OUTCOME_ABORTED, "failed",
                    "the transaction had failed before");
    return NULL;
  }
  MYSQL_STMT **stmt =
      &session->prepared[sql_statement_number(shape, statement, &cell)];
  if (!*stmt && !(*stmt = prepare_mysql_statement(session, statement, &cell)))
    return NULL;
  const uint64_t encoded = htobe64(value);
  memcpy(session->element, &encoded, sizeof encoded);
  session->row = cell.row;
  session->value = value;
  session->expected = expected;
  if (!mysql_stmt_execute(*stmt))
    return *stmt;
  statement_failed(session, *stmt);
  return NULL;
}

static bool fetch_list(struct mysqldb_session *session, MYSQL_STMT *stmt) {
  if (session->length > session->room) {
    session->room = session->length * 2;
    session->bytes = xrealloc(session->bytes, session->room, 1);
  }
  MYSQL_BIND bind = {.buffer_type = MYSQL_TYPE_BLOB,
                     .buffer = session->bytes,
                     .buffer_length = session->length,
                     .length = &session->length};
  return !session->length || !mysql_stmt_fetch_column(stmt, &bind, 0, 0);
}

enum outcome mysqldb_fetch(struct mysqldb_session *session, MYSQL_STMT *stmt) {
  session->result = VALUE_INITIAL;
  session->length = 0;
  session->is_null = 0;
  int status = mysql_stmt_fetch(stmt);
  if (status == MYSQL_NO_DATA) {
    session->length = 0;
  } else if (status != 1) {
    if (session->is_null)
      session->length = 0;
    if (stmt->fields->type != MYSQL_TYPE_LONGLONG && !fetch_list(session, stmt))
      status = 1;
    else // the end of the rows
      status = mysql_stmt_fetch(stmt);
  }
  const enum outcome outcome =
      status == 1 ? statement_failed(session, stmt) : OUTCOME_OK;
  mysql_stmt_free_result(stmt);
  return outcome == OUTCOME_OK ? mysqldb_stay(session, false) : outcome;
}

bool mysqldb_ask(struct mysqldb_session *session, const char *sql) {
  return !mysql_real_query(session->mysql, sql, strlen(sql));
}

bool mysqldb_set_level(struct mysqldb_session *session,
                       const struct driver_level *level) {
  char text[80];
  if (session->level == level)
    return true;
  snprintf(text, sizeof text, "SET SESSION TRANSACTION ISOLATION LEVEL %s",
           level->name);
  if (!mysqldb_ask(session, text))
    return false;
  session->level = level;
  struct mysqldb_instrument *own = mysqldb_of(session->base.target)->own;
  if (own && level->claimed >= ISOLATION_SER)
    atomic_store(&own->reads_lock, true);
  return true;
}

bool mysqldb_in_transaction(const struct mysqldb_session *session) {
  return session->mysql->server_status & SERVER_STATUS_IN_TRANS;
}

enum outcome mysqldb_stay(struct mysqldb_session *session, bool wrote) {
  return mysqldb_in_transaction(session)
             ? OUTCOME_OK
             : mysqldb_refused(
                   session, wrote ? OUTCOME_UNKNOWN : OUTCOME_ABORTED, "left",
                   "the server had left the transaction after a "
                   "statement");
}

enum mysqldb_statement mysqldb_put(const struct mysqldb_target *target,
                                   uint64_t key) {
  return target->shape.write == MYSQLDB_WRITE_UPDATE && key < target->preloaded
             ? MYSQLDB_UPDATE
             : MYSQLDB_UPSERT;
}

// ---- Connections

static void set_mysql_tls(const struct mysqldb_target *target, MYSQL *mysql) {
  const my_bool yes = 1;
  const struct {
    enum mysql_option option;
    const char *value;
  } files[] = {{MYSQL_OPT_SSL_CA, target->tls_ca},
               {MYSQL_OPT_SSL_CAPATH, target->tls_capath},
               {MYSQL_OPT_SSL_CERT, target->tls_cert},
               {MYSQL_OPT_SSL_KEY, target->tls_key}};
  if (target->tls >= MYSQLDB_TLS_PREFERRED)
    mysql_ssl_set(mysql, NULL, NULL, NULL, NULL, NULL);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (files[i].value)
      mysql_optionsv(mysql, files[i].option, files[i].value);
  if (target->tls >= MYSQLDB_TLS_REQUIRED)
    mysql_optionsv(mysql, MYSQL_OPT_SSL_ENFORCE, &yes);
  if (target->tls == MYSQLDB_TLS_VERIFY)
    mysql_optionsv(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &yes);
}

// The client's option files are read for the groups [client] and [isostress];
// what the URI says goes before them.
static void set_options(const struct mysqldb_target *target, MYSQL *mysql) {
  const unsigned connect_timeout = 10, none = 0;
  const unsigned protocol =
      target->socket ? MYSQL_PROTOCOL_SOCKET : MYSQL_PROTOCOL_TCP;
  mysql_optionsv(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &connect_timeout);
  mysql_optionsv(mysql, MYSQL_OPT_LOCAL_INFILE, &none);
  mysql_optionsv(mysql, MYSQL_OPT_CONNECT_ATTR_ADD, "program_name",
                 "isostress");
  if (target->timeout) {
    mysql_optionsv(mysql, MYSQL_OPT_READ_TIMEOUT, &target->timeout);
    mysql_optionsv(mysql, MYSQL_OPT_WRITE_TIMEOUT, &target->timeout);
  }
  if (target->socket || target->authority.hosts->port)
    mysql_optionsv(mysql, MYSQL_OPT_PROTOCOL, &protocol);
  if (target->defaults_file)
    mysql_optionsv(mysql, MYSQL_READ_DEFAULT_FILE, target->defaults_file);
  mysql_optionsv(mysql, MYSQL_READ_DEFAULT_GROUP, "isostress");
  set_mysql_tls(target, mysql);
}

// Strictness and autocommit are what the statements here rely on.
static bool set_up_mysql_connection(const struct mysqldb_target *target,
                                    MYSQL *mysql) {
  char text[400] = "SET SESSION autocommit = 1, SESSION sql_mode ="
                   " 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'";
  size_t used = strlen(text);
  if (target->lock_timeout >= 0)
    used += (size_t)snprintf(text + used, sizeof text - used,
                             ", SESSION innodb_lock_wait_timeout = %lld",
                             (long long)target->lock_timeout);
  if (target->snapshot_isolation >= 0)
    used += (size_t)snprintf(text + used, sizeof text - used,
                             ", SESSION innodb_snapshot_isolation = %d",
                             target->snapshot_isolation);
  if (target->statement_timeout && mariadb_connection(mysql))
    snprintf(text + used, sizeof text - used,
             ", SESSION max_statement_time = %.3f",
             target->statement_timeout / 1000.0);
  else if (target->statement_timeout)
    snprintf(text + used, sizeof text - used,
             ", SESSION max_execution_time = %u", target->statement_timeout);
  return !mysql_real_query(mysql, text, strlen(text));
}

// Without a certificate to verify, the library takes a plain connection for an
// encrypted one that the server lacks.
static bool is_encrypted_enough(const struct mysqldb_target *target,
                                MYSQL *mysql, struct error *error) {
  char server[MYSQLDB_NAME_ROOM];
  if (target->tls < MYSQLDB_TLS_REQUIRED || mysql_get_ssl_cipher(mysql))
    return true;
  mysqldb_name_server(target, server, sizeof server);
  error_set(error, "%s: ssl-mode demands TLS, which the server lacks", server);
  return false;
}

MYSQL *mysqldb_connect(const struct mysqldb_target *target,
                       struct error *error) {
  const struct authority *authority = &target->authority;
  const struct authority_host *host = authority->hosts;
  MYSQL *mysql = mysql_init(NULL);
  if (!mysql)
    out_of_memory(0);
  set_options(target, mysql);
  if (!mysql_real_connect(mysql, target->socket ? NULL : host->name,
                          authority->user, authority->password,
                          target->database, host->port, target->socket,
                          CLIENT_FOUND_ROWS))
    mysqldb_say(error, target, mysql, "cannot connect");
  else if (is_encrypted_enough(target, mysql, error)) {
    if (set_up_mysql_connection(target, mysql))
      return mysql;
    mysqldb_say(error, target, mysql, "cannot be set up for a session");
  }
  mysql_close(mysql);
  return NULL;
}

static size_t statements_of(const struct mysqldb_session *session) {
  const struct sql_shape *shape = &mysqldb_of(session->base.target)->shape;
  return (size_t)MYSQLDB_STATEMENTS * shape->tables * shape->columns;
}

int mysqldb_open_session(struct target *base, uint32_t number,
                         struct connection **connection, struct error *error) {
  struct mysqldb_session *session = xcalloc(1, sizeof *session);
  session->base.target = base;
  session->base.session = number;
  session->mysql = mysqldb_connect(mysqldb_of(base), error);
  session->prepared =
      xcalloc(statements_of(session), sizeof *session->prepared);
  if (!session->mysql) {
    mysqldb_close_session(&session->base);
    return -1;
  }
  *connection = &session->base;
  return 0;
}

void mysqldb_close_session(struct connection *connection) {
  struct mysqldb_session *session = mysqldb_session_of(connection);
  if (session->mysql) // which forgets its statements
    mysql_close(session->mysql);
  for (size_t i = 0; i < statements_of(session); i++)
    if (session->prepared[i])
      mysql_stmt_close(session->prepared[i]);
  mysqldb_forget_rows(session);
  free(session->prepared);
  free(session->bytes);
  free(session);
}

static const char waits_of_mariadb[] =
    "SELECT count(*) FROM information_schema.innodb_lock_waits w"
    " JOIN information_schema.innodb_trx t ON t.trx_id = w.requesting_trx_id"
    " WHERE t.trx_mysql_thread_id = %lu";
// No row where the performance schema is off and knows no thread.
static const char waits_of_mysql[] =
    "SELECT (SELECT count(*) FROM performance_schema.data_lock_waits w"
    " WHERE w.requesting_thread_id = t.thread_id)"
    " FROM performance_schema.threads t WHERE t.processlist_id = %lu";

int mysqldb_waits(struct connection *connection,
                  const struct connection *other) {
  char query[sizeof waits_of_mariadb + sizeof waits_of_mysql];
  MYSQL *mysql = mysqldb_session_of(connection)->mysql;
  const struct mysqldb_session *asked = (const struct mysqldb_session *)other;
  const unsigned long id = mysql_thread_id(asked->mysql);
  const int length = mariadb_connection(mysql)
                         ? snprintf(query, sizeof query, waits_of_mariadb, id)
                         : snprintf(query, sizeof query, waits_of_mysql, id);
  if (mysql_real_query(mysql, query, (unsigned long)length))
    return -1;
  MYSQL_RES *result = mysql_store_result(mysql);
  MYSQL_ROW row = result ? mysql_fetch_row(result) : NULL;
  const int waits = row && row[0] ? strcmp(row[0], "0") != 0 : -1;
  mysql_free_result(result);
  return waits;
}
