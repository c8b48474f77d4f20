// SPDX-License-Identifier: GPL-3.0-or-later
// Connections to PostgreSQL (drivers/postgresql/session.h).  libpq's blocking
// calls wait for ever, so answers are awaited here.
#include "config.h"

#include "drivers/postgresql/session.h"

#include "base/memory.h"
#include "drivers/postgresql/codes.h"
#include "drivers/postgresql/instrument.h"
#include "drivers/postgresql/resolve.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
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

// Only what went wrong, in one line, without the advice on further lines, which
// start with a tab.
static void copy_reasons(char *text, size_t room, const char *words) {
  size_t used = 0;
  *text = '\0';
  while (*words && used < room - 1) {
    const size_t length = strcspn(words, "\n");
    if (*words != '\t' && length)
      used += (size_t)snprintf(text + used, room - used, "%s%.*s",
                               used ? "; " : "", (int)length, words);
    words += length + (words[length] == '\n');
  }
}

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

// Does this end the session?
static bool is_fatal(const PGresult *result) {
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
    const bool fatal = is_fatal(result);
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

// ---- Connections

// The warning has the code of every warning, and its words depend on the
// server's language; a pooler hands both on.  The name of the function that
// raised it does not depend on the language, and has been the same since
// PostgreSQL 9.1, where synchronous replication began.
static bool tells_of_a_cancelled_wait(const PGresult *notice) {
  const char *function = PQresultErrorField(notice, PG_DIAG_SOURCE_FUNCTION);
  return function && !strcmp(function, "SyncRepWaitForLSN");
}

// libpq would print these on stderr.  One that ends the connection comes in
// this way if no statement is under way, or as a warning if it is COMMIT.
static void hear_notice(void *argument, const PGresult *notice) {
  struct postgresql_session *session = argument;
  const char *code = PQresultErrorField(notice, PG_DIAG_SQLSTATE);
  const char *words = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
  if (session && session->notes && words &&
      postgresql_take_note(postgresql_of(session->base.target)->own, words,
                           session->notes))
    return;
  if (session && tells_of_a_cancelled_wait(notice))
    session->wait_cancelled = true;
  if (!session || !code || !words ||
      !(is_fatal(notice) || postgresql_code(code)->cause == CAUSE_CONNECTION))
    return;
  snprintf(session->last_code, sizeof session->last_code, "%s", code);
  error_one_line(session->last_words, sizeof session->last_words, words);
}

void postgresql_settings(const struct postgresql_target *target,
                         const char *term,
                         char text[POSTGRESQL_SETTINGS_ROOM]) {
  const struct {
    const char *name;
    uint32_t ms;
  } timeouts[] = {{"statement_timeout", target->statement_timeout},
                  {"lock_timeout", target->lock_timeout}};
  // The option index says how rows are found; small tables would be read as a
  // whole.
  const bool indexed =
      !target->own &&
      (!target->tables || (target->shape.index != SQL_INDEX_PRIMARY &&
                           target->shape.index != SQL_INDEX_NONE));
  int used = 0;
  *text = '\0';
  if (indexed)
    used = snprintf(text, POSTGRESQL_SETTINGS_ROOM,
                    "SET %senable_seqscan = off;", term);
  // To read a whole table all the same counts as so dear that the server would
  // compile the plan.
  if (indexed && target->tables)
    used += snprintf(text + used, POSTGRESQL_SETTINGS_ROOM - (size_t)used,
                     " SET %sjit = off;", term);
  if (target->own)
    used += snprintf(text + used, POSTGRESQL_SETTINGS_ROOM - (size_t)used,
                     " SET %ssearch_path = %s;", term, target->own->schema);
  for (size_t i = 0; i < 2; i++)
    if (timeouts[i].ms)
      used +=
          snprintf(text + used, POSTGRESQL_SETTINGS_ROOM - (size_t)used,
                   " SET %s%s = %u;", term, timeouts[i].name, timeouts[i].ms);
}

static int set_up_postgresql_connection(const struct postgresql_target *target,
                                        PGconn *pg, struct error *error) {
  char text[POSTGRESQL_SETTINGS_ROOM];
  postgresql_settings(target, "", text);
  if (target->pooled || !*text) // each transaction sets them for itself
    return 0;
  PGresult *result = PQexec(pg, text);
  const int failed =
      postgresql_succeeded(result)
          ? 0
          : postgresql_say(error, pg, result, "cannot be set up for a session");
  PQclear(result);
  return failed;
}

// Without any settings.
static PGconn *connect_only(const struct postgresql_target *target,
                            struct error *error) {
  PGconn *pg = PQconnectdbParams((const char *const *)target->keywords,
                                 (const char *const *)target->values, 0);
  if (!pg)
    out_of_memory(0);
  PQsetNoticeReceiver(pg, hear_notice, NULL);
  if (PQstatus(pg) == CONNECTION_OK)
    return pg;
  char words[400];
  copy_reasons(words, sizeof words, PQerrorMessage(pg));
  error_set(error, "PostgreSQL: %s", words);
  PQfinish(pg);
  return NULL;
}

PGconn *postgresql_connect(const struct postgresql_target *target,
                           struct error *error) {
  PGconn *pg = connect_only(target, error);
  if (!pg || !set_up_postgresql_connection(target, pg, error))
    return pg;
  PQfinish(pg);
  return NULL;
}

// A pooler has the client cancel at a process number of its own, while the
// server says that of its process.
static bool is_pooler(PGconn *pg) {
  PGresult *result = PQexec(pg, "SELECT pg_backend_pid()");
  const bool other = postgresql_succeeded(result) && PQntuples(result) == 1 &&
                     atoi(PQgetvalue(result, 0, 0)) != PQbackendPID(pg);
  PQclear(result);
  return other;
}

int postgresql_find_pooler(struct postgresql_target *target,
                           struct error *error) {
  PGconn *pg = connect_only(target, error);
  if (!pg)
    return -1;
  target->pooled = target->prepare == 1 || is_pooler(pg);
  target->unnamed = target->prepare < 0 ? target->pooled : target->prepare == 1;
  PQfinish(pg);
  return target->pooled && target->pipeline
             ? error_set(error, "pipeline=yes is not possible behind a pooler "
                                "or with prepare=unnamed: leave it away")
             : 0;
}

// A pooler gave the session a server that knows the name from another one.
static bool is_of_another(const PGresult *result) {
  const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return code && !strcmp(code, "42P05");
}

// COMMIT is prepared here so that no answer to it can be about anything else.
static int prepare_commit(struct postgresql_session *session,
                          struct error *error) {
  PGresult *result = PQprepare(session->pg, "commit", "COMMIT", 0, NULL);
  int failed = 0;
  if (is_of_another(result))
    failed = error_set(error,
                       "PostgreSQL at %s:%s: statements cannot have names "
                       "behind this pooler: take ?prepare=unnamed",
                       PQhost(session->pg), PQport(session->pg));
  else if (!postgresql_succeeded(result))
    failed =
        postgresql_say(error, session->pg, result, "cannot prepare statements");
  PQclear(result);
  return failed;
}

// libpq polls a socket that never blocks: two calls of the kernel for each
// answer, where one that blocks needs one.  Under TLS libpq does not tell an
// answer that is late from one that came in part.
static void make_blocking(struct postgresql_session *session) {
  const int fd = PQsocket(session->pg);
  const int flags = fcntl(fd, F_GETFL);
  const int ms = postgresql_of(session->base.target)->timeout;
  const struct timeval timeout = {.tv_sec = ms / 1000,
                                  .tv_usec = ms % 1000 * 1000};
  session->blocking =
      !PQsslInUse(session->pg) && !PQgssEncInUse(session->pg) && flags >= 0 &&
      (ms < 0 ||
       !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout)) &&
      !fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
}

