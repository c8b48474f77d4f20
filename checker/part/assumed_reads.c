// SPDX-License-Identifier: GPL-3.0-or-later
// Takes reads to have seen what a verdict says (checker/part/assumed_reads.h).
#include "config.h"

#include "checker/part/assumed_reads.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

// Per version (history->again) the first one of the same value.
static uint32_t *first_of_equals(const struct history *h) {
  const uint32_t n = h->nops + h->nkeys;
  uint32_t *first = ids_none(n);
  for (uint32_t v = 0; v < n; v++)
    for (uint32_t w = v; first[w] == UINT32_MAX; w = h->again[w])
      first[w] = v;
  return first;
}

// The operation whose list read has the element.
static uint32_t *read_of_elements(const struct history *h) {
  const uint32_t n = h->nelements;
  uint32_t *read = xmalloc(n * sizeof *read);
  for (uint32_t op = 0; op < h->nops; op++)
    if (h->kind[op] == OP_READ_LIST)
      for (uint32_t e = h->list[h->saw[op]].first;
           e < history_list_end(h, h->saw[op]); e++)
        read[e] = op;
  return read;
}

static uint32_t version_assumed(const struct history *h, uint32_t key,
                                uint32_t saw) {
  return saw == SAW_INITIAL ? h->nops + key : saw;
}

// May what saw `now` have seen `writer` instead?
static bool is_equal(const struct assumed_reads *s, uint32_t key, uint32_t now,
                     uint32_t writer) {
  const uint32_t n = s->h->nops + s->h->nkeys;
  const uint32_t one = version_assumed(s->h, key, now);
  const uint32_t other = version_assumed(s->h, key, writer);
  return one < n && other < n && s->first[one] == s->first[other] &&
         (writer < s->h->nops || writer == SAW_INITIAL);
}

// Where what was seen at the place is kept, and the key; NULL: it is no read.
static uint32_t *assumed_read_at(const struct assumed_reads *s, uint32_t place,
                                 uint32_t *key) {
  struct history *h = s->h;
  if (place < h->nops) {
    *key = h->key[place];
    return op_reads(h->kind[place]) && h->kind[place] != OP_READ_LIST
               ? &h->saw[place]
               : NULL;
  }
  place -= h->nops;
  if (place >= h->nelements)
    return NULL;
  *key = h->key[s->read[place]];
  return &h->element[place];
}

// --- Public.

void assumed_reads_open(struct assumed_reads *s, struct history *history) {
  *s = (struct assumed_reads){.h = history};
  if (!history->again)
    return;
  s->first = first_of_equals(history);
  s->read = read_of_elements(history);
}

void assumed_reads_close(struct assumed_reads *s) {
  FREE_EACH(s->first, s->read);
}

int assumed_reads_take(struct assumed_reads *s,
                       const struct assumed_read *assumed_reads, uint32_t count,
                       struct error *error) {
  assert(count == 0 || assumed_reads);
  if (count && !s->h->again)
    return error_set(error, "the witness says that a value has several "
                            "writers, and it was written once");
  for (uint32_t i = 0; i < count; i++) {
    uint32_t key;
    uint32_t *saw = assumed_read_at(s, assumed_reads[i].place, &key);
    if (!saw || !is_equal(s, key, *saw, assumed_reads[i].writer))
      return error_set(
          error, "read %u cannot have seen the write that the witness names",
          assumed_reads[i].place);
    *saw = assumed_reads[i].writer;
  }
  return 0;
}
