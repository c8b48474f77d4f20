// SPDX-License-Identifier: GPL-3.0-or-later
// The table of the words about databases (drivers/words.h).
#include "config.h"

#include "drivers/words.h"

#include <stddef.h>
#include <string.h>

// All of them, whichever drivers this build has: reports come from elsewhere.
static const struct driver_words *const words_table[] = {
    &postgresql_words, &mysql_words,     &mariadb_words, &sqlite_words,
    &redis_words,      &redis_lua_words, &etcd_words,    &memory_words,
};

enum { WORDS = sizeof words_table / sizeof *words_table };

const struct driver_words *driver_words_at(uint32_t i) {
  return i < WORDS ? words_table[i] : NULL;
}

static bool is_of_scheme(const char *target, const char *scheme) {
  const size_t length = scheme ? strlen(scheme) : 0;
  return length && !strncmp(target, scheme, length) && target[length] == ':';
}

const struct driver_words *driver_words_of_target(const char *target) {
  for (size_t i = 0; i < WORDS; i++)
    if (is_of_scheme(target, words_table[i]->scheme) ||
        is_of_scheme(target, words_table[i]->alias))
      return words_table[i];
  return NULL;
}

const struct driver_words *driver_words_of_server(const char *target,
                                                  const char *server) {
  const struct driver_words *known = driver_words_of_target(target);
  for (size_t i = 0; known && server && i < WORDS; i++) {
    const struct driver_words *other = words_table[i];
    if (!strcmp(other->driver, known->driver) &&
        !strncmp(server, other->name, strlen(other->name)))
      return other;
  }
  return known;
}
