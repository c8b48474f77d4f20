// SPDX-License-Identifier: GPL-3.0-or-later
// Finds who wrote what was read in a history in transit, and which unknown
// transactions count (recorder/transit.h).
#include "config.h"

#include "recorder/transiting.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int transit_visit(struct transit *transit,
                  int (*visit)(struct transit *transit, void *context),
                  void *context, struct error *error) {
  int status = 0;
  for (uint32_t s = 0; s < transit->at_hand.nsessions && status >= 0; s++) {
    struct transit_cursor cursor = {0};
    while ((status = transit_next(transit, s, &cursor, error)) > 0)
      if ((status = visit(transit, context)))
        break;
    transit_cursor_free(&cursor);
  }
  return status;
}

// What operation `op` of the one at hand wrote.
static struct item written(const struct history *h, uint32_t op) {
  return (struct item){.key = h->key[op],
                       .list = op_is_list(h->kind[op]),
                       .value = h->value[op]};
}

// --- The join.

static void tell_reads(const struct history *h, uint32_t op,
                       struct join *join) {
  struct item item = {.key = h->key[op], .value = h->value[op]};
  if (h->kind[op] == OP_READ_LIST) {
    item.list = true;
    for (uint32_t i = h->list[h->saw[op]].first;
         i < history_list_end(h, h->saw[op]); i++) {
      item.value = h->element_value[i];
      join_read(join, item);
    }
  } else if (h->saw[op] != SAW_INITIAL) {
    if (h->kind[op] == OP_CAS)
      item.value = h->value[h->saw[op]];
    join_read(join, item);
  }
}

static int tell_txn(struct transit *transit, void *context) {
  const struct history *h = &transit->at_hand;
  struct join *join = context;
  for (uint32_t op = 0; op < h->txn_first[1]; op++) {
    if (op_reads(h->kind[op]))
      tell_reads(h, op, join);
    if (op_writes(h->kind[op]) && may_be_written(transit, written(h, op)))
      join_write(join, written(h, op), transit->name[op]);
  }
  if (h->outcome[0] == OUTCOME_UNKNOWN) {
    ARRAY_RESERVE(transit->unknown, transit->nunknown, transit->unknown_room);
    transit->unknown[transit->nunknown++] = transit->number;
  }
  return 0;
}

// --- What was written twice.

struct refusal {
  const struct join *join;
  uint64_t first[JOIN_SUSPECTS_MAX]; // transactions that wrote these, + 1
  struct error *error;
};

static const char *place(const struct transit *transit, uint64_t txn,
                         char *text, size_t room) {
  uint32_t s = 0;
  while (transit->first[s + 1].txns <= txn)
    s++;
  snprintf(text, room, "session %" PRIu32 ", transaction %" PRIu64, s,
           txn - transit->first[s].txns);
  return text;
}

static int refuse_write(const struct transit *transit, uint32_t op,
                        uint64_t other, struct error *error) {
  const struct history *h = &transit->at_hand;
  char here[64], there[64], key[24], value[24];
  return error_set(error,
                   "%s: value %s is written to key %s twice, in %s and in %s: "
                   "values must be unique per key (or "
                   "--duplicate-values=allow)",
                   transit->path, history_value(h, h->value[op], value),
                   history_key(h, h->key[op], key),
                   place(transit, other, there, sizeof there),
                   place(transit, transit->number, here, sizeof here));
}

static int look_for_second(struct transit *transit, void *context) {
  const struct history *h = &transit->at_hand;
  struct refusal *refusal = context;
  for (uint32_t op = 0; op < h->txn_first[1]; op++) {
    uint32_t suspect;
    if (!op_writes(h->kind[op]) ||
        !join_is_suspect(refusal->join, written(h, op), &suspect))
      continue;
    uint64_t *first = &refusal->first[suspect];
    if (*first)
      return refuse_write(transit, op, *first - 1, refusal->error);
    *first = transit->number + 1;
  }
  return 0;
}

// Says where, of the first one.
static int refuse_duplicates(struct transit *transit, const struct join *join,
                             struct error *error) {
  struct refusal refusal = {.join = join, .error = error};
  return transit_visit(transit, look_for_second, &refusal, error);
}

// --- What counts.

// The unknown transactions that unknown ones read from: of the u-th one,
// writer[first[u]] to writer[first[u + 1]].
struct counting {
  uint32_t *first, nreaders;
  uint32_t *writer, nwriters, writer_room;
  uint32_t *todo, ntodo;
};

