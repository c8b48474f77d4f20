// SPDX-License-Identifier: GPL-3.0-or-later
// The quick way to a commit order for the levels below PC: the recorded order,
// put right where session order and write-read contradict it.
#ifndef CHECKER_WEAK_RECORDED_ORDER_H
#define CHECKER_WEAK_RECORDED_ORDER_H

#include "checker/model/model.h"

// A commit order that keeps RC, RA or CC, of m->counts' transactions that
// count; NULL if none was found this way, which says nothing about the history,
// or if the model was stopped.  The model has no wrong read that breaks the
// level and no lists; only its reads need be understood.  Owned by the caller.
uint32_t *recorded_order_find(const struct model *m, enum isolation level,
                              uint32_t *norder);

#endif
