// SPDX-License-Identifier: GPL-3.0-or-later
// The hash of a history that a witness is about (checker/witness/witness.h).
#include "config.h"

#include "checker/witness/witness.h"

#include "base/memory.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// Stands for what may have been any of several writes of a value.
#define ANY_OF_EQUALS (UINT32_MAX - 3)

// Adds numbers of `size` bytes each, the lowest byte first.
static void hash_numbers(XXH3_state_t *state, const void *numbers, size_t n,
                         size_t size) {
  const unsigned char *bytes = numbers;
  if (htole32(1) == 1)
    XXH3_64bits_update(state, bytes, n * size);
  else
    for (size_t i = 0; i < n; i++)
      for (size_t byte = size; byte-- > 0;)
        XXH3_64bits_update(state, &bytes[i * size + byte], 1);
}
#define ADD(state, numbers, n)                                                 \
  hash_numbers(state, numbers, n, sizeof *(numbers))

// Adds the values that reads saw; where several writes wrote such a value, only
// the value.
static void hash_seen(XXH3_state_t *state, const struct history *h) {
  if (!h->again) {
    ADD(state, h->saw, h->nops);
    return;
  }
  for (uint32_t op = 0; op < h->nops; op++) {
    const bool any = op_reads(h->kind[op]) && h->kind[op] != OP_READ_LIST &&
                     history_is_ambiguous(h, h->key[op], h->saw[op]);
    const uint32_t saw = any ? ANY_OF_EQUALS : h->saw[op];
    ADD(state, &saw, 1);
  }
}

// How many the lists have if they have none in common.
static uint32_t count_elements(const struct history *h) {
  uint32_t n = 0;
  for (uint32_t list = 0; list < h->nlists; list++)
    n += h->list[list].count;
  return n;
}

// Where each list starts if they have nothing in common, and where all end.
static void add_list_starts(XXH3_state_t *state, const struct history *h) {
  uint32_t at = 0;
  for (uint32_t list = 0; list < h->nlists; list++) {
    ADD(state, &at, 1);
    at += h->list[list].count;
  }
  ADD(state, &at, 1);
}

static void add_elements(XXH3_state_t *state, const struct history *h) {
  for (uint32_t list = 0; list < h->nlists && !h->again; list++)
    ADD(state, h->element + h->list[list].first, h->list[list].count);
  for (uint32_t list = 0; list < h->nlists && h->again; list++)
    for (uint32_t e = h->list[list].first; e < history_list_end(h, list); e++) {
      const uint32_t append = h->element[e];
      const bool any = append < h->nops && h->again[append] != append;
      const uint32_t element = any ? ANY_OF_EQUALS : append;
      ADD(state, &element, 1);
    }
}

static void add_texts(XXH3_state_t *state, char *const *text, uint32_t n) {
  for (uint32_t i = 0; text && i < n; i++)
    ADD(state, text[i] ? text[i] : "", text[i] ? strlen(text[i]) + 1 : 1);
}

// Conditions as they are printed, so that the hash does not depend on how a
// reader numbers them.
static void add_condition(XXH3_state_t *state, const struct history *h,
                          const struct recorded_statement *s) {
  char *text = NULL;
  size_t length;
  FILE *out = text_stream(&text, &length);
  if (s->condition != NO_CONDITION)
    rows_write_condition(out, h->rows, s);
  if (fclose(out))
    out_of_memory(1);
  ADD(state, text, length + 1);
  free(text);
}

static void add_image(XXH3_state_t *state, const int64_t *image,
                      uint32_t ncolumns) {
  const uint32_t is = image != NULL;
  ADD(state, &is, 1);
  if (image)
    ADD(state, image, ncolumns);
}

static void add_keys_of_rows(XXH3_state_t *state, const struct history *h) {
  const struct rows *rows = h->rows;
  ADD(state, rows->key_table, h->nkeys);
  for (uint32_t key = 0; key < h->nkeys; key++) {
    const uint32_t table = rows->key_table[key];
    if (table == ROWS_NONE)
      continue;
    ADD(state, &rows->key_id[key], 1);
    add_image(state, rows_image(rows, rows->key_image[key]),
              rows->tables[table].ncolumns);
  }
}

static void add_rows(XXH3_state_t *state, const struct history *h) {
  const struct rows *rows = h->rows;
  const uint32_t sizes[] = {rows->ntables, rows->nstatements};
  ADD(state, sizes, sizeof sizes / sizeof *sizes);
  for (uint32_t i = 0; i < rows->ntables; i++) {
    const struct row_table *table = &rows->tables[i];
    add_texts(state, &table->name, 1);
    ADD(state, &table->ncolumns, 1);
    add_texts(state, table->columns, table->ncolumns);
  }
  add_keys_of_rows(state, h);
  ADD(state, rows->txn_statement, (size_t)h->ntxns + 1);
  for (uint32_t i = 0; i < rows->nstatements; i++) {
    const struct recorded_statement *s = &rows->statements[i];
    const uint32_t is[] = {s->sort, s->table, s->first, s->end};
    ADD(state, is, sizeof is / sizeof *is);
    add_condition(state, h, s);
    for (uint32_t op = s->first; op < s->end; op++)
      add_image(state, rows_image(rows, rows->image[op]),
                rows->tables[s->table].ncolumns);
  }
}

uint64_t witness_hash(const struct history *h) {
  struct history values = history_spelt(h);
  const uint32_t nelements = count_elements(h);
  const uint32_t sizes[] = {h->nsessions,    h->ntxns,          h->nops,
                            h->nkeys,        h->nlists,         nelements,
                            h->nvalue_texts, h->begin && h->end};
  XXH3_state_t *state = XXH3_createState();
  if (!state)
    out_of_memory(sizeof(void *));
  XXH3_64bits_reset(state);
  ADD(state, sizes, sizeof sizes / sizeof *sizes);
  ADD(state, h->session_first, (size_t)h->nsessions + 1);
  ADD(state, h->txn_first, (size_t)h->ntxns + 1);
  ADD(state, h->outcome, h->ntxns);
  ADD(state, h->level, h->ntxns);
  if (h->begin && h->end) {
    ADD(state, h->begin, h->ntxns);
    ADD(state, h->end, h->ntxns);
  }
  ADD(state, h->kind, h->nops);
  ADD(state, h->key, h->nops);
  ADD(state, values.value, h->nops);
  hash_seen(state, h);
  add_list_starts(state, h);
  add_elements(state, h);
  for (uint32_t list = 0; list < h->nlists; list++)
    ADD(state, values.element_value + h->list[list].first, h->list[list].count);
  if (h->key_number)
    ADD(state, h->key_number, h->nkeys);
  if (h->member)
    ADD(state, h->member, h->nkeys);
  add_texts(state, h->key_text, h->nkeys);
  add_texts(state, h->value_text, h->nvalue_texts);
  if (h->rows)
    add_rows(state, h);
  const uint64_t hash = XXH3_64bits_digest(state);
  XXH3_freeState(state);
  history_spelt_free(&values, h);
  return hash;
}
