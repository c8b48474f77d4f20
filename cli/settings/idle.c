// SPDX-License-Identifier: GPL-3.0-or-later
// Options that a workload does not use (cli/settings/idle.h).
#include "config.h"

#include "cli/settings/idle.h"

#include <assert.h>
#include <string.h>

// Is the name in the list, whose words have ", " between them?
static bool is_among_names(const char *name, const char *list) {
  const size_t length = strlen(name);
  for (const char *word = list; *word;) {
    const size_t n = strcspn(word, ",");
    if (n == length && !strncmp(word, name, n))
      return true;
    word += n + strspn(word + n, ", ");
  }
  return false;
}

bool setting_counts(const struct setting *setting,
                    const struct workload *workload) {
  const char *list = setting->workloads;
  if (!list)
    return true;
  return strcmp(list, WORKLOADS_OF_ROWS) ? is_among_names(workload->name, list)
                                         : workload->programs != NULL;
}

bool setting_is_idle(const struct settings *settings,
                     const struct setting *setting) {
  char now[SETTING_MAX + 1], before[SETTING_MAX + 1];
  struct settings defaults;
  if (setting_counts(setting, settings->workload) ||
      !setting_is_given(settings, setting->name))
    return false;
  settings_default(&defaults, FOR_RUN);
  setting_write(settings, setting, now);
  setting_write(&defaults, setting, before);
  return strcmp(now, before) != 0;
}

void setting_take_back(struct settings *settings,
                       const struct setting *setting) {
  const char *value = setting_default(setting, FOR_RUN);
  struct error error;
  if (setting_read(settings, setting, value ? value : "", &error))
    assert(!"a default value that is none");
  settings->given[setting - settings_table] = false;
}

int settings_refuse_idle(const struct settings *settings, struct error *error) {
  for (const struct setting *s = settings_table; s->name; s++) {
    if (!(s->commands & FOR_RUN) || !setting_is_idle(settings, s))
      continue;
    const bool rows = !strcmp(s->workloads, WORKLOADS_OF_ROWS);
    const char *many = strchr(s->workloads, ',') ? "s " : " ";
    return error_set(error,
                     "%s is for %s%s%s, and the workload is %s: leave %s out, "
                     "or choose another workload",
                     s->name, rows ? "" : "the workload", rows ? "" : many,
                     s->workloads, settings->workload->name, s->name);
  }
  return 0;
}
