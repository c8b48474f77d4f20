// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the levels of isostress explore (cli/explore/exploring.h), and says
// what a database calls them.
#include "config.h"

#include "cli/explore/exploring.h"

#include "cli/settings/own_driver.h"
#include "drivers/drivers.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const enum level standard[] = {LEVEL_RC_STATEMENT, LEVEL_MYSQL_RR,
                                      LEVEL_RA,           LEVEL_CC,
                                      LEVEL_SI,           LEVEL_SER};
enum { STANDARD = sizeof standard / sizeof *standard };

static bool is_level_chosen(const struct exploration *e, enum level level) {
  for (uint32_t i = 0; i < e->nlevels; i++)
    if (e->levels[i] == level)
      return true;
  return false;
}

static void add_explored_level(struct exploration *e, enum level level) {
  if (!is_level_chosen(e, level))
    e->levels[e->nlevels++] = level;
}

// ---- The levels of a database

static bool is_mysql(const struct driver *driver) {
  return !strcmp(driver->name, "mysql");
}

enum level level_of_driver(const char *target, const struct driver *driver,
                           const struct driver_level *level) {
  static const enum level ours[ISOLATION_COUNT] = {
      [ISOLATION_RC] = LEVEL_RC_STATEMENT, [ISOLATION_RA] = LEVEL_RA,
      [ISOLATION_CC] = LEVEL_CC,           [ISOLATION_PC] = LEVEL_PC,
      [ISOLATION_SI] = LEVEL_SI,           [ISOLATION_SER] = LEVEL_SER,
      [ISOLATION_SSER] = LEVEL_SER};
  if (is_mysql(driver) && level->claimed == ISOLATION_SI &&
      !(target && strstr(target, "innodb_snapshot_isolation=on")))
    return LEVEL_MYSQL_RR;
  return ours[level->claimed] ? ours[level->claimed] : LEVEL_COUNT;
}

// Keeps what the driver calls the levels, or our name if it has no words of its
// own; the first name of a level counts.
static void keep_words(struct exploration *e, const struct driver *driver) {
  for (const struct driver_level *l = driver->levels; l->name; l++) {
    const enum level level = level_of_driver(e->settings->target, driver, l);
    char *word = level == LEVEL_COUNT ? NULL : e->words[level];
    if (!word || *word)
      continue;
    const bool is_ours = !strcmp(l->name, isolation_name(l->claimed));
    snprintf(word, sizeof e->words[0], "%s",
             is_ours ? level_name(level) : l->name);
    for (char *c = word; *c && !is_ours; c++)
      *c = (char)toupper((unsigned char)*c);
  }
}

const char *level_told(const struct exploration *e, enum level level) {
  return *e->words[level] ? e->words[level] : level_name(level);
}

uint32_t levels_offered(const struct exploration *e) {
  uint32_t all = 0;
  for (int level = 0; level < LEVEL_COUNT; level++)
    all |= *e->words[level] ? 1u << level : 0;
  return all;
}

const char *level_live(enum level level) {
  return level == LEVEL_RC_STATEMENT ? "rc"
         : level == LEVEL_MYSQL_RR   ? "repeatable read"
                                     : level_name(level);
}

// The driver of "DRIVER:..."; NULL with a sentence.
static const struct driver *driver_of(const struct exploration *e,
                                      const char *target, struct error *error) {
  const char *const extra[] = {NULL};
  const struct driver *loaded;
  if (own_driver_load(e->settings, &loaded, error))
    return NULL;
  return target_driver(target, loaded, extra, error);
}

static int add_driver_level(struct exploration *e, const struct driver *driver,
                            const struct driver_level *level,
                            struct error *error) {
  const enum level ours = level_of_driver(e->settings->target, driver, level);
  if (ours == LEVEL_COUNT)
    return error_set_usage(error,
                           "%s of %s promises nothing that can be explored",
                           level->name, driver->name);
  add_explored_level(e, ours);
  return 0;
}

