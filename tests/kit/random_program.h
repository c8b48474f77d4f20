// SPDX-License-Identifier: GPL-3.0-or-later
// Small random programs, and all their histories by brute force, which shares
// no code with explore/: it runs transactions one by one in every order, lets
// every read read from every transaction before it, and tests the axioms on
// every commit order.
#ifndef TESTS_KIT_RANDOM_PROGRAM_H
#define TESTS_KIT_RANDOM_PROGRAM_H

#include "base/isolation.h"
#include "base/random.h"

#include <stdbool.h>
#include <stdint.h>

enum { TXNS = 6, OPS = 3, KEYS = 3, HISTORIES_MAX = 4000 };

// As a level: each statement sees what was committed last.
#define ISOLATION_STATEMENTS ISOLATION_COUNT
// InnoDB's repeatable read.
#define ISOLATION_MYSQL (ISOLATION_COUNT + 1)

enum kind {
  KIND_READ,
  KIND_READ_LOCKED, // for update
  KIND_READ_SHARED, // for share
  KIND_WRITE,
  KIND_ROLLBACK
};

enum lock { LOCK_NONE, LOCK_UPDATE, LOCK_SHARE };

struct op {
  enum kind kind;
  int key, value; // value: written
  int unless;     // only if the last read returned something else; -1: always
  bool where;     // it locks only what is not 0
};

struct txn_text {
  int session, nops;
  bool mysql; // at InnoDB's repeatable read, where conditions do not keep locks
              // away
  struct op ops[OPS];
};

struct random_program {
  int nsessions, ntxns;
  bool locks;
  struct txn_text txns[TXNS]; // session by session
};

// A history: of each read the writer, 1 + its transaction, or 0.
struct past_read {
  int8_t key, writer;
  int8_t lock; // enum lock
};
struct past {
  struct {
    int8_t nreads;
    struct past_read reads[OPS];
    bool writes[KEYS];
    bool rolled_back;
  } txns[TXNS];
};

struct pasts {
  int n;
  bool too_many;
  struct past all[HISTORIES_MAX];
};

void random_program(gsl_rng *random, bool locks,
                    struct random_program *program);
// In the notation; `levels` (names, by session) may be NULL.  To be freed.
char *random_program_text(const struct random_program *program,
                          const char *const *levels);

// All histories, each once.
void brute_force(const struct random_program *program, struct pasts *pasts);
// All that statements make that see what was committed last or, at InnoDB's
// repeatable read, plain ones the snapshot of the first of them.
void brute_statements(const struct random_program *program,
                      struct pasts *pasts);
// By the axioms, of the level of each transaction.
bool past_keeps(const struct random_program *program, const struct past *past,
                const enum isolation *levels);
bool past_equals(const struct past *a, const struct past *b);

#endif
