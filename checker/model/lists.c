// SPDX-License-Identifier: GPL-3.0-or-later
// Lists: the longest list that was read of a key is the order of its versions,
// and every other list read must be a prefix of it.  A transaction's appends to
// a key are one version, which nobody else may see parts of.  What was appended
// but never read comes after all that was read.
#include "config.h"

#include "checker/model/model.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct lists {
  struct model *m;
  // Per key: what the current transaction did, as in reads.c.
  uint32_t *read, *write;
  uint32_t *own_before; // per append: the transaction's append before it
  uint32_t *met;        // per operation: the walk that met it last
  uint32_t walks;
  uint32_t *length;  // per list: without the reader's own appends
  uint32_t *longest; // per key: the read of the longest list, NO_ID for none
  uint32_t *last;    // per key: the last version whose place is known
};

// A list read without the appends of the reader itself.
struct list_prefix {
  const uint32_t *element;
  uint32_t length;
};

static struct list_prefix prefix_seen(const struct lists *l, uint32_t op) {
  const struct history *h = l->m->h;
  const uint32_t list = h->saw[op];
  return (struct list_prefix){h->element + h->list[list].first,
                              l->length[list]};
}

static bool is_own_append(uint32_t op, uint32_t first, uint32_t end) {
  return op >= first && op < end;
}

// The list does not end in the appends that the transaction made before, or
// (`at_end`) has appends of its own elsewhere too.
static void note_own_appends(struct model *m, uint32_t op,
                             struct list_prefix list, bool at_end,
                             uint32_t own_write) {
  const uint32_t first = m->h->txn_first[m->txn_of[op]];
  const uint32_t end = m->h->txn_first[m->txn_of[op] + 1];
  uint32_t future = NO_ID;
  bool some = false, last = false, thin_air = false;
  for (uint32_t i = 0; i < list.length; i++) {
    thin_air |= list.element[i] == SAW_THIN_AIR;
    some |= is_own_append(list.element[i], first, op);
    last |= list.element[i] == own_write;
    if (is_own_append(list.element[i], op + 1, end))
      future = list.element[i];
  }
  if (thin_air)
    wrong_read_note(m, ANOMALY_THIN_AIR_READ, op, SAW_THIN_AIR);
  else if (future != NO_ID)
    wrong_read_note(m, ANOMALY_FUTURE_READ, op, future);
  else if (at_end)
    wrong_read_note(m, ANOMALY_DUPLICATE_ELEMENT, op, op);
  else
    wrong_read_note(
        m, some && !last ? ANOMALY_NOT_MY_LAST_WRITE : ANOMALY_NOT_MY_OWN_WRITE,
        op, own_write);
}

// Cuts the reader's own appends off; false if they are not as they should be.
static bool cut_own_appends(const struct lists *l, struct list_prefix *list,
                            uint32_t own_write) {
  for (uint32_t own = own_write; own != NO_ID; own = l->own_before[own])
    if (!list->length || list->element[--list->length] != own)
      return false;
  return true;
}

// The last append of the current transaction, which starts at `first`.
static uint32_t own_append(const struct lists *l, uint32_t key,
                           uint32_t first) {
  const uint32_t own = l->write[key];
  return own != NO_ID && own >= first ? own : NO_ID;
}

// Is something in the list that the transaction from `first` to `end`
// appended?  That it appended nothing to the key is often seen sooner.
static bool has_own(const struct history *h, struct list_prefix list,
                    uint32_t key, uint32_t first, uint32_t end) {
  bool some = false;
  for (uint32_t op = first; op < end && end - first < list.length; op++)
    some |= h->kind[op] == OP_APPEND && h->key[op] == key;
  if (!some && end - first < list.length)
    return false;
  some = false;
  for (uint32_t i = 0; i < list.length; i++)
    some |= is_own_append(list.element[i], first, end);
  return some;
}

