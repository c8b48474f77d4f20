// SPDX-License-Identifier: GPL-3.0-or-later
// Promises of databases, anomaly by anomaly: by their documentation, as it was
// seen on servers, and for every level that a driver has.
#include "config.h"

#include "base/memory.h"
#include "drivers/drivers.h"
#include "report/page/columns.h"
#include "report/page/page.h"
#include "report/page/page_steps.h"
#include "report/text/text.h"
#include "report/words/promises.h"
#include "report/words/scored.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

static const struct promised_level
    mariadb_default = {"mysql://h", "MariaDB 10.11", "repeatable read",
                       ISOLATION_NONE, false},
    mariadb_checks = {"mysql://h", "MariaDB 10.11", "repeatable read",
                      ISOLATION_SI, false},
    mariadb_uncommitted = {"mariadb://h", "MariaDB 10.11", "read uncommitted",
                           ISOLATION_NONE, false},
    postgresql_committed = {"postgres://h", "PostgreSQL 15", "read committed",
                            ISOLATION_RC, false},
    redis_multi = {"redis://h", "Redis 7", "multi", ISOLATION_NONE, false},
    unknown = {"other:h", "Other 1", "repeatable read", ISOLATION_SI, false};

static void expect(const struct promised_level *level, enum anomaly anomaly,
                   enum promise wanted) {
  if (!CHECK(promise_of(level, anomaly) == wanted))
    printf("# %s, %s: %s\n", level->server, level->level,
           anomaly_info(anomaly)->name);
}

// The level keeps none of ours for rows of SQL, and promises much.
static void mariadb(void) {
  static const enum anomaly forbidden[] = {
      ANOMALY_CYCLE_G0, ANOMALY_ABORTED_READ, ANOMALY_INTERMEDIATE_READ,
      ANOMALY_CYCLE_G1C, ANOMALY_SESSION_GUARANTEE_VIOLATION};
  static const enum anomaly by_writers[] = {
      ANOMALY_FRACTURED_READ, ANOMALY_NON_REPEATABLE_READS,
      ANOMALY_PHANTOM_READ, ANOMALY_NON_MONOTONIC_READ};
  for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
    expect(&mariadb_default, forbidden[i], PROMISE_FORBIDDEN);
  for (size_t i = 0; i < sizeof by_writers / sizeof *by_writers; i++) {
    expect(&mariadb_default, by_writers[i], PROMISE_ALLOWED);
    CHECK_INT(promise_to_plain_reads(&mariadb_default, by_writers[i]),
              PROMISE_FORBIDDEN);
    expect(&mariadb_checks, by_writers[i], PROMISE_FORBIDDEN);
  }
  expect(&mariadb_default, ANOMALY_LOST_UPDATE, PROMISE_ALLOWED);
  CHECK_INT(promise_to_plain_reads(&mariadb_default, ANOMALY_LOST_UPDATE),
            PROMISE_ALLOWED);
  expect(&mariadb_checks, ANOMALY_LOST_UPDATE, PROMISE_FORBIDDEN);
  expect(&mariadb_checks, ANOMALY_WRITE_SKEW, PROMISE_ALLOWED);
  expect(&mariadb_uncommitted, ANOMALY_CYCLE_G0, PROMISE_FORBIDDEN);
  expect(&mariadb_uncommitted, ANOMALY_ABORTED_READ, PROMISE_ALLOWED);
}

static void others(void) {
  expect(&postgresql_committed, ANOMALY_ABORTED_READ, PROMISE_FORBIDDEN);
  expect(&postgresql_committed, ANOMALY_SESSION_GUARANTEE_VIOLATION,
         PROMISE_FORBIDDEN);
  expect(&postgresql_committed, ANOMALY_NON_REPEATABLE_READS, PROMISE_ALLOWED);
  expect(&redis_multi, ANOMALY_ABORTED_READ, PROMISE_FORBIDDEN);
  expect(&redis_multi, ANOMALY_LOST_UPDATE, PROMISE_ALLOWED);
  expect(&unknown, ANOMALY_LOST_UPDATE, PROMISE_UNKNOWN);
  expect(&postgresql_committed, ANOMALY_NONE, PROMISE_UNKNOWN);
}

static void expect_level(const char *scheme, const char *server,
                         const struct driver_level *level) {
  char *target = xasprintf("%s:place", scheme);
  const struct promised_level here = {target, server, level->name,
                                      level->claimed, false};
  const struct promise_words *words = promise_words(&here);
  if (!CHECK(words && words->says && words->source) ||
      !CHECK(words->says[strlen(words->says) - 1] == '.'))
    printf("# %s, %s\n", scheme, level->name);
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++)
    if (anomaly_weakest((enum anomaly)a) <= level->claimed)
      expect(&here, (enum anomaly)a, PROMISE_FORBIDDEN);
  free(target);
}

// The built-in store has no documentation but our own.
static void every_level(void) {
  const struct driver *driver;
  for (uint32_t i = 0; (driver = drivers_at(i)); i++)
    for (const struct driver_level *l = driver->levels; l->name; l++) {
      if (!strcmp(driver->name, "memory"))
        continue;
      expect_level(driver->name, "", l);
      if (!strcmp(driver->name, "mysql"))
        expect_level(driver->name, "MariaDB 11", l);
    }
}

// ---- One answer in all outputs

static bool contains(void (*put)(FILE *out, const void *what), const void *what,
                     const char *words) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  put(out, what);
  fclose(out);
  const bool has = strstr(text, words);
  free(text);
  return has;
}

