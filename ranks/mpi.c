// SPDX-License-Identifier: GPL-3.0-or-later
// The shared object that speaks MPI (ranks/parts.h).  MPI says who is who and
// where rank 0 is; all else goes over TCP, so that a rank that is lost takes no
// other along.
#include "config.h"

#include "ranks/parts.h"

#include <mpi.h>
#include <stdio.h>

static int begin_mpi(int *rank, int *n, char *why, size_t room) {
  int level;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level)) {
    snprintf(why, room, "MPI_Init_thread failed");
    return -1;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, n);
  return 0;
}

static void broadcast_by_mpi(void *text, int n) {
  MPI_Bcast(text, n, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void end_mpi(void) { MPI_Finalize(); }

extern const struct ranks_mpi isostress_mpi;
const struct ranks_mpi isostress_mpi = {
    .begin = begin_mpi, .broadcast = broadcast_by_mpi, .end = end_mpi};
