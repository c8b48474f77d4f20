// SPDX-License-Identifier: GPL-3.0-or-later
// There is advice about every anomaly that a level of a database allows, and
// it is never what cannot help: a setting that is on already, a report to the
// makers.
#include "config.h"

#include "base/memory.h"
#include "drivers/drivers.h"
#include "drivers/endpoints.h"
#include "report/page/columns.h"
#include "report/words/advice.h"
#include "report/words/words.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

#define ONE(a) (UINT64_C(1) << ANOMALY_##a)

// A database without statements does not show what is told of them.
static bool can_occur(const struct driver *driver, enum anomaly anomaly) {
  const uint64_t rows = ONE(PHANTOM) | ONE(EXTRA_ROW) | ONE(MISSING_ROW) |
                        ONE(FRACTURED_STATEMENT) | ONE(PHANTOM_READ) |
                        ONE(PHANTOM_LONG_FORK) | ONE(PHANTOM_WRITE_SKEW);
  return driver->execute || !(rows >> anomaly & 1);
}

// The level and the setting that an attempt asks for rule the anomaly out, and
// are not those that were in effect.
static bool attempt_helps(const struct promised_level *level,
                          const char *attempt, enum anomaly anomaly) {
  const char *asked = strstr(attempt, "--isolation=");
  const bool turns_on = strstr(attempt, "?innodb_snapshot_isolation=on");
  struct error error;
  if (!asked)
    return *attempt != '-'; // a remedy in the program
  char *name = xasprintf("%s", asked + strlen("--isolation="));
  name[strcspn(name, "?")] = 0;
  if (name[strlen(name) - 1] == ' ')
    name[strlen(name) - 1] = 0;
  const struct driver_level *to = driver_level(
      target_driver(level->target, NULL, (const char *[]){NULL}, &error), name,
      &error);
  struct promised_level then = *level;
  then.level = name;
  then.claimed = to ? to->claimed : ISOLATION_NONE;
  if (turns_on)
    then.server = "MariaDB 11.8, innodb_snapshot_isolation ON";
  then.several = false;
  const bool helps = to && promise_forbids(&then, anomaly) &&
                     (strcmp(name, level->level) != 0 ||
                      (turns_on && !strstr(level->server, "isolation ON")));
  free(name);
  return helps;
}

// A page names all of it.
static void expect_page(const struct promised_level *level,
                        enum anomaly anomaly) {
  const struct subject subject = {
      *level, anomaly, badge_of_anomaly(level, anomaly), false, NULL};
  const char *helps[COLUMNS_HELPS];
  columns_help(&subject, helps);
  for (int i = 0; i < COLUMNS_HELPS && helps[i]; i++)
    if (subject.badge != BADGE_FORBIDDEN)
      CHECK(!strstr(helps[i], "Report it") && !strstr(helps[i], "report it"));
}

static void expect_advice(const struct promised_level *level,
                          enum anomaly anomaly) {
  const struct advice *all[ADVICE_MOST] = {NULL};
  const uint32_t n = advice_for(level, anomaly, all);
  const bool is_on = strstr(level->server, "isolation ON") != NULL;
  bool good = CHECK(n > 0);
  for (uint32_t i = 0; i < n; i++) {
    good &= CHECK(!strstr(all[i]->text, "eport it")) &&
            CHECK(!is_on || !strstr(all[i]->text, "isolation = ON")) &&
            (all[i]->several || !all[i]->attempt ||
             CHECK(attempt_helps(level, all[i]->attempt, anomaly)));
  }
  if (!good)
    printf("# %s, %s, %s: %s\n", level->target, level->server, level->level,
           anomaly_info(anomaly)->name);
}

// An anomaly that several servers cause is no broken promise of one.
static void expect_servers(const struct promised_level *one,
                           enum anomaly anomaly) {
  struct promised_level level = *one;
  level.several = true;
  if (promise_of(&level, anomaly) == PROMISE_ALLOWED)
    expect_advice(&level, anomaly);
  if (!CHECK((badge_of_anomaly(&level, anomaly) == BADGE_SERVERS) ==
             (promise_forbids(&level, anomaly) &&
              advice_blames_servers(&level, anomaly))))
    printf("# %s, %s, %s: %s\n", level.target, level.server, level.level,
           anomaly_info(anomaly)->name);
  expect_page(&level, anomaly);
}

static void expect_level(const struct driver *driver,
                         const struct promised_level *level) {
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
    if (!can_occur(driver, (enum anomaly)a))
      continue;
    if (promise_of(level, (enum anomaly)a) == PROMISE_ALLOWED)
      expect_advice(level, (enum anomaly)a);
    expect_page(level, (enum anomaly)a);
    expect_servers(level, (enum anomaly)a);
  }
}

