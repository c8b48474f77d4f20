// SPDX-License-Identifier: GPL-3.0-or-later
// The levels that a program can be explored at.
#ifndef EXPLORE_LEVELS_H
#define EXPLORE_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

enum level {
  LEVEL_TRUE, // any history in which nothing is read before written
  LEVEL_RC,
  LEVEL_RCC,          // only as a base: read committed, and causal past
  LEVEL_RC_STATEMENT, // each statement sees what was committed last
  LEVEL_RA,
  LEVEL_CC,
  LEVEL_PC,
  LEVEL_SI,
  LEVEL_SER,
  LEVEL_COUNT
};

// "rc-statement"; a constant string.
const char *level_name(enum level level);
bool level_parse(const char *text, enum level *level);

// The level that is causally extensible, weaker, and explored for it.
enum level level_base(enum level level);

// Does it need a schedule (explore/schedule.h)?
static inline bool level_is_scheduled(enum level level) {
  return level == LEVEL_RC_STATEMENT || level >= LEVEL_PC;
}

#endif
