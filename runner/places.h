// SPDX-License-Identifier: GPL-3.0-or-later
// Counts failed attempts by the place of the user's script where they failed,
// and by code.
#ifndef RUNNER_PLACES_H
#define RUNNER_PLACES_H

#include "runner/runner.h"

// Rows beyond so many are left out: a place has few codes.
enum { PLACES_MOST = 512 };

// Adds `count` attempts to the row of the place, cause and code.
void places_count(struct run_figures *figures, const struct place_count *row);
void places_merge(struct run_figures *into, const struct run_figures *from);

// The most frequent first; the rest of the order is for equal output of equal
// runs.
void places_sort(struct run_figures *figures);

#endif
