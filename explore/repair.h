// SPDX-License-Identifier: GPL-3.0-or-later
// Changes of a program that make its assertions hold, found by trying them.
#ifndef EXPLORE_REPAIR_H
#define EXPLORE_REPAIR_H

#include "explore/survey.h"

// Does every history of the program keep all assertions?  Then true; false also
// if that was stopped before it was known.
bool program_holds(const struct program *program,
                   const struct explore_options *options);

enum repair_kind {
  REPAIR_LOCK,   // a read, for update
  REPAIR_UPDATE, // `update` instead of a write: the value that the transaction
                 // has read of the key is read again, for update, to compute
                 // what is written
  REPAIR_STATEMENT, // one statement for several, which the caller tries
  REPAIR_LEVEL      // another level for all transactions of a kind
};

// A change that is enough alone.
struct repair {
  enum repair_kind kind;
  uint32_t line;           // of the read, of the write, or of the first
                           // statement of several
  const char *transaction; // its kind
  const char *key;         // its name, without arguments
  enum level level;
  const char *statement; // REPAIR_STATEMENT, and:
  uint32_t write_line, last_line;
};

// A program with a repair that the caller made.
struct repaired {
  struct program *program;
  struct repair repair;
};

// Finds changes that are enough, those of the caller among them: how many, at
// most `most`.  Of the levels of a kind it tells the weakest that is in
// `offered`, a set of 1 << level; 0: what databases have that have the level of
// the options.  The program is as before when it returns.
uint32_t repairs_find(struct program *program,
                      const struct explore_options *options, uint32_t offered,
                      const struct repaired *repaired, uint32_t nrepaired,
                      struct repair *repairs, uint32_t most);

// A weakest level for each kind of transaction, of those offered (0: of the
// axioms), greedily, in the program's order, from ser on; false if the
// assertions do not hold at ser.  The transactions of the program name these
// levels when it returns.
bool allocate_levels(struct program *program,
                     const struct explore_options *options, uint32_t offered);

#endif
