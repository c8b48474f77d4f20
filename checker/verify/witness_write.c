// SPDX-License-Identifier: GPL-3.0-or-later
// Writes witnesses (checker/verify/witness.h).
#include "config.h"

#include "checker/verify/witness.h"

#include "base/memory.h"
#include "checker/verify/witness_format.h"
#include "checker/verify/witness_rows.h"

#include <assert.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

// --- The hash of a history.

enum { BLOCK = 1024 };

static void add_bytes(XXH3_state_t *state, const void *bytes, size_t n) {
  XXH3_64bits_update(state, bytes, n);
}

static void add_numbers(XXH3_state_t *state, const uint32_t *number, size_t n) {
  uint32_t block[BLOCK];
  for (size_t done = 0; done < n;) {
    const size_t some = n - done < BLOCK ? n - done : BLOCK;
    for (size_t i = 0; i < some; i++)
      block[i] = htole32(number[done + i]);
    add_bytes(state, block, some * sizeof *block);
    done += some;
  }
}

// Adds the values that reads saw; where several writes wrote such a value, only
// the value.
static void add_seen(XXH3_state_t *state, const struct history *h) {
  for (uint32_t op = 0; op < h->nops && h->again; op++) {
    const bool any = op_reads(h->kind[op]) && h->kind[op] != OP_READ_LIST &&
                     history_is_ambiguous(h, h->key[op], h->saw[op]);
    const uint32_t saw = any ? WITNESS_ANY_OF_EQUALS : h->saw[op];
    add_numbers(state, &saw, 1);
  }
  if (!h->again)
    add_numbers(state, h->saw, h->nops);
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
    add_numbers(state, &at, 1);
    at += h->list[list].count;
  }
  add_numbers(state, &at, 1);
}

static void add_elements(XXH3_state_t *state, const struct history *h) {
  for (uint32_t list = 0; list < h->nlists && !h->again; list++)
    add_numbers(state, h->element + h->list[list].first, h->list[list].count);
  for (uint32_t list = 0; list < h->nlists && h->again; list++)
    for (uint32_t e = h->list[list].first; e < history_list_end(h, list); e++) {
      const uint32_t append = h->element[e];
      const bool any = append < h->nops && h->again[append] != append;
      const uint32_t element = any ? WITNESS_ANY_OF_EQUALS : append;
      add_numbers(state, &element, 1);
    }
}

static void add_long_numbers(XXH3_state_t *state, const uint64_t *number,
                             size_t n) {
  uint64_t block[BLOCK];
  for (size_t done = 0; done < n;) {
    const size_t some = n - done < BLOCK ? n - done : BLOCK;
    for (size_t i = 0; i < some; i++)
      block[i] = htole64(number[done + i]);
    add_bytes(state, block, some * sizeof *block);
    done += some;
  }
}

static void add_texts(XXH3_state_t *state, char *const *text, uint32_t n) {
  for (uint32_t i = 0; text && i < n; i++)
    add_bytes(state, text[i] ? text[i] : "", text[i] ? strlen(text[i]) + 1 : 1);
}

// A copy with both arrays, which are absent where values are implied.
static struct history spelt(const struct history *h) {
  struct history copy = *h;
  history_spell_values(&copy);
  return copy;
}

// Conditions as they are printed, so that the hash does not depend on how a
// reader numbers them.
static void add_condition(XXH3_state_t *state, const struct history *h,
                          const struct recorded_statement *s) {
  char *text = NULL;
  size_t length;
  FILE *out = text_stream(&text, &length);
  if (s->condition != ROWS_NONE)
    rows_write_condition(out, h->rows, s);
  if (fclose(out))
    out_of_memory(1);
  add_bytes(state, text, length + 1);
  free(text);
}

static void add_image(XXH3_state_t *state, const int64_t *image,
                      uint32_t ncolumns) {
  const uint32_t is = image != NULL;
  add_numbers(state, &is, 1);
  if (image)
    add_long_numbers(state, (const uint64_t *)image, ncolumns);
}

