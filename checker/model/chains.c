// SPDX-License-Identifier: GPL-3.0-or-later
// Places the versions of registers that were written without being read first.
// Read-modify-writes chain up by themselves.  Whoever wrote blindly starts a
// chain of its own, which comes after the chain that starts at the initial
// version; if there is one such writer its place is known, otherwise the order
// of these chains is open.
#include "config.h"

#include "checker/model/model.h"

#include "base/ids.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

static bool is_blind_version(const struct model *m, uint32_t op) {
  const uint8_t wanted = ROLE_FINAL | ROLE_BLIND;
  return (m->role[op] & wanted) == wanted && !op_is_list(m->h->kind[op]);
}

// Blind versions per key, or NULL if there are none.
static uint32_t *count_blind(const struct model *m) {
  const struct history *h = m->h;
  uint32_t *blind = NULL;
  for (uint32_t op = 0; op < h->nops; op++)
    if (is_blind_version(m, op)) {
      if (!blind)
        blind = xcalloc(h->nkeys, sizeof *blind);
      blind[h->key[op]]++;
    }
  return blind;
}

// Per version the read-modify-write that follows it, NO_ID for none.
static uint32_t *find_successors(struct model *m) {
  uint32_t *successor = ids_none(m->nversions);
  for (uint32_t op = 0; op < m->h->nops && !patience_ends_at(&m->patience, op);
       op++)
    if (m->over[op] != NO_ID && !(m->role[op] & ROLE_DIVERGED))
      successor[m->over[op]] = op;
  return successor;
}

// Per key the end of the chain that starts at the initial version.  A version
// follows one other only, so this cannot go round in circles.
static uint32_t *find_chain_ends(struct model *m, const uint32_t *blind) {
  uint32_t *successor = find_successors(m);
  uint32_t *end = xmalloc(m->h->nkeys * sizeof *end);
  for (uint32_t key = 0; key < m->h->nkeys; key++) {
    end[key] = m->h->nops + key;
    while (blind[key] && !patience_ends(&m->patience, 1) &&
           successor[end[key]] != NO_ID)
      end[key] = successor[end[key]];
  }
  free(successor);
  return end;
}

void chains_anchor(struct model *m) {
  assert(m->first_reader);
  uint32_t *blind = count_blind(m);
  if (!blind)
    return;
  uint32_t *chain_end = find_chain_ends(m, blind);
  for (uint32_t op = 0; op < m->h->nops && !patience_ends_at(&m->patience, op);
       op++) {
    if (!is_blind_version(m, op))
      continue;
    const uint32_t key = m->h->key[op];
    assert(chain_end[key] != op);
    m->over[op] = chain_end[key];
    if (blind[key] == 1)
      continue;
    m->role[op] |= ROLE_TAIL;
    m->has_tails = true;
    m->open_versions++;
  }
  FREE_EACH(blind, chain_end);
}
