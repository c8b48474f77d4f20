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

// Options whose default differs in a command from that of the table.
static const struct own_default {
  unsigned command;
  const char *name, *value;
  const char *help; // NULL: as in the table
} own_defaults[] = {
    {FOR_SWEEP, "time", "5s",
     "how long each run lasts; without it, as the file says"},
    {FOR_SWEEP, "out", "results/sweeps",
     "directory in which the directory of this sweep is made"},
    {FOR_SWEEP, "seed", "1", "the same seed proposes the same transactions"},
    {FOR_SCORECARD, "time", "3s", "how long each run lasts"},
    {FOR_SCORECARD, "keys", "100", NULL},
    {FOR_REPRO, "seed", "1", "the same seed proposes the same transactions"},
    {FOR_REPLAY, "repeat", "100", NULL},
    {FOR_EXPLORE, "repeat", "20", NULL},
};

static const struct own_default *own_default(const struct setting *setting,
                                             unsigned command) {
  for (size_t i = 0; i < sizeof own_defaults / sizeof *own_defaults; i++)
    if (own_defaults[i].command == command &&
        !strcmp(own_defaults[i].name, setting->name))
      return &own_defaults[i];
  return NULL;
}

const char *setting_default(const struct setting *setting, unsigned command) {
  const struct own_default *own = own_default(setting, command);
  return own ? own->value : setting->default_value;
}

const char *setting_help(const struct setting *setting, unsigned command) {
  const struct own_default *own = own_default(setting, command);
  return own && own->help ? own->help : setting->help;
}

void settings_default_of(struct settings *settings, unsigned command) {
  settings_default(settings);
  for (const struct setting *s = settings_table; s->name; s++) {
    const struct own_default *own = own_default(s, command);
    struct error error;
    if (own && s->commands & command &&
        setting_read(settings, s, own->value, &error))
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
