// SPDX-License-Identifier: GPL-3.0-or-later
// Runs drafts of scripts (cli/advise/advising.h).
#include "config.h"

#include "cli/advise/advising.h"

#include "base/clock.h"
#include "base/memory.h"
#include "checker/verdict/lead.h"
#include "cli/jobs/job.h"
#include "cli/jobs/rehearsing.h"
#include "cli/jobs/rundir.h"
#include "cli/process/signals.h"
#include "drivers/drivers.h"
#include "drivers/instrument.h"
#include "report/shortfall.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- Drafts

void draft_copy(struct draft *draft, const struct draft *from) {
  *draft = (struct draft){.schema = xstrdup(from->schema),
                          .changes = xstrdup(from->changes)};
  for (uint32_t i = 0; i < ADVISE_SCRIPTS_MOST && from->texts[i]; i++) {
    draft->texts[i] = xstrdup(from->texts[i]);
    draft->levels[i] = from->levels[i] ? xstrdup(from->levels[i]) : NULL;
  }
}

void draft_free(struct draft *draft) {
  for (uint32_t i = 0; i < ADVISE_SCRIPTS_MOST; i++)
    FREE_EACH(draft->texts[i], draft->levels[i]);
  FREE_EACH(draft->schema, draft->changes);
  *draft = (struct draft){0};
}

static void put_whole_text(FILE *file, const void *text) { fputs(text, file); }

// The files of a draft, which stay with the results; and how a run calls them.
struct draft_files {
  const char *schema, *scripts;
};

static int write_draft(struct advising *a, const struct draft *draft,
                       struct draft_files *files, struct error *error) {
  char *place = xasprintf("%s/tried/%" PRIu32, a->directory, ++a->ntried);
  int failed =
      rundir_make_path(place, error) ||
      rundir_write(place, "schema.sql", put_whole_text, draft->schema, error);
  char *text;
  size_t bytes;
  FILE *list = text_stream(&text, &bytes);
  for (uint32_t i = 0; i < a->nscripts && !failed; i++) {
    failed = rundir_write(place, a->names[i], put_whole_text, draft->texts[i],
                          error);
    fprintf(list, "%s%s/%s@%.0f", i ? "," : "", place, a->names[i],
            a->shares[i]);
  }
  fclose(list);
  files->scripts = arena_strdup(&a->arena, text);
  files->schema = arena_printf(&a->arena, "%s/schema.sql", place);
  FREE_EACH(place, text);
  return failed ? -1 : 0;
}

