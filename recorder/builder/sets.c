// SPDX-License-Identifier: GPL-3.0-or-later
// Sets to which transactions add (builder_set, builder_add).  A read of a set
// says of each element whether whoever added it was seen, and nothing else: so
// each element becomes a register, which holds nothing until the element is
// added.  A read of the set reads all of these registers; adding an element
// writes its own.  Two elements are two registers, so nothing is said about the
// order in which they were added, and adding them is no write-write conflict.
//
// The elements that a read found come before those that it did not find.  At
// READ COMMITTED, where each register that is read counts alone, a read then
// still sees all that one transaction added to the set, or nothing of it.
#include "config.h"

#include "recorder/builder/building.h"

#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// A file may have so many registers read, and so many more for each element or
// operation that it tells: a small file cannot ask for much memory.
enum { READS_OF_ANY_FILE = 1 << 20, READS_PER_ENTRY = 64 };

// The registers of elements hold these until their reads are resolved, whatever
// other registers hold at first.
#define FOUND (VALUE_NOBODYS + 1)
#define NOT_FOUND (VALUE_NOBODYS + 2)

// Numbers of keys that no file has: until their sets' are put in their place.
#define FRESH_KEY(id) (VALUE_NOBODYS + 3 + (id))

#define NO_MEMBER UINT32_MAX

struct told_sets {
  struct seen_list *reads; // their elements
  uint32_t nreads, reads_room;
  uint64_t *elements;
  uint32_t nelements, elements_room;
  uint64_t *line; // by key id: where it was first a set; 0: nowhere
  uint32_t nlines;
};

// --- What is told.

static struct told_sets *told_sets(struct builder *b) {
  if (!b->sets)
    b->sets = xcalloc(1, sizeof *b->sets);
  return b->sets;
}

static void note_line(struct builder *b, uint32_t op, uint64_t line) {
  struct told_sets *sets = told_sets(b);
  const uint32_t key = b->h.key[op];
  ARRAY_COVER(sets->line, key, sets->nlines);
  if (!sets->line[key])
    sets->line[key] = line;
}

void builder_add(struct builder *b, uint64_t key, uint64_t element,
                 uint64_t line) {
  note_line(b, builder_add_op(b, OP_SET_ADD, key, element), line);
}

void builder_set(struct builder *b, uint64_t key, const uint64_t *elements,
                 uint32_t count, uint64_t line) {
  struct told_sets *sets = told_sets(b);
  if (count > HISTORY_MAX - 1 - sets->nelements) {
    b->too_large = true;
    count = 0;
  }
  const uint32_t op = builder_add_op(b, OP_SET_READ, key, 0);
  note_line(b, op, line);
  b->h.saw[op] = sets->nreads;
  ARRAY_RESERVE(sets->reads, sets->nreads, sets->reads_room);
  sets->reads[sets->nreads++] = (struct seen_list){sets->nelements, count};
  for (uint32_t i = 0; i < count; i++) {
    ARRAY_RESERVE(sets->elements, sets->nelements, sets->elements_room);
    sets->elements[sets->nelements++] = elements[i];
  }
}

void builder_free_sets(struct builder *b) {
  if (b->sets)
    FREE_EACH(b->sets->reads, b->sets->elements, b->sets->line);
  FREE_EACH(b->sets, b->member);
}

// --- Which keys are sets.

enum use { USE_SET = 1, USE_LIST = 2, USE_REGISTER = 4, USE_WRITE = 8 };

static unsigned set_use(unsigned kind) {
  return kind == OP_SET_READ || kind == OP_SET_ADD ? USE_SET
         : kind == OP_NOTHING                      ? 0
         : op_is_list(kind)                        ? USE_LIST
         : kind == OP_WRITE                        ? USE_WRITE
                                                   : USE_REGISTER;
}

// Uses of a key that is a set.
static unsigned others_uses(const struct builder *b) {
  return USE_LIST | USE_REGISTER | (b->options.writes_add ? 0 : USE_WRITE);
}

static int refuse_use(const struct builder *b, uint32_t op,
                      struct error *error) {
  const uint32_t key = b->h.key[op];
  const unsigned use = set_use(b->h.kind[op]);
  uint32_t t = b->h.ntxns - 1, before = 0;
  char number[24];
  while (b->h.txn_first[t] > op)
    t--;
  for (uint32_t i = 0; i < t; i++)
    before += b->session_number[i] == b->session_number[t];
  snprintf(number, sizeof number, "%" PRIu64, b->keys.numbers[key]);
  return error_set(error,
                   "key %s is a set in line %" PRIu64 ", and a %s in session "
                   "%" PRIu64 ", transaction %" PRIu32
                   ": it can only be one of them",
                   key < b->nnames && b->names[key] ? b->names[key] : number,
                   b->sets->line[key], use == USE_LIST ? "list" : "register",
                   b->session_number[t], before);
}

