// SPDX-License-Identifier: GPL-3.0-or-later
// Makes histories without a database (cli/jobs/generating.h).  Our own format
// is recorded while the store works; any other one is converted from that.
#include "config.h"

#include "cli/jobs/generating.h"

#include "base/memory.h"
#include "base/whole_file.h"
#include "cli/jobs/converting.h"
#include "cli/jobs/run_plan.h"
#include "cli/process/progress.h"
#include "cli/process/scratch.h"
#include "cli/process/signals.h"
#include "cli/settings/jobfile.h"
#include "recorder/files/writer.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// How far it is, for the thread that says so.
struct generating {
  _Atomic uint64_t ended; // attempts
  uint64_t transactions;  // of all sessions
};

enum { TOLD_EVERY_NS = 10000000 }; // of the store's clock, which counts steps

static void note_share(void *context, const struct run_progress *now) {
  struct generating *generating = context;
  atomic_store(&generating->ended,
               now->committed + now->aborted + now->unknown);
}

static void say_share(void *context, char text[TICKER_ROOM]) {
  struct generating *generating = context;
  const uint64_t ended = atomic_load(&generating->ended);
  snprintf(text, TICKER_ROOM,
           "generating: %" PRIu64 " of %" PRIu64 " transactions", ended,
           generating->transactions);
}

// As of a run of the command `run` that makes the same history.
static void settle(struct settings *settings) {
  setting_give_run(settings, "target", "memory:");
  setting_give_run(settings, "threads", "1");
  setting_give_run(settings, "check", "none");
  setting_give_run(settings, "time", "0");
  setting_give_run(settings, "progress", "0");
}

// The settings as a job file, as a recorded run has them.
static char *record_of(const struct settings *settings) {
  char *text;
  size_t bytes;
  FILE *file = text_stream(&text, &bytes);
  jobfile_write(file, "run", settings);
  fclose(file);
  return text;
}

// The sentence goes on about what the file holds, and the file goes.
static int refuse_recording(struct error *error) {
  char *held = strstr(error->text, "; it holds the first ");
  if (held)
    *held = '\0';
  return -1;
}

static int refuse_end(const struct run_figures *figures, struct error *error) {
  if (figures->end == RUN_RECORDING_FAILED)
    return refuse_recording(error);
  if (error->text[0])
    return -1;
  return figures->end == RUN_DONE
             ? 0
             : error_set(error, "interrupted: no history was written");
}

static int run_to(const struct run_plan *plan, struct endpoints *endpoints,
                  const char *place, struct generating *generating,
                  struct generated *generated, struct error *error) {
  const struct settings *settings = &plan->settings;
  struct run_figures figures;
  char *about = record_of(settings);
  const struct run_options options = {
      .target = endpoints->targets[0],
      .endpoints = endpoints,
      .level = plan->level,
      .mix = plan->mix.count ? &plan->mix : NULL,
      .workload = settings->workload,
      .workload_options = plan->workload_options,
      .threads = 1,
      .transactions = settings->transactions,
      .max_tries = (uint32_t)settings->max_tries,
      .backoff = settings->backoff,
      .think_time = settings->think_time,
      .op_delay = settings->op_delay,
      .history = place,
      .op_times = settings->op_times,
      .about = about,
      .progress_interval = TOLD_EVERY_NS,
      .progress = note_share,
      .progress_context = generating,
      .stop = signals_stop(),
  };
  error->text[0] = '\0';
  int status = run(&options, &figures, error);
  if (!status)
    status = refuse_end(&figures, error);
  *generated = (struct generated){.committed = figures.all_committed,
                                  .aborted = figures.all_aborted,
                                  .operations = figures.operations,
                                  .seed = settings->seed};
  run_figures_free(&figures);
  free(about);
  return status;
}

// Records in our own format, at a place where nothing is.
static int record_at(const struct run_plan *plan, const char *place,
                     struct generated *generated, struct error *error) {
  const char *const extra[] = {plan->bug, NULL};
  struct endpoints endpoints;
  if (endpoints_open(plan->settings.target, NULL, extra,
                     (uint32_t)plan->settings.clients, plan->settings.seed,
                     &endpoints, error))
    return -1;
  struct generating generating = {.transactions = plan->settings.transactions *
                                                  plan->settings.clients};
  struct ticker *ticker = ticker_start_asking(say_share, &generating);
  const int status =
      run_to(plan, &endpoints, place, &generating, generated, error);
  ticker_end(ticker);
  endpoints_close(&endpoints);
  return status;
}

static int record_whole(const struct run_plan *plan, const char *path,
                        struct generated *generated, struct error *error) {
  struct whole_file file;
  whole_file_start(&file, path);
  char *place = xstrdup(file.place);
  int status = record_at(plan, place, generated, error);
  if (status)
    error_rename(error, place, path);
  if (whole_file_end(&file, status == 0) && status == 0)
    status = error_cannot(error, path, "written");
  free(place);
  return status;
}

// By way of a file that is removed afterwards.
static int record_converted(const struct run_plan *plan, const char *path,
                            const struct history_format *format,
                            struct generated *generated, struct error *error) {
  char *scratch = scratch_make(error);
  if (!scratch)
    return -1;
  char *recorded = xasprintf("%s/history", scratch);
  int status = record_at(plan, recorded, generated, error);
  if (!status)
    status = convert_history(&plan->settings, recorded, path, format, error);
  free(recorded);
  scratch_remove(scratch);
  return status;
}

static int generate_in(const struct run_plan *plan, const char *path,
                       const struct history_format *format,
                       struct generated *generated, struct error *error) {
  const struct history_format *own = history_formats[0];
  const bool rows = plan->settings.workload->programs != NULL;
  if (!format)
    format = own;
  if (history_refuse_format(path, format, rows, error))
    return -1;
  if (strcmp(path, "-") && format->written_as != WRITTEN_DIRECTORY &&
      whole_file_check(path, error))
    return -1;
  return format == own && !whole_file_is_stream(path)
             ? record_whole(plan, path, generated, error)
             : record_converted(plan, path, format, generated, error);
}

int generate_history(const struct settings *settings, const char *path,
                     struct generated *generated, struct error *error) {
  struct run_plan plan = {.settings = *settings};
  const struct history_format *format;
  settle(&plan.settings);
  if (!plan.settings.transactions)
    return error_set_usage(error, "transactions needs a number above 0");
  int status = 0;
  if (converting_format(settings, path, &format, error) ||
      run_plan_make(&plan, error)) {
    error->usage = true;
    status = -1;
  } else {
    status = generate_in(&plan, path, format, generated, error);
  }
  run_plan_free(&plan);
  return status;
}
