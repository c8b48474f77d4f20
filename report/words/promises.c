// SPDX-License-Identifier: GPL-3.0-or-later
// The table of promises (report/words/promises.h).  It is one table, and not a
// part of each driver's words, since one reads it across databases.
#include "config.h"

#include "report/words/promises.h"

#include "report/words/words.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static_assert((int)ANOMALY_COUNT <= 64, "a set of anomalies is 64 bits");
#define ONE(a) (UINT64_C(1) << ANOMALY_##a)

// Its own writes, and those that were committed, stay what they are.
#define OWN_WRITES                                                             \
  (ONE(FUTURE_READ) | ONE(NOT_MY_LAST_WRITE) | ONE(NOT_MY_OWN_WRITE) |         \
   ONE(DUPLICATE_ELEMENT) | ONE(LOST_WRITE))

// Each read sees what some transaction had committed, no older than what the
// session itself committed; writers wait for each other.  A circle of reads
// and overwrites is ruled out with that: each transaction of it would have
// committed before the next one.
#define COMMITTED                                                              \
  (OWN_WRITES | ONE(THIN_AIR_READ) | ONE(ABORTED_READ) |                       \
   ONE(INTERMEDIATE_READ) | ONE(CYCLE_G0) | ONE(CYCLE_G1C) |                   \
   ONE(INCOMPATIBLE_ORDER) | ONE(LOST_ELEMENT) | ONE(EXTRA_ROW) |              \
   ONE(MISSING_ROW) | ONE(SESSION_GUARANTEE_VIOLATION))

// Reads of one moment, which nothing else mixes with.
#define SNAPSHOT                                                               \
  (ONE(NON_REPEATABLE_READS) | ONE(NON_MONOTONIC_READ) | ONE(FRACTURED_READ) | \
   ONE(CAUSALITY_VIOLATION) | ONE(LONG_FORK) | ONE(PHANTOM) |                  \
   ONE(FRACTURED_STATEMENT) | ONE(PHANTOM_READ) | ONE(PHANTOM_LONG_FORK))

#define SEVERAL_LEVELS "several levels"
#define AMONG_SERIALIZABLE                                                     \
  "SERIALIZABLE is promised among transactions at SERIALIZABLE only"

#define INNODB_UNCOMMITTED                                                     \
  "A plain read may see what is not committed. Writers lock rows until they "  \
  "end."
#define INNODB_COMMITTED                                                       \
  "Each read takes a snapshot of what is committed at that moment. Writers "   \
  "lock rows until they end."
#define INNODB_SNAPSHOT                                                        \
  "All plain reads of a transaction use the snapshot of its first read. "      \
  "Locking reads and changes use the latest rows, and do not check that "      \
  "snapshot."
#define INNODB_LOCKS                                                           \
  "As REPEATABLE READ, and each plain read locks what it reads."

