// SPDX-License-Identifier: GPL-3.0-or-later
// The stack of what is left to do (explore/explorer.h), and how parts of it
// become tasks.
#include "config.h"

#include "explore/explorer.h"

#include <string.h>

struct explore_frame *frame_push(struct explorer *e, enum frame_kind kind) {
  ARRAY_RESERVE(e->frames, e->nframes, e->frames_room);
  struct explore_frame *f = &e->frames[e->nframes++];
  *f = (struct explore_frame){
      .kind = kind, .depth = e->depth, .saved = e->nsaved};
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

void frame_pop(struct explorer *e) {
  e->nsaved = e->frames[--e->nframes].saved;
}

static size_t words_of_writes(uint32_t nwrites) {
  return (nwrites * sizeof(struct program_write) + 7) / 8;
}

void frame_push_read(struct explorer *e, const struct program_read *read,
                     uint64_t choices) {
  const struct partial *p = now(e);
  const struct machine *m = &e->machine;
  struct explore_frame *f = frame_push(e, FRAME_READ);
  f->nblocks = p->nblocks - 1;
  f->choices = choices;
  f->nreads = p->nreads;
  f->pc = m->pc;
  f->nops = m->nops;
  f->nstatements = m->nstatements;
  f->nwrites = m->nwrites;
  f->failure = m->failure;
  f->told = m->told;
  f->read = *read;
  f->past = p->past[p->blocks[p->nblocks - 1].t];
  save_words(e, p->before, e->program->ntxns + 1);
  save_words(e, m->locals, e->program->nlocals);
  save_words(e, m->writes, words_of_writes(m->nwrites));
}

void frame_restore_read(struct explorer *e, const struct explore_frame *f) {
  struct partial *p = now(e);
  struct machine *m = &e->machine;
  const uint64_t *saved = e->saved + f->saved;
  partial_cut(p, f->nblocks);
  partial_reopen(p, f->nreads, f->past);
  m->pc = f->pc;
  m->nops = f->nops;
  m->nstatements = f->nstatements;
  m->nwrites = f->nwrites;
  m->failure = f->failure;
  m->told = f->told;
  m->sp = 0;
  m->locals = block_locals(p, p->nblocks - 1);
  m->writes = p->writes + p->nwrites;
  memcpy(p->before, saved, (e->program->ntxns + 1) * sizeof *saved);
  saved += e->program->ntxns + 1;
  memcpy(m->locals, saved, e->program->nlocals * sizeof *saved);
  saved += e->program->nlocals;
  memcpy(m->writes, saved, f->nwrites * sizeof *m->writes);
}

void frame_push_start(struct explorer *e, uint64_t choices) {
  const struct partial *p = now(e);
  struct explore_frame *f = frame_push(e, FRAME_START);
  f->nblocks = p->nblocks;
  f->choices = choices;
  save_words(e, p->before, e->program->ntxns + 1);
}

void frame_restore_start(struct explorer *e, const struct explore_frame *f) {
  struct partial *p = now(e);
  partial_cut(p, f->nblocks);
  memcpy(p->before, e->saved + f->saved,
         (e->program->ntxns + 1) * sizeof *p->before);
}

// ---- As tasks

void frames_give_one(struct explorer *e) {
  struct tasks tasks = {0};
  for (uint32_t i = 0; i < e->nframes && !tasks.n; i++) {
    struct explore_frame *f = &e->frames[i];
    if (f->choices) {
      tasks_add(&tasks, e->path, f->depth,
                (uint32_t)__builtin_ctzll(f->choices));
      f->choices &= f->choices - 1;
    } else if (f->kind == FRAME_SWAPS && !f->swaps_only) {
      tasks_add(&tasks, e->path, f->depth, CHOICE_EXTEND);
      f->swaps_only = true;
    }
  }
  if (tasks.n)
    share_give(e->share, &tasks);
  tasks_free(&tasks);
}

void frames_give_all(struct explorer *e, bool here) {
  struct tasks tasks = {0};
  for (uint32_t i = 0; i < e->nframes; i++) {
    const struct explore_frame *f = &e->frames[i];
    FOR_EACH_BIT(choice, f->choices)
    tasks_add(&tasks, e->path, f->depth, (uint32_t)choice);
    if (f->kind != FRAME_SWAPS)
      continue;
    tasks_add(&tasks, e->path, f->depth, f->next | CHOICE_SWAPS_FROM);
    if (!f->swaps_only)
      tasks_add(&tasks, e->path, f->depth, CHOICE_EXTEND);
  }
  if (here && is_led(e))
    tasks_add(&tasks, e->task.choices, e->task.n, CHOICE_NONE);
  else if (here)
    tasks_add(&tasks, e->path, e->depth, CHOICE_NONE);
  share_give(e->share, &tasks);
  tasks_free(&tasks);
}
