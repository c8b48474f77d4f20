// SPDX-License-Identifier: GPL-3.0-or-later
// isostress repro: a catalogue of known anomalies, each reproduced on demand.
#include "config.h"

#include "cli/commands.h"

#include "base/anomaly_names.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/process/entry.h"
#include "cli/process/installed.h"
#include "cli/process/signals.h"
#include "cli/repro/reproduce.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- The catalogue

struct catalogue {
  char *folder;
  struct recipe *recipes; // by name
  uint32_t nrecipes, room;
};

static int compare_recipes(const void *a, const void *b) {
  return strcmp(((const struct recipe *)a)->name,
                ((const struct recipe *)b)->name);
}

static bool is_recipe(const char *name) {
  const size_t n = strlen(name);
  return n > 4 && !strcmp(name + n - 4, ".ini");
}

static int read_folder(struct catalogue *catalogue, DIR *folder,
                       struct error *error) {
  const struct dirent *entry;
  int failed = 0;
  while (!failed && (entry = readdir(folder))) {
    if (!is_recipe(entry->d_name))
      continue;
    char *path = xasprintf("%s/%s", catalogue->folder, entry->d_name);
    ARRAY_RESERVE(catalogue->recipes, catalogue->nrecipes, catalogue->room);
    failed =
        recipe_read(path, &catalogue->recipes[catalogue->nrecipes++], error);
    free(path);
  }
  return failed;
}

static int catalogue_read(struct catalogue *catalogue, struct error *error) {
  *catalogue = (struct catalogue){.folder = installed_folder("configs/repro")};
  DIR *folder = opendir(catalogue->folder);
  if (!folder)
    return error_set(error, "%s: %s", catalogue->folder, strerror(errno));
  const int failed = read_folder(catalogue, folder, error);
  closedir(folder);
  if (!failed)
    qsort(catalogue->recipes, catalogue->nrecipes, sizeof *catalogue->recipes,
          compare_recipes);
  return failed;
}

static void catalogue_free(struct catalogue *catalogue) {
  for (uint32_t i = 0; i < catalogue->nrecipes; i++)
    recipe_free(&catalogue->recipes[i]);
  free(catalogue->recipes);
  free(catalogue->folder);
}

// An anomaly is no recipe, but some recipes expect it.
static int refuse_anomaly(const struct catalogue *catalogue, const char *name,
                          struct error *error) {
  char recipes[sizeof error->text / 2] = "";
  size_t used = 0;
  for (uint32_t i = 0; i < catalogue->nrecipes; i++) {
    const struct recipe *r = &catalogue->recipes[i];
    if (!anomaly_meant(name, (const char *[]){r->expect, NULL}))
      continue;
    if (used + strlen(r->name) + 8 > sizeof recipes) {
      snprintf(recipes + used, sizeof recipes - used, ", ...");
      break;
    }
    used += (size_t)snprintf(recipes + used, sizeof recipes - used, "%s%s",
                             used ? ", " : "", r->name);
  }
  return used ? error_set(error,
                          "\"%.64s\" is an anomaly that these recipes expect: "
                          "%s; name one of them",
                          name, recipes)
              : 0;
}

static const struct recipe *catalogue_find(const struct catalogue *catalogue,
                                           const char *name,
                                           struct error *error) {
  const char **names = xcalloc(catalogue->nrecipes + 1, sizeof *names);
  const struct recipe *found = NULL;
  for (uint32_t i = 0; i < catalogue->nrecipes; i++) {
    names[i] = catalogue->recipes[i].name;
    if (!strcmp(names[i], name))
      found = &catalogue->recipes[i];
  }
  const char *near = found ? NULL : nearest(name, names);
  free(names);
  if (!found && !refuse_anomaly(catalogue, name, error))
    error_set(error,
              near ? "there is no recipe \"%.64s\", did you mean %s?"
                   : "there is no recipe \"%.64s\"; `isostress repro list` "
                     "shows the recipes",
              name, near);
  return found;
}

// The server that a recipe takes: none, one that is started, or one that is
// given.
static const char *recipe_server(const struct recipe *recipe) {
  return recipe->needs ? "at a URI" : recipe->server ? recipe->server : "none";
}

// By the table of promises, anomaly by anomaly.
static const struct {
  const char *word, *sentence;
} promises[BADGES] = {
    [BADGE_FORBIDDEN] = {"forbidden", "yes, the level forbids it"},
    [BADGE_ALLOWED] = {"allowed", "no, the level allows it"},
    [BADGE_SERVERS] = {"allowed across servers",
                       "by one server, not across several"},
    [BADGE_UNDOCUMENTED] = {"not documented", "not documented"},
};

