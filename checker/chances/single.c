// SPDX-License-Identifier: GPL-3.0-or-later
// Looks at one transaction after the other (checker/chances/single.h).
#include "config.h"

#include "checker/chances/single.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// The history of a key, by numbers of transactions from 1; 0 is none.
struct key_use {
  uint32_t user;   // the last one that used it
  uint32_t wrote;  // the last one before that wrote it
  uint32_t reads;  // of `user`, since it wrote
  uint32_t writes; // of `user`
};

static inline bool is_stopped_at_txn(const struct history *h, uint32_t t,
                                     struct patience *patience) {
  return patience_ends(patience, 1 + h->txn_first[t + 1] - h->txn_first[t]);
}

struct singles {
  const struct history *h;
  struct key_use *slots; // per key
  uint64_t *ended; // per key: when the first one that counts and wrote it had
                   // ended; NULL: time does not count
};

// The transaction of that number begins to use the key.
static void change_user(struct key_use *slot, uint32_t number) {
  if (slot->writes)
    slot->wrote = slot->user;
  slot->user = number;
  slot->reads = slot->writes = 0;
}

static void count_single_read(const struct key_use *slot, uint32_t first,
                              uint64_t count[READ_KINDS]) {
  count[READ_ANY]++;
  count[READ_WRITTEN] += slot->writes > 0;
  count[READ_REWRITTEN] += slot->writes > 1;
  count[READ_OF_SESSION] += slot->wrote >= first;
}

// `number` is that of the transaction, `first` that of its session's first.
static void look_at_txn(const struct singles *s, uint32_t number,
                        uint32_t first, uint64_t count[READ_KINDS]) {
  const struct history *h = s->h;
  const uint64_t begin = history_began(h, number - 1);
  for (uint32_t op = h->txn_first[number - 1]; op < h->txn_first[number];
       op++) {
    struct key_use *slot = &s->slots[h->key[op]];
    if (slot->user != number)
      change_user(slot, number);
    if (op_reads(h->kind[op])) {
      count_single_read(slot, first, count);
      count[READ_OF_ENDED] += s->ended && s->ended[h->key[op]] < begin;
    }
    if (op_writes(h->kind[op])) {
      count[READ_THEN_WRITTEN] += slot->reads;
      slot->reads = 0;
      slot->writes++;
    }
    slot->reads += op_reads(h->kind[op]); // what it writes itself comes later
  }
}

// See struct singles.
static uint64_t *find_first_ends(const struct history *h,
                                 const uint8_t *counted,
                                 struct patience *patience) {
  uint64_t *ended = xmalloc((h->nkeys + (size_t)1) * sizeof *ended);
  memset(ended, 0xff, (h->nkeys + (size_t)1) * sizeof *ended);
  for (uint32_t t = 0; t < h->ntxns && !is_stopped_at_txn(h, t, patience);
       t++) {
    const uint64_t end = h->end[t];
    const uint32_t after = h->txn_first[t + 1];
    for (uint32_t op = counted[t] ? h->txn_first[t] : after; op < after; op++) {
      uint64_t *first = &ended[h->key[op]];
      if (op_writes(h->kind[op]) && end < *first)
        *first = end;
    }
  }
  return ended;
}

void singles_of_reads(const struct history *h, const uint8_t *counted,
                      bool time, struct patience *patience,
                      uint64_t count[READ_KINDS]) {
  const struct singles s = {
      .h = h,
      .slots = xcalloc(h->nkeys + (size_t)1, sizeof *s.slots),
      .ended = time ? find_first_ends(h, counted, patience) : NULL};
  uint64_t n[READ_KINDS] = {0};
  for (uint32_t i = 0; i < h->nsessions; i++) {
    const uint32_t first = h->session_first[i], end = h->session_first[i + 1];
    assert(first <= end && end <= h->ntxns);
    for (uint32_t t = first; t < end && !is_stopped_at_txn(h, t, patience); t++)
      if (counted[t])
        look_at_txn(&s, t + 1, first + 1, n);
  }
  FREE_EACH(s.slots, s.ended);
  memcpy(count, n, sizeof n);
}

// --- Appends that later ones follow.

