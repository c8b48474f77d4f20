// SPDX-License-Identifier: GPL-3.0-or-later
// isostress replay: performs the interleaving of a counterexample on a live
// database, many times, and says how often the anomaly came back.
#include "config.h"

#include "cli/commands.h"

#include "base/memory.h"
#include "cli/checking.h"
#include "cli/counterexample.h"
#include "cli/histories.h"
#include "cli/redact.h"
#include "cli/signals.h"
#include "cli/staging.h"
#include "steps/commands.h"
#include "steps/interleave.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CANDIDATES = 16 }; // counterexamples to choose from

struct replay {
  struct settings settings;
  struct checking checking;
  enum isolation level; // that was broken
  enum anomaly anomaly;
  struct script script; // of the counterexample
  bool sees_last;       // every read finds what was committed last
  // What the performances showed.
  uint32_t nperformed, nsame, nother, naborted, nblocked;
};

// ---- The counterexample

static enum isolation level_to_check(const struct replay *replay) {
  int level = ISOLATION_COUNT - 1;
  while (level > ISOLATION_NONE && !(replay->settings.levels >> level & 1))
    level--;
  return level > ISOLATION_NONE ? (enum isolation)level
                                : replay->checking.claimed;
}

static int find_counterexample(struct replay *replay, const char *path,
                               struct error *error) {
  struct checking *checking = &replay->checking;
  if (checking_start(checking, path, &replay->settings, error))
    return -1;
  replay->level = level_to_check(replay);
  if (replay->level == ISOLATION_NONE)
    return error_set_usage(error,
                           "%s does not say which level it was recorded "
                           "at: say which was broken with --level",
                           path);
  if (checking_check(checking, replay->level, &replay->settings, error))
    return error_prefix(error, "%s", path);
  if (checking->verdict.kind != VERDICT_VIOLATION)
    return error_set_usage(error, "%s shows no violation of %s to replay", path,
                           isolation_name(replay->level));
  replay->anomaly = checking->verdict.anomaly;
  return 0;
}

static void make_script(struct replay *replay, const struct verdict *verdict,
                        const char *path) {
  const struct history *history = &replay->checking.history;
  char title[512];
  uint32_t nops;
  uint32_t *ops = counterexample_ops(history, verdict, &nops);
  snprintf(title, sizeof title, "%s, which broke %s in %s",
           anomaly_info(replay->anomaly)->name, isolation_name(replay->level),
           path);
  script_free(&replay->script);
  replay->sees_last =
      script_of_history(history, ops, nops, title, &replay->script);
  free(ops);
}

// Of the counterexamples of the anomaly the first one whose reads can all find
// what was committed last, for that is what most databases return; or else the
// first.
static int choose_script(struct replay *replay, const char *path,
                         struct error *error) {
  const struct verdict *verdict = &replay->checking.verdict;
  make_script(replay, verdict, path);
  for (uint32_t i = 0; i < verdict->nothers && !replay->sees_last; i++)
    if (verdict->others[i].anomaly == replay->anomaly)
      make_script(replay, &verdict->others[i], path);
  if (!replay->sees_last)
    make_script(replay, verdict, path);
  if (!replay->script.nsteps)
    return error_set_usage(error,
                           "what breaks %s in %s are the times of transactions "
                           "that did nothing: there is nothing to replay",
                           isolation_name(replay->level), path);
  return 0;
}

// ---- Files

static int end_file(FILE *file, const char *path, struct error *error) {
  const bool failed = ferror(file);
  if (fclose(file) || failed)
    return error_set(error, "can not write %s: %s", path, strerror(errno));
  return 0;
}

static int save_steps(const struct replay *replay, struct error *error) {
  const char *path = replay->settings.save_steps;
  FILE *file = fopen(path, "w");
  if (!file)
    return error_set(error, "can not write %s: %s", path, strerror(errno));
  script_put(file, &replay->script);
  return end_file(file, path, error);
}

static int save_commands(const struct replay *replay,
                         const struct staging *staging, struct error *error) {
  const char *path = replay->settings.save_commands;
  const struct driver *driver = stage_driver(staging->stage);
  if (!commands_known(driver))
    return error_set_usage(error,
                           "save-commands: no shell for databases of the %s "
                           "driver is known; --save-steps works with all",
                           driver->name);
  FILE *file = fopen(path, "w");
  if (!file)
    return error_set(error, "can not write %s: %s", path, strerror(errno));
  commands_put(file, &replay->script, driver, stage_level(staging->stage));
  return end_file(file, path, error);
}

// ---- Performing

