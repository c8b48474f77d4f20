// SPDX-License-Identifier: GPL-3.0-or-later
// A database file in a directory of its own, opened through the SQLite driver,
// and SQLite's own handles of the driver's connections, so that tests can make
// real errors happen there.
#ifndef TESTS_KIT_SQLITE_H
#define TESTS_KIT_SQLITE_H

#include "drivers/drivers.h"
#include "tests/tap.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern const struct driver sqlite_driver;

enum { SER, RU }; // positions in the driver's table of levels

struct bench {
  char directory[64], path[80];
  struct target *target;
  struct connection *c[4];
};

// SQLite tells of each connection that it opens.
static sqlite3 *last_opened;
static inline int remember_opened(sqlite3 *db, char **message,
                                  const struct sqlite3_api_routines *api) {
  (void)message, (void)api;
  last_opened = db;
  return SQLITE_OK;
}

static inline void bench_directory(struct bench *bench) {
  snprintf(bench->directory, sizeof bench->directory,
           "/tmp/isostress-test.XXXXXX");
  CHECK(mkdtemp(bench->directory) != NULL);
  snprintf(bench->path, sizeof bench->path, "%s/t.db", bench->directory);
}

// Opens the target with "?OPTIONS" behind it; what it says, or "".
static inline const char *bench_open(struct bench *bench, const char *options) {
  static struct error error;
  char text[160];
  snprintf(text, sizeof text, "sqlite:%s%s", bench->path, options);
  error.text[0] = 0;
  bench->target = NULL;
  target_open(text, NULL, NULL, 4, 1, &bench->target, &error);
  return error.text;
}

static inline void bench_setup(struct bench *bench,
                               const struct keyspace *keys) {
  struct error error = {0};
  CHECK_INT(sqlite_driver.setup(bench->target, keys, &error), 0);
  CHECK_STR(error.text, "");
}

// SQLite's own handle of the connection that this opens.
static inline sqlite3 *bench_connect(struct bench *bench, uint32_t session) {
  struct error error = {0};
  CHECK_INT(
      sqlite_driver.connect(bench->target, session, &bench->c[session], &error),
      0);
  CHECK_STR(error.text, "");
  return last_opened;
}

// Two keys with their initial value, two sessions.
static inline struct bench bench_of_two(const char *options) {
  struct bench bench = {0};
  bench_directory(&bench);
  CHECK_STR(bench_open(&bench, options), "");
  bench_setup(&bench, &(struct keyspace){.nkeys = 2, .preload = true});
  bench_connect(&bench, 0);
  bench_connect(&bench, 1);
  return bench;
}

static inline void bench_close(struct bench *bench) {
  for (int i = 0; i < 4; i++)
    if (bench->c[i])
      sqlite_driver.disconnect(bench->c[i]);
  if (bench->target)
    target_close(bench->target);
  static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
  for (int i = 0; i < 4; i++) {
    char path[96];
    snprintf(path, sizeof path, "%s%s", bench->path, endings[i]);
    unlink(path);
  }
  CHECK_INT(rmdir(bench->directory), 0);
}

// Runs SQL on a connection of the test's own; the last column of the last row.
static inline const char *bench_sql(const struct bench *bench,
                                    const char *text) {
  static char answer[100];
  sqlite3 *db;
  answer[0] = 0;
  CHECK_INT(sqlite3_open(bench->path, &db), SQLITE_OK);
  const char *rest = text;
  while (*rest) {
    sqlite3_stmt *statement;
    if (!CHECK(!sqlite3_prepare_v2(db, rest, -1, &statement, &rest)))
      printf("# %s: %s\n", text, sqlite3_errmsg(db));
    while (statement && sqlite3_step(statement) == SQLITE_ROW)
      snprintf(answer, sizeof answer, "%s",
               (const char *)sqlite3_column_text(
                   statement, sqlite3_column_count(statement) - 1));
    if (!statement)
      break;
    CHECK_INT(sqlite3_finalize(statement), SQLITE_OK);
  }
  sqlite3_close(db);
  return answer;
}

static inline enum outcome begin_at(struct connection *c, int level) {
  return sqlite_driver.begin(c, &sqlite_driver.levels[level]);
}

// Reads the key in the open transaction.
static inline long long value_at(struct connection *c, uint64_t key) {
  uint64_t value = 987654321;
  CHECK_INT(sqlite_driver.get(c, key, &value), OUTCOME_OK);
  return (long long)value;
}

// Reads the key in a transaction of its own.
static inline long long committed_at(struct connection *c, uint64_t key) {
  CHECK_INT(begin_at(c, SER), OUTCOME_OK);
  long long value = value_at(c, key);
  CHECK_INT(sqlite_driver.commit(c), OUTCOME_OK);
  return value;
}

static inline void check_reason(const struct connection *c, enum cause cause,
                                const char *code) {
  CHECK_STR(cause_name(c->cause), cause_name(cause));
  CHECK_STR(c->code, code);
  CHECK(c->text[0] != 0);
}

#endif