// Finds what a list read saw of others; false if its own appends are wrong.
static bool take_prefix(struct lists *l, uint32_t op, uint32_t first,
                        struct list_prefix *seen) {
  const struct history *h = l->m->h;
  const uint32_t list = h->saw[op], end = h->txn_first[l->m->txn_of[op] + 1];
  const uint32_t own_write = own_append(l, h->key[op], first);
  const struct list_prefix whole = {h->element + h->list[list].first,
                                    h->list[list].count};
  *seen = whole;
  const bool at_end = cut_own_appends(l, seen, own_write);
  const bool right = at_end && !has_own(h, *seen, h->key[op], first, end);
  if (!right)
    note_own_appends(l->m, op, whole, at_end, own_write);
  return right;
}

static uint32_t version_of_prefix(const struct model *m,
                                  struct list_prefix list, uint32_t key) {
  if (!list.length)
    return m->h->nops + key;
  const uint32_t last = list.element[list.length - 1];
  return last < m->h->nops ? last : NO_ID; // out of thin air
}

static void note_list_read(struct lists *l, uint32_t op, uint32_t first) {
  assert(l->m->h->kind[op] == OP_READ_LIST);
  struct model *m = l->m;
  const uint32_t key = m->h->key[op];
  struct list_prefix seen;
  if (!take_prefix(l, op, first, &seen))
    return;
  l->length[m->h->saw[op]] = seen.length;
  if (l->longest[key] == NO_ID ||
      seen.length > prefix_seen(l, l->longest[key]).length)
    l->longest[key] = op;
  const bool again = l->read[key] != NO_ID && l->read[key] >= first;
  if (again && prefix_seen(l, l->read[key]).length == seen.length)
    return;
  if (again)
    wrong_read_note(m, ANOMALY_NON_REPEATABLE_READS, op, l->read[key]);
  else
    l->read[key] = op;
  m->sees[op] = version_of_prefix(m, seen, key);
}

static void note_append(struct lists *l, uint32_t op, uint32_t first) {
  assert(l->m->h->kind[op] == OP_APPEND);
  const uint32_t key = l->m->h->key[op], before = l->write[key];
  const bool again = before != NO_ID && before >= first;
  l->own_before[op] = again ? before : NO_ID;
  l->write[key] = op;
}

static void note_txn(struct lists *l, uint32_t t) {
  const struct history *h = l->m->h;
  const uint32_t end = h->txn_first[t + 1];
  if (patience_ends(&l->m->patience, end - h->txn_first[t]))
    return;
  for (uint32_t op = h->txn_first[t]; op < end; op++)
    if (h->kind[op] == OP_APPEND)
      note_append(l, op, h->txn_first[t]);
    else if (h->kind[op] == OP_READ_LIST)
      note_list_read(l, op, h->txn_first[t]);
}

// Does element i of the list go on as its transaction's appends do?
static bool continues(const struct lists *l, struct list_prefix list,
                      uint32_t i) {
  const uint32_t before = l->own_before[list.element[i]];
  if (before != NO_ID)
    return i > 0 && list.element[i - 1] == before;
  return i == 0 || (l->m->role[list.element[i - 1]] & ROLE_FINAL);
}

// Finds the first element that is wrong, whatever other lists were read; the
// length if there is none.
static uint32_t first_wrong(struct lists *l, struct list_prefix list,
                            enum anomaly *anomaly, uint32_t *other) {
  const struct model *m = l->m;
  const uint32_t walk = ++l->walks;
  for (uint32_t i = 0; i < list.length; i++) {
    const uint32_t element = list.element[i];
    *other = element;
    if (element == SAW_THIN_AIR)
      *anomaly = ANOMALY_THIN_AIR_READ;
    else if (!(m->role[element] & ROLE_COUNTED))
      *anomaly = ANOMALY_ABORTED_READ;
    else if (l->met[element] == walk)
      *anomaly = ANOMALY_DUPLICATE_ELEMENT;
    else if (!continues(l, list, i)) {
      *anomaly = ANOMALY_INTERMEDIATE_READ;
      if (l->own_before[element] == NO_ID)
        *other = list.element[i - 1];
    } else {
      l->met[element] = walk;
      continue;
    }
    return i;
  }
  return list.length;
}

// --- Two lists of which neither is the beginning of the other.

static bool is_in_both(const struct lists *l, uint32_t element) {
  return element < l->m->h->nops && l->met[element] == l->walks;
}

