// SPDX-License-Identifier: GPL-3.0-or-later
// Each driver that the table of drivers has brings its words, and each shell
// has the commands of a whole transaction.
#include "config.h"

#include "base/memory.h"
#include "drivers/drivers.h"
#include "drivers/words.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

static void expect_words(const struct driver *driver, const char *scheme) {
  char *target = xasprintf("%s:place", scheme);
  const struct driver_words *words = driver_words_of_target(target);
  if (!CHECK(words && !strcmp(words->driver, driver->name)))
    printf("# %s has no words\n", target);
  free(target);
}

static void every_driver_has_words(void) {
  const struct driver *driver;
  uint32_t n = 0;
  for (; (driver = drivers_at(n)); n++) {
    expect_words(driver, driver->name);
    if (driver->alias)
      expect_words(driver, driver->alias);
  }
  CHECK(n >= 2);
  CHECK(!driver_words_of_target("sql:place"));
  CHECK(!driver_words_of_target("redi:place"));
  CHECK(!driver_words_of_target("redis"));
}

static void expect_shell(const struct driver_words *words) {
  const struct shell_commands *c = words->commands;
  CHECK(c->comment && c->read && c->write && c->cas && c->commit);
  CHECK(c->preload && (c->last || (c->last_key && c->drop_key)));
  CHECK(!c->append || (c->read_list && (c->last || c->list_last_key)));
  CHECK(!c->guard == !c->guarded_level && !c->weak_level == !c->weak_option &&
        !c->apart_level == !c->apart);
  CHECK(!c->compare || (c->queue && c->compared_read && c->compare_cas));
  CHECK((c->table != NULL) == (c->sql.options != NULL));
}

static void words_are_complete(void) {
  const struct driver_words *words;
  for (uint32_t i = 0; (words = driver_words_at(i)); i++) {
    char *target = xasprintf("%s:", words->scheme);
    CHECK(driver_words_of_target(target) == words && *words->name);
    CHECK(words->manual || !strcmp(words->driver, "memory"));
    CHECK(!words->shell == !words->commands);
    if (words->commands)
      expect_shell(words);
    free(target);
  }
}

// "mysql:" may be answered by MariaDB, and the other way round.
static void server_says_which_database(void) {
  static const struct {
    const char *target, *server, *name;
  } rows[] = {
      {"mysql://h", "MySQL 8.4.0", "MySQL"},
      {"mysql://h", "MariaDB 10.11.19, REPEATABLE READ", "MariaDB"},
      {"mariadb://h", "MariaDB 11.4", "MariaDB"},
      {"mariadb://h", "MySQL 8.4.0", "MySQL"},
      {"mysql://h", NULL, "MySQL"},
      {"mysql://h", "", "MySQL"},
      {"postgres://h", "MariaDB 11.4", "PostgreSQL"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CHECK_STR(driver_words_of_server(rows[i].target, rows[i].server)->name,
              rows[i].name);
  CHECK(!driver_words_of_server("other:", "MariaDB 11.4"));
}

int main(void) {
  return TAP_RUN(
      {"every driver has its words", every_driver_has_words},
      {"the words of a database are complete", words_are_complete},
      {"the server says which database it is", server_says_which_database});
}
