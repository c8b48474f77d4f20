// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of scripts as pgbench draws and hashes them (PostgreSQL's manual on
// pgbench, "Built-In Functions").
#ifndef OWN_DRAWS_H
#define OWN_DRAWS_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

// A number of LOW..HIGH, each as likely; LOW is at most HIGH.
int64_t draw_number(gsl_rng *rng, int64_t low, int64_t high);
// Most in the middle; the parameter is above 0, at least 2 in pgbench.
int64_t draw_number_gaussian(gsl_rng *rng, int64_t low, int64_t high,
                             double parameter);
// Most at LOW; the parameter is above 0.
int64_t draw_number_exponential(gsl_rng *rng, int64_t low, int64_t high,
                                double parameter);
// The k-th number of the range in proportion to 1 / k ** parameter, which is
// 1.001 to 1000.
int64_t draw_number_zipfian(gsl_rng *rng, int64_t low, int64_t high,
                            double parameter);

int64_t hash_fnv1a(int64_t value, int64_t seed);
int64_t hash_murmur2(int64_t value, int64_t seed);

#endif