// From here on is_in_both tells.
static void mark_common(struct lists *l, struct list_prefix one,
                        struct list_prefix other) {
  const uint32_t in_one = ++l->walks, nops = l->m->h->nops;
  l->walks++;
  for (uint32_t i = 0; i < one.length; i++)
    if (one.element[i] < nops)
      l->met[one.element[i]] = in_one;
  for (uint32_t i = 0; i < other.length; i++)
    if (other.element[i] < nops && l->met[other.element[i]] == in_one)
      l->met[other.element[i]] = l->walks;
}

// Are the elements that they share in the same order?
static bool same_order(const struct lists *l, struct list_prefix one,
                       struct list_prefix other) {
  uint32_t j = 0;
  for (uint32_t i = 0; i < one.length; i++) {
    if (!is_in_both(l, one.element[i]))
      continue;
    while (j < other.length && !is_in_both(l, other.element[j]))
      j++;
    if (j == other.length || other.element[j++] != one.element[i])
      return false;
  }
  return true;
}

// Is a committed element missing from the other list that `list` shows before
// one of both?
static bool shows_lost_one(const struct lists *l, struct list_prefix list) {
  bool missing = false;
  for (uint32_t i = 0; i < list.length; i++) {
    const uint32_t element = list.element[i];
    if (is_in_both(l, element) && missing)
      return true;
    missing |= element < l->m->h->nops && !is_in_both(l, element) &&
               (l->m->role[element] & ROLE_COUNTED);
  }
  return false;
}

// [1 2 3] and [1 3] tell that 2 got lost, whatever the order of transactions;
// [1 2] and [1 3] do not tell which of the two, nor [1 2] and [2 1] of any.
static void note_list_order(struct lists *l, uint32_t op, uint32_t longest) {
  const struct list_prefix list = prefix_seen(l, op),
                           all = prefix_seen(l, longest);
  mark_common(l, list, all);
  const bool same = same_order(l, list, all);
  if (same && shows_lost_one(l, all))
    wrong_read_note(l->m, ANOMALY_LOST_ELEMENT, op, longest);
  else if (same && shows_lost_one(l, list))
    wrong_read_note(l->m, ANOMALY_LOST_ELEMENT, longest, op);
  else
    wrong_read_note(l->m, ANOMALY_INCOMPATIBLE_ORDER, op, longest);
}

// Judges a read against the longest one of its key, of which elements before
// `right` are right.
static void judge_list_read(struct lists *l, uint32_t op, uint32_t right) {
  struct model *m = l->m;
  const uint32_t longest = l->longest[m->h->key[op]];
  if (longest == NO_ID)
    return; // all reads of the key are wrong otherwise
  const struct list_prefix list = prefix_seen(l, op),
                           all = prefix_seen(l, longest);
  const bool agrees =
      !list.length || list.element == all.element ||
      !memcmp(list.element, all.element, list.length * sizeof *list.element);
  enum anomaly anomaly = ANOMALY_NONE;
  uint32_t other = NO_ID;
  if ((!agrees || list.length > right) &&
      first_wrong(l, list, &anomaly, &other) < list.length)
    wrong_read_note(m, anomaly, op,
                    anomaly == ANOMALY_DUPLICATE_ELEMENT ? op : other);
  else if (!agrees)
    note_list_order(l, op, longest);
  else if (list.length && !is_final(m, list.element[list.length - 1]))
    wrong_read_note(m, ANOMALY_INTERMEDIATE_READ, op,
                    list.element[list.length - 1]);
}

static void judge_lists(struct lists *l) {
  struct model *m = l->m;
  const struct history *h = m->h;
  uint32_t *right = xmalloc(h->nkeys * sizeof *right);
  for (uint32_t key = 0; key < h->nkeys; key++) {
    enum anomaly anomaly;
    uint32_t other;
    right[key] =
        l->longest[key] == NO_ID || patience_ends(&m->patience, 1)
            ? 0
            : first_wrong(l, prefix_seen(l, l->longest[key]), &anomaly, &other);
  }
  for (uint32_t op = 0; op < h->nops; op++)
    if (h->kind[op] == OP_READ_LIST && m->counted[m->txn_of[op]] &&
        !patience_ends(&m->patience, 1 + l->length[h->saw[op]]))
      judge_list_read(l, op, right[h->key[op]]);
  free(right);
}

