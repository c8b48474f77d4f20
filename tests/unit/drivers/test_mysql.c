// SPDX-License-Identifier: GPL-3.0-or-later
// The mysql driver without a server: URIs, options, SQL, codes.
#include "config.h"

#include "drivers/drivers.h"
#include "drivers/mysql/codes.h"
#include "drivers/mysql/session.h"
#include "tests/tap.h"

#include <stdlib.h>

static struct mysqldb_target *opened(const char *text) {
  struct target *target = NULL;
  struct error error = {0};
  if (!CHECK(!target_open(text, NULL, NULL, 1, 1, &target, &error)))
    printf("#   %s: %s\n", text, error.text);
  return target ? mysqldb_of(target) : NULL;
}

static const char *refusal(const char *text) {
  static struct error error;
  struct target *target = NULL;
  error.text[0] = '\0';
  if (!target_open(text, NULL, NULL, 1, 1, &target, &error))
    target_close(target);
  return error.text;
}

static const char *word(const char *text) { return text ? text : "none"; }

static void uris_come_apart(void) {
  static const struct {
    const char *uri, *user, *password, *host, *database;
    uint16_t port;
  } cases[] = {
      {"mysql://me:p%40s%2fs@db1:3307/base", "me", "p@s/s", "db1", "base",
       3307},
      {"mariadb://me@db1", "me", "none", "db1", "none", 0},
      {"mysql://me:@db1/b", "me", "", "db1", "b", 0},
      {"mysql://me:a:b@[::1]:3306/b", "me", "a:b", "::1", "b", 3306},
      {"mysql://[::1]/b", "none", "none", "::1", "b", 0},
      {"mysql:///b", "none", "none", "none", "b", 0},
      {"mysql://", "none", "none", "none", "none", 0},
      {"mysql://h/?tables=2", "none", "none", "h", "none", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct mysqldb_target *target = opened(cases[i].uri);
    if (!target)
      continue;
    CHECK_STR(word(target->authority.user), cases[i].user);
    CHECK_STR(word(target->authority.password), cases[i].password);
    CHECK_STR(word(target->authority.hosts->name), cases[i].host);
    CHECK_STR(word(target->database), cases[i].database);
    CHECK_INT(target->authority.hosts->port, cases[i].port);
    target_close(&target->base);
  }
}

// Parts of a password that was not escaped would become a host, a port or a
// database, and be repeated when that is not found.
static void passwords_are_not_repeated(void) {
  static const char *const uris[] = {
      "mysql://me:ss@secret@host/base", "mysql://me:ss/secret@host/b",
      "mysql://me:12/secret@host/base", "mysql://me:secret%@host/b",
      "mysql://me:secret%00@host/b",    "mysql://me:se?cret@host/base",
      "mysql://me:secret/base",         "mysql:me:secret@host",
      "mysql://me:secret@[::1/b",       "mysql://me:secret@h1,h2/b",
      "mysql://me:secret@h:70000/b",    "mysql://me:secret@h:0/b",
      "mysql://me:secret@h:/b",         "mysql://me:secret@h/b/c",
      "mysql://me:secret@[::1]x/b"};
  for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
    const char *text = refusal(uris[i]);
    if (!CHECK(*text && !strstr(text, "cret") && !strstr(text, "sec")))
      printf("#   %s: %s\n", uris[i], text);
  }
}

static void options_are_read(void) {
  struct mysqldb_target *target =
      opened("mysql://h/b?lock_timeout=2s&statement_timeout=50ms&"
             "innodb_snapshot_isolation=ON&socket=/tmp/a%20b&timeout=1m");
  if (!target)
    return;
  CHECK_INT(target->lock_timeout, 2);
  CHECK_INT(target->statement_timeout, 50);
  CHECK_INT(target->snapshot_isolation, 1);
  CHECK_INT(target->timeout, 60);
  CHECK_INT(target->tls, MYSQLDB_TLS_DEFAULT);
  CHECK_STR(target->socket, "/tmp/a b");
  target_close(&target->base);
  target = opened("mysql://h/b?ssl-ca=/dev/null");
  CHECK_INT(target->tls, MYSQLDB_TLS_VERIFY);
  CHECK_INT(target->lock_timeout, -1);
  CHECK_INT(target->snapshot_isolation, -1);
  target_close(&target->base);
}

static const char *refusal_of_setup(const char *text) {
  static struct error error;
  struct mysqldb_target *target = opened(text);
  const struct keyspace keys = {.nkeys = 1};
  error.text[0] = '\0';
  if (target) {
    CHECK(target->base.driver->setup(&target->base, &keys, &error));
    target_close(&target->base);
  }
  return error.text;
}

static void servers_are_named_as_they_were_written(void) {
  CHECK_STR(refusal("mariadb://a,b/c"),
            "a MariaDB target has one host and one database, as in "
            "mariadb://USER:PASSWORD@HOST:PORT/DATABASE");
  CHECK_STR(refusal_of_setup("mariadb://me@127.0.0.1:1/b"),
            "MariaDB at 127.0.0.1:1: cannot connect: the connection was "
            "refused (2002)");
  CHECK_STR(refusal_of_setup("MySQL://me@127.0.0.1:1/b"),
            "MySQL at 127.0.0.1:1: cannot connect: the connection was refused "
            "(2002)");
}

