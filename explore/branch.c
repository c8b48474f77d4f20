// SPDX-License-Identifier: GPL-3.0-or-later
// Where a path branches (explore/explorer.h): at reads, at commits, and in the
// depth-first baseline at the begin of transactions.  A choice is made by the
// task that leads here, at random in a walk, or else all are made, one after
// the other.
#include "config.h"

#include "explore/explorer.h"

#include "explore/swap.h"

#include <assert.h>

static uint32_t any_of(struct explorer *e, uint64_t set) {
  const unsigned long n = (unsigned long)__builtin_popcountll(set);
  for (unsigned long skip = gsl_rng_uniform_int(e->random, n); skip; skip--)
    set &= set - 1;
  return (uint32_t)__builtin_ctzll(set);
}

static enum move is_branch_lost(struct explorer *e) {
  error_set(e->error, "the tasks to explore belong to another program");
  return MOVE_END;
}

// How far the history is, and how many of its reads can still be swapped.
static uint32_t kind_here(const struct explorer *e) {
  const struct partial *p = now(e);
  uint32_t nfree = 0;
  for (uint32_t r = 0; r < p->nreads; r++)
    nfree += !(p->reads[r].flags & (READ_SWAPPED | READ_FAR));
  return p->nblocks << 16 | nfree;
}

// A step deeper; back where the exploration is cut into tasks.
static enum move deeper(struct explorer *e, uint32_t choice) {
  const struct explore_options *o = e->options;
  choose(e, choice);
  if (!o->cut || e->depth < o->cut_depth)
    return MOVE_RUN;
  e->result->cut++;
  tasks_add(o->cut, e->path, e->depth, CHOICE_NONE);
  o->cut->all[o->cut->n - 1].kind = kind_here(e);
  return MOVE_BACK;
}

// ---- Reads

static bool is_at_mysql(const struct explorer *e) {
  const struct partial *p = now(e);
  return e->levels[p->blocks[p->nblocks - 1].t] == LEVEL_MYSQL_RR;
}

// How the read that was just answered locks; the machine goes over the
// condition of the lock.  InnoDB locks what a statement looks at, whether the
// statement then finds it or not: where there is nothing, the gap, which two
// may hold unless one inserts; and for share what an INSERT runs into.
static uint8_t take_locks(struct explorer *e) {
  struct machine *m = &e->machine;
  const struct instruction *i = &e->program->code[m->pc - 1];
  const bool is_none = m->locals[i->b] == VALUE_NONE;
  const bool holds = machine_holds(m);
  if (i->op == DO_GET)
    return 0;
  if (!is_at_mysql(e))
    return !holds ? i->inserts ? READ_WAITS : 0
                  : READ_LOCKED | (i->op == DO_GET_SHARED ? READ_SHARED : 0);
  return READ_NEWEST | READ_LOCKED |
         (i->op == DO_GET_SHARED || is_none != i->inserts ? READ_SHARED : 0);
}

// Reads from w, unless nothing that the level allows can come of it.
static enum move branch_read_from(struct explorer *e, struct program_read read,
                                  uint32_t w) {
  struct partial *p = now(e);
  const uint64_t past = p->past[pending_block(p)->t];
  read.writer = (uint8_t)w;
  read.v = partial_written(p, w, read.key);
  e->machine.locals[e->program->code[e->machine.pc - 1].b] = read.v;
  read.flags = take_locks(e) | (past & bit(w) ? 0 : READ_FAR);
  partial_read(p, &read);
  if (read.flags & READ_FAR && e->filters && !e->options->no_core &&
      !schedule_core(p, e->levels))
    return MOVE_BACK;
  return deeper(e, w);
}

enum move branch_read(struct explorer *e) {
  const struct partial *p = now(e);
  const struct machine *m = &e->machine;
  struct program_read read = {.key = m->key,
                              .line = m->line,
                              .statement = m->statement,
                              .flags = m->locked && is_at_mysql(e) ? READ_NEWEST
                                                                   : 0};
  const uint64_t valid = partial_valid(p, &read);
  read.causal = valid & p->past[p->blocks[p->nblocks - 1].t];
  if (!valid) {
    e->result->blocked++;
    return MOVE_BACK;
  }
  if (is_led(e)) {
    const uint32_t w = e->task.choices[e->depth];
    return w < 64 && valid & bit(w) ? branch_read_from(e, read, w)
                                    : is_branch_lost(e);
  }
  if (e->random)
    return branch_read_from(e, read, any_of(e, valid));
  if (valid & (valid - 1))
    frame_push_read(e, &read, valid & (valid - 1));
  return branch_read_from(e, read, (uint32_t)__builtin_ctzll(valid));
}

// The choice that is next in the frame; 64: none is left.
static uint32_t take_branch_choice(struct explore_frame *f) {
  const uint32_t choice =
      f->choices ? (uint32_t)__builtin_ctzll(f->choices) : 64;
  f->choices &= f->choices - 1;
  return choice;
}

