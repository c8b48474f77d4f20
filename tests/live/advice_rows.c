// SPDX-License-Identifier: GPL-3.0-or-later
// For tests/live/advice.sh: a line for each server, level and attempt, with the
// anomalies that the advice is about.  The fields stand between bars: server,
// options of its target, level, attempt ("-": none), names of anomalies.
#include "config.h"

#include "drivers/drivers.h"
#include "report/advice.h"

#include <stdio.h>
#include <string.h>

static const struct server {
  const char *kind, *options, *target, *says;
  bool several;
} servers[] = {
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

enum { NAMES = 1000, ATTEMPTS = 16, ATTEMPT = 200 };

struct group {
  char attempt[ATTEMPT], names[NAMES];
};

static void add_name(struct group *group, const char *name) {
  const size_t used = strlen(group->names);
  snprintf(group->names + used, NAMES - used, "%s%s", used ? " " : "", name);
}

static void note(struct group *groups, const char *attempt,
                 enum anomaly anomaly) {
  struct group *g = groups;
  while (*g->attempt && strcmp(g->attempt, attempt) != 0)
    g++;
  snprintf(g->attempt, ATTEMPT, "%s", attempt);
  add_name(g, anomaly_info(anomaly)->name);
}

static void note_anomaly(struct group *groups,
                         const struct promised_level *level,
                         enum anomaly anomaly) {
  const struct advice *advice[ADVICE_MOST];
  const uint32_t n = advice_for(level, anomaly, advice);
  char attempt[ATTEMPT] = "";
  for (uint32_t i = 0; i < n; i++) {
    const size_t used = strlen(attempt);
    snprintf(attempt + used, ATTEMPT - used, "%s%s", used ? " " : "",
             advice[i]->attempt ? advice[i]->attempt : "-");
  }
  if (n)
    note(groups, attempt, anomaly);
}

static void put_level(const struct server *server,
                      const struct driver_level *l) {
  struct promised_level level = {server->target, server->says, l->name,
                                 l->claimed, server->several};
  struct group groups[ATTEMPTS] = {0};
  if (!strcmp(server->says, "MariaDB") && !strstr(server->target, "=on") &&
      l->claimed == ISOLATION_SI)
    level.claimed = ISOLATION_NONE;
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++)
    note_anomaly(groups, &level, (enum anomaly)a);
  for (const struct group *g = groups; *g->attempt; g++)
    printf("%s|%s|%s|%s|%s\n", server->kind, server->options, l->name,
           g->attempt, g->names);
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