static int by_number(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static const uint64_t *find_unknown(const struct transit *transit,
                                    uint64_t txn) {
  return transit->nunknown ? bsearch(&txn, transit->unknown, transit->nunknown,
                                     sizeof *transit->unknown, by_number)
                           : NULL;
}

static void count(struct transit *transit, struct counting *c, uint32_t u) {
  if (!transit->counted[u])
    c->todo[c->ntodo++] = u;
  transit->counted[u] = 1;
}

// What is behind its operations has been seen.
static int note_sights(struct transit *transit, void *context) {
  const struct history *h = &transit->at_hand;
  struct counting *c = context;
  if (h->outcome[0] == OUTCOME_UNKNOWN)
    c->first[c->nreaders++] = c->nwriters;
  for (uint32_t i = h->txn_first[1]; i < h->nops; i++) {
    const uint64_t *writer = find_unknown(transit, transit->name[i]);
    if (!writer || h->outcome[0] == OUTCOME_ABORTED)
      continue;
    const uint32_t u = (uint32_t)(writer - transit->unknown);
    if (h->outcome[0] == OUTCOME_OK) {
      count(transit, c, u);
    } else {
      ARRAY_RESERVE(c->writer, c->nwriters, c->writer_room);
      c->writer[c->nwriters++] = u;
    }
  }
  return 0;
}

static int count_unknown(struct transit *transit, struct error *error) {
  const uint32_t n = transit->nunknown;
  struct counting c = {.first = xcalloc((size_t)n + 1, sizeof *c.first),
                       .todo = xmalloc(n * sizeof *c.todo)};
  transit->counted = xcalloc(n, 1);
  const int status = transit_visit(transit, note_sights, &c, error);
  c.first[c.nreaders] = c.nwriters;
  while (status == 0 && c.ntodo) {
    const uint32_t u = c.todo[--c.ntodo];
    for (uint32_t i = c.first[u]; i < c.first[u + 1]; i++)
      count(transit, &c, c.writer[i]);
  }
  free(c.first);
  free(c.writer);
  free(c.todo);
  return status;
}

bool transit_is_unknown(const struct transit *transit, uint64_t number) {
  return find_unknown(transit, number) != NULL;
}

bool transit_counts(const struct transit *transit) {
  if (transit_is_left_out(transit, transit->number))
    return false;
  if (transit->at_hand.outcome[0] == OUTCOME_OK)
    return true;
  const uint64_t *unknown = find_unknown(transit, transit->number);
  return unknown && transit->counted[unknown - transit->unknown];
}

// --- All of it.

void transit_forget_writers(struct transit *transit) {
  join_free(transit->join);
  free(transit->unknown);
  free(transit->counted);
  transit->join = NULL;
  transit->unknown = NULL;
  transit->nunknown = transit->unknown_room = 0;
  transit->counted = NULL;
}

static int join_txns(struct transit *transit, struct join *join,
                     struct error *error) {
  struct content *content = &transit->content;
  if (transit_visit(transit, tell_txn, join, error) || join_match(join, error))
    return -1;
  content->duplicates = join_duplicates(join);
  if (content->duplicates && !transit->allow_duplicates)
    return refuse_duplicates(transit, join, error);
  content->duplicates += transit->implicit ? transit->zeros : 0;
  for (uint32_t key = 0; key < transit->nuse && transit->implicit; key++)
    content->duplicates += (transit->use[key].as & OF_ZERO) != 0;
  return 0;
}

int transit_join(struct transit *transit, enum names names, bool decide,
                 struct error *error) {
  transit_forget_writers(transit);
  transit->names = names;
  struct join *join = join_open(transit->beside, transit->nwrites, error);
  if (!join)
    return -1;
  int status = join_txns(transit, join, error);
  transit->join = join;
  if (status == 0 && decide)
    status = count_unknown(transit, error);
  return status;
}

int transit_find_writers(struct transit *transit,
                         const struct history_format *format,
                         struct error *error) {
  const bool decide =
      transit->content.unknown && !(format->says & SAYS_UNKNOWN);
  transit_forget_writers(transit);
  transit->names = format->names;
  if (!format->names && !decide)
    return 0;
  const int status =
      transit_join(transit, format->names ? format->names : NAMES_TRANSACTIONS,
                   decide, error);
  if (status || !format->names) {
    join_free(transit->join);
    transit->join = NULL;
  }
  return status;
}

void transit_rewind(struct transit *transit) {
  if (transit->join)
    join_rewind(transit->join);
}