static void put_promise(FILE *out, const void *subject) {
  columns_put_promise(out, subject);
}

static void put_scorecard(FILE *out, const void *guarantees) {
  page_put_scorecard(out, guarantees);
}

// The page of a run, that of steps, and the scorecard of a level.
static void same_of_anomaly(const struct promised_level *level,
                            enum anomaly anomaly) {
  const bool forbids = promise_forbids(level, anomaly);
  const char *says = promise_words(level)->says;
  struct guarantee_cell cells[GUARANTEE_ROWS] = {{.kind = CELL_EMPTY}};
  struct guarantee_column column = {
      .level = level->level, .claimed = level->claimed, .cells = cells};
  const struct guarantees g = {.program = "isostress",
                               .target = level->target,
                               .command = "isostress scorecard",
                               .server = level->server,
                               .rows = guarantee_grid,
                               .nrows = GUARANTEE_ROWS,
                               .columns = &column,
                               .ncolumns = 1};
  const struct subject subject = {
      *level, anomaly, badge_of_anomaly(level, anomaly), false, NULL};
  const struct page_of_steps steps = {.script = "p4",
                                      .title = "",
                                      .target = level->target,
                                      .server = level->server,
                                      .level = level->level,
                                      .claimed = level->claimed,
                                      .performances = 1,
                                      .seen = 1,
                                      .anomaly = "seen",
                                      .tried = anomaly,
                                      .program = "isostress"};
  const struct scored_line line = {NULL, 0, anomaly};
  struct scored s;
  scored_begin(&s, NULL, &g);
  const char *tag = badge_words[subject.badge].tag;
  const char *answer = forbids ? "<b>Yes.</b>" : "<b>No.</b>";
  if (!CHECK(scored_promised(&s, 0, &line) == forbids) ||
      !CHECK(subject.badge == (forbids ? BADGE_FORBIDDEN : BADGE_ALLOWED)) ||
      !CHECK(contains(put_promise, &subject, answer)) ||
      !CHECK(contains(put_promise, &subject, says)) ||
      !CHECK(contains(page_put_steps, &steps, answer)) ||
      !CHECK(contains(page_put_steps, &steps, says)) ||
      !CHECK(contains(page_put_steps, &steps, tag)) ||
      !CHECK(contains(put_scorecard, &g, says)))
    printf("# %s, %s: %s\n", level->server, level->level,
           anomaly_info(anomaly)->name);
}

static void one_answer(void) {
  static const struct promised_level levels[] = {
      {"postgresql:", "PostgreSQL 15", "read uncommitted", ISOLATION_RC, false},
      {"postgresql:", "PostgreSQL 15", "read committed", ISOLATION_RC, false},
      {"postgresql:", "PostgreSQL 15", "repeatable read", ISOLATION_SI, false},
      {"postgresql:", "PostgreSQL 15", "serializable", ISOLATION_SER, false},
      {"mysql:", "MariaDB 10", "read uncommitted", ISOLATION_NONE, false},
      {"mysql:", "MariaDB 10", "read committed", ISOLATION_RC, false},
      {"mysql:", "MariaDB 10", "repeatable read", ISOLATION_NONE, false},
      {"mysql:", "MariaDB 10", "repeatable read", ISOLATION_PC, false},
      {"mysql:", "MariaDB 11", "repeatable read", ISOLATION_SI, false},
      {"mysql:", "MariaDB 10", "serializable", ISOLATION_SER, false},
  };
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++)
      same_of_anomaly(&levels[i], (enum anomaly)a);
    for (int l = ISOLATION_NONE + 1; l <= (int)levels[i].claimed; l++)
      CHECK(promise_has(&levels[i], (enum isolation)l));
    CHECK(!promise_has(&levels[i], ISOLATION_SSER));
  }
}

static void put_text(FILE *out, const void *guarantees) {
  text_put_scorecard(out, guarantees);
}

// Prevented by steps with plain reads, and shown by a load with others.
static void plain_reads(void) {
  struct guarantee_cell cells[GUARANTEE_ROWS];
  for (int r = 0; r < GUARANTEE_ROWS; r++)
    cells[r] = (struct guarantee_cell){.kind = CELL_PREVENTED};
  struct guarantee_column column = {.level = "repeatable read",
                                    .claimed = ISOLATION_NONE,
                                    .stressed = true,
                                    .cells = cells};
  column.found[ANOMALY_FRACTURED_READ] = 7;
  column.found[ANOMALY_LOST_UPDATE] = 9;
  const struct guarantees g = {.program = "isostress",
                               .target = "mysql:",
                               .command = "isostress scorecard",
                               .server = "MariaDB 10",
                               .rows = guarantee_grid,
                               .nrows = GUARANTEE_ROWS,
                               .columns = &column,
                               .ncolumns = 1};
  CHECK(contains(put_text, &g, "lost update in 9"));
  CHECK(contains(put_text, &g,
                 "(no plain\n"
                 "                    reads) 7") ||
        contains(put_text, &g, "(no plain reads) 7"));
  CHECK(contains(put_scorecard, &g, "read skew (no plain reads) 7"));
}

int main(void) {
  return TAP_RUN({"MariaDB's levels, anomaly by anomaly", mariadb},
                 {"levels of others", others},
                 {"every level of a driver has its sentence", every_level},
                 {"all outputs have one answer", one_answer},
                 {"what plain reads never show is told so", plain_reads});
}
