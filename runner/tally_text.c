// SPDX-License-Identifier: GPL-3.0-or-later
// Counts as bytes (runner/tally_text.h): the structures as they lie in memory,
// and behind them the arrays that they point to.
#include "config.h"

#include "runner/tally_text.h"

#include "base/memory.h"

#include <string.h>

static void put_array(FILE *file, const void *array, size_t n, size_t size) {
  if (n)
    fwrite(array, size, n, file);
}

void tally_write(FILE *file, const struct tally *tally) {
  const struct run_figures *sum = &tally->sum;
  put_array(file, tally, 1, sizeof *tally);
  put_array(file, sum->codes, sum->ncodes, sizeof *sum->codes);
  put_array(file, sum->places, sum->nplaces, sizeof *sum->places);
  put_array(file, sum->shapes, sum->nshapes, sizeof *sum->shapes);
  put_array(file, sum->seconds, sum->nseconds, sizeof *sum->seconds);
  put_array(file, sum->series.intervals, sum->series.count,
            sizeof *sum->series.intervals);
}

int tally_take(struct tally_reader *reader, void *into, size_t bytes) {
  if ((size_t)(reader->end - reader->at) < bytes)
    return -1;
  memcpy(into, reader->at, bytes);
  reader->at += bytes;
  return 0;
}

// An array of which so many are there; NULL if they are not.
static void *take_array(struct tally_reader *reader, size_t n, size_t size,
                        size_t room) {
  if ((size_t)(reader->end - reader->at) / size < n)
    return NULL;
  void *array = xcalloc(room + 1, size);
  tally_take(reader, array, n * size);
  return array;
}

int tally_read(struct tally_reader *reader, const struct run_figures *figures,
               struct tally *tally) {
  struct run_figures *sum = &tally->sum;
  if (tally_take(reader, tally, sizeof *tally) ||
      sum->nshapes != figures->nshapes || sum->series.count > SERIES_INTERVALS)
    return -1;
  sum->codes = take_array(reader, sum->ncodes, sizeof *sum->codes, sum->ncodes);
  sum->places =
      take_array(reader, sum->nplaces, sizeof *sum->places, sum->nplaces);
  sum->shapes =
      take_array(reader, sum->nshapes, sizeof *sum->shapes, sum->nshapes);
  sum->seconds =
      take_array(reader, sum->nseconds, sizeof *sum->seconds, sum->nseconds);
  sum->series.intervals =
      take_array(reader, sum->series.count, sizeof *sum->series.intervals,
                 SERIES_INTERVALS);
  sum->sessions = NULL;
  sum->endpoints = NULL;
  sum->nsessions = sum->nendpoints = 0;
  if (!sum->codes || !sum->places || !sum->shapes || !sum->seconds ||
      !sum->series.intervals) {
    tally_fini(tally);
    return -1;
  }
  for (uint32_t i = 0; i < sum->nshapes; i++)
    sum->shapes[i].name = figures->shapes[i].name;
  return 0;
}
