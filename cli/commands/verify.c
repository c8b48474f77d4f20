// SPDX-License-Identifier: GPL-3.0-or-later
// isostress verify: holds a proof that was written before against its history.
#include "config.h"

#include "cli/commands.h"

#include "base/clock.h"
#include "cli/jobs/checking.h"
#include "cli/jobs/histories.h"
#include "cli/jobs/witness_file.h"
#include "cli/process/signals.h"
#include "report/report.h"
#include "report/text/text.h"

#include <stdio.h>
#include <stdlib.h>

// The settings as asked, but the history is read as the witness says, unless
// the command line says otherwise.
static int read_as_witness(const struct settings *asked,
                           const struct witness *witness,
                           struct settings *settings, struct error *error) {
  *settings = *asked;
  if (witness->reading.initial > INITIAL_VALUE ||
      witness->reading.model > MODEL_CAS)
    return error_set(error, "its history was read in a way that is not known");
  if (witness->reading.initial == INITIAL_VALUE &&
      settings->reading.initial != INITIAL_VALUE)
    return error_set_usage(error,
                           "its history was read with --init=VALUE: give the "
                           "same --init to verify");
  if (!setting_is_given(settings, "init"))
    settings->reading.initial = (enum initial)witness->reading.initial;
  if (!setting_is_given(settings, "model"))
    settings->reading.model = (enum model)witness->reading.model;
  if (witness->duplicates && !setting_is_given(settings, "duplicate-values"))
    settings->reading.duplicates = DUPLICATES_ALLOW;
  return 0;
}

static enum status tell_verified(const struct checking *checking,
                                 const struct verdict *verdict,
                                 uint64_t start) {
  const struct report report = {
      .command = "verify",
      .history_path = checking->path,
      .history = &checking->history,
      .salvage = checking->salvage[0] ? checking->salvage : NULL,
      .verdict = verdict,
      .check_seconds = checking->read_seconds +
                       (double)(clock_now() - start) / (double)NS_PER_SECOND,
  };
  report_proved(stdout, &report);
  return status_of_verdict(verdict->kind);
}

static enum status verify_witness(const char *path, const char *witness_path,
                                  const struct witness *witness,
                                  const struct settings *settings) {
  struct checking checking;
  struct verdict verdict = {0};
  struct error error;
  enum status status;
  if (checking_start(&checking, path, settings, &error)) {
    status =
        complain(checking.unread ? STATUS_UNDECIDED : STATUS_TROUBLE, &error);
  } else {
    const uint64_t start = clock_now();
    if (witness_verify(witness, &checking.history, &verdict, &error)) {
      error_prefix(&error, "%s does not prove anything about %s", witness_path,
                   path);
      status = complain(STATUS_TROUBLE, &error);
    } else {
      status = tell_verified(&checking, &verdict, start);
    }
  }
  verdict_free(&verdict);
  checking_end(&checking);
  return status;
}

// Verifies the history, or the one history that a directory holds.
static enum status verify_at(const char *word, const char *witness_path,
                             const struct witness *witness,
                             const struct settings *settings) {
  struct file_list list = {0};
  struct error error = {0};
  const enum status status =
      histories_one(word, &settings->reading, &list, &error)
          ? complain_of(&error)
          : verify_witness(list.paths[0], witness_path, witness, settings);
  file_list_free(&list);
  return status;
}

enum status verify_command(const struct arguments *arguments) {
  struct settings asked, settings;
  struct witness_bytes bytes;
  struct witness witness;
  struct error error;
  enum status status;
  settings_default(&asked, FOR_VERIFY);
  arguments_give(arguments, &asked);
  signals_leave();
  if (arguments->nwords != 2) {
    error_set(&error, "say which history and which witness, as in `isostress "
                      "verify results/runs/latest/history proof.witness`");
    return complain(STATUS_USAGE, &error);
  }
  const char *path = arguments->words[1];
  if (witness_load(path, &bytes, &error)) {
    status = complain(STATUS_TROUBLE, &error);
  } else if (witness_open(&witness, bytes.bytes, bytes.count, &error) ||
             read_as_witness(&asked, &witness, &settings, &error)) {
    error_prefix(&error, "%s", path);
    status = complain_of(&error);
  } else {
    status = verify_at(arguments->words[0], path, &witness, &settings);
  }
  free(bytes.bytes);
  return status;
}
