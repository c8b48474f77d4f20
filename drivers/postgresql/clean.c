// SPDX-License-Identifier: GPL-3.0-or-later
// Drops the tables that runs left (`clean` of drivers/driver.h).
#include "config.h"

#include "drivers/postgresql/target.h"

#include "base/memory.h"
#include "drivers/claim.h"
#include "drivers/postgresql/instrument.h"
#include "drivers/postgresql/rows.h"
#include "drivers/postgresql/session.h"

#include <stdlib.h>
#include <string.h>

static const char what[] = "cannot drop the tables";

// Our tables of this name, and those whose names go on with "_": their names
// for SQL, and as the option `table` could have named them.  NULL with a
// sentence.
static PGresult *find_tables(const struct postgresql_target *target, PGconn *pg,
                             struct error *error) {
  const char *table = target->shape.table, *dot = strchr(table, '.');
  char *schema = xasprintf("%.*s", (int)(dot ? dot - table : 0), table);
  const char *values[] = {schema, dot ? dot + 1 : table, SQL_COMMENT};
  PGresult *result = PQexecParams(
      pg,
      "SELECT format('%I.%I', n.nspname, c.relname),"
      " CASE WHEN $1::text = '' THEN '' ELSE $1 || '.' END || c.relname"
      " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
      " WHERE c.relkind IN ('r', 'p')"
      " AND CASE WHEN $1 = '' THEN pg_table_is_visible(c.oid)"
      " ELSE n.nspname = $1 END"
      " AND (c.relname::text = $2::text"
      " OR left(c.relname::text, length($2) + 1) = $2 || '_')"
      " AND left(obj_description(c.oid, 'pg_class'), length($3::text)) = $3"
      " ORDER BY 1",
      3, NULL, values, NULL, NULL, 0);
  free(schema);
  if (postgresql_succeeded(result))
    return result;
  postgresql_say(error, pg, result, "cannot look for tables");
  PQclear(result);
  return NULL;
}

static bool is_free_table(const struct postgresql_target *target,
                          const char *name) {
  const char *values[] = {name};
  PGresult *result = PQexecParams(
      target->claim,
      target->pooled
          ? "SELECT pg_try_advisory_xact_lock(hashtext('isostress'),"
            " hashtext($1))"
          : "SELECT pg_try_advisory_lock(hashtext('isostress'), hashtext($1))",
      1, NULL, values, NULL, NULL, 0);
  const bool taken = postgresql_succeeded(result) && PQntuples(result) == 1 &&
                     *PQgetvalue(result, 0, 0) == 'f';
  PQclear(result);
  return !taken;
}

// A run may use the table under a longer name, of which ours is the beginning.
static int check_postgresql_users(const struct postgresql_target *target,
                                  PGconn *pg, const char *table,
                                  struct error *error) {
  size_t length = strlen(target->shape.table);
  while ((length = sql_longer_name(table, length))) {
    char *name = xasprintf("%.*s", (int)length, table);
    const bool unused = is_free_table(target, name);
    free(name);
    if (unused)
      continue;
    char *server = xasprintf("PostgreSQL at %s:%s", PQhost(pg), PQport(pg));
    char *names = xasprintf("the table %s", table);
    claim_refuse(server, names, "table", target->pooled, error);
    free(names);
    free(server);
    return -1;
  }
  return 0;
}

static int drop_postgresql_tables(const struct postgresql_target *target,
                                  PGconn *pg, uint64_t *removed,
                                  struct error *error) {
  PGresult *tables = find_tables(target, pg, error);
  int failed = tables ? 0 : -1;
  const int n = tables ? PQntuples(tables) : 0;
  for (int i = 0; i < n && !failed; i++)
    failed =
        check_postgresql_users(target, pg, PQgetvalue(tables, i, 1), error);
  for (int i = 0; i < n && !failed; i++) {
    char *sql = xasprintf("DROP TABLE %s", PQgetvalue(tables, i, 0));
    failed = postgresql_make(pg, sql, what, error);
    free(sql);
  }
  PQclear(tables);
  *removed = (uint64_t)n;
  return failed;
}

// The schema of the user's own SQL, if it is ours; counts its tables.
static int drop_own_schema(const struct postgresql_target *target, PGconn *pg,
                           uint64_t *removed, struct error *error) {
  char *name = postgresql_own_schema(target);
  char *query = xasprintf(
      "SELECT obj_description(n.oid, 'pg_namespace'), (SELECT count(*) FROM "
      "pg_class c WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p')) "
      "FROM pg_namespace n WHERE '\"' || n.nspname || '\"' = '%s'",
      name);
  char *drop = xasprintf("DROP SCHEMA %s CASCADE", name);
  PGresult *found = PQexec(pg, query);
  int failed =
      postgresql_succeeded(found) ? 0 : postgresql_say(error, pg, found, what);
  if (!failed && PQntuples(found) && sql_is_ours(PQgetvalue(found, 0, 0))) {
    failed = postgresql_make(pg, drop, what, error);
    *removed += strtoull(PQgetvalue(found, 0, 1), NULL, 10);
  }
  PQclear(found);
  FREE_EACH(name, query, drop);
  return failed;
}

int postgresql_clean(struct target *base, uint64_t *removed,
                     struct error *error) {
  struct postgresql_target *target = (struct postgresql_target *)base;
  PGconn *pg;
  if (postgresql_claim(target, &pg, error))
    return -1;
  const int failed =
      (!target->pooled && postgresql_make(pg, "BEGIN", what, error)) ||
              drop_postgresql_tables(target, pg, removed, error) ||
              drop_own_schema(target, pg, removed, error) ||
              postgresql_make(pg, "COMMIT", what, error)
          ? -1
          : 0;
  if (pg != target->claim)
    PQfinish(pg);
  return failed;
}
