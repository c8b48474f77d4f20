// SPDX-License-Identifier: GPL-3.0-or-later
// isostress stat: what is in recorded histories, without a judgement.
#include "config.h"

#include "cli/commands.h"

#include "cli/piped.h"
#include "recorder/reader.h"
#include "recorder/statistics.h"

#include <stdio.h>

static enum status describe_file(const char *path,
                                 const struct read_options *options) {
  struct history history = {0};
  struct history_statistics statistics;
  struct error error = {0};
  struct read_options counting = *options;
  counting.duplicates = DUPLICATES_ALLOW; // they are told
  if (history_read_with(path, &counting, &history, &error))
    return complain(STATUS_TROUBLE, &error);
  if (error.text[0])
    fprintf(stderr, "isostress: %s\n", error.text);
  history_statistics(&history, &statistics);
  history_statistics_print(&history, &statistics, stdout);
  history_free(&history);
  return STATUS_KEPT;
}

static enum status describe(const char *word,
                            const struct read_options *options) {
  struct piped piped = {0};
  struct error error;
  struct read_options called = *options;
  called.called = word;
  const char *path = piped_path(&piped, word, options, &error);
  const enum status status =
      path ? describe_file(path, &called) : complain(STATUS_TROUBLE, &error);
  piped_free(&piped);
  return status;
}

enum status stat_command(const struct arguments *arguments) {
  struct settings settings;
  struct error error;
  enum status status = STATUS_KEPT;
  settings_default(&settings);
  arguments_give(arguments, &settings);
  if (!arguments->nwords) {
    error_set(&error, "say which history to describe, such as `isostress stat "
                      "results/runs/latest/history`");
    return complain(STATUS_USAGE, &error);
  }
  for (uint32_t i = 0; i < arguments->nwords; i++) {
    if (arguments->nwords > 1)
      printf("%s%s:\n", i ? "\n" : "", arguments->words[i]);
    status =
        status_worse(status, describe(arguments->words[i], &settings.reading));
  }
  return status;
}