// MariaDB's REPEATABLE READ promises most with the setting on, and less of
// rows than of keys without it.
static void expect_mariadb(const struct driver *driver,
                           const struct driver_level *l) {
  static const char *const servers[] = {
      "MariaDB 10.11, innodb_snapshot_isolation OFF",
      "MariaDB 11.8, innodb_snapshot_isolation ON", "MySQL 8.4"};
  for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
    struct promised_level level = {"mysql://h", servers[i], l->name, l->claimed,
                                   false};
    const bool repeatable = !strcmp(l->name, "repeatable read");
    if (repeatable)
      level.claimed = i == 1 ? ISOLATION_SI : ISOLATION_PC;
    expect_level(driver, &level);
    if (repeatable && i != 1) {
      level.claimed = ISOLATION_NONE;
      expect_level(driver, &level);
    }
  }
}

static void every_allowed_anomaly(void) {
  const struct driver *driver;
  for (uint32_t i = 0; (driver = drivers_at(i)); i++)
    for (const struct driver_level *l = driver->levels; l->name; l++) {
      char *target = xasprintf("%s:place", driver->name);
      const struct promised_level level = {target, "", l->name, l->claimed,
                                           false};
      if (!strcmp(driver->name, "mysql"))
        expect_mariadb(driver, l);
      else
        expect_level(driver, &level);
      free(target);
    }
}

static const char *text_for(const char *target, const char *server,
                            const char *level, enum isolation claimed,
                            bool several, enum anomaly anomaly) {
  const struct promised_level here = {target, server, level, claimed, several};
  const struct advice *advice[ADVICE_MOST];
  const uint32_t n = advice_for(&here, anomaly, advice);
  return n ? advice[n - 1]->text : "";
}

static void settings_in_effect(void) {
  static const char off[] = "MariaDB 10, innodb_snapshot_isolation OFF";
  static const char on[] = "MariaDB 11, innodb_snapshot_isolation ON";
  CHECK(strstr(text_for("mysql:", off, "repeatable read", ISOLATION_PC, false,
                        ANOMALY_LOST_UPDATE),
               "innodb_snapshot_isolation = ON"));
  CHECK(strstr(text_for("mysql:", on, "read committed", ISOLATION_RC, false,
                        ANOMALY_LOST_UPDATE),
               "REPEATABLE READ"));
  CHECK(!strstr(text_for("mysql:", "MySQL 9", "repeatable read", ISOLATION_PC,
                         false, ANOMALY_LOST_UPDATE),
                "innodb_snapshot_isolation"));
}

// Locks and snapshots of Galera end at the node.
static void servers(void) {
  CHECK(!strstr(text_for("mysql://a,b", "MariaDB 10", "serializable",
                         ISOLATION_SER, true, ANOMALY_WRITE_SKEW),
                "FOR UPDATE"));
  CHECK(strstr(text_for("postgresql://a,b", "PostgreSQL 15", "repeatable read",
                        ISOLATION_SI, true, ANOMALY_LONG_FORK),
               "one server"));
  CHECK(strstr(text_for("postgresql://a,b", "PostgreSQL 15", "repeatable read",
                        ISOLATION_SI, true, ANOMALY_WRITE_SKEW),
               "SERIALIZABLE"));
  const struct promised_level members = {"etcd:", "etcd 3.4", "strict",
                                         ISOLATION_SSER, true};
  CHECK_INT(badge_of_anomaly(&members, ANOMALY_STALE_READ), BADGE_FORBIDDEN);
  const struct promised_level nodes = {"mysql:", "MariaDB 10", "serializable",
                                       ISOLATION_SER, true};
  CHECK_INT(badge_of_anomaly(&nodes, ANOMALY_ABORTED_READ), BADGE_FORBIDDEN);
  CHECK_INT(badge_of_anomaly(&nodes, ANOMALY_WRITE_SKEW), BADGE_SERVERS);
}

static void rows(void) {
  const struct advice *advice;
  uint32_t n = 0;
  for (; (advice = advice_at(n)); n++)
    if (!CHECK(advice->text[strlen(advice->text) - 1] == '.'))
      printf("# %s: %s\n", advice->database, advice->text);
  CHECK(n > 20);
}

int main(void) {
  return TAP_RUN({"what a level allows has its advice", every_allowed_anomaly},
                 {"advice is of the settings in effect", settings_in_effect},
                 {"several servers have their own", servers},
                 {"each is a sentence", rows});
}
