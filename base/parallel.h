// SPDX-License-Identifier: GPL-3.0-or-later
// Work shared out to threads that end before the caller goes on.  No piece of
// the work writes what another piece reads, so there is no lock, and the result
// does not depend on the number of threads.
//
// These are our own threads rather than OpenMP's: OpenMP keeps its threads, so
// that a process that forks after it used them (cli/process/jobs_pool.h) may
// hang in its child, and gcc's are unknown to the thread sanitizer.
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stdint.h>

enum { PARALLEL_MAX = 64 }; // threads

// The number of threads to use where `wanted` are allowed: at least one, at
// most PARALLEL_MAX.
uint32_t parallel_threads(uint32_t wanted);

// Does work(context, i) for every i < n, at most PARALLEL_MAX, each in a thread
// of its own, the first in the caller's.  A limit of memory (memory_bounded)
// holds for all of them: where it ends one of them, it ends the caller's work
// when the others have ended.
void parallel_do(uint32_t n, void (*work)(void *context, uint32_t i),
                 void *context);

// The items of piece i of n, which are as large as each other but for one item.
struct slice {
  uint32_t first, end;
};
static inline struct slice slice_of(uint32_t items, uint32_t i, uint32_t n) {
  return (struct slice){(uint32_t)((uint64_t)items * i / n),
                        (uint32_t)((uint64_t)items * (i + 1) / n)};
}

// The number of cores that this process may use: those that it may run on
// (sched_setaffinity(2)), or what the control group allows in all (cpu.max of
// cgroups(7), version 2), rounded up, where that is less.  `root` is "" but for
// tests.
uint32_t parallel_cores(const char *root);

#endif
