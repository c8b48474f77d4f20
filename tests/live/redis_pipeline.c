// SPDX-License-Identifier: GPL-3.0-or-later
// The Redis driver with pipeline=yes: whole transactions at once, which fail in
// part, are refused, compare and set, or are lost on the way.  Run by
// redis_pipeline.sh.
#include "config.h"

#include "tests/live/redis_scene.h"

#include <signal.h>

static struct scene scene_piped(void) {
  return scene_at(environment("REDIS_URI"), "pipeline=yes");
}

static void check_rejoins(struct scene *s) {
  rejoin(s, 0);
  check_transacts(s);
}

// EXEC was under way with it.
static void a_read_of_the_wrong_type(void) {
  struct scene s = scene_piped();
  tell(&s, "DEL isostress:0");
  tell(&s, "RPUSH isostress:0 1");
  struct operation ops[] = {{.kind = OP_READ, .key = 0},
                            {.kind = OP_WRITE, .key = 1, .value = 5}};
  CHECK_INT(transact(&s, REDIS_WATCH, ops, 2), OUTCOME_UNKNOWN);
  check_why(&s, 0, CAUSE_CONSTRAINT, "WRONGTYPE", false);
  CHECK_INT(stored(&s, 1), 5);
  ops[0] = (struct operation){.kind = OP_READ, .key = 0};
  CHECK_INT(transact(&s, REDIS_WATCH, ops, 1), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_CONSTRAINT, "WRONGTYPE", false);
  check_transacts(&s);
  scene_end(&s);
}

static void exec_fails(void) {
  struct scene s = scene_piped();
  struct operation ops[] = {{.kind = OP_APPEND, .key = 0, .value = 5},
                            {.kind = OP_WRITE, .key = 1, .value = 6}};
  CHECK_INT(transact(&s, REDIS_WATCH, ops, 1), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_CONSTRAINT, "WRONGTYPE", false);
  CHECK_INT(transact(&s, REDIS_WATCH, ops, 2), OUTCOME_OK);
  CHECK(s.c[0]->refused && s.c[0]->refused[0] && !s.c[0]->refused[1]);
  check_why(&s, 0, CAUSE_OTHER, "WRONGTYPE", false);
  CHECK_INT(stored(&s, 1), 6);
  check_transacts(&s);
  scene_end(&s);
}

static void writes_are_refused(void) {
  struct scene s = scene_piped();
  struct operation ops[] = {{.kind = OP_READ, .key = 0},
                            {.kind = OP_WRITE, .key = 1, .value = 5}};
  tell(&s, "CONFIG SET maxmemory 1");
  CHECK_INT(transact(&s, REDIS_WATCH, ops, 2), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "OOM", false);
  tell(&s, "CONFIG SET maxmemory 0");
  CHECK_INT(stored(&s, 1), 0);
  check_transacts(&s);
  scene_end(&s);
}

static void comparing_and_setting(void) {
  struct scene s = scene_piped();
  check_compares_and_sets(&s, REDIS_WATCH, stored);
  tell(&s, "DEL isostress:50");
  scene_end(&s);
}

// A read sees what the transaction has appended before it, and no more.
static void lists_grow_within(void) {
  struct scene s = scene_piped();
  struct value_list lists[4] = {0};
  struct operation ops[] = {{.kind = OP_APPEND, .key = 60, .value = 7},
                            {.kind = OP_READ_LIST, .key = 60},
                            {.kind = OP_APPEND, .key = 60, .value = 8},
                            {.kind = OP_READ_LIST, .key = 60}};
  struct plan plan = {.ops = ops, .nops = 4};
  tell(&s, "RPUSH isostress:60 6");
  CHECK_INT(
      s.driver->transact(s.c[0], &redis_levels[REDIS_WATCH], &plan, lists),
      OUTCOME_OK);
  CHECK_INT(lists[1].count, 2);
  CHECK_INT(lists[1].values[1], 7);
  CHECK_INT(lists[3].count, 3);
  CHECK_INT(lists[3].values[0], 6);
  CHECK_INT(lists[3].values[2], 8);
  value_list_free(&lists[1]);
  value_list_free(&lists[3]);
  tell(&s, "DEL isostress:60");
  scene_end(&s);
}

static void lost_connections(void) {
  struct scene s = scene_piped();
  struct operation ops[] = {{.kind = OP_READ, .key = 0},
                            {.kind = OP_WRITE, .key = 1, .value = 5}};
  tell(&s, "CLIENT KILL TYPE normal");
  CHECK_INT(transact(&s, REDIS_WATCH, ops, 2), OUTCOME_UNKNOWN);
  CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
  CHECK(s.c[0]->broken);
  check_rejoins(&s);
  tell(&s, "CLIENT KILL TYPE normal");
  CHECK_INT(transact(&s, REDIS_WATCH, ops, 1), OUTCOME_ABORTED);
  CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
  check_rejoins(&s);
  scene_end(&s);
}

static void no_answer_in_time(void) {
  char uri[200];
  snprintf(uri, sizeof uri, "%s?timeout=4s", environment("REDIS_URI"));
  struct scene s = scene_at(uri, "pipeline=yes");
  struct operation ops[] = {{.kind = OP_WRITE, .key = 1, .value = 5}};
  tell(&s, "CLIENT PAUSE 600000 WRITE");
  CHECK_INT(transact(&s, REDIS_WATCH, ops, 1), OUTCOME_UNKNOWN);
  check_why(&s, 0, CAUSE_CONNECTION, "timeout", true);
  tell(&s, "CLIENT UNPAUSE");
  check_rejoins(&s);
  scene_end(&s);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  return TAP_RUN(
      {"a read of the wrong type", a_read_of_the_wrong_type},
      {"EXEC fails, as a whole and in part", exec_fails},
      {"writes are refused: OOM", writes_are_refused},
      {"comparing and setting", comparing_and_setting},
      {"lists grow within a transaction", lists_grow_within},
      {"a lost connection leaves its answers unknown", lost_connections},
      {"no answer in time", no_answer_in_time});
}
