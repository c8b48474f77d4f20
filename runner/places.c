// SPDX-License-Identifier: GPL-3.0-or-later
// Places of failed attempts (runner/places.h).
#include "config.h"

#include "runner/places.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static struct place_count *find_place(const struct run_figures *figures,
                                      const struct place_count *row) {
  for (uint32_t i = 0; i < figures->nplaces; i++)
    if (figures->places[i].cause == row->cause &&
        !strcmp(figures->places[i].place, row->place) &&
        !strcmp(figures->places[i].code, row->code))
      return &figures->places[i];
  return NULL;
}

void places_count(struct run_figures *figures, const struct place_count *row) {
  struct place_count *found = find_place(figures, row);
  if (found) {
    found->count += row->count;
  } else if (figures->nplaces < PLACES_MOST) {
    ARRAY_RESERVE(figures->places, figures->nplaces, figures->places_room);
    figures->places[figures->nplaces++] = *row;
  }
}

void places_merge(struct run_figures *into, const struct run_figures *from) {
  for (uint32_t i = 0; i < from->nplaces; i++)
    places_count(into, &from->places[i]);
}

static int compare_places(const void *a, const void *b) {
  const struct place_count *x = a, *y = b;
  if (x->count != y->count)
    return x->count < y->count ? 1 : -1;
  const int place = strcmp(x->place, y->place);
  return place ? place : strcmp(x->code, y->code);
}

void places_sort(struct run_figures *figures) {
  if (figures->nplaces)
    qsort(figures->places, figures->nplaces, sizeof *figures->places,
          compare_places);
}
