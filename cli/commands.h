// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of isostress, one file each, and how they end.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "base/error.h"
#include "checker/verdict/verdict.h"
#include "cli/arguments.h"

// Exit status.
enum status {
  STATUS_KEPT = 0,      // the level was kept, or there was nothing to say
  STATUS_VIOLATION = 1, // it was broken
  STATUS_UNDECIDED = 2, // neither could be proved
  STATUS_USAGE = 254,   // the command line or a job file is wrong
  STATUS_TROUBLE = 255, // something else is; what was recorded is kept
};

// Of several runs or files the worst counts: trouble, then wrong usage, then a
// violation, then undecided.
enum status status_worse(enum status a, enum status b);
enum status status_of_verdict(enum verdict_kind kind);
// A signal came before all of it was done: says so, and that it is undecided
// unless it is worse already.
enum status status_interrupted(enum status status, const char *all_of_it);

struct command {
  const char *name;
  unsigned options;     // FOR_... or 0
  const char *synopsis; // what follows the name
  const char *summary;  // one line
  const char *details;  // for `isostress help NAME`; ends in a newline
  enum status (*run)(const struct arguments *arguments);
};

// All commands, ending with a NULL name.
extern const struct command commands[];

// NULL if there is none.
const struct command *command_find(const char *name);

// Writes the sentence to stderr and returns `status`.
enum status complain(enum status status, const struct error *error);
// The same for a command that does not exist.
enum status complain_of_command(const char *name);

enum status run_command(const struct arguments *arguments);
enum status check_command(const struct arguments *arguments);
enum status report_command(const struct arguments *arguments);
enum status verify_command(const struct arguments *arguments);
enum status stat_command(const struct arguments *arguments);
enum status convert_command(const struct arguments *arguments);
enum status steps_command(const struct arguments *arguments);
enum status explore_command(const struct arguments *arguments);
enum status replay_command(const struct arguments *arguments);
enum status repro_command(const struct arguments *arguments);
enum status scorecard_command(const struct arguments *arguments);
enum status sweep_command(const struct arguments *arguments);
enum status server_command(const struct arguments *arguments);
enum status list_command(const struct arguments *arguments);
enum status help_command(const struct arguments *arguments);

// The help of one command, to stdout.
void help_of_command(const struct command *command);
// The overview, to stdout.
void help_overview(void);

#endif
