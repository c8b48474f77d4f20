// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of transactions, and the guard (drivers/postgresql/resolve.h).
#include "config.h"

#include "drivers/postgresql/resolve.h"

#include "base/memory.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One for all sessions of a target, who have hardly ever to ask.
struct postgresql_guard {
  pthread_mutex_t mutex;
  PGconn *pg;        // NULL: lost, or not needed yet
  uint64_t era;      // counts the connections there have been
  char cluster[80];  // that it is connected to, of this era
  char server[120];  // cluster and start of the server
  bool is_elsewhere; // it has been connected to two different clusters
};

// A standby that was promoted is another cluster: it has a timeline of its own.
static const char who[] =
    "SELECT system_identifier::text || '/' ||"
    " left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),"
    " pg_postmaster_start_time()::text FROM pg_control_system()";

struct postgresql_guard *postgresql_guard_new(void) {
  struct postgresql_guard *guard = xcalloc(1, sizeof *guard);
  pthread_mutex_init(&guard->mutex, NULL);
  return guard;
}

void postgresql_guard_free(struct postgresql_guard *guard) {
  if (!guard)
    return;
  PQfinish(guard->pg);
  pthread_mutex_destroy(&guard->mutex);
  free(guard);
}

// The one row that a statement returns, by the simple protocol; NULL if there
// is none, or no answer in time.
static PGresult *ask_in_time(PGconn *pg, const char *sql, int timeout) {
  PGresult *answer = NULL, *result;
  bool lost = !PQsendQuery(pg, sql);
  while (!lost && PQisBusy(pg)) {
    struct pollfd poll_on = {.fd = PQsocket(pg), .events = POLLIN};
    lost = poll(&poll_on, 1, timeout) <= 0 || !PQconsumeInput(pg);
  }
  while (!lost && (result = PQgetResult(pg))) {
    PQclear(answer);
    answer = result;
  }
  if (answer && PQresultStatus(answer) == PGRES_TUPLES_OK &&
      PQntuples(answer) == 1 && !PQgetisnull(answer, 0, 0))
    return answer;
  PQclear(answer);
  return NULL;
}

// Which cluster and server is this?  False if it does not say.
static bool ask_who(PGconn *pg, int timeout, char cluster[80],
                    char server[120]) {
  PGresult *result = ask_in_time(pg, who, timeout);
  if (!result)
    return false;
  snprintf(cluster, 80, "%s", PQgetvalue(result, 0, 0));
  snprintf(server, 120, "%s %s", cluster, PQgetvalue(result, 0, 1));
  PQclear(result);
  return true;
}

static void drop_guard(struct postgresql_guard *guard) {
  PQfinish(guard->pg);
  guard->pg = NULL;
}

// A new era.
static void open_guard(const struct postgresql_target *target,
                       struct postgresql_guard *guard) {
  struct error error;
  char cluster[80];
  guard->pg = postgresql_connect(target, &error);
  guard->era++;
  if (!guard->pg)
    return;
  if (!ask_who(guard->pg, target->timeout, cluster, guard->server)) {
    drop_guard(guard);
    return;
  }
  guard->is_elsewhere |= *guard->cluster && strcmp(guard->cluster, cluster);
  snprintf(guard->cluster, sizeof guard->cluster, "%s", cluster);
}

// The answer of the guard, which is opened anew if it was lost; NULL if it has
// none.
static PGresult *ask_guard(const struct postgresql_target *target,
                           const char *sql) {
  struct postgresql_guard *guard = target->guard;
  PGresult *result =
      guard->pg ? ask_in_time(guard->pg, sql, target->timeout) : NULL;
  if (!result && guard->pg && PQstatus(guard->pg) == CONNECTION_OK &&
      PQtransactionStatus(guard->pg) == PQTRANS_IDLE)
    return NULL; // it answered that it cannot say
  if (!result) {
    drop_guard(guard);
    open_guard(target, guard);
    if (guard->pg)
      result = ask_in_time(guard->pg, sql, target->timeout);
  }
  return result;
}

// The guard answers after the session has connected: if the session is still
// connected when it gets its number, both are to one server that has not
// crashed in between.
void postgresql_guard_session(struct postgresql_session *session) {
  const struct postgresql_target *target = postgresql_of(session->base.target);
  struct postgresql_guard *guard = target->guard;
  char cluster[80], server[120];
  session->era = 0;
  if (!ask_who(session->pg, target->timeout, cluster, server))
    return;
  pthread_mutex_lock(&guard->mutex);
  PGresult *result = ask_guard(target, "SELECT 1");
  if (result && !strcmp(guard->server, server))
    session->era = guard->era;
  PQclear(result);
  pthread_mutex_unlock(&guard->mutex);
}

void postgresql_take_token(struct postgresql_session *session,
                           const PGresult *result) {
  session->base.token[0] = postgresql_value(result);
  session->base.token[1] = session->era;
}

enum outcome postgresql_note_token(struct postgresql_session *session) {
  session->base.token[0] = session->base.token[1] = 0;
  PQsendQueryParams(session->pg, POSTGRESQL_TOKEN, 0, NULL, NULL, NULL, NULL,
                    1);
  PGresult *result = postgresql_answer(session);
  if (!result || !postgresql_succeeded(result))
    return postgresql_failed(session, result, false);
  postgresql_take_token(session, result);
  PQclear(result);
  return OUTCOME_OK;
}

static enum outcome outcome_of_status(const char *status, bool same_era) {
  if (!strcmp(status, "aborted"))
    return OUTCOME_ABORTED;
  return same_era && !strcmp(status, "committed") ? OUTCOME_OK
                                                  : OUTCOME_UNKNOWN;
}

enum outcome postgresql_resolve(struct connection *connection,
                                const uint64_t token[2]) {
  const struct postgresql_target *target = postgresql_of(connection->target);
  struct postgresql_guard *guard = target->guard;
  enum outcome outcome = OUTCOME_UNKNOWN;
  char sql[100];
  if (!token[0] || !token[1])
    return OUTCOME_UNKNOWN;
  snprintf(sql, sizeof sql,
           "SELECT txid_status(%llu) WHERE NOT pg_is_in_recovery()",
           (unsigned long long)token[0]);
  pthread_mutex_lock(&guard->mutex);
  PGresult *result = ask_guard(target, sql);
  if (result && !guard->is_elsewhere)
    outcome =
        outcome_of_status(PQgetvalue(result, 0, 0), guard->era == token[1]);
  PQclear(result);
  pthread_mutex_unlock(&guard->mutex);
  return outcome;
}
