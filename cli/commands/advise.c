// SPDX-License-Identifier: GPL-3.0-or-later
// isostress advise: what the user's own scripts need, so that they run as if
// one after another.
#include "config.h"

#include "cli/commands.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/whole_file.h"
#include "cli/advise/advising.h"
#include "cli/jobs/rundir.h"
#include "cli/process/signals.h"
#include "cli/settings/own_driver.h"
#include "cli/settings/redact.h"
#include "drivers/drivers.h"
#include "report/page/page.h"
#include "report/text/advised_text.h"
#include "report/text/junit.h"
#include "sql/reading.h"

#include <stdlib.h>
#include <string.h>

#define ADVICE_PAGE "advice.html"

// ---- Scripts and levels

static int take_advised_script(struct advising *a, const char *word,
                               struct draft *draft, struct error *error) {
  char *path = NULL, name[40];
  uint32_t share;
  if (a->nscripts == ADVISE_SCRIPTS_MOST)
    return error_set_usage(error, "advise takes at most %d scripts",
                           ADVISE_SCRIPTS_MOST);
  int failed = sql_take_apart(word, &path, name, &share, error);
  char *text = failed ? NULL : sql_text_of(path, error);
  if (text) {
    const char *slash = strrchr(path, '/');
    a->names[a->nscripts] = arena_strdup(&a->arena, slash ? slash + 1 : path);
    a->paths[a->nscripts] = arena_strdup(&a->arena, path);
    a->shares[a->nscripts] = share;
    draft->texts[a->nscripts++] = text;
    for (uint32_t i = 0; i + 1 < a->nscripts && !failed; i++)
      if (!strcmp(a->names[i], a->names[a->nscripts - 1]))
        failed = error_set_usage(error, "%s: there is a script %s already",
                                 word, a->names[i]);
  }
  free(path);
  return failed || !text ? -1 : 0;
}

static int take_advised_files(struct advising *a,
                              const struct arguments *arguments,
                              struct draft *draft, struct error *error) {
  draft->changes = xstrdup("");
  if (!a->settings->schema)
    return error_set_usage(error, "advise needs --schema=FILE, which has "
                                  "CREATE TABLE and the first rows");
  draft->schema = sql_text_of(a->settings->schema, error);
  if (!draft->schema)
    return -1;
  for (uint32_t i = 0; i < arguments->nwords; i++)
    if (!word_is_target(arguments->words[i]) &&
        take_advised_script(a, arguments->words[i], draft, error))
      return -1;
  return a->nscripts ? 0
                     : error_set_usage(error, "name the scripts: isostress "
                                              "advise --schema s.sql a.sql "
                                              "b.sql TARGET");
}

// ---- Results

static void put_advice_text(FILE *file, const void *advised) {
  text_put_advised(file, advised, NULL);
}
static void put_advice_json(FILE *file, const void *advised) {
  advised_put_json(file, advised);
}
static void put_advice_page(FILE *file, const void *advised) {
  page_put_advised(file, advised);
}

static int keep_advice(struct advising *a, struct error *error) {
  const struct advised *advised = &a->advised;
  char *page = xasprintf("%s/" ADVICE_PAGE, a->directory);
  int failed = rundir_write(a->directory, "advice.txt", put_advice_text,
                            advised, error) ||
               rundir_write(a->directory, "advice.json", put_advice_json,
                            advised, error) ||
               rundir_write(a->directory, ADVICE_PAGE, put_advice_page, advised,
                            error) ||
               rundir_make_latest(a->directory, error);
  if (a->settings->output == OUTPUT_JSON)
    advised_put_json(stdout, advised);
  else
    text_put_advised(stdout, advised, failed ? NULL : page);
  if (!failed && a->settings->junit) {
    char *suite = junit_suite_of_advised(advised, page);
    failed = junit_write(a->settings->junit, &suite, 1, error);
    free(suite);
  }
  free(page);
  return failed ? -1 : 0;
}