static const struct promise_row {
  const char *database, *level;
  enum isolation least, most;  // of what the driver claims: the setting
  uint64_t forbids, for_plain; // beyond that; what plain reads have besides
  struct promise_words words;
} rows[] = {
    {"PostgreSQL",
     "read uncommitted",
     ISOLATION_NONE,
     ISOLATION_SSER,
     COMMITTED,
     0,
     {"It behaves as READ COMMITTED.", NULL, POSTGRESQL_MANUAL}},
    {"PostgreSQL",
     "read committed",
     ISOLATION_NONE,
     ISOLATION_SSER,
     COMMITTED,
     0,
     {"Each statement sees what was committed before it began; two statements "
      "of a transaction may see different data. Writers wait for each other.",
      NULL, POSTGRESQL_MANUAL "#XACT-READ-COMMITTED"}},
    {"PostgreSQL",
     "repeatable read",
     ISOLATION_NONE,
     ISOLATION_SSER,
     0,
     0,
     {"All statements of a transaction see one snapshot. A change of a row "
      "that is newer than the snapshot is refused with error 40001.",
      NULL, POSTGRESQL_MANUAL "#XACT-REPEATABLE-READ"}},
    {"PostgreSQL",
     "serializable",
     ISOLATION_NONE,
     ISOLATION_SSER,
     0,
     0,
     {"The result is the same as if transactions ran one after another; one "
      "that would break that is refused with error 40001.",
      NULL, POSTGRESQL_MANUAL "#XACT-SERIALIZABLE"}},
    // Transactions that have levels of their own.
    {"PostgreSQL",
     SEVERAL_LEVELS,
     ISOLATION_NONE,
     ISOLATION_SSER,
     0,
     0,
     {AMONG_SERIALIZABLE ".", NULL, POSTGRESQL_MANUAL}},
    {"MariaDB",
     "read uncommitted",
     ISOLATION_NONE,
     ISOLATION_SSER,
     OWN_WRITES | ONE(CYCLE_G0),
     0,
     {INNODB_UNCOMMITTED, NULL, MARIADB_MANUAL}},
    {"MariaDB",
     "read committed",
     ISOLATION_NONE,
     ISOLATION_SSER,
     COMMITTED,
     0,
     {INNODB_COMMITTED, NULL, MARIADB_MANUAL}},
    {"MariaDB",
     "repeatable read",
     ISOLATION_NONE,
     ISOLATION_PC,
     COMMITTED,
     SNAPSHOT,
     {INNODB_SNAPSHOT, "innodb_snapshot_isolation = OFF", MARIADB_MANUAL}},
    {"MariaDB",
     "repeatable read",
     ISOLATION_SI,
     ISOLATION_SSER,
     0,
     0,
     {"All plain reads of a transaction use the snapshot of its first read. A "
      "change of, or a lock on, a row that is newer than the snapshot is "
      "refused with error 1020.",
      "innodb_snapshot_isolation = ON",
      "https://mariadb.com/kb/en/"
      "innodb-system-variables/#innodb_snapshot_isolation"}},
    {"MariaDB",
     "serializable",
     ISOLATION_NONE,
     ISOLATION_SSER,
     0,
     0,
     {INNODB_LOCKS, NULL, MARIADB_MANUAL}},
    {"MySQL",
     "read uncommitted",
     ISOLATION_NONE,
     ISOLATION_SSER,
     OWN_WRITES | ONE(CYCLE_G0),
     0,
     {INNODB_UNCOMMITTED, NULL, MYSQL_MANUAL}},
    {"MySQL",
     "read committed",
     ISOLATION_NONE,
     ISOLATION_SSER,
     COMMITTED,
     0,
     {INNODB_COMMITTED, NULL, MYSQL_MANUAL}},
    {"MySQL",
     "repeatable read",
     ISOLATION_NONE,
     ISOLATION_SSER,
     COMMITTED,
     SNAPSHOT,
     {INNODB_SNAPSHOT, NULL, MYSQL_MANUAL}},
    {"MySQL",
     "serializable",
     ISOLATION_NONE,
     ISOLATION_SSER,
     0,
     0,
     {INNODB_LOCKS, NULL, MYSQL_MANUAL}},
    {"SQLite",
     "serializable",
     ISOLATION_NONE,
     ISOLATION_SSER,
     0,
     0,
     {"No connection sees changes of another one before they are committed, "
      "and one writes at a time.",
      NULL, SQLITE_MANUAL}},
    {"SQLite",
     "read uncommitted",
     ISOLATION_NONE,
     ISOLATION_SSER,
     OWN_WRITES | ONE(CYCLE_G0),
     0,
     {"Connections that share a cache read without locks, and see what is not "
      "committed. One writes at a time.",
      NULL, "https://www.sqlite.org/sharedcache.html"}},
    // Reads come before MULTI, each of what was executed last; a queued write
    // is not read before EXEC.
    {"Redis",
     "multi",
     ISOLATION_NONE,
     ISOLATION_SSER,
     ONE(FUTURE_READ) | ONE(ABORTED_READ) | ONE(INTERMEDIATE_READ) |
         ONE(THIN_AIR_READ) | ONE(CYCLE_G0) | ONE(CYCLE_G1C) |
         ONE(NON_MONOTONIC_READ) | ONE(SESSION_GUARANTEE_VIOLATION) |
         ONE(INCOMPATIBLE_ORDER) | ONE(DUPLICATE_ELEMENT) | ONE(LOST_ELEMENT),
     0,
     {"The writes between MULTI and EXEC are executed one after another, and "
      "no other command comes between. Nothing relates them to what was read "
      "before.",
      NULL, REDIS_MANUAL}},
    {"Redis",
     "watch",
     ISOLATION_NONE,
     ISOLATION_SSER,
     0,
     0,
     {"EXEC executes nothing where a key that was watched has changed since.",
      NULL, REDIS_MANUAL "#optimistic-locking-using-check-and-set"}},
    {"Redis",
     "script",
     ISOLATION_NONE,
     ISOLATION_SSER,
     0,
     0,
     {"A script is executed as a whole, and nothing else meanwhile.", NULL,
      REDIS_LUA_MANUAL}},
    {"etcd",
     "strict",
     ISOLATION_NONE,
     ISOLATION_SSER,
     0,
     0,
     {"Transactions are strictly serializable: each sees all that was "
      "completed before it began.",
      NULL, ETCD_MANUAL}},
    {"etcd",
     "stale",
     ISOLATION_NONE,
     ISOLATION_SSER,
     0,
     0,
     {"Serializable reads show one state of the past, which may be older than "
      "what was completed before.",
      NULL, ETCD_MANUAL}},
};