static void add_keys_of_rows(XXH3_state_t *state, const struct history *h) {
  const struct rows *rows = h->rows;
  add_numbers(state, rows->key_table, h->nkeys);
  for (uint32_t key = 0; key < h->nkeys; key++) {
    const uint32_t table = rows->key_table[key];
    if (table == ROWS_NONE)
      continue;
    add_long_numbers(state, (const uint64_t *)&rows->key_id[key], 1);
    add_image(state, rows_image(rows, rows->key_image[key]),
              rows->tables[table].ncolumns);
  }
}

static void add_rows(XXH3_state_t *state, const struct history *h) {
  const struct rows *rows = h->rows;
  const uint32_t sizes[] = {rows->ntables, rows->nstatements};
  add_numbers(state, sizes, sizeof sizes / sizeof *sizes);
  for (uint32_t i = 0; i < rows->ntables; i++) {
    const struct row_table *table = &rows->tables[i];
    add_texts(state, &table->name, 1);
    add_numbers(state, &table->ncolumns, 1);
    add_texts(state, table->columns, table->ncolumns);
  }
  add_keys_of_rows(state, h);
  add_numbers(state, rows->txn_statement, (size_t)h->ntxns + 1);
  for (uint32_t i = 0; i < rows->nstatements; i++) {
    const struct recorded_statement *s = &rows->statements[i];
    const uint32_t is[] = {s->sort, s->table, s->first, s->end};
    add_numbers(state, is, sizeof is / sizeof *is);
    add_condition(state, h, s);
    for (uint32_t op = s->first; op < s->end; op++)
      add_image(state, rows_image(rows, rows->image[op]),
                rows->tables[s->table].ncolumns);
  }
}

uint64_t witness_hash(const struct history *h) {
  const struct history values = spelt(h);
  const uint32_t nelements = count_elements(h);
  const uint32_t sizes[] = {h->nsessions,    h->ntxns,          h->nops,
                            h->nkeys,        h->nlists,         nelements,
                            h->nvalue_texts, h->begin && h->end};
  XXH3_state_t *state = XXH3_createState();
  if (!state)
    out_of_memory(sizeof(void *));
  XXH3_64bits_reset(state);
  add_numbers(state, sizes, sizeof sizes / sizeof *sizes);
  add_numbers(state, h->session_first, (size_t)h->nsessions + 1);
  add_numbers(state, h->txn_first, (size_t)h->ntxns + 1);
  add_bytes(state, h->outcome, h->ntxns);
  add_bytes(state, h->level, h->ntxns);
  if (h->begin && h->end) {
    add_long_numbers(state, h->begin, h->ntxns);
    add_long_numbers(state, h->end, h->ntxns);
  }
  add_bytes(state, h->kind, h->nops);
  add_numbers(state, h->key, h->nops);
  add_long_numbers(state, values.value, h->nops);
  add_seen(state, h);
  add_list_starts(state, h);
  add_elements(state, h);
  for (uint32_t list = 0; list < h->nlists; list++)
    add_long_numbers(state, values.element_value + h->list[list].first,
                     h->list[list].count);
  if (h->key_number)
    add_long_numbers(state, h->key_number, h->nkeys);
  add_texts(state, h->key_text, h->nkeys);
  add_texts(state, h->value_text, h->nvalue_texts);
  if (h->rows)
    add_rows(state, h);
  const uint64_t hash = XXH3_64bits_digest(state);
  XXH3_freeState(state);
  if (!h->value) {
    free(values.value);
    free(values.element_value);
  }
  return hash;
}

// --- Numbers.

static void put_byte(struct witness_bytes *out, unsigned byte) {
  assert(byte <= UINT8_MAX);
  ARRAY_RESERVE(out->bytes, out->count, out->room);
  out->bytes[out->count++] = (unsigned char)byte;
}

