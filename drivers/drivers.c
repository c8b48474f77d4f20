// SPDX-License-Identifier: GPL-3.0-or-later
// The table of drivers, and targets as a person writes them
// (drivers/drivers.h).  Drivers from outside the tree come in through load.c.
#include "config.h"

#include "drivers/drivers.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "drivers/network.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

extern const struct driver memory_driver;
#ifdef HAVE_SQLITE
extern const struct driver sqlite_driver;
#endif

// Those that the program has in itself; the others are in network.c.
static const struct driver *const built_in[] = {
#ifdef HAVE_SQLITE
    &sqlite_driver,
#endif
    &memory_driver,
};

enum { BUILT_IN = sizeof built_in / sizeof *built_in };

const struct driver *drivers_at(uint32_t i) {
  struct error error;
  if (i < BUILT_IN)
    return built_in[i];
  const struct driver *const *others = network_load(&error);
  return others ? others[i - BUILT_IN] : NULL;
}

// A target as it is taken apart.
struct parts {
  const struct driver *driver;
  struct arena arena; // holds the place and the values of options
  const char *place;
  const char **values;
};

static uint32_t length_of_options(const struct driver *driver) {
  uint32_t n = 0;
  while (driver->options && driver->options[n].name)
    n++;
  return n;
}

static uint32_t number_of_drivers(void) {
  uint32_t n = 0;
  while (drivers_at(n))
    n++;
  return n;
}

// The byte that %XX stands for; 0 if it is cut off, no number, or a zero byte,
// which no text can hold.
static char byte_of_escape(const char *text, const char *end) {
  if (end - text < 3 || !isxdigit((unsigned char)text[1]) ||
      !isxdigit((unsigned char)text[2]))
    return 0;
  const char digits[] = {text[1], text[2], 0};
  return (char)strtol(digits, NULL, 16);
}

// Text that ends at `end`, with %20 turned into a blank; NULL with a sentence
// if a % is followed by something else.
static char *decode_escapes(struct arena *arena, const char *text,
                            const char *end, struct error *error) {
  char *decoded = arena_take(arena, (size_t)(end - text) + 1), *to = decoded;
  while (text < end) {
    bool escaped = *text == '%';
    *to = escaped ? byte_of_escape(text, end) : *text;
    if (!*to++) {
      error_set(error, "a %% in a target must be followed by two hexadecimal "
                       "digits but 00; a plain %% is written %%25");
      return NULL;
    }
    text += escaped ? 3 : 1;
  }
  return decoded;
}

// A scheme is a letter and then letters, digits, "+", "-", "."; returns its
// length, 0 if the text has none.
static size_t length_of_scheme(const char *text) {
  size_t n = 0;
  while (isalnum((unsigned char)text[n]) ||
         (n && text[n] && strchr("+-.", text[n])))
    n++;
  return text[n] == ':' && isalpha((unsigned char)*text) ? n : 0;
}

static bool looks_like_a_database_file(const char *text) {
  static const char *const endings[] = {".db", ".sqlite", ".sqlite3"};
  size_t length = strlen(text);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t n = strlen(endings[i]);
    if (length > n && !strcasecmp(text + length - n, endings[i]))
      return true;
  }
  return length && !access(text, F_OK);
}

// Text that has no scheme may hold a password, so it is only repeated when it
// is a file.
static int refuse_without_scheme(const char *text, struct error *error) {
  if (looks_like_a_database_file(text))
    return error_set(error,
                     "\"%s\" does not say which kind of database it is; "
                     "did you mean sqlite:%s?",
                     text, text);
  return error_set(error,
                   "the target does not say which kind of database it "
                   "is; write SCHEME:PLACE, such as sqlite:/tmp/test.db");
}

static int refuse_scheme(const char *scheme, const struct driver *loaded,
                         struct error *error) {
  if (!network_load(error))
    return -1;
  const uint32_t count = number_of_drivers();
  const char **names = xcalloc(count + 2, sizeof *names);
  for (uint32_t i = 0; i < count; i++)
    names[i] = drivers_at(i)->name;
  if (loaded)
    names[count] = loaded->name;
  const char *near = nearest(scheme, names);
  free(names);
  if (near)
    return error_set(error, "there is no driver \"%s\"; did you mean %s:?",
                     scheme, near);
  return error_set(
      error, "there is no driver \"%s\"; `isostress list` shows the drivers",
      scheme);
}

static bool has_scheme(const struct driver *driver, const char *scheme) {
  return !strcasecmp(scheme, driver->name) ||
         (driver->alias && !strcasecmp(scheme, driver->alias));
}

