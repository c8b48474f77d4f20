// SPDX-License-Identifier: GPL-3.0-or-later
// From a URI to a server with fresh tables (drivers/postgresql/target.h).
#include "config.h"

#include "drivers/postgresql/instrument.h"
#include "drivers/postgresql/target.h"

#include "base/memory.h"
#include "drivers/claim.h"
#include "drivers/options.h"
#include "drivers/postgresql/resolve.h"
#include "drivers/postgresql/rows.h"
#include "drivers/postgresql/session.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option {
  PIPELINE = SQL_OPTIONS,
  STATEMENT_TIMEOUT,
  LOCK_TIMEOUT,
  TIMEOUT,
  PREPARE,
  DELETES,
  SYNC_CANCEL,
  INSTRUMENT,
  OPTIONS
};

const struct driver_option postgresql_options[OPTIONS + 1] = {
    [SQL_TABLE] = {"table", "isostress",
                   "name of the table, with or without its schema"},
    SQL_SHAPE_ROWS,
    [SQL_INDEX] = {"index", "primary",
                   SQL_INDEX_HELP "none, btree, hash, brin or gin"},
    [SQL_READ] = {"read", "plain",
                  "plain, for-update or for-share: how reads lock their row"},
    [SQL_WRITE] = {"write", "update",
                   "update, upsert or update-returning; lists, and rows that "
                   "do not exist beforehand, are always upserted"},
    [PIPELINE] = {"pipeline", "no",
                  "yes: sends each transaction as a whole, as far as no "
                  "operation depends on an earlier read"},
    [STATEMENT_TIMEOUT] = {"statement_timeout", NULL,
                           "the server's setting for the sessions, as in 100ms "
                           "or 5s"},
    [LOCK_TIMEOUT] = {"lock_timeout", NULL, "likewise"},
    [TIMEOUT] = {"timeout", "60s",
                 "how long to wait for an answer before the connection counts "
                 "as lost; 0 for ever"},
    [PREPARE] = {"prepare", NULL,
                 "named or unnamed statements; behind a pooler they must be "
                 "unnamed, which a run finds out by itself"},
    [DELETES] = {"deletes", "real", SQL_ROWS_DELETES},
    [SYNC_CANCEL] = {"sync-cancel", "unknown",
                     "unknown or ok: the outcome of a COMMIT whose wait for a "
                     "synchronous standby was cancelled"},
    [INSTRUMENT] = SQL_ROWS_INSTRUMENT,
    {0},
};

// ---- The URI

// libpq knows "ssl" in URIs only, for the sake of JDBC's.
bool postgresql_knows_option(const char *name) {
  PQconninfoOption *all = PQconndefaults();
  bool known = !strcmp(name, "ssl");
  for (PQconninfoOption *o = all; o && o->keyword && !known; o++)
    known = !strcmp(name, o->keyword);
  PQconninfoFree(all);
  return known;
}

// libpq's own words about a URI repeat it, with its password.
static int refuse_uri(struct error *error) {
  return error_set_usage(
      error, "libpq cannot read this URI; it is written "
             "postgresql://USER:PASSWORD@HOST:PORT/DATABASE, where / and "
             "@ in a password become %%2F and %%40");
}

// libpq would take parts of a password that is not escaped for a host, a port
// or a database, and repeat them in its messages.
static bool holds_stray_password(const char *place,
                                 const PQconninfoOption *parsed) {
  const size_t length = strcspn(place, "?");
  const char *at = memchr(place, '@', length);
  if (at && memchr(at + 1, '@', length - (size_t)(at + 1 - place)))
    return true;
  const char *slash = memchr(place + 2, '/', length - 2);
  if (at && slash && slash < at)
    return true;
  for (; parsed->keyword; parsed++)
    if (!strcmp(parsed->keyword, "port") && parsed->val &&
        parsed->val[strspn(parsed->val, "0123456789,")])
      return true;
  return false;
}