// "LostUpdate, forbidden"
static char *expectation_of(const struct recipe *recipe) {
  const char *promise = promises[recipe_promise(recipe)].word;
  return !strcmp(recipe->expect, "none") ? xasprintf("no anomaly")
         : !strcmp(recipe->expect, "any")
             ? xasprintf("%s", recipe->title)
             : xasprintf("%s, %s", recipe->expect, promise);
}

static void put_recipe_list(const struct catalogue *catalogue) {
  for (uint32_t i = 0; i < catalogue->nrecipes; i++) {
    const struct recipe *r = &catalogue->recipes[i];
    char *expected = expectation_of(r);
    printf("%s\n", r->name);
    entry_put(stdout, "  database", 13, r->database);
    entry_put(stdout, "  server", 13, recipe_server(r));
    entry_put(stdout, "  expected", 13, expected);
    entry_put(stdout, "  source    ", 4, r->source); // an address is long
    free(expected);
  }
}

// ---- One recipe

static const char *found_name(const struct reproduction *reproduction) {
  if (!reproduction->found)
    return "none";
  return reproduction->anomaly ? anomaly_info(reproduction->anomaly)->name
                               : "seen";
}

static void put_outcome(const struct recipe *recipe,
                        const struct reproduction *r) {
  char *title = xasprintf("%s: %s", recipe->name, recipe->title);
  entry_put(stdout, "recipe", 12, title);
  entry_put(stdout, "database", 12,
            r->server[0] ? r->server : recipe->database);
  free(title);
  printf("expected    %s\n", recipe->expect);
  if (!r->found)
    printf("found       nothing in %llu transactions, %.1f s\n",
           (unsigned long long)r->committed, r->seconds);
  else if (recipe->steps)
    printf("found       %s, step by step\n", recipe->expect);
  else
    printf("found       %s after %llu transactions, %.3f s\n", found_name(r),
           (unsigned long long)r->committed, r->seconds);
  if (strcmp(recipe->expect, "none") != 0 || r->found) {
    printf("promised    %s%s\n", promises[r->promise].sentence,
           r->found && r->promise == BADGE_FORBIDDEN ? ": BROKEN PROMISE" : "");
    if (r->says)
      entry_put(stdout, "manual", 12, r->says);
  }
  if (r->per_thousand >= 0)
    printf("rate        %.3g in 1000 committed transactions\n",
           r->per_thousand);
  if (r->directory[0])
    printf("results     %s\n", r->directory);
  puts(r->interrupted   ? "UNDECIDED: interrupted"
       : r->as_expected ? "as expected"
                        : "NOT AS EXPECTED");
}

static void put_recipe_json(const struct recipe *recipe,
                            const struct reproduction *r, struct json *json,
                            const char *trouble) {
  json_put_object(json, NULL);
  json_put_string(json, "recipe", recipe->name);
  json_put_string(json, "database", recipe->database);
  json_put_string(json, "expected", recipe->expect);
  json_put_string(json, "promise",
                  r->promise == BADGE_UNDOCUMENTED ? NULL
                                                   : promises[r->promise].word);
  json_put_string(json, "found", trouble ? NULL : found_name(r));
  json_put_string(json, "trouble", trouble);
  json_put_unsigned(json, "transactions", r->committed);
  json_put_real(json, "seconds", r->seconds);
  if (r->per_thousand >= 0)
    json_put_real(json, "per_thousand", r->per_thousand);
  json_put_string(json, "server", r->server);
  json_put_bool(json, "as_expected", r->as_expected);
  json_close(json, '}');
}

static enum status status_of_outcome(const struct reproduction *r) {
  return r->interrupted   ? STATUS_UNDECIDED
         : r->as_expected ? STATUS_KEPT
                          : STATUS_VIOLATION;
}

static enum status status_of_reproduction(int failed,
                                          const struct reproduction *r,
                                          struct error *error) {
  if (failed)
    return complain_of(error);
  return status_of_outcome(r);
}

static enum status follow_one(const struct catalogue *catalogue,
                              const char *name,
                              const struct reproduce_options *options) {
  struct error error = {0};
  struct reproduction reproduction;
  const struct recipe *recipe = catalogue_find(catalogue, name, &error);
  if (!recipe)
    return complain(STATUS_USAGE, &error);
  const int failed = reproduce(recipe, options, &reproduction, &error);
  if (!failed)
    put_outcome(recipe, &reproduction);
  return status_of_reproduction(failed, &reproduction, &error);
}

// ---- All of them

// The database's own name and version, up to its settings: "PostgreSQL 15.18".
static int length_of_version(const char *server) {
  size_t length = strcspn(server, ",(");
  while (length && server[length - 1] == ' ')
    length--;
  return (int)length;
}