// The read's list without what its own transaction appended, which stands at
// its end.
static uint32_t length_without_own(const struct history *h, uint32_t t,
                                   uint32_t read) {
  assert(h->kind[read] == OP_READ_LIST && h->saw[read] < h->nlists);
  const struct seen_list list = h->list[h->saw[read]];
  const uint32_t *element = h->element + list.first;
  uint32_t count = list.count;
  while (count && element[count - 1] >= h->txn_first[t] &&
         element[count - 1] < h->txn_first[t + 1])
    count--;
  return count;
}

// The longest list that was read of each key, which holds all others.
static struct seen_list *find_longest_lists(const struct history *h,
                                            const uint8_t *counted,
                                            struct patience *patience) {
  struct seen_list *longest = xcalloc(h->nkeys + (size_t)1, sizeof *longest);
  for (uint32_t t = 0; t < h->ntxns && !is_stopped_at_txn(h, t, patience); t++)
    for (uint32_t op = h->txn_first[t]; counted[t] && op < h->txn_first[t + 1];
         op++) {
      if (h->kind[op] != OP_READ_LIST ||
          h->list[h->saw[op]].count <= longest[h->key[op]].count)
        continue; // without a look at its elements, which are far away
      const uint32_t count = length_without_own(h, t, op);
      if (count > longest[h->key[op]].count)
        longest[h->key[op]] =
            (struct seen_list){h->list[h->saw[op]].first, count};
    }
  return longest;
}

// Per operation: is it an append that another transaction read?
static uint8_t *find_appends_read(const struct history *h,
                                  const uint8_t *counted,
                                  struct patience *patience) {
  struct seen_list *longest = find_longest_lists(h, counted, patience);
  uint8_t *read = xcalloc(h->nops + (size_t)1, 1);
  for (uint32_t key = 0;
       key < h->nkeys && !patience_ends(patience, 1 + longest[key].count);
       key++)
    for (uint32_t i = 0; i < longest[key].count; i++)
      if (h->element[longest[key].first + i] < h->nops)
        read[h->element[longest[key].first + i]] = 1;
  free(longest);
  return read;
}

struct read_appends {
  const struct history *h;
  uint8_t *read;   // see find_appends_read
  uint32_t *later; // per key: a session + 1 that appended later what was read
  uint64_t *begun; // per key: when the last transaction began whose append was
                   // read, 0 for none; NULL: time does not count
};

static uint64_t *last_begins(const struct read_appends *a,
                             struct patience *patience) {
  const struct history *h = a->h;
  uint64_t *begun = xcalloc(h->nkeys + (size_t)1, sizeof *begun);
  for (uint32_t t = 0; t < h->ntxns && !is_stopped_at_txn(h, t, patience); t++)
    for (uint32_t op = h->txn_first[t];
         h->begin[t] != TIME_UNKNOWN && op < h->txn_first[t + 1]; op++)
      if (a->read[op] && h->begin[t] > begun[h->key[op]])
        begun[h->key[op]] = h->begin[t];
  return begun;
}

static bool is_followed(const struct read_appends *a, uint32_t t,
                        uint32_t session) {
  const struct history *h = a->h;
  bool found = false;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1] && !found; op++)
    found = h->kind[op] == OP_APPEND &&
            (a->later[h->key[op]] == session + 1 ||
             (a->begun && h->end[t] < a->begun[h->key[op]]));
  return found;
}

// The session backwards, so that what came later is known.
static uint64_t followed_in_session(struct read_appends *a, uint32_t session,
                                    struct patience *patience) {
  const struct history *h = a->h;
  uint64_t n = 0;
  for (uint32_t t = h->session_first[session + 1];
       t-- > h->session_first[session] && !is_stopped_at_txn(h, t, patience);) {
    n += h->outcome[t] == OUTCOME_OK && is_followed(a, t, session);
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      if (a->read[op])
        a->later[h->key[op]] = session + 1;
  }
  return n;
}

uint64_t singles_of_appends(const struct history *h, const uint8_t *counted,
                            bool time, struct patience *patience) {
  if (!h->lists)
    return 0;
  struct read_appends a = {.h = h,
                           .read = find_appends_read(h, counted, patience)};
  uint64_t n = 0;
  a.later = xcalloc(h->nkeys + (size_t)1, sizeof *a.later);
  a.begun = time ? last_begins(&a, patience) : NULL;
  for (uint32_t s = 0; s < h->nsessions; s++)
    n += followed_in_session(&a, s, patience);
  free(a.read);
  free(a.later);
  free(a.begun);
  return n;
}
