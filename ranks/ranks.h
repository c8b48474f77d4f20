// SPDX-License-Identifier: GPL-3.0-or-later
// Processes, on one machine or several, that do one piece of work together:
// those that mpirun(1) started, or that were given --rank=R/N and a place to
// meet.  Rank 0 leads: the others speak to it over TCP, and to nobody else.  A
// process that is alone has no ranks: NULL goes everywhere.
#ifndef RANKS_RANKS_H
#define RANKS_RANKS_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANKS_MOST = 4096 };

struct ranks;

struct ranks_options {
  const char *rank;  // "R/N"; NULL: mpirun says, or the process is alone
  const char *meet;  // HOST:PORT of rank 0; with `rank`
  uint64_t patience; // ns, for ranks that come late
  const volatile sig_atomic_t *stop; // set: waiting for others ends
};

// Waits until all ranks are there; all have to be of one version.  `*ranks` is
// NULL if the process is alone.  -1 with a sentence, of usage where the options
// are wrong.
int ranks_join(const struct ranks_options *options, struct ranks **ranks,
               struct error *error);
void ranks_leave(struct ranks *ranks);

// This one, from 0, and how many there are.
uint32_t ranks_number(const struct ranks *ranks);
uint32_t ranks_count(const struct ranks *ranks);

// From now on a rank that is gone is left out of what the others do together;
// before, that fails everywhere.
void ranks_allow_losses(struct ranks *ranks);
// Has the rank gone?  Rank 0 knows of all, the others of rank 0.
bool ranks_has_lost(const struct ranks *ranks, uint32_t rank);

// ---- What all ranks call, in the same order.  -1 with a sentence if a rank
// is gone.

struct ranks_text {
  char *bytes; // owned, with a zero byte behind; NULL: the rank is gone
  size_t n;
};
void ranks_text_free(struct ranks_text *text);

// Rank 0's text becomes that of all; the others' is overwritten, not freed.
int ranks_broadcast(struct ranks *ranks, struct ranks_text *text,
                    struct error *error);
// Rank 0 gets the texts of all, in an array of ranks_count; the others NULL.
// Free with ranks_free_texts.
int ranks_gather(struct ranks *ranks, const void *bytes, size_t n,
                 struct ranks_text **all, struct error *error);
void ranks_free_texts(const struct ranks *ranks, struct ranks_text *all);
// One rank at a time: the others give rank 0 a text, which it takes.
int ranks_give(struct ranks *ranks, const void *bytes, size_t n,
               struct error *error);
int ranks_take(struct ranks *ranks, uint32_t rank, struct ranks_text *text,
               struct error *error);
// Did nobody fail?  `failed` is 0, or -1 with a sentence, and so is what is
// returned, with the sentence of the first that failed and its number.
int ranks_agree(struct ranks *ranks, int failed, struct error *error);
// The sums of what the ranks before this one gave, and of what all gave.
int ranks_exscan(struct ranks *ranks, uint64_t mine, uint64_t *before,
                 uint64_t *all, struct error *error);

#endif
