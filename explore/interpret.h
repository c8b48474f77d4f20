// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the code of one transaction up to its next read of another
// transaction's write, or its end.  Own writes are read back at once.
#ifndef EXPLORE_INTERPRET_H
#define EXPLORE_INTERPRET_H

#include "explore/program.h"

enum machine_event {
  MACHINE_READS, // waits for machine_feed
  MACHINE_COMMITS,
  MACHINE_ROLLS_BACK,
  MACHINE_IS_TOO_LONG // more operations than program.max_ops, or loops on
};

struct program_write {
  uint32_t key;
  datum v;
};

// Something that must not happen: an assertion that failed, or a fault, after
// which the transaction rolls back as a client's does that met an exception.
enum failure_kind {
  FAILURE_NONE,
  FAILURE_ASSERTION, // `at` is its number
  FAULT_NO_INTEGER,  // `at` is the line
  FAULT_NO_LIST,
  FAULT_NO_ELEMENT,
  FAULT_ZERO,
  FAULT_OVERFLOW,
  FAULT_NO_ROW,
  FAILURE_NOT_SERIAL, // no serial order explains the history
};
struct failure {
  uint8_t kind;
  uint32_t at;
};

// ---- Operators (compute.c)

enum { ELEMENTS_MAX = 4096 }; // of a list that is computed

static inline bool value_is_true(datum v) { return v != 0 && v != VALUE_NONE; }

enum failure_kind compute_binary(struct pool *pool, enum opcode op, datum a,
                                 datum b, datum *v);
enum failure_kind compute_unary(struct pool *pool, enum opcode op, datum a,
                                datum *v);

// ---- The machine

enum { MACHINE_STACK = 1024 }; // 24 lists in each other, of 32 elements each

struct machine {
  const struct program *program;
  struct pool *pool;
  datum *locals; // program->nlocals, the caller's
  uint32_t pc;
  uint32_t nops;
  uint32_t nstatements;   // that read
  struct failure failure; // the first one
  datum told;             // the list of its answers
  // Own writes, one per key, the last value; the array is the caller's.
  struct program_write *writes;
  uint32_t nwrites;
  // MACHINE_READS: of what.
  uint32_t key, into, line, statement;
  bool locked; // for update or for share
  uint32_t sp;
  datum stack[MACHINE_STACK];
};

// Before the first instruction of a transaction; `locals` are as its session
// left them.
void machine_start(struct machine *machine, const struct program_txn *txn);
enum machine_event machine_run(struct machine *machine);
// The answer to a read.
static inline void machine_feed(struct machine *machine, datum v) {
  machine->locals[machine->into] = v;
}
// Does the read that was answered lock its key, if it is one that locks?  Goes
// over the condition.
bool machine_holds(struct machine *machine);

// The value of a constant expression, compiled at `entry`.  -1 with a sentence
// without a place.
int interpret_constant(struct program *program, uint32_t entry, datum *v,
                       struct error *error);

// "there is no such element"; a constant string.  "" of an assertion.
const char *fault_text(enum failure_kind kind);

#endif
