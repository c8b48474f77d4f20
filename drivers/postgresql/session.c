// SPDX-License-Identifier: GPL-3.0-or-later
// Statements that are sent to PostgreSQL, and their answers
// (drivers/postgresql/session.h).  libpq's blocking calls wait for ever, so
// answers are awaited here.
#include "config.h"

#include "drivers/postgresql/session.h"

#include "base/memory.h"
#include "drivers/postgresql/codes.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// From the catalogue pg_type.
#define INT8OID 20

// ---- Words

int postgresql_say(struct error *error, PGconn *pg, const PGresult *result,
                   const char *what) {
  const char *primary =
      result ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
  const char *code =
      result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
  char words[300];
  error_one_line(words, sizeof words, primary ? primary : PQerrorMessage(pg));
  return error_set(error, "PostgreSQL at %s:%s: %s: %s%s%s%s", PQhost(pg),
                   PQport(pg), what, words, code ? " (" : "", code ? code : "",
                   code ? ")" : "");
}

// ---- Sending

void postgresql_name(const struct postgresql_session *session,
                     enum postgresql_statement statement,
                     const struct sql_cell *cell,
                     char name[POSTGRESQL_NAME_ROOM]) {
  // Made for each statement, and printf takes its time.  The last digit comes
  // first, which is no less unique.
  ptrdiff_t number =
      postgresql_is_prepared(session, statement, cell) - session->prepared;
  *name++ = 's';
  do
    *name++ = (char)('0' + number % 10);
  while (number /= 10);
  *name = '\0';
}

bool *postgresql_is_prepared(const struct postgresql_session *session,
                             enum postgresql_statement statement,
                             const struct sql_cell *cell) {
  return &session->prepared[sql_statement_number(
      &postgresql_of(session->base.target)->shape, statement, cell)];
}

enum postgresql_statement postgresql_put(const struct postgresql_target *target,
                                         uint64_t key) {
  return target->shape.write != WRITE_UPSERT && key < target->preloaded
             ? POSTGRESQL_UPDATE
             : POSTGRESQL_UPSERT;
}

enum postgresql_statement postgresql_cas(uint64_t expected) {
  return expected == VALUE_INITIAL ? POSTGRESQL_REPLACE_INITIAL
                                   : POSTGRESQL_REPLACE_VALUE;
}

enum { MOST_VALUES = 3 };
static const Oid value_types[MOST_VALUES] = {INT8OID, INT8OID, INT8OID};
static const int value_lengths[MOST_VALUES] = {8, 8, 8};
static const int value_formats[MOST_VALUES] = {1, 1, 1};

static void encode_numbers(int nvalues, const uint64_t *values,
                           uint64_t *encoded, const char **pointers) {
  assert(nvalues <= MOST_VALUES);
  for (int i = 0; i < nvalues; i++) {
    encoded[i] = htobe64(values[i]);
    pointers[i] = (const char *)&encoded[i];
  }
}

bool postgresql_send(struct postgresql_session *session, const char *name,
                     int nvalues, const uint64_t *values) {
  uint64_t encoded[MOST_VALUES];
  const char *pointers[MOST_VALUES];
  encode_numbers(nvalues, values, encoded, pointers);
  return PQsendQueryPrepared(session->pg, name, nvalues, pointers,
                             value_lengths, value_formats, 1);
}

bool postgresql_send_unnamed(struct postgresql_session *session,
                             enum postgresql_statement statement,
                             const struct sql_cell *cell,
                             const uint64_t *values) {
  const struct postgresql_target *target = postgresql_of(session->base.target);
  const int nvalues = postgresql_nparameters(statement);
  uint64_t encoded[MOST_VALUES];
  const char *pointers[MOST_VALUES];
  encode_numbers(nvalues, values, encoded, pointers);
  char *text =
      postgresql_text(&target->shape, statement, cell->table, cell->column);
  const bool sent =
      PQsendQueryParams(session->pg, text, nvalues, value_types, pointers,
                        value_lengths, value_formats, 1);
  free(text);
  return sent;
}

// A pooler hides which process of the server has the transaction.  The session
// therefore gives the process a name; unlike a query, SET takes no snapshot.
enum { PROCESS_NAME_ROOM = 48 };
static void name_of_process(const struct connection *session,
                            char name[PROCESS_NAME_ROOM]) {
  snprintf(name, PROCESS_NAME_ROOM, "isostress %ld.%u", (long)getpid(),
           session->session);
}

bool postgresql_send_begin_unnamed(struct postgresql_session *session,
                                   const struct driver_level *level) {
  char settings[POSTGRESQL_SETTINGS_ROOM], name[PROCESS_NAME_ROOM];
  char text[POSTGRESQL_SETTINGS_ROOM + PROCESS_NAME_ROOM + 100];
  postgresql_settings(postgresql_of(session->base.target), "LOCAL ", settings);
  name_of_process(&session->base, name);
  snprintf(text, sizeof text,
           "BEGIN ISOLATION LEVEL %s; SET LOCAL application_name = '%s'; %s",
           level->name, name, settings);
  return PQsendQuery(session->pg, text);
}

