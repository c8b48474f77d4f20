// SPDX-License-Identifier: GPL-3.0-or-later
// The common ground of Jepsen's histories, in whatever notation: processes that
// invoke operations and learn later what became of them.  An operation is a
// transaction; a process is a session.
#ifndef RECORDER_FORMATS_JEPSEN_H
#define RECORDER_FORMATS_JEPSEN_H

#include "recorder/builder/number_map.h"
#include "recorder/formats/formats.h"

// An operation of a transaction as it was invoked or as it came back.
struct micro_op {
  uint8_t kind; // enum op_kind, or MICRO_...
  // OP_READ_LIST: its elements.  MICRO_RANGE: how many reads before this one
  // are what came back.
  uint32_t first, count;
  uint64_t key, value; // MICRO_RANGE: its ends, as int64_t
  uint64_t expected;   // OP_CAS
  uint64_t line;       // MICRO_SET and MICRO_ADD: of the file
};
enum {
  MICRO_NOTHING = 0x80,           // a read of we do not know what
  MICRO_RANGE = 0x84,             // all that a range query found was told
  MICRO_SET = 0x80 | OP_IS_READ,  // a read of a set; its elements as a list's
  MICRO_ADD = 0x80 | OP_IS_WRITE, // to a set
};

// Zero-initialised is empty.
struct micro_ops {
  struct micro_op *ops;
  uint32_t count, room;
  struct value_list elements;
};

enum completion { INVOKE, COMPLETE_OK, COMPLETE_FAIL, COMPLETE_INFO };

// The members that events have in every notation; the `reading` of who reads
// them (struct member) begins with this.
struct jepsen_members {
  struct tokens *t;
  bool has_type;
  enum completion completion;
  uint64_t time;
};
int jepsen_read_type(void *reading);
int jepsen_read_time(void *reading);

struct open_invocation {
  bool open;
  uint64_t begin;
  struct micro_ops writes;
};

struct last_end {
  uint64_t time, process;
};

struct jepsen {
  struct builder *builder;
  struct number_map processes;
  struct open_invocation *invocations; // by process id
  uint32_t room;
  bool told, clock;  // whether the first event of an operation that was invoked
                     // had a time: then all count
  uint64_t position; // of the event; the time of a history without, unless...
  bool apart;        // ...its events are in several files
  uint64_t last_begin;
  // The latest completion, and the latest one of the other processes.
  struct last_end last_end, last_end_of_others;
  // Tells the builder the operations of its last transaction, if they are not
  // of registers and lists; `reading` is its own.
  void (*tell)(void *reading, const struct micro_op *ops, uint32_t count,
               enum outcome outcome);
  void *reading;
};

void micro_ops_add(struct micro_ops *ops, struct micro_op op);
// Tells the builder all of them.
void micro_ops_tell(const struct micro_ops *ops, struct builder *builder);
void micro_ops_free(struct micro_ops *ops);

// Takes one event.  `time` is TIME_UNKNOWN if it has none.  Returns NULL, or
// what was expected instead.
const char *jepsen_event(struct jepsen *jepsen, enum completion completion,
                         uint64_t process, uint64_t time,
                         const struct micro_ops *ops);

// Has the process invoked what has not come back?
bool jepsen_awaits(struct jepsen *jepsen, uint64_t process);

// Gives operations that were invoked and never completed an unknown outcome.
void jepsen_end(struct jepsen *jepsen);
void jepsen_free(struct jepsen *jepsen);

// "invoke", "ok", "fail" or "info", with or without a colon; false if none.
bool completion_parse(const struct tokens *tokens, enum completion *completion);

#endif
