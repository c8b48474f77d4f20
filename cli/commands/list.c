// SPDX-License-Identifier: GPL-3.0-or-later
// isostress list: the tables of the program, for people and for completion.
#include "config.h"

#include "cli/commands.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "cli/process/installed.h"
#include "drivers/drivers.h"
#include "drivers/memory/bugs.h"
#include "drivers/network.h"
#include "models/models.h"
#include "recorder/files/reader.h"
#include "workload/workload.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_driver_options(const struct driver *driver) {
  for (const struct driver_option *o = driver->options; o && o->name; o++) {
    printf("    ?%s=", o->name);
    if (o->default_value)
      printf(" [%s]", o->default_value);
    printf("  %s\n", o->help);
  }
}

static void put_drivers(void) {
  const struct driver *driver;
  struct error error;
  for (uint32_t i = 0; (driver = drivers_at(i)) != NULL; i++) {
    printf("%-12s %s\n    target %s\n    levels", driver->name, driver->summary,
           driver->example);
    for (const struct driver_level *l = driver->levels; l->name; l++)
      printf("%s \"%s\" (%s)", l == driver->levels ? "" : ",", l->name,
             isolation_name(l->claimed));
    putchar('\n');
    put_driver_options(driver);
  }
  if (!network_load(&error))
    fprintf(stderr, "isostress: %s\n", error.text);
}

static void put_workloads(void) {
  for (const struct workload *const *w = workloads; *w; w++) {
    printf("%-12s %s\n", (*w)->name, (*w)->summary);
    for (const struct shape *s = (*w)->shapes; s->name; s++)
      printf("    %-8s %5.3g  %s\n", s->name, s->share, s->help);
  }
}

static void put_levels(void) {
  for (int l = ISOLATION_NONE + 1; l < ISOLATION_COUNT; l++)
    printf("%-12s %s\n", isolation_name((enum isolation)l),
           isolation_title((enum isolation)l));
}

static void put_anomalies(void) {
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
    const struct anomaly_info *info = anomaly_info((enum anomaly)a);
    printf("%-26s %s%s%s%s\n", info->name, info->sentence,
           info->also[0] ? " (" : "", info->also, info->also[0] ? ")" : "");
  }
}

static void put_formats(void) {
  for (const struct history_format *const *f = history_formats; *f; f++)
    printf("%-12s %s\n", (*f)->name, (*f)->summary);
}

static void put_bugs(void) {
  for (int b = BUG_NONE + 1; b < BUG_COUNT; b++) {
    const struct bug_info *info = bug_info((enum bug)b);
    printf("%-26s with probability %g unless said otherwise%s\n", info->name,
           info->probability,
           bug_is_of_rows((enum bug)b) ? "; of tables of rows" : "");
  }
}

static void put_models(void) {
  for (size_t i = 0; log_models[i]; i++) {
    printf("%-12s %s\n", log_models[i]->name, log_models[i]->summary);
    for (int o = 0; o < LOG_MODEL_OPTIONS && log_models[i]->options[o].name;
         o++)
      printf("%-12s ?%s=NUMBER: %s\n", "", log_models[i]->options[o].name,
             log_models[i]->options[o].help);
  }
}

// ---- Files that come with isostress

static bool has_ending(const char *name, const char *ending) {
  const size_t n = strlen(name), e = strlen(ending);
  return n > e && !strcmp(name + n - e, ending);
}

// The first comment of the file, or "".
static void read_title(const char *path, char title[256]) {
  FILE *file = fopen(path, "r");
  title[0] = '\0';
  if (!file)
    return;
  if (fgets(title, 256, file) && !strchr("#;", title[0]))
    title[0] = '\0';
  fclose(file);
  const size_t blanks = strspn(title, "#; ");
  memmove(title, title + blanks, strlen(title + blanks) + 1);
  title[strcspn(title, "\n")] = '\0';
}

// The files of a folder of configs, by the name that commands take.
static void put_files(const char *folder, const char *ending) {
  struct dirent **files;
  char *configs = installed_folder("configs"), title[256];
  char *place = xasprintf("%s/%s", configs, folder);
  const int n = scandir(place, &files, NULL, alphasort);
  for (int i = 0; i < n; i++) {
    const char *name = files[i]->d_name;
    if (has_ending(name, ending)) {
      char *path = xasprintf("%s/%s", place, name);
      read_title(path, title);
      printf("%-26.*s%s%s\n", (int)(strlen(name) - strlen(ending)), name,
             *title ? " " : "", title);
      free(path);
    }
    free(files[i]);
  }
  if (n >= 0)
    free(files);
  free(place);
  free(configs);
}

static void put_jobs(void) { put_files("", ".ini"); }

static void put_programs(void) { put_files("programs", ".program"); }

static void put_recipes(void) { put_files("repro", ".ini"); }

static void put_scripts(void) { put_files("steps", ".steps"); }

static void put_sweeps(void) { put_files("sweeps", ".ini"); }

static const struct list {
  const char *name;
  void (*put)(void);
} lists[] = {
    {"drivers", put_drivers}, {"workloads", put_workloads},
    {"levels", put_levels},   {"anomalies", put_anomalies},
    {"formats", put_formats}, {"bugs", put_bugs},
    {"models", put_models},   {"jobs", put_jobs},
    {"sweeps", put_sweeps},   {"programs", put_programs},
    {"recipes", put_recipes}, {"scripts", put_scripts},
};
enum { NLISTS = sizeof lists / sizeof *lists };

static enum status refuse(const char *name) {
  const char *names[NLISTS + 1] = {NULL};
  struct error error;
  for (size_t i = 0; i < NLISTS; i++)
    names[i] = lists[i].name;
  const char *near = nearest(name, names);
  if (near)
    error_set(&error, "there is no list of \"%.64s\", did you mean %s?", name,
              near);
  else
    error_set(&error,
              "there is no list of \"%.64s\", only of drivers, workloads, "
              "levels, anomalies, formats, bugs, models, jobs, sweeps, "
              "programs, recipes and scripts",
              name);
  return complain(STATUS_USAGE, &error);
}

static enum status put_list(const char *name) {
  for (size_t i = 0; i < NLISTS; i++) {
    if (strcmp(lists[i].name, name))
      continue;
    lists[i].put();
    return STATUS_KEPT;
  }
  return refuse(name);
}

enum status list_command(const struct arguments *arguments) {
  enum status status = STATUS_KEPT;
  for (uint32_t i = 0; i < arguments->nwords; i++)
    status = status_worse(status, put_list(arguments->words[i]));
  for (size_t i = 0; i < NLISTS && !arguments->nwords; i++) {
    printf("%s%s:\n", i ? "\n" : "", lists[i].name);
    lists[i].put();
  }
  return status;
}
