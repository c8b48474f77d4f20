// SPDX-License-Identifier: GPL-3.0-or-later
// A history on its way into a format: what the format cannot say is taken out
// or put in its words here, so that the formats only have to print.
#ifndef RECORDER_FORMATS_EXPORT_H
#define RECORDER_FORMATS_EXPORT_H

#include "recorder/builder/number_map.h"
#include "recorder/formats/content.h"
#include "recorder/formats/formats.h"
#include "recorder/told.h"

#include <signal.h>
#include <stdio.h>

// When a run began and ended, which nobody knows, for dbcop, which insists.
#define WRITING_RUN_TIME "1970-01-01T00:00:00Z"

struct export_writing {
  const struct history *h;
  uint64_t ntxns;                    // of all of it
  bool cas;                          // has it compare-and-sets?
  uint32_t *next;                    // by session: its next transaction
  const volatile sig_atomic_t *stop; // set: give up; or NULL
  bool failed;                       // with a sentence
  const struct history_format *format;
  const char *path; // of what is being written; its final name may be another
  FILE *out;        // of a format that is a file
  uint8_t *counted; // history_counted
  struct told_keys told;
  uint64_t *written;            // of a format with NAMES_WRITES: the names
  bool numbers;                 // keys are written as dense numbers
  struct number_map renumbered; // values that the format cannot say
  uint64_t above;               // all others
  uint64_t nobodys;             // what nobody's value is called
  struct exported *exported;    // of a transaction: export_txn
  size_t exported_room;
  struct error *error;
};

// An operation as the format can say it.
struct exported {
  unsigned kind; // enum op_kind, or EXPORTED_...
  uint32_t op;   // in the history
  uint32_t key;  // id
  bool nothing;  // a read of the initial value
  uint64_t value;
  bool expects_nothing;
  uint64_t expected;               // OP_CAS
  const uint64_t *list, *list_end; // OP_READ_LIST, EXPORTED_SET
};
enum {
  EXPORTED_MAX = 2,
  EXPORTED_SET = 0x80 | OP_IS_READ,  // a read of a set
  EXPORTED_ADD = 0x80 | OP_IS_WRITE, // to a set
};

// Going through the transactions that are written of a session:
//
//   writing_start(w, s);
//   while (writing_next(w, s, &t))
void writing_start(struct export_writing *writing, uint32_t session);
bool writing_next(struct export_writing *writing, uint32_t session,
                  uint32_t *txn);

// Is the transaction written?  Where outcomes cannot be said, those that count
// are, as committed ones.
bool writing_takes(const struct export_writing *writing, uint32_t txn);
enum outcome writing_outcome(const struct export_writing *writing,
                             uint32_t txn);

// The name of a write (enum names), by its
// operation, which may be one that a read saw.
uint64_t writing_name(const struct export_writing *writing, uint32_t op);

// Turns operation `*op` of transaction `txn` into at most two that the format
// can say, and goes behind it; returns how many there are.
uint32_t export_op(struct export_writing *writing, uint32_t txn, uint32_t *op,
                   struct exported said[EXPORTED_MAX]);
// A value that is not nothing as the format can say it.
uint64_t writing_value(struct export_writing *writing, uint64_t value);
// All operations of the transaction as the format can say them, until the next
// call; returns their number.
uint32_t export_txn(struct export_writing *writing, uint32_t txn,
                    const struct exported **said);

// The key as a number.
uint64_t writing_key(const struct export_writing *writing, uint32_t key);

// A key or a value in EDN or JSON.
void writing_put_key(struct export_writing *writing, uint32_t key, bool edn);
void writing_put_value(struct export_writing *writing, uint64_t value,
                       bool edn);
// The list that was read, likewise.
void writing_put_list(struct export_writing *writing,
                      const struct exported *said, bool edn);
void writing_put_set(struct export_writing *writing,
                     const struct exported *said);

// For formats that are directories: opens the file `name` in it.  NULL with a
// sentence.
FILE *writing_open(struct export_writing *writing, const char *name);
// Closes a file; -1 with a sentence if it could not be written.
int writing_close(struct export_writing *writing, FILE *file);

#endif
