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
  LEVEL_RCS,          // only as a base: rcc, and a snapshot for plain reads
  LEVEL_MYSQL_RR,     // InnoDB's: plain reads see the snapshot of the first of
                      // them, reads for update what was committed last
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
  return level == LEVEL_RC_STATEMENT || level == LEVEL_MYSQL_RR ||
         level >= LEVEL_PC;
}

// Is it one that only the engine uses?
static inline bool level_is_internal(enum level level) {
  return level == LEVEL_TRUE || level == LEVEL_RCC || level == LEVEL_RCS;
}

// "rc, rc-statement, ra", all that there are; a constant string.
#define LEVELS_LISTED "rc, rc-statement, mysql-rr, ra, cc, pc, si, ser"

#endif