bool postgresql_send_prepare(struct postgresql_session *session,
                             enum postgresql_statement statement,
                             const struct sql_cell *cell) {
  const struct postgresql_target *target = postgresql_of(session->base.target);
  char name[POSTGRESQL_NAME_ROOM];
  postgresql_name(session, statement, cell, name);
  char *text =
      postgresql_text(&target->shape, statement, cell->table, cell->column);
  const bool sent = PQsendPrepare(
      session->pg, name, text, postgresql_nparameters(statement), value_types);
  free(text);
  return sent;
}

bool postgresql_send_prepare_begin(struct postgresql_session *session,
                                   const struct driver_level *level) {
  char name[POSTGRESQL_NAME_ROOM], text[64];
  snprintf(name, sizeof name, "b%d", (int)(level - postgresql_levels));
  snprintf(text, sizeof text, "BEGIN ISOLATION LEVEL %s", level->name);
  return PQsendPrepare(session->pg, name, text, 0, NULL);
}

// ---- Answers

// After this the connection is of no use any more.
static bool kept_silent(struct postgresql_session *session, int timeout) {
  snprintf(session->last_code, sizeof session->last_code, POSTGRESQL_NO_CODE);
  snprintf(session->last_words, sizeof session->last_words,
           "no answer for %d s", timeout / 1000);
  session->base.broken = true;
  return false;
}

// Takes in what has come, or waits for it; false if the connection is of no use
// any more.
static bool take_in(struct postgresql_session *session) {
  const int timeout = postgresql_of(session->base.target)->timeout;
  errno = 0;
  if (!PQconsumeInput(session->pg))
    return false;
  return errno != EAGAIN && errno != EWOULDBLOCK
             ? true
             : kept_silent(session, timeout);
}

static bool poll_and_take_in(struct postgresql_session *session,
                             bool unflushed) {
  const int timeout = postgresql_of(session->base.target)->timeout;
  struct pollfd poll_on = {.fd = PQsocket(session->pg),
                           .events = POLLIN | (unflushed ? POLLOUT : 0)};
  const int ready = poll(&poll_on, 1, timeout);
  if (!ready)
    return kept_silent(session, timeout);
  return ready < 0 || !(poll_on.revents & ~POLLOUT) ||
         PQconsumeInput(session->pg);
}

bool postgresql_await(struct postgresql_session *session) {
  PGconn *pg = session->pg;
  while (!session->base.broken) {
    const int unflushed = PQflush(pg);
    if (unflushed < 0)
      return false;
    if (!unflushed && !PQisBusy(pg))
      return true;
    if (PQsocket(pg) < 0 ||
        !(session->blocking ? take_in(session)
                            : poll_and_take_in(session, unflushed)))
      return false;
  }
  return false;
}

