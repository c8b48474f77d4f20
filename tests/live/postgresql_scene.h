// SPDX-License-Identifier: GPL-3.0-or-later
// Two sessions of the PostgreSQL driver on a table of ten registers, and the
// superuser, who can make things happen to them.  PG_URI and PG_ADMIN in the
// environment say where the server is.
#ifndef TESTS_LIVE_POSTGRESQL_SCENE_H
#define TESTS_LIVE_POSTGRESQL_SCENE_H

#include "drivers/drivers.h"
#include "drivers/postgresql_session.h"
#include "tests/tap.h"

#include <libpq-fe.h>
#include <stdlib.h>

enum { RC, RR, SER }; // positions in the driver's table of levels

// A target, two sessions on it, and the superuser.
struct scene {
  struct target *target;
  const struct driver *driver;
  struct connection *c[2];
  PGconn *admin;
};

static inline const char *environment(const char *name) {
  const char *value = getenv(name);
  if (value)
    return value;
  printf("Bail out! %s is not set: run this through its script\n", name);
  exit(1);
}

static inline void sql(struct scene *scene, const char *text) {
  PGresult *result = PQexec(scene->admin, text);
  if (!CHECK(postgresql_succeeded(result)))
    printf("#   %s: %s", text, PQerrorMessage(scene->admin));
  PQclear(result);
}

// The committed value of a key, as the superuser sees it.
static inline uint64_t stored(struct scene *scene, uint64_t key) {
  char text[100];
  snprintf(text, sizeof text, "SELECT v FROM isostress WHERE k = %llu",
           (unsigned long long)key);
  PGresult *result = PQexec(scene->admin, text);
  const uint64_t value =
      PQntuples(result) ? strtoull(PQgetvalue(result, 0, 0), NULL, 10) : 0;
  PQclear(result);
  return value;
}

static inline struct target *target_at(const char *uri, const char *option) {
  const char *const extra[] = {option, NULL};
  struct target *target = NULL;
  struct error error = {0};
  if (!CHECK(!target_open(uri, NULL, option ? extra : NULL, 2, 1, &target,
                          &error)))
    printf("#   %s\n", error.text);
  return target;
}

static inline void join(struct scene *scene, int i) {
  struct error error = {0};
  if (!CHECK(!scene->driver->connect(scene->target, (uint32_t)i, &scene->c[i],
                                     &error)))
    printf("#   %s\n", error.text);
}

static inline void leave(struct scene *scene, int i) {
  scene->driver->disconnect(scene->c[i]);
}

// Ten registers, two sessions.
static inline struct scene scene_at(const char *uri, const char *option) {
  struct scene scene = {.target = target_at(uri, option),
                        .admin = PQconnectdb(environment("PG_ADMIN"))};
  struct error error = {0};
  CHECK_INT(PQstatus(scene.admin), CONNECTION_OK);
  scene.driver = scene.target->driver;
  const struct keyspace keys = {.nkeys = 10, .preload = true};
  if (!CHECK(!scene.driver->setup(scene.target, &keys, &error)))
    printf("#   %s\n", error.text);
  join(&scene, 0);
  join(&scene, 1);
  return scene;
}

static inline struct scene scene_with(const char *option) {
  return scene_at(environment("PG_URI"), option);
}

static inline void scene_end(struct scene *scene) {
  leave(scene, 0);
  leave(scene, 1);
  target_close(scene->target);
  PQfinish(scene->admin);
}

static inline void begin(struct scene *scene, int i, int level) {
  CHECK_INT(scene->driver->begin(scene->c[i], &scene->driver->levels[level]),
            OUTCOME_OK);
}
static inline enum outcome get(struct scene *scene, int i, uint64_t key) {
  uint64_t value;
  return scene->driver->get(scene->c[i], key, &value);
}
static inline enum outcome put(struct scene *scene, int i, uint64_t key,
                               uint64_t value) {
  return scene->driver->put(scene->c[i], key, value);
}
static inline enum outcome commit(struct scene *scene, int i) {
  return scene->driver->commit(scene->c[i]);
}

static inline void check_why(const struct scene *scene, int i, enum cause cause,
                             const char *code, bool broken) {
  const struct connection *c = scene->c[i];
  CHECK_INT(c->cause, cause);
  CHECK_STR(c->code, code);
  CHECK_INT(c->broken, broken);
  CHECK(*c->text && !strchr(c->text, '\n'));
}

// After a failure that left the connection intact.
static inline void check_goes_on(struct scene *scene, int i) {
  CHECK_INT(scene->driver->rollback(scene->c[i]), OUTCOME_OK);
  begin(scene, i, RC);
  CHECK_INT(put(scene, i, 9, 99), OUTCOME_OK);
  CHECK_INT(commit(scene, i), OUTCOME_OK);
}

static inline void check_reconnects(struct scene *scene, int i) {
  leave(scene, i);
  join(scene, i);
  check_goes_on(scene, i);
}

// An error that a trigger raises at commit.
static inline void raise_at_commit(struct scene *scene, const char *sqlstate) {
  char text[400];
  sql(scene, "DROP TRIGGER IF EXISTS late ON isostress");
  snprintf(text, sizeof text,
           "CREATE OR REPLACE FUNCTION late() RETURNS trigger LANGUAGE plpgsql"
           " AS $$BEGIN RAISE EXCEPTION 'late' USING ERRCODE = '%s'; END$$",
           sqlstate);
  sql(scene, text);
  sql(scene, "CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON isostress"
             " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.v = 5)"
             " EXECUTE FUNCTION late()");
}

#endif
