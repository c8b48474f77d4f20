// SPDX-License-Identifier: GPL-3.0-or-later
// The mysql driver when two members of a group of MySQL servers commit writes
// of the same row: one of them is told to roll back, 3101.  MY_URI and MY_URI_1
// say where the members are.  Run by mysql_group.sh.
#include "config.h"

#include "tests/live/mysql_scene.h"

static struct scene scene_of_member(const char *uri) {
  struct scene scene = scene_at(uri, NULL);
  mysql_close(scene.admin);
  scene.admin = connect_as_admin(scene.target);
  return scene;
}

// Waits until the other member has applied what this one has committed.
static void await_member(struct scene *other, struct scene *one) {
  char text[2000];
  CHECK(!mysql_query(one->admin, "SELECT @@global.gtid_executed"));
  MYSQL_RES *rows = mysql_store_result(one->admin);
  const MYSQL_ROW row = mysql_fetch_row(rows);
  snprintf(text, sizeof text, "SELECT WAIT_FOR_EXECUTED_GTID_SET('%s', 60)",
           row[0]);
  mysql_free_result(rows);
  CHECK_INT(number(other->admin, text), 0);
}

// The second member knows of the first one's commit, and has not applied it: it
// would have rolled back by itself what is in the way.  Its one applier stands
// at a table that is locked.
static void a_commit_that_the_group_refuses(void) {
  struct scene first = scene_with(NULL);
  struct scene second = scene_of_member(environment("MY_URI_1"));
  await_member(&first, &second);
  sql(&first, "CREATE TABLE gate (k INT PRIMARY KEY)");
  await_member(&second, &first);
  sql(&second, "LOCK TABLES gate WRITE");
  sql(&first, "INSERT INTO gate VALUES (1)");
  begin(&first, 0, RR);
  CHECK_INT(put(&first, 0, 0, 1), OUTCOME_OK);
  begin(&second, 0, RR);
  CHECK_INT(put(&second, 0, 5, 5), OUTCOME_OK);
  CHECK_INT(put(&second, 0, 0, 2), OUTCOME_OK);
  CHECK_INT(commit(&first, 0), OUTCOME_OK);
  CHECK_INT(commit(&second, 0), OUTCOME_ABORTED);
  check_why(&second, 0, CAUSE_SERIALIZATION, "3101", false);
  sql(&second, "UNLOCK TABLES");
  await_member(&second, &first);
  check_goes_on(&second, 0);
  CHECK_INT(stored(&second, 0), 1);
  CHECK_INT(stored(&second, 5), 0);
  scene_end(&second);
  scene_end(&first);
}

int main(void) {
  return TAP_RUN({"a commit that the group refuses: 3101",
                  a_commit_that_the_group_refuses});
}