// Sets `*used` to the uses of each key.  Where writing a register and adding to
// a set look alike, a key that is only written is a set if no register is read:
// this demands less of the database, since adding is no write-write conflict.
static int find_sets(const struct builder *b, uint8_t *used,
                     struct error *error) {
  unsigned all = 0;
  for (uint32_t op = 0; op < b->h.nops; op++) {
    used[b->h.key[op]] |= (uint8_t)set_use(b->h.kind[op]);
    all |= set_use(b->h.kind[op]);
  }
  for (uint32_t op = 0; op < b->h.nops; op++)
    if (used[b->h.key[op]] & USE_SET && set_use(b->h.kind[op]) & others_uses(b))
      return refuse_use(b, op, error);
  for (uint32_t key = 0; key < b->keys.count; key++) {
    if (b->options.writes_add && !(all & USE_REGISTER) &&
        used[key] == USE_WRITE)
      used[key] |= USE_SET;
    if (used[key] & USE_SET && key < b->nfirst &&
        b->first_value[key] != VALUE_INITIAL)
      return error_set(error,
                       "key %s is a set, and held something before all "
                       "transactions: only registers may",
                       b->names[key]);
  }
  return 0;
}

// --- A register for each element.

// The registers, chained by set.
struct members {
  struct number_map elements; // their values
  struct number_map pairs;    // of a set and such a value: a register
  uint32_t *key;              // by register: its key
  uint32_t *next;             // of the same set; NO_MEMBER: none
  uint32_t *first, *count;    // by key of a set
  uint32_t *found;            // by register: the last read that found it, + 1
  uint32_t room;
};

static uint32_t member_of(struct members *m, uint32_t set, uint64_t element) {
  const uint64_t value = number_map_id(&m->elements, element);
  return number_map_id(&m->pairs, (uint64_t)set << 32 | value);
}

// The first register of a set gets its key, the others get new ones.
static uint32_t key_of_member(struct builder *b, struct members *m,
                              uint32_t set) {
  if (m->first[set] == NO_MEMBER)
    return set;
  const uint32_t key =
      number_map_id(&b->keys, FRESH_KEY((uint64_t)b->keys.count));
  const uint64_t number = b->keys.numbers[key];
  if (set < b->nnames && b->names[set])
    builder_name_key(b, number, b->names[set]);
  return key;
}

static void make_member(struct builder *b, struct members *m, uint32_t set,
                        uint64_t element) {
  const uint32_t before = m->pairs.count;
  const uint32_t i = member_of(m, set, element);
  if (i < before)
    return;
  if (i == m->room) {
    m->room = m->room ? 2 * m->room : 64;
    m->key = xrealloc(m->key, m->room, sizeof *m->key);
    m->next = xrealloc(m->next, m->room, sizeof *m->next);
  }
  m->key[i] = key_of_member(b, m, set);
  m->next[i] = m->first[set];
  m->first[set] = i;
  m->count[set]++;
  while (b->nmembers <= m->key[i]) {
    ARRAY_RESERVE(b->member, b->nmembers, b->member_room);
    b->member[b->nmembers++] = (struct member_key){UINT32_MAX, 0};
  }
  b->member[m->key[i]] = (struct member_key){set, element};
}

static bool is_set_operation(const struct builder *b, const uint8_t *used,
                             uint32_t op) {
  return used[b->h.key[op]] & USE_SET;
}

// A set of which nobody knows an element has one that is none.
static void make_members(struct builder *b, struct members *m,
                         const uint8_t *used, uint32_t nkeys) {
  const struct told_sets *sets = b->sets;
  m->first = xmalloc(nkeys * sizeof *m->first);
  m->count = xcalloc(nkeys, sizeof *m->count);
  memset(m->first, 0xff, nkeys * sizeof *m->first);
  for (uint32_t op = 0; op < b->h.nops; op++) {
    const uint32_t key = b->h.key[op];
    if (!is_set_operation(b, used, op))
      continue;
    if (op_writes(b->h.kind[op]))
      make_member(b, m, key, b->h.value[op]);
    else if (b->h.kind[op] == OP_SET_READ)
      for (uint32_t i = 0; i < sets->reads[b->h.saw[op]].count; i++)
        make_member(b, m, key,
                    sets->elements[sets->reads[b->h.saw[op]].first + i]);
  }
  for (uint32_t set = 0; set < nkeys; set++)
    if (used[set] & USE_SET && m->first[set] == NO_MEMBER)
      make_member(b, m, set, VALUE_NOBODYS);
  m->found = xcalloc(m->pairs.count, sizeof *m->found);
}

static void members_free(struct members *m) {
  number_map_free(&m->elements);
  number_map_free(&m->pairs);
  FREE_EACH(m->key, m->next, m->first, m->count, m->found);
}

// --- The operations.

