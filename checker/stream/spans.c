// SPDX-License-Identifier: GPL-3.0-or-later
// A stack of unions, the last one on top (checker/stream/spans.h).
#include "config.h"

#include "checker/stream/spans.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

void spans_add(struct spans *s, uint64_t first, uint64_t last) {
  assert(first <= last);
  assert(!s->count || s->span[s->count - 1].last <= last);
  while (s->count && s->span[s->count - 1].last >= first) {
    const struct position_span below = s->span[--s->count];
    first = below.first < first ? below.first : first;
  }
  ARRAY_RESERVE(s->span, s->count, s->room);
  s->span[s->count++] = (struct position_span){first, last};
}

void spans_free(struct spans *s) {
  free(s->span);
  *s = (struct spans){0};
}
