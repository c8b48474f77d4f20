// SPDX-License-Identifier: GPL-3.0-or-later
// Counts what a history has (recorder/formats/content.h).
#include "config.h"

#include "recorder/formats/content.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

static void content_value(struct content *c, uint64_t value) {
  c->largest |= value == VALUE_NAMED - 1;
  if (value < VALUE_NAMED - 1 && value > c->max)
    c->max = value;
}

// A number as large as those of texts are, and no text; nor what may be
// nothing.
static bool is_large(const struct history *h, uint64_t value) {
  return value >= VALUE_NAMED && value - VALUE_NAMED >= h->nvalue_texts &&
         value != VALUE_ZERO && value != VALUE_NOBODYS;
}

static void add_op_content(struct content *c, const struct history *h,
                           uint32_t t, uint32_t op) {
  assert(op < h->nops);
  const unsigned kind = h->kind[op];
  c->lists += op_is_list(kind);
  c->sets += history_is_of_set(h, op);
  c->cas += kind == OP_CAS;
  c->uncommitted_reads += op_reads(kind) && h->outcome[t] != OUTCOME_OK;
  c->uncommitted_cas += kind == OP_CAS && h->outcome[t] != OUTCOME_OK;
  c->unknown_reads += op_reads(kind) && h->outcome[t] == OUTCOME_UNKNOWN;
  c->op_times += h->op_begin != NULL;
  content_value(c, h->value[op]);
  bool large = is_large(h, h->value[op]);
  if (kind == OP_CAS && h->saw[op] < h->nops)
    content_value(c, h->value[h->saw[op]]);
  if (kind == OP_READ_LIST)
    for (uint32_t i = h->list[h->saw[op]].first;
         i < history_list_end(h, h->saw[op]); i++) {
      content_value(c, h->element_value[i]);
      large |= is_large(h, h->element_value[i]);
    }
  c->large += large;
}

static void content_add(struct content *c, const struct history *h,
                        uint32_t t) {
  assert(t < h->ntxns);
  c->txns++;
  c->aborted += h->outcome[t] == OUTCOME_ABORTED;
  c->unknown += h->outcome[t] == OUTCOME_UNKNOWN;
  c->times +=
      h->begin && (h->begin[t] != TIME_UNKNOWN || h->end[t] != TIME_UNKNOWN);
  c->levels += h->level[t] != ISOLATION_NONE;
  c->causes += h->cause[t] != CAUSE_NONE && h->cause[t] != CAUSE_OTHER;
  c->endpoints += h->endpoint != NULL;
  if (h->rows && h->rows->times.count)
    c->op_times += h->rows->txn_statement[t + 1] - h->rows->txn_statement[t];
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    add_op_content(c, h, t, op);
}

// Rows are named by their table and key, wherever they can be said.
static bool is_named_row(const struct history *h, uint32_t key) {
  return h->rows && h->rows->key_table[key] != ROWS_NONE;
}

static void content_name(struct content *c, const struct history *h) {
  c->key_names = 0;
  c->value_names = h->nvalue_texts;
  c->large_keys = 0;
  for (uint32_t k = 0; k < h->nkeys; k++)
    if (!is_named_row(h, k)) {
      const bool named = h->key_text && h->key_text[k];
      c->key_names += named;
      c->large_keys += !named && h->key_number[k] >= VALUE_NAMED;
    }
}

struct content content_of(const struct history *h) {
  assert(h->value);
  struct content c = {0};
  uint32_t nlost;
  uint8_t *counted = history_counted(h, &nlost);
  for (uint32_t t = 0; t < h->ntxns; t++) {
    content_add(&c, h, t);
    c.bereft += h->outcome[t] == OUTCOME_OK && !counted[t];
  }
  free(counted);
  for (uint32_t v = 0; h->again && v < h->nops + h->nkeys; v++)
    c.duplicates += h->again[v] != v;
  c.firsts = h->nfirst_values;
  content_name(&c, h);
  return c;
}

#define COUNT(member) offsetof(struct content, member) // but `txns`, never 0

