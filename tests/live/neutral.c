// SPDX-License-Identifier: GPL-3.0-or-later
// An instrument changes nothing but what it adds: interleavings of up to three
// sessions, each played on tables with the instrument and on tables without it,
// have the same rows, counts, errors and waits.  Run by neutral.sh:
//
//   neutral TARGET SHARE         one of SHARE plays at each level; 1: all
//   neutral TARGET 1 STATEMENT   a statement makes a change of its own beside
//                                the instrument, which has to be found
#include "config.h"

#include "base/clock.h"
#include "base/memory.h"
#include "drivers/drivers.h"
#include "drivers/instrument.h"
#include "tests/tap.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SESSIONS = 3, WATCHER = SESSIONS, ROOM = 4096, STEPS_MOST = 16 };

static const char schema[] =
    "CREATE TABLE t (id int PRIMARY KEY, b int, v int, s varchar(20));"
    "CREATE INDEX t_by_b ON t (b);"
    "CREATE TABLE c (id int PRIMARY KEY, t_id int, FOREIGN KEY (t_id) "
    "REFERENCES t (id));"
    "CREATE TABLE d (id int PRIMARY KEY, t_id int, FOREIGN KEY (t_id) "
    "REFERENCES t (id) ON DELETE CASCADE);"
    "INSERT INTO t VALUES (1, 1, 10, 'a'), (2, 2, 20, 'b'), (3, 3, 30, 'c')";
static const char drops[] = "DROP TABLE d;DROP TABLE c;DROP TABLE t";

