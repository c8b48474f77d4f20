// SPDX-License-Identifier: GPL-3.0-or-later
// Puts small random transactions of many sessions on the memory driver, from
// one thread that interleaves them call by call, and keeps what they saw.
#ifndef TESTS_KIT_MEMORY_LOAD_H
#define TESTS_KIT_MEMORY_LOAD_H

#include "drivers/driver.h"

#include <stdbool.h>
#include <stdint.h>

extern const struct driver memory_driver;

enum { LOAD_MAX_OPS = 5, LOAD_NO_PLACE = 0 };

struct load_txn {
  uint32_t session, number; // its how-manieth of the session, from 0
  enum outcome outcome;
  uint64_t begun, ended; // a clock that counts calls
  uint32_t begun_at;     // committed writers when it began
  uint32_t place;        // its place among the committed writers, from 1
  uint32_t nops;
  struct load_op {
    unsigned kind; // OP_READ, OP_WRITE, OP_READ_LIST, OP_APPEND
    uint64_t key, value;
    struct value_list list;
  } ops[LOAD_MAX_OPS];
};

struct load_options {
  enum isolation level;
  const char *bug, *stale, *lag, *abort, *unknown, *lose; // NULL: the default
  uint64_t seed;
  uint32_t nsessions, ntxns, nkeys; // transactions: per session
  bool mini; // the workload mt; else shapes that also write blindly
  bool lists;
};

struct load {
  uint32_t ntxns;
  struct load_txn *txns; // in the order in which they ended
};

// The target that the options describe.
struct target *load_target(const struct load_options *options);

// On a fresh target.  load_free it.
struct load load_run(const struct load_options *options);
void load_free(struct load *load);

#endif