static void put_number(struct witness_bytes *out, uint32_t number) {
  for (; number >= 0x80; number >>= 7)
    put_byte(out, (number & 0x7f) | 0x80);
  put_byte(out, number);
}

static void put_id(struct witness_bytes *out, uint32_t id) {
  put_number(out, id + WITNESS_ID_SHIFT);
}

static void put_long(struct witness_bytes *out, uint64_t number) {
  for (int i = 0; i < 8; i++)
    put_byte(out, (unsigned)(number >> 8 * i) & 0xff);
}

// --- The proof.

// A transaction by its session, of which most often the next one comes.
static void put_order(struct witness_bytes *out, const struct history *h,
                      const struct verdict *v) {
  assert(v->norder == 0 || v->order);
  uint32_t *next = xmalloc(h->nsessions * sizeof *next);
  memcpy(next, h->session_first, h->nsessions * sizeof *next);
  put_number(out, v->norder);
  put_byte(out, v->snapshot != NULL);
  for (uint32_t i = 0; i < v->norder; i++) {
    const uint32_t t = v->order[i], session = history_session(h, t);
    put_number(out, session);
    put_number(out, t - next[session]); // ahead, or around
    next[session] = t + 1;
    if (v->snapshot)
      put_number(out, i - v->snapshot[i]);
  }
  free(next);
}

static void put_cycle(struct witness_bytes *out, const struct verdict *v) {
  assert(v->nedges == 0 || v->edges);
  put_number(out, v->nedges);
  for (uint32_t i = 0; i < v->nedges; i++) {
    const struct edge *edge = &v->edges[i];
    put_byte(out, edge->kind);
    put_number(out, edge->from);
    put_number(out, edge->to);
    put_id(out, edge->from_op);
    put_id(out, edge->to_op);
  }
}

static void put_argument(struct witness_bytes *out, const struct argument *a) {
  assert(a->nsteps == 0 || a->steps);
  put_number(out, a->nsteps);
  for (uint32_t s = 0; s < a->nsteps; s++) {
    const struct inference *step = &a->steps[s];
    put_byte(out, step->why);
    put_byte(out, step->kind);
    put_id(out, step->from);
    put_id(out, step->to);
    put_id(out, step->from_op);
    put_id(out, step->to_op);
    put_id(out, step->read);
    put_id(out, step->lemma);
    put_number(out, step->end - step->first);
    for (uint32_t i = step->first; i < step->end; i++)
      put_number(out, a->path[i]);
  }
}

static void put_assumed_reads(struct witness_bytes *out,
                              const struct verdict *v) {
  put_number(out, v->nassumed_reads);
  for (uint32_t i = 0, next = 0; i < v->nassumed_reads; i++) {
    put_number(out, v->assumed_reads[i].place - next);
    next = v->assumed_reads[i].place + 1;
    put_id(out, v->assumed_reads[i].writer);
  }
}

static void put_ways(struct witness_bytes *out, const struct argument *ways) {
  put_number(out, ways->nclaims);
  for (uint32_t c = 0; c < ways->nclaims; c++) {
    put_number(out, ways->claims[c].place);
    put_id(out, ways->claims[c].writer);
  }
  put_argument(out, ways);
}

static void put_violation(struct witness_bytes *out, const struct verdict *v) {
  put_byte(out, v->broken);
  put_byte(out, v->anomaly);
  put_number(out, v->npart);
  for (uint32_t i = 0, next = 0; i < v->npart; i++) {
    put_number(out, v->part[i] - next);
    next = v->part[i] + 1;
  }
  put_id(out, v->op);
  put_id(out, v->other_op);
  put_cycle(out, v);
  put_argument(out, &v->argument);
}

// --- The proof about rows.

