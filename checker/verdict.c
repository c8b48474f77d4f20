// SPDX-License-Identifier: GPL-3.0-or-later
// What a verdict owns, and what one that was not reached is told by
// (checker/checker.h).
#include "config.h"

#include "checker/argue.h"
#include "checker/checker.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void check_progress_text(const struct check_progress *progress, char *text) {
  *text = 0;
  if (progress->runs)
    snprintf(text, CHECK_PROGRESS_TEXT,
             "%" PRIu32 " of %" PRIu32 " runs of versions are still to be "
             "placed, after %" PRIu64 " choices and %" PRIu64 " conflicts",
             progress->open, progress->runs, progress->pairs,
             progress->conflicts);
}

void verdict_free(struct verdict *verdict) {
  free(verdict->order);
  free(verdict->snapshot);
  free(verdict->edges);
  free(verdict->part);
  argument_free(&verdict->argument);
  for (uint32_t i = 0; i < verdict->nothers; i++)
    verdict_free(&verdict->others[i]);
  free(verdict->others);
  for (uint32_t i = 0; i < verdict->ncases; i++)
    verdict_free(&verdict->cases[i]);
  free(verdict->cases);
  free(verdict->sightings);
  free(verdict->cover.steps);
  free(verdict->cover.clauses);
  *verdict = (struct verdict){0};
}
