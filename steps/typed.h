// SPDX-License-Identifier: GPL-3.0-or-later
// The values of keys as numbers to type, and what steps leave of them.
#ifndef STEPS_TYPED_H
#define STEPS_TYPED_H

#include "steps/script.h"

// The number that is typed for a value: 3 for x3, the one that T3 wrote, and
// 301 for x3a, the first of several.
uint32_t typed_number(const struct script *script, uint32_t value);

// "1 (x1)"; without the name where that says no more.
const char *typed_words(struct arena *arena, const struct script *script,
                        uint32_t value);

// Says what the keys hold after the steps, which are taken in this order, and
// whose change was replaced by a transaction that had not seen it: "returns 1,3
// (x3). T3 had not seen 2 (x2) when it replaced that."  NULL: nobody knows.
// `at_commit`: writes take effect there; `keyed`: a row has its key before its
// value.
const char *values_left(struct arena *arena, const struct script *script,
                        const uint32_t *order, bool at_commit, bool keyed);

#endif
