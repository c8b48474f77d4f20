// SPDX-License-Identifier: GPL-3.0-or-later
// Statements on rows by two sessions of a real server, one after the other,
// where a statement that has to wait for the other session's lock goes on by
// itself when it can: the scripts of what levels let happen.
#ifndef TESTS_LIVE_ROWS_SCENE_H
#define TESTS_LIVE_ROWS_SCENE_H

#include "drivers/drivers.h"
#include "tests/kit/row_driver.h"
#include "tests/live/scene.h"

#include <pthread.h>

struct rows_scene {
  struct target *target, *watching;
  const struct driver *driver;
  struct connection *c[2], *watcher;
};

static inline struct connection *rows_join(struct target *target,
                                           uint32_t session) {
  struct connection *connection = NULL;
  struct error error = {0};
  if (!CHECK(!target->driver->connect(target, session, &connection, &error)))
    printf("#   %s\n", error.text);
  return connection;
}

// `watcher` is the same server by a user who may see who waits.
static inline struct rows_scene
rows_scene_at(const char *uri, const char *option, const char *watcher) {
  struct rows_scene scene = {.target = target_at(uri, option),
                             .watching = target_at(watcher, NULL)};
  scene.driver = scene.target->driver;
  rows_setup(scene.driver, scene.target);
  for (uint32_t i = 0; i < 2; i++)
    scene.c[i] = rows_join(scene.target, i);
  scene.watcher = rows_join(scene.watching, 0);
  return scene;
}

static inline void rows_scene_end(struct rows_scene *scene) {
  for (int i = 0; i < 2; i++)
    scene->driver->disconnect(scene->c[i]);
  scene->driver->disconnect(scene->watcher);
  target_close(scene->watching);
  target_close(scene->target);
}

// ---- Scripts

enum { ACTS = 12 };

struct script {
  const char *name;
  struct act {
    int who;
    const char *text; // "commit" or a statement
  } acts[ACTS];       // the first one without text is the end
};

// One act in a thread of its own.
struct acting {
  struct rows_scene *scene;
  const struct act *act;
  uint64_t stamp;
  bool *failed; // of the session: it is rolled back
  _Atomic bool done;
  char answer[300];
};

static inline void *act_it(void *argument) {
  struct acting *a = argument;
  const struct driver *driver = a->scene->driver;
  struct connection *c = a->scene->c[a->act->who];
  if (*a->failed)
    snprintf(a->answer, sizeof a->answer, "-");
  else if (strcmp(a->act->text, "commit"))
    snprintf(a->answer, sizeof a->answer, "%.290s",
             rows_do(driver, c, a->stamp, a->act->text));
  else
    snprintf(a->answer, sizeof a->answer, "%s",
             driver->commit(c) == OUTCOME_OK ? "ok" : "aborted");
  if (!strncmp(a->answer, "aborted", 7)) {
    *a->failed = true;
    snprintf(a->answer, sizeof a->answer, "%s", c->code);
    if (strcmp(a->act->text, "commit"))
      driver->rollback(c);
  }
  a->done = true;
  return NULL;
}

// Until it is done or waits for the other session.  InnoDB brings its tables up
// to date when nobody has looked for 0.1 s.
static inline void await_act(const struct acting *a) {
  const struct rows_scene *scene = a->scene;
  for (int i = 1; !a->done; i++) {
    usleep(2000);
    if (i % 60 == 0 &&
        scene->driver->waits(scene->watcher, scene->c[a->act->who]) == 1)
      return;
  }
}

// The next act that has not begun, of a session whose last one is done; -1:
// none at this moment.
static inline int next_act(const struct script *script,
                           const struct acting *acting, const bool *begun) {
  bool waits[2] = {false, false};
  for (int i = 0; i < ACTS && script->acts[i].text; i++) {
    const int who = script->acts[i].who;
    if (!begun[i] && !waits[who])
      return i;
    waits[who] |= !begun[i] || !acting[i].done;
  }
  return -1;
}

