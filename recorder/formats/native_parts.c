// SPDX-License-Identifier: GPL-3.0-or-later
// Decodes the chunks of a file in our own format side by side: each thread
// those of a part of the file, with keys and scratch of its own.  Behind that,
// the keys get the ids that they have in the order of the file.
#include "config.h"

#include "recorder/formats/native.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

// Chunks that follow each other, and what was made of them.  The first part is
// the whole one, which knows what the first chunk of the file is like.
struct part {
  struct slice places;
  struct loading loading;
  struct history history; // with keys of its own
  struct error error;
  uint32_t *id;           // of its keys in the whole
  uint32_t first_element; // that it may use
  uint32_t moved;         // so far to the front its elements were
  int result;
};

struct parts {
  struct loading *l;
  struct part part[PARALLEL_MAX];
  uint32_t count;
};

static struct loading *loading_of(struct parts *parts, uint32_t i) {
  return i ? &parts->part[i].loading : parts->l;
}

// What it does not share with the whole is not there yet.  Its elements are
// behind all that the parts before it may have.
static void part_open(struct part *part, const struct loading *l) {
  part->history = *l->history;
  part->history.nkeys = 0;
  part->history.key_number = NULL;
  part->loading = *l;
  part->loading.history = &part->history;
  part->loading.error = &part->error;
  native_own_init(&part->loading);
  for (uint32_t i = 0; i < part->places.first; i++)
    part->first_element += l->places[i].header.nelements;
  part->loading.elements = part->loading.most_elements = part->first_element;
}

static void part_close(struct part *part) {
  native_own_fini(&part->loading);
  free(part->history.key_number);
  free(part->id);
}

static void decode_part(void *context, uint32_t i) {
  struct parts *parts = context;
  struct part *part = &parts->part[i];
  struct loading *l = loading_of(parts, i);
  for (uint32_t p = part->places.first; p < part->places.end && !part->result;
       p++)
    part->result = native_decode_chunk(l, &l->places[p]);
}

// --- Joining what they found.

// Chunks may say them or not.
static void join_endpoints(struct history *h, struct history *part) {
  if (part->endpoint == h->endpoint)
    return;
  if (!h->endpoint) {
    h->endpoint = part->endpoint;
    return;
  }
  for (uint32_t t = 0; part->endpoint && t < h->ntxns; t++)
    if (part->endpoint[t] != HISTORY_NO_ENDPOINT)
      h->endpoint[t] = part->endpoint[t];
  free(part->endpoint);
}

static void join_strays(struct loading *l, const struct part *part) {
  const struct loading *from = &part->loading;
  for (uint32_t i = part->places.first; i < part->places.end; i++) {
    struct place *p = &l->places[i];
    p->strays += l->nstrays;
    p->list_strays += l->nstrays;
  }
  for (uint32_t i = 0; i < from->nstrays; i++) {
    ARRAY_RESERVE(l->strays, l->nstrays, l->stray_room);
    l->strays[l->nstrays++] = from->strays[i];
  }
}

// Behind those of the parts before.
static void join_elements(struct loading *l, struct part *part) {
  const struct loading *from = &part->loading;
  const uint32_t n = from->elements - part->first_element;
  uint32_t *element = l->history->element;
  part->moved = part->first_element - l->elements;
  if (n)
    memmove(element + l->elements, element + part->first_element,
            n * sizeof *element);
  l->elements += n;
  for (uint32_t i = part->places.first; i < part->places.end; i++)
    l->places[i].piece += l->npieces;
  for (uint32_t i = 0; i < from->npieces; i++) {
    ARRAY_RESERVE(l->pieces, l->npieces, l->piece_room);
    struct piece *const piece = &l->pieces[l->npieces++];
    *piece = from->pieces[i];
    piece->first -= part->moved;
    piece->end -= part->moved;
  }
}

// In the order in which they first appear in the part, so that they get the
// ids that one thread would have given them.
static int join_keys(struct loading *l, struct part *part) {
  part->id = xmalloc(part->history.nkeys * sizeof *part->id);
  for (uint32_t k = 0; k < part->history.nkeys; k++)
    part->id[k] = native_key_id(l, part->history.key_number[k]);
  return native_mind_keys(l);
}

static void rename_keys(const struct loading *l, const struct place *p,
                        const uint32_t *id) {
  uint32_t *key = l->history->key + p->op;
  struct write *write = l->writes + p->write;
  for (uint32_t i = 0; i < p->header.nops; i++)
    key[i] = id[key[i]];
  for (uint32_t i = 0; i < p->header.nwrites; i++)
    write[i].tag =
        id[write[i].tag & ~WRITE_TAG_LIST] | (write[i].tag & WRITE_TAG_LIST);
}

static void move_lists(const struct loading *l, const struct place *p,
                       uint32_t moved) {
  struct seen_list *list = l->history->list + p->list;
  for (uint32_t i = 0; i < p->header.nlists; i++)
    list[i].first -= moved;
}

// A slice of each part, but for the first.
static void join_slices(void *context, uint32_t which) {
  struct parts *parts = context;
  for (uint32_t k = 1; k < parts->count; k++) {
    const struct part *part = &parts->part[k];
    const uint32_t n = part->places.end - part->places.first;
    const struct slice slice = slice_of(n, which, parts->count);
    for (uint32_t i = slice.first; i < slice.end; i++) {
      const struct place *p = &parts->l->places[part->places.first + i];
      rename_keys(parts->l, p, part->id);
      move_lists(parts->l, p, part->moved);
    }
  }
}

// What one thread would have come to first counts: the first part that failed.
static int join_parts(struct parts *parts) {
  struct loading *l = parts->l;
  int result = parts->part[0].result;
  for (uint32_t i = 1; i < parts->count; i++) {
    struct part *part = &parts->part[i];
    join_endpoints(l->history, &part->history);
    if (!result && (result = part->result))
      *l->error = part->error;
    if (result)
      continue;
    join_strays(l, part);
    join_elements(l, part);
    result = join_keys(l, part);
  }
  if (!result)
    parallel_do(parts->count, join_slices, parts);
  return result;
}

int native_decode_parts(struct loading *l, uint32_t from) {
  struct parts *parts = xcalloc(1, sizeof *parts);
  parts->l = l;
  parts->count = parallel_threads(l->threads);
  for (uint32_t i = 0; i < parts->count; i++) {
    struct slice *places = &parts->part[i].places;
    *places = slice_of(l->nplaces - from, i, parts->count);
    places->first += from;
    places->end += from;
    if (i)
      part_open(&parts->part[i], l);
  }
  parallel_do(parts->count, decode_part, parts);
  const int result = join_parts(parts);
  for (uint32_t i = 1; i < parts->count; i++)
    part_close(&parts->part[i]);
  free(parts);
  return result;
}
