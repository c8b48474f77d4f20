// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a history in another format (cli/jobs/converting.h).
#include "config.h"

#include "cli/jobs/converting.h"

#include "cli/process/progress.h"
#include "cli/process/signals.h"
#include "cli/status.h"
#include "recorder/files/writer.h"

#include <inttypes.h>

struct conversion {
  const struct settings *settings;
  const char *in, *out;
  const struct history_format *format; // of `out`
  struct history history;              // what was read
};

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

int converting_format(const struct settings *settings, const char *path,
                      const struct history_format **format,
                      struct error *error) {
  *format = settings->to ? history_format_named(settings->to, error)
                         : history_format_for(path);
  return settings->to && !*format ? -1 : 0;
}

int convert_history(const struct settings *settings, const char *in,
                    const char *out, const struct history_format *format,
                    struct error *error) {
  struct conversion c = {
      .settings = settings, .in = in, .out = out, .format = format};
  const int status = convert(&c, error);
  history_free(&c.history);
  return status;
}
