// SPDX-License-Identifier: GPL-3.0-or-later
// From a URI to a server with fresh tables (drivers/mysql/target.h).
#include "config.h"

#include "drivers/mysql/target.h"

#include "base/memory.h"
#include "drivers/claim.h"
#include "drivers/mysql/instrument.h"
#include "drivers/mysql/rows.h"
#include "drivers/mysql/session.h"
#include "drivers/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum option {
  STATEMENT_TIMEOUT = SQL_OPTIONS,
  LOCK_TIMEOUT,
  SNAPSHOT_ISOLATION,
  TIMEOUT,
  SOCKET,
  SSL_MODE,
  SSL_CA,
  SSL_CAPATH,
  SSL_CERT,
  SSL_KEY,
  DEFAULTS_FILE,
  DELETES,
  INSTRUMENT,
  OPTIONS
};

const struct driver_option mysqldb_options[OPTIONS + 1] = {
    [SQL_TABLE] = {"table", "isostress",
                   "name of the table, with or without its database"},
    SQL_SHAPE_ROWS,
    [SQL_INDEX] = {"index", "primary", SQL_INDEX_HELP "none or btree"},
    [SQL_READ] =
        {"read", "plain",
         "plain, for-update or for-share (lock in share mode): how reads "
         "lock their row"},
    [SQL_WRITE] =
        {"write", "update",
         "update or upsert (insert ... on duplicate key update); lists, and "
         "rows that do not exist beforehand, are always upserted"},
    [STATEMENT_TIMEOUT] = {"statement_timeout", NULL,
                           "as in 100ms or 5s: max_statement_time of the "
                           "sessions on MariaDB, max_execution_time on MySQL"},
    [LOCK_TIMEOUT] = {"lock_timeout", NULL,
                      "innodb_lock_wait_timeout of the sessions, in whole "
                      "seconds"},
    [SNAPSHOT_ISOLATION] = {"innodb_snapshot_isolation", NULL,
                            "on or off: MariaDB's setting for the sessions; "
                            "unless it is on, repeatable read claims pc, or "
                            "none of lists and with several columns"},
    [TIMEOUT] = {"timeout", "60s",
                 "how long to wait for an answer before the connection counts "
                 "as lost, in whole seconds; 0 for ever"},
    [SOCKET] = {"socket", NULL, "file of a socket to connect to"},
    [SSL_MODE] = {"ssl-mode", NULL,
                  "disabled, preferred, required or verify-identity; with "
                  "ssl-ca or ssl-capath it is verify-identity, else what the "
                  "client's option files say"},
    [SSL_CA] = {"ssl-ca", NULL, "file of certificates to trust"},
    [SSL_CAPATH] = {"ssl-capath", NULL, "directory of certificates to trust"},
    [SSL_CERT] = {"ssl-cert", NULL, "file of the client's certificate"},
    [SSL_KEY] = {"ssl-key", NULL, "file of the client's key"},
    [DEFAULTS_FILE] = {"defaults-file", NULL,
                       "option file to read instead of the usual ones, groups "
                       "[client] and [isostress]: user, password, host..."},
    [DELETES] = {"deletes", NULL,
                 SQL_ROWS_DELETES "; MySQL has soft ones only"},
    [INSTRUMENT] = SQL_ROWS_INSTRUMENT,
    {0},
};

// ---- Options

static int read_shape(struct mysqldb_target *target, const char *const *values,
                      struct error *error) {
  static const char *const writes[] = {"update", "upsert", NULL};
  static const char *const indexes[] = {"primary", "secondary", "none", "btree",
                                        NULL};
  static const char *const deletes[] = {"real", "soft", NULL};
  const int deletion =
      values[DELETES]
          ? option_choice("deletes", values[DELETES], deletes, error)
          : MYSQLDB_DELETES_ANY;
  if (deletion < 0)
    return -1;
  target->deletes = (enum mysqldb_deletes)deletion;
  if (sql_rows_read_instrument(values[INSTRUMENT], &target->base,
                               &target->dialect, error))
    return -1;
  if (!strcmp(values[SQL_WRITE], "update-returning"))
    return error_set_usage(error, "write=update-returning is not possible: "
                                  "MariaDB and MySQL have no UPDATE ... "
                                  "RETURNING; it can be update, upsert");
  return sql_shape_read(&target->shape, values, writes, indexes, "DATABASE",
                        error);
}

