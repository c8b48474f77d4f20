// SPDX-License-Identifier: GPL-3.0-or-later
// The table of advice (report/words/advice.h).  It is one table, and not a part
// of each driver's words, since most sentences are of several databases.  It
// never names a setting that is on already, a lock behind count or sum
// (PostgreSQL refuses that with 0A000), or a lock on a row that a search did
// not find.
#include "config.h"

#include "report/words/advice.h"

#include "report/words/words.h"

#include <stddef.h>
#include <string.h>

#define ONE(a) (UINT64_C(1) << ANOMALY_##a)

#define ANY UINT64_MAX
#define LOST ONE(LOST_UPDATE)
#define SKEW (ONE(WRITE_SKEW) | ONE(CYCLE_G2_ITEM))
#define SKEW_BY_SEARCH ONE(PHANTOM_WRITE_SKEW)
#define STALE ONE(STALE_READ)
#define OWN (ONE(NOT_MY_LAST_WRITE) | ONE(NOT_MY_OWN_WRITE))

// Not of one moment.
#define MIXED                                                                  \
  (ONE(NON_REPEATABLE_READS) | ONE(FRACTURED_READ) | ONE(NON_MONOTONIC_READ) | \
   ONE(CAUSALITY_VIOLATION) | ONE(LONG_FORK) | ONE(CYCLE_G_SINGLE) |           \
   ONE(CYCLE_G_NONADJACENT) | ONE(PHANTOM) | ONE(FRACTURED_STATEMENT) |        \
   ONE(PHANTOM_READ) | ONE(PHANTOM_LONG_FORK))

// Reads that see more than what is committed.
#define DIRTY                                                                  \
  (ONE(THIN_AIR_READ) | ONE(ABORTED_READ) | ONE(INTERMEDIATE_READ) |           \
   ONE(CYCLE_G1C) | ONE(NON_MONOTONIC_READ) | ONE(INCOMPATIBLE_ORDER) |        \
   ONE(LOST_ELEMENT) | ONE(EXTRA_ROW) | ONE(MISSING_ROW) | ONE(PHANTOM) |      \
   ONE(SESSION_GUARANTEE_VIOLATION))

#define LOCK_ROW                                                               \
  "Lock the row when you read it: \fSELECT … FOR UPDATE\f. Or let "          \
  "the database calculate: \fSET n = n - 1\f."
#define OR_LOCK_ROWS                                                           \
  " Or lock the rows that you check: \fSELECT … FOR UPDATE\f, but "          \
  "not of \fcount\f or \fsum\f."
#define OR_ONE_ROW                                                             \
  " Or keep what must hold in one row, so that both have to change it."
#define OR_UNIQUE " Or let a unique index refuse the second row."
#define CLOCK                                                                  \
  "A read that must be current has to lock what it reads: \fSELECT … FOR "   \
  "UPDATE\f."

#define SERIALIZABLE_40001 "\fSERIALIZABLE\f, and try again at error 40001."
#define SNAPSHOT_40001 "\fREPEATABLE READ\f, and try again at error 40001."
#define SERIALIZABLE_1213 "\fSERIALIZABLE\f, and try again at error 1213."
#define CHECKED                                                                \
  "\fREPEATABLE READ\f with \finnodb_snapshot_isolation = "                    \
  "ON\f, and try again at error 1020."
#define CHECKED_ALREADY                                                        \
  "\fREPEATABLE READ\f, where \finnodb_snapshot_isolation\f"                   \
  " has an effect, and try again at error 1020."
#define TO_SERIALIZABLE "--isolation=serializable"
#define TO_SNAPSHOT "--isolation=repeatable read"
#define TO_CHECKED "--isolation=repeatable read ?innodb_snapshot_isolation=on"

#define IS_OFF "innodb_snapshot_isolation = OFF"
#define IS_ON "innodb_snapshot_isolation = ON"

#define WATCH_ALL                                                              \
  "\fWATCH\f every key before it is read, and try again when "                 \
  "\fEXEC\f returns nothing."
#define LINEARIZABLE                                                           \
  "Linearizable reads, which are etcd's default: leave out "                   \
  "\f--consistency=s\f, or \fserializable\f in a program."
#define ONE_NODE                                                               \
  "Send all writes, and the reads that they depend on, to one node: locks "    \
  "and "                                                                       \
  "snapshots end at the node, also at SERIALIZABLE and with "                  \
  "\fwsrep_sync_wait\f."
#define SYNC_WAIT                                                              \
  "Send a session to one node. Or set \fwsrep_sync_wait = 1\f: a "             \
  "read then waits until its node has caught up."
#define PRIMARY                                                                \
  "Read from the primary what must be current, and reads that are compared "   \
  "with each other from one server."