// DRIVER:LEVEL, such as postgresql:read committed.
static int add_as(struct exploration *e, const char *text,
                  struct error *error) {
  char target[32] = "";
  const size_t n = strcspn(text, ":");
  if (!text[n] || n + 2 > sizeof target)
    return error_set_usage(error,
                           "--as: must be DRIVER:LEVEL, such as "
                           "postgresql:\"read committed\", not \"%s\"",
                           text);
  memcpy(target, text, n + 1);
  const struct driver *driver = driver_of(e, target, error);
  const struct driver_level *level =
      driver ? driver_level(driver, text + n + 1, error) : NULL;
  if (!level || add_driver_level(e, driver, level, error)) {
    error_prefix(error, "--as");
    error->usage = true;
    return -1;
  }
  keep_words(e, driver);
  return 0;
}

// ---- Names

// Words that mean the same level in every database that has them.
static bool words_parse(const char *text, enum level *level) {
  static const struct {
    const char *words;
    enum level level;
  } all[] = {{"read committed", LEVEL_RC_STATEMENT},
             {"read-committed", LEVEL_RC_STATEMENT},
             {"serializable", LEVEL_SER}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (!strcasecmp(text, all[i].words)) {
      *level = all[i].level;
      return true;
    }
  return false;
}

static int add_named(struct exploration *e, const struct driver *driver,
                     const char *text, struct error *error) {
  enum level level;
  if (!strcmp(text, "sser"))
    return error_set_usage(error, "--isolation: sser cannot be explored, since "
                                  "a program has no clock; explore ser");
  if (level_parse(text, &level) || words_parse(text, &level)) {
    add_explored_level(e, level);
    return 0;
  }
  const struct driver_level *of_driver =
      driver ? driver_level(driver, text, error) : NULL;
  if (of_driver)
    return add_driver_level(e, driver, of_driver, error);
  return error_set_usage(
      error,
      "--isolation: there is no level \"%s\" to explore; there "
      "are " LEVELS_LISTED
      ".  For a database's own name of a level say whose it is, such as "
      "--as=postgresql:\"repeatable read\"",
      text);
}

static int add_names(struct exploration *e, const struct driver *driver,
                     const char *names, struct error *error) {
  for (const char *name = names;; name++) {
    char text[64] = "";
    const size_t n = strcspn(name, ",");
    strncat(text, name, n < sizeof text ? n : sizeof text - 1);
    if (add_named(e, driver, text, error))
      return -1;
    name += n;
    if (!*name)
      return 0;
  }
}

// Without a target: all but mysql-rr, which is one database's.
static void add_standard(struct exploration *e, const struct driver *driver) {
  for (int i = 0; i < STANDARD; i++)
    if (driver ? *e->words[standard[i]] != '\0' : standard[i] != LEVEL_MYSQL_RR)
      add_explored_level(e, standard[i]);
}

// Can the stories of the level be performed?
static int find_level(const struct driver *driver, enum level level,
                      struct error *error) {
  if (level == LEVEL_MYSQL_RR && !is_mysql(driver))
    return error_set_usage(error,
                           "--isolation: mysql-rr is a level of MySQL "
                           "and MariaDB, not of %s",
                           driver->name);
  return driver_level(driver, level_live(level), error)
             ? 0
             : error_prefix(error, "--isolation");
}

int exploration_choose_levels(struct exploration *e,
                              const struct arguments *arguments,
                              struct error *error) {
  const char *target = e->settings->target;
  const struct driver *driver = target ? driver_of(e, target, error) : NULL;
  if (target && !driver)
    return -1;
  if (driver)
    keep_words(e, driver);
  for (uint32_t i = 0; i < arguments->nassignments; i++)
    if (!strcmp(arguments->assignments[i].setting->name, "isolation") &&
        add_names(e, driver, arguments->assignments[i].text, error))
      return -1;
  for (uint32_t i = 0; i < arguments->nassignments; i++)
    if (!strcmp(arguments->assignments[i].setting->name, "as") &&
        add_as(e, arguments->assignments[i].text, error))
      return -1;
  if (!e->nlevels)
    add_standard(e, driver);
  if (!e->nlevels)
    return error_set_usage(error,
                           "%s has no level that can be explored; leave "
                           "the target out",
                           driver->name);
  for (uint32_t i = 0; driver && i < e->nlevels; i++)
    if (find_level(driver, e->levels[i], error))
      return -1;
  return 0;
}
