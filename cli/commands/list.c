// SPDX-License-Identifier: GPL-3.0-or-later
// isostress list: the tables of the program, for people and for completion.
#include "config.h"

#include "cli/commands.h"

#include "base/anomaly_names.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/process/installed.h"
#include "drivers/drivers.h"
#include "drivers/memory/bugs.h"
#include "drivers/network.h"
#include "models/models.h"
#include "recorder/files/reader.h"
#include "workload/aim.h"
#include "workload/workload.h"

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
    put_sentence(error.text);
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
    const char *also = anomaly_also(info->name);
    printf("%-26s %s%s%s%s\n", info->name, info->sentence, also[0] ? " (" : "",
           also, also[0] ? ")" : "");
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

// The shapes of transactions that a run with this aim draws.
static void put_aims(void) {
  for (const struct aim *a = aims; a->name; a++) {
    printf("%-26s mt:", a->name);
    for (int p = 0; p < AIM_MOST_PLANS && a->plans[p].share > 0; p++)
      printf("%s %g %s", p ? "," : "", a->plans[p].share, a->plans[p].form);
    puts("");
  }
  struct error error;
  const struct shape *shapes = workload_find("predicate", &error)->shapes;
  for (const struct row_aim *r = row_aims; r->aim.name; r++) {
    printf("%-26s predicate:", r->aim.name);
    const char *separator = " ";
    for (int s = 0; s < ROWS_SHAPES; s++) {
      if (!(r->shares[s] > 0))
        continue;
      printf("%s%g %s", separator, r->shares[s], shapes[s].name);
      separator = ", ";
    }
    puts("");
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
  char **names = installed_names(folder, ending), title[256];
  char *configs = installed_folder("configs");
  for (char **name = names; *name; name++) {
    char *path = xasprintf("%s/%s/%s%s", configs, folder, *name, ending);
    read_title(path, title);
    printf("%-26s%s%s\n", *name, *title ? " " : "", title);
    free(path);
  }
  installed_names_free(names);
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
    {"drivers", put_drivers},   {"workloads", put_workloads},
    {"levels", put_levels},     {"anomalies", put_anomalies},
    {"aims", put_aims},         {"formats", put_formats},
    {"bugs", put_bugs},         {"models", put_models},
    {"jobs", put_jobs},         {"sweeps", put_sweeps},
    {"programs", put_programs}, {"recipes", put_recipes},
    {"scripts", put_scripts},
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
              "levels, anomalies, aims, formats, bugs, models, jobs, sweeps, "
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