#define STRONGER(level)                                                        \
  "Ask for the level \f" level "\f or a stronger one.", "--isolation=" level

static const struct advice rows[] = {
    {"PostgreSQL", NULL, NULL, true,
     STALE | ONE(SESSION_GUARANTEE_VIOLATION) | ONE(CAUSALITY_VIOLATION) |
         ONE(LONG_FORK) | ONE(PHANTOM_LONG_FORK) | ONE(CYCLE_G_NONADJACENT),
     PRIMARY, "primary"},
    {"PostgreSQL", "read uncommitted", NULL, false, LOST,
     SNAPSHOT_40001 " " LOCK_ROW, TO_SNAPSHOT},
    {"PostgreSQL", "read committed", NULL, false, LOST,
     SNAPSHOT_40001 " " LOCK_ROW, TO_SNAPSHOT},
    {"PostgreSQL", "read uncommitted", NULL, false, MIXED, SNAPSHOT_40001,
     TO_SNAPSHOT},
    {"PostgreSQL", "read committed", NULL, false, MIXED, SNAPSHOT_40001,
     TO_SNAPSHOT},
    {"PostgreSQL", NULL, NULL, false, SKEW,
     SERIALIZABLE_40001 OR_LOCK_ROWS OR_ONE_ROW, TO_SERIALIZABLE},
    {"PostgreSQL", NULL, NULL, false, SKEW_BY_SEARCH,
     SERIALIZABLE_40001 " Or let a unique index or an exclusion constraint "
                        "refuse the second row.",
     TO_SERIALIZABLE},
    {"PostgreSQL", NULL, NULL, false, STALE, CLOCK, "lock-read"},

    {"MariaDB", NULL, NULL, true,
     STALE | ONE(SESSION_GUARANTEE_VIOLATION) | ONE(CAUSALITY_VIOLATION) |
         ONE(LONG_FORK) | ONE(PHANTOM_LONG_FORK),
     SYNC_WAIT, "sync-wait"},
    {"MariaDB", NULL, NULL, true, LOST | MIXED | SKEW | SKEW_BY_SEARCH,
     ONE_NODE, "one-node"},
    {"MariaDB", "read uncommitted", NULL, false, DIRTY,
     "\fREAD COMMITTED\f or a stronger level.", "--isolation=read committed"},
    {"MariaDB", "read uncommitted", IS_OFF, false, LOST,
     LOCK_ROW " Or " CHECKED, TO_CHECKED},
    {"MariaDB", "read committed", IS_OFF, false, LOST, LOCK_ROW " Or " CHECKED,
     TO_CHECKED},
    {"MariaDB", "repeatable read", IS_OFF, false, LOST,
     "\finnodb_snapshot_isolation = ON\f, and try again at error "
     "1020. " LOCK_ROW,
     TO_CHECKED},
    {"MariaDB", "repeatable read", IS_OFF, false, MIXED,
     "Read with plain \fSELECT\fs before the transaction changes or "
     "locks anything. Or \finnodb_snapshot_isolation = ON\f, and try "
     "again at error 1020.",
     TO_CHECKED},
    {"MariaDB", NULL, IS_OFF, false, MIXED, CHECKED, TO_CHECKED},
    {"MariaDB", NULL, IS_ON, false, LOST, LOCK_ROW " Or " CHECKED_ALREADY,
     TO_SNAPSHOT},
    {"MariaDB", NULL, IS_ON, false, MIXED, CHECKED_ALREADY, TO_SNAPSHOT},
    {"MariaDB", NULL, NULL, false, SKEW,
     SERIALIZABLE_1213 OR_LOCK_ROWS OR_ONE_ROW, TO_SERIALIZABLE},
    {"MariaDB", NULL, NULL, false, SKEW_BY_SEARCH, SERIALIZABLE_1213 OR_UNIQUE,
     TO_SERIALIZABLE},
    {"MariaDB", NULL, NULL, false, STALE, CLOCK, "lock-read"},

    {"MySQL", NULL, NULL, true, ANY,
     "Send all writes, and the reads that they depend on, to one server.",
     NULL},
    {"MySQL", "read uncommitted", NULL, false, DIRTY,
     "\fREAD COMMITTED\f or a stronger level.", NULL},
    {"MySQL", NULL, NULL, false, LOST, LOCK_ROW " Or " SERIALIZABLE_1213, NULL},
    {"MySQL", "repeatable read", NULL, false, MIXED,
     "Read with plain \fSELECT\fs before the transaction changes or "
     "locks anything. Or " SERIALIZABLE_1213,
     NULL},
    {"MySQL", NULL, NULL, false, MIXED,
     "\fREPEATABLE READ\f, and plain \fSELECT\fs before the "
     "transaction changes or locks anything. Or " SERIALIZABLE_1213,
     NULL},
    {"MySQL", NULL, NULL, false, SKEW,
     SERIALIZABLE_1213 OR_LOCK_ROWS OR_ONE_ROW, NULL},
    {"MySQL", NULL, NULL, false, SKEW_BY_SEARCH, SERIALIZABLE_1213 OR_UNIQUE,
     NULL},
    {"MySQL", NULL, NULL, false, STALE, CLOCK, NULL},

    {"SQLite", "read uncommitted", NULL, false, ANY & ~STALE,
     "Leave out \fPRAGMA read_uncommitted\f: connections without it "
     "are serializable. Try again at \fSQLITE_BUSY\f.",
     TO_SERIALIZABLE},
    {"SQLite", NULL, NULL, false, STALE,
     "A read that must be current begins with \fBEGIN IMMEDIATE\f.", NULL},

    {"Redis", NULL, NULL, true, ANY,
     "Read from the primary. Before a failover, \fWAIT\f until a "
     "replica has what was written.",
     NULL},
    {"Redis", "multi", NULL, false, OWN,
     "A write is executed at \fEXEC\f, so that no command before it "
     "reads it: keep the value in the program.",
     NULL},
    {"Redis", "multi", NULL, false, LOST | MIXED | SKEW, WATCH_ALL,
     "--isolation=watch"},
    {"Redis", NULL, NULL, false, STALE | ONE(LOST_WRITE),
     "\fappendonly yes\f, so that a restart brings back what was "
     "written.",
     "appendonly"},

    {"etcd", "stale", NULL, false, STALE, LINEARIZABLE, "linearizable"},
    {"etcd", "stale", NULL, true, ANY, LINEARIZABLE, "linearizable"},

    {"The built-in store", NULL, NULL, false,
     ONE(NON_REPEATABLE_READS) | ONE(SESSION_GUARANTEE_VIOLATION) |
         ONE(FRACTURED_READ) | ONE(FRACTURED_STATEMENT) | ONE(PHANTOM_READ),
     STRONGER("ra")},
    {"The built-in store", NULL, NULL, false, ONE(CAUSALITY_VIOLATION),
     STRONGER("cc")},
    {"The built-in store", NULL, NULL, false,
     ONE(LONG_FORK) | ONE(PHANTOM_LONG_FORK), STRONGER("pc")},
    {"The built-in store", NULL, NULL, false,
     LOST | ONE(CYCLE_G_SINGLE) | ONE(CYCLE_G_NONADJACENT), STRONGER("si")},
    {"The built-in store", NULL, NULL, false, SKEW | SKEW_BY_SEARCH,
     STRONGER("ser")},
    {"The built-in store", NULL, NULL, false, STALE, STRONGER("sser")},
};
enum { ROWS = sizeof rows / sizeof *rows };

