// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces of work in processes of their own, some at once: what they print comes
// out in the order of the pieces, so nobody sees how many there were.
#ifndef CLI_PROCESS_JOBS_POOL_H
#define CLI_PROCESS_JOBS_POOL_H

#include "cli/status.h"

#include <stdint.h>
#include <stdio.h>

struct jobs_pool {
  // Does piece i on so many of the cores.  In a process of its own it sees what
  // the caller has in memory, but leaves nothing there; what it writes to
  // stdout, and to `beside`, is put in order.
  enum status (*work)(void *context, uint32_t i, uint32_t cores);
  void *context;
  FILE *beside; // NULL: none
  uint32_t count;
  uint32_t jobs; // the cores to use, for pieces at once and within them
};

// The cores to use where so many are asked for; 0: all that this process may.
uint32_t jobs_pool_cores(uint64_t jobs);

// Does all pieces and returns the worst of their ends.  A single one, or with
// jobs 1 all, are done by the caller's own process, one after the other, until
// a signal stops it; without some of them the end is undecided at best.
enum status jobs_pool_run(const struct jobs_pool *pool);

#endif
