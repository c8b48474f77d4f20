// SPDX-License-Identifier: GPL-3.0-or-later
// The words of pages are complete: over all anomalies, and over all databases
// whose levels promise something.
#include "config.h"

#include "base/memory.h"
#include "drivers/drivers.h"
#include "report/words.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

static void expect_sentence(const char *text) {
  if (!CHECK(text && *text) || !CHECK(text[strlen(text) - 1] == '.'))
    printf("# %s\n", text ? text : "nothing");
}

static void every_anomaly(void) {
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
    const struct anomaly_words *words = words_of((enum anomaly)a);
    if (!CHECK(words->headline && words->clause))
      printf("# %s\n", anomaly_info((enum anomaly)a)->name);
    expect_sentence(words->happened);
    expect_sentence(words->means);
    expect_sentence(words->helps);
    CHECK_INT(words_anomaly(anomaly_info((enum anomaly)a)->name), a);
  }
  CHECK_INT(words_anomaly("NoSuchAnomaly"), ANOMALY_NONE);
}

static bool promises(const struct driver *driver) {
  bool any = false;
  for (const struct driver_level *l = driver->levels; l->name; l++)
    any |= l->claimed > ISOLATION_NONE;
  return any;
}

static void expect_database(const char *scheme) {
  char *target = xasprintf("%s:place", scheme);
  const struct database_words *words = words_of_target(target);
  if (!CHECK(words && (words->source || !strcmp(scheme, "memory"))))
    printf("# %s\n", scheme);
  free(target);
}

static void every_database(void) {
  unsigned n = 0;
  const struct driver *driver;
  for (uint32_t i = 0; (driver = drivers_at(i)); i++) {
    if (!promises(driver))
      continue;
    expect_database(driver->name);
    if (driver->alias)
      expect_database(driver->alias);
    n++;
  }
  CHECK(n >= 2);
  CHECK(!words_of_target("sql:place") && !words_of_target("place"));
}

static void remedies(void) {
  const struct database_words *mysql = words_of_target("mysql://host");
  CHECK(words_remedy(mysql, "MariaDB 10.11", ANOMALY_LOST_UPDATE));
  CHECK(!words_remedy(mysql, "MySQL 8.4", ANOMALY_LOST_UPDATE));
  CHECK(!words_remedy(NULL, "", ANOMALY_LOST_UPDATE));
}

int main(void) {
  return TAP_RUN({"every anomaly has its words", every_anomaly},
                 {"every database that promises something", every_database},
                 {"what helps is that of the database", remedies});
}
