// SPDX-License-Identifier: GPL-3.0-or-later
// Loads that aim at one anomaly: for each anomaly of MTC's figure 5 the shapes
// of mini-transactions that it consists of, on keys that few sessions share.
#ifndef WORKLOAD_AIM_H
#define WORKLOAD_AIM_H

#include "base/error.h"

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

// All aims; the last one has a NULL name.
extern const struct aim aims[];

// By name; NULL with a sentence that names the nearest.
const struct aim *aim_find(const char *name, struct error *error);

#endif
