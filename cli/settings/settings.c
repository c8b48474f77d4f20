// SPDX-License-Identifier: GPL-3.0-or-later
// How the rows of the table of settings are found, and what they say given
// (cli/settings/settings.h).
#include "config.h"

#include "cli/settings/settings.h"

#include "base/nearest.h"

#include <assert.h>
#include <string.h>

static size_t row_of(const struct setting *setting) {
  return (size_t)(setting - settings_table);
}

const struct setting *setting_find(const char *name, unsigned commands) {
  for (const struct setting *s = settings_table; s->name; s++)
    if (s->commands & commands && !strcmp(s->name, name))
      return s;
  return NULL;
}

const struct setting *setting_find_letter(char letter, unsigned commands) {
  for (const struct setting *s = settings_table; s->name; s++)
    if (s->commands & commands && s->letter && s->letter == letter)
      return s;
  return NULL;
}

const char *setting_nearest(const char *name, unsigned commands) {
  const char *names[SETTING_COUNT_MAX + 1] = {NULL};
  size_t n = 0;
  for (const struct setting *s = settings_table; s->name; s++)
    if (s->commands & commands)
      names[n++] = s->name;
  return nearest(name, names);
}

void settings_default(struct settings *settings) {
  *settings = (struct settings){0};
  for (const struct setting *s = settings_table; s->name; s++) {
    struct error error;
    assert(row_of(s) < SETTING_COUNT_MAX);
    if (s->default_value && setting_read(settings, s, s->default_value, &error))
      assert(!"a default value that is none");
  }
}

int setting_give(struct settings *settings, const struct setting *setting,
                 const char *text, struct error *error) {
  if (setting_read(settings, setting, text, error))
    return -1;
  settings->given[row_of(setting)] = true;
  return 0;
}

void setting_give_run(struct settings *settings, const char *name,
                      const char *text) {
  struct error error;
  const struct setting *setting = setting_find(name, FOR_RUN);
  assert(setting);
  setting_give(settings, setting, text, &error);
}

// An option has a row for each group of commands to which it means something
// else.
bool setting_is_given(const struct settings *settings, const char *name) {
  bool given = false;
  assert(setting_find(name, ~0u));
  for (const struct setting *s = settings_table; s->name; s++)
    given |= !strcmp(s->name, name) && settings->given[row_of(s)];
  return given;
}
