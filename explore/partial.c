// SPDX-License-Identifier: GPL-3.0-or-later
// Grows and cuts partial histories (explore/partial.h).
#include "config.h"

#include "explore/partial.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void partial_init(struct partial *p, const struct program *program,
                  struct pool *pool, const uint8_t *levels) {
  *p = (struct partial){.program = program, .pool = pool, .levels = levels};
  p->locals = xcalloc((size_t)(program->ntxns + 1) * (program->nlocals + 1),
                      sizeof(datum));
  partial_clear(p);
}

void partial_free(struct partial *p) {
  free(p->reads);
  free(p->writes);
  free(p->locals);
  free(p->writers);
}

void partial_clear(struct partial *p) {
  p->nblocks = p->nreads = p->nwrites = 0;
  p->pending = false;
  p->complete = 1;
  for (uint32_t key = 0; key < p->writers_room; key++)
    p->writers[key] = 1;
}

datum partial_written(const struct partial *p, uint32_t writer, uint32_t key) {
  if (!writer)
    return p->pool->keys[key].initial;
  const struct program_block *b = &p->blocks[p->position[writer] - 1];
  for (uint32_t i = b->first_write; i < b->end_write; i++)
    if (p->writes[i].key == key)
      return p->writes[i].v;
  assert(!"it did not write this key");
  return VALUE_NONE;
}

static void make_room_for_reads(struct partial *p, uint32_t n) {
  if (p->nreads + n > p->reads_room) {
    p->reads_room = 2 * p->reads_room + n + 64;
    p->reads = xrealloc(p->reads, p->reads_room, sizeof *p->reads);
  }
}

static void make_room_for_writes(struct partial *p, uint32_t n) {
  if (p->nwrites + n > p->writes_room) {
    p->writes_room = 2 * p->writes_room + n + 64;
    p->writes = xrealloc(p->writes, p->writes_room, sizeof *p->writes);
  }
}

static void make_room_for_key(struct partial *p, uint32_t key) {
  if (key < p->writers_room)
    return;
  const uint32_t room = 2 * key + 32;
  p->writers = xrealloc(p->writers, room, sizeof *p->writers);
  for (uint32_t k = p->writers_room; k < room; k++)
    p->writers[k] = 1;
  p->writers_room = room;
}

void partial_begin(struct partial *p, uint32_t t) {
  const struct program_txn *txn = &p->program->txns[t];
  assert(!p->pending && !(txn->before & ~p->complete));
  p->blocks[p->nblocks++] = (struct program_block){.t = (uint8_t)t,
                                                   .first_read = p->nreads,
                                                   .end_read = p->nreads,
                                                   .first_write = p->nwrites,
                                                   .end_write = p->nwrites};
  p->position[t] = (uint8_t)p->nblocks;
  p->pending = true;
  p->past[t] = txn->before;
  FOR_EACH_BIT(u, txn->before) p->past[t] |= u ? p->past[u] : 0;
  make_room_for_writes(p, p->program->max_ops);
}

void partial_start_machine(struct partial *p, struct machine *m) {
  const uint32_t nlocals = p->program->nlocals;
  const struct program_txn *txn = &p->program->txns[pending_block(p)->t];
  datum *locals = block_locals(p, p->nblocks - 1);
  const datum *inherited =
      txn->previous ? block_locals(p, p->position[txn->previous] - 1u) : NULL;
  for (uint32_t i = 0; i < nlocals; i++)
    locals[i] = inherited ? inherited[i] : VALUE_NONE;
  m->program = p->program;
  m->pool = p->pool;
  m->locals = locals;
  m->writes = p->writes + p->nwrites;
  machine_start(m, txn);
}

void partial_complete(struct partial *p, const struct machine *m,
                      bool rolled_back) {
  struct program_block *b = pending_block(p);
  const uint32_t t = b->t;
  b->end_read = p->nreads;
  b->rolled_back = rolled_back;
  b->failure = m->failure;
  b->told = m->told;
  p->nwrites += rolled_back ? 0 : m->nwrites;
  b->end_write = p->nwrites;
  uint64_t before = p->past[t];
  FOR_EACH_BIT(u, p->past[t]) before |= u ? p->before[u] : 0;
  p->before[t] = before;
  for (uint32_t i = b->first_write; i < b->end_write; i++) {
    make_room_for_key(p, p->writes[i].key);
    p->writers[p->writes[i].key] |= bit(t);
  }
  p->complete |= bit(t);
  p->pending = false;
}

void partial_cut(struct partial *p, uint32_t nblocks) {
  while (p->nblocks > nblocks) {
    const struct program_block *b = &p->blocks[--p->nblocks];
    p->nreads = b->first_read;
    p->nwrites = b->first_write;
    if (p->pending) {
      p->pending = false;
      continue;
    }
    for (uint32_t i = b->first_write; i < b->end_write; i++)
      p->writers[p->writes[i].key] &= ~bit(b->t);
    p->complete &= ~bit(b->t);
  }
}

void partial_reopen(struct partial *p, uint32_t nreads, uint64_t past) {
  struct program_block *b = &p->blocks[p->nblocks++];
  p->pending = true;
  p->nreads = b->end_read = nreads;
  p->nwrites = b->first_write;
  p->past[b->t] = past;
}

bool partial_take(struct partial *to, const struct partial *from,
                  uint32_t block) {
  const struct program_block *b = &from->blocks[block];
  partial_begin(to, b->t);
  for (uint32_t i = b->first_read; i < b->end_read; i++)
    if (!partial_try(to, &from->reads[i]))
      return false;
  const uint32_t nwrites = b->end_write - b->first_write;
  make_room_for_writes(to, nwrites);
  memcpy(to->writes + to->nwrites, from->writes + b->first_write,
         nwrites * sizeof *to->writes);
  const struct machine m = {
      .nwrites = nwrites, .failure = b->failure, .told = b->told};
  partial_complete(to, &m, b->rolled_back);
  return true;
}

static void take_block(struct partial *to, const struct partial *from,
                       uint32_t block, bool with_locals) {
  const bool valid = partial_take(to, from, block);
  assert(valid);
  (void)valid;
  if (with_locals)
    memcpy(block_locals(to, to->nblocks - 1), block_locals(from, block),
           from->program->nlocals * sizeof(datum));
}

void partial_without(struct partial *to, const struct partial *from,
                     uint32_t block, uint32_t r, uint64_t kept,
                     bool with_locals) {
  const struct program_block *cut = &from->blocks[block];
  partial_cut(to, 0);
  for (uint32_t i = 0; i < from->nblocks; i++)
    if (i < block || (i > block && kept & bit(from->blocks[i].t)))
      take_block(to, from, i, with_locals);
  partial_begin(to, cut->t);
  for (uint32_t i = cut->first_read; i < r; i++)
    partial_read(to, &from->reads[i]);
}

void partial_read(struct partial *p, const struct program_read *read) {
  const bool valid = partial_try(p, read);
  assert(valid);
  (void)valid;
}

bool partial_try(struct partial *p, const struct program_read *read) {
  if (!partial_demand(p, p->before, read))
    return false;
  const uint32_t t = pending_block(p)->t;
  make_room_for_reads(p, 1);
  p->reads[p->nreads++] = *read;
  pending_block(p)->end_read = p->nreads;
  p->past[t] |= bit(read->writer) | (read->writer ? p->past[read->writer] : 0);
  return true;
}
