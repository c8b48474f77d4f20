// SPDX-License-Identifier: GPL-3.0-or-later
// The mysql driver when sessions are ended, when there are too many, and when
// connections are lost before, during and after COMMIT.  Run by
// mysql_losses.sh.
#include "config.h"

#include "tests/live/mysql_scene.h"

// ---- Connections that end

static void a_session_that_ends_unasked(void) {
  struct scene s = scene_with(NULL);
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_OK);
  end_session(&s, 0, "CONNECTION");
  CHECK_INT(get(&s, 0, 0), OUTCOME_ABORTED);
  CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
  CHECK(s.c[0]->broken);
  CHECK_INT(s.driver->rollback(s.c[0]), OUTCOME_ABORTED);
  check_reconnects(&s, 0);
  CHECK_INT(stored(&s, 0), 0);
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_OK);
  end_session(&s, 0, "CONNECTION");
  CHECK_INT(commit(&s, 0), OUTCOME_UNKNOWN);
  CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
  CHECK(s.c[0]->broken);
  check_reconnects(&s, 0);
  end_session(&s, 0, "CONNECTION");
  CHECK_INT(s.driver->begin(s.c[0], &s.driver->levels[RC]), OUTCOME_ABORTED);
  CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
  check_reconnects(&s, 0);
  scene_end(&s);
}

// Whoever is killed by another session only finds the connection closed.
static void a_session_that_kills_itself(void) {
  struct scene s = scene_with(NULL);
  char rows[100];
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_OK);
  CHECK_INT(s.driver->sql(s.c[0], "KILL CONNECTION_ID()", rows, sizeof rows),
            OUTCOME_ABORTED);
  if (is_mariadb(&s))
    check_why(&s, 0, CAUSE_CONNECTION, "1927", true);
  else
    check_why(&s, 0, CAUSE_STATEMENT_TIMEOUT, "1317", false);
  check_reconnects(&s, 0);
  CHECK_INT(stored(&s, 0), 0);
  scene_end(&s);
}

// MariaDB closes the connection without a word, MySQL has said why; both may
// find the session gone only when the next statement has been sent.
static void check_idle(bool committing) {
  struct scene s = scene_with(NULL);
  char rows[10], gone[100];
  CHECK_INT(s.driver->sql(s.c[0], "SET wait_timeout = 1", rows, sizeof rows),
            OUTCOME_OK);
  snprintf(gone, sizeof gone,
           "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE id = %lu",
           mysql_thread_id(mysql_of(&s, 0)));
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 1), OUTCOME_OK);
  await_count(&s, gone, 0);
  if (committing)
    CHECK_INT(commit(&s, 0), OUTCOME_UNKNOWN);
  else
    CHECK_INT(get(&s, 0, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_CONNECTION, is_mariadb(&s) ? NULL : "4031", true);
  check_reconnects(&s, 0);
  CHECK_INT(stored(&s, 0), 0);
  scene_end(&s);
}

static void a_session_that_is_idle_for_too_long(void) {
  check_idle(false);
  check_idle(true);
}

static void check_connect_fails(struct scene *s, const char *words) {
  struct connection *third;
  struct error error = {0};
  CHECK_INT(s->driver->connect(s->target, 2, &third, &error), -1);
  if (!CHECK(strstr(error.text, words) != NULL))
    printf("#   %s\n", error.text);
}

