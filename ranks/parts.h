// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of ranks (ranks/ranks.h), for the files of this room.
#ifndef RANKS_PARTS_H
#define RANKS_PARTS_H

#include "ranks/ranks.h"
#include "ranks/wire.h"

struct ranks {
  uint32_t number, n;
  int *sockets; // rank 0: of each other one; others: at 0 that of rank 0; -1
  bool may_lose;
  const volatile sig_atomic_t *stop;
};

// Drops the connection to a rank that is gone.
void ranks_note_loss(struct ranks *ranks, uint32_t rank);
// "rank 2 is gone: its connection was closed"; returns -1.
int ranks_tell_loss(struct error *error, uint32_t rank);

// ---- How they meet (meet.c)

enum { RANKS_TOKEN = 32, RANKS_ADDRESSES = 1024 };

// The place where rank 0 waits.
struct rendezvous {
  int listener;                    // rank 0's; else -1
  char addresses[RANKS_ADDRESSES]; // HOST PORT, a line each, any of which may
                                   // lead there
  char token[RANKS_TOKEN + 1]; // that only the ranks know; empty: there is none
};

// Rank 0 waits at HOST:PORT; with NULL at every address that it has.
int meeting_open(const char *place, struct rendezvous *meeting,
                 struct error *error);
// Until all are connected, or the patience is over.
int meeting_hold(struct ranks *ranks, struct rendezvous *meeting,
                 uint64_t patience, struct error *error);

// ---- MPI (mpi.c, a shared object of its own, and load_mpi.c)

struct ranks_mpi {
  // -1 with a reason.
  int (*begin)(int *rank, int *n, char *why, size_t room);
  // Gives rank 0's text to all.
  void (*broadcast)(void *text, int n);
  void (*end)(void);
};
#define RANKS_MPI_SYMBOL "isostress_mpi"

// Was the process started by mpirun or srun with PMI?
bool ranks_by_mpi(void);
// NULL with a sentence.
const struct ranks_mpi *ranks_load_mpi(struct error *error);

#endif
