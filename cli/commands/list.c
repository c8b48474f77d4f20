// SPDX-License-Identifier: GPL-3.0-or-later
// isostress list: the tables of the program, for people and for completion.
#include "config.h"

#include "cli/commands.h"

#include "base/anomaly_names.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/process/entry.h"
#include "cli/process/installed.h"
#include "drivers/drivers.h"
#include "drivers/memory/bugs.h"
#include "drivers/network.h"
#include "models/models.h"
#include "nemesis/actions.h"
#include "recorder/files/reader.h"
#include "workload/aim.h"
#include "workload/daily.h"
#include "workload/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT = 13, LONG = 27 }; // where the text of an entry begins

// Takes the text over.
static void put_entry(const char *head, unsigned at, char *text) {
  entry_put(stdout, head, at, text);
  free(text);
}

static void put_driver_options(const struct driver *driver) {
  for (const struct driver_option *o = driver->options; o && o->name; o++) {
    char *head = o->default_value
                     ? xasprintf("    ?%s= [%s] ", o->name, o->default_value)
                     : xasprintf("    ?%s= ", o->name);
    entry_put(stdout, head, 8, o->help);
    free(head);
  }
}

static void put_driver_levels(const struct driver *driver) {
  size_t bytes;
  char *text;
  FILE *out = text_stream(&text, &bytes);
  for (const struct driver_level *l = driver->levels; l->name; l++)
    fprintf(out, "%s \"%s\" (%s)", l == driver->levels ? "" : ",", l->name,
            isolation_name(l->claimed));
  fclose(out);
  put_entry("    levels", 11, text);
}

static void put_drivers(void) {
  const struct driver *driver;
  struct error error;
  for (uint32_t i = 0; (driver = drivers_at(i)) != NULL; i++) {
    entry_put(stdout, driver->name, SHORT, driver->summary);
    printf("    target %s\n", driver->example);
    put_driver_levels(driver);
    put_driver_options(driver);
  }
  if (!network_load(&error))
    put_sentence(error.text);
}

static void put_workloads(void) {
  for (const struct workload *const *w = workloads; *w; w++) {
    entry_put(stdout, (*w)->name, SHORT, (*w)->summary);
    for (const struct shape *s = (*w)->shapes; s->name; s++) {
      char *head = xasprintf("    %-8s %5.3g ", s->name, s->share);
      entry_put(stdout, head, 20, s->help);
      free(head);
    }
  }
  for (const struct daily *d = dailies; d->name; d++) {
    char *racy = xasprintf("%s-racy", d->name);
    entry_put(stdout, d->name, LONG, d->summary);
    entry_put(stdout, racy, LONG, "the same, wrong at some level");
    free(racy);
  }
}

static void list_levels(void) {
  for (int l = ISOLATION_NONE + 1; l < ISOLATION_COUNT; l++)
    printf("%-12s %s\n", isolation_name((enum isolation)l),
           isolation_title((enum isolation)l));
}

static void put_anomalies(void) {
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
    const struct anomaly_info *info = anomaly_info((enum anomaly)a);
    const char *also = anomaly_also(info->name);
    put_entry(info->name, LONG,
              also[0] ? xasprintf("%s (%s)", info->sentence, also)
                      : xasprintf("%s", info->sentence));
  }
}

static void put_formats(void) {
  for (const struct history_format *const *f = history_formats; *f; f++) {
    entry_put(stdout, (*f)->name, 18, (*f)->summary);
    for (const char *line = (*f)->example; line && *line;) {
      const size_t length = strcspn(line, "\n");
      printf("    %.*s\n", (int)length, line);
      line += length + (line[length] == '\n');
    }
  }
}

static void put_bugs(void) {
  for (int b = BUG_NONE + 1; b < BUG_COUNT; b++) {
    const struct bug_info *info = bug_info((enum bug)b);
    put_entry(
        info->name, LONG,
        xasprintf("probability %g, unless given%s", info->probability,
                  bug_is_of_rows((enum bug)b) ? "; of tables of rows" : ""));
  }
}

