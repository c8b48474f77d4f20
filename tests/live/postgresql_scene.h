// SPDX-License-Identifier: GPL-3.0-or-later
// The scene of tests/live/scene.h on PostgreSQL.  PG_URI and PG_ADMIN in the
// environment say where the server is.
#ifndef TESTS_LIVE_POSTGRESQL_SCENE_H
#define TESTS_LIVE_POSTGRESQL_SCENE_H

#include "drivers/postgresql/session.h"
#include "tests/live/scene.h"

#include <libpq-fe.h>

enum { RC, RR, SER }; // positions in the driver's table of levels

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

static inline struct scene scene_at(const char *uri, const char *option) {
  struct scene scene = {.admin = PQconnectdb(environment("PG_ADMIN"))};
  CHECK_INT(PQstatus(scene.admin), CONNECTION_OK);
  scene_begin(&scene, target_at(uri, option));
  return scene;
}

static inline struct scene scene_with(const char *option) {
  return scene_at(environment("PG_URI"), option);
}

static inline void scene_end(struct scene *scene) {
  scene_close(scene);
  PQfinish(scene->admin);
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

// Through a proxy, with options that begin with an ampersand.
static inline void pg_uri_through(const struct proxy *proxy,
                                  const char *options, char *uri, size_t room) {
  char all[100];
  snprintf(all, sizeof all, "?sslmode=disable&gssencmode=disable%s", options);
  uri_through(proxy, environment("PG_URI"), all, uri, room);
}

#endif
