// SPDX-License-Identifier: GPL-3.0-or-later
// Finds for each read of a long history the write of what it saw, with little
// of either in memory: both are put by key and value on one of many piles of a
// temporary file, of which one at a time is looked at.
#ifndef RECORDER_JOIN_H
#define RECORDER_JOIN_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct join;

// What is written or read; a list and a register of one key are two.
struct item {
  uint32_t key;
  bool list;
  uint64_t value;
};

// `nwrites` is about how many there will be; the file is as of spool_open.
// NULL with a sentence.
struct join *join_open(const char *path, uint64_t nwrites, struct error *error);
void join_free(struct join *join);

// All writes, each with a name of the caller's below UINT64_MAX, and all reads,
// in any order.
void join_write(struct join *join, struct item item, uint64_t name);
void join_read(struct join *join, struct item item);

// After the last one: looks who wrote what.  -1 with a sentence.
int join_match(struct join *join, struct error *error);

// Of the writes of a value that had been written to the key before: how many,
// together with those first ones.
uint64_t join_duplicates(const struct join *join);

// When the same writes come once more, in the same order: is this one of a
// value that was written twice, of which the second write, as it then was, may
// be the first of all that were?  The earliest second one of these is.
bool join_is_suspect(const struct join *join, struct item item,
                     uint32_t *suspect);
enum { JOIN_SUSPECTS_MAX = 512 }; // `*suspect` is below

// The reads again, in the same order: the name of the first write of what this
// one saw, or UINT64_MAX if nobody wrote it.  join_rewind goes to the first
// one; also before that is read.
void join_rewind(struct join *join);
uint64_t join_writer(struct join *join, struct item item);
// -1 with a sentence if an answer could not be read; it was UINT64_MAX.
int join_check(const struct join *join, struct error *error);

#endif