// Has the target this driver's alias for its scheme?
static bool has_alias(const struct driver *driver, const char *text) {
  const size_t length = length_of_scheme(text);
  return driver->alias && strlen(driver->alias) == length &&
         !strncasecmp(text, driver->alias, length);
}

static int find_driver(const char *text, const struct driver *loaded,
                       struct parts *parts, struct error *error) {
  size_t length = length_of_scheme(text);
  if (!length)
    return refuse_without_scheme(text, error);
  char scheme[32] = "";
  strncat(scheme, text, length < sizeof scheme ? length : sizeof scheme - 1);
  if (loaded && has_scheme(loaded, scheme))
    parts->driver = loaded;
  const struct driver *driver;
  for (uint32_t i = 0; !parts->driver && (driver = drivers_at(i)); i++)
    if (has_scheme(driver, scheme))
      parts->driver = driver;
  return parts->driver ? 0 : refuse_scheme(scheme, loaded, error);
}

static int refuse_target_option(const struct driver *driver, const char *name,
                                struct error *error) {
  // A question mark in a password that was not escaped.
  if (name[strcspn(name, "@:/")])
    return error_set(error, "the text behind the ? of the target is not "
                            "NAME=VALUE; a ? in a password is written %%3F");
  uint32_t n = length_of_options(driver);
  const char **names = xcalloc(n + 1, sizeof *names);
  for (uint32_t i = 0; i < n; i++)
    names[i] = driver->options[i].name;
  const char *near = nearest(name, names);
  free(names);
  if (near)
    return error_set(error, "%s has no option \"%s\"; did you mean \"%s\"?",
                     driver->name, name, near);
  return error_set(
      error, "%s has no option \"%s\"; `isostress list` shows its options",
      driver->name, name);
}

// Text as it is written behind the ? of a target.
static const char *escape_password(struct arena *arena, const char *text) {
  char *encoded = arena_take(arena, 3 * strlen(text) + 1), *to = encoded;
  for (; *text; text++)
    if (isalnum((unsigned char)*text) || strchr("-._~/:,", *text))
      *to++ = *text;
    else
      to += sprintf(to, "%%%02X", (unsigned char)*text);
  return encoded;
}

static bool belongs_to_library(const struct parts *parts, const char *name) {
  return parts->driver->knows_option && !strncmp(parts->place, "//", 2) &&
         parts->driver->knows_option(name);
}

// Leaves an option of the database's client library in the place.
static void leave_option(struct parts *parts, const char *name,
                         const char *value) {
  parts->place =
      arena_printf(&parts->arena, "%s%c%s=%s", parts->place,
                   strchr(parts->place, '?') ? '&' : '?', name, value);
}

// Takes NAME=VALUE, which ends at `end`.
static int take_option(struct parts *parts, const char *text, const char *end,
                       bool encoded, struct error *error) {
  const struct driver *driver = parts->driver;
  const char *sign = memchr(text, '=', (size_t)(end - text));
  char *name = arena_take(&parts->arena, (size_t)(end - text) + 1);
  memcpy(name, text, (size_t)((sign ? sign : end) - text));
  uint32_t i = 0, n = length_of_options(driver);
  while (i < n && strcasecmp(name, driver->options[i].name))
    i++;
  const bool ours = i < n;
  if (!ours && !belongs_to_library(parts, name))
    return refuse_target_option(driver, name, error);
  if (!sign)
    return error_set(error, "the option %s of %s needs a value: %s=VALUE", name,
                     driver->name, name);
  if (!ours) {
    const char *value =
        arena_printf(&parts->arena, "%.*s", (int)(end - sign - 1), sign + 1);
    leave_option(parts, name,
                 encoded ? value : escape_password(&parts->arena, value));
    return 0;
  }
  parts->values[i] = encoded
                         ? decode_escapes(&parts->arena, sign + 1, end, error)
                         : arena_strdup(&parts->arena, sign + 1);
  return parts->values[i] ? 0 : -1;
}

// "NAME=VALUE&NAME=VALUE", possibly empty.
static int take_target_options(struct parts *parts, const char *text,
                               struct error *error) {
  while (*text) {
    size_t length = strcspn(text, "&");
    if (length && take_option(parts, text, text + length, true, error))
      return -1;
    text += length + (text[length] == '&');
  }
  return 0;
}

// A place that starts with // is an authority, as in //user:password@host/db,
// and goes to its driver as it is: decoding comes after taking it apart there.
static int take_place(struct parts *parts, const char *text, const char *end,
                      struct error *error) {
  if (strncmp(text, "//", 2)) {
    parts->place = decode_escapes(&parts->arena, text, end, error);
  } else {
    char *place = arena_take(&parts->arena, (size_t)(end - text) + 1);
    parts->place = memcpy(place, text, (size_t)(end - text));
  }
  return parts->place ? 0 : -1;
}

