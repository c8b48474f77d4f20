// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the steps of a history in order and tells them (explore/story.h).
#include "config.h"

#include "explore/story.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void add(struct tale *tale, struct tale_step step) {
  ARRAY_RESERVE(tale->steps, tale->nsteps, tale->room);
  tale->steps[tale->nsteps++] = step;
}

static void add_reads(struct tale *tale, const struct partial *p, uint8_t t,
                      uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; i++) {
    const struct read *r = &p->reads[i];
    add(tale, (struct tale_step){.kind = TALE_READ,
                                 .t = t,
                                 .writer = r->writer,
                                 .locked = r->flags & READ_LOCKED,
                                 .shared = r->flags & READ_SHARED,
                                 .line = r->line,
                                 .key = r->key,
                                 .v = r->v});
  }
}

static void add_end(struct tale *tale, const struct partial *p, uint8_t t) {
  const struct block *b = &p->blocks[p->position[t] - 1];
  for (uint32_t i = b->first_write; i < b->end_write; i++)
    add(tale, (struct tale_step){.kind = TALE_WRITE,
                                 .t = t,
                                 .key = p->writes[i].key,
                                 .v = p->writes[i].v});
  add(tale, (struct tale_step){
                .kind = b->rolled_back ? TALE_ROLLBACK : TALE_COMMIT, .t = t});
}

static void by_schedule(struct tale *tale, const struct partial *p,
                        const struct schedule *schedule) {
  for (uint32_t i = 0; i < schedule->nevents; i++) {
    const struct schedule_event *e = &schedule->events[i];
    add_reads(tale, p, e->t, e->first_read, e->end_read);
    if (e->commits)
      add_end(tale, p, e->t);
  }
}

static void by_transaction(struct tale *tale, const struct partial *p) {
  for (uint32_t i = 0; i < p->nblocks; i++) {
    const struct block *b = &p->blocks[i];
    add_reads(tale, p, b->t, b->first_read, b->end_read);
    add_end(tale, p, b->t);
  }
}

// All but `finally` have one of the levels that are schedules.
static bool all_scheduled(const struct partial *p, const uint8_t *levels) {
  for (uint32_t t = 1; t <= p->program->ntxns; t++)
    if (t != p->program->final && !level_is_scheduled((enum level)levels[t]))
      return false;
  return true;
}

void tale_tell(struct tale *tale, const struct partial *p,
               const uint8_t *levels) {
  struct schedule *schedule = xcalloc(1, sizeof *schedule);
  *tale = (struct tale){0};
  tale->is_serial = history_is_serial(p, schedule);
  tale->is_schedule = tale->is_serial || (all_scheduled(p, levels) &&
                                          schedule_find(p, levels, schedule));
  if (tale->is_schedule)
    by_schedule(tale, p, schedule);
  else
    by_transaction(tale, p);
  free(schedule);
}

void tale_free(struct tale *tale) { free(tale->steps); }

static const char *session_of(const struct partial *p, uint32_t t) {
  return p->program->sessions[p->program->txns[t].session];
}

static void put_step(FILE *out, const struct partial *p,
                     const struct tale_step *s) {
  static const char *const ends[] = {
      [TALE_COMMIT] = "commit", [TALE_ROLLBACK] = "rollback"};
  if (s->kind >= TALE_COMMIT) {
    fputs(ends[s->kind], out);
    return;
  }
  fputs(s->kind == TALE_READ ? "read " : "write ", out);
  program_put_key(out, p->program, p->pool, s->key);
  fputs(s->shared ? " for share" : s->locked ? " for update" : "", out);
  fputs(s->kind == TALE_READ ? " => " : " ", out);
  value_put(out, p->pool, s->v);
  if (s->kind == TALE_READ && s->writer)
    fprintf(out, " (of %s %s)", session_of(p, s->writer),
            p->program->txns[s->writer].name);
  else if (s->kind == TALE_READ)
    fputs(" (initial)", out);
}

// "A buy(1)", or "finally".
static const char *name_of(const struct partial *p, uint32_t t) {
  return t == p->program->final ? "" : p->program->txns[t].name;
}

static int widest(const struct partial *p) {
  size_t width = 0;
  for (uint32_t t = 1; t <= p->program->ntxns; t++) {
    const size_t n = strlen(session_of(p, t)) + strlen(name_of(p, t));
    width = n > width ? n : width;
  }
  return (int)width + 1;
}

void tale_put(FILE *out, const struct tale *tale, const struct partial *p) {
  const int width = widest(p);
  for (uint32_t i = 0; i < tale->nsteps; i++) {
    const struct tale_step *s = &tale->steps[i];
    const char *session = session_of(p, s->t);
    fprintf(out, "  %s %-*s  ", session, width - (int)strlen(session) - 1,
            name_of(p, s->t));
    put_step(out, p, s);
    fputc('\n', out);
  }
}
