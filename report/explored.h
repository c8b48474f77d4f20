// SPDX-License-Identifier: GPL-3.0-or-later
// The findings of an exploration of a program at each level, beside the history
// that the report tells.
#ifndef REPORT_EXPLORED_H
#define REPORT_EXPLORED_H

#include "base/isolation.h"
#include "base/json.h"

#include <stdbool.h>
#include <stdint.h>

enum { EXPLORED_LEVELS = 16 };

// Nothing is owned.
struct explored {
  const char *program; // its file
  const char *story;   // the steps of the history, a line each
  uint32_t nlevels;
  struct explored_level {
    const char *level;
    uint64_t histories, failing; // failing: of those that break an assertion
    uint64_t outcomes, not_serializable; // if they are counted
    bool whole;                          // all histories were explored
  } levels[EXPLORED_LEVELS];
  bool counts_outcomes;
  // The assertion that breaks, and the weakest level that lets it.
  const char *level, *failure;
  const char *kind; // "assertion", "fault" or "outcome"
  uint32_t line;    // of the program; 0: no single one
  // Single changes that each help, as text; NULL: they were not looked for.
  char *const *repairs;
  uint32_t nrepairs;
  const char *database; // on which the history was performed; NULL: on none
  const char *target;   // its address, without secrets
  const char *level_in_effect;
  enum isolation claimed; // what that level promises
  uint32_t performed, seen;
  const char *random_load; // command that puts the same scripts under a random
                           // load; NULL: there is none
};

void explored_put_json(struct json *json, const struct explored *explored);
#endif
