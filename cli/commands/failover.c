// SPDX-License-Identifier: GPL-3.0-or-later
// isostress failover: in how many failovers of a cluster are acknowledged
// writes lost?
#include "config.h"

#include "cli/commands.h"

#include "base/memory.h"
#include "cli/failover/failover.h"
#include "cli/process/signals.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// The settings of the server stand behind its kind.
static char *join_settings(const struct arguments *arguments) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  for (uint32_t i = 1; i < arguments->nwords; i++)
    fprintf(out, "%s%s", i > 1 ? " " : "", arguments->words[i]);
  fclose(out);
  return text;
}

static int read_failover_words(const struct arguments *arguments,
                               const struct failover_kind **kind,
                               struct error *error) {
  if (!arguments->nwords)
    return error_set_usage(error, "say which cluster, such as `isostress "
                                  "failover postgresql-standby`");
  if (strchr(arguments->words[0], ':'))
    return error_set_usage(error,
                           "a failover kills servers, and takes the kind of a "
                           "throw-away server, such as postgresql-standby, not "
                           "a target");
  for (uint32_t i = 1; i < arguments->nwords; i++)
    if (!strchr(arguments->words[i], '='))
      return error_set_usage(error,
                             "\"%.64s\" is no setting of a server: write "
                             "NAME=VALUE",
                             arguments->words[i]);
  *kind = failover_kind_find(arguments->words[0], error);
  return *kind ? 0 : -1;
}

static int keep_failover_page(const struct failover *failover,
                              struct error *error) {
  char *path = xasprintf("%s/failover.html", failover->out);
  FILE *out = fopen(path, "w");
  int failed = 0;
  if (out)
    failover_put_page(out, failover);
  if (!out || fclose(out))
    failed = error_set(error, "%s: %s", path, strerror(errno));
  free(path);
  return failed;
}

static void tell_failover(const struct failover *failover) {
  const struct failover_run *run = &failover->runs[failover->count - 1];
  fprintf(stderr,
          "isostress: failover %" PRIu32 " of %" PRIu32 ", %s: %s; %" PRIu64
          " of %" PRIu64 " acknowledged writes are lost\n",
          failover->count, failover->nruns, run->workload,
          run->promoted ? "another host took over" : "no host took over",
          run->lost, run->acknowledged);
}

// Without a promotion nothing was found out.
static enum status status_of_failovers(const struct failover *failover) {
  struct failover_sum sum;
  failover_add_up(failover, &sum);
  return sum.against_promise ? STATUS_VIOLATION
         : !sum.promoted     ? STATUS_UNDECIDED
                             : STATUS_KEPT;
}

static enum status fail_over(struct failover *failover,
                             const struct failover_kind *kind,
                             enum output output) {
  struct error error = {0};
  int failed = 0;
  while (!failed && failover->count < failover->nruns && !*signals_stop()) {
    failed = failover_run_next(failover, kind, &error);
    if (!failed)
      tell_failover(failover);
  }
  if (failed && !failover->count)
    return complain(STATUS_TROUBLE, &error);
  if (output == OUTPUT_JSON)
    failover_put_json(stdout, failover);
  else
    failover_put_text(stdout, failover);
  enum status status = status_of_failovers(failover);
  if (failed || (failed = keep_failover_page(failover, &error)))
    status = status_worse(status, complain(STATUS_TROUBLE, &error));
  else if (output != OUTPUT_JSON)
    printf("page: %s/failover.html\n", failover->out);
  return failover->count < failover->nruns && !failed
             ? status_interrupted(status, "all failovers took place")
             : status;
}

enum status failover_command(const struct arguments *arguments) {
  const struct failover_kind *kind = NULL;
  struct settings settings;
  struct error error = {0};
  settings_default(&settings, FOR_FAILOVER);
  arguments_give(arguments, &settings);
  if (read_failover_words(arguments, &kind, &error))
    return complain(STATUS_USAGE, &error);
  char *words = join_settings(arguments);
  struct failover failover = {
      .kind = arguments->words[0],
      .settings = words,
      .out = settings.out,
      .seed = settings.seed,
      .time = settings.time,
      .nruns = (uint32_t)settings.runs,
      .runs = xcalloc(settings.runs, sizeof *failover.runs)};
  signals_catch();
  const enum status status = fail_over(&failover, kind, settings.output);
  free(failover.runs);
  free(words);
  return status;
}