static void too_many_connections(void) {
  // Open are the superuser's, two sessions, and what keeps the keys for them.
  enum { LEAST = 10, OPEN = 4 };
  struct scene s = scene_with(NULL);
  struct connection *more[LEAST - OPEN];
  struct error error = {0};
  // Only those who come after this are counted.
  limit_user(&s, "MAX_USER_CONNECTIONS", 1);
  rejoin(&s, 1);
  check_connect_fails(&s, "'max_user_connections' resource");
  limit_user(&s, "MAX_USER_CONNECTIONS", 0);
  await_count(&s,
              "SELECT COUNT(*) FROM information_schema.PROCESSLIST"
              " WHERE command <> 'Daemon'",
              OPEN);
  const uint64_t most = number(s.admin, "SELECT @@max_connections");
  sql(&s, "SET GLOBAL max_connections = 10");
  for (int i = 0; i < LEAST - OPEN; i++)
    if (!CHECK(!s.driver->connect(s.target, 3, &more[i], &error))) {
      printf("Bail out! %s\n", error.text);
      exit(1);
    }
  CHECK_INT(number(s.admin, "SELECT @@max_connections"), LEAST);
  // One more is kept for the superuser.
  check_connect_fails(&s, "Too many connections (1040)");
  for (int i = 0; i < LEAST - OPEN; i++)
    s.driver->disconnect(more[i]);
  char text[60];
  snprintf(text, sizeof text, "SET GLOBAL max_connections = %u",
           (unsigned)most);
  sql(&s, text);
  scene_end(&s);
}

// ---- Losses on the way

// Session 0 begins, writes 7 to key 0, and commits while the proxy is in this
// mode.
static void check_commit_through(enum proxy_mode mode, const char *option,
                                 uint64_t value) {
  struct proxy proxy;
  char uri[300];
  proxy_start(&proxy, port_of(uri_of_server()));
  uri_through(&proxy, uri_of_server(), "", uri, sizeof uri);
  struct scene s = scene_at(uri, option);
  begin(&s, 0, RC);
  CHECK_INT(put(&s, 0, 0, 7), OUTCOME_OK);
  atomic_store(&proxy.mode, mode);
  CHECK_INT(commit(&s, 0), OUTCOME_UNKNOWN);
  CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
  CHECK_INT(*s.c[0]->code, '2'); // the library's codes
  CHECK(s.c[0]->broken);
  atomic_store(&proxy.mode, PROXY_PASS);
  check_reconnects(&s, 0);
  CHECK_INT(stored(&s, 0), value);
  scene_end(&s);
  proxy_stop(&proxy);
}

static void lost_before_commit_arrived(void) {
  check_commit_through(PROXY_LOSE_REQUESTS, NULL, 0);
}
static void lost_after_commit_arrived(void) {
  check_commit_through(PROXY_LOSE_ANSWERS, NULL, 7);
}
static void no_answer_to_commit(void) {
  check_commit_through(PROXY_HOLD, "timeout=4s", 0);
}
static void rubbish_in_answer_to_commit(void) {
  check_commit_through(PROXY_SPOIL_ANSWERS, "timeout=4s", 7);
}

static void lost_before_commit_was_sent(void) {
  struct proxy proxy;
  char uri[300];
  proxy_start(&proxy, port_of(uri_of_server()));
  uri_through(&proxy, uri_of_server(), "", uri, sizeof uri);
  struct scene s = scene_at(uri, "timeout=4s");
  for (int mode = PROXY_LOSE_REQUESTS; mode <= PROXY_SPOIL_ANSWERS; mode++) {
    begin(&s, 0, RC);
    CHECK_INT(put(&s, 0, 0, 7), OUTCOME_OK);
    atomic_store(&proxy.mode, (enum proxy_mode)mode);
    CHECK_INT(put(&s, 0, 1, 8), OUTCOME_ABORTED);
    CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
    CHECK(s.c[0]->broken);
    check_reconnects(&s, 0);
    CHECK_INT(stored(&s, 0), 0);
  }
  scene_end(&s);
  proxy_stop(&proxy);
}

int main(void) {
  return TAP_RUN(
      {"a session that ends unasked", a_session_that_ends_unasked},
      {"a session that kills itself: 1927", a_session_that_kills_itself},
      {"a session that is idle for too long: 4031",
       a_session_that_is_idle_for_too_long},
      {"too many connections: 1226, 1040", too_many_connections},
      {"lost before COMMIT was sent: aborted", lost_before_commit_was_sent},
      {"lost before COMMIT arrived: unknown", lost_before_commit_arrived},
      {"lost after COMMIT arrived: unknown", lost_after_commit_arrived},
      {"no answer to COMMIT: unknown", no_answer_to_commit},
      {"rubbish in answer to COMMIT: unknown", rubbish_in_answer_to_commit});
}