// At REPEATABLE READ the driver knows; elsewhere the server says it.
static bool is_in_effect(const char *setting,
                         const struct promised_level *level) {
  const struct promise_words *words = promise_words(level);
  const bool on =
      words && words->setting
          ? !strcmp(words->setting, IS_ON)
          : strstr(level->server, "innodb_snapshot_isolation ON") ||
                strstr(level->target, "innodb_snapshot_isolation=on");
  return !setting || !strcmp(setting, on ? IS_ON : IS_OFF);
}

static const struct advice *find_advice(const struct promised_level *level,
                                        enum anomaly anomaly, bool several) {
  const struct driver_words *database =
      driver_words_of_server(level->target, level->server);
  for (uint32_t i = 0; database && i < ROWS; i++)
    if (!strcmp(rows[i].database, database->name) &&
        (!rows[i].level || !strcmp(rows[i].level, level->level)) &&
        rows[i].several == several && (rows[i].anomalies >> anomaly & 1) &&
        is_in_effect(rows[i].setting, level))
      return &rows[i];
  return NULL;
}

// A read that is stale on one server has another reason than across servers.
uint32_t advice_for(const struct promised_level *level, enum anomaly anomaly,
                    const struct advice *advice[ADVICE_MOST]) {
  uint32_t n = 0;
  const struct advice *servers =
      level->several ? find_advice(level, anomaly, true) : NULL;
  const bool both = anomaly != ANOMALY_STALE_READ || !servers;
  const struct advice *one = both && !promise_forbids(level, anomaly)
                                 ? find_advice(level, anomaly, false)
                                 : NULL;
  if (servers)
    advice[n++] = servers;
  if (one)
    advice[n++] = one;
  return n;
}

bool advice_blames_servers(const struct promised_level *level,
                           enum anomaly anomaly) {
  return level->several && find_advice(level, anomaly, true);
}

const struct advice *advice_at(uint32_t i) {
  return i < ROWS ? &rows[i] : NULL;
}
