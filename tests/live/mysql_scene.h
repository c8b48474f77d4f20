// SPDX-License-Identifier: GPL-3.0-or-later
// Two sessions of the mysql driver on a table of ten registers, and somebody
// who may do all and can make things happen to them.  MY_URI in the environment
// says where the server is.
#ifndef TESTS_LIVE_MYSQL_SCENE_H
#define TESTS_LIVE_MYSQL_SCENE_H

#include "drivers/drivers.h"
#include "drivers/mysql_session.h"
#include "tests/live/proxy.h"
#include "tests/tap.h"

#include <mysql.h>
#include <stdlib.h>
#include <unistd.h>

enum { RR, RC, SER, RU }; // positions in the driver's table of levels

// A target, two sessions on it, and somebody who may do all.
struct scene {
  struct target *target;
  const struct driver *driver;
  struct connection *c[2];
  MYSQL *admin;
};

static inline const char *uri_of_server(void) {
  const char *value = getenv("MY_URI");
  if (value)
    return value;
  printf("Bail out! MY_URI is not set: run this through its script\n");
  exit(1);
}

static inline void sql(struct scene *scene, const char *text) {
  if (!CHECK(!mysql_query(scene->admin, text)))
    printf("#   %s: %s\n", text, mysql_error(scene->admin));
}

// The number that a query returns; 0 if it returns none.
static inline uint64_t number(MYSQL *mysql, const char *query) {
  uint64_t value = 0;
  if (!CHECK(!mysql_query(mysql, query)))
    printf("#   %s: %s\n", query, mysql_error(mysql));
  MYSQL_RES *rows = mysql_store_result(mysql);
  const MYSQL_ROW row = rows ? mysql_fetch_row(rows) : NULL;
  if (row && row[0])
    value = strtoull(row[0], NULL, 10);
  mysql_free_result(rows);
  return value;
}

// The committed value of a key.
static inline uint64_t stored(struct scene *scene, uint64_t key) {
  char text[100];
  snprintf(text, sizeof text, "SELECT v FROM isostress WHERE k = %llu",
           (unsigned long long)key);
  return number(scene->admin, text);
}

static inline MYSQL *connect_as_admin(struct target *target) {
  const struct mysqldb_target *server = mysqldb_of(target);
  const struct authority_host *host = server->authority.hosts;
  MYSQL *mysql = mysql_init(NULL);
  if (!CHECK(mysql_real_connect(mysql, host->name, "boss",
                                server->authority.password, server->database,
                                host->port, NULL, 0)))
    printf("#   %s\n", mysql_error(mysql));
  return mysql;
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

static inline void make_keys(struct scene *scene, bool lists) {
  const struct keyspace keys = {.nkeys = 10, .preload = !lists, .lists = lists};
  struct error error = {0};
  if (!CHECK(!scene->driver->setup(scene->target, &keys, &error)))
    printf("#   %s\n", error.text);
}

// Ten registers, two sessions.
static inline struct scene scene_at(const char *uri, const char *option) {
  struct scene scene = {.target = target_at(uri, option)};
  struct target *direct = target_at(uri_of_server(), NULL);
  scene.admin = connect_as_admin(direct);
  target_close(direct);
  scene.driver = scene.target->driver;
  make_keys(&scene, false);
  join(&scene, 0);
  join(&scene, 1);
  return scene;
}

static inline struct scene scene_with(const char *option) {
  return scene_at(uri_of_server(), option);
}

static inline void scene_end(struct scene *scene) {
  leave(scene, 0);
  leave(scene, 1);
  target_close(scene->target);
  mysql_close(scene->admin);
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

// A code of NULL may be any: of a loss, the server may come to say why or not.
static inline void check_why(const struct scene *scene, int i, enum cause cause,
                             const char *code, bool broken) {
  const struct connection *c = scene->c[i];
  CHECK_INT(c->cause, cause);
  if (code)
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

static inline MYSQL *mysql_of(const struct scene *scene, int i) {
  return mysqldb_session_of(scene->c[i])->mysql;
}

static inline void end_session(struct scene *scene, int i, const char *what) {
  char text[60];
  snprintf(text, sizeof text, "KILL %s %lu", what,
           mysql_thread_id(mysql_of(scene, i)));
  sql(scene, text);
}

// InnoDB brings its tables up to date when nobody has looked for 0.1 s.
static inline void await_count(struct scene *s, const char *query,
                               uint64_t wanted) {
  for (int i = 0; i < 500 && number(s->admin, query) != wanted; i++)
    usleep(120000);
  CHECK_INT(number(s->admin, query), wanted);
}

// Through a proxy.
static inline uint16_t port_of(const char *uri) {
  return (uint16_t)atoi(strrchr(uri, ':') + 1);
}

static inline void uri_through(const struct proxy *proxy, char *uri,
                               size_t room) {
  const char *real = uri_of_server();
  const char *port = strrchr(real, ':') + 1;
  snprintf(uri, room, "%.*s%u%s", (int)(port - real), real, proxy->port,
           port + strspn(port, "0123456789"));
}

#endif
