// SPDX-License-Identifier: GPL-3.0-or-later
// Requirements that runs of a cell did not meet (sweep/summary.h).
#include "config.h"

#include "sweep/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char between[] = " was required, and it is ";

// Measures of one requirement have one unit.  No measure at all, in a run in
// which nothing committed, counts as the largest one.
static double measured_number(const char *measured) {
  char *end;
  const double value = strtod(measured, &end);
  return end > measured ? value : INFINITY;
}

static void take_unmet(struct cell *cell, const char *required,
                       const char *measured) {
  uint32_t i = 0;
  while (i < cell->nunmet && strcmp(cell->unmet[i].required, required) != 0)
    i++;
  if (i == cell->nunmet) {
    ARRAY_RESERVE(cell->unmet, cell->nunmet, cell->unmet_room);
    cell->unmet[cell->nunmet++] = (struct unmet){
        .required = required, .least = measured, .most = measured};
  }
  struct unmet *unmet = &cell->unmet[i];
  unmet->nruns++;
  if (measured_number(measured) < measured_number(unmet->least))
    unmet->least = measured;
  if (measured_number(measured) > measured_number(unmet->most))
    unmet->most = measured;
}

void unmet_take(struct arena *arena, struct cell *cell, const char *text) {
  char *rest = arena_strdup(arena, text), *end, *measured;
  cell->nunmet_runs += *rest != '\0';
  for (char *one = rest; one && *one; one = end) {
    end = strstr(one, "; ");
    if (end) {
      *end = '\0';
      end += 2;
    }
    measured = strstr(one, between);
    if (!measured)
      continue;
    *measured = '\0';
    take_unmet(cell, one, measured + strlen(between));
  }
}

uint32_t unmet_runs(const struct summary *s) {
  uint32_t n = 0;
  for (uint32_t c = 0; c < s->ncells; c++)
    n += s->cells[c].nunmet_runs;
  return n;
}

uint32_t unmet_of_runs(const struct summary *s) {
  uint32_t n = 0;
  for (uint32_t c = 0; c < s->ncells; c++)
    n += s->cells[c].nruns;
  return n;
}

void unmet_put(FILE *out, const struct unmet *unmet, uint32_t nruns) {
  fprintf(out, "was required, and in %u of %u run%s it is %s", unmet->nruns,
          nruns, nruns == 1 ? "" : "s", unmet->least);
  if (strcmp(unmet->least, unmet->most) != 0)
    fprintf(out, "%s%s",
            isinf(measured_number(unmet->most)) ? " or more, or " : " to ",
            unmet->most);
}
