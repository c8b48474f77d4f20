// SPDX-License-Identifier: GPL-3.0-or-later
// Proofs that somebody made up who knows what a proof looks like: every id is
// one of the history or means none, and much of it fits together, so that the
// verifiers look closely before they refuse it.
#ifndef TESTS_KIT_FORGE_H
#define TESTS_KIT_FORGE_H

#include "checker/verdict/verdict.h"

#include <gsl/gsl_rng.h>

// A verdict about the history, as the question asks; free with verdict_free.
struct verdict forge(gsl_rng *random, const struct history *h,
                     const struct check_options *question);

#endif
