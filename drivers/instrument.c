// SPDX-License-Identifier: GPL-3.0-or-later
// The account of an instrument, emptied and freed (drivers/instrument.h).
#include "config.h"

#include "drivers/instrument.h"

#include <stdlib.h>
#include <string.h>

void instrument_answer_clear(struct instrument_answer *answer) {
  for (uint32_t i = 0; i < answer->nchanges; i++)
    free(answer->changes[i].image);
  answer->cut = answer->undone = false;
  answer->nseen = answer->nchanges = answer->ncolumns = answer->nrows = 0;
  answer->affected = answer->returned = answer->told_besides = 0;
  arena_free(&answer->arena);
  answer->names = answer->values = NULL;
}

const char **instrument_answer_row(struct instrument_answer *answer) {
  const size_t n = answer->ncolumns, used = answer->nrows;
  if (used && !answer->all_rows)
    return NULL;
  if (!(used & (used - 1))) { // the room is a power of two
    const char **values =
        arena_take(&answer->arena, (used ? 2 * used : 1) * n * sizeof *values);
    if (used)
      memcpy(values, answer->values, used * n * sizeof *values);
    answer->values = values;
  }
  answer->nrows++;
  return answer->values + used * n;
}

void instrument_answer_free(struct instrument_answer *answer) {
  instrument_answer_clear(answer);
  FREE_EACH(answer->seen, answer->changes);
  *answer = (struct instrument_answer){0};
}

void instrument_tables_free(struct instrument_tables *tables) {
  for (uint32_t i = 0; i < tables->n; i++)
    FREE_EACH(tables->all[i].name, tables->all[i].columns);
  for (uint32_t i = 0; i < tables->nfirst; i++)
    free(tables->first[i].image);
  FREE_EACH(tables->all, tables->first);
  *tables = (struct instrument_tables){0};
}