static bool has_default(const char *keyword) {
  PQconninfoOption *all = PQconndefaults();
  bool has = false;
  for (PQconninfoOption *o = all; o && o->keyword; o++)
    has |= !strcmp(o->keyword, keyword) && o->val && *o->val;
  PQconninfoFree(all);
  return has;
}

static void add_parameter(struct postgresql_target *target, const char *keyword,
                          const char *value) {
  size_t n = 0;
  while (target->keywords && target->keywords[n]) {
    if (!strcmp(target->keywords[n], keyword))
      return;
    n++;
  }
  target->keywords =
      xrealloc(target->keywords, n + 2, sizeof *target->keywords);
  target->values = xrealloc(target->values, n + 2, sizeof *target->values);
  target->keywords[n] = xstrdup(keyword);
  target->values[n] = xstrdup(value);
  target->keywords[n + 1] = target->values[n + 1] = NULL;
}

// Settings that the URI lacks are libpq's business: the environment, its files.
static int read_uri(struct postgresql_target *target, const char *place,
                    struct error *error) {
  if (strncmp(place, "//", 2))
    return refuse_uri(error);
  char *uri = xasprintf("postgresql:%s", place), *message = NULL;
  PQconninfoOption *parsed = PQconninfoParse(uri, &message);
  free(uri);
  PQfreemem(message);
  if (!parsed || holds_stray_password(place, parsed)) {
    PQconninfoFree(parsed);
    return refuse_uri(error);
  }
  for (const PQconninfoOption *o = parsed; o->keyword; o++)
    if (o->val)
      add_parameter(target, o->keyword, o->val);
  PQconninfoFree(parsed);
  add_parameter(target, "fallback_application_name", "isostress");
  if (!has_default("connect_timeout"))
    add_parameter(target, "connect_timeout", "10");
  return 0;
}

// ---- Options

static int read_timeouts(struct postgresql_target *target,
                         const char *const *values, struct error *error) {
  uint32_t ms;
  if ((values[STATEMENT_TIMEOUT] &&
       option_milliseconds("statement_timeout", values[STATEMENT_TIMEOUT],
                           &target->statement_timeout, error)) ||
      (values[LOCK_TIMEOUT] &&
       option_milliseconds("lock_timeout", values[LOCK_TIMEOUT],
                           &target->lock_timeout, error)) ||
      option_milliseconds("timeout", values[TIMEOUT], &ms, error))
    return -1;
  target->timeout = ms ? (int)ms : -1;
  return 0;
}

static int read_postgresql_options(struct postgresql_target *target,
                                   const char *const *values,
                                   struct error *error) {
  static const char *const answers[] = {"no", "yes", NULL};
  static const char *const writes[] = {"update", "upsert", "update-returning",
                                       NULL};
  static const char *const names[] = {"named", "unnamed", NULL};
  static const char *const indexes[] = {"primary", "secondary", "none", "btree",
                                        "hash",    "brin",      "gin",  NULL};
  static const char *const deletes[] = {"real", "soft", NULL};
  static const char *const cancelled[] = {"unknown", "ok", NULL};
  const int deletion =
      option_choice("deletes", values[DELETES], deletes, error);
  const int pipeline =
      option_choice("pipeline", values[PIPELINE], answers, error);
  const int sync_cancel =
      option_choice("sync-cancel", values[SYNC_CANCEL], cancelled, error);
  target->cancelled_is_ok = sync_cancel == 1;
  target->pipeline = pipeline == 1;
  target->prepare = -1;
  if (values[PREPARE] && (target->prepare = option_choice(
                              "prepare", values[PREPARE], names, error)) < 0)
    return -1;
  target->dialect = (struct sql_rows_dialect){
      .quote = '\"',
      .integer = "bigint",
      .options = "",
      .dollars = true,
      .soft = deletion == 1,
      .lock = " FOR UPDATE",
      .nothing = {"", " ON CONFLICT (id) DO NOTHING"}};
  return pipeline < 0 || deletion < 0 || sync_cancel < 0 ||
                 sql_rows_read_instrument(values[INSTRUMENT], &target->base,
                                          &target->dialect, error) ||
                 sql_shape_read(&target->shape, values, writes, indexes,
                                "SCHEMA", error) ||
                 read_timeouts(target, values, error)
             ? -1
             : 0;
}