static enum status judge_advice(const struct advising *a) {
  const struct advised_trial *now = &a->levels[a->advised.default_level];
  return advised_is_safe(now)          ? STATUS_KEPT
         : advised_is_kept(now)        ? STATUS_UNDECIDED
         : now->decided || now->answer ? STATUS_VIOLATION
         : a->advised.interrupted      ? STATUS_UNDECIDED
         : now->trouble                ? STATUS_TROUBLE
                                       : STATUS_UNDECIDED;
}

static enum status make_advice(struct advising *a, const struct draft *draft,
                               struct error *error) {
  struct advised *advised = &a->advised;
  if (rundir_make(a->settings->out, a->driver->name, "scripts", "advice",
                  &a->directory, error) ||
      rundir_check_latest(a->directory, error))
    return complain_of(error);
  advise_try_levels(a, draft);
  const bool whole = a->status == STATUS_KEPT;
  if (whole && !*signals_stop())
    advise_explore(a);
  if (whole && !*signals_stop() &&
      !advised_is_safe(&a->levels[advised->default_level])) {
    advise_confirm_level(a, draft);
    advise_repair(a, draft);
  }
  advised->remedies = a->remedies;
  advised->interrupted = *signals_stop();
  advised->server = a->server;
  if (!whole)
    return a->status;
  return keep_advice(a, error) ? complain_of(error) : judge_advice(a);
}

static int prepare_advice(struct advising *a, const struct arguments *arguments,
                          struct settings *settings, struct draft *draft,
                          struct error *error) {
  const struct driver *loaded;
  const char *const extra[] = {NULL};
  if (arguments_give_target(arguments, settings, error) ||
      own_driver_load(settings, &loaded, error))
    return -1;
  a->driver = target_driver(settings->target, loaded, extra, error);
  if (!a->driver) {
    error->usage = true;
    return -1;
  }
  if (!a->driver->instrument)
    return error_set_usage(error,
                           "%s: does not run your own SQL as it is, so there "
                           "is nothing to advise",
                           a->driver->name);
  if (settings->junit && whole_file_check(settings->junit, error))
    return -1;
  return take_advised_files(a, arguments, draft, error);
}

// The scripts as run takes them, to be freed.
static char *list_of_scripts(const struct arguments *arguments) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  for (uint32_t i = 0; i < arguments->nwords; i++)
    if (!word_is_target(arguments->words[i]))
      fprintf(out, "%s%s", ftell(out) ? "," : "", arguments->words[i]);
  fclose(out);
  return text;
}

static char *advise_command_line(const struct arguments *arguments) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  fputs("isostress advise", out);
  arguments_put(out, arguments);
  fclose(out);
  return text;
}

enum status advise_command(const struct arguments *arguments) {
  struct advising *a = xcalloc(1, sizeof *a);
  struct settings settings;
  struct draft draft = {0};
  struct error error = {0};
  char target[SETTING_MAX + 1];
  char *command = advise_command_line(arguments);
  enum status status;
  settings_default(&settings, FOR_ADVISE);
  arguments_give(arguments, &settings);
  signals_catch();
  a->settings = &settings;
  if (prepare_advice(a, arguments, &settings, &draft, &error)) {
    status = complain_of(&error);
  } else {
    redact_target(settings.target, target, sizeof target);
    a->advised =
        (struct advised){.program = PACKAGE_STRING,
                         .command = command,
                         .target = target,
                         .schema = settings.schema,
                         .invariant = settings.invariant,
                         .date = clock_wall(),
                         .seconds = (double)settings.time * a->nscripts / 1e9,
                         .scripts = a->names,
                         .texts = (const char *const *)draft.texts,
                         .nscripts = a->nscripts};
    char *list = list_of_scripts(arguments);
    status = advise_rehearse(a, &draft, list);
    if (status == STATUS_KEPT)
      status = make_advice(a, &draft, &error);
    free(list);
  }
  draft_free(&draft);
  arena_free(&a->arena);
  FREE_EACH(command, a->directory);
  free(a);
  return status;
}