static void put_recipe_row(const struct recipe *recipe,
                           const struct reproduction *r, const char *trouble) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  if (trouble)
    fputs(trouble, out);
  else
    fprintf(out, "%s: expected %s, found %s",
            r->interrupted   ? "interrupted"
            : r->as_expected ? "as expected"
                             : "DIFFERS",
            recipe->expect, found_name(r));
  if (!trouble && r->found)
    fprintf(out, " (%s)", promises[r->promise].word);
  if (!trouble && !recipe->steps)
    fprintf(out, "; %llu transactions, %.2f s",
            (unsigned long long)r->committed, r->seconds);
  if (!trouble && r->per_thousand >= 0)
    fprintf(out, "; %.3g in 1,000", r->per_thousand);
  if (r->server[0])
    fprintf(out, "; %.*s", length_of_version(r->server), r->server);
  fclose(out);
  printf("%s\n", recipe->name);
  entry_put(stdout, "", 2, text);
  free(text);
  fflush(stdout);
}

// Does `--all --server=KIND` follow it?  KIND may have a version; Valkey is
// tried as Redis is.
static bool takes_kind(const struct recipe *recipe, const char *kind) {
  const size_t length = strcspn(kind, "@");
  const bool as_redis =
      length == strlen("valkey") && !strncmp(kind, "valkey", length);
  const char *meant = as_redis ? "redis" : kind;
  return recipe->server && strlen(recipe->server) == strcspn(meant, "@") &&
         !strncmp(recipe->server, meant, strlen(recipe->server));
}

static uint32_t count_recipes_of(const struct catalogue *catalogue,
                                 const char *kind) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < catalogue->nrecipes; i++)
    n += takes_kind(&catalogue->recipes[i], kind);
  return n;
}

// Leaves out recipes whose server cannot be started here.
static enum status follow_all(const struct catalogue *catalogue,
                              struct reproduce_options *options,
                              enum output output) {
  enum status status = STATUS_KEPT;
  struct json json;
  options->show = false;
  if (output == OUTPUT_JSON) {
    json_begin(&json, stdout);
    json_put_array(&json, NULL);
  }
  uint32_t i = 0;
  for (; i < catalogue->nrecipes && !*signals_stop(); i++) {
    const struct recipe *recipe = &catalogue->recipes[i];
    struct reproduction r;
    struct error error = {0};
    if (recipe->needs ||
        (options->server && !takes_kind(recipe, options->server)))
      continue;
    options->share = i / (double)catalogue->nrecipes;
    options->each = 1 / (double)catalogue->nrecipes;
    const int failed = reproduce(recipe, options, &r, &error);
    const char *trouble = failed ? error.text : NULL;
    if (output == OUTPUT_JSON)
      put_recipe_json(recipe, &r, &json, trouble);
    else
      put_recipe_row(recipe, &r, trouble);
    status =
        status_worse(status, failed ? STATUS_TROUBLE : status_of_outcome(&r));
  }
  if (output == OUTPUT_JSON) {
    json_close(&json, ']');
    json_end(&json);
  }
  return i < catalogue->nrecipes
             ? status_interrupted(status, "all recipes were tried")
             : status;
}

static enum status act_on_recipes(const struct catalogue *catalogue,
                                  const struct settings *settings,
                                  const char *name) {
  struct error error = {0};
  struct progress progress = {.terminal = progress_on_terminal()};
  struct reproduce_options options = {
      .progress = &progress,
      .each = 1,
      .begin = clock_now(),
      .target = settings->target,
      .server = settings->server,
      .budget = settings->budget,
      .out = settings->out,
      .seed = settings->seed,
      .show = true,
  };
  if (settings->target && settings->server)
    error_set(&error, "give a target or --server, not both");
  else if (settings->all && settings->server &&
           !count_recipes_of(catalogue, settings->server))
    error_set(&error, "no recipe takes a server of kind %s", settings->server);
  if (error.text[0])
    return complain(STATUS_USAGE, &error);
  if (settings->all)
    return follow_all(catalogue, &options, settings->output);
  if (name && !strcmp(name, "list")) {
    put_recipe_list(catalogue);
    return STATUS_KEPT;
  }
  if (name)
    return follow_one(catalogue, name, &options);
  error_set(&error, "say which recipe, such as `isostress repro "
                    "postgresql-rc-lost-update`; `isostress repro list` shows "
                    "them");
  return complain(STATUS_USAGE, &error);
}

enum status repro_command(const struct arguments *arguments) {
  struct settings settings;
  struct catalogue catalogue;
  struct error error = {0};
  const char *name = NULL;
  settings_default(&settings, FOR_REPRO);
  arguments_give(arguments, &settings);
  if (arguments_word(arguments, &name, &error) ||
      arguments_give_target_if_any(arguments, &settings, &error))
    return complain(STATUS_USAGE, &error);
  signals_catch();
  const enum status status = catalogue_read(&catalogue, &error)
                                 ? complain(STATUS_USAGE, &error)
                                 : act_on_recipes(&catalogue, &settings, name);
  catalogue_free(&catalogue);
  return status;
}
