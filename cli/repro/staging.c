// SPDX-License-Identifier: GPL-3.0-or-later
// Step scripts on the target of the settings (cli/repro/staging.h).
#include "config.h"

#include "cli/repro/staging.h"

#include "base/memory.h"
#include "cli/servers/servers.h"
#include "cli/settings/own_driver.h"
#include "cli/settings/redact.h"
#include "drivers/drivers.h"
#include "recorder/files/writer.h"

#include <stdlib.h>
#include <string.h>

static int redacted(const struct settings *settings, struct error *error) {
  redact_text(settings->target, error->text, sizeof error->text);
  return -1;
}

static int act_on_node(void *server, uint32_t node, const char *action,
                       struct error *error) {
  return server_act(server, node, action, error);
}

static int start_staging(struct staging *staging,
                         const struct settings *settings, uint32_t repetitions,
                         struct error *error) {
  const struct driver *loaded;
  const char *const extra[] = {staging->bug, NULL};
  if (own_driver_load(settings, &loaded, error))
    return -1;
  const struct stage_options options = {
      .target = settings->target,
      .loaded = loaded,
      .extra = extra,
      .level = settings->isolation,
      .repetitions = repetitions,
      .empty = settings->recreate,
      .blocked_after = settings->blocked_after,
      .seed = settings->seed,
      .act_on_node = staging->server ? act_on_node : NULL,
      .server = staging->server,
  };
  return stage_open(staging->script, &options, &staging->stage, error);
}

int staging_start(struct staging *staging, const struct script *script,
                  const struct settings *settings, uint32_t repetitions,
                  struct error *error) {
  *staging = (struct staging){.script = script};
  staging->results = xcalloc(script->nsteps, sizeof *staging->results);
  if (settings->bug)
    staging->bug = xasprintf("bug=%s", settings->bug);
  if (settings->server)
    staging->server = xstrdup(settings->server);
  return start_staging(staging, settings, repetitions, error)
             ? redacted(settings, error)
             : 0;
}

void staging_end(struct staging *staging) {
  step_results_free(staging->results, staging->script->nsteps);
  free(staging->results);
  free(staging->bug);
  free(staging->server);
  history_free(&staging->history);
  if (staging->stage)
    stage_close(staging->stage);
}

// Tables are as a script says for one performance; keys are new for each.
static int renew_tables(struct staging *staging,
                        const struct settings *settings, struct error *error) {
  if (!script_has_tables(staging->script) || !staging->used)
    return 0;
  stage_close(staging->stage);
  staging->stage = NULL;
  staging->made = false;
  history_free(&staging->history);
  return start_staging(staging, settings, 1, error);
}

int staging_perform(struct staging *staging, uint32_t repetition,
                    const struct settings *settings, struct error *error) {
  const uint32_t nth = script_has_tables(staging->script) ? 0 : repetition;
  step_results_free(staging->results, staging->script->nsteps);
  memset(staging->results, 0,
         staging->script->nsteps * sizeof *staging->results);
  if (renew_tables(staging, settings, error))
    return redacted(settings, error);
  staging->used = true;
  return stage_perform(staging->stage, nth, staging->results, error)
             ? redacted(settings, error)
             : 0;
}

// A history of a handful of transactions: a check for each level costs nothing.
static int find_strongest(const struct history *history,
                          const struct settings *settings,
                          struct kept_level *found, struct error *error) {
  int failed = 0;
  bool kept = false;
  *found = (struct kept_level){0};
  for (int level = ISOLATION_SSER; !failed && !kept && level > ISOLATION_NONE;
       level--) {
    const struct check_options options = {
        .question = settings_question(settings, level)};
    struct verdict verdict = {0};
    failed = check(history, &options, &verdict, error);
    kept = !failed && verdict.kind == VERDICT_PASS;
    if (kept)
      found->kept = (enum isolation)level;
    else
      found->anomaly = verdict.anomaly;
    verdict_free(&verdict);
  }
  return failed;
}

// That of a script in SQL is made once.
static int make_history(struct staging *staging, uint32_t repetition,
                        struct history *history, struct error *error) {
  if (staging->script->schema) {
    if (!staging->made &&
        stage_history(staging->stage, &staging->history, error))
      return -1;
    staging->made = true;
    *history = staging->history;
    return 0;
  }
  return script_history(staging->script, repetition, staging->results,
                        stage_claim(staging->stage), history, error);
}

static void drop_history(const struct staging *staging,
                         struct history *history) {
  if (!staging->script->schema)
    history_free(history);
}

int staging_check(struct staging *staging, uint32_t repetition,
                  const struct settings *settings, struct kept_level *found,
                  struct error *error) {
  struct history history = {0};
  const int failed = make_history(staging, repetition, &history, error) ||
                             find_strongest(&history, settings, found, error)
                         ? -1
                         : 0;
  drop_history(staging, &history);
  return failed;
}

int staging_save(struct staging *staging, uint32_t repetition, const char *path,
                 struct error *error) {
  struct history history = {0};
  const struct history_format *format = history_format_for(path);
  if (staging->script->uses_sql || staging->script->uses_commands)
    return error_set_usage(error,
                           "save-history: %s has statements of the database's "
                           "own, of which no history can be made",
                           staging->script->path);
  if (!format && !(format = history_format_named("isostress", error)))
    return -1;
  const int failed = make_history(staging, repetition, &history, error) ||
                             history_write(path, format, &history, NULL, error)
                         ? -1
                         : 0;
  drop_history(staging, &history);
  return failed;
}