// Steps, apart by bars: the session, and its statement.
static const struct play {
  const char *name, *steps;
} plays[] = {
    {"lost update",
     "1 BEGIN|2 BEGIN|1 SELECT v FROM t WHERE id = 1|2 SELECT v FROM t WHERE "
     "id "
     "= 1|1 UPDATE t SET v = v + 1 WHERE id = 1|2 UPDATE t SET v = v + 1 WHERE "
     "id = 1|1 COMMIT|2 COMMIT|1 SELECT v FROM t ORDER BY id"},
    {"write skew",
     "1 BEGIN|2 BEGIN|1 SELECT sum(v) FROM t WHERE id < 3|2 SELECT sum(v) FROM "
     "t WHERE id < 3|1 UPDATE t SET v = 0 WHERE id = 1|2 UPDATE t SET v = 0 "
     "WHERE id = 2|1 COMMIT|2 COMMIT"},
    {"phantom", "1 BEGIN|1 SELECT id FROM t WHERE b = 1 ORDER BY id|2 INSERT "
                "INTO t VALUES "
                "(9, 1, 5, 'x')|1 UPDATE t SET v = v + 1 WHERE b = 1|1 SELECT "
                "id, v FROM t "
                "WHERE b = 1 ORDER BY id|1 COMMIT"},
    {"a row that leaves the condition",
     "1 BEGIN|2 BEGIN|1 UPDATE t SET v = v + 10|2 DELETE FROM t WHERE v = 20|1 "
     "COMMIT|2 SELECT id, v FROM t ORDER BY id|2 COMMIT"},
    {"two searches that find nothing",
     "1 BEGIN|2 BEGIN|1 SELECT count(*) FROM t WHERE b = 7|2 SELECT count(*) "
     "FROM t WHERE b = 7|1 INSERT INTO t VALUES (8, 7, 1, 'a')|2 INSERT INTO t "
     "VALUES (9, 7, 1, 'b')|1 COMMIT|2 COMMIT|1 SELECT id FROM t ORDER BY id"},
    {"rows that change sides",
     "1 BEGIN|2 BEGIN|1 UPDATE t SET b = 2 WHERE b = 1|2 UPDATE t SET b = 1 "
     "WHERE b = 2|1 COMMIT|2 COMMIT|1 SELECT id, b FROM t ORDER BY id"},
    {"an update that skips rows",
     "1 BEGIN|2 BEGIN|1 UPDATE t SET v = 99 WHERE id = 1|1 UPDATE t SET v = 10 "
     "WHERE id = 3|2 UPDATE t SET s = 'h' WHERE v = 10|1 COMMIT|2 SELECT id, "
     "v, "
     "s FROM t ORDER BY id|2 COMMIT"},
    {"a key that another one took",
     "1 BEGIN|1 SELECT id FROM t WHERE id = 9|2 INSERT INTO t VALUES (9, 9, 9, "
     "'j')|1 INSERT INTO t VALUES (9, 9, 9, 'k')|1 ROLLBACK|1 SELECT s FROM t "
     "WHERE id = 9"},
    {"a key that is waited for",
     "1 BEGIN|2 BEGIN|1 INSERT INTO t VALUES (9, 1, 1, 'u')|2 INSERT INTO t "
     "VALUES (9, 2, 2, 'w')|1 ROLLBACK|2 COMMIT|1 SELECT id, s FROM t ORDER BY "
     "id"},
    {"rows that are skipped",
     "1 BEGIN|2 BEGIN|1 SELECT id FROM t ORDER BY id LIMIT 1 FOR UPDATE SKIP "
     "LOCKED|2 SELECT id FROM t ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED|1 "
     "UPDATE t SET v = 0 WHERE id = 1|2 UPDATE t SET v = 0 WHERE id = 2|1 "
     "COMMIT|2 COMMIT"},
    {"a row that is locked",
     "1 BEGIN|2 BEGIN|1 SELECT v FROM t WHERE id = 1 FOR UPDATE|2 SELECT v "
     "FROM "
     "t WHERE id = 1 FOR UPDATE|1 UPDATE t SET v = 77 WHERE id = 1|1 COMMIT|2 "
     "UPDATE t SET v = v + 1 WHERE id = 1|2 SELECT v FROM t WHERE id = 1|2 "
     "COMMIT"},
    {"a foreign key",
     "1 BEGIN|2 BEGIN|1 INSERT INTO c VALUES (1, 1)|2 UPDATE t SET v = 5 WHERE "
     "id = 1|2 DELETE FROM t WHERE id = 1|1 COMMIT|2 COMMIT|1 SELECT id FROM t "
     "ORDER BY id"},
    {"a cascade",
     "1 BEGIN|2 BEGIN|1 INSERT INTO d VALUES (1, 2)|1 COMMIT|2 DELETE FROM t "
     "WHERE id = 2|2 COMMIT|1 SELECT count(*) FROM d"},
    {"a report while rows change",
     "1 BEGIN|2 BEGIN|3 BEGIN|2 SELECT sum(v) FROM t|1 SELECT v FROM t WHERE "
     "id "
     "= 1|1 UPDATE t SET v = 50 WHERE id = 1|1 COMMIT|3 SELECT id, v FROM t "
     "WHERE id < 3 ORDER BY id|3 COMMIT|2 UPDATE t SET v = 60 WHERE id = 2|2 "
     "COMMIT"},
    {"an update that changes nothing",
     "1 BEGIN|2 BEGIN|1 UPDATE t SET v = 10 WHERE id = 1|2 UPDATE t SET v = v "
     "WHERE id = 1|1 COMMIT|2 COMMIT"},
    {"rows that are copied",
     "1 BEGIN|2 BEGIN|1 INSERT INTO t SELECT id + 10, b, v, s FROM t WHERE b = "
     "1|2 UPDATE t SET b = 1 WHERE id = 3|1 COMMIT|2 COMMIT|1 SELECT id, b "
     "FROM "
     "t ORDER BY id"},
    {"a join and groups",
     "1 BEGIN|2 BEGIN|1 SELECT b, count(*) FROM t GROUP BY b ORDER BY b|2 "
     "SELECT "
     "t.id, d.id FROM t LEFT JOIN d ON d.t_id = t.id ORDER BY t.id|1 INSERT "
     "INTO d VALUES (1, 3)|2 UPDATE t SET b = 1 WHERE id = 2|1 SELECT max(v) "
     "FROM t WHERE b = 1|1 COMMIT|2 COMMIT"},
};
enum { PLAYS = sizeof plays / sizeof *plays };

// ---- Sessions

struct step_of_play {
  int session;
  char *text;
};

struct stage_of_play {
  struct target *target;
  const struct driver *driver;
  const struct driver_level *level;
  bool with;         // the instrument
  const char *naive; // a statement beside the instrument; or NULL
  struct instrument_tables tables;
  struct connection *connections[SESSIONS + 1];
  bool open[SESSIONS];      // a transaction is
  _Atomic uint64_t changes; // that the instrument told
};

struct call { // of one step, in a thread of its own
  struct stage_of_play *stage;
  const struct step_of_play *step;
  pthread_t thread;
  atomic_bool done;
  bool begun, joined;
  char answer[ROOM + 200];
};

static enum outcome execute_in(struct stage_of_play *stage, int session,
                               const char *text,
                               struct instrument_answer *answer) {
  const struct instrument *instrument = stage->driver->instrument;
  struct sql_tokens tokens = {.dialect = instrument->dialect};
  struct sql_outline outline;
  struct instrument_way way = {0};
  CHECK(sql_tokens_read(&tokens, text));
  sql_outline_read(&outline, &tokens);
  if (stage->with)
    instrument->choose(stage->target, text, &outline, &stage->tables, &way);
  const enum outcome outcome = instrument->execute(
      stage->connections[session], text, &outline, &way, answer);
  sql_tokens_free(&tokens);
  return outcome;
}

