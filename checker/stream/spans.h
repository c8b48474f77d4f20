// SPDX-License-Identifier: GPL-3.0-or-later
// Spans of the guessed order that a dependency crosses against the order, and
// their unions: the blocks (checker/stream/STREAM.md).
#ifndef CHECKER_STREAM_SPANS_H
#define CHECKER_STREAM_SPANS_H

#include <stdint.h>

struct position_span {
  uint64_t first, last; // positions, both included
};

// Zero-initialised is empty.
struct spans {
  struct position_span *span; // ascending; no two have a position in common
  uint64_t count, room;
};

// Adds the span from `first` to `last`; `last` never decreases from call to
// call.
void spans_add(struct spans *spans, uint64_t first, uint64_t last);
void spans_free(struct spans *spans);

#endif
