// SPDX-License-Identifier: GPL-3.0-or-later
// Puts transactions together that came in pieces (recorder/transit.h): the
// pieces lie on piles of a temporary file, a pile for some thousands of
// transactions, of which one at a time is looked at.
#include "config.h"

#include "recorder/transiting.h"

#include "base/memory.h"
#include "recorder/bytes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TXNS_OF_PILE = 1 << 12 };

struct piece {
  uint32_t txn; // of which it is one, from the pile's first one on
  uint32_t session;
  const unsigned char *record; // as transit.c puts them on the spool
  size_t bytes;
};

struct pile {
  unsigned char *data;
  size_t bytes, room;
  struct piece *pieces, *sorted;
  uint32_t npieces, piece_room;
  uint32_t first[TXNS_OF_PILE + 1]; // by transaction: where, of those sorted
};

void transit_put_piece(struct transit *transit, uint32_t txn, uint32_t session,
                       size_t bytes) {
  unsigned char head[3 * PACKED_MAX], *p = head;
  p = store_packed(p, txn % TXNS_OF_PILE);
  p = store_packed(p, session);
  p = store_packed(p, bytes);
  spool_put(transit->pieces, txn / TXNS_OF_PILE, head, (size_t)(p - head));
  spool_put(transit->pieces, txn / TXNS_OF_PILE, transit->record, bytes);
}

static int load(struct pile *pile, const struct spool *spool, uint32_t number,
                struct error *error) {
  struct spool_cursor cursor = {0};
  int more;
  pile->bytes = 0;
  while ((more = spool_more(spool, number, &cursor, error)) > 0) {
    const size_t n = (size_t)(cursor.end - cursor.p);
    if (pile->room - pile->bytes < n) {
      pile->room = 2 * (pile->bytes + n);
      pile->data = xrealloc(pile->data, pile->room, 1);
    }
    memcpy(pile->data + pile->bytes, cursor.p, n);
    pile->bytes += n;
    cursor.p = cursor.end;
  }
  spool_cursor_free(&cursor);
  return more;
}

static void find_pieces(struct pile *pile) {
  const unsigned char *p = pile->data, *end = p + pile->bytes;
  pile->npieces = 0;
  while (p < end) {
    uint64_t txn, session, bytes;
    p = load_packed(p, &txn);
    p = load_packed(p, &session);
    p = load_packed(p, &bytes);
    ARRAY_RESERVE(pile->pieces, pile->npieces, pile->piece_room);
    pile->pieces[pile->npieces++] =
        (struct piece){(uint32_t)txn, (uint32_t)session, p, (size_t)bytes};
    p += bytes;
  }
}

// Those of a transaction in the order in which they came.
static void sort_pieces(struct pile *pile) {
  uint32_t next[TXNS_OF_PILE];
  memset(pile->first, 0, sizeof pile->first);
  pile->sorted = xrealloc(pile->sorted, pile->piece_room, sizeof *pile->sorted);
  for (uint32_t i = 0; i < pile->npieces; i++)
    pile->first[pile->pieces[i].txn + 1]++;
  for (uint32_t t = 0; t < TXNS_OF_PILE; t++)
    pile->first[t + 1] += pile->first[t];
  memcpy(next, pile->first, sizeof next);
  for (uint32_t i = 0; i < pile->npieces; i++)
    pile->sorted[next[pile->pieces[i].txn]++] = pile->pieces[i];
}

// What the first piece says of the transaction, and all of their operations.
static void join(struct transit *transit, const struct piece *pieces,
                 uint32_t count) {
  uint64_t nops = 0, nelements = 0, ops, elements, time;
  size_t bytes = 2 * PACKED_MAX;
  for (uint32_t i = 0; i < count; i++) {
    load_packed(load_packed(pieces[i].record, &ops), &elements);
    nops += ops;
    nelements += elements;
    bytes += pieces[i].bytes;
  }
  transit_reserve_record(transit, bytes);
  transit->too_large |= transit_is_too_large(nops, nelements);
  unsigned char *to = store_packed(transit->record, nops);
  to = store_packed(to, nelements);
  for (uint32_t i = 0; i < count; i++) {
    const unsigned char *end = pieces[i].record + pieces[i].bytes;
    const unsigned char *head =
        load_packed(load_packed(pieces[i].record, &ops), &elements);
    const unsigned char *p = head + RECORD_BYTES;
    assert(!p[-1]); // no times of operations
    p = load_packed(load_packed(p, &time), &time);
    head = i ? p : head;
    to = mempcpy(to, head, (size_t)(end - head));
  }
  spool_put(transit->spool, pieces->session, transit->record,
            (size_t)(to - transit->record));
}

static void hand_over(struct transit *transit, const struct pile *pile) {
  for (uint32_t t = 0; t < TXNS_OF_PILE; t++)
    if (pile->first[t] < pile->first[t + 1])
      join(transit, pile->sorted + pile->first[t],
           pile->first[t + 1] - pile->first[t]);
}

int transit_join_pieces(struct transit *transit, struct error *error) {
  const uint32_t npiles = transit->nwhole / TXNS_OF_PILE + 1;
  struct pile *pile = xcalloc(1, sizeof *pile);
  int status = spool_finish(transit->pieces, error);
  for (uint32_t i = 0; i < npiles && status == 0; i++) {
    status = load(pile, transit->pieces, i, error);
    find_pieces(pile);
    sort_pieces(pile);
    if (status == 0)
      hand_over(transit, pile);
  }
  free(pile->data);
  free(pile->pieces);
  free(pile->sorted);
  free(pile);
  spool_close(transit->pieces);
  transit->pieces = NULL;
  return status;
}
