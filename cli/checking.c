// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and checks histories (cli/checking.h).
#include "config.h"

#include "cli/checking.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "cli/witness_file.h"
#include "recorder/reader.h"

#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

static double seconds_since(uint64_t start) {
  return (double)(clock_now() - start) / (double)NS_PER_SECOND;
}

// A check takes and gives back arrays of hundreds of megabytes.  Kept by the
// process, the next one need not be cleared page by page by the kernel again:
// on ten million transactions that is a tenth of the time.
static void keep_freed_memory(void) {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 64 << 20);
}

static enum isolation weakest_level(const struct history *history) {
  unsigned level = history->ntxns ? ISOLATION_SSER : ISOLATION_NONE;
  for (uint32_t t = 0; t < history->ntxns; t++)
    if (history->level[t] < level)
      level = history->level[t];
  return (enum isolation)level;
}

int checking_start(struct checking *checking, const char *path,
                   const struct read_options *options, struct error *error) {
  *checking = (struct checking){.path = path};
  struct error salvage = {0};
  char *what = xasprintf("reading %s", path);
  struct ticker *ticker = ticker_start(what);
  uint64_t start = clock_now();
  keep_freed_memory();
  int failed = history_read_with(path, options, &checking->history, &salvage);
  checking->read_seconds = seconds_since(start);
  ticker_end(ticker);
  free(what);
  if (failed)
    return error_set(error, "%s", salvage.text);
  snprintf(checking->salvage, sizeof checking->salvage, "%s", salvage.text);
  checking->claimed = weakest_level(&checking->history);
  return 0;
}

static void forget_verdict(struct checking *checking) {
  verdict_free(&checking->verdict);
  if (checking->scored)
    scorecard_free(&checking->card);
  checking->scored = false;
  checking->told = NULL;
}

static int decide(struct checking *checking, int question,
                  struct check_options *options, struct error *error) {
  const struct history *history = &checking->history;
  if (question == LEVEL_AUTO) {
    checking->scored = true;
    if (scorecard_fill(&checking->card, history, options, error))
      return -1;
    checking->told = scorecard_main(&checking->card, checking->claimed);
    return 0;
  }
  options->recorded = question == LEVEL_RECORDED;
  if (question < ISOLATION_COUNT)
    options->level = (enum isolation)question;
  checking->told = &checking->verdict;
  return check(history, options, &checking->verdict, error);
}

static char *what_is_done(const struct checking *checking, int question) {
  return question < ISOLATION_COUNT
             ? xasprintf("checking %s of %s",
                         isolation_name((enum isolation)question),
                         checking->path)
             : xasprintf("checking %s", checking->path);
}

int checking_check(struct checking *checking, int question,
                   const struct settings *settings, struct error *error) {
  forget_verdict(checking);
  char *what = what_is_done(checking, question);
  struct ticker *ticker = ticker_start(what);
  uint64_t start = clock_now();
  struct check_options options = {
      .session_order = !settings->no_session_order,
      .real_time = settings->real_time,
      .max_examples = settings->all ? UINT32_MAX : (uint32_t)settings->max,
      .stop = signals_start_check(settings->timeout),
  };
  int failed = decide(checking, question, &options, error);
  signals_end_check();
  checking->seconds = checking->read_seconds + seconds_since(start);
  ticker_end(ticker);
  free(what);
  return failed;
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
  forget_verdict(checking);
  history_free(&checking->history);
}

enum verdict_kind checking_result(const struct checking *checking) {
  return checking->scored ? scorecard_claim(&checking->card, checking->claimed)
                          : checking->verdict.kind;
}

int checking_recorded_level(const struct checking *checking) {
  const struct history *history = &checking->history;
  for (uint32_t t = 0; t < history->ntxns; t++)
    if (history->level[t] != checking->claimed)
      return LEVEL_RECORDED;
  return (int)checking->claimed;
}