// Orders the versions that are in the longest list of a key.
static void order_read_versions(struct lists *l, uint32_t key) {
  struct model *m = l->m;
  l->last[key] = m->h->nops + key;
  if (l->longest[key] == NO_ID)
    return;
  const struct list_prefix list = prefix_seen(l, l->longest[key]);
  for (uint32_t i = 0; i < list.length; i++) {
    const uint32_t element = list.element[i];
    if (!is_final(m, element))
      continue;
    m->over[element] = l->last[key];
    m->role[element] |= ROLE_LISTED;
    m->role[l->last[key]] |= ROLE_OVERWRITTEN;
    l->last[key] = element;
  }
}

// A transaction that read the longest list and then appended comes next.
static void order_next_version(struct lists *l, uint32_t op) {
  struct model *m = l->m;
  const uint32_t version = m->sees[op], key = m->h->key[op];
  if (version == NO_ID)
    return;
  const uint32_t end = m->h->txn_first[m->txn_of[op] + 1];
  uint32_t append = NO_ID;
  for (uint32_t o = m->h->txn_first[m->txn_of[op]]; o < end; o++)
    if (m->h->kind[o] == OP_APPEND && m->h->key[o] == key && is_final(m, o))
      append = o;
  if (append == NO_ID || m->over[append] != NO_ID ||
      !chains_up_at_its_level(m, m->txn_of[append]))
    return;
  const uint32_t last_read = l->last[key];
  if (version != last_read)
    return;
  m->over[append] = version;
  assert(version != append);
  if (m->role[version] & ROLE_OVERWRITTEN) {
    m->role[append] |= ROLE_DIVERGED;
    if (m->diverged == NO_ID)
      m->diverged = append;
  }
  m->role[version] |= ROLE_OVERWRITTEN;
}

// Moves the end of a key's known order to the version that overwrote it.
static void extend_known_order(struct lists *l, uint32_t op) {
  assert(op_is_list(l->m->h->kind[op]));
  struct model *m = l->m;
  const uint32_t key = m->h->key[op];
  if (m->over[op] == l->last[key] && !(m->role[op] & ROLE_DIVERGED))
    l->last[key] = op;
}

static void order_versions(struct lists *l) {
  struct model *m = l->m;
  const struct history *h = m->h;
  for (uint32_t key = 0; key < h->nkeys; key++)
    order_read_versions(l, key);
  for (uint32_t op = 0; op < h->nops && !patience_ends_at(&m->patience, op);
       op++)
    if (h->kind[op] == OP_READ_LIST)
      order_next_version(l, op);
  for (uint32_t op = 0; op < h->nops && !patience_ends_at(&m->patience, op);
       op++)
    if (h->kind[op] == OP_APPEND && is_final(m, op) && m->over[op] != NO_ID)
      extend_known_order(l, op);
  for (uint32_t op = 0; op < h->nops && !patience_ends_at(&m->patience, op);
       op++)
    if (h->kind[op] == OP_APPEND && is_final(m, op) && m->over[op] == NO_ID) {
      m->over[op] = l->last[h->key[op]];
      m->role[op] |= ROLE_TAIL;
      m->has_tails = true;
    }
}

void lists_understand(struct model *m) {
  const struct history *h = m->h;
  if (!h->lists)
    return;
  struct lists l = {.m = m,
                    .read = ids_none(h->nkeys),
                    .write = ids_none(h->nkeys),
                    .own_before = ids_none(h->nops),
                    .met = xcalloc(h->nops, sizeof *l.met),
                    .length = xcalloc(h->nlists, sizeof *l.length),
                    .longest = ids_none(h->nkeys),
                    .last = ids_none(h->nkeys)};
  for (uint32_t t = 0; t < h->ntxns; t++)
    if (m->counted[t])
      note_txn(&l, t);
  if (!m->patience.ended)
    judge_lists(&l);
  if (!m->patience.ended &&
      (m->wrong_read.anomaly == ANOMALY_NONE ||
       m->wrong_read.anomaly == ANOMALY_NON_REPEATABLE_READS))
    order_versions(&l);
  FREE_EACH(l.read, l.write, l.own_before, l.met, l.length, l.longest, l.last);
}
