// SPDX-License-Identifier: GPL-3.0-or-later
// Loads that aim at one anomaly: for each anomaly of MTC's figure 5 the shapes
// of mini-transactions that it consists of, on keys that few sessions share.
#ifndef WORKLOAD_AIM_H
#define WORKLOAD_AIM_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// The shapes of the workload mt; rows of its table.
enum mt_shape {
  MT_RO,
  MT_RMW1,
  MT_RMW2,
  MT_R2W1,
  MT_REREAD,
  MT_REWRITE,
  MT_READBACK,
  MT_SHAPES
};

// The shapes of the workload predicate; likewise.
enum rows_shape {
  ROWS_RO,
  ROWS_POINT,
  ROWS_GUARD,
  ROWS_SWAP,
  ROWS_CLAIM,
  ROWS_INSERT,
  ROWS_DELETE,
  ROWS_MOVE,
  ROWS_SAME,
  ROWS_REREAD,
  ROWS_LOCKING,
  ROWS_IGNORE,
  ROWS_REFILL,
  ROWS_SHAPES
};

enum { AIM_MOST_PLANS = 3 };

struct aim {
  const char *name; // of the anomaly
  // So many neighbouring sessions share so many keys with nobody else.
  uint32_t sessions, keys;
  uint64_t pause; // ns between operations, where nobody says otherwise
  struct aimed_plan {
    double share; // of their sum, which is 1
    enum mt_shape shape;
    const char *form;      // "rx ry wx": x and y are two of the keys, which one
                           // is x is up to chance; "r* w*": all, from x on
  } plans[AIM_MOST_PLANS]; // those of no share are none
};

// All aims of mt; the last one has a NULL name.
extern const struct aim aims[];

// An aim of the workload predicate: `keys` are buckets of its first table,
// which all sessions share, and there are no plans.
struct row_aim {
  struct aim aim;
  double shares[ROWS_SHAPES];
};
extern const struct row_aim row_aims[]; // likewise

static inline const struct row_aim *row_aim_of(const struct aim *aim) {
  return (const struct row_aim *)aim;
}

// By name, of the workload predicate if it is about rows, else of mt; NULL with
// a sentence that names the nearest.
const struct aim *aim_find(const char *name, bool rows, struct error *error);

#endif
