// SPDX-License-Identifier: GPL-3.0-or-later
// Operations and plans: what a workload proposes, a driver executes and a
// recorder notes.  Keys are 64-bit numbers; a register or a list element holds
// a 64-bit value that is unique in the run and carries its writer, so that a
// reader's value finds the writing operation without hashing.
#ifndef BASE_OPERATION_H
#define BASE_OPERATION_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A kind is a set of properties, so that a compare-and-set that took place is
// both a read and a write.
enum op_kind {
  OP_IS_READ = 1,
  OP_IS_WRITE = 2,
  OP_IS_LIST = 4,
  OP_IS_ROW = 8,
  OP_IS_DEAD = 16, // what it wrote is that there is no row

  OP_READ = OP_IS_READ,
  OP_WRITE = OP_IS_WRITE,
  OP_CAS = OP_IS_READ | OP_IS_WRITE, // read the expected value, wrote the new
  OP_READ_LIST = OP_IS_LIST | OP_IS_READ,
  OP_APPEND = OP_IS_LIST | OP_IS_WRITE,

  // The effect of an SQL statement on one row.
  OP_ROW = OP_IS_ROW | OP_IS_READ,         // it came back
  OP_ROW_INSERT = OP_IS_ROW | OP_IS_WRITE, // where there was none
  OP_ROW_UPDATE = OP_ROW | OP_ROW_INSERT,  // was found, and replaced
  OP_ROW_DELETE = OP_ROW_UPDATE | OP_IS_DEAD,
};
enum { OP_KIND_COUNT = 32 }; // kinds are below

// All kinds of operations on registers and lists.
#define OP_ALL_KINDS                                                           \
  (1u << OP_READ | 1u << OP_WRITE | 1u << OP_CAS | 1u << OP_READ_LIST |        \
   1u << OP_APPEND)

static inline bool op_reads(unsigned kind) { return kind & OP_IS_READ; }
static inline bool op_writes(unsigned kind) { return kind & OP_IS_WRITE; }
static inline bool op_compares(unsigned kind) { // read what it replaced
  return (kind & OP_CAS) == OP_CAS;
}
static inline bool op_is_list(unsigned kind) { return kind & OP_IS_LIST; }
static inline bool op_is_row(unsigned kind) { return kind & OP_IS_ROW; }
static inline bool op_leaves_row(unsigned kind) { // wrote one
  return op_writes(kind) && !(kind & OP_IS_DEAD);
}

// "read", "write", "cas", "read list", "append", "row", "row insert"...; a
// constant string.
const char *op_kind_name(unsigned kind);

// Values.  Zero is the initial value of every register and also what an absent
// key reads as.  A written value is positive as a signed 64-bit number.
#define VALUE_INITIAL UINT64_C(0)
#define VALUE_SEQUENCE_BITS 40
#define VALUE_MAX_SESSIONS (UINT32_C(1) << 22)

// The value of the `sequence`-th write (from 0) of session `session` (from 0).
static inline uint64_t value_of_write(uint32_t session, uint64_t sequence) {
  return (uint64_t)session << VALUE_SEQUENCE_BITS | (sequence + 1);
}
static inline uint32_t value_session(uint64_t value) {
  return (uint32_t)(value >> VALUE_SEQUENCE_BITS);
}
// Only for a value that is not VALUE_INITIAL.
static inline uint64_t value_sequence(uint64_t value) {
  return (value & ((UINT64_C(1) << VALUE_SEQUENCE_BITS) - 1)) - 1;
}

// A list as it was read, first element first.  Zero-initialised is empty.
struct value_list {
  uint64_t *values; // owned; free with value_list_free
  uint32_t count, room;
};
void value_list_push(struct value_list *list, uint64_t value);
void value_list_free(struct value_list *list);

enum { EXPECT_ABSENT = -1 }; // insert if absent: expects VALUE_INITIAL

struct operation {
  uint8_t kind;   // enum op_kind
  int16_t expect; // OP_CAS: position in the plan of the earlier read whose
                  // value is expected, or EXPECT_ABSENT
  uint64_t key;
  uint64_t value; // filled in while the plan is executed: value written or read
};

enum { PLAN_MAX_OPS = 1024 };

// A session's next transaction.  The workload owns its storage and may reuse it
// at the next call.
struct plan {
  struct operation *ops;
  uint32_t nops;
  uint32_t shape;  // row of the workload's table of shapes
  bool one_by_one; // every operation is a transaction of its own
  uint32_t first;  // set by the runner: the transaction to execute consists of
                   // the operations from here; those before have been executed
};

// The value that an OP_CAS expects, now that the operations before have been
// executed.
static inline uint64_t plan_expected(const struct plan *plan,
                                     const struct operation *op) {
  if (op->expect == EXPECT_ABSENT)
    return VALUE_INITIAL;
  assert(op->expect >= 0 && &plan->ops[op->expect] < op);
  return plan->ops[op->expect].value;
}

#endif