// The server and the library count these in seconds.
static int read_seconds(const char *name, const char *value, uint32_t *seconds,
                        struct error *error) {
  uint32_t ms;
  if (option_milliseconds(name, value, &ms, error))
    return -1;
  *seconds = ms / 1000;
  return ms % 1000
             ? error_set_usage(error,
                               "%s=%s is not possible; it is counted in whole "
                               "seconds, as in %s=1s",
                               name, value, name)
             : 0;
}

static int read_settings(struct mysqldb_target *target,
                         const char *const *values, struct error *error) {
  static const char *const switches[] = {"off", "on", NULL};
  uint32_t seconds;
  target->lock_timeout = target->snapshot_isolation = -1;
  if (values[SNAPSHOT_ISOLATION] &&
      (target->snapshot_isolation =
           option_choice("innodb_snapshot_isolation",
                         values[SNAPSHOT_ISOLATION], switches, error)) < 0)
    return -1;
  if (values[LOCK_TIMEOUT]) {
    if (read_seconds("lock_timeout", values[LOCK_TIMEOUT], &seconds, error))
      return -1;
    target->lock_timeout = seconds;
  }
  if (values[STATEMENT_TIMEOUT] &&
      option_milliseconds("statement_timeout", values[STATEMENT_TIMEOUT],
                          &target->statement_timeout, error))
    return -1;
  return read_seconds("timeout", values[TIMEOUT], &target->timeout, error);
}

// The library passes over files that it cannot read.
static int copy_mysql_file(const char *name, const char *value, char **copy,
                           struct error *error) {
  if (!value)
    return 0;
  if (access(value, R_OK))
    return error_set(error, "%s=%s cannot be read: %m", name, value);
  *copy = xstrdup(value);
  return 0;
}

static int read_client(struct mysqldb_target *target, const char *const *values,
                       struct error *error) {
  static const char *const modes[] = {
      "default", "disabled", "preferred", "required", "verify-identity", NULL};
  int mode = values[SSL_CA] || values[SSL_CAPATH] ? MYSQLDB_TLS_VERIFY
                                                  : MYSQLDB_TLS_DEFAULT;
  if (values[SSL_MODE] &&
      (mode = option_choice("ssl-mode", values[SSL_MODE], modes, error)) < 0)
    return -1;
  target->tls = (enum mysqldb_tls)mode;
  target->socket = values[SOCKET] ? xstrdup(values[SOCKET]) : NULL;
  return copy_mysql_file("ssl-ca", values[SSL_CA], &target->tls_ca, error) ||
                 copy_mysql_file("ssl-capath", values[SSL_CAPATH],
                                 &target->tls_capath, error) ||
                 copy_mysql_file("ssl-cert", values[SSL_CERT],
                                 &target->tls_cert, error) ||
                 copy_mysql_file("ssl-key", values[SSL_KEY], &target->tls_key,
                                 error) ||
                 copy_mysql_file("defaults-file", values[DEFAULTS_FILE],
                                 &target->defaults_file, error)
             ? -1
             : 0;
}

static int read_mysql_place(struct mysqldb_target *target, const char *place,
                            struct error *error) {
  struct authority *authority = &target->authority;
  if (authority_read(authority, place, NULL, 0, error))
    return -1;
  target->database = *authority->path ? authority->path : NULL;
  if (authority->nhosts == 1 && !strchr(authority->path, '/'))
    return 0;
  return error_set_usage(
      error,
      "a %s target has one host and one database, as in "
      "%s://USER:PASSWORD@HOST:PORT/DATABASE",
      target->product, strcmp(target->product, "MySQL") ? "mariadb" : "mysql");
}

