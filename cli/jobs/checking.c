// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and checks histories (cli/jobs/checking.h).
#include "config.h"

#include "cli/jobs/checking.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/pages.h"
#include "base/ram.h"
#include "base/stop.h"
#include "base/units.h"
#include "checker/part/assumed_reads.h"
#include "checker/verdict/effective_options.h"
#include "checker/verdict/lead.h"
#include "cli/jobs/streaming.h"
#include "cli/jobs/witness_file.h"
#include "cli/process/progress.h"
#include "cli/process/signals.h"
#include "recorder/files/reader.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static double seconds_of_task(uint64_t start) {
  return (double)(clock_now() - start) / (double)NS_PER_SECOND;
}

// The memory that the process may allocate: as asked for, or else all that is
// free, in whole megabytes, so that a check is given up before the kernel ends
// the process.
static size_t limit_of_memory(const struct settings *settings) {
  enum { MEGABYTE = 1000000 };
  if (settings->memory)
    return settings->memory;
  const uint64_t available = ram_available("");
  return available < SIZE_MAX / 2
             ? ((memory_allocated() + available) / MEGABYTE + 1) * MEGABYTE
             : 0;
}

// In bytes; 0 for a directory.
static size_t size_of_file(const char *path) {
  struct stat file;
  return stat(path, &file) || !S_ISREG(file.st_mode) ? 0 : (size_t)file.st_size;
}

static enum isolation weakest_level_of(const struct history *history) {
  unsigned level = history->ntxns ? ISOLATION_SSER : ISOLATION_NONE;
  for (uint32_t t = 0; t < history->ntxns; t++)
    if (history->level[t] < level)
      level = history->level[t];
  return (enum isolation)level;
}

// The reading that is done under the limit of memory.
struct reading_in_background {
  struct checking *checking;
  const char *path;
  const struct read_options *options;
  struct error *error;
  int result;
};

static void read_history(void *context) {
  struct reading_in_background *reading = context;
  struct checking *checking = reading->checking;
  struct error salvage = {0};
  reading->result = history_read_with(reading->path, reading->options,
                                      &checking->history, &salvage);
  snprintf(checking->salvage, sizeof checking->salvage, "%s", salvage.text);
  if (reading->result)
    error_set(reading->error, "%s", salvage.text);
  else
    history_separate_lists(&checking->history);
}

// Gives up reading: the part that was read is lost.
static int leave_unread(struct checking *checking, struct error *error) {
  char bytes[UNITS_TEXT];
  units_write_number((double)checking->memory_limit, bytes);
  checking->history = (struct history){0};
  checking->unread = true;
  return error_set(error,
                   "%s: memory limit: reading it needs more than %s bytes; "
                   "nothing is decided",
                   checking->path, bytes);
}

const char *checking_limit_name(void) {
  return *signals_stop() ? "interrupted" : "time limit";
}

static int leave_unread_in_time(struct checking *checking,
                                struct error *error) {
  checking->unread = true;
  return error_set(error, "%s: %s: reading it was stopped; nothing is decided",
                   checking->path, checking_limit_name());
}

// Reads it, or opens it to be checked as a stream; under the limit of memory.
static bool read_within_memory(struct checking *checking,
                               struct reading_in_background *reading,
                               const struct settings *settings) {
  struct flow *flow;
  reading->result =
      streaming_open(&flow, reading->path, settings, checking->memory_limit,
                     reading->options->stop, reading->error);
  checking->flow = flow;
  if (reading->result || !flow)
    return reading->result ||
           memory_bounded(checking->memory_limit, read_history, reading);
  checking->history.nsessions = flow_facts(flow)->nsessions;
  return true;
}

int checking_start(struct checking *checking, const char *path,
                   const struct settings *settings, struct error *error) {
  struct read_options options = settings->reading;
  options.stop = signals_start_check(settings->timeout);
  *checking = (struct checking){.path = options.called ? options.called : path};
  struct reading_in_background reading = {checking, path, &options, error, 0};
  char *what = xasprintf("reading %s", checking->path);
  struct ticker *ticker = ticker_start(what);
  uint64_t start = clock_now();
  checking->gap = pages_prepare(size_of_file(path));
  checking->memory_limit = limit_of_memory(settings);
  const bool done = read_within_memory(checking, &reading, settings);
  checking->read_seconds = seconds_of_task(start);
  signals_end_check();
  ticker_end(ticker);
  free(what);
  if (!done)
    return leave_unread(checking, error);
  if (reading.result && stop_is_set(options.stop))
    return leave_unread_in_time(checking, error);
  if (!reading.result)
    checking->claimed = checking->flow ? streaming_level(checking->flow)
                                       : weakest_level_of(&checking->history);
  return reading.result;
}

static void forget_verdict(struct checking *checking) {
  verdict_free(&checking->verdict);
  if (checking->scored)
    auto_level_free(&checking->card);
  checking->scored = checking->counted = false;
  if (checking->serializable == &checking->besides)
    verdict_free(&checking->besides);
  checking->told = checking->beyond = checking->serializable = NULL;
}

