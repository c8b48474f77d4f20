// SPDX-License-Identifier: GPL-3.0-or-later
// The isolation levels that a verdict can be about, weakest first, by the
// axioms of Biswas and Enea, "On the complexity of checking transactional
// consistency", section 2; SSER is SER that also keeps the real-time order.
#ifndef BASE_ISOLATION_H
#define BASE_ISOLATION_H

#include <stdbool.h>

enum isolation {
  ISOLATION_NONE, // promises nothing that could be checked
  ISOLATION_RC,   // read committed
  ISOLATION_RA,   // read atomic
  ISOLATION_CC,   // causal consistency
  ISOLATION_PC,   // prefix consistency
  ISOLATION_SI,   // snapshot isolation
  ISOLATION_SER,  // serializability
  ISOLATION_SSER, // strict serializability (linearizability of single
                  // operations)
  ISOLATION_COUNT
};

// "si"; a constant string.
const char *isolation_name(enum isolation level);

// "snapshot isolation"; a constant string.
const char *isolation_title(enum isolation level);

// Reads a name or a title, whatever its case ("SI", "snapshot isolation",
// "linearizable"); false if it is none of ours.
bool isolation_parse(const char *text, enum isolation *level);

// Each level of this list implies all before it (dbcop, lemma 2.4).
static inline bool isolation_implies(enum isolation strong,
                                     enum isolation weak) {
  return strong >= weak;
}

#endif
