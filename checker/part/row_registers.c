// SPDX-License-Identifier: GPL-3.0-or-later
// Rows as registers (checker/part/row_registers.h).
#include "config.h"

#include "checker/part/row_registers.h"

#include "base/memory.h"

#include <stdlib.h>

// Keys that were there and were inserted, or inserted more than once.
static uint8_t *keys_used_again(const struct history *h) {
  uint8_t *anew = xcalloc(h->nkeys, 1), *born = xcalloc(h->nkeys, 1);
  for (uint32_t key = 0; key < h->nkeys; key++)
    born[key] = h->rows->key_image[key] != ROWS_NONE;
  for (uint32_t op = 0; op < h->nops; op++)
    if (h->kind[op] == OP_ROW_INSERT) {
      anew[h->key[op]] |= born[h->key[op]];
      born[h->key[op]] = 1;
    }
  free(born);
  return anew;
}

static void drop_latest_reads(struct history *registers,
                              const struct rows *rows) {
  rows_copy_saw(registers);
  for (uint32_t s = 0; s < rows->nstatements; s++) {
    const struct recorded_statement *statement = &rows->statements[s];
    if (!statement_may_read_latest((enum statement_sort)statement->sort))
      continue;
    for (uint32_t op = statement->first; op < statement->end; op++) {
      registers->kind[op] &= OP_IS_WRITE;
      // A read that counts for nothing needs no write in parts.
      registers->saw[op] = registers->kind[op] ? 0 : SAW_INITIAL;
    }
  }
}

struct history rows_registers(const struct history *h, bool plain) {
  struct history registers = rows_as_registers(h);
  uint8_t *anew = keys_used_again(h);
  for (uint32_t op = 0; op < h->nops; op++)
    if (h->kind[op] == OP_ROW_INSERT && anew[h->key[op]])
      registers.kind[op] = OP_WRITE;
  free(anew);
  if (plain)
    drop_latest_reads(&registers, h->rows);
  return registers;
}