// The check that is done under the limit of memory.
struct check_task {
  struct checking *checking;
  int question;
  struct check_options *options;
  struct verdict *verdict; // of one level
  struct error *error;
  int result;
};

static void decide_task(void *context) {
  struct check_task *task = context;
  struct checking *checking = task->checking;
  const struct history *history = &checking->history;
  task->result =
      checking->flow
          ? streaming_check(checking->flow, task->options,
                            checking->memory_limit, &checking->history,
                            task->verdict, task->error)
      : task->question == LEVEL_AUTO
          ? auto_level_fill(&checking->card, history, task->options,
                            task->error)
          : check(history, task->options, task->verdict, task->error);
}

// No proof, and no reason yet.
static struct verdict undecided_verdict(const struct check_task *task) {
  const struct history *history = &task->checking->history;
  const struct check_options options = settled_options(history, task->options);
  struct verdict undecided = {.kind = VERDICT_UNDECIDED,
                              .question = options.question,
                              .op = UINT32_MAX,
                              .other_op = UINT32_MAX};
  free(settled_count(history, &undecided.counts));
  return undecided;
}

// Levels that were decided before stay decided.
static void leave_task_open(struct check_task *task,
                            const struct verdict *undecided) {
  if (task->question == LEVEL_AUTO)
    auto_level_give_up(&task->checking->card, undecided);
  else
    *task->verdict = *undecided;
  task->result = 0;
}

// Gives up the check: its allocations are lost.
static void give_up_task(struct check_task *task) {
  char known[CHECK_PROGRESS_TEXT];
  struct checking *checking = task->checking;
  struct verdict undecided = undecided_verdict(task);
  char bytes[UNITS_TEXT];
  units_write_number((double)checking->memory_limit, bytes);
  check_progress_text(task->options->progress, known);
  snprintf(undecided.why, sizeof undecided.why,
           "memory limit: it needs more than %s bytes%s%s", bytes,
           *known ? "; " : "", known);
  leave_task_open(task, &undecided);
}

// A history in which no anomaly could occur keeps every level that it does not
// break, which says nothing of the database.
static void withhold_empty_pass(struct check_task *task) {
  struct checking *checking = task->checking;
  const char *missing = chances_missing(&checking->history);
  const bool kept = checking->scored
                        ? checking->card.strongest != ISOLATION_NONE
                        : checking->verdict.kind == VERDICT_PASS;
  if (!missing || !kept)
    return;
  struct verdict undecided = undecided_verdict(task);
  snprintf(undecided.why, sizeof undecided.why, "%s", missing);
  if (checking->scored)
    auto_level_free(&checking->card);
  else
    verdict_free(&checking->verdict);
  leave_task_open(task, &undecided);
}

// Who stopped a check that was stopped.
static void name_the_limit(struct verdict *verdict, bool stopped) {
  char why[sizeof verdict->why];
  if (verdict->kind != VERDICT_UNDECIDED || !stopped ||
      strncmp(verdict->why, "stopped", strlen("stopped")))
    return;
  snprintf(why, sizeof why, "%s: %.200s", checking_limit_name(), verdict->why);
  memcpy(verdict->why, why, sizeof why);
}

// Reads of a value that was written more than once then show the write that the
// verdict takes them to have seen.
static void take_as_told(struct checking *checking) {
  const struct verdict *told =
      checking->beyond ? checking->beyond : checking->told;
  struct assumed_reads assumed_reads;
  struct error error;
  if (!told->nassumed_reads)
    return;
  assumed_reads_open(&assumed_reads, &checking->history);
  const int failed = assumed_reads_take(&assumed_reads, told->assumed_reads,
                                        told->nassumed_reads, &error);
  assert(!failed);
  (void)failed;
  assumed_reads_close(&assumed_reads);
}

static void choose_what_to_tell(struct checking *checking) {
  struct auto_level *card = &checking->card;
  checking->told = &checking->verdict;
  if (!checking->scored) {
    violation_lead(&checking->verdict, checking->claimed);
    return;
  }
  for (int level = ISOLATION_RC; level < ISOLATION_COUNT; level++)
    violation_lead(&card->verdict[level], checking->claimed);
  const enum isolation judged =
      checking->open ? card->strongest : checking->claimed;
  checking->claim = auto_level_main(card, judged);
  checking->told = &checking->claim;
  checking->beyond = auto_level_beyond(card, judged);
}

static bool count_chances(const struct check_task *task) {
  const struct verdict *told = task->checking->told;
  const struct chances_options options = {
      .real_time =
          told->question.real_time || told->question.level == ISOLATION_SSER,
      .plain_reads = told->question.plain_reads,
      .stop = task->options->stop};
  return chances_count(&task->checking->history, &options,
                       &task->checking->chances);
}

