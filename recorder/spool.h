// SPDX-License-Identifier: GPL-3.0-or-later
// What the sessions of a history did, as bytes in a temporary file: appended in
// any order, read again session by session or side by side.  However much that
// is, little of it is in memory.
#ifndef RECORDER_SPOOL_H
#define RECORDER_SPOOL_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool;

// The file is where one named `path` would be, but has no name, so that nothing
// of it outlives the process.  NULL with a sentence.
struct spool *spool_open(const char *path, struct error *error);
void spool_close(struct spool *spool);

// Appends a record of a session; their numbers should be dense.
void spool_put(struct spool *spool, uint32_t session, const void *record,
               size_t bytes);
// After the last record.  -1 with a sentence if not all could be kept.
int spool_finish(struct spool *spool, struct error *error);

// Where somebody is who reads a session; zero-initialised is at its start.
struct spool_cursor {
  const unsigned char *p, *end; // records that are there
  bool started;
  uint32_t block; // that comes next
  unsigned char *data;
};

// Gets more records, once `p` has been moved to `end`.  1: there are whole ones
// from `p` to `end`; 0: that was the last one; -1 with a sentence.
int spool_more(const struct spool *spool, uint32_t session,
               struct spool_cursor *cursor, struct error *error);
void spool_cursor_free(struct spool_cursor *cursor);

#endif