static enum move other_writer(struct explorer *e) {
  struct explore_frame *f = &e->frames[e->nframes - 1];
  const struct program_read read = f->read;
  const uint32_t w = take_branch_choice(f);
  if (w < 64) {
    frame_restore_read(e, f);
    e->depth = f->depth;
  }
  if (!f->choices)
    frame_pop(e);
  return w < 64 ? branch_read_from(e, read, w) : MOVE_BACK;
}

// ---- Transactions of the baseline

static enum move begin_block(struct explorer *e, uint32_t t) {
  partial_begin(now(e), t);
  partial_start_machine(now(e), &e->machine);
  return deeper(e, t);
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

enum move branch_start(struct explorer *e) {
  const uint64_t all = startable(e);
  if (is_led(e)) {
    const uint32_t t = e->task.choices[e->depth];
    return t < 64 && all & bit(t) ? begin_block(e, t) : is_branch_lost(e);
  }
  if (e->random)
    return begin_block(e, any_of(e, all));
  frame_push_start(e, all);
  return MOVE_BACK;
}

static enum move other_start(struct explorer *e) {
  struct explore_frame *f = &e->frames[e->nframes - 1];
  const uint32_t t = take_branch_choice(f);
  if (t < 64) {
    frame_restore_start(e, f);
    e->depth = f->depth;
  }
  if (!f->choices)
    frame_pop(e);
  return t < 64 ? begin_block(e, t) : MOVE_BACK;
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
static void catch_up(struct explorer *e) {
  struct partial *p = now(e);
  struct machine *m = &e->machine;
  const struct program_block *b = pending_block(p);
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

// The next swap from read `*next` on; the history above is then swapped.
static bool find_swap(struct explorer *e, uint32_t *next,
                      struct program_read *swapped) {
  return swap_next(now(e), next, history_above(e), &e->scratch, swapped);
}

// Goes on in the history above, in which read number r is swapped.
static enum move swap_branch(struct explorer *e, uint32_t r,
                             const struct program_read *swapped) {
  struct partial *above = history_above(e);
  struct program_read read = *swapped;
  e->level++;
  catch_up(e);
  machine_feed(&e->machine, read.v);
  read.flags |= take_locks(e);
  if (!partial_try(above, &read)) {
    e->result->blocked++; // only with MUTANT_NO_CONSISTENCY
    return MOVE_BACK;
  }
  if (e->filters && !e->options->no_core && !schedule_core(above, e->levels))
    return MOVE_BACK;
  return deeper(e, r);
}

static enum move extend_history(struct explorer *e) {
  choose(e, CHOICE_EXTEND);
  return MOVE_NEXT;
}

static enum move led_to_swap(struct explorer *e, uint32_t r) {
  struct program_read swapped;
  uint32_t next = r;
  return find_swap(e, &next, &swapped) && next == r + 1
             ? swap_branch(e, r, &swapped)
             : is_branch_lost(e);
}

static enum move any_swap(struct explorer *e) {
  struct program_read swapped;
  uint32_t next = 0;
  unsigned long n = 1;
  while (find_swap(e, &next, &swapped))
    n++;
  unsigned long skip = gsl_rng_uniform_int(e->random, n);
  if (!skip)
    return extend_history(e);
  for (next = 0; skip; skip--)
    find_swap(e, &next, &swapped);
  return swap_branch(e, next - 1, &swapped);
}

enum move branch_commit(struct explorer *e) {
  uint32_t from = 0;
  const bool led = is_led(e);
  if (led) {
    from = e->task.choices[e->depth];
    if (from == CHOICE_EXTEND)
      return extend_history(e);
    if (!(from & CHOICE_SWAPS_FROM))
      return led_to_swap(e, from);
    e->task.n = e->depth;
  }
  if (e->random)
    return any_swap(e);
  struct explore_frame *f = frame_push(e, FRAME_SWAPS);
  f->next = from & ~CHOICE_SWAPS_FROM;
  f->swaps_only = led;
  return MOVE_BACK;
}

static enum move other_swap(struct explorer *e) {
  struct explore_frame *f = &e->frames[e->nframes - 1];
  struct program_read swapped;
  uint32_t next = f->next;
  e->depth = f->depth;
  if (find_swap(e, &next, &swapped)) {
    f->next = next;
    frame_push(e, FRAME_SWAPPED);
    return swap_branch(e, next - 1, &swapped);
  }
  const bool swaps_only = f->swaps_only;
  frame_pop(e);
  return swaps_only ? MOVE_BACK : extend_history(e);
}

enum move branch_back(struct explorer *e) {
  if (!e->nframes)
    return MOVE_END;
  switch (e->frames[e->nframes - 1].kind) {
  case FRAME_READ:
    return other_writer(e);
  case FRAME_START:
    return other_start(e);
  case FRAME_SWAPS:
    return other_swap(e);
  default:
    e->level--;
    frame_pop(e);
    return MOVE_BACK;
  }
}
