// SPDX-License-Identifier: GPL-3.0-or-later
// What the exploration of a program found at each level, beside the history
// that the report tells: as JSON, and as a section of its page.
#ifndef REPORT_EXPLORED_H
#define REPORT_EXPLORED_H

#include "base/json.h"
#include "base/json_read.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { EXPLORED_LEVELS = 16 };

// Nothing is owned.
struct explored {
  const char *program; // its file
  uint32_t nlevels;
  struct explored_level {
    const char *level;
    uint64_t histories, failing; // failing: of those that break an assertion
    uint64_t outcomes, not_serializable; // if they are counted
    bool whole;                          // all histories were explored
  } levels[EXPLORED_LEVELS];
  bool counts_outcomes;
  const char *database; // on which the history was performed; NULL: on none
  uint32_t performed, seen;
  const char *random_load; // command that puts the same scripts under a random
                           // load; NULL: there is none
};

void explored_put_json(struct json *json, const struct explored *explored);
// Nothing if the document, a report, is of no exploration.
void page_put_explored(FILE *out, const struct json_value *document);

#endif
