// SPDX-License-Identifier: GPL-3.0-or-later
// The longest list that was read of each key of our own format so far: where
// its elements are, and the bytes that said them, with which other lists of the
// key are compared.
#ifndef RECORDER_FORMATS_NATIVE_KEPT_H
#define RECORDER_FORMATS_NATIVE_KEPT_H

#include "recorder/bytes.h"
#include "recorder/formats/native.h"

enum {
  KEPT_BLOCK = LIST_BLOCK, // elements that are compared, and kept, at once
  KEPT_KEYS = 1 << 12,     // whose lists are said together
  KEPT_LAYOUTS = 8,        // that lists are kept of
  KEPT_LINE = 64,          // bytes that the processor gets at once
  KEPT_SIZES = 4,          // in lines, of what is used again
};

// Where the longest list of a key is kept.
struct whereabouts {
  uint32_t at;     // among the bytes
  uint32_t layout; // of the columns that it is from
};

// The longest list of a key so far, as far as it is kept.  Behind it are blocks
// of its bytes: the sessions of so many elements, then their sequences.
struct kept {
  uint32_t first, count; // its elements
  uint32_t room;         // for so many
  uint32_t piece;        // the one that they are
};

// Lists can be compared byte by byte if all columns they are from are alike.
struct layout {
  uint64_t session_base, sequence_base;
  uint8_t session_width, sequence_width;
};

struct list_bytes {
  struct whereabouts **whereabouts; // by key: of so many each
  uint32_t nblocks;
  unsigned char *memory, *bytes; // `bytes`: its first line
  uint64_t used, most;
  // By size in lines: the last one that was freed, UINT32_MAX: none.
  uint32_t freed[KEPT_SIZES + 1];
  struct layout layouts[KEPT_LAYOUTS]; // the newest, by number % KEPT_LAYOUTS
  uint32_t oldest, nlayouts; // the first one of which lists are kept, and the
                             // last one that there was
  uint32_t now;              // the number, from 1 on, of the one at hand
  // Of lists and elements so far, that chunk's too, and of the longest list
  // before it; what lists of a key are going to be like, by that.
  uint64_t nlists, nelements;
  uint32_t longest, likely;
};

struct list_bytes *native_kept_open(const struct loading *l);

// Before a chunk of so many lists with such columns, and so many keys so far.
void native_kept_begin(struct list_bytes *b, const struct seen *seen,
                       uint32_t nlists, uint32_t nkeys);

static inline struct whereabouts *kept_where(const struct list_bytes *b,
                                             uint32_t key) {
  return &b->whereabouts[key / KEPT_KEYS][key % KEPT_KEYS];
}

// Of a key of which none is kept, any other one.
static inline struct kept *kept_at(const struct list_bytes *b, uint32_t at) {
  return (void *)(b->bytes + at);
}

static inline const struct layout *kept_layout(const struct list_bytes *b) {
  return &b->layouts[b->now % KEPT_LAYOUTS];
}

// Room for a list of this layout of which so many elements are going to be
// kept, instead of what is kept of the key; NULL: there is none.
struct kept *native_kept_take(struct list_bytes *b, struct whereabouts *place,
                              uint32_t room);

// How many elements a list of `most` or more, from element `from` of the
// columns on, has in common with the kept one, beginning with `common`, whole
// blocks, of which that is known.
uint32_t native_kept_compare(const struct list_bytes *b,
                             const struct kept *kept, const struct seen *seen,
                             size_t from, uint32_t common, uint32_t most);

// Keeps the bytes of a list, of which the first `common` are there.  `width` is
// as that of kept_beginning, or 0.
static inline __attribute__((always_inline)) void
kept_store(const struct list_bytes *b, struct kept *kept,
           const struct seen *seen, size_t from, uint32_t common,
           uint32_t width) {
  const size_t sw = width ? 1 : kept_layout(b)->session_width;
  const size_t qw = width ? width : kept_layout(b)->sequence_width;
  uint32_t done = common / KEPT_BLOCK * KEPT_BLOCK;
  unsigned char *to = (unsigned char *)(kept + 1) + done * (sw + qw);
  for (; done < kept->count; done += KEPT_BLOCK) {
    const size_t at = from + done;
    for (size_t i = 0; i < sw; i++, to += KEPT_BLOCK)
      memcpy(to, seen->session->data + sw * at + KEPT_BLOCK * i, KEPT_BLOCK);
    for (size_t i = 0; i < qw; i++, to += KEPT_BLOCK)
      memcpy(to, seen->sequence->data + qw * at + KEPT_BLOCK * i, KEPT_BLOCK);
  }
}

// The first element of a block that differs, of sessions of one byte and
// sequences of so many, one to three; or KEPT_BLOCK.
static inline __attribute__((always_inline)) uint32_t
kept_difference(const unsigned char *block, const unsigned char *session,
                const unsigned char *sequence, uint32_t width) {
  const uint32_t sessions = bytes_in_common(block, session);
  uint64_t sequences = 0;
  for (uint32_t i = 0; i < width; i++)
    sequences |= (uint64_t)bytes_in_common(block + KEPT_BLOCK * (i + 1),
                                           sequence + KEPT_BLOCK * i)
                 << KEPT_BLOCK * i;
  const uint32_t s = (uint32_t)__builtin_ctz(~sessions);
  const uint32_t q = (uint32_t)__builtin_ctzll(~sequences) / width;
  return s < q ? s : q;
}

// How many elements of a list, up to two blocks, are as in the kept one, which
// has some: of sessions of one byte and sequences of so many, one to three.
// What is behind the end of either list is compared, too.
static inline __attribute__((always_inline)) uint32_t
kept_beginning(const struct kept *kept, uint32_t count,
               const unsigned char *session, const unsigned char *sequence,
               uint32_t width) {
  const unsigned char *const block = (const unsigned char *)(kept + 1);
  const uint32_t alike = kept_difference(block, session, sequence, width);
  if (alike < KEPT_BLOCK || kept->count <= KEPT_BLOCK || count <= KEPT_BLOCK)
    return alike;
  return KEPT_BLOCK + kept_difference(block + (1 + width) * KEPT_BLOCK,
                                      session + KEPT_BLOCK,
                                      sequence + width * KEPT_BLOCK, width);
}

#endif