int mysqldb_open(const struct target_spec *spec, struct target **target,
                 struct error *error) {
  struct mysqldb_target *made = xcalloc(1, sizeof *made);
  made->product = spec->by_alias ? "MariaDB" : "MySQL";
  if (read_shape(made, spec->values, error) ||
      read_settings(made, spec->values, error) ||
      read_client(made, spec->values, error) ||
      read_mysql_place(made, spec->place, error)) {
    mysqldb_close(&made->base);
    return -1;
  }
  mysql_library_init(0, NULL, NULL); // before there are threads
  *target = &made->base;
  return 0;
}

static void release_mysql_tables(struct mysqldb_target *target) {
  if (target->claim)
    mysql_close(target->claim);
  target->claim = NULL;
}

void mysqldb_close(struct target *base) {
  struct mysqldb_target *target = mysqldb_of(base);
  release_mysql_tables(target);
  mysqldb_instrument_free(target->own);
  arena_free(&target->authority.arena);
  free(target->socket);
  free(target->defaults_file);
  free(target->tls_ca);
  free(target->tls_capath);
  free(target->tls_cert);
  free(target->tls_key);
  free(target);
}

// ---- Setup

int mysqldb_make(const struct mysqldb_target *target, MYSQL *mysql,
                 const char *sql, const char *what, struct error *error) {
  return mysql_real_query(mysql, sql, strlen(sql))
             ? mysqldb_say(error, target, mysql, what)
             : 0;
}

// Looks up the comment of a table, `NAME` or `DATABASE`.`NAME`.
static char *comment_query(const char *table) {
  const char *dot = strstr(table, "`.`");
  const char *name = dot ? dot + 3 : table + 1;
  const int length = (int)strlen(name) - 1;
  if (!dot)
    return xasprintf("SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE"
                     " TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '%.*s'",
                     length, name);
  return xasprintf("SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE"
                   " TABLE_SCHEMA = '%.*s' AND TABLE_NAME = '%.*s'",
                   (int)(dot - table) - 1, table + 1, length, name);
}

int mysqldb_check_owner(const struct mysqldb_target *target, MYSQL *mysql,
                        const char *table, struct error *error) {
  char *sql = comment_query(table), server[MYSQLDB_NAME_ROOM];
  int failed =
      mysqldb_make(target, mysql, sql, "cannot look for tables", error);
  free(sql);
  MYSQL_RES *rows = failed ? NULL : mysql_store_result(mysql);
  const MYSQL_ROW row = rows ? mysql_fetch_row(rows) : NULL;
  mysqldb_name_server(target, server, sizeof server);
  if (row && !sql_is_ours(row[0]))
    failed = error_set(error,
                       "%s has a table %s that was not made by "
                       "isostress; choose another name with table=NAME",
                       server, table);
  mysql_free_result(rows);
  return failed;
}

// Each statement doubles what is there.
static int fill_table(const struct mysqldb_target *target, MYSQL *mysql,
                      uint32_t i, const char *what, struct error *error) {
  const uint64_t nrows = sql_rows(&target->shape, target->preloaded, i);
  uint64_t have = 0;
  while (have < nrows) {
    const uint64_t twice = have ? 2 * have : 1;
    const uint64_t want = twice < nrows ? twice : nrows;
    char *sql = mysqldb_fill(&target->shape, i, have, want);
    const int failed = mysqldb_make(target, mysql, sql, what, error);
    free(sql);
    if (failed)
      return -1;
    have = want;
  }
  return 0;
}

static int make_mysql_table(const struct mysqldb_target *target, MYSQL *mysql,
                            uint32_t i, bool lists, struct error *error) {
  char *table = sql_table_name(&target->shape, i, '`');
  char *what = xasprintf("cannot make the table %s", table);
  char *drop = xasprintf("DROP TABLE IF EXISTS %s", table);
  char *create = mysqldb_create(&target->shape, i, lists);
  const int failed =
      mysqldb_check_owner(target, mysql, table, error) ||
              mysqldb_make(target, mysql, drop, what, error) ||
              mysqldb_make(target, mysql, create, what, error) ||
              (target->preloaded && fill_table(target, mysql, i, what, error))
          ? -1
          : 0;
  free(create);
  free(drop);
  free(what);
  free(table);
  return failed;
}

