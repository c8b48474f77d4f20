// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the longest lists (checker/longest.h).
#include "config.h"

#include "checker/longest.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

static uint32_t length_of(const struct history *h, uint32_t list) {
  return list == NONE ? 0 : h->list[list].count;
}

// Of what was seen at the place; NONE: of nobody's.
static uint32_t value_at(const struct longest *l, uint32_t list,
                         uint32_t place) {
  const uint32_t append = l->h->element[l->h->list[list].first + place];
  return append < l->h->nops ? l->value[append] : NONE;
}

static bool is_beginning(const struct longest *l, uint32_t list, uint32_t of) {
  const uint32_t n = length_of(l->h, list);
  uint32_t place = 0;
  while (place < n && value_at(l, list, place) == value_at(l, of, place))
    place++;
  return place == n;
}

static void find_longest(struct longest *l) {
  const struct history *h = l->h;
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      if (h->kind[op] == OP_READ_LIST && h->outcome[t] == OUTCOME_OK &&
          length_of(h, h->saw[op]) > length_of(h, l->list[h->key[op]]))
        l->list[h->key[op]] = h->saw[op];
}

static void find_beginnings(struct longest *l) {
  const struct history *h = l->h;
  for (uint32_t op = 0; op < h->nops; op++) {
    if (h->kind[op] != OP_READ_LIST)
      continue;
    const uint32_t list = h->saw[op], longest = l->list[h->key[op]];
    l->fits[list] = length_of(h, list) <= length_of(h, longest) &&
                    (longest == NONE || is_beginning(l, list, longest));
  }
}

static void make_room(struct longest *l) {
  const struct history *h = l->h;
  uint32_t n = 0;
  l->first = xmalloc(h->nkeys * sizeof *l->first);
  for (uint32_t key = 0; key < h->nkeys; key++) {
    l->first[key] = n;
    n += length_of(h, l->list[key]);
  }
  l->append = xmalloc(n * sizeof *l->append);
  memset(l->append, 0xff, n * sizeof *l->append);
}

void longest_open(struct longest *l, const struct history *history,
                  const uint32_t *value) {
  const struct history *h = history;
  *l = (struct longest){.h = h, .value = value};
  l->list = xmalloc(h->nkeys * sizeof *l->list);
  l->fits = xcalloc(h->nlists, 1);
  memset(l->list, 0xff, h->nkeys * sizeof *l->list);
  find_longest(l);
  find_beginnings(l);
  make_room(l);
}

void longest_close(struct longest *l) {
  free(l->list);
  free(l->fits);
  free(l->first);
  free(l->append);
}

bool longest_goes_on_with(const struct longest *l, uint32_t op,
                          uint32_t length) {
  const uint32_t list = l->list[l->h->key[op]];
  return length < length_of(l->h, list) &&
         value_at(l, list, length) == l->value[op];
}

bool longest_append(struct longest *l, uint32_t op, uint32_t length) {
  const uint32_t list = l->list[l->h->key[op]];
  if (length >= length_of(l->h, list))
    return true; // nobody has read what comes there
  if (!longest_goes_on_with(l, op, length))
    return false;
  l->append[l->first[l->h->key[op]] + length] = op;
  return true;
}

bool longest_shows(const struct longest *l, uint32_t op, uint32_t length) {
  const uint32_t list = l->h->saw[op];
  return l->fits[list] && length_of(l->h, list) == length;
}

uint32_t longest_append_at(const struct longest *l, uint32_t key,
                           uint32_t place) {
  return place < length_of(l->h, l->list[key])
             ? l->append[l->first[key] + place]
             : NONE;
}