int postgresql_open_session(struct target *base, uint32_t number,
                            struct connection **connection,
                            struct error *error) {
  const struct postgresql_target *target = postgresql_of(base);
  struct postgresql_session *session = xcalloc(1, sizeof *session);
  session->base.target = base;
  session->base.session = number;
  session->prepared = xcalloc((size_t)POSTGRESQL_STATEMENTS *
                                  target->shape.tables * target->shape.columns,
                              sizeof *session->prepared);
  session->pg = postgresql_connect(target, error);
  if (!session->pg || (!target->unnamed && prepare_commit(session, error))) {
    postgresql_close_session(&session->base);
    return -1;
  }
  PQsetNoticeReceiver(session->pg, hear_notice, session);
  // A pooler hides from the client that a server ended.
  if (base->resolves && !target->pooled)
    postgresql_guard_session(session);
  if (target->pipeline &&
      (PQsetnonblocking(session->pg, 1) || !PQenterPipelineMode(session->pg))) {
    postgresql_say(error, session->pg, NULL, "cannot pipeline");
    postgresql_close_session(&session->base);
    return -1;
  }
  if (!target->pipeline)
    make_blocking(session);
  *connection = &session->base;
  return 0;
}

void postgresql_close_session(struct connection *connection) {
  struct postgresql_session *session = postgresql_session_of(connection);
  PQfinish(session->pg);
  sql_rows_free(&session->rows);
  free(session->prepared);
  free(session);
}

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
