// SPDX-License-Identifier: GPL-3.0-or-later
// isostress convert: a history in another format.
#include "config.h"

#include "cli/commands.h"

#include "cli/jobs/converting.h"
#include "cli/jobs/histories.h"
#include "cli/process/signals.h"
#include "cli/process/stdin_input.h"
#include "cli/status.h"
#include "recorder/files/writer.h"

#include <stdio.h>
#include <string.h>

static const struct history_format *
target_format(const struct settings *s, const char *path, struct error *error) {
  const struct history_format *format;
  if (converting_format(s, path, &format, error))
    return NULL;
  if (!format)
    error_set(error,
              "the name of %s does not say its format: name the format with "
              "--to; `isostress list formats` shows the formats",
              path);
  return format;
}

// Converts the history, or the one history that a directory holds.
static int convert_at(const struct settings *settings, const char *path,
                      const char *out, const struct history_format *format,
                      struct error *error) {
  struct file_list list = {0};
  int status = histories_one(path, &settings->reading, &list, error);
  if (!status)
    status = convert_history(settings, list.paths[0], out, format, error);
  file_list_free(&list);
  return status;
}

static enum status convert_words(struct settings *settings, const char **words,
                                 struct error *error) {
  struct stdin_input piped = {0};
  const struct history_format *format =
      target_format(settings, words[1], error);
  if (!format)
    return complain(STATUS_USAGE, error);
  const char *path =
      stdin_input_path(&piped, words[0], &settings->reading, error);
  settings->reading.called = words[0];
  const int status =
      path ? convert_at(settings, path, words[1], format, error) : -1;
  stdin_input_free(&piped);
  if (status)
    return complain(error->usage      ? STATUS_USAGE
                    : *signals_stop() ? STATUS_UNDECIDED
                                      : STATUS_TROUBLE,
                    error);
  return STATUS_KEPT;
}

enum status convert_command(const struct arguments *arguments) {
  struct settings settings;
  settings_default(&settings, FOR_CONVERT);
  struct error error = {0};
  arguments_give(arguments, &settings);
  signals_leave();
  if (arguments->nwords == 2)
    return convert_words(&settings, arguments->words, &error);
  error_set(&error, "say which history to convert and where to write it, such "
                    "as `isostress convert history history.edn`");
  return complain(STATUS_USAGE, &error);
}