// The table whose comment says which run made all of them; free with free().
static char *marked_mysql_table(const struct mysqldb_target *target,
                                const struct keyspace *keys) {
  return keys->tables ? sql_rows_table(&target->dialect, target->shape.table,
                                       keys->tables->table)
                      : sql_table_name(&target->shape, 0, '`');
}

static int mark_mysql_tables(const struct mysqldb_target *target, MYSQL *mysql,
                             const struct keyspace *keys, const char *what,
                             struct error *error) {
  char *table = marked_mysql_table(target, keys);
  char *comment = sql_comment_of_run(keys->run);
  char *sql = xasprintf("ALTER TABLE %s COMMENT '%s'", table, comment);
  const int failed = mysqldb_make(target, mysql, sql, what, error);
  free(sql);
  free(comment);
  free(table);
  return failed;
}

// Has somebody else the lock with the tables' name?  A server without such
// locks may refuse.
bool mysqldb_is_claimed(MYSQL *mysql, const char *table) {
  const char *dot = strchr(table, '.');
  char *schema = dot ? xasprintf("'%.*s'", (int)(dot - table), table)
                     : xasprintf("DATABASE()");
  // SHA2, since MySQL 9.7 has no MD5.
  char *sql = xasprintf(
      "SELECT GET_LOCK(SHA2(CONCAT_WS('.', 'isostress', %s, '%s'), 224), 0)",
      schema, dot ? dot + 1 : table);
  MYSQL_RES *rows = mysql_real_query(mysql, sql, strlen(sql))
                        ? NULL
                        : mysql_store_result(mysql);
  const MYSQL_ROW row = rows ? mysql_fetch_row(rows) : NULL;
  const bool claimed = row && row[0] && !strcmp(row[0], "0");
  mysql_free_result(rows);
  free(sql);
  free(schema);
  return claimed;
}

// For as long as the connection lives.
static int claim_mysql_tables(const struct mysqldb_target *target, MYSQL *mysql,
                              struct error *error) {
  char server[MYSQLDB_NAME_ROOM];
  mysqldb_name_server(target, server, sizeof server);
  char *names = xasprintf("the table %s", target->shape.table);
  struct claim_wait wait = {.server = server, .names = names};
  bool claimed;
  do
    claimed = mysqldb_is_claimed(mysql, target->shape.table);
  while (claimed && claim_again(&wait));
  if (claimed)
    claim_refuse(server, names, "table", false, error);
  free(names);
  return claimed ? -1 : 0;
}

static void note_mysql_keyspace(struct mysqldb_target *target,
                                const struct keyspace *keys) {
  target->preloaded = keys->preload && !keys->lists ? keys->nkeys : 0;
  target->tables = keys->tables;
}

static bool has_wide_rows(const struct mysqldb_target *target,
                          const struct keyspace *keys) {
  return keys->tables || keys->lists || target->shape.columns > 1;
}

// By innodb_snapshot_isolation as the sessions have it; MySQL has no such
// setting, and other servers promise no more than MySQL.
void mysqldb_note_claims(struct mysqldb_target *target, MYSQL *mysql,
                         bool wide) {
  static const char sql[] =
      "SHOW SESSION VARIABLES WHERE Variable_name = 'innodb_snapshot_isolation'"
      " AND Value = 'ON'";
  MYSQL_RES *rows = mysql_real_query(mysql, sql, sizeof sql - 1)
                        ? NULL
                        : mysql_store_result(mysql);
  const bool on = rows && mysql_fetch_row(rows);
  target->base.levels = on     ? mysqldb_levels
                        : wide ? mysqldb_mixed_levels
                               : mysqldb_plain_levels;
  mysql_free_result(rows);
}

static const char what[] = "cannot prepare the tables";

