// SPDX-License-Identifier: GPL-3.0-or-later
// The PostgreSQL driver without a server: URIs, options, SQL, codes.
#include "config.h"

#include "drivers/drivers.h"
#include "drivers/postgresql/codes.h"
#include "drivers/postgresql/session.h"
#include "tests/tap.h"

#include <stdlib.h>

static struct postgresql_target *opened(const char *text) {
  struct target *target = NULL;
  struct error error = {0};
  if (!CHECK(!target_open(text, NULL, NULL, 1, 1, &target, &error)))
    printf("#   %s: %s\n", text, error.text);
  return target ? postgresql_of(target) : NULL;
}

static const char *parameter(const struct postgresql_target *target,
                             const char *keyword) {
  for (size_t i = 0; target->keywords[i]; i++)
    if (!strcmp(target->keywords[i], keyword))
      return target->values[i];
  return "";
}

static const char *refusal(const char *text) {
  static struct error error;
  struct target *target = NULL;
  error.text[0] = '\0';
  if (!target_open(text, NULL, NULL, 1, 1, &target, &error))
    target_close(target);
  return error.text;
}

static void uris_are_libpqs(void) {
  struct postgresql_target *target =
      opened("postgresql://me:p%40ss@db1:5433,db2:5434/base?sslmode=require&"
             "tables=3&application_name=a%20b&target_session_attrs=read-write");
  if (!target)
    return;
  CHECK_STR(parameter(target, "user"), "me");
  CHECK_STR(parameter(target, "password"), "p@ss");
  CHECK_STR(parameter(target, "host"), "db1,db2");
  CHECK_STR(parameter(target, "port"), "5433,5434");
  CHECK_STR(parameter(target, "dbname"), "base");
  CHECK_STR(parameter(target, "sslmode"), "require");
  CHECK_STR(parameter(target, "application_name"), "a b");
  CHECK_STR(parameter(target, "target_session_attrs"), "read-write");
  CHECK_STR(parameter(target, "connect_timeout"), "10");
  CHECK_INT(target->shape.tables, 3);
  target_close(&target->base);
}

static void the_other_scheme_is_known(void) {
  struct postgresql_target *target =
      opened("postgres:///base?host=/tmp/a%20b&connect_timeout=3&ssl=true");
  if (!target)
    return;
  CHECK_STR(parameter(target, "host"), "/tmp/a b");
  CHECK_STR(parameter(target, "connect_timeout"), "3");
  CHECK_STR(parameter(target, "sslmode"), "require");
  target_close(&target->base);
}

static void extra_options_reach_libpq(void) {
  const char *const extra[] = {"options=-c geqo=off", "columns=2", NULL};
  struct target *target = NULL;
  struct error error = {0};
  CHECK_INT(target_open("postgresql://h/b", NULL, extra, 1, 1, &target, &error),
            0);
  CHECK_STR(error.text, "");
  if (!target)
    return;
  CHECK_STR(parameter(postgresql_of(target), "options"), "-c geqo=off");
  CHECK_INT(postgresql_of(target)->shape.columns, 2);
  target_close(target);
}

// Parts of a password that was not escaped would become a host, a port or a
// database, and be repeated when that is not found.
static void passwords_are_not_repeated(void) {
  static const char *const uris[] = {"postgresql://me:ss@secret@host/base",
                                     "postgresql://me:ss/secret@host/b",
                                     "postgresql://me:12/secret@host/base",
                                     "postgresql://me:secret%@host/b",
                                     "postgresql://me:se?cret@host/base",
                                     "postgresql://me:secret/base",
                                     "postgresql:me:secret@host"};
  for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
    const char *text = refusal(uris[i]);
    if (!CHECK(*text && !strstr(text, "cret") && !strstr(text, "sec")))
      printf("#   %s: %s\n", uris[i], text);
  }
}

