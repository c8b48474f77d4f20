// SPDX-License-Identifier: GPL-3.0-or-later
// isostress driver-test: tests a driver before its database is tested.
#include "config.h"

#include "cli/commands.h"

#include "base/clock.h"
#include "cli/process/progress.h"
#include "cli/process/signals.h"
#include "cli/settings/own_driver.h"
#include "cli/settings/redact.h"
#include "drivers/drivers.h"
#include "drivers/probe/probe.h"

#include <stdio.h>
#include <unistd.h>

struct driver_test {
  const char *target;
  uint32_t count[PROBE_SKIPPED + 1]; // checks, by their results
  uint64_t begin;
  struct progress progress;
};

static void put_said(void *context, const struct probe_said *said) {
  static const char *const marks[] = {
      [PROBE_PASSED] = "ok",
      [PROBE_FAILED] = "FAIL",
      [PROBE_LOOK] = "LOOK",
      [PROBE_SKIPPED] = "--",
  };
  struct driver_test *test = context;
  char sentence[sizeof said->sentence];
  snprintf(sentence, sizeof sentence, "%s", said->sentence);
  redact_text(test->target, sentence, sizeof sentence);
  test->count[said->result]++;
  progress_end(&test->progress);
  printf("%-4s  %s%s%s%s%s\n", marks[said->result], said->check,
         said->level ? " at " : "", said->level ? said->level : "",
         *sentence ? ": " : "", sentence);
  fflush(stdout);
  if (said->nended < said->nchecks)
    progress_of_work(&test->progress, (double)said->nended / said->nchecks,
                     clock_now() - test->begin, "driver-test");
}

static enum status test_driver(struct settings *settings, struct error *error) {
  struct driver_test test = {.target = settings->target,
                             .begin = clock_now(),
                             .progress = {.terminal = progress_on_terminal()}};
  const char *const extra[] = {NULL};
  const struct driver *loaded;
  if (own_driver_load(settings, &loaded, error))
    return status_of_error(error);
  if (!target_driver(settings->target, loaded, extra, error)) {
    error->usage = true;
    return STATUS_USAGE;
  }
  const struct probe_options options = {.target = settings->target,
                                        .loaded = loaded,
                                        .stop = signals_stop(),
                                        .said = put_said,
                                        .context = &test};
  const int unfinished = probe_driver(&options, error);
  progress_end(&test.progress);
  if (unfinished < 0)
    return status_of_error(error);
  const uint32_t *n = test.count;
  printf("%u checks: %u passed, %u failed, %u to look at, %u not possible\n",
         n[PROBE_PASSED] + n[PROBE_FAILED] + n[PROBE_LOOK] + n[PROBE_SKIPPED],
         n[PROBE_PASSED], n[PROBE_FAILED], n[PROBE_LOOK], n[PROBE_SKIPPED]);
  enum status status = n[PROBE_FAILED] ? STATUS_VIOLATION : STATUS_KEPT;
  if (*signals_stop())
    status = status_interrupted(status, "all checks were performed");
  if (unfinished) { // a thread is in a call
    fflush(stdout);
    _exit(status);
  }
  return status;
}

enum status driver_test_command(const struct arguments *arguments) {
  struct settings settings;
  struct error error = {0};
  settings_default(&settings, FOR_DRIVER_TEST);
  arguments_give(arguments, &settings);
  signals_catch();
  if (arguments->nwords > 1 ||
      (arguments->nwords && !word_is_target(arguments->words[0]))) {
    error_set(&error, "driver-test takes one target; a command is given with "
                      "--driver='python3 my_driver.py'");
    return complain(STATUS_USAGE, &error);
  }
  if (arguments_give_target(arguments, &settings, &error))
    return complain_of(&error);
  const enum status status = test_driver(&settings, &error);
  if (!error.text[0])
    return status;
  redact_text(settings.target, error.text, sizeof error.text);
  return complain(status, &error);
}
