// SPDX-License-Identifier: GPL-3.0-or-later
// Which versions of rows a part of a history needs (checker/part/rows_cut.h).
#ifndef CHECKER_PART_VERSIONS_KEPT_H
#define CHECKER_PART_VERSIONS_KEPT_H

#include "checker/part/row_versions.h"

// An operation that is taken to have replaced another version than it did.
struct replacement {
  uint32_t op, saw;
};

struct replacements {
  struct replacement *items; // ascending by op; owned
  uint32_t count, room;
};

struct keeping {
  const struct history *h;
  const uint8_t *counted;
  const struct row_versions *versions;
  const struct check_options *options;
  const uint8_t *key; // per key: is it in the part?
  uint8_t *statement; // per statement: is it?
};

// Adds to keeping->statement the statements whose versions the part needs, and
// fills *replaced anew.  Returns whether a statement was added: then call it
// again.  Otherwise *replaced has the replacements of the part.
bool versions_keep(const struct keeping *keeping,
                   struct replacements *replaced);

// The version that the operation, which saw `saw`, is taken to have seen.
uint32_t replacement_of(const struct replacements *replaced, uint32_t op,
                        uint32_t saw);

#endif