// The elements that the `nth` read found, counted from 1, and then the others.
static void put_set_read(const struct builder *b, struct members *m,
                         uint32_t op, uint32_t nth, struct history *to) {
  const struct told_sets *sets = b->sets;
  const uint32_t set = b->h.key[op];
  const struct seen_list none = {0, 0};
  const struct seen_list read =
      b->h.kind[op] == OP_SET_READ ? sets->reads[b->h.saw[op]] : none;
  for (uint32_t i = read.first; i < read.first + read.count; i++) {
    const uint32_t member = member_of(m, set, sets->elements[i]);
    if (m->found[member] != nth)
      history_append(to, OP_READ, m->key[member], FOUND, 0);
    m->found[member] = nth;
  }
  for (uint32_t i = m->first[set]; i != NO_MEMBER; i = m->next[i])
    if (m->found[i] != nth)
      history_append(to, OP_READ, m->key[i], NOT_FOUND, 0);
}

static void put_set_operations(const struct builder *b, struct members *m,
                               const uint8_t *used, struct history *to) {
  uint32_t nth = 0, op = 0;
  for (uint32_t t = 0; t < b->h.ntxns; t++) {
    const uint32_t end = t + 1 < b->h.ntxns ? b->h.txn_first[t + 1] : b->h.nops;
    to->txn_first[t] = to->nops;
    for (; op < end; op++)
      if (!is_set_operation(b, used, op))
        history_append(to, b->h.kind[op], b->h.key[op], b->h.value[op],
                       b->h.saw[op]);
      else if (op_writes(b->h.kind[op]))
        history_append(to, OP_WRITE,
                       m->key[member_of(m, b->h.key[op], b->h.value[op])],
                       FOUND, 0);
      else
        put_set_read(b, m, op, ++nth, to);
  }
}

static int count_set_operations(const struct builder *b,
                                const struct members *m, const uint8_t *used,
                                uint32_t *count, struct error *error) {
  uint64_t reads = 0, nreads = 0, others = 0;
  for (uint32_t op = 0; op < b->h.nops; op++) {
    const bool read =
        is_set_operation(b, used, op) && !op_writes(b->h.kind[op]);
    reads += read ? m->count[b->h.key[op]] : 0;
    nreads += read;
    others += !read;
  }
  const uint64_t most =
      READS_OF_ANY_FILE +
      READS_PER_ENTRY * ((uint64_t)b->sets->nelements + b->h.nops);
  *count = (uint32_t)(reads + others);
  if (reads <= most && reads + others < HISTORY_MAX - 1)
    return 0;
  return error_set(error,
                   "%" PRIu64 " reads of sets say of %" PRIu64 " elements that "
                   "they are there or not: at most %" PRIu64
                   " of these can be loaded here; leave out some reads",
                   nreads, reads,
                   most < HISTORY_MAX - 1 - others ? most
                                                   : HISTORY_MAX - 1 - others);
}

static int spread(struct builder *b, struct members *m, const uint8_t *used,
                  struct error *error) {
  uint32_t count;
  if (count_set_operations(b, m, used, &count, error))
    return -1;
  struct history wider = b->h;
  wider.nops = 0;
  wider.kind = NULL;
  wider.key = wider.saw = NULL;
  wider.value = NULL;
  history_reserve_ops(&wider, (size_t)count + 1);
  put_set_operations(b, m, used, &wider);
  assert(wider.nops == count);
  FREE_EACH(b->h.kind, b->h.key, b->h.value, b->h.saw);
  b->h = wider;
  b->op_room = count + 1;
  return 0;
}

int builder_spread_sets(struct builder *b, struct error *error) {
  if (!b->sets || b->too_large)
    return 0;
  if (b->rows)
    return error_set(error,
                     "a history has statements of SQL or sets, not both");
  const uint32_t nkeys = b->keys.count;
  struct members m = {0};
  uint8_t *used = xcalloc(nkeys, 1);
  int status = find_sets(b, used, error);
  if (status == 0) {
    make_members(b, &m, used, nkeys);
    status = spread(b, &m, used, error);
  }
  members_free(&m);
  free(used);
  return status;
}

// --- What the history says of them.

void builder_hand_over_sets(struct builder *b, struct history *h) {
  if (!b->nmembers)
    return;
  h->member = xmalloc(h->nkeys * sizeof *h->member);
  for (uint32_t key = 0; key < h->nkeys; key++) {
    const bool is = key < b->nmembers && b->member[key].set != UINT32_MAX;
    h->member[key] = is ? b->member[key].element : NOT_A_MEMBER;
    h->key_number[key] = h->key_number[is ? b->member[key].set : key];
  }
}

// Where values are inferred from first reads, an element that nobody added may
// have been there at first: then it is not there where it was not found.
void history_see_members(struct history *h, bool first_reads) {
  uint8_t *added = xcalloc(h->nkeys, 1);
  for (uint32_t op = 0; op < h->nops; op++)
    added[h->key[op]] |= op_writes(h->kind[op]);
  for (uint32_t op = 0; op < h->nops; op++)
    if (history_is_of_set(h, op) && h->value[op] == NOT_FOUND &&
        (added[h->key[op]] || !first_reads))
      h->saw[op] = SAW_INITIAL;
  free(added);
}

void history_name_members(struct history *h) {
  for (uint32_t op = 0; op < h->nops; op++)
    if (history_is_of_set(h, op))
      h->value[op] =
          h->value[op] == FOUND ? h->member[h->key[op]] : VALUE_NOBODYS;
}