// The shapes of transactions that a run with this aim draws.
static void put_aims(void) {
  struct error error;
  const struct shape *shapes = workload_find("predicate", &error)->shapes;
  char *text;
  size_t bytes;
  for (const struct aim *a = aims; a->name; a++) {
    FILE *out = text_stream(&text, &bytes);
    fputs("mt:", out);
    for (int p = 0; p < AIM_MOST_PLANS && a->plans[p].share > 0; p++)
      fprintf(out, "%s %g %s", p ? "," : "", a->plans[p].share,
              a->plans[p].form);
    fclose(out);
    put_entry(a->name, LONG, text);
  }
  for (const struct row_aim *r = row_aims; r->aim.name; r++) {
    FILE *out = text_stream(&text, &bytes);
    const char *separator = "predicate: ";
    for (int s = 0; s < ROWS_SHAPES; s++) {
      if (!(r->shares[s] > 0))
        continue;
      fprintf(out, "%s%g %s", separator, r->shares[s], shapes[s].name);
      separator = ", ";
    }
    fclose(out);
    put_entry(r->aim.name, LONG, text);
  }
}

static void put_models(void) {
  for (size_t i = 0; log_models[i]; i++) {
    entry_put(stdout, log_models[i]->name, SHORT, log_models[i]->summary);
    for (int o = 0; o < LOG_MODEL_OPTIONS && log_models[i]->options[o].name;
         o++) {
      char *head = xasprintf("    ?%s=NUMBER:", log_models[i]->options[o].name);
      entry_put(stdout, head, SHORT, log_models[i]->options[o].help);
      free(head);
    }
  }
}

// ---- Files that come with isostress

// The first comment of the file, or "".
static void read_title_of_file(const char *path, char title[256]) {
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
    read_title_of_file(path, title);
    entry_put(stdout, *name, LONG, title);
    free(path);
  }
  installed_names_free(names);
  free(configs);
}

static void put_jobs(void) { put_files("", ".ini"); }

static void put_programs(void) { put_files("programs", ".program"); }

static void put_recipes(void) { put_files("repro", ".ini"); }

static void list_scripts(void) { put_files("steps", ".steps"); }

static void put_sweeps(void) { put_files("sweeps", ".ini"); }

static void put_faults(void) {
  for (const struct fault_action *a = fault_actions; a->name; a++)
    entry_put(stdout, a->name, SHORT, a->summary);
}

static const struct named_list {
  const char *name;
  void (*put)(void);
} lists[] = {
    {"drivers", put_drivers},   {"workloads", put_workloads},
    {"levels", list_levels},    {"anomalies", put_anomalies},
    {"aims", put_aims},         {"formats", put_formats},
    {"bugs", put_bugs},         {"models", put_models},
    {"jobs", put_jobs},         {"sweeps", put_sweeps},
    {"programs", put_programs}, {"recipes", put_recipes},
    {"scripts", list_scripts},  {"faults", put_faults},
};
enum { NLISTS = sizeof lists / sizeof *lists };

static enum status refuse_list(const char *name) {
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
              "programs, recipes, scripts and faults",
              name);
  return complain(STATUS_USAGE, &error);
}

static enum status put_named_list(const char *name) {
  for (size_t i = 0; i < NLISTS; i++) {
    if (strcmp(lists[i].name, name))
      continue;
    lists[i].put();
    return STATUS_KEPT;
  }
  return refuse_list(name);
}

enum status list_command(const struct arguments *arguments) {
  enum status status = STATUS_KEPT;
  for (uint32_t i = 0; i < arguments->nwords; i++)
    status = status_worse(status, put_named_list(arguments->words[i]));
  for (size_t i = 0; i < NLISTS && !arguments->nwords; i++) {
    printf("%s%s:\n", i ? "\n" : "", lists[i].name);
    lists[i].put();
  }
  return status;
}