MYSQL *mysqldb_claim(struct mysqldb_target *target, struct error *error) {
  // Whoever still uses the tables of an earlier run is not waited for for ever.
  static const char patience[] =
      "SET SESSION lock_wait_timeout = 10, SESSION innodb_lock_wait_timeout = "
      "10";
  static const char no_hurry[] = "SET SESSION max_statement_time = 0";
  release_mysql_tables(target);
  MYSQL *mysql = mysqldb_connect(target, error);
  if (!mysql)
    return NULL;
  int failed = mysqldb_make(target, mysql, patience, what, error);
  if (!failed && target->statement_timeout && mariadb_connection(mysql))
    failed = mysqldb_make(target, mysql, no_hurry, what, error);
  if (!failed)
    failed = claim_mysql_tables(target, mysql, error);
  if (!failed)
    return mysql;
  mysql_close(mysql);
  return NULL;
}

int mysqldb_setup(struct target *base, const struct keyspace *keys,
                  struct error *error) {
  struct mysqldb_target *target = mysqldb_of(base);
  if (!keys->tables && sql_shape_check_keys(&target->shape, error))
    return -1;
  note_mysql_keyspace(target, keys);
  MYSQL *mysql = mysqldb_claim(target, error);
  if (!mysql)
    return -1;
  int failed = 0;
  mysqldb_note_claims(target, mysql, has_wide_rows(target, keys));
  if (keys->tables)
    failed = mysqldb_choose_deletes(target, mysql, error) ||
             mysqldb_make_rows(target, mysql, keys, error);
  for (uint32_t i = 0; !failed && !keys->tables && i < target->shape.tables;
       i++)
    failed = make_mysql_table(target, mysql, i, keys->lists, error);
  if (!failed)
    failed = mark_mysql_tables(target, mysql, keys, what, error);
  if (failed)
    mysql_close(mysql);
  else
    target->claim = mysql;
  return failed ? -1 : 0;
}

int mysqldb_follow(struct target *base, const struct keyspace *keys,
                   struct error *error) {
  struct mysqldb_target *target = mysqldb_of(base);
  note_mysql_keyspace(target, keys);
  MYSQL *mysql = mysqldb_connect(target, error);
  if (!mysql)
    return -1;
  mysqldb_note_claims(target, mysql, has_wide_rows(target, keys));
  if (keys->tables && mysqldb_choose_deletes(target, mysql, error)) {
    mysql_close(mysql);
    return -1;
  }
  char *table = marked_mysql_table(target, keys);
  char *comment = sql_comment_of_run(keys->run), *sql = comment_query(table);
  int answer =
      mysqldb_make(target, mysql, sql, "cannot look for tables", error);
  MYSQL_RES *rows = answer ? NULL : mysql_store_result(mysql);
  const MYSQL_ROW row = rows ? mysql_fetch_row(rows) : NULL;
  if (row && row[0] && !strcmp(row[0], comment))
    answer = 1;
  mysql_free_result(rows);
  free(sql);
  free(comment);
  free(table);
  mysql_close(mysql);
  return answer;
}

// ---- What it is

// Settings that decide about isolation and durability, by either server's name.
static const char settings[] =
    "SHOW VARIABLES WHERE Variable_name IN ('tx_isolation',"
    " 'transaction_isolation', 'innodb_snapshot_isolation',"
    " 'innodb_flush_log_at_trx_commit', 'innodb_lock_wait_timeout',"
    " 'max_connections', 'read_only', 'wsrep_on')";

void mysqldb_describe(struct target *base, char *text, size_t room) {
  struct error error;
  *text = '\0';
  MYSQL *mysql = mysqldb_connect(mysqldb_of(base), &error);
  if (!mysql)
    return;
  size_t used = (size_t)snprintf(
      text, room, "%s %s", mariadb_connection(mysql) ? "MariaDB" : "MySQL",
      mysql_get_server_info(mysql));
  MYSQL_RES *rows = mysql_real_query(mysql, settings, sizeof settings - 1)
                        ? NULL
                        : mysql_store_result(mysql);
  MYSQL_ROW row;
  while (rows && used < room && (row = mysql_fetch_row(rows)))
    used +=
        (size_t)snprintf(text + used, room - used, ", %s %s", row[0], row[1]);
  mysql_free_result(rows);
  mysql_close(mysql);
}