static void put_found(struct witness_bytes *out, const struct verdict *v) {
  put_number(out, v->nfound);
  for (uint32_t i = 0; i < v->nfound; i++) {
    put_number(out, v->found_unseen[i].statement);
    put_number(out, v->found_unseen[i].key);
    put_number(out, v->found_unseen[i].version);
  }
}

// The rows of the part, which are in the order of the history there and here.
static void put_keys(struct witness_bytes *out, const struct history *h,
                     const struct history *part) {
  put_number(out, part->nkeys);
  for (uint32_t key = 0; key < h->nkeys; key++)
    for (uint32_t k = 0; k < part->nkeys; k++)
      if (h->rows->key_table[key] != ROWS_NONE &&
          h->rows->key_table[key] == part->rows->key_table[k] &&
          h->rows->key_id[key] == part->rows->key_id[k])
        put_number(out, key);
}

static void put_part(struct witness_bytes *out, const struct history *h,
                     const struct verdict *v) {
  put_keys(out, h, v->rows_part);
  put_number(out, v->rows_part->rows->nstatements);
  for (uint32_t i = 0; i < v->rows_part->rows->nstatements; i++)
    put_number(out, v->rows_statements[i]);
}

static enum rows_refutation refutation(const struct verdict *v) {
  return v->rows_part ? ROWS_PART : v->tried ? ROWS_ALL : ROWS_REGISTERS;
}

static void put_proof_of_rows(struct witness_bytes *out,
                              const struct history *h,
                              const struct verdict *v) {
  if (v->kind == VERDICT_PASS) {
    put_order(out, h, v);
    put_found(out, v);
    return;
  }
  const enum rows_refutation by = refutation(v);
  put_byte(out, by);
  if (by == ROWS_REGISTERS)
    put_violation(out, v);
  else {
    put_byte(out, v->broken);
    put_byte(out, v->anomaly);
  }
  if (by == ROWS_PART)
    put_part(out, h, v);
}

static void put_proof(struct witness_bytes *out, const struct history *h,
                      const struct verdict *v) {
  if (h->again && !h->rows)
    put_assumed_reads(out, v);
  if (h->rows)
    put_proof_of_rows(out, h, v);
  else if (v->kind == VERDICT_PASS)
    put_order(out, h, v);
  else
    put_violation(out, v);
}

void witness_write(const struct history *history,
                   const struct witness_reading *reading,
                   const struct verdict *verdict, struct witness_bytes *out) {
  const size_t start = out->count;
  const bool duplicates = history->again && !history->rows;
  assert(verdict->kind != VERDICT_UNDECIDED);
  for (int i = 0; i < WITNESS_MAGIC_BYTES; i++)
    put_byte(out, (unsigned char)WITNESS_MAGIC[i]);
  const unsigned head[] = {
      history->rows ? WITNESS_VERSION_OF_ROWS
      : duplicates  ? WITNESS_VERSION_OF_DUPLICATES
                    : WITNESS_VERSION,
      verdict->kind,
      verdict->level,
      (verdict->mixed ? WITNESS_RECORDED : 0u) |
          (verdict->session_order ? WITNESS_SESSION_ORDER : 0u) |
          (verdict->real_time ? WITNESS_REAL_TIME : 0u) |
          (duplicates ? WITNESS_DUPLICATES : 0u),
      reading->initial,
      reading->model,
      (verdict->rc_sees_session ? WITNESS_RC_SEES_SESSION : 0u) |
          (verdict->by_items ? WITNESS_BY_ITEMS : 0u) |
          (verdict->plain_reads ? WITNESS_PLAIN_READS : 0u),
      0};
  for (size_t i = 0; i < sizeof head / sizeof *head; i++)
    put_byte(out, head[i]);
  put_long(out, witness_hash(history));
  put_proof(out, history, verdict);
  if (duplicates && verdict->kind == VERDICT_VIOLATION)
    put_ways(out, &verdict->ways);
  put_long(out, XXH3_64bits(out->bytes + start, out->count - start));
}
