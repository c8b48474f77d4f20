// SPDX-License-Identifier: GPL-3.0-or-later
// The exploration (explore/explore.h) without recursion: a stack of what is
// left to do.  Frames:
//   FRAME_READ    other writers that a read may read from
//   FRAME_START   other transactions that could be next (dfs)
//   FRAME_SWAPS   swaps with the transaction that was just completed, which
//                 come before the history is extended, so that nothing need be
//                 restored for them
//   FRAME_SWAPPED below it the history is another one, of the next level
#include "config.h"

#include "explore/explore.h"

#include "base/memory.h"
#include "explore/swap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum frame_kind { FRAME_READ, FRAME_START, FRAME_SWAPS, FRAME_SWAPPED };

struct frame {
  enum frame_kind kind;
  uint32_t nblocks; // complete ones
  uint64_t choices; // writers, or transactions
  uint32_t next;    // FRAME_SWAPS: the read to try
  uint32_t depth;
  // FRAME_READ: the pending transaction, as it was.
  uint32_t nreads, pc, nops, nwrites;
  struct failure failure;
  struct read read;
  uint64_t past;
  size_t saved; // in explorer.saved: `before`, locals, own writes
};

enum move { MOVE_RUN, MOVE_NEXT, MOVE_BACK, MOVE_END };

struct explorer {
  const struct program *program;
  const struct explore_options *options;
  struct explore_result *result;
  struct error *error;
  struct pool pool;
  uint8_t levels[PROGRAM_MAX_TXNS + 1], bases[PROGRAM_MAX_TXNS + 1];
  uint8_t oracle[PROGRAM_MAX_TXNS + 1];
  bool filters;
  struct partial **histories; // by level
  uint32_t level, nhistories, histories_room;
  uint32_t depth; // reads and begun transactions on the path to here
  struct partial scratch;
  struct machine machine;
  struct frame *frames;
  uint32_t nframes, frames_room;
  uint64_t *saved;
  size_t nsaved, saved_room;
};

static struct partial *now(const struct explorer *e) {
  return e->histories[e->level];
}

// ---- Frames

static struct frame *push(struct explorer *e, enum frame_kind kind) {
  ARRAY_RESERVE(e->frames, e->nframes, e->frames_room);
  struct frame *f = &e->frames[e->nframes++];
  *f = (struct frame){.kind = kind, .depth = e->depth, .saved = e->nsaved};
  return f;
}

static void save_words(struct explorer *e, const void *words, size_t n) {
  if (e->nsaved + n > e->saved_room) {
    e->saved_room = 2 * e->saved_room + n + 1024;
    e->saved = xrealloc(e->saved, e->saved_room, sizeof *e->saved);
  }
  if (n)
    memcpy(e->saved + e->nsaved, words, n * sizeof *e->saved);
  e->nsaved += n;
}

static void pop(struct explorer *e) {
  e->nsaved = e->frames[--e->nframes].saved;
}

static size_t words_of_writes(uint32_t nwrites) {
  return (nwrites * sizeof(struct write) + 7) / 8;
}

static void push_read(struct explorer *e, const struct read *read,
                      uint64_t choices) {
  const struct partial *p = now(e);
  const struct machine *m = &e->machine;
  struct frame *f = push(e, FRAME_READ);
  f->nblocks = p->nblocks - 1;
  f->choices = choices;
  f->nreads = p->nreads;
  f->pc = m->pc;
  f->nops = m->nops;
  f->nwrites = m->nwrites;
  f->failure = m->failure;
  f->read = *read;
  f->past = p->past[p->blocks[p->nblocks - 1].t];
  save_words(e, p->before, e->program->ntxns + 1);
  save_words(e, m->locals, e->program->nlocals);
  save_words(e, m->writes, words_of_writes(m->nwrites));
}

// The pending transaction waits at its read again.
static void restore_read(struct explorer *e, const struct frame *f) {
  struct partial *p = now(e);
  struct machine *m = &e->machine;
  const uint64_t *saved = e->saved + f->saved;
  partial_cut(p, f->nblocks);
  partial_reopen(p, f->nreads, f->past);
  m->pc = f->pc;
  m->nops = f->nops;
  m->nwrites = f->nwrites;
  m->failure = f->failure;
  m->sp = 0;
  m->locals = block_locals(p, p->nblocks - 1);
  m->writes = p->writes + p->nwrites;
  memcpy(p->before, saved, (e->program->ntxns + 1) * sizeof *saved);
  saved += e->program->ntxns + 1;
  memcpy(m->locals, saved, e->program->nlocals * sizeof *saved);
  saved += e->program->nlocals;
  memcpy(m->writes, saved, f->nwrites * sizeof *m->writes);
}

