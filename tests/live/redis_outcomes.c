// SPDX-License-Identifier: GPL-3.0-or-later
// Every row of the Redis driver's table of error replies that an open session
// can meet, produced by a real server: what the driver makes of it, and that
// the session goes on.  Run by redis_outcomes.sh, which starts the servers.
#include "config.h"

#include "drivers/redis/codes.h"
#include "tests/live/redis_scene.h"

#include <signal.h>

// ---- Transactions that get in each other's way

static void a_watched_key_changes(void) {
  struct scene s = scene_set();
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(get(&s, 0, 0), OUTCOME_OK);
  CHECK_INT(put(&s, 0, 1, 11), OUTCOME_OK);
  begin(&s, 1, REDIS_WATCH);
  CHECK_INT(put(&s, 1, 0, 12), OUTCOME_OK);
  CHECK_INT(commit(&s, 1), OUTCOME_OK);
  CHECK_INT(commit(&s, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_SERIALIZATION, "EXEC nil", false);
  CHECK_INT(stored(&s, 1), 0);
  check_goes_on(&s, 0);
  scene_end(&s);
}

static void a_rollback_ends_the_watch(void) {
  struct scene s = scene_set();
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(get(&s, 0, 0), OUTCOME_OK);
  CHECK_INT(s.driver->rollback(s.c[0]), OUTCOME_OK);
  begin(&s, 1, REDIS_WATCH);
  CHECK_INT(put(&s, 1, 0, 12), OUTCOME_OK);
  CHECK_INT(commit(&s, 1), OUTCOME_OK);
  check_goes_on(&s, 0);
  scene_end(&s);
}

static void without_watch_nothing_is_noticed(void) {
  struct scene s = scene_set();
  CHECK_INT(s.driver->begin(s.c[0], &redis_levels[REDIS_MULTI]), OUTCOME_OK);
  CHECK_INT(get(&s, 0, 0), OUTCOME_OK);
  begin(&s, 1, REDIS_WATCH);
  CHECK_INT(put(&s, 1, 0, 12), OUTCOME_OK);
  CHECK_INT(commit(&s, 1), OUTCOME_OK);
  CHECK_INT(put(&s, 0, 0, 13), OUTCOME_OK);
  CHECK_INT(commit(&s, 0), OUTCOME_OK);
  CHECK_INT(stored(&s, 0), 13);
  scene_end(&s);
}

// ---- Commands that fail

static void a_read_of_the_wrong_type(void) {
  struct scene s = scene_set();
  tell(&s, "DEL isostress:0");
  tell(&s, "RPUSH isostress:0 1");
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(get(&s, 0, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_CONSTRAINT, "WRONGTYPE", false);
  check_goes_on(&s, 0);
  scene_end(&s);
}

static void all_of_exec_fails(void) {
  struct scene s = scene_set();
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(s.driver->append(s.c[0], 0, 5), OUTCOME_OK);
  CHECK_INT(commit(&s, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_CONSTRAINT, "WRONGTYPE", false);
  CHECK_INT(stored(&s, 0), 0);
  check_goes_on(&s, 0);
  scene_end(&s);
}

static void a_part_of_exec_fails(void) {
  struct scene s = scene_set();
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(s.driver->append(s.c[0], 0, 5), OUTCOME_OK);
  CHECK_INT(put(&s, 0, 1, 6), OUTCOME_OK);
  CHECK_INT(commit(&s, 0), OUTCOME_OK);
  CHECK(s.c[0]->refused && s.c[0]->refused[0] && !s.c[0]->refused[1]);
  check_why(&s, 0, CAUSE_OTHER, "WRONGTYPE", false);
  CHECK(!strncmp(s.c[0]->text,
                 "1 of 2 commands failed inside EXEC, and the others took "
                 "effect: WRONGTYPE",
                 50));
  CHECK_INT(stored(&s, 1), 6);
  check_goes_on(&s, 0);
  CHECK(!s.c[0]->refused);
  scene_end(&s);
}

// The part that was read never took effect.
static void a_part_that_was_read_fails(void) {
  struct scene s = scene_set();
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(s.driver->append(s.c[0], 0, 5), OUTCOME_OK);
  CHECK_INT(get(&s, 0, 0), OUTCOME_OK);
  CHECK_INT(put(&s, 0, 1, 6), OUTCOME_OK);
  CHECK_INT(commit(&s, 0), OUTCOME_UNKNOWN);
  check_why(&s, 0, CAUSE_OTHER, "WRONGTYPE", false);
  CHECK(!s.c[0]->refused);
  check_goes_on(&s, 0);
  scene_end(&s);
}

// ---- Servers that refuse to write

// A transaction that writes, while the server is in this state.
static void check_refused(const char *make, const char *unmake,
                          const char *code) {
  struct scene s = scene_set();
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(get(&s, 0, 0), OUTCOME_OK);
  CHECK_INT(put(&s, 0, 1, 21), OUTCOME_OK);
  CHECK_INT(put(&s, 0, 2, 22), OUTCOME_OK);
  tell(&s, make);
  CHECK_INT(commit(&s, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, code, false);
  tell(&s, unmake);
  CHECK_INT(stored(&s, 1), 0);
  check_goes_on(&s, 0);
  scene_end(&s);
}

static void out_of_its_memory(void) {
  check_refused("CONFIG SET maxmemory 1", "CONFIG SET maxmemory 0", "OOM");
}
static void without_replicas(void) {
  check_refused("CONFIG SET min-replicas-to-write 1",
                "CONFIG SET min-replicas-to-write 0", "NOREPLICAS");
}
static void without_permission(void) {
  check_refused("ACL SETUSER default -set", "ACL SETUSER default +@all",
                "NOPERM");
}

static void unable_to_save(void) {
  struct scene s = scene_set();
  redisReply *was = redisCommand(s.admin, "CONFIG GET dir");
  tell(&s, "CONFIG SET dir /proc");
  redisReply *reply = redisCommand(s.admin, "CONFIG SET save %s", "3600 1");
  CHECK(redis_succeeded(reply));
  freeReplyObject(reply);
  tell(&s, "BGSAVE");
  wait_until(s.admin, "INFO persistence", "rdb_last_bgsave_status:err");
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(put(&s, 0, 1, 21), OUTCOME_OK);
  CHECK_INT(commit(&s, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "MISCONF", false);
  CHECK_INT(stored(&s, 1), 0);
  reply = redisCommand(s.admin, "CONFIG SET dir %s", was->element[1]->str);
  CHECK(redis_succeeded(reply));
  freeReplyObject(reply);
  freeReplyObject(was);
  tell(&s, "CONFIG SET stop-writes-on-bgsave-error no");
  check_goes_on(&s, 0);
  scene_end(&s);
}

static void as_a_replica(void) {
  struct scene s = scene_set();
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(put(&s, 0, 1, 21), OUTCOME_OK);
  tell(&s, "REPLICAOF 127.0.0.1 1");
  CHECK_INT(commit(&s, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "READONLY", false);
  tell(&s, "CONFIG SET replica-serve-stale-data no");
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(get(&s, 0, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_CONNECTION, "MASTERDOWN", true);
  tell(&s, "CONFIG SET replica-serve-stale-data yes");
  tell(&s, "REPLICAOF NO ONE");
  check_reconnects(&s, 0);
  scene_end(&s);
}

static void flush(redisContext *redis) {
  int done = 0;
  while (!done && redisBufferWrite(redis, &done) == REDIS_OK)
    ;
  CHECK(done);
}

static void busy_with_a_script(void) {
  struct scene s = scene_set();
  redisContext *other = link_to(&s);
  tell(&s, "CONFIG SET busy-reply-threshold 1");
  redisAppendCommand(other, "EVAL %s 0", "while true do end");
  flush(other);
  wait_until(s.admin, "GET x", "BUSY");
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(get(&s, 0, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_STATEMENT_TIMEOUT, "BUSY", false);
  CHECK_INT(s.driver->rollback(s.c[0]), OUTCOME_OK);
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(put(&s, 0, 1, 21), OUTCOME_OK);
  CHECK_INT(commit(&s, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_STATEMENT_TIMEOUT, "BUSY", false);
  tell(&s, "SCRIPT KILL");
  wait_until(s.admin, "PING", "PONG");
  redisFree(other);
  CHECK_INT(stored(&s, 1), 0);
  check_goes_on(&s, 0);
  scene_end(&s);
}

static void loading_its_data(void) {
  struct scene s = scene_set();
  redisContext *other = link_to(&s);
  tell(&s, "DEBUG POPULATE 50000 filler 100");
  tell(&s, "CONFIG SET key-load-delay 2000");
  tell(&s, "CONFIG SET loading-process-events-interval-bytes 1024");
  redisAppendCommand(other, "DEBUG RELOAD");
  flush(other);
  wait_until(s.admin, "GET x", "LOADING");
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(get(&s, 0, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_CONNECTION, "LOADING", true);
  struct error error = {0};
  s.driver->disconnect(s.c[0]);
  CHECK_INT(s.driver->connect(s.target, 0, &s.c[0], &error), -1);
  CHECK(strstr(error.text, ": LOADING "));
  tell(&s, "CONFIG SET key-load-delay 0");
  wait_until(s.admin, "PING", "PONG");
  join(&s, 0);
  check_goes_on(&s, 0);
  redisFree(other);
  scene_end(&s);
}

static void over_slots_of_a_cluster(void) {
  struct scene s = scene_at(environment("REDIS_CLUSTER_URI"), NULL);
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(put(&s, 0, 1, 21), OUTCOME_OK);
  CHECK_INT(put(&s, 0, 2, 22), OUTCOME_OK);
  CHECK_INT(commit(&s, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_OTHER, "CROSSSLOT", false);
  CHECK_INT(stored(&s, 1), 0);
  tell(&s, "CLUSTER DELSLOTSRANGE 0 16383");
  wait_until(s.admin, "CLUSTER INFO", "cluster_state:fail");
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(get(&s, 0, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_CONNECTION, "CLUSTERDOWN", true);
  tell(&s, "CLUSTER ADDSLOTSRANGE 0 16383");
  scene_end(&s);
}

// ---- Lost connections

static void lost_before_commit(void) {
  struct scene s = scene_set();
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(put(&s, 0, 1, 21), OUTCOME_OK);
  tell(&s, "CLIENT KILL TYPE normal");
  CHECK_INT(get(&s, 0, 0), OUTCOME_ABORTED);
  CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
  CHECK(s.c[0]->broken);
  CHECK_INT(stored(&s, 1), 0);
  check_reconnects(&s, 0);
  scene_end(&s);
}

static void lost_at_commit(void) {
  struct scene s = scene_set();
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(get(&s, 0, 0), OUTCOME_OK);
  CHECK_INT(put(&s, 0, 1, 21), OUTCOME_OK);
  tell(&s, "CLIENT KILL TYPE normal");
  CHECK_INT(commit(&s, 0), OUTCOME_UNKNOWN);
  CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
  CHECK(s.c[0]->broken);
  check_reconnects(&s, 0);
  scene_end(&s);
}

static void lost_without_writes(void) {
  struct scene s = scene_set();
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(get(&s, 0, 0), OUTCOME_OK);
  tell(&s, "CLIENT KILL TYPE normal");
  CHECK_INT(commit(&s, 0), OUTCOME_ABORTED);
  CHECK_INT(s.c[0]->cause, CAUSE_CONNECTION);
  check_reconnects(&s, 0);
  scene_end(&s);
}

// Its own RESET logs it out.
static void logged_out(void) {
  struct scene s = scene_set();
  char rows[100];
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(s.driver->command(s.c[0], "RESET", rows, sizeof rows), OUTCOME_OK);
  CHECK_INT(get(&s, 0, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_CONNECTION, "NOAUTH", true);
  check_reconnects(&s, 0);
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(put(&s, 0, 1, 21), OUTCOME_OK);
  CHECK_INT(s.driver->command(s.c[0], "RESET", rows, sizeof rows), OUTCOME_OK);
  CHECK_INT(commit(&s, 0), OUTCOME_ABORTED);
  check_why(&s, 0, CAUSE_CONNECTION, "NOAUTH", true);
  CHECK_INT(stored(&s, 1), 0);
  check_reconnects(&s, 0);
  scene_end(&s);
}

static void no_answer_in_time(void) {
  struct scene s = scene_at(environment("REDIS_URI"), "timeout=4s");
  begin(&s, 0, REDIS_WATCH);
  CHECK_INT(put(&s, 0, 1, 21), OUTCOME_OK);
  tell(&s, "CLIENT PAUSE 600000 WRITE");
  CHECK_INT(commit(&s, 0), OUTCOME_UNKNOWN);
  check_why(&s, 0, CAUSE_CONNECTION, "timeout", true);
  CHECK_STR(s.c[0]->text, "no answer for 4 s");
  tell(&s, "CLIENT UNPAUSE");
  check_reconnects(&s, 0);
  scene_end(&s);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  return TAP_RUN(
      {"a watched key changes", a_watched_key_changes},
      {"a rollback ends the watch", a_rollback_ends_the_watch},
      {"without WATCH nothing is noticed", without_watch_nothing_is_noticed},
      {"a read of the wrong type", a_read_of_the_wrong_type},
      {"all commands fail inside EXEC", all_of_exec_fails},
      {"some commands fail inside EXEC", a_part_of_exec_fails},
      {"a part fails that was read before", a_part_that_was_read_fails},
      {"OOM", out_of_its_memory}, {"NOREPLICAS", without_replicas},
      {"NOPERM", without_permission}, {"MISCONF", unable_to_save},
      {"READONLY and MASTERDOWN", as_a_replica}, {"BUSY", busy_with_a_script},
      {"LOADING", loading_its_data},
      {"CROSSSLOT and CLUSTERDOWN", over_slots_of_a_cluster},
      {"NOAUTH", logged_out},
      {"a connection lost before commit", lost_before_commit},
      {"a connection lost at commit", lost_at_commit},
      {"a connection lost by a reader", lost_without_writes},
      {"no answer in time", no_answer_in_time});
}