bool postgresql_succeeded(const PGresult *result) {
  const ExecStatusType status = PQresultStatus(result);
  return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

// A lost connection may still hold the server's reason as a result, which
// PQgetResult then gives out without waiting.
PGresult *postgresql_answer(struct postgresql_session *session) {
  PGresult *answer = NULL, *result;
  for (;;) {
    postgresql_await(session);
    if (session->base.broken || !(result = PQgetResult(session->pg)))
      return answer;
    if (answer && !postgresql_succeeded(answer)) {
      PQclear(result);
    } else {
      PQclear(answer);
      answer = result;
    }
    if (PQstatus(session->pg) == CONNECTION_BAD)
      return answer;
  }
}

// ---- Failures

static void note_postgresql_loss(struct postgresql_session *session) {
  struct connection *base = &session->base;
  base->cause = CAUSE_CONNECTION;
  base->broken = true;
  snprintf(base->code, sizeof base->code, "%s",
           *session->last_code ? session->last_code : POSTGRESQL_NO_CODE);
  if (*session->last_code)
    snprintf(base->text, sizeof base->text, "%s", session->last_words);
  else
    snprintf(base->text, sizeof base->text, "%.*s",
             (int)strcspn(PQerrorMessage(session->pg), "\n"),
             PQerrorMessage(session->pg));
}

bool postgresql_is_fatal(const PGresult *result) {
  const char *severity =
      PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  return severity && (!strcmp(severity, "FATAL") || !strcmp(severity, "PANIC"));
}

enum outcome postgresql_failed(struct postgresql_session *session,
                               PGresult *result, bool from_commit) {
  struct connection *base = &session->base;
  const char *sqlstate =
      result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
  enum outcome outcome = from_commit ? OUTCOME_UNKNOWN : OUTCOME_ABORTED;
  if (!sqlstate) {
    note_postgresql_loss(session);
  } else {
    const struct postgresql_code *code = postgresql_code(sqlstate);
    const char *words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    if (from_commit)
      outcome = code->from_commit;
    const bool fatal = postgresql_is_fatal(result);
    base->cause =
        fatal && code->cause == CAUSE_OTHER ? CAUSE_CONNECTION : code->cause;
    base->broken |= fatal || PQstatus(session->pg) == CONNECTION_BAD;
    snprintf(base->code, sizeof base->code, "%s", sqlstate);
    error_one_line(base->text, sizeof base->text, words ? words : "");
  }
  PQclear(result);
  return outcome;
}

enum outcome postgresql_refused(struct postgresql_session *session,
                                enum outcome outcome, const char *code,
                                const char *format, ...) {
  struct connection *base = &session->base;
  va_list list;
  base->cause = CAUSE_OTHER;
  snprintf(base->code, sizeof base->code, "%s", code);
  va_start(list, format);
  vsnprintf(base->text, sizeof base->text, format, list);
  va_end(list);
  return outcome;
}

// ---- COMMIT

void postgresql_expect_commit(struct postgresql_session *session) {
  session->wait_cancelled = false;
}

// COMMIT of a transaction that has failed is answered with ROLLBACK, and no
// error.  If somebody cancels the wait for a synchronous standby, COMMIT is
// answered with COMMIT and a warning: the transaction is visible here, and is
// lost if a standby that did not receive it becomes the primary.  The server
// has not given its promise, so that the outcome is unknown.
enum outcome postgresql_take_commit(struct postgresql_session *session,
                                    const PGresult *result) {
  if (strcmp(PQcmdStatus((PGresult *)(uintptr_t)result), "COMMIT"))
    return postgresql_refused(session, OUTCOME_ABORTED, "ROLLBACK",
                              "the server answered COMMIT with ROLLBACK");
  if (session->wait_cancelled &&
      !postgresql_of(session->base.target)->cancelled_is_ok)
    return postgresql_refused(session, OUTCOME_UNKNOWN, "01000",
                              "COMMIT did not wait for a synchronous standby "
                              "to the end: the wait was cancelled");
  return OUTCOME_OK;
}

// ---- Values

static uint64_t read_64(const char *bytes) {
  uint64_t value;
  memcpy(&value, bytes, sizeof value);
  return be64toh(value);
}

static uint32_t read_32(const char *bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof value);
  return be32toh(value);
}

uint64_t postgresql_value(const PGresult *result) {
  if (!PQntuples(result) || PQgetlength(result, 0, 0) != 8)
    return VALUE_INITIAL;
  return read_64(PQgetvalue(result, 0, 0));
}

// An array in binary: number of dimensions, flags, type; length and lower bound
// of each dimension; length and bytes of each element.
void postgresql_list(const PGresult *result, struct value_list *list) {
  if (!PQntuples(result) || PQgetlength(result, 0, 0) < 20)
    return;
  const char *bytes = PQgetvalue(result, 0, 0);
  const char *end = bytes + PQgetlength(result, 0, 0);
  uint32_t count = read_32(bytes + 12);
  for (bytes += 20; count-- && end - bytes >= 12; bytes += 12)
    value_list_push(list, read_64(bytes + 4));
}

bool postgresql_wrote(const PGresult *result) {
  return !strcmp(PQcmdTuples((PGresult *)(uintptr_t)result), "1");
}

// A row that setup has made can only be missing if the database lost it.
enum outcome postgresql_check_write(struct postgresql_session *session,
                                    const PGresult *result,
                                    enum outcome failure, uint64_t key,
                                    uint64_t value) {
  if (!postgresql_wrote(result))
    return postgresql_refused(session, failure, "no row",
                              "the row of key %llu is gone",
                              (unsigned long long)key);
  if (PQntuples(result) && postgresql_value(result) != value)
    return postgresql_refused(session, failure, "RETURNING",
                              "what was returned for key %llu is not what was "
                              "written",
                              (unsigned long long)key);
  return OUTCOME_OK;
}

// ---- Waiting for others

int postgresql_waits(struct connection *connection,
                     const struct connection *other) {
  struct postgresql_session *session = postgresql_session_of(connection);
  char query[PROCESS_NAME_ROOM + 120], name[PROCESS_NAME_ROOM];
  name_of_process(other, name);
  if (postgresql_of(connection->target)->pooled)
    snprintf(query, sizeof query,
             "SELECT cardinality(pg_blocking_pids(pid)) > 0 "
             "FROM pg_stat_activity WHERE application_name = '%s'",
             name);
  else
    snprintf(query, sizeof query,
             "SELECT cardinality(pg_blocking_pids(%d)) > 0",
             PQbackendPID(((const struct postgresql_session *)other)->pg));
  PGresult *result = !postgresql_of(connection->target)->pipeline &&
                             PQsendQuery(session->pg, query)
                         ? postgresql_answer(session)
                         : NULL;
  int waits = -1;
  if (PQresultStatus(result) == PGRES_TUPLES_OK && PQntuples(result) == 1)
    waits = PQgetvalue(result, 0, 0)[0] == 't';
  PQclear(result);
  return waits;
}
