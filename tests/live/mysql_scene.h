// SPDX-License-Identifier: GPL-3.0-or-later
// The scene of tests/live/scene.h on MariaDB or MySQL.  MY_URI in the
// environment says where the server is.
#ifndef TESTS_LIVE_MYSQL_SCENE_H
#define TESTS_LIVE_MYSQL_SCENE_H

#include "drivers/mysql/session.h"
#include "tests/live/scene.h"

#include <mysql.h>

enum { RR, RC, SER, RU }; // positions in the driver's table of levels

static inline const char *uri_of_server(void) { return environment("MY_URI"); }

static inline void sql(struct scene *scene, const char *text) {
  if (!CHECK(!mysql_query(scene->admin, text)))
    printf("#   %s: %s\n", text, mysql_error(scene->admin));
}

// The number that a query returns at the end of its row; 0 if it returns none.
static inline uint64_t number(MYSQL *mysql, const char *query) {
  uint64_t value = 0;
  if (!CHECK(!mysql_query(mysql, query)))
    printf("#   %s: %s\n", query, mysql_error(mysql));
  MYSQL_RES *rows = mysql_store_result(mysql);
  const MYSQL_ROW row = rows ? mysql_fetch_row(rows) : NULL;
  const char *last = row ? row[mysql_num_fields(rows) - 1] : NULL;
  if (last)
    value = strtoull(last, NULL, 10);
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

static inline struct scene scene_at(const char *uri, const char *option) {
  struct scene scene = {0};
  struct target *direct = target_at(uri_of_server(), NULL);
  scene.admin = connect_as_admin(direct);
  target_close(direct);
  scene_begin(&scene, target_at(uri, option));
  return scene;
}

static inline struct scene scene_with(const char *option) {
  return scene_at(uri_of_server(), option);
}

static inline void scene_end(struct scene *scene) {
  scene_close(scene);
  mysql_close(scene->admin);
}

static inline MYSQL *mysql_of(const struct scene *scene, int i) {
  return mysqldb_session_of(scene->c[i])->mysql;
}

// Each of the two lacks some of what the other one has.
static inline bool is_mariadb(const struct scene *scene) {
  return mariadb_connection(scene->admin);
}

// A limit of the user.
static inline void limit_user(struct scene *s, const char *what, int most) {
  char text[100];
  snprintf(text, sizeof text, "ALTER USER isostress@'127.0.0.1' WITH %s %d",
           what, most);
  sql(s, text);
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

#endif
