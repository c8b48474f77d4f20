// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts large arrays, and asks meanwhile whether to stop.
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include "base/stop.h"

#include <stddef.h>

// Sorts as qsort does.  If the patience ends, the array has all of its items
// still, in any order.
void sort_patiently(void *items, size_t n, size_t size,
                    int (*compare)(const void *a, const void *b),
                    struct patience *patience);

#endif
