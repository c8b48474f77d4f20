// SPDX-License-Identifier: GPL-3.0-or-later
// Counts what a history has (recorder/formats/content.h).
#include "config.h"

#include "recorder/formats/content.h"

#include <stddef.h>
#include <stdlib.h>

void content_value(struct content *c, uint64_t value) {
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

static void add_op(struct content *c, const struct history *h, uint32_t t,
                   uint32_t op) {
  const unsigned kind = h->kind[op];
  c->lists += op_is_list(kind);
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

void content_add(struct content *c, const struct history *h, uint32_t t) {
  c->txns++;
  c->aborted += h->outcome[t] == OUTCOME_ABORTED;
  c->unknown += h->outcome[t] == OUTCOME_UNKNOWN;
  c->times +=
      h->begin && (h->begin[t] != TIME_UNKNOWN || h->end[t] != TIME_UNKNOWN);
  c->levels += h->level[t] != ISOLATION_NONE;
  c->causes += h->cause[t] != CAUSE_NONE && h->cause[t] != CAUSE_OTHER;
  c->endpoints += h->endpoint != NULL;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    add_op(c, h, t, op);
}

void content_name(struct content *c, const struct history *h) {
  c->key_names = 0;
  c->value_names = h->nvalue_texts;
  c->large_keys = 0;
  for (uint32_t k = 0; k < h->nkeys; k++)
    if (h->key_text && h->key_text[k])
      c->key_names++;
    else
      c->large_keys += h->key_number[k] >= VALUE_NAMED;
}

struct content content_of(const struct history *history) {
  struct history spelt = *history;
  const struct history *h = &spelt;
  struct content c = {0};
  uint32_t nlost;
  uint8_t *counted = history_counted(history, &nlost);
  history_spell_values(&spelt);
  for (uint32_t t = 0; t < h->ntxns; t++) {
    content_add(&c, h, t);
    c.bereft += h->outcome[t] == OUTCOME_OK && !counted[t];
  }
  free(counted);
  for (uint32_t v = 0; h->again && v < h->nops + h->nkeys; v++)
    c.duplicates += h->again[v] != v;
  c.firsts = history->nfirst_values;
  content_name(&c, h);
  if (!history->value) {
    free(spelt.value);
    free(spelt.element_value);
  }
  return c;
}

#define COUNT(member) offsetof(struct content, member)

// What a history may have, and what becomes of it in a format that lacks it.
static const struct {
  unsigned says;
  size_t count; // where it is
  const char *what, *becomes, *unit;
} features[] = {
    {SAYS_LISTS, COUNT(lists), "lists",
     "reads become reads of the last element, appends become writes",
     "operations"},
    {SAYS_CAS, COUNT(cas), "compare-and-set", "becomes a read and a write",
     "operations"},
    {SAYS_ABORTED, COUNT(aborted), "aborted transactions", "left out",
     "transactions"},
    {SAYS_UNKNOWN, COUNT(unknown), "unknown outcomes",
     "committed where their writes were read, before what their sessions did "
     "next, else left out",
     "transactions"},
    {SAYS_SESSIONS, COUNT(unknown), "sessions beyond unknown outcomes",
     "go on as others", "transactions"},
    {SAYS_LOST, COUNT(bereft), "what depends on lost writes", "left out",
     "transactions"},
    {SAYS_UNCOMMITTED_READS, COUNT(uncommitted_reads),
     "reads of transactions that did not commit", "left out", "operations"},
    {SAYS_TIMES, COUNT(times), "times", "left out", "transactions"},
    {SAYS_OP_TIMES, COUNT(op_times), "times of operations", "left out",
     "operations"},
    {SAYS_LEVELS, COUNT(levels), "isolation levels", "left out",
     "transactions"},
    {SAYS_CAUSES, COUNT(causes), "causes of aborts", "left out",
     "transactions"},
    {SAYS_NAMES, COUNT(key_names), "names of keys", "become numbers", "keys"},
    {SAYS_FIRSTS, COUNT(firsts), "what keys held at first", "becomes nothing",
     "keys"},
    {SAYS_NAMES, COUNT(large_keys), "numbers of keys from 2^62 on",
     "all keys get others", "keys"},
    {SAYS_VALUES, COUNT(large), "numbers from 2^62 on", "become others",
     "operations"},
    {SAYS_VALUES, COUNT(value_names), "values that are no numbers",
     "become numbers", "values"},
    {SAYS_DUPLICATES, COUNT(duplicates), "equal values of a key",
     "become different ones, and a read is of the first write", "values"},
    {SAYS_ENDPOINTS, COUNT(endpoints), "hosts that transactions went to",
     "left out", "transactions"},
};
_Static_assert(sizeof features / sizeof *features <= LOSSES_MAX,
               "room for all losses");

// Where outcomes can not be unknown, what is written has committed, with its
// reads.  Where compare-and-sets can be said, so can what they expected.  Where
// writes have names, numbers are these.
static uint64_t lost(const struct content *content, size_t i,
                     const struct history_format *format) {
  const uint64_t count =
      *(const uint64_t *)((const char *)content + features[i].count);
  const bool commits = features[i].says == SAYS_UNCOMMITTED_READS &&
                       !(format->says & SAYS_UNKNOWN);
  if (format->names == NAMES_WRITES && features[i].count == COUNT(large))
    return 0;
  if (features[i].says == SAYS_UNCOMMITTED_READS && format->says & SAYS_CAS)
    return count - content->uncommitted_cas;
  return commits ? count - content->unknown_reads : count;
}

static const char *becomes(size_t i, const struct history_format *format) {
  return features[i].says == SAYS_TIMES && format->says & SAYS_ORDER
             ? "only their order is kept"
             : features[i].becomes;
}

uint32_t content_losses(const struct content *content,
                        const struct history_format *format,
                        struct loss losses[LOSSES_MAX]) {
  const unsigned says = format->says | (format->single ? 0 : SAYS_SESSIONS);
  uint32_t n = 0;
  for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
    const uint64_t count = lost(content, i, format);
    if (count && !(says & features[i].says))
      losses[n++] = (struct loss){.what = features[i].what,
                                  .becomes = becomes(i, format),
                                  .count = count,
                                  .unit = features[i].unit};
  }
  return n;
}
