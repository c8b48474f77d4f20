// SPDX-License-Identifier: GPL-3.0-or-later
// The lists of a part of a history (checker/part/subhistory.h): of each that
// was read, the elements that are taken, and those that nobody appended.  Lists
// that have elements in common in the whole have them in common in the part.
#ifndef CHECKER_PART_SUBLISTS_H
#define CHECKER_PART_SUBLISTS_H

#include "base/ids.h"
#include "checker/part/subhistory.h"

// Lists that begin at the same element: the longest one is taken for all.
struct common_list {
  uint32_t end; // in the whole
  struct seen_list taken;
  bool there; // it is taken already
};

struct sublists {
  const struct history *whole;
  const struct operations *ops;
  struct ids first;           // elements at which lists begin, ascending...
  struct common_list *common; // ...and these lists

  // The part's appends, which its history owns, and their places in the whole.
  struct ids append, origin;
};

struct sublists sublists_open(const struct history *whole,
                              const struct operations *ops);

// Returns where the part has list `list` of the whole, which one of the part's
// operations read.
struct seen_list sublists_take(struct sublists *lists, uint32_t list);

// Leaves the elements to the part, which has the values of its operations.
void sublists_close(struct sublists *lists, struct history *part);

#endif