static void count(struct replay *replay, const struct staging *staging,
                  const struct finding *finding) {
  bool aborted = false, blocked = false;
  for (uint32_t i = 0; i < replay->script.nsteps; i++) {
    const struct step_result *result = &staging->results[i];
    aborted |= result->state == STEP_DONE && result->outcome != OUTCOME_OK;
    blocked |= result->blocked;
  }
  replay->nperformed++;
  replay->naborted += aborted;
  replay->nblocked += blocked;
  if (finding->kept >= replay->level)
    return;
  replay->nsame += finding->anomaly == replay->anomaly;
  replay->nother += finding->anomaly != replay->anomaly;
}

static int perform_all(struct replay *replay, struct staging *staging,
                       struct error *error) {
  const struct settings *settings = &replay->settings;
  for (uint32_t r = 0; r < settings->repeat && !*signals_stop(); r++) {
    struct finding finding;
    if (staging_perform(staging, r, settings, error) ||
        staging_check(staging, r, &finding, error))
      return -1;
    count(replay, staging, &finding);
  }
  return 0;
}

static void put_steps(const struct replay *replay,
                      const struct staging *staging) {
  const struct script *script = &replay->script;
  for (uint32_t i = 0; i < script->nsteps; i++) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory)
      out_of_memory(1);
    script_put_step(memory, script, &script->steps[i]);
    fclose(memory);
    printf("  %-30s  ", text);
    step_result_put(stdout, script, i, replay->nperformed - 1,
                    &staging->results[i]);
    puts("");
    free(text);
  }
}

static void put_summary(const struct replay *replay,
                        const struct staging *staging) {
  const char *name = anomaly_info(replay->anomaly)->name;
  char text[256];
  stage_describe(staging->stage, text, sizeof text);
  printf("database    %s, level %s\n", text, stage_level(staging->stage)->name);
  puts("the last performance:");
  put_steps(replay, staging);
  if (!replay->sees_last)
    puts("some read saw another value than the one that was committed last: "
         "only a database\nthat returns such values can show this again");
  printf("%s came back in %u of %u performances", name, replay->nsame,
         replay->nperformed);
  if (replay->nother)
    printf(", another violation of %s in %u", isolation_name(replay->level),
           replay->nother);
  printf("; in %u something aborted, in %u something blocked\n",
         replay->naborted, replay->nblocked);
}

static enum status replay_on_target(struct replay *replay) {
  struct staging staging;
  struct error error = {0};
  const struct settings *settings = &replay->settings;
  enum status status = STATUS_KEPT;
  if (staging_start(&staging, &replay->script, settings,
                    (uint32_t)settings->repeat, &error) ||
      (settings->save_commands && save_commands(replay, &staging, &error)) ||
      perform_all(replay, &staging, &error))
    status = complain(error.usage ? STATUS_USAGE : STATUS_TROUBLE, &error);
  else if (replay->nsame + replay->nother)
    status = STATUS_VIOLATION;
  else if (replay->nperformed < settings->repeat)
    status = status_interrupted(status, "all performances took place");
  if (replay->nperformed)
    put_summary(replay, &staging);
  staging_end(&staging);
  return status;
}

static enum status replay_history(struct replay *replay, const char *word) {
  struct error error = {0};
  struct file_list list = {0};
  enum status status = STATUS_KEPT;
  if (histories_one(word, &replay->settings.reading, &list, &error) ||
      find_counterexample(replay, list.paths[0], &error) ||
      choose_script(replay, list.paths[0], &error))
    status = complain(error.usage ? STATUS_USAGE : STATUS_TROUBLE, &error);
  else if (replay->settings.save_steps && save_steps(replay, &error))
    status = complain(STATUS_TROUBLE, &error);
  else
    status = replay_on_target(replay);
  script_free(&replay->script);
  checking_end(&replay->checking);
  file_list_free(&list);
  return status;
}

enum status replay_command(const struct arguments *arguments) {
  struct replay replay = {0};
  struct error error = {0};
  const char *word = NULL;
  settings_default(&replay.settings);
  arguments_give(arguments, &replay.settings);
  if (!replay.settings.repeat)
    replay.settings.repeat = 100;
  if (arguments_give_target(arguments, &replay.settings, &error))
    return complain(STATUS_USAGE, &error);
  for (uint32_t i = 0; i < arguments->nwords; i++)
    if (!word_is_target(arguments->words[i]))
      word = arguments->words[i];
  if (!word || arguments->nwords > 2) {
    error_set(&error, "say which counterexample to replay where, such as "
                      "`isostress replay results/runs/latest sqlite:try.db`");
    return complain(STATUS_USAGE, &error);
  }
  replay.settings.max = MAX_CANDIDATES;
  signals_catch();
  return replay_history(&replay, word);
}