// Goes a step deeper; back if that leads into a unit of somebody else's.
static enum move deeper(struct explorer *e) {
  struct share *share = e->options->share;
  e->depth++;
  if (!share || e->depth != share->depth)
    return MOVE_RUN;
  e->result->cut++;
  return share_takes(share, e->result->units++) ? MOVE_RUN : MOVE_BACK;
}

// ---- Reads

// Reads from w, unless nothing that the level allows can come of it.
static enum move read_from(struct explorer *e, struct read read, uint32_t w) {
  struct partial *p = now(e);
  const uint64_t past = p->past[pending_block(p)->t];
  read.writer = (uint8_t)w;
  read.flags &= READ_LOCKED;
  read.flags |= past & bit(w) ? 0 : READ_FAR;
  read.v = partial_written(p, w, read.key);
  partial_read(p, &read);
  e->machine.locals[e->program->code[e->machine.pc - 1].b] = read.v;
  if (read.flags & READ_FAR && e->filters && !e->options->no_core &&
      !schedule_core(p, e->levels))
    return MOVE_BACK;
  return deeper(e);
}

static enum move take_read(struct explorer *e) {
  const struct partial *p = now(e);
  const struct machine *m = &e->machine;
  const uint64_t valid = partial_valid(p, m->key);
  const struct read read = {.key = m->key,
                            .line = m->line,
                            .statement = m->statement,
                            .flags = m->locked ? READ_LOCKED : 0,
                            .causal =
                                valid & p->past[p->blocks[p->nblocks - 1].t]};
  if (!valid) {
    e->result->blocked++;
    return MOVE_BACK;
  }
  if (valid & (valid - 1))
    push_read(e, &read, valid & (valid - 1));
  return read_from(e, read, (uint32_t)__builtin_ctzll(valid));
}

static enum move other_writer(struct explorer *e) {
  struct frame *f = &e->frames[e->nframes - 1];
  const struct read read = f->read;
  const uint32_t w = (uint32_t)__builtin_ctzll(f->choices);
  restore_read(e, f);
  e->depth = f->depth;
  f->choices &= f->choices - 1;
  if (!f->choices)
    pop(e);
  return read_from(e, read, w);
}

// ---- Transactions

static enum move begin(struct explorer *e, uint32_t t) {
  partial_begin(now(e), t);
  partial_start_machine(now(e), &e->machine);
  return deeper(e);
}

// Those that can be next, as bits.
static uint64_t startable(const struct explorer *e) {
  const struct partial *p = now(e);
  uint64_t all = 0;
  for (uint32_t t = 1; t <= e->program->ntxns; t++)
    if (!(p->complete & bit(t)) && !(e->program->txns[t].before & ~p->complete))
      all |= bit(t);
  return all;
}

static enum move leaf(struct explorer *e) {
  const struct explore_options *o = e->options;
  if (o->share && e->depth < o->share->depth &&
      !share_takes(o->share, e->result->units++))
    return MOVE_BACK;
  e->result->leaves++;
  if (e->filters && !schedule_find(now(e), e->levels, NULL))
    return MOVE_BACK;
  e->result->histories++;
  if (o->leaf && !o->leaf(o->context, now(e))) {
    e->result->stopped = true;
    return MOVE_END;
  }
  return MOVE_BACK;
}

static bool is_stopped(const struct explore_options *o) {
  return (o->stop && __atomic_load_n(o->stop, __ATOMIC_RELAXED)) ||
         (o->share && __atomic_load_n(&o->share->enough, __ATOMIC_RELAXED));
}

static enum move next_transaction(struct explorer *e) {
  const struct partial *p = now(e);
  if (is_stopped(e->options)) {
    e->result->stopped = true;
    return MOVE_END;
  }
  if (e->options->algorithm == ALGORITHM_DFS) {
    const uint64_t all = startable(e);
    if (!all)
      return leaf(e);
    struct frame *f = push(e, FRAME_START);
    f->nblocks = p->nblocks;
    f->choices = all;
    save_words(e, p->before, e->program->ntxns + 1);
    return MOVE_BACK;
  }
  for (uint32_t i = 1; i <= e->program->ntxns; i++)
    if (!(p->complete & bit(e->oracle[i])))
      return begin(e, e->oracle[i]);
  return leaf(e);
}

static enum move other_start(struct explorer *e) {
  struct frame *f = &e->frames[e->nframes - 1];
  struct partial *p = now(e);
  const uint32_t t = (uint32_t)__builtin_ctzll(f->choices);
  partial_cut(p, f->nblocks);
  memcpy(p->before, e->saved + f->saved,
         (e->program->ntxns + 1) * sizeof *p->before);
  e->depth = f->depth;
  f->choices &= f->choices - 1;
  if (!f->choices)
    pop(e);
  return begin(e, t);
}

