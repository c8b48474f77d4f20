// SPDX-License-Identifier: GPL-3.0-or-later
// The command line taken apart by the table of settings.
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "cli/settings/settings.h"

#include <stdio.h>

// One setting as it was typed.
struct assignment {
  const struct setting *setting;
  const char *text;
};

struct arguments {
  struct assignment *assignments; // checked: each can be given
  uint32_t nassignments, assignments_room;
  const char **words; // everything that is no option
  uint32_t nwords, words_room;
  bool help; // --help or -h was among them
};

// Takes the words after the command's name; options and other words may stand
// in any order, "--" ends the options.  -1 with a sentence.  Free in both
// cases.
int arguments_read(int argc, char **argv, const char *command,
                   unsigned commands, struct arguments *arguments,
                   struct error *error);
void arguments_free(struct arguments *arguments);

// Gives all assignments to `settings`.
void arguments_give(const struct arguments *arguments,
                    struct settings *settings);

// Targets start with SCHEME:, which no path needs to.  A database file is taken
// for one that lacks its scheme, and refused as such.
bool word_is_target(const char *word);

// The word that is no target; NULL if there is none.  -1 with a sentence if
// there are several.
int arguments_word(const struct arguments *arguments, const char **word,
                   struct error *error);

// Gives the target among the words to `settings`; -1 with a sentence if there
// is more than one.
int arguments_give_target_if_any(const struct arguments *arguments,
                                 struct settings *settings,
                                 struct error *error);

// Gives the target among the words to `settings`; -1 with a sentence if there
// is more than one, or none and none was given as an option.  A driver's
// command is started then, whose target needs no words.
int arguments_give_target(const struct arguments *arguments,
                          struct settings *settings, struct error *error);

// Writes the words and options, each behind a blank, as a shell takes them;
// without passwords, and without where the results went.
void arguments_put(FILE *out, const struct arguments *arguments);

#endif
