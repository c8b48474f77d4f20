// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences about ranks (report/rank_lines.h).
#include "config.h"

#include "report/rank_lines.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t committed_by(const struct history *h,
                             const struct history_part *part) {
  const uint32_t end = part->first_session + part->nsessions;
  uint64_t n = 0;
  for (uint32_t t = h->session_first[part->first_session];
       t < h->session_first[end]; t++)
    n += h->outcome[t] == OUTCOME_OK;
  return n;
}

static void put_part_clock(FILE *out, const struct history_part *part) {
  if (part->state == PART_MISSING || part->state == PART_FOREIGN)
    fputs("; its part is not there", out);
  else if (part->jumped)
    fputs("; its clock contradicts itself, so that its times are not used",
          out);
  else if (!part->exact)
    fprintf(out, "; its clock is known to %.3g us", (double)part->width / 1e3);
  if (part->state == PART_CUT_OFF)
    fputs("; the end of its part is missing", out);
}

char *rank_line(const struct history *history, uint32_t rank) {
  char *text;
  size_t bytes;
  if (!history->parts || rank >= history->parts->n)
    return NULL;
  const struct history_part *part = &history->parts->part[rank];
  FILE *out = text_stream(&text, &bytes);
  fprintf(out, "rank %u on %s: sessions %u to %u, %" PRIu64 " committed", rank,
          part->host, part->first_session,
          part->first_session + part->nsessions - 1,
          committed_by(history, part));
  put_part_clock(out, part);
  fclose(out);
  return text;
}

char *rank_clocks_line(const struct history *history) {
  const struct history_parts *parts = history->parts;
  uint64_t width = 0;
  uint32_t n = 0;
  for (uint32_t i = 0; parts && i < parts->n; i++) {
    const struct history_part *part = &parts->part[i];
    n += !part->exact && part->state != PART_MISSING &&
         part->state != PART_FOREIGN;
    width = part->width > width ? part->width : width;
  }
  return n ? xasprintf("the clocks of %u rank%s are known to %.3g us, if they "
                       "drift by no more than 200 ns in a millisecond; %" PRIu64
                       " pairs of transactions that they suggest an order of "
                       "count as concurrent",
                       n, n == 1 ? "" : "s", (double)width / 1e3,
                       parts->unordered)
           : NULL;
}
