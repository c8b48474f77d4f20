// SPDX-License-Identifier: GPL-3.0-or-later
// What gets show of the pieces of their key (recorder/formats/kv_texts.h).  Of
// gets of which one returned the beginning of what the other did the longer one
// is taken apart, once for all of them: the ways to take a text apart up to
// some place depend on what is before that place only.
#include "config.h"

#include "base/memory.h"
#include "recorder/formats/kv_sorted.h"

#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 32 }; // things of a key that are asked for ahead

// What a text shows up to the end of a piece.
enum agreement { NOT_COMPARED, AGREES, DIFFERS, IS_AMBIGUOUS };

struct piece_end {
  uint32_t piece;
  uint16_t end;
  uint8_t agreement;
};

struct taking_apart {
  struct kv_texts *x;
  struct kv_sorted sorted; // the pieces of the key
  struct piece_end *ends;  // in what its gets returned
  uint32_t nends, ends_room;
  char *text;     // that is taken apart
  uint8_t *ways;  // to take apart what is up to there: 0, 1 or more
  uint32_t *last; // the piece that ends there
  uint32_t *noted, noted_room;
  uint32_t twice, ambiguous, hard; // a piece and gets, or NO_PIECE
  uint64_t effort;                 // at most
};

// --- What a text is made of.

// Adds the ways that go over a place.
static void go_on(struct taking_apart *a, uint32_t at, uint32_t length) {
  uint32_t i = kv_longest(&a->sorted, a->x, a->text + at, length - at);
  for (; i != NO_PLACE; i = a->sorted.pieces[i].shorter) {
    const struct sorted_piece *piece = &a->sorted.pieces[i];
    const unsigned ways = a->ways[at + piece->length] + a->ways[at];
    a->ways[at + piece->length] = ways > 2 ? 2 : (uint8_t)ways;
    a->last[at + piece->length] = piece->piece;
    a->sorted.effort++;
  }
}

// Finds in how many ways a text can be taken apart up to each place, and how.
static void count_ways(struct taking_apart *a, const struct shown *s) {
  memcpy(a->text, s->text, s->length);
  memset(a->text + s->length, 0, KV_HEAD);
  memset(a->ways, 0, s->length + 1u);
  a->ways[0] = 1;
  for (uint32_t at = 0; at < s->length && a->sorted.effort <= a->effort; at++)
    if (a->ways[at])
      go_on(a, at, s->length);
}

static void take_apart(struct taking_apart *a, struct shown *s) {
  count_ways(a, s);
  s->first_end = a->nends;
  for (uint32_t at = 1; at <= s->length; at++) {
    if (!a->ways[at])
      continue;
    ARRAY_RESERVE(a->ends, a->nends, a->ends_room);
    a->ends[a->nends++] = (struct piece_end){
        .piece = a->last[at],
        .end = (uint16_t)at,
        .agreement = a->ways[at] > 1 ? IS_AMBIGUOUS : NOT_COMPARED};
    s->nends++;
  }
}

