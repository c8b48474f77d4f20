// SPDX-License-Identifier: GPL-3.0-or-later
// How the rows of the table of settings are found, and what they say given
// (cli/settings/settings.h).
#include "config.h"

#include "cli/settings/settings.h"

#include "base/nearest.h"

#include <assert.h>
#include <string.h>

static size_t row_of_setting(const struct setting *setting) {
  return (size_t)(setting - settings_table);
}

const struct setting *setting_find(const char *name, unsigned commands) {
  for (const struct setting *s = settings_table; s->name; s++)
    if (s->commands & commands &&
        (!strcmp(s->name, name) || (s->also && !strcmp(s->also, name))))
      return s;
  return NULL;
}

const struct setting *setting_find_letter(char letter, unsigned commands) {
  for (const struct setting *s = settings_table; s->name; s++)
    if (s->commands & commands && s->letter && s->letter == letter)
      return s;
  return NULL;
}

// The option that other tools call so.
static const char *setting_alike(const char *name, unsigned commands) {
  const size_t length = strlen(name);
  for (const struct setting *s = settings_table; s->name; s++)
    for (const char *word = s->alike;
         word && *word && s->commands & commands;) {
      const size_t n = strcspn(word, ",");
      if (n == length && !strncmp(word, name, n))
        return s->name;
      word += n + strspn(word + n, ", ");
    }
  return NULL;
}

const char *setting_nearest(const char *name, unsigned commands) {
  const char *alike = setting_alike(name, commands);
  if (alike)
    return alike;
  const char *names[SETTING_COUNT_MAX + 1] = {NULL};
  size_t n = 0;
  for (const struct setting *s = settings_table; s->name; s++)
    if (s->commands & commands)
      names[n++] = s->name;
  return nearest(name, names);
}

// Options of which a command has a default or a line of help of its own.
static const struct setting_of_command {
  unsigned commands;
  const char *name;
  const char *value; // NULL: as in the table
  const char *help;  // NULL: as in the table
} own_rows[] = {
    {FOR_RUN, "schema", NULL,
     "SQL file with the tables and their rows, for pgbench scripts"},
    {FOR_ADVISE, "schema", NULL, "SQL file with the tables and their rows"},
    {FOR_ADVISE, "time", NULL,
     "how long each level and each change are tried for each script"},
    {FOR_ADVISE, "twins", "30%", NULL},
    {FOR_ADVISE, "out", RESULTS_OF_ADVICE,
     "directory in which the directory of this advice is made"},
    {FOR_SWEEP, "time", "5s",
     "how long each run lasts; without it, as the file says"},
    {FOR_SWEEP, "out", RESULTS_OF_SWEEPS,
     "directory in which the directory of this sweep is made"},
    {FOR_SWEEP, "seed", "1", "the same seed proposes the same transactions"},
    {FOR_REPORT, "compare", NULL,
     "write a page that shows the runs side by side"},
    {FOR_SWEEP, "compare", NULL,
     "directory of another sweep to compare the given one with"},
    {FOR_SCORECARD, "isolation", NULL,
     "the only level to test, in the database's words or ours; without it "
     "every level"},
    {FOR_SCORECARD, "time", "3s", "how long each run lasts"},
    {FOR_SCORECARD, "keys", "100", NULL},
    {FOR_SCORECARD, "out", NULL,
     "directory in which the directory of this scorecard is made"},
    {FOR_REPRO, "seed", "1", "the same seed proposes the same transactions"},
    {FOR_REPRO, "out", NULL,
     "directory in which the directory of each run is made"},
    {FOR_REPRO, "all", NULL, "follow every recipe, one after the other"},
    {FOR_RUN, "server", NULL,
     "throw-away server as the target: a kind, and words NAME=VALUE of its "
     "own, "
     "which is started for this run; or a name in `isostress server list`"},
    {FOR_RUN, "dry-run", NULL,
     "write the faults of --faults or --nemesis, and do nothing"},
    {FOR_REPRO, "server", NULL,
     "kind of server to start in place of the recipe's own, such as "
     "mariadb@11.8; with --all, follow the recipes of this kind"},
    {FOR_GENERATE, "isolation", NULL,
     "level that the history keeps, unless --bug breaks it; without it ser"},
    {FOR_GENERATE, "clients", NULL, "sessions"},
    {FOR_GENERATE, "transactions", "1000", "transactions of each session"},
    {FOR_GENERATE, "keys", NULL, "keys that transactions read and write"},
    {FOR_GENERATE, "bug", NULL,
     "anomaly that the history is to show; see isostress list bugs"},
    {FOR_GENERATE, "max-tries", NULL,
     "attempts at a transaction that is aborted"},
    {FOR_GENERATE, "to", NULL,
     "format to write; without it, the format that the end of the file's name "
     "says, or else isostress"},
    {FOR_REPLAY, "isolation", NULL,
     "isolation level, in the database's words or ours; without it the level "
     "of the run, or the one that promises the level of the history"},
    {FOR_EXPLORE, "isolation", NULL,
     "levels to explore, with commas; without it the target's, or "
     "rc-statement,ra,cc,si,ser"},
    {FOR_EXPLORE, "all", NULL, "show every history that breaks an assertion"},
    {FOR_REPLAY, "repeat", "100", NULL},
    {FOR_EXPLORE, "repeat", "20", NULL},
    {FOR_STEPS | FOR_REPLAY, "seed", "0",
     "random numbers of memory: with a bug"},
    {FOR_EXPLORE, "seed", "0",
     "random numbers of --sample, --estimate and memory: with a bug"},
};

static const struct setting_of_command *
find_own_row(const struct setting *setting, unsigned command) {
  for (size_t i = 0; i < sizeof own_rows / sizeof *own_rows; i++)
    if (own_rows[i].commands & command &&
        !strcmp(own_rows[i].name, setting->name))
      return &own_rows[i];
  return NULL;
}

const char *setting_default(const struct setting *setting, unsigned command) {
  const struct setting_of_command *own = find_own_row(setting, command);
  return own && own->value ? own->value : setting->default_value;
}

const char *setting_help(const struct setting *setting, unsigned command) {
  const struct setting_of_command *own = find_own_row(setting, command);
  return own && own->help ? own->help : setting->help;
}

void settings_default(struct settings *settings, unsigned command) {
  *settings = (struct settings){0};
  for (const struct setting *s = settings_table; s->name; s++) {
    const char *value = setting_default(s, command);
    struct error error;
    assert(row_of_setting(s) < SETTING_COUNT_MAX);
    if (value && setting_read(settings, s, value, &error))
      assert(!"a default value that is none");
  }
}

int setting_give(struct settings *settings, const struct setting *setting,
                 const char *text, struct error *error) {
  if (setting_read(settings, setting, text, error))
    return -1;
  settings->given[row_of_setting(setting)] = true;
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
    given |= !strcmp(s->name, name) && settings->given[row_of_setting(s)];
  return given;
}

struct question settings_question(const struct settings *settings, int level) {
  struct question question = settings->question;
  question.level =
      level < ISOLATION_COUNT ? (enum isolation)level : ISOLATION_NONE;
  question.recorded = level == LEVEL_RECORDED;
  question.session_order = !settings->no_session_order;
  return question;
}