static void options_are_checked(void) {
  static const struct {
    const char *options, *refusal;
  } cases[] = {
      {"tables=0", "tables=0 is not a number from 1 to 64"},
      {"columns=65", "columns=65 is not a number from 1 to 64"},
      {"columns=two", "columns=two is not a number from 1 to 64"},
      {"tables=-1", "tables=-1 is not a number from 1 to 64"},
      {"index=secundary",
       "index=secundary is not possible; did you mean index=secondary?"},
      {"read=for_update",
       "read=for_update is not possible; did you mean read=for-update?"},
      {"write=x", "write=x is not possible; it can be update, upsert, "
                  "update-returning"},
      {"pipeline=maybe", "pipeline=maybe is not possible; it can be no, yes"},
      {"lock_timeout=x", "lock_timeout=x is not a time up to 1 h: write it as "
                         "5s, 100ms or 1m"},
      {"table=a.b.c", "table=a.b.c is not possible; it can be a name or "
                      "SCHEMA.NAME of letters, digits and underscores"},
      {"table=a%22;drop", "table=a\";drop is not possible; it can be a name or "
                          "SCHEMA.NAME of letters, digits and underscores"},
      {"tabels=2", "postgresql has no option \"tabels\"; did you mean "
                   "\"tables\"?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[100];
    snprintf(text, sizeof text, "postgresql://h/b?%s", cases[i].options);
    CHECK_STR(refusal(text), cases[i].refusal);
  }
}

static void check_text(const struct sql_shape *shape,
                       enum postgresql_statement statement,
                       const char *wanted) {
  char *text =
      postgresql_text(shape, statement, shape->tables - 1, shape->columns - 1);
  CHECK_STR(text, wanted);
  free(text);
}

static void statements_have_the_shape(void) {
  struct sql_shape shape = {.table = "t", .tables = 1, .columns = 1};
  check_text(&shape, POSTGRESQL_GET, "SELECT v FROM \"t\" WHERE k = $1");
  check_text(&shape, POSTGRESQL_UPDATE, "UPDATE \"t\" SET v = $2 WHERE k = $1");
  check_text(&shape, POSTGRESQL_REPLACE_VALUE,
             "UPDATE \"t\" SET v = $2 WHERE k = $1 AND v = $3");
  shape = (struct sql_shape){.table = "s.t",
                             .tables = 2,
                             .columns = 3,
                             .by_secondary = true,
                             .read = SQL_READ_FOR_UPDATE,
                             .write = WRITE_UPDATE_RETURNING};
  check_text(&shape, POSTGRESQL_GET,
             "SELECT v3 FROM \"s\".\"t_2\" WHERE s = $1 FOR UPDATE");
  check_text(&shape, POSTGRESQL_UPDATE,
             "UPDATE \"s\".\"t_2\" SET v3 = $2 WHERE k = $1 RETURNING v3");
  check_text(&shape, POSTGRESQL_UPSERT,
             "INSERT INTO \"s\".\"t_2\" AS t (k, s, v3) VALUES ($1, $1, $2) ON "
             "CONFLICT (k) DO UPDATE SET v3 = $2 RETURNING t.v3");
}

static void check_code(const char *sqlstate, enum cause cause,
                       enum outcome from_commit) {
  CHECK_INT(postgresql_code(sqlstate)->cause, cause);
  CHECK_INT(postgresql_code(sqlstate)->from_commit, from_commit);
}

static void codes_have_causes(void) {
  check_code("40001", CAUSE_SERIALIZATION, OUTCOME_ABORTED);
  check_code("40P01", CAUSE_DEADLOCK, OUTCOME_ABORTED);
  check_code("23505", CAUSE_CONSTRAINT, OUTCOME_ABORTED);
  check_code("57P01", CAUSE_CONNECTION, OUTCOME_UNKNOWN);
  check_code("57014", CAUSE_STATEMENT_TIMEOUT, OUTCOME_ABORTED);
  check_code("40003", CAUSE_OTHER, OUTCOME_UNKNOWN);
  check_code("XX000", CAUSE_OTHER, OUTCOME_UNKNOWN);
  check_code("", CAUSE_OTHER, OUTCOME_UNKNOWN);
}

int main(void) {
  // A user's environment must not reach these tests.
  unsetenv("PGCONNECT_TIMEOUT");
  return TAP_RUN({"uris are libpq's", uris_are_libpqs},
                 {"the other scheme is known", the_other_scheme_is_known},
                 {"extra options reach libpq", extra_options_reach_libpq},
                 {"passwords are not repeated", passwords_are_not_repeated},
                 {"options are checked", options_are_checked},
                 {"statements have the shape", statements_have_the_shape},
                 {"codes have causes", codes_have_causes});
}
