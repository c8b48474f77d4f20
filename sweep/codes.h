// SPDX-License-Identifier: GPL-3.0-or-later
// A database's own codes with how often each came, as a text:
// "40001=12;40P01=3".
#ifndef SWEEP_CODES_H
#define SWEEP_CODES_H

#include "base/memory.h"

// Both texts added up, the most frequent code first.  What is no such text is
// left out.
const char *codes_merge(struct arena *arena, const char *a, const char *b);

#endif