static void options_are_checked(void) {
  static const struct {
    const char *options, *refusal;
  } cases[] = {
      {"tables=0", "tables=0 is not a number from 1 to 64"},
      {"columns=65", "columns=65 is not a number from 1 to 64"},
      {"index=secundary",
       "index=secundary is not possible; did you mean index=secondary?"},
      {"read=for_update",
       "read=for_update is not possible; did you mean read=for-update?"},
      {"write=x", "write=x is not possible; it can be update, upsert"},
      {"write=update-returning",
       "write=update-returning is not possible: MariaDB and MySQL have no "
       "UPDATE ... RETURNING; it can be update, upsert"},
      {"pipeline=yes",
       "mysql has no option \"pipeline\"; `isostress list` shows its options"},
      {"lock_timeout=x", "lock_timeout=x is not a time up to 1 h: write it as "
                         "5s, 100ms or 1m"},
      {"lock_timeout=100ms", "lock_timeout=100ms is not possible; it is "
                             "counted in whole seconds, as in lock_timeout=1s"},
      {"ssl-mode=require",
       "ssl-mode=require is not possible; did you mean ssl-mode=required?"},
      {"ssl-ca=/no/file",
       "ssl-ca=/no/file cannot be read: No such file or directory"},
      {"defaults-file=/no/file",
       "defaults-file=/no/file cannot be read: No such file or directory"},
      {"table=a.b.c", "table=a.b.c is not possible; it can be a name or "
                      "DATABASE.NAME of letters, digits and underscores"},
      {"table=a%60;drop", "table=a`;drop is not possible; it can be a name or "
                          "DATABASE.NAME of letters, digits and underscores"},
      {"tabels=2", "mysql has no option \"tabels\"; did you mean \"tables\"?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[100];
    snprintf(text, sizeof text, "mysql://h/b?%s", cases[i].options);
    CHECK_STR(refusal(text), cases[i].refusal);
  }
}

// One parameter per question mark.
static void check_text(const struct sql_shape *shape,
                       enum mysqldb_statement statement, const char *wanted,
                       const char *parameters) {
  char *text =
      mysqldb_text(shape, statement, shape->tables - 1, shape->columns - 1);
  CHECK_STR(text, wanted);
  CHECK_STR(mysqldb_parameters(shape, statement), parameters);
  free(text);
}

static void statements_have_the_shape(void) {
  struct sql_shape shape = {.table = "t", .tables = 1, .columns = 1};
  check_text(&shape, MYSQLDB_GET, "SELECT v FROM `t` WHERE k = ?", "r");
  check_text(&shape, MYSQLDB_GET_LOCKED,
             "SELECT v FROM `t` WHERE k = ? LOCK IN SHARE MODE", "r");
  check_text(&shape, MYSQLDB_UPDATE, "UPDATE `t` SET v = ? WHERE k = ?", "vr");
  check_text(&shape, MYSQLDB_REPLACE,
             "UPDATE `t` SET v = ? WHERE k = ? AND v = ?", "vre");
  check_text(&shape, MYSQLDB_APPEND,
             "INSERT INTO `t` (k, v) VALUES (?, ?) ON DUPLICATE KEY UPDATE v = "
             "CONCAT(COALESCE(v, ''), VALUES(v))",
             "rb");
  shape = (struct sql_shape){.table = "d.t",
                             .tables = 2,
                             .columns = 3,
                             .by_secondary = true,
                             .read = SQL_READ_FOR_UPDATE,
                             .write = MYSQLDB_WRITE_UPSERT};
  check_text(&shape, MYSQLDB_GET,
             "SELECT v3 FROM `d`.`t_2` FORCE INDEX (s) WHERE s = ? FOR UPDATE",
             "r");
  check_text(&shape, MYSQLDB_UPSERT,
             "INSERT INTO `d`.`t_2` (k, s, v3) VALUES (?, ?, ?) ON DUPLICATE "
             "KEY UPDATE v3 = VALUES(v3)",
             "rrv");
  check_text(&shape, MYSQLDB_INSERT,
             "INSERT IGNORE INTO `d`.`t_2` (k, s, v3) VALUES (?, ?, ?)", "rrv");
}

static void check_code(unsigned number, enum cause cause,
                       enum outcome from_commit, bool lost) {
  CHECK_INT(mysqldb_code(number)->cause, cause);
  CHECK_INT(mysqldb_code(number)->from_commit, from_commit);
  CHECK_INT(mysqldb_code(number)->lost, lost);
}

static void codes_have_causes(void) {
  check_code(1020, CAUSE_SERIALIZATION, OUTCOME_ABORTED, false);
  check_code(1213, CAUSE_DEADLOCK, OUTCOME_ABORTED, false);
  check_code(1205, CAUSE_LOCK_TIMEOUT, OUTCOME_UNKNOWN, false);
  check_code(1062, CAUSE_CONSTRAINT, OUTCOME_ABORTED, false);
  check_code(1290, CAUSE_OTHER, OUTCOME_ABORTED, false);
  check_code(1969, CAUSE_STATEMENT_TIMEOUT, OUTCOME_UNKNOWN, false);
  check_code(1927, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true);
  check_code(2006, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true);
  check_code(2013, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true);
  check_code(2055, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true);
  check_code(5014, CAUSE_CONNECTION, OUTCOME_UNKNOWN, true);
  check_code(1, CAUSE_OTHER, OUTCOME_UNKNOWN, false);
}

int main(void) {
  return TAP_RUN({"uris come apart", uris_come_apart},
                 {"passwords are not repeated", passwords_are_not_repeated},
                 {"options are read", options_are_read},
                 {"servers are named as they were written",
                  servers_are_named_as_they_were_written},
                 {"options are checked", options_are_checked},
                 {"statements have the shape", statements_have_the_shape},
                 {"codes have causes", codes_have_causes});
}
