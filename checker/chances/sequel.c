// SPDX-License-Identifier: GPL-3.0-or-later
// Counts what came before or after (checker/chances/sequel.h).
#include "config.h"

#include "checker/chances/sequel.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

// --- Reads of earlier writes.

// Does the transaction read a key that was marked with this number before it?
// Marks what it writes.
static bool reads_marked(const struct history *h, uint32_t t, uint32_t *mark,
                         uint32_t number) {
  bool found = false;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    found |= op_reads(h->kind[op]) && mark[h->key[op]] == number;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    if (op_writes(h->kind[op]))
      mark[h->key[op]] = number;
  return found;
}

// Keys are marked with the session, from 1, that wrote them.
uint64_t sequels_of_session(const struct history *h, const uint8_t *counted) {
  uint32_t *writer = xcalloc(h->nkeys + (size_t)1, sizeof *writer);
  uint64_t n = 0;
  for (uint32_t s = 0; s < h->nsessions; s++)
    for (uint32_t t = h->session_first[s]; t < h->session_first[s + 1]; t++)
      if (counted[t])
        n += reads_marked(h, t, writer, s + 1);
  free(writer);
  return n;
}

// Per key: when the first committed transaction that wrote it had ended.
static uint64_t *first_ends(const struct history *h, const uint8_t *counted) {
  uint64_t *ended = xmalloc((h->nkeys + (size_t)1) * sizeof *ended);
  memset(ended, 0xff, (h->nkeys + (size_t)1) * sizeof *ended);
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t]; counted[t] && op < h->txn_first[t + 1];
         op++)
      if (op_writes(h->kind[op]) && h->end[t] < ended[h->key[op]])
        ended[h->key[op]] = h->end[t];
  return ended;
}

static bool reads_ended(const struct history *h, uint32_t t,
                        const uint64_t *ended) {
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    if (op_reads(h->kind[op]) && ended[h->key[op]] < h->begin[t])
      return true;
  return false;
}

uint64_t sequels_of_time(const struct history *h, const uint8_t *counted) {
  uint64_t *ended = first_ends(h, counted);
  uint64_t n = 0;
  for (uint32_t t = 0; t < h->ntxns; t++)
    n += counted[t] && reads_ended(h, t, ended);
  free(ended);
  return n;
}

// --- Appends that later ones follow.

// The read's list without what its own transaction appended, which stands at
// its end.
static uint32_t length_of(const struct history *h, uint32_t t, uint32_t read) {
  const struct seen_list list = h->list[h->saw[read]];
  const uint32_t *element = h->element + list.first;
  uint32_t count = list.count;
  while (count && element[count - 1] >= h->txn_first[t] &&
         element[count - 1] < h->txn_first[t + 1])
    count--;
  return count;
}

// The longest list that was read of each key, which holds all others.
static struct seen_list *longest_lists(const struct history *h,
                                       const uint8_t *counted) {
  struct seen_list *longest = xcalloc(h->nkeys + (size_t)1, sizeof *longest);
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t]; counted[t] && op < h->txn_first[t + 1];
         op++) {
      if (h->kind[op] != OP_READ_LIST)
        continue;
      const uint32_t count = length_of(h, t, op);
      if (count > longest[h->key[op]].count)
        longest[h->key[op]] =
            (struct seen_list){h->list[h->saw[op]].first, count};
    }
  return longest;
}

// Per operation: is it an append that another transaction read?
static uint8_t *appends_read(const struct history *h, const uint8_t *counted) {
  struct seen_list *longest = longest_lists(h, counted);
  uint8_t *read = xcalloc(h->nops + (size_t)1, 1);
  for (uint32_t key = 0; key < h->nkeys; key++)
    for (uint32_t i = 0; i < longest[key].count; i++)
      if (h->element[longest[key].first + i] < h->nops)
        read[h->element[longest[key].first + i]] = 1;
  free(longest);
  return read;
}

struct appends {
  const struct history *h;
  uint8_t *read;   // see appends_read
  uint32_t *later; // per key: a session + 1 that appended later what was read
  uint64_t *begun; // per key: when the last transaction began whose append was
                   // read, 0 for none; NULL: time does not count
};

static uint64_t *last_begins(const struct appends *a) {
  const struct history *h = a->h;
  uint64_t *begun = xcalloc(h->nkeys + (size_t)1, sizeof *begun);
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t];
         h->begin[t] != TIME_UNKNOWN && op < h->txn_first[t + 1]; op++)
      if (a->read[op] && h->begin[t] > begun[h->key[op]])
        begun[h->key[op]] = h->begin[t];
  return begun;
}

static bool is_followed(const struct appends *a, uint32_t t, uint32_t session) {
  const struct history *h = a->h;
  bool found = false;
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    found |= h->kind[op] == OP_APPEND &&
             (a->later[h->key[op]] == session + 1 ||
              (a->begun && h->end[t] < a->begun[h->key[op]]));
  return found && h->outcome[t] == OUTCOME_OK;
}

// The session backwards, so that what came later is known.
static uint64_t followed_in_session(struct appends *a, uint32_t session) {
  const struct history *h = a->h;
  uint64_t n = 0;
  for (uint32_t t = h->session_first[session + 1];
       t-- > h->session_first[session];) {
    n += is_followed(a, t, session);
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      if (a->read[op])
        a->later[h->key[op]] = session + 1;
  }
  return n;
}

uint64_t sequels_of_appends(const struct history *h, const uint8_t *counted,
                            bool time) {
  if (!h->lists)
    return 0;
  struct appends a = {.h = h, .read = appends_read(h, counted)};
  uint64_t n = 0;
  a.later = xcalloc(h->nkeys + (size_t)1, sizeof *a.later);
  a.begun = time ? last_begins(&a) : NULL;
  for (uint32_t s = 0; s < h->nsessions; s++)
    n += followed_in_session(&a, s);
  free(a.read);
  free(a.later);
  free(a.begun);
  return n;
}