extern const struct driver postgresql_pipelined_driver;

int postgresql_open(const struct target_spec *spec, struct target **target,
                    struct error *error) {
  struct postgresql_target *made = xcalloc(1, sizeof *made);
  made->guard = postgresql_guard_new();
  if (read_postgresql_options(made, spec->values, error) ||
      read_uri(made, spec->place, error)) {
    postgresql_close(&made->base);
    return -1;
  }
  if (made->pipeline)
    made->base.driver = &postgresql_pipelined_driver;
  *target = &made->base;
  return 0;
}

static void release_postgresql_tables(struct postgresql_target *target) {
  PQfinish(target->claim);
  target->claim = NULL;
}

void postgresql_close(struct target *base) {
  struct postgresql_target *target = postgresql_of(base);
  for (size_t i = 0; target->keywords && target->keywords[i]; i++) {
    free(target->keywords[i]);
    free(target->values[i]);
  }
  free(target->keywords);
  free(target->values);
  postgresql_guard_free(target->guard);
  postgresql_instrument_free(target->own);
  release_postgresql_tables(target);
  free(target);
}

// ---- Setup

int postgresql_make(PGconn *pg, const char *sql, const char *what,
                    struct error *error) {
  PGresult *result = PQexec(pg, sql);
  const int failed = postgresql_succeeded(result)
                         ? 0
                         : postgresql_say(error, pg, result, what);
  PQclear(result);
  return failed;
}

static int refuse_standby(PGconn *pg, struct error *error) {
  PGresult *result = PQexec(pg, "SELECT pg_is_in_recovery()");
  const bool standby = postgresql_succeeded(result) && PQntuples(result) == 1 &&
                       *PQgetvalue(result, 0, 0) == 't';
  PQclear(result);
  return standby ? error_set(error,
                             "PostgreSQL at %s:%s is a read-only standby, on "
                             "which no table can be made; name the primary",
                             PQhost(pg), PQport(pg))
                 : 0;
}

// The comment on a table, if there is such a table; free with PQclear.  NULL
// with a sentence.
static PGresult *comment_on(PGconn *pg, const char *table,
                            struct error *error) {
  const char *values[] = {table};
  PGresult *result =
      PQexecParams(pg,
                   "SELECT obj_description(oid, 'pg_class') FROM pg_class"
                   " WHERE oid = to_regclass($1)",
                   1, NULL, values, NULL, NULL, 0);
  if (postgresql_succeeded(result))
    return result;
  postgresql_say(error, pg, result, "cannot look for tables");
  PQclear(result);
  return NULL;
}

int postgresql_check_owner(PGconn *pg, const char *table, struct error *error) {
  PGresult *result = comment_on(pg, table, error);
  if (!result)
    return -1;
  int failed = 0;
  if (PQntuples(result) && !sql_is_ours(PQgetvalue(result, 0, 0)))
    failed = error_set(error,
                       "PostgreSQL at %s:%s has a table %s that was not made "
                       "by isostress; choose another name with table=NAME",
                       PQhost(pg), PQport(pg), table);
  PQclear(result);
  return failed;
}

static int make_postgresql_table(const struct postgresql_target *target,
                                 PGconn *pg, uint32_t i,
                                 const struct keyspace *keys,
                                 struct error *error) {
  const struct sql_shape *shape = &target->shape;
  const uint64_t nrows =
      target->preloaded ? sql_rows(shape, target->preloaded, i) : 0;
  char *table = sql_table_name(shape, i, '\"');
  char *sql = postgresql_create(shape, i, keys->lists, nrows);
  char *what = xasprintf("cannot make the table %s", table);
  const int failed = postgresql_check_owner(pg, table, error) ||
                             postgresql_make(pg, sql, what, error)
                         ? -1
                         : 0;
  free(what);
  free(sql);
  free(table);
  return failed;
}

