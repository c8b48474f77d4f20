// SPDX-License-Identifier: GPL-3.0-or-later
// Holds an order against the recorded times (checker/graph/time_scan.h).
#include "config.h"

#include "checker/graph/time_scan.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

void time_scan_open(struct time_scan *scan, const struct history *h,
                    const struct order *order) {
  *scan = (struct time_scan){.h = h, .order = order, .first_end = TIME_UNKNOWN};
  if (!order->snapshot)
    return;
  scan->first_end_from =
      xmalloc(((size_t)order->n + 1) * sizeof *scan->first_end_from);
  scan->first_end_from[order->n] = TIME_UNKNOWN;
  for (uint32_t i = order->n; i-- > 0;) {
    const uint64_t end = history_ended(h, order->txn[i]);
    const uint64_t later = scan->first_end_from[i + 1];
    scan->first_end_from[i] = end < later ? end : later;
  }
}

void time_scan_close(struct time_scan *scan) { free(scan->first_end_from); }

bool time_scan_contradicts(struct time_scan *scan, uint32_t i) {
  assert(i < scan->order->n);
  const uint32_t t = scan->order->txn[i];
  const uint64_t end = history_ended(scan->h, t), first_end = scan->first_end;
  scan->first_end = end < first_end ? end : first_end;
  return history_began(scan->h, t) >
         (scan->first_end_from ? scan->first_end_from[scan->order->snapshot[i]]
                               : first_end);
}

bool order_keeps_real_time(const struct history *h, const struct order *order) {
  struct time_scan scan;
  bool keeps = true;
  time_scan_open(&scan, h, order);
  for (uint32_t i = order->n; i-- > 0 && keeps;)
    keeps = !time_scan_contradicts(&scan, i);
  time_scan_close(&scan);
  return keeps;
}
