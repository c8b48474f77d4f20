// SPDX-License-Identifier: GPL-3.0-or-later
// A program to explore (explore/PROGRAMS.md): sessions that call transactions,
// compiled to code for a stack machine (explore/interpret.h).
#ifndef EXPLORE_PROGRAM_H
#define EXPLORE_PROGRAM_H

#include "base/error.h"
#include "base/isolation.h"
#include "base/memory.h"
#include "explore/value.h"

#include <stdbool.h>
#include <stdint.h>

// Transactions are bits of a word; bit 0 is the one that wrote the initial
// values.
enum { PROGRAM_MAX_TXNS = 63, LOCALS_MAX = 256, MAX_OPS_DEFAULT = 256 };

enum opcode {
  DO_PUSH,     // consts[a]
  DO_LOAD,     // local a
  DO_STORE,    // pops into local a
  DO_LOOKUP,   // pops b arguments: constant of the name a
  DO_ADD,      // two integers, or a list and a list
  DO_SUBTRACT, // two integers; of lists: without the elements
  DO_MULTIPLY,
  DO_DIVIDE,
  DO_MODULO,
  DO_NEGATE,
  DO_NOT,
  DO_EQUAL,
  DO_UNEQUAL,
  DO_LESS,
  DO_LESS_EQUAL,
  DO_GREATER,
  DO_GREATER_EQUAL,
  DO_IN,
  DO_LIST,  // pops a elements
  DO_INDEX, // element of a list, from 1
  DO_LENGTH,
  DO_SUM,
  DO_MIN,
  DO_MAX,
  DO_SORT,
  DO_JUMP,        // to a
  DO_JUMP_UNLESS, // pops; to a if it is false
  DO_AND,         // to a if the top is false, else pops it
  DO_OR,          // to a if the top is true, else pops it
  DO_NEXT,        // locals b (list) and b + 1 (position): pushes the next
                  // element, or goes to a behind the last
  DO_GET,         // pops c arguments: reads the key of name a into local b
  DO_GET_LOCKED,  // for update
  DO_GET_SHARED,  // for share
  DO_HOLD,        // pops whether the read before it locks
  DO_PUT,         // pops a value, then b arguments: writes a key of name a
  DO_ASSERT,      // pops; assertion a
  DO_ANSWER,      // pops a value that the client is told
  DO_ROLLBACK,
  DO_STATEMENT, // the reads that join it are one event
  DO_ROWS,      // pushes the ids of table a that `initially` names
  DO_KNOWN_ROW, // faults unless the id in local b is one of these
  DO_END,
};

struct instruction {
  uint8_t op; // enum opcode
  uint8_t c;
  bool lockable; // a `read` statement, which could be `for update`
  bool joins;    // a read that is no event of its own
  bool chooses;  // a read that locks only if the code up to DO_HOLD says so
  bool inserts;  // the read of an INSERT, which locks where there is nothing
  uint32_t a, b;
  uint32_t line;
};

// A `write` statement in the code: the arguments of its key from `first` on,
// its value from `value` on, then the write.
struct written_key {
  uint32_t first, value, put;
};

struct assertion {
  uint32_t line;
  const char *text; // "" if it has none
  const char *transaction;
};

// One call of a transaction by a session.
struct program_txn {
  const char *name;   // as called: "enroll(1,2)"
  const char *kind;   // "enroll"
  const char *script; // "enroll.pgbench", of which it is a part; or NULL
  uint32_t session;   // in program.sessions
  uint32_t entry;     // in program.code
  uint32_t line;      // of the call
  uint32_t nargs;
  uint32_t *params; // locals that get the arguments
  datum *args;
  bool has_level;    // `at LEVEL` was said
  uint8_t level;     // enum level (explore/levels.h)
  uint64_t before;   // session predecessors, bit 0 included
  uint32_t previous; // in its session; 0: none
};

struct constant {
  uint32_t name, nargs;
  datum args[KEY_ARGS_MAX];
  datum is;
};

struct program {
  struct arena arena;
  const char *path, *title; // of the file; its first comment or ""
  struct pool pool;         // with the initial values of keys
  const char **names;       // of keys, locals and constants
  uint32_t nnames, names_room;
  uint32_t nlocals;
  const char **locals; // their names, "" for those without
  struct constant *constants;
  uint32_t nconstants, constants_room;
  datum *consts; // of DO_PUSH
  uint32_t nconsts, consts_room;
  struct instruction *code;
  uint32_t ncode, code_room;
  struct written_key *written;
  uint32_t nwritten, written_room;
  struct assertion *assertions;
  uint32_t nassertions, assertions_room;
  const char **sessions;
  uint32_t nsessions, sessions_room;
  struct program_txn txns[PROGRAM_MAX_TXNS + 1]; // from 1
  uint32_t ntxns;                                // the initial one not counted
  uint32_t final;                                // of `finally`; 0: none
  uint32_t family;    // how many programs the file is
  const char *member; // "p=1 q=2" of a family, or ""
  uint64_t digest;    // of its text, and of the member
  uint32_t max_ops;
  bool rows;    // tables are rows (explore/tables.c)
  bool answers; // it says what clients are told; else they are told all reads
};

struct program_choice {
  uint32_t member; // of the family
  bool rows;       // tables are rows, not lists
};

// How many programs the file is: the product of what its `with` items list; 0
// with a sentence that names file, line and column.
uint32_t program_family(const char *path, struct error *error);

// Reads a member of the family.  -1 with a sentence, whose usage is set.
// Free in both cases.
int program_read(const char *path, struct program_choice choice,
                 struct program *program, struct error *error);
// Parses a text in memory; `path` stands in sentences.
int program_parse(const char *path, const char *text,
                  struct program_choice choice, struct program *program,
                  struct error *error);
void program_free(struct program *program);

// "stock", "store[2]": a key as the program names it.
void program_put_key(FILE *out, const struct program *program,
                     const struct pool *pool, uint32_t key);

// Who comes before whom, once all transactions are known.
void program_order_sessions(struct program *program);

// Leaves transactions out: those not in `kept`.  What the program then is has
// the numbers of those that are left.
void program_keep(struct program *program, uint64_t kept);

#endif