// An act of a session that waits comes when it goes on.
static inline void play_acts(struct rows_scene *scene,
                             const struct script *script, char *told,
                             size_t room) {
  static struct acting acting[ACTS];
  bool failed[2] = {false, false}, begun[ACTS] = {false};
  pthread_t threads[ACTS];
  int n = 0;
  memset(acting, 0, sizeof acting);
  while (n < ACTS && script->acts[n].text)
    n++;
  for (int left = n; left;) {
    const int i = next_act(script, acting, begun);
    if (i < 0) {
      usleep(2000);
      continue;
    }
    acting[i] = (struct acting){.scene = scene,
                                .act = &script->acts[i],
                                .stamp = (uint64_t)i + 1,
                                .failed = &failed[script->acts[i].who]};
    CHECK(!pthread_create(&threads[i], NULL, act_it, &acting[i]));
    begun[i] = true;
    left--;
    await_act(&acting[i]);
  }
  size_t used = 0;
  *told = '\0';
  for (int i = 0; i < n; i++) {
    pthread_join(threads[i], NULL);
    used += (size_t)snprintf(told + used, used < room ? room - used : 0, "%s%s",
                             i ? " | " : "", acting[i].answer);
  }
}

// The answers to the sessions, both at this level, on fresh rows.
static inline const char *play_script(struct rows_scene *scene, int level,
                                      const struct script *script) {
  static char told[2000];
  rows_setup(scene->driver, scene->target);
  begin_rows(scene->driver, scene->c[0], level);
  begin_rows(scene->driver, scene->c[1], level);
  play_acts(scene, script, told, sizeof told);
  return told;
}

// The acts of the acceptance table.  PostgreSQL's and MariaDB's snapshots begin
// with the first statement.
enum { A, B, D, F, G, H, I, J, SCRIPTS };
static const struct script scripts[SCRIPTS] = {
    [A] = {"A: a SELECT misses a row, an UPDATE changes it, a SELECT shows it",
           {{0, "select b = 7"},
            {1, "insert 8 7 1 0"},
            {1, "commit"},
            {0, "update b = 7 : f=1"},
            {0, "select b = 7"},
            {0, "commit"}}},
    [B] = {"B: a DELETE deletes nothing, though some row had and has the value",
           {{0, "update id = 0 : v=11"},
            {0, "update id = 1 : v=10"},
            {1, "delete v = 10"},
            {0, "commit"},
            {1, "select v = 10"},
            {1, "commit"}}},
    [D] = {"D: a SELECT and a SELECT FOR UPDATE differ",
           {{0, "select b = 7"},
            {1, "insert 8 7 1 0"},
            {1, "commit"},
            {0, "lock b = 7"},
            {0, "select b = 7"},
            {0, "commit"}}},
    [F] = {"F: both find no row and insert one",
           {{0, "select b = 7"},
            {1, "select b = 7"},
            {0, "insert 8 7 1 0"},
            {1, "insert 9 7 1 0"},
            {0, "commit"},
            {1, "commit"}}},
    [G] = {"G: a skew by two UPDATEs",
           {{0, "update v = 10 : v=11"},
            {1, "update v = 11 : v=10"},
            {0, "commit"},
            {1, "commit"}}},
    [H] = {"H: an UPDATE skips the row that matched and the one that matches",
           {{0, "update id = 0 : v=99"},
            {0, "insert 8 7 10 0"},
            {1, "update v = 10 : f=1"},
            {0, "commit"},
            {1, "commit"}}},
    [I] = {"I: an UPDATE sees half a transaction",
           {{0, "update id = 0 : f=5"},
            {0, "insert 8 0 50 5"},
            {1, "update b = 0 : v+1"},
            {0, "commit"},
            {1, "commit"}}},
    [J] = {"J: an INSERT or nothing meets a row that no SELECT shows",
           {{0, "select id = 8"},
            {1, "insert 8 7 1 0"},
            {1, "commit"},
            {0, "insert? 8 7 2 0"},
            {0, "select id = 8"},
            {0, "commit"}}},
};

// The tables of what is expected have one row per script and level.
static inline void check_scripts(struct rows_scene *scene, int level,
                                 const char *const expected[SCRIPTS]) {
  for (int i = 0; i < SCRIPTS; i++)
    if (expected[i] &&
        !tap_check(!strcmp(play_script(scene, level, &scripts[i]), expected[i]),
                   __FILE__, __LINE__, scripts[i].name))
      printf("#   got    %s\n#   wanted %s\n",
             play_script(scene, level, &scripts[i]), expected[i]);
}

#endif
