// SPDX-License-Identifier: GPL-3.0-or-later
// The axioms, checked directly in the order in which the store committed: what
// that order shows to be kept is kept.
#ifndef TESTS_KIT_MEMORY_AXIOMS_H
#define TESTS_KIT_MEMORY_AXIOMS_H

#include "tests/kit/memory_load.h"

// The strongest level that the load keeps in its own order; ISOLATION_NONE if
// it is not even RC, or if a read saw anything but its transaction's own last
// write or else the last write of a committed transaction.
enum isolation axioms_strongest(const struct load *load, uint32_t nsessions,
                                uint32_t nkeys);

#endif