// "place" of "place.sql", as runs call a script.
static int name_length(const char *name) {
  const char *dot = strrchr(name, '.');
  return (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

// "withdraw:serializable,*:read committed"; NULL: all at one level.
static char *levels_of_scripts(const struct advising *a,
                               const struct draft *draft, const char *level) {
  bool alone = false;
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  for (uint32_t i = 0; i < a->nscripts; i++)
    if (draft->levels[i]) {
      fprintf(out, "%.*s:%s,", name_length(a->names[i]), a->names[i],
              draft->levels[i]);
      alone = true;
    }
  fprintf(out, "*:%s", level);
  fclose(out);
  if (alone)
    return text;
  free(text);
  return NULL;
}

// Options of the command that its runs have, too.
static void hand_down(struct arena *arena, const struct settings *from,
                      struct settings *to) {
  char text[SETTING_MAX + 1];
  for (const struct setting *s = settings_table; s->name; s++)
    if (s->commands & FOR_RUN && s->commands & FOR_ADVISE &&
        setting_is_given(from, s->name)) {
      setting_write(from, s, text);
      setting_give_run(to, s->name, arena_strdup(arena, text));
    }
}

static void set_run_up(struct advising *a, const struct draft *draft,
                       const struct draft_files *files, const char *level,
                       struct settings *settings, char **levels) {
  settings_default(settings, FOR_RUN);
  hand_down(&a->arena, a->settings, settings);
  settings->target = a->settings->target;
  settings->schema = files->schema;
  setting_give_run(settings, "workload", files->scripts);
  *levels = levels_of_scripts(a, draft, level);
  if (*levels)
    settings->level_of = *levels;
  else
    setting_give_run(settings, "isolation", level);
  setting_give_run(settings, "progress", "0");
  setting_give_run(settings, "max", "8"); // so that more scripts are in one
  settings->junit = NULL;
  settings->output = OUTPUT_TEXT;
}

// ---- What a run found

// Runs that last longer have more of them: they are to find out what was luck.
#define MORE_TWINS .5

struct trial_context {
  struct advising *advising;
  struct advised_trial *trial;
};

static uint32_t script_of_place(const struct advising *a, const char *place) {
  for (uint32_t i = 0; i < a->nscripts; i++) {
    const size_t n = strlen(a->names[i]);
    if (!strncmp(place, a->names[i], n) && place[n] == ':')
      return i;
  }
  return UINT32_MAX;
}

// A script's finding is the one that harms most.
static void take_findings(struct advising *a, const struct own_scripts *own,
                          struct advised_cell *cells) {
  for (uint32_t s = 0; s < own->nstatements; s++) {
    const struct own_statement *statement = &own->statements[s];
    const uint32_t script = script_of_place(a, statement->place);
    for (uint32_t f = 0; f < statement->nfindings && script != UINT32_MAX;
         f++) {
      const enum anomaly found = statement->findings[f].anomaly;
      if (cells[script].anomaly == ANOMALY_NONE ||
          anomaly_harm(found) < anomaly_harm(cells[script].anomaly))
        cells[script] = (struct advised_cell){
            found, arena_strdup(&a->arena, statement->place)};
    }
  }
}

// "could not serialize access due to concurrent update (40001): 120".
static const char *words_of_refusals(struct arena *arena,
                                     const struct run_figures *figures) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  for (uint32_t i = 0; i < figures->ncodes; i++) {
    const struct code_count *c = &figures->codes[i];
    fprintf(out, "%s%s (%s): %" PRIu64, i ? "; " : "", c->text, c->code,
            c->count);
  }
  fclose(out);
  const char *kept = *text ? arena_strdup(arena, text) : NULL;
  free(text);
  return kept;
}

static void take_invariant(struct arena *arena, const struct report *report,
                           struct advised_trial *trial) {
  const struct invariant_figures *i = &report->figures->invariant;
  char sentence[SHORTFALL_TEXT];
  trial->asked = report->invariant != NULL;
  trial->invariant = trial->asked && i->checked && !i->broken;
  if (shortfall_invariant(report, sentence, sizeof sentence))
    trial->answer = arena_strdup(arena, sentence);
}

static const char *copied_text(struct arena *arena, const char *text) {
  return text ? arena_strdup(arena, text) : NULL;
}

static void take_trial(void *context, const struct report *report) {
  const struct trial_context *c = context;
  struct advising *a = c->advising;
  struct advised_trial *trial = c->trial;
  struct advised_cell *cells =
      arena_take(&a->arena, a->nscripts * sizeof *cells);
  char errors[SHORTFALL_TEXT];
  memset(cells, 0, a->nscripts * sizeof *cells);
  trial->cells = cells;
  trial->tried = !*signals_stop();
  trial->trouble = copied_text(&a->arena, report->trouble);
  if (!report->figures || !trial->tried)
    return;
  const struct run_figures *f = report->figures;
  snprintf(a->server, sizeof a->server, "%s", f->server);
  trial->begun = f->begun;
  trial->committed = f->committed;
  trial->refused = run_refused(f);
  trial->rate = quantity_per_second(f->committed, f->measured);
  trial->refusals = words_of_refusals(&a->arena, f);
  if (report->directory &&
      !strncmp(report->directory, a->directory, strlen(a->directory)))
    trial->run =
        copied_text(&a->arena, report->directory + strlen(a->directory) + 1);
  take_invariant(&a->arena, report, trial);
  if (!trial->trouble && shortfall_errors(f, errors, sizeof errors))
    trial->trouble = copied_text(&a->arena, errors);
  trial->broke_level = report->verdict && !report_is_open(report) &&
                       report->verdict->kind == VERDICT_VIOLATION;
  const struct own_scripts *own = report->own_scripts;
  if (own && own->serializable->kind == VERDICT_UNDECIDED)
    trial->open = copied_text(&a->arena, own->serializable->why);
  if (!own || trial->open)
    return;
  trial->decided = true;
  trial->serializable = own->serializable->kind == VERDICT_PASS;
  trial->headline = copied_text(&a->arena, own->headline);
  take_findings(a, own, cells);
}

uint64_t advise_time(const struct advising *a) {
  return a->settings->time * a->nscripts;
}

char *advise_estimate(const struct advising *a, uint32_t nruns) {
  const double each =
      a->ran ? (double)a->took * (double)advise_time(a) / (double)a->ran
             : (double)advise_time(a);
  const double seconds = each * nruns / 1e9;
  return seconds < 90 ? xasprintf("about %.0f s", seconds + .5)
                      : xasprintf("about %.0f min", seconds / 60 + .5);
}

void advise_try(struct advising *a, const struct draft *draft,
                const char *level, uint64_t time, struct advised_trial *trial) {
  struct draft_files files = {0};
  struct settings settings;
  struct error error;
  struct trial_context context = {a, trial};
  char *levels = NULL, *runs = xasprintf("%s/runs", a->directory);
  *trial = (struct advised_trial){
      .level = arena_strdup(&a->arena, level),
      .changes =
          *draft->changes ? arena_strdup(&a->arena, draft->changes) : NULL};
  if (write_draft(a, draft, &files, &error)) {
    trial->trouble = arena_strdup(&a->arena, error.text);
    a->status = complain(STATUS_TROUBLE, &error);
  } else {
    set_run_up(a, draft, &files, level, &settings, &levels);
    const uint64_t before = clock_now();
    settings.time = time;
    settings.out = runs;
    if (time > advise_time(a) && settings.twins < MORE_TWINS)
      setting_give_run(&settings, "twins", "50%");
    // Troubles are on stderr already.
    const enum status status =
        job_try("trial", &settings, take_trial, &context);
    a->ran += time;
    a->took += clock_now() - before;
    if (status == STATUS_USAGE || status == STATUS_TROUBLE)
      a->status =
          status_worse(a->status, *draft->changes ? STATUS_KEPT : status);
  }
  FREE_EACH(levels, runs);
}

bool advise_refuses(struct advising *a, const struct draft *draft,
                    const char *level) {
  struct draft_files files = {0};
  struct settings settings;
  struct error error;
  char *levels = NULL;
  bool refuses = true;
  if (!write_draft(a, draft, &files, &error)) {
    set_run_up(a, draft, &files, level, &settings, &levels);
    refuses = rehearse_quietly(&settings, false) != STATUS_KEPT;
  }
  free(levels);
  return refuses;
}

enum status advise_rehearse(struct advising *a, const struct draft *draft,
                            const char *list) {
  const struct draft_files files = {a->settings->schema, list};
  struct settings settings;
  char *levels = NULL;
  set_run_up(a, draft, &files, a->driver->levels->name, &settings, &levels);
  free(levels);
  return rehearse_quietly(&settings, true);
}

struct raw_scripts *draft_read(struct advising *a, const struct draft *draft) {
  struct draft_files files = {0};
  struct error error;
  struct raw_scripts *scripts =
      write_draft(a, draft, &files, &error)
          ? NULL
          : raw_scripts_read(files.schema, files.scripts, ADVISE_SCRIPTS_MOST,
                             a->driver->instrument->dialect, &error);
  return scripts;
}
