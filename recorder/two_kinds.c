// SPDX-License-Identifier: GPL-3.0-or-later
// Keys that hold a register and a list.  Databases keep the two in different
// tables, so neither knows of the other: they become two keys of one name.
#include "config.h"

#include "recorder/history.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NO_KEY UINT32_MAX

// All keys get new ids, in the order in which they are met.
struct renaming {
  struct history *h;
  uint32_t *id[2];  // per old key: of its register, of its list; or NO_KEY
  uint32_t *origin; // per new key: the old one
  uint32_t nkeys;   // new ones
};

static bool has_both_kinds(const struct history *h) {
  bool list = false, other = false;
  for (uint32_t op = 0; op < h->nops && !(list && other); op++) {
    list |= op_is_list(h->kind[op]);
    other |= !op_is_list(h->kind[op]);
  }
  return list && other;
}

static void renaming_open(struct renaming *r, struct history *h) {
  *r = (struct renaming){.h = h};
  r->origin = xmalloc(2 * (size_t)h->nkeys * sizeof *r->origin);
  for (int list = 0; list < 2; list++) {
    r->id[list] = xmalloc(h->nkeys * sizeof *r->id[list]);
    memset(r->id[list], 0xff, h->nkeys * sizeof *r->id[list]);
  }
}

static uint32_t *new_id(const struct renaming *r, uint32_t op) {
  return &r->id[op_is_list(r->h->kind[op]) ? 1 : 0][r->h->key[op]];
}

// False: every key is of one kind.
static bool number_keys(struct renaming *r) {
  for (uint32_t op = 0; op < r->h->nops; op++) {
    uint32_t *id = new_id(r, op);
    if (*id != NO_KEY)
      continue;
    assert(r->nkeys < 2 * (size_t)r->h->nkeys);
    *id = r->nkeys;
    r->origin[r->nkeys++] = r->h->key[op];
  }
  for (uint32_t key = 0; key < r->h->nkeys; key++)
    if (r->id[0][key] != NO_KEY && r->id[1][key] != NO_KEY)
      return true;
  return false;
}

static void rename_numbers(struct renaming *r) {
  uint64_t *number = xmalloc(r->nkeys * sizeof *number);
  for (uint32_t key = 0; key < r->nkeys; key++)
    number[key] = r->h->key_number[r->origin[key]];
  free(r->h->key_number);
  r->h->key_number = number;
  uint64_t *member = r->h->member ? xmalloc(r->nkeys * sizeof *member) : NULL;
  for (uint32_t key = 0; key < r->nkeys && member; key++)
    member[key] = r->h->member[r->origin[key]];
  free(r->h->member);
  r->h->member = member;
}

// Only a register's initial value may be written again.
static void rename_initial_values(struct renaming *r) {
  const uint32_t nops = r->h->nops;
  uint32_t *again = xmalloc(((size_t)nops + r->nkeys) * sizeof *again);
  for (uint32_t key = 0; key < r->nkeys; key++)
    again[nops + key] = nops + key;
  for (uint32_t i = 0; i < nops + r->h->nkeys; i++) {
    const uint32_t next = r->h->again[i];
    assert(next == i || i < nops || r->id[0][i - nops] != NO_KEY);
    const uint32_t from = i < nops ? i : nops + r->id[0][i - nops];
    if (next != i)
      again[from] = next < nops ? next : nops + r->id[0][next - nops];
    else if (i < nops)
      again[i] = i;
  }
  free(r->h->again);
  r->h->again = again;
}

static void rename_keys(struct renaming *r) {
  rename_numbers(r);
  if (r->h->key_text) {
    char **text = texts_copy(r->h->key_text, r->origin, r->nkeys);
    free(r->h->key_text);
    r->h->key_text = text;
  }
  if (r->h->again)
    rename_initial_values(r);
  for (uint32_t op = 0; op < r->h->nops; op++)
    r->h->key[op] = *new_id(r, op);
  r->h->nkeys = r->nkeys;
}

void history_separate_lists(struct history *h) {
  if (!h->lists || !has_both_kinds(h))
    return;
  struct renaming r;
  renaming_open(&r, h);
  if (number_keys(&r))
    rename_keys(&r);
  FREE_EACH(r.id[0], r.id[1], r.origin);
}