// As a run whose transactions have levels of their own: "ser:1,rc:3".
static bool names_several_levels(const struct promised_level *level) {
  return strchr(level->level, ':') != NULL;
}

static const struct promise_row *
promise_row_of(const struct promised_level *level) {
  const char *wanted =
      names_several_levels(level) ? SEVERAL_LEVELS : level->level;
  const struct driver_words *database =
      driver_words_of_server(level->target, level->server);
  for (size_t i = 0; database && i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].database, database->name) &&
        !strcmp(rows[i].level, wanted) && rows[i].least <= level->claimed &&
        level->claimed <= rows[i].most)
      return &rows[i];
  return NULL;
}

static enum promise promise_with(const struct promised_level *level,
                                 enum anomaly anomaly, bool plain) {
  const struct promise_row *row = promise_row_of(level);
  const uint64_t forbids =
      row ? row->forbids | (plain ? row->for_plain : 0) : 0;
  assert(anomaly < ANOMALY_COUNT);
  if (anomaly == ANOMALY_NONE || !driver_words_of_target(level->target))
    return PROMISE_UNKNOWN;
  return anomaly_weakest(anomaly) <= level->claimed || forbids >> anomaly & 1
             ? PROMISE_FORBIDDEN
             : PROMISE_ALLOWED;
}

enum promise promise_of(const struct promised_level *level,
                        enum anomaly anomaly) {
  return promise_with(level, anomaly, false);
}

bool promise_has(const struct promised_level *level, enum isolation all) {
  bool has = all != ISOLATION_NONE && driver_words_of_target(level->target);
  for (int a = ANOMALY_NONE + 1; has && a < ANOMALY_COUNT; a++)
    has = anomaly_weakest((enum anomaly)a) > all ||
          promise_forbids(level, (enum anomaly)a);
  return has;
}

enum promise promise_to_plain_reads(const struct promised_level *level,
                                    enum anomaly anomaly) {
  return promise_with(level, anomaly, true);
}

const char *promise_among_serializable(const struct promised_level *level) {
  return names_several_levels(level) && promise_row_of(level)
             ? AMONG_SERIALIZABLE
             : NULL;
}

const struct promise_words *promise_words(const struct promised_level *level) {
  const struct promise_row *row = promise_row_of(level);
  return row ? &row->words : NULL;
}
