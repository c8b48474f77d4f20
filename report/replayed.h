// SPDX-License-Identifier: GPL-3.0-or-later
// How often a replay brought the anomaly of a run back.  A file beside the
// run's report keeps the figures of its last replay, and the run's page shows
// them.
#ifndef REPORT_REPLAYED_H
#define REPORT_REPLAYED_H

#include <stdint.h>
#include <stdio.h>

#define REPLAYED_FILE "replay.json" // in the directory of the run

struct replayed {
  const char *anomaly; // its name
  const char *target;  // without its password
  const char *server;  // what it says of itself
  const char *level;   // of the performances, by the server's name for it
  // Performances: all; with the anomaly; with another violation; in which
  // something aborted, or waited for another session.
  uint32_t performed, same, other, aborted, blocked;
};

// Writes it by report/SCHEMA.md.
void replayed_put_json(FILE *out, const struct replayed *replayed);

#endif
