// SPDX-License-Identifier: GPL-3.0-or-later
// isostress convert: a history in another format.
#include "config.h"

#include "cli/commands.h"

#include "recorder/writer.h"

#include <inttypes.h>
#include <stdio.h>

static const struct history_format *
target_format(const struct settings *s, const char *path, struct error *error) {
  if (s->to)
    return history_format_named(s->to, error);
  const struct history_format *format = history_format_for(path);
  if (!format)
    error_set(error,
              "say with --to in which format to write %s: its name does not "
              "end in one of those that `isostress list formats` shows",
              path);
  return format;
}

// A line for everything that gets lost; returns whether that may be.
static bool tell_losses(const struct history *history,
                        const struct history_format *format, const char *path,
                        bool strict) {
  struct loss losses[LOSSES_MAX];
  const uint32_t n = history_losses(history, format, losses);
  for (uint32_t i = 0; i < n; i++)
    fprintf(stderr, "isostress: %s: %s can not say %s: %s (%" PRIu64 " %s)\n",
            path, format->name, losses[i].what, losses[i].becomes,
            losses[i].count, losses[i].unit);
  return !n || !strict;
}

static enum status convert(const struct settings *settings, const char *in,
                           const char *out) {
  struct history history = {0};
  struct error error = {0};
  const struct history_format *format = target_format(settings, out, &error);
  enum status status = STATUS_KEPT;
  if (!format)
    return complain(STATUS_USAGE, &error);
  if (history_read_with(in, &settings->reading, &history, &error))
    return complain(STATUS_TROUBLE, &error);
  if (error.text[0])
    fprintf(stderr, "isostress: %s\n", error.text);
  if (!tell_losses(&history, format, out, settings->strict)) {
    error_set(&error, "%s: not written, for --strict allows no loss", out);
    status = complain(STATUS_TROUBLE, &error);
  } else if (history_write(out, format, &history, &error))
    status = complain(error.usage ? STATUS_USAGE : STATUS_TROUBLE, &error);
  history_free(&history);
  return status;
}

enum status convert_command(const struct arguments *arguments) {
  struct settings settings;
  settings_default(&settings);
  arguments_give(arguments, &settings);
  if (arguments->nwords == 2)
    return convert(&settings, arguments->words[0], arguments->words[1]);
  struct error error;
  error_set(&error, "say which history to convert and where to write it, such "
                    "as `isostress convert history history.edn`");
  return complain(STATUS_USAGE, &error);
}
