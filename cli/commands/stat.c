// SPDX-License-Identifier: GPL-3.0-or-later
// isostress stat: what is in recorded histories, without a judgement.
#include "config.h"

#include "cli/commands.h"

#include "cli/jobs/histories.h"
#include "cli/process/signals.h"
#include "cli/process/stdin_input.h"
#include "recorder/files/reader.h"
#include "recorder/statistics.h"
#include "report/text/statistics.h"

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
    put_sentence(error.text);
  history_statistics(&history, &statistics);
  statistics_print(&history, &statistics, stdout);
  history_free(&history);
  return STATUS_KEPT;
}

// All that the words name.
struct described_histories {
  struct file_list list;
  struct stdin_input piped;
};

static int find_described_histories(struct described_histories *described,
                                    const char *word,
                                    const struct read_options *options,
                                    struct error *error) {
  const char *path = stdin_input_path(&described->piped, word, options, error);
  return path ? histories_at(path, options, &described->list, error) : -1;
}

static enum status describe_history(const struct described_histories *described,
                                    const struct read_options *options) {
  enum status status = STATUS_KEPT;
  const struct file_list *list = &described->list;
  for (uint32_t i = 0; i < list->count; i++) {
    struct read_options called = *options;
    called.called = stdin_input_word(&described->piped, list->paths[i]);
    if (list->count > 1)
      printf("%s%s:\n", i ? "\n" : "", called.called);
    status = status_worse(status, describe_file(list->paths[i], &called));
    fflush(stdout); // a signal may end the next one
  }
  return status;
}

enum status stat_command(const struct arguments *arguments) {
  struct settings settings;
  struct described_histories described = {0};
  struct error error;
  enum status status = STATUS_KEPT;
  settings_default(&settings, FOR_STAT);
  arguments_give(arguments, &settings);
  signals_leave();
  if (!arguments->nwords) {
    error_set(&error, "say which history to describe, such as `isostress stat "
                      "results/runs/latest/history`");
    return complain(STATUS_USAGE, &error);
  }
  for (uint32_t i = 0; i < arguments->nwords; i++)
    if (find_described_histories(&described, arguments->words[i],
                                 &settings.reading, &error))
      status = status_worse(status, complain(STATUS_TROUBLE, &error));
  status =
      status_worse(status, describe_history(&described, &settings.reading));
  stdin_input_free(&described.piped);
  file_list_free(&described.list);
  return status;
}
