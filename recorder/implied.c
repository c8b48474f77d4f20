// SPDX-License-Identifier: GPL-3.0-or-later
// Values that are not there because they follow from who wrote
// (recorder/history.h): the session, and how many it had written before.
#include "config.h"

#include "recorder/history.h"

#include "base/bytes.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(HISTORY_BLOCK * OP_IS_WRITE <= UINT8_MAX,
              "the bits of a block's writes add up within a byte");

// The number of writes among at most HISTORY_BLOCK operations.  Adds up the bit
// that says "writes", of sixteen kinds at a time, and divides the sum by it.
static uint32_t count_writes_between(const struct history *h, uint32_t first,
                                     uint32_t end) {
  assert(first <= end && end <= h->nops);
  const uint64_t each = UINT64_C(0x0101010101010101);
  bytes16 writes = {0};
  uint32_t op = first, n = 0;
  for (; op + 16 <= end; op += 16)
    writes += load_bytes16(h->kind + op) & each * OP_IS_WRITE;
  for (; op < end; op++)
    n += op_writes(h->kind[op]);
  return n + (uint32_t)((writes[0] + writes[1]) * each >> 56) / OP_IS_WRITE;
}

// --- Rows, whose stamps are those of statements.

static const struct rows *find_implied_rows(const struct history *h) {
  return h->rows ? h->rows : h->rows_behind;
}

static bool has_stamp(const struct rows *rows, uint32_t statement) {
  return statement_writes(
      (enum statement_sort)rows->statements[statement].sort);
}

// The statements before this one that write, those of other sessions among
// them.
static uint32_t stamps_before(const struct history *h, const struct rows *rows,
                              uint32_t statement) {
  const uint32_t block = statement / HISTORY_BLOCK;
  uint32_t n = h->writes_before[block];
  for (uint32_t s = block * HISTORY_BLOCK; s < statement; s++)
    n += has_stamp(rows, s);
  return n;
}

// A read of a row of which nobody wrote the version, or whose writer was lost.
static bool is_stray(const struct history *h, uint32_t op) {
  const unsigned read = h->rows_behind ? OP_READ : OP_ROW;
  return h->kind[op] == read && h->saw[op] >= h->nops &&
         h->saw[op] != SAW_INITIAL;
}

// Does the operation have the value that its statement's stamp implies, or is
// it one that is kept?
static bool value_follows(const struct history *h, uint32_t op,
                          uint64_t stamp) {
  const uint32_t saw = h->saw[op];
  return is_stray(h, op) || h->value[op] == (op_writes(h->kind[op]) ? stamp
                                             : saw < h->nops ? h->value[saw]
                                                             : VALUE_INITIAL);
}

static bool values_of_rows_follow(const struct history *h) {
  bool follow = !h->nlists && !h->again;
  uint32_t nops = 0;
  for (uint32_t session = 0; session < h->nsessions; session++) {
    const struct rows *rows = h->rows;
    const uint32_t end = rows->txn_statement[h->session_first[session + 1]];
    uint64_t n = 0;
    for (uint32_t s = rows->txn_statement[h->session_first[session]];
         s < end && follow; s++) {
      const struct recorded_statement *statement = &rows->statements[s];
      const uint64_t stamp =
          has_stamp(rows, s) ? value_of_write(session, n++) : VALUE_INITIAL;
      nops += statement->end - statement->first;
      for (uint32_t op = statement->first; op < statement->end && follow; op++)
        follow = value_follows(h, op, stamp);
    }
  }
  return follow && nops == h->nops;
}

// Moves what stray reads found to the compare-and-sets that found such values.
static void keep_stray_values(struct history *h) {
  uint32_t n = 0, before = h->ncas_expected;
  for (uint32_t op = 0; op < h->nops; op++)
    n += is_stray(h, op);
  if (!n)
    return;
  h->cas_expected =
      xrealloc(h->cas_expected, (size_t)before + n, sizeof *h->cas_expected);
  h->ncas_expected += n;
  for (uint32_t op = h->nops; n; op--)
    if (is_stray(h, op - 1)) {
      while (before && h->cas_expected[before - 1].op > op - 1) {
        h->cas_expected[before + n - 1] = h->cas_expected[before - 1];
        before--;
      }
      h->cas_expected[before + --n] =
          (struct cas_expected){op - 1, h->value[op - 1]};
    }
}

void history_drop_row_values(struct history *h) {
  assert(h->rows && h->value && !h->writes_before);
  if (!values_of_rows_follow(h))
    return;
  keep_stray_values(h);
  const uint32_t nblocks = h->rows->nstatements / HISTORY_BLOCK + 1;
  h->writes_before = xmalloc(nblocks * sizeof *h->writes_before);
  for (uint32_t s = 0, n = 0; s < nblocks * HISTORY_BLOCK; s++) {
    if (s % HISTORY_BLOCK == 0)
      h->writes_before[s / HISTORY_BLOCK] = n;
    n += s < h->rows->nstatements && has_stamp(h->rows, s);
  }
  free(h->value);
  free(h->element_value);
  h->value = h->element_value = NULL;
}

