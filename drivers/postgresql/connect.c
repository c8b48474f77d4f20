// SPDX-License-Identifier: GPL-3.0-or-later
// Connections to PostgreSQL (drivers/postgresql/session.h): how they are
// opened, set up and closed.
#include "config.h"

#include "drivers/postgresql/session.h"

#include "base/memory.h"
#include "drivers/postgresql/codes.h"
#include "drivers/postgresql/instrument.h"
#include "drivers/postgresql/resolve.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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
      !(postgresql_is_fatal(notice) ||
        postgresql_code(code)->cause == CAUSE_CONNECTION))
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
