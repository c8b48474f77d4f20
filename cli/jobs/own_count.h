// SPDX-License-Identifier: GPL-3.0-or-later
// How often each statement of the user's own scripts was executed, and how
// often it found a row otherwise than its transaction had read it before.
#ifndef CLI_JOBS_OWN_COUNT_H
#define CLI_JOBS_OWN_COUNT_H

#include "cli/jobs/own_places.h"

struct own_count { // of a statement
  const struct sql_script *script;
  const struct sql_step *step;
  uint64_t executed;
  uint64_t lost;   // updates that were lost by it
  uint64_t reread; // it read, or added to, another version
};

struct own_counts {
  const struct sql_scripts *scripts;
  struct own_count *all; // of all scripts, in their order; owned
  uint32_t n;
};

void own_counts_make(struct own_counts *counts,
                     const struct sql_scripts *scripts,
                     const struct history *history);
void own_counts_free(struct own_counts *counts);

// That of the statement of an operation; NULL: nobody knows.
struct own_count *own_count_of(const struct own_counts *counts,
                               const struct history *history, uint32_t op);

// That of a transaction; NULL: nobody knows.
const struct sql_script *own_script_of(const struct own_counts *counts,
                                       const struct history *history,
                                       uint32_t txn);

// "stock 1": the row of an operation, in the arena.
const char *own_row(struct arena *arena, const struct history *history,
                    uint32_t op);
// "sell.pgbench:4", in the arena.
const char *own_place(struct arena *arena, const struct own_count *count);
// "sell.pgbench".
const char *own_file(const struct sql_script *script);

#endif
