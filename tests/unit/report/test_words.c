// SPDX-License-Identifier: GPL-3.0-or-later
// The words of pages are complete: over all anomalies, and over all databases
// whose levels promise something.
#include "config.h"

#include "base/memory.h"
#include "drivers/drivers.h"
#include "report/words/words.h"
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

// Puts the text for the database of the target.
static void expect_put(const char *target, const char *text,
                       const char *wanted) {
  char got[200] = {0};
  FILE *out = fmemopen(got, sizeof got, "w");
  words_put(out, text, driver_words_of_target(target));
  fclose(out);
  CHECK_STR(got, wanted);
}

static void rows_and_keys(void) {
  static const char text[] = "Two rows, arrows: a row. Each row";
  expect_put("redis://host", text, "Two keys, arrows: a key. Each key");
  expect_put("etcd://host", text, "Two keys, arrows: a key. Each key");
  expect_put("mysql://host", text, text);
  expect_put("other://host", text, text);
}

static void servers(void) {
  const struct anomaly_words *words = words_of(ANOMALY_LONG_FORK);
  expect_sentence(
      words_replicas(words, driver_words_of_target("redis://host")));
  expect_sentence(words_replicas(words, NULL));
  CHECK(!words_replicas(words, driver_words_of_target("memory:")));
  CHECK(!words_replicas(words, driver_words_of_target("sqlite:a.db")));
}

static void every_level(void) {
  for (int level = 0; level <= ISOLATION_SSER; level++)
    CHECK(words_level((enum isolation)level) &&
          *words_level((enum isolation)level));
}

static bool promises(const struct driver *driver) {
  bool any = false;
  for (const struct driver_level *l = driver->levels; l->name; l++)
    any |= l->claimed > ISOLATION_NONE;
  return any;
}

static void expect_database(const char *scheme) {
  char *target = xasprintf("%s:place", scheme);
  const struct driver_words *words = driver_words_of_target(target);
  if (!CHECK(words && (words->manual || !strcmp(scheme, "memory"))))
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
  CHECK(!driver_words_of_target("sql:place") &&
        !driver_words_of_target("place"));
}

int main(void) {
  return TAP_RUN({"every anomaly has its words", every_anomaly},
                 {"every level says what it promises", every_level},
                 {"every database that promises something", every_database},
                 {"rows are keys where the database has keys", rows_and_keys},
                 {"several servers help where there are some", servers});
}