static void decide_within_limits(struct check_task *task) {
  struct checking *checking = task->checking;
  checking->scored = task->question == LEVEL_AUTO;
  if (!memory_bounded(checking->memory_limit, decide_task, task)) {
    if (checking->flow)
      task->result = leave_unread(checking, task->error);
    else
      give_up_task(task);
  }
  const bool stopped = *task->options->stop;
  if (task->result)
    return;
  if (!checking->flow)
    withhold_empty_pass(task);
  name_the_limit(&checking->verdict, stopped);
  for (int level = ISOLATION_RC; checking->scored && level < ISOLATION_COUNT;
       level++)
    name_the_limit(&checking->card.verdict[level], stopped);
  choose_what_to_tell(checking);
  take_as_told(checking);
  const uint64_t decided = clock_now();
  checking->counted = checking->told->kind == VERDICT_PASS && !checking->flow &&
                      count_chances(task);
  checking->seconds -= seconds_of_task(decided); // what is told is the check's
}

static char *what_is_done(const struct checking *checking, int question) {
  return question < ISOLATION_COUNT
             ? xasprintf("checking %s of %s",
                         isolation_name((enum isolation)question),
                         checking->path)
             : xasprintf("checking %s", checking->path);
}

uint64_t checking_time_left(const struct checking *checking,
                            const struct settings *settings) {
  const uint64_t spent =
      (uint64_t)(checking->read_seconds * (double)NS_PER_SECOND);
  if (!settings->timeout)
    return 0;
  return spent < settings->timeout ? settings->timeout - spent : 1;
}

// Does one task under the settings, with a line that says so.
static int perform_task(struct check_task *task,
                        const struct settings *settings,
                        void (*decide_all)(struct check_task *task)) {
  struct checking *checking = task->checking;
  char *what = what_is_done(checking, task->question);
  struct ticker *ticker = ticker_start(what);
  const uint64_t start = clock_now();
  struct check_progress progress = {0};
  checking->stop = signals_start_check(checking_time_left(checking, settings));
  struct check_options options = {
      .progress = &progress,
      .question = settings_question(settings, task->question),
      .max_examples = settings->all ? UINT32_MAX : (uint32_t)settings->max,
      .count_stronger = true,
      .stop = checking->stop,
  };
  task->options = &options;
  decide_all(task);
  checking->seconds += seconds_of_task(start);
  ticker_end(ticker);
  free(what);
  return task->result;
}

int checking_check(struct checking *checking, int question,
                   const struct settings *settings, struct error *error) {
  forget_verdict(checking);
  struct check_task task = {.checking = checking,
                            .question = question,
                            .verdict = &checking->verdict,
                            .error = error};
  checking->seconds = checking->read_seconds;
  return perform_task(&task, settings, decide_within_limits);
}

// Own scripts at SER, whatever their level; all transactions alike.
static void decide_besides(struct check_task *task) {
  struct checking *checking = task->checking;
  task->options->question.level = ISOLATION_SER;
  if (!memory_bounded(checking->memory_limit, decide_task, task)) {
    if (checking->flow)
      task->result = leave_unread(checking, task->error);
    else
      give_up_task(task);
  }
  if (task->result)
    return;
  name_the_limit(task->verdict, *task->options->stop);
  violation_lead(task->verdict, checking->claimed);
  checking->serializable = task->verdict;
  if (task->verdict->kind == VERDICT_VIOLATION)
    checking->beyond = task->verdict;
}

int checking_ask_serializable(struct checking *checking,
                              const struct settings *settings,
                              struct error *error) {
  struct check_task task = {.checking = checking,
                            .question = ISOLATION_SER,
                            .verdict = &checking->besides,
                            .error = error};
  const struct verdict *asked =
      checking->scored ? auto_level_at(&checking->card, ISOLATION_SER)
                       : &checking->verdict;
  if (checking->scored ||
      (!asked->question.recorded && asked->question.level >= ISOLATION_SER)) {
    checking->serializable = asked;
    return 0;
  }
  if (asked->kind != VERDICT_PASS)
    return 0;
  return perform_task(&task, settings, decide_besides);
}

int checking_keep_witness(const struct checking *checking,
                          const struct settings *settings,
                          struct error *error) {
  return settings->witness
             ? witness_keep(settings->witness, &checking->history,
                            &settings->reading, checking->told, error)
             : 0;
}

void checking_end(struct checking *checking) {
  signals_end_check();
  forget_verdict(checking);
  history_free(&checking->history);
  if (checking->flow)
    flow_close(checking->flow);
  free(checking->gap);
}

enum verdict_kind checking_result(const struct checking *checking) {
  return checking->scored ? checking->told->kind : checking->verdict.kind;
}

int checking_recorded_level(const struct checking *checking) {
  const struct history *history = &checking->history;
  if (checking->flow && checking->claimed != ISOLATION_NONE)
    return LEVEL_RECORDED;
  for (uint32_t t = 0; t < history->ntxns; t++)
    if (history->level[t] != checking->claimed)
      return LEVEL_RECORDED;
  return (int)checking->claimed;
}

uint64_t checking_count_txns(const struct checking *checking) {
  return checking->flow ? flow_facts(checking->flow)->ntxns
                        : checking->history.ntxns;
}