static enum outcome begin_in(struct stage_of_play *stage, int session) {
  stage->open[session] = true;
  return stage->driver->begin(stage->connections[session], stage->level);
}

static enum outcome end_in(struct stage_of_play *stage, int session,
                           bool commits) {
  struct connection *connection = stage->connections[session];
  if (!stage->open[session])
    return OUTCOME_ABORTED;
  stage->open[session] = false;
  return commits ? stage->driver->commit(connection)
                 : stage->driver->rollback(connection);
}

// A statement alone is a transaction; one that fails ends its transaction.
static enum outcome take_statement_of(struct stage_of_play *stage, int session,
                                      const char *text,
                                      struct instrument_answer *answer) {
  const bool alone = !stage->open[session];
  if (alone)
    begin_in(stage, session);
  enum outcome outcome = execute_in(stage, session, text, answer);
  if (outcome != OUTCOME_OK)
    end_in(stage, session, false);
  else if (alone)
    outcome = end_in(stage, session, true);
  return outcome;
}

static void *take_step_of(void *context) {
  struct call *call = context;
  struct stage_of_play *stage = call->stage;
  const int session = call->step->session;
  const char *text = call->step->text;
  struct instrument_answer answer = {.rows = xcalloc(1, ROOM),
                                     .rows_room = ROOM};
  char *rows = answer.rows;
  const enum outcome outcome =
      !strcmp(text, "BEGIN")    ? begin_in(stage, session)
      : !strcmp(text, "COMMIT") ? end_in(stage, session, true)
      : !strcmp(text, "ROLLBACK")
          ? end_in(stage, session, false)
          : take_statement_of(stage, session, text, &answer);
  stage->changes += answer.nchanges + answer.told_besides;
  snprintf(call->answer, sizeof call->answer, "%s %s: %u changed, %u rows: %s",
           outcome == OUTCOME_OK ? "ok" : "failed",
           outcome == OUTCOME_OK ? "" : stage->connections[session]->code,
           (unsigned)answer.affected, (unsigned)answer.returned, rows);
  instrument_answer_free(&answer);
  free(rows);
  atomic_store(&call->done, true);
  return NULL;
}

// ---- A play

enum { ASKS = 2 };
// MariaDB answers the same until it was not asked for a tenth of a second.
#define ASKED_AGAIN_AFTER (NS_PER_SECOND * 3 / 20)

static bool is_waiting(struct stage_of_play *stage, const struct call *call) {
  struct connection *watcher = stage->connections[WATCHER];
  int said = 0;
  for (int i = 0; i < ASKS && !atomic_load(&call->done); i++) {
    said += stage->driver->waits(watcher,
                                 stage->connections[call->step->session]) == 1;
    clock_sleep_until(clock_now() + ASKED_AGAIN_AFTER);
  }
  return said == ASKS && !atomic_load(&call->done);
}

// Until the call is over, or the database says that it waits.
static void settle_call(struct call *call) {
  for (uint64_t pause = 0; !atomic_load(&call->done); pause = 1) {
    clock_sleep_until(clock_now() + NS_PER_SECOND / 200);
    if (pause && is_waiting(call->stage, call))
      return;
  }
  if (!call->joined)
    pthread_join(call->thread, NULL);
  call->joined = true;
}

static uint32_t divide_steps(char *text, struct step_of_play *steps) {
  uint32_t n = 0;
  char *place;
  for (char *step = strtok_r(text, "|", &place); step;
       step = strtok_r(NULL, "|", &place))
    steps[n++] = (struct step_of_play){*step - '1', step + 2};
  return n;
}

// Hands the steps out.  A session that waits is waited for before its next one.
static void perform_steps(struct stage_of_play *stage,
                          const struct step_of_play *steps, uint32_t n,
                          FILE *out) {
  struct call calls[STEPS_MOST] = {0};
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = 0; k < i; k++)
      if (!calls[k].joined && steps[k].session == steps[i].session)
        pthread_join(calls[k].thread, NULL), calls[k].joined = true;
    calls[i].stage = stage;
    calls[i].step = &steps[i];
    calls[i].begun =
        !pthread_create(&calls[i].thread, NULL, take_step_of, &calls[i]);
    CHECK(calls[i].begun);
    settle_call(&calls[i]);
    fprintf(out, "%s", calls[i].joined ? "" : "waits; ");
    for (uint32_t k = 0; k < i; k++)
      if (!calls[k].joined)
        settle_call(&calls[k]);
  }
  for (uint32_t i = 0; i < n; i++) {
    if (!calls[i].joined)
      pthread_join(calls[i].thread, NULL);
    fprintf(out, "\n  %d %s: %s", steps[i].session + 1, steps[i].text,
            calls[i].answer);
  }
}

