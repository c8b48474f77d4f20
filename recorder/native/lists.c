// SPDX-License-Identifier: GPL-3.0-or-later
// Elements of the list reads of a chunk.  Successive reads of a key mostly
// extend one another, so a read that is a prefix or an extension of the longest
// one so far shares its elements.
#include "config.h"

#include "recorder/native/native.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct longest {
  uint32_t first, count, room, piece;
};

static uint32_t add_piece(struct loading *l, struct list_piece piece) {
  assert(piece.first <= piece.end && piece.end <= l->decoder.elements);
  ARRAY_RESERVE(l->decoder.pieces, l->decoder.npieces, l->decoder.piece_room);
  l->decoder.pieces[l->decoder.npieces] = piece;
  return l->decoder.npieces++;
}

static bool all_known(const uint32_t *index, uint32_t n) {
  uint32_t unknown = 0;
  for (uint32_t i = 0; i < n; i++)
    unknown |= index[i] == INDEX_SOMEWHERE;
  return !unknown;
}

static uint32_t place_list(struct loading *l, uint32_t op,
                           const uint32_t *index, uint32_t count) {
  assert(count > 0);
  ARRAY_COVER(l->decoder.longest, l->history->key[op], l->decoder.longest_room);
  struct longest *const longest = &l->decoder.longest[l->history->key[op]];
  uint32_t *const element = l->history->element;
  const uint32_t known = longest->count, least = known < count ? known : count;
  const bool extends =
      least && !memcmp(element + longest->first, index, least * sizeof *index);
  if (extends && count <= known)
    return longest->first;
  const bool may_share = all_known(index, count);
  if (extends && may_share && count <= longest->room) {
    memcpy(element + longest->first + known, index + known,
           (count - known) * sizeof *index);
    longest->count = count;
    l->decoder.pieces[longest->piece].end = longest->first + count;
    return longest->first;
  }
  const uint32_t first = l->decoder.elements,
                 left = l->decoder.most_elements - first - count;
  const bool longer = may_share && count > known;
  uint32_t spare = longer ? count / 2 + 4 : 0;
  spare = spare < left ? spare : left;
  memcpy(element + first, index, count * sizeof *index);
  memset(element + first + count, 0, spare * sizeof *index);
  l->decoder.elements += count + spare;
  const uint32_t piece = add_piece(
      l, (struct list_piece){.op = op, .first = first, .end = first + count});
  if (longer)
    *longest = (struct longest){first, count, count + spare, piece};
  return first;
}

void native_decode_elements(const struct decoding *d, const uint32_t *lengths,
                            const struct seen *seen) {
  struct loading *l = d->l;
  struct history *h = l->history;
  const struct chunk_place *p = d->place;
  const uint32_t nelements = p->header.nelements;
  uint32_t *const indexes = xmalloc(nelements * sizeof *indexes);
  const uint32_t *index = indexes;
  struct seen_list *list = h->list + p->list;
  native_index(l, seen, 0, nelements, indexes);
  for (uint32_t op = p->op; op < p->op + p->header.nops; op++) {
    if (h->kind[op] != OP_READ_LIST)
      continue;
    const uint32_t count = *lengths++;
    l->decoder.most_elements += count;
    *list++ = (struct seen_list){
        count ? place_list(l, op, index, count) : l->decoder.elements, count};
    index += count;
  }
  free(indexes);
}
