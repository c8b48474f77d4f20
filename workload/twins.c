// SPDX-License-Identifier: GPL-3.0-or-later
// Which transactions twins share (workload/twins.h).
#include "config.h"

#include "workload/twins.h"

#include "base/random.h"

uint64_t twins_seed(const struct workload_options *options, uint32_t session,
                    uint64_t number) {
  if (!twins_has(options, session))
    return 0;
  const uint64_t pair = random_mix(options->seed + session / 2 + 1);
  const uint64_t drawn = random_mix(pair + number);
  const double below = (double)(drawn >> 11) / (double)(UINT64_C(1) << 53);
  return below < options->twins ? (random_mix(drawn) & UINT32_MAX) | 1 : 0;
}
