// SPDX-License-Identifier: GPL-3.0-or-later
// Which key an operation goes to.
#ifndef WORKLOAD_KEYS_H
#define WORKLOAD_KEYS_H

#include "workload/workload.h"

struct keys; // one session's source of keys

// Draws from `random`, which must outlive the source.
struct keys *keys_open(const struct workload_options *options, gsl_rng *random);
void keys_close(struct keys *keys);

// A key from 0 to nkeys - 1, those that are drawn most often first.
uint64_t keys_draw(struct keys *keys);

#endif
