// SPDX-License-Identifier: GPL-3.0-or-later
// For tests/live/advice.sh: a line for each server, level and way to take the
// advice, with the anomalies that the way is advised against.  The fields stand
// between bars: server, options of its target, level, way, names of anomalies.
// A way is options of a run, the name of a remedy, or "-", where the advice has
// neither.
#include "config.h"

#include "drivers/drivers.h"
#include "report/words/advice.h"

#include <stdio.h>
#include <string.h>

static const struct server {
  const char *kind, *options, *target, *says;
  bool several;
} servers[] = {
    {"memory", "", "memory:", "", false},
    {"postgresql", "", "postgresql:", "PostgreSQL", false},
    {"mariadb", "?innodb_snapshot_isolation=off", "mysql:", "MariaDB", false},
    {"mariadb", "?innodb_snapshot_isolation=on",
     "mysql:?innodb_snapshot_isolation=on", "MariaDB", false},
    {"mysql", "", "mysql:", "MySQL", false},
    {"sqlite", "", "sqlite:", "SQLite", false},
    {"redis", "", "redis:", "Redis", false},
    {"etcd", "", "etcd:", "etcd", false},
    {"postgresql-standby", "", "postgresql:", "PostgreSQL", true},
    {"galera", "", "mysql:", "MariaDB", true},
    {"redis-replica", "", "redis:", "Redis", true},
    {"etcd-3", "", "etcd:", "etcd", true},
};

// A program does this, by the words that advise it.  Those of one database have
// a script in tests/live/remedies.
static const struct remedy {
  const char *words, *name;
} remedies[] = {
    {"Lock the row when you read it", "lock-row"},
    {"let the database calculate", "calculate"},
    {"lock the rows that you check", "lock-rows"},
    {"keep what must hold in one row", "one-row"},
    {"a unique index", "unique"},
    {"an exclusion constraint", "exclusion"},
    {"has to lock what it reads", "lock-read"},
    {"<code>SELECT</code>s before the transaction", "read-first"},
    {"Send all writes", "one-node"},
    {"Send a session to one node", "one-node"},
    {"wsrep_sync_wait = 1", "sync-wait"},
    {"from the primary", "primary"},
    {"Before a failover", "wait"},
    {"Linearizable reads", "linearizable"},
    {"appendonly yes", "appendonly"},
    {"keep the value in the program", "own-value"},
    {"BEGIN IMMEDIATE", "immediate"},
};
enum { REMEDIES = sizeof remedies / sizeof *remedies };

enum { NAMES = 1000, WAYS = 32 };

struct group {
  const char *way; // NULL: behind the last one
  char names[NAMES];
};

static void note(struct group *groups, const char *way, enum anomaly anomaly) {
  struct group *g = groups;
  while (g->way && strcmp(g->way, way) != 0)
    g++;
  const size_t used = strlen(g->names);
  g->way = way;
  snprintf(g->names + used, NAMES - used, "%s%s", used ? " " : "",
           anomaly_info(anomaly)->name);
}

static void note_advice(struct group *groups, const struct advice *advice,
                        enum anomaly anomaly) {
  bool has_way = advice->attempt;
  if (has_way && *advice->attempt == '-')
    note(groups, advice->attempt, anomaly);
  for (int i = 0; i < REMEDIES; i++)
    if (strstr(advice->text, remedies[i].words)) {
      note(groups, remedies[i].name, anomaly);
      has_way = true;
    }
  if (!has_way)
    note(groups, "-", anomaly);
}

static void note_anomaly(struct group *groups,
                         const struct promised_level *level,
                         enum anomaly anomaly) {
  const struct advice *advice[ADVICE_MOST];
  const uint32_t n = advice_for(level, anomaly, advice);
  for (uint32_t i = 0; i < n; i++)
    note_advice(groups, advice[i], anomaly);
}

static void put_level(const struct server *server,
                      const struct driver_level *l) {
  struct promised_level level = {server->target, server->says, l->name,
                                 l->claimed, server->several};
  struct group groups[WAYS] = {0};
  if (!strcmp(server->says, "MariaDB") && !strstr(server->target, "=on") &&
      l->claimed == ISOLATION_SI)
    level.claimed = ISOLATION_NONE;
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++)
    note_anomaly(groups, &level, (enum anomaly)a);
  for (const struct group *g = groups; g->way; g++)
    printf("%s|%s|%s|%s|%s\n", server->kind, server->options, l->name, g->way,
           g->names);
}

static bool is_of(const struct server *server, const struct driver *driver) {
  const size_t length = strcspn(server->target, ":");
  return strlen(driver->name) == length &&
         !memcmp(server->target, driver->name, length);
}

static void put_server(const struct server *server) {
  const struct driver *driver;
  for (uint32_t i = 0; (driver = drivers_at(i)); i++)
    for (const struct driver_level *l = driver->levels;
         is_of(server, driver) && l->name; l++)
      put_level(server, l);
}

int main(void) {
  for (size_t i = 0; i < sizeof servers / sizeof *servers; i++)
    put_server(&servers[i]);
  return 0;
}
