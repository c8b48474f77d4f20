// SPDX-License-Identifier: GPL-3.0-or-later
// The table of the commands of isostress, one file each in cli/commands/.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/arguments.h"
#include "cli/status.h"

enum { COMMAND_EXAMPLES = 3 };

struct command {
  const char *name;
  unsigned options;     // FOR_... or 0
  const char *synopsis; // what follows the name
  const char *summary;  // one line
  const char *details;  // for `isostress help NAME`; ends in a newline
  const char *examples[COMMAND_EXAMPLES]; // what follows isostress
  enum status (*run)(const struct arguments *arguments);
};

// All commands, ending with a NULL name.
extern const struct command commands[];

// NULL if there is none.
const struct command *command_find(const char *name);

// Complains of a command that does not exist.
enum status complain_of_command(const char *name);

enum status run_command(const struct arguments *arguments);
enum status check_command(const struct arguments *arguments);
enum status report_command(const struct arguments *arguments);
enum status verify_command(const struct arguments *arguments);
enum status results_command(const struct arguments *arguments);
enum status scaffold_command(const struct arguments *arguments);
enum status driver_test_command(const struct arguments *arguments);
enum status clean_command(const struct arguments *arguments);
enum status rank_command(const struct arguments *arguments);
enum status stat_command(const struct arguments *arguments);
enum status generate_command(const struct arguments *arguments);
enum status convert_command(const struct arguments *arguments);
enum status steps_command(const struct arguments *arguments);
enum status explore_command(const struct arguments *arguments);
enum status replay_command(const struct arguments *arguments);
enum status repro_command(const struct arguments *arguments);
enum status failover_command(const struct arguments *arguments);
enum status scorecard_command(const struct arguments *arguments);
enum status sweep_command(const struct arguments *arguments);
enum status advise_command(const struct arguments *arguments);
enum status server_command(const struct arguments *arguments);
enum status list_command(const struct arguments *arguments);
enum status help_command(const struct arguments *arguments);

// The help of one command, to stdout: with all options, or only those that most
// readers look for, where a command has such.
void help_of_command(const struct command *command, bool all);

// The subjects that help explains besides commands; ends with a NULL name.
struct topic {
  const char *name, *summary, *text;
  void (*list)(void); // behind the text; may be NULL
};
extern const struct topic topics[];
const struct topic *topic_find(const char *name); // NULL if there is none
void help_of_topic(const struct topic *topic);    // to stdout
// The overview, to stdout.
void help_overview(void);

#endif
