// SPDX-License-Identifier: GPL-3.0-or-later
// Outcomes of a program: the values that all of its reads returned, and who
// rolled back; in a program that says what clients are told, the answers, and
// what is left of the keys.  Many histories have the same one.
#ifndef EXPLORE_OUTCOMES_H
#define EXPLORE_OUTCOMES_H

#include "explore/partial.h"

struct outcome_key { // two hashes, so that different outcomes differ
  uint64_t a, b;
};

// Zero-initialised is ready to use.
struct outcomes {
  struct outcome_key *slots;
  uint64_t count, nslots;
};

// Makes one more value a part of the key.
void outcome_mix(struct outcome_key *key, uint64_t value);
// `question`, which may be NULL, becomes the outcome with the keys of which the
// history does not say who wrote last: it decides whether a serial order
// explains a history whose answers clients are told.
struct outcome_key outcome_of(const struct partial *history,
                              struct outcome_key *question);
// False if it was there already.
bool outcomes_add(struct outcomes *outcomes, struct outcome_key key);
// How many bytes more a larger table takes, if the next one needs it; else 0.
size_t outcomes_growth(const struct outcomes *outcomes);
void outcomes_free(struct outcomes *outcomes);

#endif
