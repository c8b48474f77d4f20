// SPDX-License-Identifier: GPL-3.0-or-later
// The account of an instrument, emptied and freed (drivers/instrument.h).
#include "config.h"

#include "drivers/instrument.h"

#include <stdlib.h>

void instrument_answer_clear(struct instrument_answer *answer) {
  answer->nseen = answer->nchanges = answer->ncolumns = 0;
  answer->affected = answer->returned = 0;
  arena_free(&answer->arena);
  answer->names = answer->values = NULL;
}

void instrument_answer_free(struct instrument_answer *answer) {
  FREE_EACH(answer->seen, answer->changes);
  arena_free(&answer->arena);
  *answer = (struct instrument_answer){0};
}

void instrument_tables_free(struct instrument_tables *tables) {
  for (uint32_t i = 0; i < tables->n; i++)
    free(tables->all[i].name);
  FREE_EACH(tables->all, tables->first);
  *tables = (struct instrument_tables){0};
}