// NULL: no piece ends there.
static struct piece_end *end_at(const struct taking_apart *a,
                                const struct shown *s, uint32_t at) {
  uint32_t low = 0, high = s->nends;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    struct piece_end *end = &a->ends[s->first_end + middle];
    if (end->end == at)
      return end;
    if (end->end < at)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

static struct piece_end *end_before(const struct taking_apart *a,
                                    const struct shown *s,
                                    const struct piece_end *end) {
  return end_at(a, s, (uint32_t)end->end - a->x->pieces[end->piece].length);
}

// --- What a get is a read of.

// Do the pieces agree with those of the gets before, and with each other?  What
// each was appended to is noted if all do: a piece that is there twice was
// appended to two.  What was compared once stays so.
static bool agree(struct taking_apart *a, const struct shown *s,
                  struct piece_end *last) {
  bool agree = true;
  uint32_t n = 0;
  struct piece_end *end = last, *next;
  for (; agree && end && end->agreement == NOT_COMPARED; end = next) {
    struct piece *piece = &a->x->pieces[end->piece];
    next = end_before(a, s, end);
    const uint32_t before = next ? next->piece : NOTHING_BEFORE;
    agree = piece->put ? before == NOTHING_BEFORE
                       : piece->before == NO_PIECE || piece->before == before;
    if (agree && piece->before == NO_PIECE) {
      ARRAY_RESERVE(a->noted, n, a->noted_room);
      a->noted[n++] = end->piece;
      piece->before = before;
    }
  }
  agree = agree && (!end || end->agreement == AGREES);
  while (!agree && n)
    a->x->pieces[a->noted[--n]].before = NO_PIECE;
  for (end = last; agree && end && end->agreement == NOT_COMPARED;
       end = end_before(a, s, end))
    end->agreement = AGREES;
  if (!agree)
    last->agreement = DIFFERS;
  return agree;
}

static bool is_given(struct taking_apart *a, uint32_t length) {
  memset(a->text + length, 0, KV_HEAD);
  const uint32_t i = kv_longest(&a->sorted, a->x, a->text, length);
  return i != NO_PLACE && a->sorted.pieces[i].length == length;
}

// All of what a get returned, as what nobody wrote: also where it is a piece,
// that others show behind another one.
static uint32_t unwritten(struct taking_apart *a, const struct shown *s,
                          uint32_t length) {
  static const char alone[] = " with nothing before it";
  memcpy(a->text, s->text, length);
  while (is_given(a, length) && length <= KV_TEXT_MOST - sizeof alone) {
    memcpy(a->text + length, alone, sizeof alone - 1);
    length += sizeof alone - 1;
  }
  return kv_add_piece(a->x, s->key, a->text, length, false, false);
}

static void read_get(struct taking_apart *a, uint32_t i) {
  struct kv_get *get = &a->x->gets[i];
  if (!get->length)
    return;
  struct shown *s = &a->x->shown[get->shown];
  if (s->first_end == NOT_TAKEN_APART)
    take_apart(a, s);
  struct piece_end *end = end_at(a, s, get->length);
  if (a->sorted.effort > a->effort)
    a->hard = a->hard == NO_PIECE ? i : a->hard;
  else if (end && end->agreement == IS_AMBIGUOUS)
    a->ambiguous = i < a->ambiguous ? i : a->ambiguous;
  else
    get->shown =
        end && agree(a, s, end) ? end->piece : unwritten(a, s, get->length);
}

// --- Key by key.

// Things of a key each, in the order of the keys.
struct grouped {
  uint32_t *first; // by key, and behind the last one
  uint32_t *members;
};

_Static_assert(!offsetof(struct piece, key) && !offsetof(struct kv_get, key),
               "what is grouped starts with its key");

static struct grouped group(const void *things, size_t size, uint32_t count,
                            uint32_t nkeys) {
  const char *thing = things;
  struct grouped g = {.first = xcalloc(nkeys + 2u, sizeof *g.first),
                      .members = xmalloc(count * sizeof *g.members)};
  for (uint32_t i = 0; i < count; i++)
    g.first[*(const uint32_t *)(thing + i * size) + 2]++;
  for (uint32_t k = 0; k < nkeys; k++)
    g.first[k + 2] += g.first[k + 1];
  for (uint32_t i = 0; i < count; i++)
    g.members[g.first[*(const uint32_t *)(thing + i * size) + 1]++] = i;
  return g;
}

static void free_group(struct grouped *g) {
  free(g->first);
  free(g->members);
}

// The first things of a key.
static uint32_t few_of(const struct grouped *g, uint32_t key,
                       const uint32_t **members) {
  const uint32_t n = g->first[key + 1] - g->first[key];
  *members = g->members + g->first[key];
  return n < AT_ONCE ? n : AT_ONCE;
}

enum distance { NEXT = 1, SECOND_NEXT, THIRD_NEXT };

// Functions that do nothing but ask are left out by GCC unless they are inlined
// before it notices.
#define ASKING static inline __attribute__((always_inline))

ASKING void expect_gets(const struct kv_texts *x, const struct grouped *gets,
                        uint32_t key, enum distance distance) {
  const uint32_t *members;
  for (uint32_t n = few_of(gets, key, &members); n; n--) {
    const struct kv_get *get = &x->gets[*members++];
    if (distance == THIRD_NEXT)
      __builtin_prefetch(get);
    else if (get->length && distance == SECOND_NEXT)
      __builtin_prefetch(&x->shown[get->shown]);
    else if (get->length)
      __builtin_prefetch(x->shown[get->shown].text);
  }
}

ASKING void expect_pieces(const struct kv_texts *x,
                          const struct grouped *pieces, uint32_t key,
                          enum distance distance) {
  const uint32_t *members;
  for (uint32_t n = few_of(pieces, key, &members); n; n--) {
    const struct piece *piece = &x->pieces[*members++];
    if (distance == SECOND_NEXT)
      __builtin_prefetch(piece);
    else if (distance == NEXT)
      __builtin_prefetch(x->bytes + piece->at);
  }
}

// A key's things are all over the log: those of the next keys are asked for in
// time, with each key what the keys before led to.
ASKING void expect_keys(const struct kv_texts *x, const struct grouped *pieces,
                        const struct grouped *gets, uint32_t key,
                        uint32_t nkeys) {
  for (int d = NEXT; d <= THIRD_NEXT && key + (uint32_t)d < nkeys; d++) {
    expect_gets(x, gets, key + (uint32_t)d, (enum distance)d);
    expect_pieces(x, pieces, key + (uint32_t)d, (enum distance)d);
  }
}

static void take_keys(struct taking_apart *a, uint32_t nkeys) {
  struct kv_texts *x = a->x;
  struct grouped pieces =
      group(x->pieces, sizeof *x->pieces, x->npieces, nkeys);
  struct grouped gets = group(x->gets, sizeof *x->gets, x->ngets, nkeys);
  for (uint32_t k = 0; k < nkeys; k++) {
    const uint32_t first = pieces.first[k];
    expect_keys(x, &pieces, &gets, k, nkeys);
    const uint32_t twice = kv_sort(&a->sorted, x, pieces.members + first,
                                   pieces.first[k + 1] - first);
    a->twice = a->twice == NO_PIECE ? twice : a->twice;
    a->nends = 0;
    for (uint32_t i = gets.first[k]; i < gets.first[k + 1]; i++)
      read_get(a, gets.members[i]);
  }
  free_group(&pieces);
  free_group(&gets);
}

static int refuse_get(const struct kv_texts *x, uint32_t i, const char *why,
                      const char *path, struct error *error) {
  const struct kv_get *get = &x->gets[i];
  return kv_refuse(path, x->shown[get->shown].text, get->length, why, error);
}

int kv_refuse(const char *path, const char *text, uint32_t length,
              const char *what, struct error *error) {
  const int shown = length < 60 ? (int)length : 60;
  return error_set(error, "%s: \"%.*s\"%s %s", path, shown, text,
                   length > 60 ? "..." : "", what);
}

static int complain(const struct taking_apart *a, const char *path,
                    struct error *error) {
  if (a->twice != NO_PIECE) {
    const struct piece *piece = &a->x->pieces[a->twice];
    return kv_refuse(path, a->x->bytes + piece->at, piece->length,
                     "is given to its key twice: gets can not be taken apart",
                     error);
  }
  if (a->hard != NO_PIECE)
    return refuse_get(a->x, a->hard,
                      "can not be taken apart: too many strings of its key "
                      "begin with others",
                      path, error);
  return a->ambiguous == NO_PIECE
             ? 0
             : refuse_get(a->x, a->ambiguous,
                          "can be taken apart in several ways", path, error);
}

int kv_take_apart(struct kv_texts *x, uint32_t nkeys, uint64_t effort,
                  const char *path, struct error *error) {
  struct taking_apart a = {.x = x,
                           .text = xmalloc(KV_TEXT_MOST + KV_HEAD),
                           .ways = xmalloc(TOKEN_MAX + 1),
                           .last = xmalloc((TOKEN_MAX + 1) * sizeof *a.last),
                           .twice = NO_PIECE,
                           .ambiguous = NO_PIECE,
                           .hard = NO_PIECE,
                           .effort = effort};
  take_keys(&a, nkeys);
  void *const owned[] = {a.sorted.pieces, a.ends, a.text,
                         a.ways,          a.last, a.noted};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
    free(owned[i]);
  return complain(&a, path, error);
}
