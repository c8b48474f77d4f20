// SPDX-License-Identifier: GPL-3.0-or-later
// The operations of a transaction as Jepsen, Elle, Knossos, Viper and our own
// JSON have them: vectors such as [:r 1 nil].
#ifndef RECORDER_FORMATS_MICRO_OP_H
#define RECORDER_FORMATS_MICRO_OP_H

#include "recorder/formats/jepsen.h"
#include "recorder/formats/printed.h"

struct micro_reading {
  struct tokens *t;
  struct parsing *parsing;
  struct micro_ops *ops;
  struct printer *printer; // made when it is needed: to be freed
  bool says_nil;           // the string "nil" is nothing
  bool plain; // our own: no collections, and nothing behind what is said
  // The current row of a range query.
  struct micro_op row;
  unsigned row_parts;
};

// The current token, the value of a register, is about to be read or written.
void micro_op_meet(struct micro_reading *reading, bool written);

// Is the current token the name of one of Elle's?
bool micro_op_is_named(const struct tokens *tokens);

// Reads one from its first element to the bracket that closes it.
int micro_op_read(struct micro_reading *reading);

// Is what begins with the current token a collection?  It is one token then.
bool micro_op_prints(struct micro_reading *reading);

#endif