static int take_apart(struct parts *parts, const char *text,
                      const char *const *extra, struct error *error) {
  const char *place = text + length_of_scheme(text) + 1;
  const char *end = place + strcspn(place, "?");
  uint32_t n = length_of_options(parts->driver);
  parts->values = arena_take(&parts->arena, (n + 1) * sizeof *parts->values);
  for (uint32_t i = 0; i < n; i++)
    parts->values[i] = parts->driver->options[i].default_value;
  if (take_place(parts, place, end, error) ||
      take_target_options(parts, *end ? end + 1 : end, error))
    return -1;
  for (; extra && *extra; extra++)
    if (take_option(parts, *extra, *extra + strlen(*extra), false, error))
      return -1;
  return 0;
}

const char *target_option(struct arena *arena, const char *target,
                          const char *name) {
  struct parts parts = {0};
  struct error error;
  const char *value = NULL;
  if (!find_driver(target, NULL, &parts, &error) &&
      !take_apart(&parts, target, NULL, &error))
    for (uint32_t i = 0; i < length_of_options(parts.driver); i++)
      if (!strcmp(parts.driver->options[i].name, name) && parts.values[i])
        value = arena_strdup(arena, parts.values[i]);
  arena_free(&parts.arena);
  return value;
}

const struct driver *target_driver(const char *text,
                                   const struct driver *loaded,
                                   const char *const *extra,
                                   struct error *error) {
  struct parts parts = {0};
  int failed = find_driver(text, loaded, &parts, error) ||
               take_apart(&parts, text, extra, error);
  arena_free(&parts.arena);
  return failed ? NULL : parts.driver;
}

int target_open(const char *text, const struct driver *loaded,
                const char *const *extra, uint32_t nsessions, uint64_t seed,
                struct target **target, struct error *error) {
  assert(nsessions > 0);
  struct parts parts = {0};
  int result = -1;
  if (find_driver(text, loaded, &parts, error) ||
      take_apart(&parts, text, extra, error))
    goto out;
  const struct target_spec spec = {
      .by_alias = has_alias(parts.driver, text),
      .place = parts.place,
      .values = parts.values,
      .nsessions = nsessions,
      .seed = seed,
      .driver = parts.driver,
  };
  result = parts.driver->open(&spec, target, error);
  if (!result && !(*target)->driver)
    (*target)->driver = parts.driver;
out:
  arena_free(&parts.arena);
  return result;
}

void target_close(struct target *target) { target->driver->close(target); }

enum isolation target_claim(const struct target *target,
                            const struct driver_level *level) {
  if (!target->levels)
    return level->claimed;
  const struct driver_level *here =
      &target->levels[level - target->driver->levels];
  assert(!strcmp(here->name, level->name));
  return here->claimed;
}

// "read-uncommitted" and "READ_UNCOMMITTED" are "read uncommitted".
static bool same_words(const char *a, const char *b) {
  for (; *a && *b; a++, b++) {
    char x = *a == '-' || *a == '_' ? ' ' : *a;
    char y = *b == '-' || *b == '_' ? ' ' : *b;
    if (tolower((unsigned char)x) != tolower((unsigned char)y))
      return false;
  }
  return *a == *b;
}

static void refuse_driver_level(const struct driver *driver, const char *text,
                                struct error *error) {
  char all[400] = "";
  size_t used = 0;
  for (const struct driver_level *l = driver->levels; l->name; l++)
    if (used < sizeof all)
      used += (size_t)snprintf(all + used, sizeof all - used, "%s%s (%s)",
                               used ? ", " : "", l->name,
                               isolation_name(l->claimed));
  error_set_usage(error, "%s has no isolation level \"%s\"; it has %s",
                  driver->name, text, all);
}

int driver_level_strength(const struct driver_level *level) {
  static const char *const sql[] = {"read uncommitted", "read committed",
                                    "repeatable read", "serializable"};
  for (int i = 0; i < (int)(sizeof sql / sizeof *sql); i++)
    if (!strcmp(level->name, sql[i]))
      return i;
  return (int)level->claimed;
}

const struct driver_level *driver_level(const struct driver *driver,
                                        const char *text, struct error *error) {
  assert(driver->levels && driver->levels->name);
  if (!text)
    return driver->levels;
  for (const struct driver_level *l = driver->levels; l->name; l++)
    if (same_words(text, l->name))
      return l;
  enum isolation ours;
  if (isolation_parse(text, &ours))
    for (const struct driver_level *l = driver->levels; l->name; l++)
      if (l->claimed == ours)
        return l;
  refuse_driver_level(driver, text, error);
  return NULL;
}