// The table whose comment says which run made all of them; free with free().
static char *marked_postgresql_table(const struct postgresql_target *target,
                                     const struct keyspace *keys) {
  return keys->tables ? sql_rows_table(&target->dialect, target->shape.table,
                                       keys->tables->table)
                      : sql_table_name(&target->shape, 0, '\"');
}

static int mark_postgresql_tables(const struct postgresql_target *target,
                                  PGconn *pg, const struct keyspace *keys,
                                  const char *what, struct error *error) {
  char *table = marked_postgresql_table(target, keys);
  char *comment = sql_comment_of_run(keys->run);
  char *sql = xasprintf("COMMENT ON TABLE %s IS '%s'", table, comment);
  const int failed = postgresql_make(pg, sql, what, error);
  free(sql);
  free(comment);
  free(table);
  return failed;
}

// Takes the lock, for as long as the connection lives, unless another run has
// it.  A server without such locks may refuse to say.  A pooler may give the
// next transaction another session of the server; so behind it a transaction
// that stays open holds the lock, which has no snapshot and so keeps no VACUUM
// from its work.  A pooler that loses its client ends the transaction.
static bool is_postgresql_claimed(const struct postgresql_target *target,
                                  PGconn *pg) {
  const char *values[] = {target->shape.table};
  PGresult *result = PQexecParams(
      pg,
      target->pooled
          ? "SELECT pg_try_advisory_xact_lock(hashtext('isostress'),"
            " hashtext($1))"
          : "SELECT pg_try_advisory_lock(hashtext('isostress'), hashtext($1))",
      1, NULL, values, NULL, NULL, 0);
  const bool taken = PQntuples(result) == 1 && *PQgetvalue(result, 0, 0) == 'f';
  PQclear(result);
  return taken;
}

static int claim_postgresql_tables(const struct postgresql_target *target,
                                   PGconn *pg, struct error *error) {
  char *server = xasprintf("PostgreSQL at %s:%s", PQhost(pg), PQport(pg));
  char *names = xasprintf("the table %s", target->shape.table);
  struct claim_wait wait = {.server = server, .names = names};
  bool taken;
  do
    taken = is_postgresql_claimed(target, pg);
  while (taken && claim_again(&wait));
  if (taken)
    claim_refuse(server, names, "table", target->pooled, error);
  free(names);
  free(server);
  return taken ? -1 : 0;
}

static const char doing[] = "cannot prepare the tables";

// Whoever still uses the tables of an earlier run is not waited for for ever.
static int be_patient(const struct postgresql_target *target, PGconn *pg,
                      struct error *error) {
  return postgresql_make(
      pg,
      target->pooled ? "BEGIN; SET LOCAL statement_timeout = 0;"
                       " SET LOCAL lock_timeout = '10s';"
                       " SET LOCAL idle_in_transaction_session_timeout = 0"
                     : "SET statement_timeout = 0; SET lock_timeout = '10s'",
      doing, error);
}

static int make_postgresql_tables(const struct postgresql_target *target,
                                  PGconn *pg, const struct keyspace *keys,
                                  struct error *error) {
  if (!target->pooled && postgresql_make(pg, "BEGIN", doing, error))
    return -1;
  if (keys->tables && postgresql_make_rows(target, pg, keys, error))
    return -1;
  for (uint32_t i = 0; !keys->tables && i < target->shape.tables; i++)
    if (make_postgresql_table(target, pg, i, keys, error))
      return -1;
  return mark_postgresql_tables(target, pg, keys, doing, error) ||
                 postgresql_make(pg, "COMMIT", doing, error)
             ? -1
             : 0;
}

// So that the run does not start with marking every row that it reads as
// committed.  Only a matter of speed, so a server that does not know how may
// refuse.
static void tidy_tables(const struct postgresql_target *target, PGconn *pg) {
  for (uint32_t i = 0; i < target->shape.tables; i++) {
    char *table = sql_table_name(&target->shape, i, '\"');
    char *sql = xasprintf("VACUUM %s", table);
    PQclear(PQexec(pg, sql));
    free(sql);
    free(table);
  }
}

