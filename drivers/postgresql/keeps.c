// SPDX-License-Identifier: GPL-3.0-or-later
// The promises of PostgreSQL's settings about acknowledged commits
// (drivers/postgresql/keeps.h): sections "Write Ahead Log" and "Replication" of
// the manual's chapter on configuration.
#include "config.h"

#include "drivers/postgresql/keeps.h"

#include "drivers/postgresql/session.h"

#include <stdio.h>

// Why a commit may be lost; an empty text: it may not.  With remote_apply,
// remote_write and on, commits wait for the standbys that are named.
static const char reasons[] =
    "SELECT concat_ws(', ',"
    " CASE current_setting('fsync') WHEN 'off' THEN 'fsync is off' END,"
    " CASE current_setting('synchronous_commit')"
    " WHEN 'off' THEN 'synchronous_commit is off' END,"
    " CASE WHEN current_setting('synchronous_commit') = 'local'"
    " OR current_setting('synchronous_standby_names') = ''"
    " THEN (SELECT 'standbys are asynchronous' FROM pg_stat_replication"
    " LIMIT 1) END)";

enum keeps_commits postgresql_keeps(struct target *base, char *text,
                                    size_t room) {
  struct error error;
  enum keeps_commits keeps = KEEPS_UNKNOWN;
  *text = '\0';
  PGconn *pg = postgresql_connect(postgresql_of(base), &error);
  if (!pg)
    return keeps;
  PGresult *result = PQexec(pg, reasons);
  if (postgresql_succeeded(result) && PQntuples(result) == 1) {
    snprintf(text, room, "%s", PQgetvalue(result, 0, 0));
    keeps = *text ? KEEPS_NOT : KEEPS_COMMITS;
  }
  PQclear(result);
  PQfinish(pg);
  return keeps;
}

bool postgresql_takes_writes(struct connection *connection) {
  struct postgresql_session *session = postgresql_session_of(connection);
  PQsendQuery(session->pg, "SELECT pg_is_in_recovery()");
  PGresult *result = postgresql_answer(session);
  const bool takes = result && postgresql_succeeded(result) &&
                     PQntuples(result) == 1 && *PQgetvalue(result, 0, 0) == 'f';
  PQclear(result);
  return takes;
}
