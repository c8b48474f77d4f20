// SPDX-License-Identifier: GPL-3.0-or-later
// isostress convert: a history in another format.
#include "config.h"

#include "cli/commands.h"

#include "base/memory.h"
#include "cli/jobs/histories.h"
#include "cli/process/progress.h"
#include "cli/process/signals.h"
#include "cli/process/stdin_input.h"
#include "cli/status.h"
#include "recorder/files/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct conversion {
  const struct settings *settings;
  const char *in, *out;
  const struct history_format *format; // of `out`
  struct history history;              // what was read
};

static const struct history_format *
target_format(const struct settings *s, const char *path, struct error *error) {
  if (s->to)
    return history_format_named(s->to, error);
  const struct history_format *format = history_format_for(path);
  if (!format)
    error_set(error,
              "the name of %s does not say its format: name the format with "
              "--to; `isostress list formats` shows the formats",
              path);
  return format;
}

// A line for everything that gets lost; -1 with a sentence if nothing may be.
static int tell_losses(const struct conversion *c, struct error *error) {
  struct export_loss losses[LOSSES_MAX];
  const uint32_t n = history_losses(&c->history, c->format, losses);
  for (uint32_t i = 0; i < n; i++)
    tell_user("%s: %s cannot represent %s: %s (%" PRIu64 " %s)", c->out,
              c->format->name, losses[i].what, losses[i].becomes,
              losses[i].count, losses[i].unit);
  return n && c->settings->strict
             ? error_set(error, "%s was not written: --strict allows no loss",
                         c->out)
             : 0;
}

static int read_in(struct conversion *c, struct error *error) {
  return history_read_with(c->in, &c->settings->reading, &c->history, error);
}

// Rows that statements did not find are evidence: without the transactions that
// are lost, or depend on them, it would be evidence against the database.
static int refuse_torn(const struct conversion *c, struct error *error) {
  if (!c->history.complete && !c->history.ntxns)
    return error_set(error, "%s was not written: no transaction is left of %s",
                     c->out, c->in);
  return c->history.rows && !c->history.complete
             ? error_set(error,
                         "%s was not written: a part of %s is lost, and a file "
                         "without it would seem to be whole; check %s itself",
                         c->out, c->in, c->in)
             : 0;
}

static int write_out(struct conversion *c, struct error *error) {
  signals_catch(); // what there is of it has to be removed
  return history_write(c->out, c->format, &c->history, signals_stop(), error);
}

static int with_ticker(const char *what,
                       int (*work)(struct conversion *, struct error *),
                       struct conversion *c, struct error *error) {
  struct ticker *ticker = ticker_start(what);
  const int status = work(c, error);
  ticker_end(ticker);
  return status;
}

static int convert(struct conversion *c, struct error *error) {
  if (with_ticker("reading", read_in, c, error))
    return -1;
  if (error->text[0]) // what could not be read
    put_sentence(error->text);
  return refuse_torn(c, error) || tell_losses(c, error)
             ? -1
             : with_ticker("writing", write_out, c, error);
}

// Converts the history, or the one history that a directory holds.
static int convert_at(struct conversion *c, const char *path,
                      struct error *error) {
  struct file_list list = {0};
  int status = histories_one(path, &c->settings->reading, &list, error);
  if (!status) {
    c->in = list.paths[0];
    status = convert(c, error);
  }
  file_list_free(&list);
  history_free(&c->history);
  return status;
}

static enum status convert_words(struct settings *settings, const char **words,
                                 struct error *error) {
  struct stdin_input piped = {0};
  struct conversion c = {.settings = settings, .out = words[1]};
  c.format = target_format(settings, c.out, error);
  if (!c.format)
    return complain(STATUS_USAGE, error);
  const char *path =
      stdin_input_path(&piped, words[0], &settings->reading, error);
  settings->reading.called = words[0];
  const int status = path ? convert_at(&c, path, error) : -1;
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
