// SPDX-License-Identifier: GPL-3.0-or-later
// The versions of rows that a run met, each with the version that it replaced:
// so a row is known by its first version, whatever its primary key is.  A row
// that is deleted and inserted again is two.
#ifndef OWN_VERSIONS_H
#define OWN_VERSIONS_H

#include "drivers/instrument.h"

#include <stdbool.h>
#include <stdint.h>

enum { NO_VERSION = UINT32_MAX };

struct known_version {
  struct seen_version is;
  uint32_t before;    // the version that it replaced; NO_VERSION: none known
  uint32_t row;       // once numbered: its first version
  uint32_t depth;     // likewise: versions of the row before this one
  int64_t key;        // primary key, or -1
  const char *image;  // the row as the database writes it; NULL: not known
  uint64_t stamp;     // of the statement of the history that wrote it; 0: none
  bool touched;       // some statement read, wrote or replaced it
  bool at_first;      // it was there before the run
  bool inserted;      // by a transaction of the run
  bool written;       // by one that is not known to have been aborted
  bool told;          // some change wrote it
  bool found;         // in the tables after the run
  uint32_t nreplaced; // so often, by transactions that committed
  uint32_t group, change; // of own/history.c
};

// Zero-initialised is empty.
struct known_versions {
  struct known_version *all;
  uint32_t n, room;
  uint32_t *slots; // hashed; power of two of them
  uint32_t nslots;
};

// The number of a version, which is added if it is new.
uint32_t versions_note(struct known_versions *versions,
                       const struct seen_version *version);

// The version itself, which stays there until another one is added.
struct known_version *versions_at(struct known_versions *versions,
                                  const struct seen_version *version);

// Follows each version back to the first one of its row.
void versions_number(struct known_versions *versions);

void versions_free(struct known_versions *versions);

#endif
