// SPDX-License-Identifier: GPL-3.0-or-later
// Forks and joins threads (base/parallel.h).
#include "config.h"

#include "base/parallel.h"

#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct parallel_piece {
  void (*work)(void *context, uint32_t i);
  void *context;
  uint32_t i;
  size_t limit; // of memory; 0: none
  bool left;    // it would have needed more
  bool forked;
  pthread_t thread;
};

uint32_t parallel_threads(uint32_t wanted) {
  return wanted < 1 ? 1 : wanted < PARALLEL_MAX ? wanted : PARALLEL_MAX;
}

static void do_piece(void *context) {
  struct parallel_piece *piece = context;
  piece->work(piece->context, piece->i);
}

static void *do_within_limit(void *context) {
  struct parallel_piece *piece = context;
  piece->left = !memory_bounded(piece->limit, do_piece, piece);
  return NULL;
}

// Signals go to the threads that live as long as the process.  A piece that
// gets no thread is done by the caller.
static void fork_pieces(struct parallel_piece *pieces, uint32_t n) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &old);
  for (uint32_t i = 1; i < n; i++)
    pieces[i].forked =
        !pthread_create(&pieces[i].thread, NULL, do_within_limit, &pieces[i]);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void parallel_do(uint32_t n, void (*work)(void *context, uint32_t i),
                 void *context) {
  struct parallel_piece pieces[PARALLEL_MAX];
  bool left = false;
  assert(n <= PARALLEL_MAX);
  if (n == 1) {
    work(context, 0);
    return;
  }
  for (uint32_t i = 0; i < n; i++)
    pieces[i] = (struct parallel_piece){
        .work = work, .context = context, .i = i, .limit = memory_limit()};
  fork_pieces(pieces, n);
  for (uint32_t i = 0; i < n; i++)
    if (!pieces[i].forked)
      do_within_limit(&pieces[i]);
  for (uint32_t i = 0; i < n; i++) {
    if (pieces[i].forked)
      pthread_join(pieces[i].thread, NULL);
    left |= pieces[i].left;
  }
  if (left)
    memory_leave();
}

static uint32_t cores_allowed(void) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed))
    return 1;
  return (uint32_t)CPU_COUNT(&allowed);
}

// The group's share of time, in units of one core; UINT32_MAX if the file sets
// no limit.
static uint32_t cores_of_group(const char *root) {
  uint64_t quota, period;
  char *path = xasprintf("%s/sys/fs/cgroup/cpu.max", root);
  FILE *file = fopen(path, "re");
  free(path);
  if (!file)
    return UINT32_MAX;
  const bool said = fscanf(file, "%" SCNu64 " %" SCNu64, &quota, &period) == 2;
  fclose(file);
  return said && period && quota / period < UINT32_MAX / 2
             ? (uint32_t)((quota + period - 1) / period)
             : UINT32_MAX;
}

uint32_t parallel_cores(const char *root) {
  const uint32_t allowed = cores_allowed(), group = cores_of_group(root);
  return group < allowed ? group : allowed;
}
