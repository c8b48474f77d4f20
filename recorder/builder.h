// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a history in memory from a stream of sessions, transactions and
// operations: what every reader of a foreign format, and every test, uses.
#ifndef RECORDER_BUILDER_H
#define RECORDER_BUILDER_H

#include "recorder/history.h"

struct builder;

struct builder *builder_open(void);
// Gives up; builder_finish does it too.
void builder_free(struct builder *builder);

// Sessions are named by the caller's number, in any order and interleaved;
// within one, transactions come in session order.  Times may be TIME_UNKNOWN.
void builder_txn(struct builder *builder, uint64_t session,
                 enum outcome outcome, enum isolation level, uint64_t begin,
                 uint64_t end);

// Why the last transaction did not commit; CAUSE_OTHER if nothing is said.
void builder_cause(struct builder *builder, enum cause cause);

// Operations of the last transaction.  `key` is its number outside.
void builder_op(struct builder *builder, enum op_kind kind, uint64_t key,
                uint64_t value);
// A CAS that took place.
void builder_cas(struct builder *builder, uint64_t key, uint64_t expected,
                 uint64_t value);
void builder_list(struct builder *builder, uint64_t key, const uint64_t *values,
                  uint32_t count);

// Gives key number `key` a name for printing.
void builder_name_key(struct builder *builder, uint64_t key, const char *name);

// Resolves reads to writers by key and value, and frees the builder.  -1 with a
// sentence if a value was written twice to a key (the initial value counts as
// written), or if there are too many transactions or operations.  Sessions come
// in the order of their numbers.
int builder_finish(struct builder *builder, struct history *history,
                   struct error *error);

#endif
