// SPDX-License-Identifier: GPL-3.0-or-later
// Surveys that were interrupted, in a file: lines of text, one for each number
// and each task, so that an exploration can go on another day, or elsewhere.
#ifndef EXPLORE_SAVED_H
#define EXPLORE_SAVED_H

#include "explore/survey.h"

struct saved_survey {
  char *name; // level, program, member of a family
  uint64_t
      digest; // of the program and of the options that its counts depend on
  struct survey survey;
};

// Zero-initialised is ready to use.
struct saved {
  struct saved_survey *all;
  uint32_t n, room;
  bool taken; // one was
};

void saved_free(struct saved *saved);

// -1 with a sentence that names file and line.
int saved_read(const char *path, struct saved *saved, struct error *error);
int saved_write(const char *path, const struct saved *saved,
                struct error *error);

// The text of the file, to be freed, and back.
char *saved_text(const struct saved *saved, uint64_t *bytes);
int saved_parse(char *text, struct saved *saved, struct error *error);

// Takes the survey of the program at the level out, to go on with it; as it is
// if there is none.  -1 with a sentence if that is one of another program.
int saved_take(struct saved *saved, const char *path,
               const struct program *program,
               const struct survey_options *options, struct survey *survey,
               struct error *error);
// Takes the survey over.
void saved_keep(struct saved *saved, const struct program *program,
                const struct survey_options *options, struct survey *survey);

#endif