static void note_postgresql_keyspace(struct postgresql_target *target,
                                     const struct keyspace *keys) {
  target->preloaded = keys->preload && !keys->lists ? keys->nkeys : 0;
  target->tables = keys->tables;
}

// The connection that holds the claim; NULL with a sentence.
static PGconn *claim(const struct postgresql_target *target,
                     struct error *error) {
  PGconn *pg = postgresql_connect(target, error);
  if (!pg || !(refuse_standby(pg, error) || be_patient(target, pg, error) ||
               claim_postgresql_tables(target, pg, error)))
    return pg;
  PQfinish(pg);
  return NULL;
}

// The transaction that holds the claim behind a pooler cannot end, so another
// connection makes the tables then.
static PGconn *connect_to_make(const struct postgresql_target *target,
                               struct error *error) {
  if (!target->pooled)
    return target->claim;
  PGconn *pg = postgresql_connect(target, error);
  if (!pg || !be_patient(target, pg, error))
    return pg;
  PQfinish(pg);
  return NULL;
}

int postgresql_claim(struct postgresql_target *target, PGconn **pg,
                     struct error *error) {
  release_postgresql_tables(target);
  if (postgresql_find_pooler(target, error) ||
      !(target->claim = claim(target, error)))
    return -1;
  *pg = connect_to_make(target, error);
  if (!*pg)
    release_postgresql_tables(target);
  return *pg ? 0 : -1;
}

int postgresql_setup(struct target *base, const struct keyspace *keys,
                     struct error *error) {
  struct postgresql_target *target = postgresql_of(base);
  if (!keys->tables && sql_shape_check_keys(&target->shape, error))
    return -1;
  note_postgresql_keyspace(target, keys);
  PGconn *pg;
  if (postgresql_claim(target, &pg, error))
    return -1;
  const int failed = make_postgresql_tables(target, pg, keys, error);
  if (!failed && target->preloaded)
    tidy_tables(target, pg);
  if (pg != target->claim)
    PQfinish(pg);
  if (failed)
    release_postgresql_tables(target);
  return failed;
}

// Tables and comment were made in one transaction.
int postgresql_follow(struct target *base, const struct keyspace *keys,
                      struct error *error) {
  struct postgresql_target *target = postgresql_of(base);
  note_postgresql_keyspace(target, keys);
  if (postgresql_find_pooler(target, error))
    return -1;
  PGconn *pg = postgresql_connect(target, error);
  if (!pg)
    return -1;
  char *table = marked_postgresql_table(target, keys);
  char *comment = sql_comment_of_run(keys->run);
  PGresult *result = comment_on(pg, table, error);
  const int answer =
      !result ? -1
              : PQntuples(result) && !strcmp(PQgetvalue(result, 0, 0), comment);
  PQclear(result);
  free(comment);
  free(table);
  PQfinish(pg);
  return answer;
}

// ---- What it is

static const char *words_of_pooler(const struct postgresql_target *target) {
  if (target->prepare == 1)
    return ", prepare=unnamed";
  if (!target->pooled)
    return "";
  return target->unnamed ? ", prepare=unnamed (behind a pooler)"
                         : ", behind a pooler";
}

void postgresql_describe(struct target *base, char *text, size_t room) {
  struct error error;
  *text = '\0';
  PGconn *pg = postgresql_connect(postgresql_of(base), &error);
  if (!pg)
    return;
  PGresult *result = PQexec(
      pg, "SELECT split_part(version(), ' on ', 1)"
          " || ', default_transaction_isolation '"
          " || current_setting('default_transaction_isolation')"
          " || ', fsync ' || current_setting('fsync')"
          " || ', synchronous_commit ' || current_setting('synchronous_commit')"
          " || ', max_connections ' || current_setting('max_connections')"
          " || CASE WHEN pg_is_in_recovery() THEN ', standby'"
          " ELSE ', primary' END");
  if (postgresql_succeeded(result) && PQntuples(result) == 1)
    snprintf(text, room, "%s%s", PQgetvalue(result, 0, 0),
             words_of_pooler(postgresql_of(base)));
  PQclear(result);
  PQfinish(pg);
}