// Each statement of the text, on the watcher's connection.
static void execute_plainly(struct stage_of_play *stage, const char *text) {
  char *copy = xstrdup(text), *place, rows[ROOM];
  for (char *one = strtok_r(copy, ";", &place); one;
       one = strtok_r(NULL, ";", &place))
    CHECK_INT(stage->driver->sql(stage->connections[WATCHER], one, rows, ROOM),
              OUTCOME_OK);
  free(copy);
}

// Without the instrument: tables of the same names in place of those that the
// instrument made.
static void set_stage(struct stage_of_play *stage, const char *target,
                      const char *level) {
  struct error error = {.text = ""};
  const char *const extra[] = {NULL};
  const int failed =
      target_open(target, NULL, extra, SESSIONS + 1, 1, &stage->target, &error);
  CHECK_STR(failed ? error.text : "", "");
  if (failed)
    exit(1);
  stage->driver = stage->target->driver;
  stage->level = driver_level(stage->driver, level, &error);
  const int unset = stage->driver->instrument->setup(
      stage->target, "schema", schema, &stage->tables, &error);
  CHECK_STR(unset ? error.text : "", "");
  for (uint32_t i = 0; i <= SESSIONS; i++)
    CHECK_INT(stage->driver->connect(stage->target, i, &stage->connections[i],
                                     &error),
              0);
  if (stage->with && stage->naive)
    execute_plainly(stage, stage->naive);
  if (stage->with)
    return;
  execute_plainly(stage, drops);
  execute_plainly(stage, schema);
}

static void strike_stage(struct stage_of_play *stage) {
  for (uint32_t i = 0; i <= SESSIONS; i++)
    stage->driver->disconnect(stage->connections[i]);
  instrument_tables_free(&stage->tables);
  target_close(stage->target);
}

// The answers of all steps.  Free with free().
static char *perform_play(const struct play *play, const char *target,
                          const char *level, bool with, const char *naive,
                          uint64_t *changes) {
  struct stage_of_play stage = {.with = with, .naive = naive};
  struct step_of_play steps[STEPS_MOST];
  char *text = xstrdup(play->steps), *said;
  size_t bytes;
  FILE *out = text_stream(&said, &bytes);
  set_stage(&stage, target, level);
  perform_steps(&stage, steps, divide_steps(text, steps), out);
  fclose(out);
  *changes = stage.changes;
  strike_stage(&stage);
  free(text);
  return said;
}

static const char *const levels[] = {"read committed", "repeatable read",
                                     "serializable"};

static bool is_play_neutral(const struct play *play, const char *target,
                            const char *level, const char *naive,
                            uint64_t *told_changes) {
  uint64_t with, without;
  char *plain = perform_play(play, target, level, false, NULL, &without),
       *told = perform_play(play, target, level, true, naive, &with);
  const bool same = !strcmp(plain, told) && !without;
  *told_changes += with;
  if (!same && !naive)
    printf("# changes told: %u and %u\n# without: %s\n# with: %s\n",
           (unsigned)without, (unsigned)with, plain, told);
  free(plain);
  free(told);
  return same;
}

static void check_plays(const char *target, uint32_t share) {
  uint64_t told = 0;
  uint32_t n = 0;
  printf("1..%u\n", (3 * PLAYS + share - 1) / share + 1);
  for (uint32_t i = 0; i < 3 * PLAYS; i += share) {
    const char *level = levels[i / PLAYS];
    const bool neutral =
        is_play_neutral(&plays[i % PLAYS], target, level, NULL, &told);
    tap_failures += !neutral;
    printf("%s %u - %s, %s\n", neutral ? "ok" : "not ok", ++n, level,
           plays[i % PLAYS].name);
    fflush(stdout);
  }
  tap_failures += !told;
  printf("%s %u - the instrument told of changes\n", told ? "ok" : "not ok",
         ++n);
}

static void check_naive(const char *target, const char *naive) {
  bool neutral = true;
  uint64_t told = 0;
  for (uint32_t i = 0; i < PLAYS && neutral; i++)
    neutral = is_play_neutral(&plays[i], target, levels[0], naive, &told);
  tap_failures += neutral;
  printf("1..1\n%s 1 - what is not neutral is found: %s\n",
         neutral ? "not ok" : "ok", naive);
}

int main(int argc, char **argv) {
  const char *target = argc > 1 ? argv[1] : "";
  const uint32_t share = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
  if (argc > 3)
    check_naive(target, argv[3]);
  else
    check_plays(target, share);
  return tap_failures > 0;
}
