// SPDX-License-Identifier: GPL-3.0-or-later
// Takes first reads for initial values in a history in transit, as
// history_take_first_reads does in memory (recorder/initial.h).
#include "config.h"

#include "recorder/transiting.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// What was read first of a key of what nobody wrote.
struct first_read {
  uint64_t since; // when
  bool found;
  bool unsure; // some compare-and-set may have seen it, or not
};

struct finding {
  struct first_read *first; // by key
  struct start *start;
  struct content content; // of what is left
};

// Is it from thin air?  It may also have been lost.
static bool is_thin_air(const struct transit *transit, uint32_t saw,
                        uint64_t value) {
  return transit_is_nobodys(transit, saw) && !transit_is_lost(transit, value);
}

// The elements at the front of a list read that nobody appended.
static uint32_t unknown_front(const struct transit *transit,
                              struct seen_list list) {
  const struct history *h = &transit->at_hand;
  uint32_t n = 0;
  while (n < list.count && is_thin_air(transit, h->element[list.first + n],
                                       h->element_value[list.first + n]))
    n++;
  return n;
}

// What a register read, or a compare-and-set expected.
static uint64_t value_seen(const struct history *h, uint32_t op) {
  return h->kind[op] == OP_CAS && h->saw[op] < h->nops ? h->value[h->saw[op]]
                                                       : h->value[op];
}

static uint64_t when(const struct transit *transit) {
  const struct history *h = &transit->at_hand;
  return transit->times && h->begin[0] != TIME_UNKNOWN
             ? h->begin[0]
             : transit->number - transit->first[transit->hand_session].txns;
}

// Is it the first one of the key so far?  Then what was is forgotten.
static bool comes_first(const struct transit *transit,
                        const struct finding *finding, uint32_t key) {
  const uint64_t now = when(transit);
  struct first_read *first = &finding->first[key];
  if (first->found && first->since <= now)
    return false;
  first->found = true;
  first->since = now;
  free(finding->start[key].front);
  finding->start[key] = (struct start){0};
  return true;
}

static void note_list(const struct transit *transit, uint32_t op,
                      const struct finding *finding) {
  const struct history *h = &transit->at_hand;
  const struct seen_list list = h->list[h->saw[op]];
  const uint32_t n = unknown_front(transit, list);
  struct start *start = &finding->start[h->key[op]];
  if ((!n && list.count) || !comes_first(transit, finding, h->key[op]))
    return;
  start->nfront = n;
  start->front = xmalloc(n * sizeof *start->front);
  if (n)
    memcpy(start->front, h->element_value + list.first,
           n * sizeof *start->front);
}

static void note_register(const struct transit *transit, uint32_t op,
                          const struct finding *finding) {
  const struct history *h = &transit->at_hand;
  const uint64_t value = value_seen(h, op);
  const uint32_t key = h->key[op];
  if (h->saw[op] == SAW_INITIAL || !is_thin_air(transit, h->saw[op], value))
    return;
  finding->first[key].unsure |= h->kind[op] == OP_CAS && transit->blind_cas;
  if (comes_first(transit, finding, key))
    finding->start[key].value = value;
}

static int note_reads(struct transit *transit, void *context) {
  const struct history *h = &transit->at_hand;
  if (!transit_counts(transit))
    return 0;
  for (uint32_t op = 0; op < h->txn_first[1]; op++)
    if (h->kind[op] == OP_READ_LIST)
      note_list(transit, op, context);
    else if (op_reads(h->kind[op]))
      note_register(transit, op, context);
  return 0;
}

// Gives up the fronts of keys of which some list does not start with it.
static int doubt_fronts(struct transit *transit, void *context) {
  const struct history *h = &transit->at_hand;
  const struct finding *finding = context;
  if (!transit_counts(transit))
    return 0;
  for (uint32_t op = 0; op < h->txn_first[1]; op++) {
    struct start *start = &finding->start[h->key[op]];
    if (h->kind[op] != OP_READ_LIST || !start->nfront)
      continue;
    const struct seen_list list = h->list[h->saw[op]];
    if (list.count < start->nfront ||
        memcmp(h->element_value + list.first, start->front,
               start->nfront * sizeof *start->front))
      start->nfront = 0;
  }
  return 0;
}

// A list that is read first says of a register that it held nothing, which
// somebody may have written.
static void settle(struct transit *transit, const struct finding *finding) {
  for (uint32_t key = 0; key < transit->nuse; key++)
    finding->start[key].held = finding->first[key].found &&
                               !finding->first[key].unsure &&
                               !(transit->use[key].as & OF_ZERO &&
                                 finding->start[key].value == VALUE_INITIAL);
  transit->start = finding->start;
}

static int add_content(struct transit *transit, void *context) {
  struct finding *finding = context;
  content_add(&finding->content, &transit->at_hand, 0);
  return 0;
}

int transit_take_first_reads(struct transit *transit, struct error *error) {
  struct finding finding = {
      .first = xcalloc(transit->nuse, sizeof *finding.first),
      .start = xcalloc(transit->nuse, sizeof *finding.start)};
  transit_rewind(transit);
  int status = transit_visit(transit, note_reads, &finding, error);
  transit_rewind(transit);
  if (status == 0)
    status = transit_visit(transit, doubt_fronts, &finding, error);
  settle(transit, &finding);
  join_free(transit->join); // of what is left, reads have other places
  transit->join = NULL;
  if (status == 0)
    status = transit_visit(transit, add_content, &finding, error);
  transit->content.max = finding.content.max;
  transit->content.largest = finding.content.largest;
  transit->content.large = finding.content.large;
  free(finding.first);
  return status;
}