// Features of a history, and their loss in a format that lacks them.
static const struct {
  unsigned says;
  size_t count; // where it is
  const char *what, *becomes, *unit;
  const char *ordered;  // what it becomes where real time has an order
  size_t kept_with_cas; // not lost where compare-and-sets can be said
  size_t kept_as_ok;    // else not lost where outcomes cannot be unknown
  bool named;           // is no loss where writes have names
} features[] = {
    {FEATURE_LISTS, COUNT(lists), "lists",
     "reads become reads of the last element, appends become writes",
     .unit = "operations"},
    {FEATURE_SETS, COUNT(sets), "sets",
     "each element becomes a register of its own, and keys become numbers",
     .unit = "operations"},
    {FEATURE_CAS, COUNT(cas), "compare-and-set", "becomes a read and a write",
     .unit = "operations"},
    {FEATURE_ABORTED, COUNT(aborted), "aborted transactions", "left out",
     .unit = "transactions"},
    {FEATURE_UNKNOWN, COUNT(unknown), "unknown outcomes",
     "committed where their writes were read, before the next transaction of "
     "their session, and left out elsewhere",
     .unit = "transactions"},
    {FEATURE_SESSIONS, COUNT(unknown), "sessions beyond unknown outcomes",
     "go on as others", .unit = "transactions"},
    {FEATURE_LOST, COUNT(bereft), "transactions that depend on lost writes",
     "left out", .unit = "transactions"},
    {FEATURE_UNCOMMITTED_READS, COUNT(uncommitted_reads),
     "reads of transactions that did not commit", "left out",
     .unit = "operations", .kept_with_cas = COUNT(uncommitted_cas),
     .kept_as_ok = COUNT(unknown_reads)},
    {FEATURE_TIMES, COUNT(times), "times", "left out", .unit = "transactions",
     .ordered = "only their order is kept"},
    {FEATURE_OP_TIMES, COUNT(op_times), "times of operations", "left out",
     .unit = "operations"},
    {FEATURE_LEVELS, COUNT(levels), "isolation levels", "left out",
     .unit = "transactions"},
    {FEATURE_CAUSES, COUNT(causes), "causes of aborts", "left out",
     .unit = "transactions"},
    {FEATURE_NAMES, COUNT(key_names), "names of keys", "become numbers",
     .unit = "keys"},
    {FEATURE_FIRSTS, COUNT(firsts), "initial values of keys", "becomes nothing",
     .unit = "keys"},
    {FEATURE_NAMES, COUNT(large_keys), "numbers of keys from 2^62 on",
     "all keys get others", .unit = "keys"},
    {FEATURE_VALUES, COUNT(large), "numbers from 2^62 on", "become others",
     .unit = "operations", .named = true},
    {FEATURE_VALUES, COUNT(value_names), "values that are no numbers",
     "become numbers", .unit = "values"},
    {FEATURE_DUPLICATES, COUNT(duplicates), "equal values of a key",
     "become different ones, and a read is of the first write",
     .unit = "values"},
    {FEATURE_ENDPOINTS, COUNT(endpoints), "hosts that transactions went to",
     "left out", .unit = "transactions"},
};
_Static_assert(sizeof features / sizeof *features <= LOSSES_MAX,
               "room for all losses");

// `count`: the offset of a counter in struct content, or 0 if the row of the
// table has none; then the count is 0, too.
static uint64_t find_content_count(const struct content *content,
                                   size_t count) {
  return count ? *(const uint64_t *)((const char *)content + count) : 0;
}

static uint64_t lost(const struct content *content, size_t i,
                     const struct history_format *format) {
  const size_t kept = format->says & FEATURE_CAS ? features[i].kept_with_cas
                      : !(format->says & FEATURE_UNKNOWN)
                          ? features[i].kept_as_ok
                          : 0;
  return features[i].named && format->names == NAMES_WRITES
             ? 0
             : find_content_count(content, features[i].count) -
                   find_content_count(content, kept);
}

static const char *becomes(size_t i, const struct history_format *format) {
  return features[i].ordered && format->says & FEATURE_ORDER
             ? features[i].ordered
             : features[i].becomes;
}

uint32_t content_losses(const struct content *content,
                        const struct history_format *format,
                        struct export_loss losses[LOSSES_MAX]) {
  const unsigned says = format->says | (format->single ? 0 : FEATURE_SESSIONS);
  uint32_t n = 0;
  for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
    const uint64_t count = lost(content, i, format);
    if (count && !(says & features[i].says))
      losses[n++] = (struct export_loss){.what = features[i].what,
                                         .becomes = becomes(i, format),
                                         .count = count,
                                         .unit = features[i].unit};
  }
  return n;
}
