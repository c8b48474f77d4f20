// SPDX-License-Identifier: GPL-3.0-or-later
// Where an order contradicts real time.
#ifndef CHECKER_GRAPH_TIME_SCAN_H
#define CHECKER_GRAPH_TIME_SCAN_H

#include "checker/graph/dependency_order.h"

#include <stdbool.h>
#include <stdint.h>

// Goes through an order from its end and tells which transactions began after
// another had ended that committed after their commit, or with snapshots after
// their snapshot; see dependency_order.c for why one of their followers then
// ended before they began.
struct time_scan {
  const struct history *h;
  const struct order *order;
  uint64_t first_end;       // of those passed
  uint64_t *first_end_from; // per place and those after it; with snapshots only
};

// The history and the order outlive the scan; free it with time_scan_close.
void time_scan_open(struct time_scan *scan, const struct history *h,
                    const struct order *order);
void time_scan_close(struct time_scan *scan);

// To be called for each place, the last one first.
bool time_scan_contradicts(struct time_scan *scan, uint32_t i);

// Did whatever ended before a transaction began commit before it, or before its
// snapshot where the order has snapshots?
bool order_keeps_real_time(const struct history *h, const struct order *order);

#endif