static enum move complete(struct explorer *e, bool rolled_back) {
  struct partial *p = now(e);
  partial_complete(p, &e->machine, rolled_back);
  const struct block *b = &p->blocks[p->nblocks - 1];
  if (b->first_write == b->end_write || e->options->algorithm == ALGORITHM_DFS)
    return MOVE_NEXT;
  push(e, FRAME_SWAPS);
  return MOVE_BACK;
}

// ---- Swaps

static struct partial *history_above(struct explorer *e) {
  const uint32_t level = e->level + 1;
  if (level == e->nhistories) {
    ARRAY_RESERVE(e->histories, e->nhistories, e->histories_room);
    e->histories[level] = xcalloc(1, sizeof **e->histories);
    partial_init(e->histories[level], e->program, &e->pool, e->bases);
    e->nhistories++;
  }
  return e->histories[level];
}

// Runs the pending transaction again up to where it was cut.
static void replay(struct explorer *e) {
  struct partial *p = now(e);
  struct machine *m = &e->machine;
  const struct block *b = pending_block(p);
  partial_start_machine(p, m);
  for (uint32_t i = b->first_read;; i++) {
    const enum machine_event event = machine_run(m);
    assert(event == MACHINE_READS);
    (void)event;
    if (i == p->nreads)
      return;
    assert(p->reads[i].key == m->key);
    machine_feed(m, p->reads[i].v);
  }
}

static enum move swap(struct explorer *e) {
  struct frame *f = &e->frames[e->nframes - 1];
  struct partial *above = history_above(e);
  struct read swapped;
  e->depth = f->depth;
  if (!swap_next(now(e), e->options, &f->next, above, &e->scratch, &swapped)) {
    pop(e);
    return MOVE_NEXT;
  }
  push(e, FRAME_SWAPPED);
  e->level++;
  replay(e);
  if (!partial_try(above, &swapped)) {
    e->result->blocked++; // only with MUTANT_NO_CONSISTENCY
    return MOVE_BACK;
  }
  machine_feed(&e->machine, swapped.v);
  if (e->filters && !e->options->no_core && !schedule_core(above, e->levels))
    return MOVE_BACK;
  return deeper(e);
}

static enum move back(struct explorer *e) {
  if (!e->nframes)
    return MOVE_END;
  switch (e->frames[e->nframes - 1].kind) {
  case FRAME_READ:
    return other_writer(e);
  case FRAME_START:
    return other_start(e);
  case FRAME_SWAPS:
    return swap(e);
  default:
    e->level--;
    pop(e);
    return MOVE_BACK;
  }
}

// ---- All of it

static enum move run(struct explorer *e) {
  switch (machine_run(&e->machine)) {
  case MACHINE_READS:
    return take_read(e);
  case MACHINE_COMMITS:
    return complete(e, false);
  case MACHINE_ROLLS_BACK:
    return complete(e, true);
  default:
    break;
  }
  const struct txn *txn = &e->program->txns[pending_block(now(e))->t];
  error_set_usage(e->error,
                  "%s:%u: %s performs more than %u operations, or loops on; "
                  "--max-ops allows more operations",
                  e->program->path, txn->line, txn->name, e->program->max_ops);
  return MOVE_END;
}

static void start(struct explorer *e) {
  const struct explore_options *o = e->options;
  pool_copy(&e->pool, &e->program->pool);
  explore_levels(e->program, o->level, e->levels);
  for (uint32_t t = 0; t <= e->program->ntxns; t++) {
    e->bases[t] =
        (uint8_t)(o->has_base && t ? o->base : level_base(e->levels[t]));
    e->oracle[t] = o->oracle ? o->oracle[t] : (uint8_t)t;
  }
  e->filters = schedule_is_needed(e->program, e->levels);
  partial_init(&e->scratch, e->program, &e->pool, e->bases);
  ARRAY_RESERVE(e->histories, e->nhistories, e->histories_room);
  e->histories[0] = xcalloc(1, sizeof **e->histories);
  partial_init(e->histories[0], e->program, &e->pool, e->bases);
  e->nhistories = 1;
}

static void end(struct explorer *e) {
  for (uint32_t i = 0; i < e->nhistories; i++) {
    partial_free(e->histories[i]);
    free(e->histories[i]);
  }
  free(e->histories);
  partial_free(&e->scratch);
  free(e->frames);
  free(e->saved);
  pool_free(&e->pool);
}

int explore(const struct program *program,
            const struct explore_options *options,
            struct explore_result *result, struct error *error) {
  struct explorer e = {
      .program = program, .options = options, .result = result, .error = error};
  *result = (struct explore_result){0};
  error->text[0] = '\0';
  start(&e);
  enum move move = MOVE_NEXT;
  while (move != MOVE_END)
    move = move == MOVE_RUN    ? run(&e)
           : move == MOVE_NEXT ? next_transaction(&e)
                               : back(&e);
  end(&e);
  return error->text[0] ? -1 : 0;
}