static uint64_t value_of_row_write(const struct history *h,
                                   const struct rows *rows, uint32_t session,
                                   uint32_t op) {
  const uint32_t statement = rows_statement(rows, op);
  const uint32_t first = rows->txn_statement[h->session_first[session]];
  assert(statement != ROWS_NONE && first <= statement);
  return value_of_write(session, stamps_before(h, rows, statement) -
                                     stamps_before(h, rows, first));
}

static void spell_row_writes(struct history *h, const struct rows *rows) {
  memset(h->value, 0, h->nops * sizeof *h->value);
  for (uint32_t session = 0; session < h->nsessions; session++) {
    const uint32_t end = rows->txn_statement[h->session_first[session + 1]];
    uint64_t n = 0;
    for (uint32_t s = rows->txn_statement[h->session_first[session]]; s < end;
         s++) {
      const struct recorded_statement *statement = &rows->statements[s];
      const uint64_t stamp =
          has_stamp(rows, s) ? value_of_write(session, n++) : VALUE_INITIAL;
      for (uint32_t op = statement->first; op < statement->end; op++)
        h->value[op] = op_writes(h->kind[op]) ? stamp : VALUE_INITIAL;
    }
  }
}

// --- Registers and lists.

// Writes before an operation, those of other sessions among them.
static uint32_t rank(const struct history *h, uint32_t op) {
  const uint32_t block = op / HISTORY_BLOCK;
  return h->writes_before[block] +
         count_writes_between(h, block * HISTORY_BLOCK, op);
}

static uint64_t value_of_writer(const struct history *h, uint32_t op) {
  return history_write_value(h, history_session(h, history_txn(h, op)), op);
}

void history_imply_values(struct history *h) {
  const uint32_t nblocks = h->nops / HISTORY_BLOCK + 1;
  assert(!h->value && !h->element_value && !h->writes_before);
  h->writes_before = xmalloc(nblocks * sizeof *h->writes_before);
  for (uint32_t i = 0, n = 0; i < nblocks; i++) {
    const uint32_t first = i * HISTORY_BLOCK;
    h->writes_before[i] = n;
    n += count_writes_between(
        h, first,
        h->nops - first < HISTORY_BLOCK ? h->nops : first + HISTORY_BLOCK);
  }
}

uint64_t history_write_value(const struct history *h, uint32_t session,
                             uint32_t op) {
  assert(session < h->nsessions && op_writes(h->kind[op]));
  if (h->value)
    return h->value[op];
  if (find_implied_rows(h))
    return value_of_row_write(h, find_implied_rows(h), session, op);
  const uint32_t first = h->txn_first[h->session_first[session]];
  return value_of_write(session, rank(h, op) - rank(h, first));
}

uint64_t history_op_value(const struct history *h, uint32_t op) {
  assert(op < h->nops);
  if (h->value)
    return h->value[op];
  if (op_writes(h->kind[op]))
    return value_of_writer(h, op);
  if (op_is_list(h->kind[op]) || h->saw[op] == SAW_INITIAL)
    return VALUE_INITIAL;
  // A history of registers is never read like this, but a part that is held
  // against one may say so.
  return h->saw[op] < h->nops ? value_of_writer(h, h->saw[op])
                              : history_expected(h, op);
}

uint64_t history_element_value(const struct history *h, uint32_t i) {
  assert(i < h->nelements);
  return h->element_value ? h->element_value[i]
                          : value_of_writer(h, h->element[i]);
}

void history_spell_reads(struct history *h) {
  for (uint32_t op = 0; op < h->nops; op++)
    if ((h->kind[op] == OP_READ || h->kind[op] == OP_ROW) &&
        h->saw[op] < h->nops)
      h->value[op] = h->value[h->saw[op]];
    else if (is_stray(h, op))
      h->value[op] = history_expected(h, op);
  h->element_value = xmalloc_large(h->nelements, sizeof *h->element_value);
  for (uint32_t i = 0; i < h->nelements; i++)
    h->element_value[i] = h->element[i] < h->nops ? h->value[h->element[i]] : 0;
}

void history_spell_values(struct history *h) {
  if (h->value)
    return;
  h->value = xmalloc_large(h->nops, sizeof *h->value);
  if (find_implied_rows(h))
    spell_row_writes(h, find_implied_rows(h));
  for (uint32_t s = 0; s < h->nsessions && !find_implied_rows(h); s++) {
    const uint32_t end = h->txn_first[h->session_first[s + 1]];
    uint32_t n = 0;
    for (uint32_t op = h->txn_first[h->session_first[s]]; op < end; op++)
      h->value[op] = op_writes(h->kind[op]) ? value_of_write(s, n++) : 0;
  }
  history_spell_reads(h);
}

struct history history_spelt(const struct history *history) {
  struct history spelt = *history;
  history_spell_values(&spelt);
  return spelt;
}

void history_spelt_free(struct history *spelt, const struct history *history) {
  if (!history->value)
    FREE_EACH(spelt->value, spelt->element_value);
}
