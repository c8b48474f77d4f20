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

// Adya's names, those of papers, and other spellings.
static void anomalies_by_other_names(void) {
  CHECK_INT(words_anomaly("lost-update"), ANOMALY_LOST_UPDATE);
  CHECK_INT(words_anomaly("Lost Update"), ANOMALY_LOST_UPDATE);
  CHECK_INT(words_anomaly("P4"), ANOMALY_LOST_UPDATE);
  CHECK_INT(words_anomaly("G1a"), ANOMALY_ABORTED_READ);
  CHECK_INT(words_anomaly("dirty read"), ANOMALY_ABORTED_READ);
  CHECK_INT(words_anomaly("G0"), ANOMALY_CYCLE_G0);
  CHECK_INT(words_anomaly("dirty write"), ANOMALY_CYCLE_G0);
  CHECK_INT(words_anomaly("write skew"), ANOMALY_WRITE_SKEW);
  CHECK_INT(words_anomaly("lost"), ANOMALY_NONE);
  CHECK_INT(words_anomaly("LostUpdates"), ANOMALY_NONE);
  CHECK_INT(words_anomaly(""), ANOMALY_NONE);
}

// Only whole words are rows.
static void parts_of_words_are_no_rows(void) {
  expect_put("redis://host", "", "");
  expect_put("redis://host", "rows", "keys");
  expect_put("redis://host", "row;rows:row", "key;keys:key");
  expect_put("redis://host", "growing throws rowing", "growing throws rowing");
  expect_put("redis://host", "Rows of \bone\b row.", "Rows of \bone\b key.");
  expect_put("redis://host", " .row", " .key");
}

static void levels_of_our_own_making(void) {
  const struct driver_words *redis = driver_words_of_target("redis://host");
  const struct driver_words *mysql = driver_words_of_target("mysql://host");
  const char *watch = words_own_level(redis, "watch");
  CHECK(watch && strstr(watch, "\fWATCH\f"));
  CHECK(words_own_level(redis, "multi") != watch);
  CHECK(!words_own_level(redis, "serializable"));
  CHECK(!words_own_level(redis, ""));
  CHECK(!words_own_level(mysql, "serializable"));
  CHECK(!words_own_level(NULL, "watch"));
}

// No two levels promise the same, and no clause is a sentence.
static void levels_promise_different_things(void) {
  for (int a = 0; a <= ISOLATION_SSER; a++) {
    const char *clause = words_level((enum isolation)a);
    CHECK(clause[strlen(clause) - 1] != '.');
    for (int b = 0; b < a; b++)
      CHECK(strcmp(clause, words_level((enum isolation)b)) != 0);
  }
}

static void headlines_are_no_sentences(void) {
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
    const struct anomaly_words *w = words_of((enum anomaly)a);
    CHECK(w->headline[strlen(w->headline) - 1] != '.');
    CHECK(w->clause[strlen(w->clause) - 1] != '.');
  }
}

int main(void) {
  return TAP_RUN(
      {"every anomaly has its words", every_anomaly},
      {"anomalies by other names", anomalies_by_other_names},
      {"parts of words are no rows", parts_of_words_are_no_rows},
      {"levels of our own making", levels_of_our_own_making},
      {"levels promise different things", levels_promise_different_things},
      {"headlines and clauses are no sentences", headlines_are_no_sentences},
      {"every level says what it promises", every_level},
      {"every database that promises something", every_database},
      {"rows are keys where the database has keys", rows_and_keys},
      {"several servers help where there are some", servers});
}
