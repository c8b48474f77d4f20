// SPDX-License-Identifier: GPL-3.0-or-later
// Puts the steps of a history in order and tells them (explore/story.h).
#include "config.h"

#include "explore/story.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static void add_story_step(struct tale *tale, struct tale_step step) {
  ARRAY_RESERVE(tale->steps, tale->nsteps, tale->room);
  tale->steps[tale->nsteps++] = step;
}

static void add_story_read(struct tale *tale, const struct partial *p,
                           uint8_t t, uint32_t i, enum tale_kind kind) {
  const struct program_read *r = &p->reads[i];
  add_story_step(tale, (struct tale_step){.kind = kind,
                                          .t = t,
                                          .writer = r->writer,
                                          .locked = r->flags & READ_LOCKED,
                                          .shared = r->flags & READ_SHARED,
                                          .line = r->line,
                                          .key = r->key,
                                          .v = r->v});
}

static void add_end(struct tale *tale, const struct partial *p, uint8_t t) {
  const struct program_block *b = &p->blocks[p->position[t] - 1];
  for (uint32_t i = b->first_write; i < b->end_write; i++)
    add_story_step(tale, (struct tale_step){.kind = TALE_WRITE,
                                            .t = t,
                                            .key = p->writes[i].key,
                                            .v = p->writes[i].v});
  add_story_step(tale, (struct tale_step){.kind = b->rolled_back ? TALE_ROLLBACK
                                                                 : TALE_COMMIT,
                                          .t = t});
}

static bool happens(const struct partial *p, const struct schedule *schedule,
                    uint32_t n, uint32_t read,
                    bool (*does)(const struct partial *p,
                                 const struct schedule_event *e,
                                 uint32_t read)) {
  for (uint32_t i = 0; i <= n; i++)
    if (does(p, &schedule->events[i], read))
      return true;
  return false;
}

static bool is_story_open(const struct schedule *schedule, uint32_t n,
                          uint32_t t) {
  bool begun = false, ended = false;
  for (uint32_t i = 0; i <= n; i++) {
    begun |= schedule->events[i].t == t;
    ended |= schedule->events[i].t == t && schedule->events[i].commits;
  }
  return begun && !ended;
}

// Does another open transaction hold the lock that the read needs?
static bool is_held(const struct partial *p, const struct schedule *schedule,
                    uint32_t n, uint32_t read) {
  const struct program_read *wanted = &p->reads[read];
  for (uint32_t i = 0; i < p->nblocks; i++) {
    const struct program_block *b = &p->blocks[i];
    for (uint32_t r = b->first_read; r < b->end_read; r++) {
      const struct program_read *held = &p->reads[r];
      if (b->t != schedule->events[n].t && held->key == wanted->key &&
          held->flags & READ_LOCKED &&
          !(held->flags & wanted->flags & READ_SHARED) &&
          is_story_open(schedule, n, b->t) &&
          happens(p, schedule, n, r, schedule_locks))
        return true;
    }
  }
  return false;
}

// Statements are told in their order, each when its locks are taken and what
// it returns is decided: a snapshot may decide it long before.  The first
// statement takes the snapshot; if its lock comes later, it waits, or the
// transaction has its snapshot before its first statement.
static void add_story_reads(struct tale *tale, const struct partial *p,
                            const struct schedule *schedule, uint32_t n,
                            uint32_t *next) {
  const struct schedule_event *e = &schedule->events[n];
  const struct program_block *b = &p->blocks[p->position[e->t] - 1];
  const uint32_t first = *next;
  for (; *next < b->end_read; ++*next) {
    const bool locks = p->reads[*next].flags & (READ_LOCKED | READ_WAITS);
    if (!happens(p, schedule, n, *next, schedule_sees) ||
        (locks && !happens(p, schedule, n, *next, schedule_locks)))
      break;
    add_story_read(tale, p, e->t, *next, TALE_READ);
  }
  if (first == b->first_read && *next == first && first < b->end_read &&
      schedule_sees(p, e, first) && schedule->events[n + 1].t != e->t)
    add_story_read(tale, p, e->t, first,
                   is_held(p, schedule, n, first) ? TALE_WAIT : TALE_SNAPSHOT);
}

static void by_schedule(struct tale *tale, const struct partial *p,
                        const struct schedule *schedule) {
  uint32_t next[PROGRAM_MAX_TXNS + 1];
  for (uint32_t i = 0; i < p->nblocks; i++)
    next[p->blocks[i].t] = p->blocks[i].first_read;
  for (uint32_t i = 0; i < schedule->nevents; i++) {
    const struct schedule_event *e = &schedule->events[i];
    add_story_reads(tale, p, schedule, i, &next[e->t]);
    if (e->commits)
      add_end(tale, p, e->t);
  }
}

static void by_transaction(struct tale *tale, const struct partial *p) {
  for (uint32_t i = 0; i < p->nblocks; i++) {
    const struct program_block *b = &p->blocks[i];
    for (uint32_t r = b->first_read; r < b->end_read; r++)
      add_story_read(tale, p, b->t, r, TALE_READ);
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

static const char *story_session_of(const struct partial *p, uint32_t t) {
  return p->program->sessions[p->program->txns[t].session];
}

static void put_story_writer(FILE *out, const struct partial *p,
                             uint32_t writer) {
  const struct program_txn *txn = &p->program->txns[writer];
  fprintf(out, " (of %s %s)", story_session_of(p, writer),
          txn->script ? txn->script : txn->name);
}

static void put_story_step(FILE *out, const struct partial *p,
                           const struct tale_step *s) {
  static const char *const ends[] = {[TALE_SNAPSHOT] = "take the snapshot",
                                     [TALE_COMMIT] = "commit",
                                     [TALE_ROLLBACK] = "rollback"};
  if (s->kind >= TALE_COMMIT || s->kind == TALE_SNAPSHOT) {
    fputs(ends[s->kind], out);
    return;
  }
  fputs(s->kind == TALE_WRITE ? "write " : "read ", out);
  program_put_key(out, p->program, p->pool, s->key);
  fputs(s->shared ? " for share" : s->locked ? " for update" : "", out);
  if (s->kind == TALE_WAIT) {
    fputs(" waits", out);
    return;
  }
  fputs(s->kind == TALE_READ ? " => " : " ", out);
  value_put(out, p->pool, s->v);
  if (s->kind == TALE_READ && s->writer)
    put_story_writer(out, p, s->writer);
  else if (s->kind == TALE_READ)
    fputs(" (initial)", out);
}

// The line of the statement of a step; 0: it is none.  What a transaction
// writes was read for update by the statement that writes it.
static uint32_t line_of(const struct tale *tale, const struct tale_step *s) {
  uint32_t line = s->line;
  for (uint32_t i = 0; s->kind == TALE_WRITE && i < tale->nsteps; i++) {
    const struct tale_step *read = &tale->steps[i];
    if (read->t == s->t && read->kind == TALE_READ && read->key == s->key)
      line = read->line;
  }
  return line;
}

// "A buy(1)", "buy1 buy.pgbench:3" or "finally"; to be freed.
static char *story_name_of(const struct tale *tale, const struct partial *p,
                           const struct tale_step *s) {
  const struct program_txn *txn = &p->program->txns[s->t];
  const char *session = story_session_of(p, s->t);
  const uint32_t line = line_of(tale, s);
  if (s->t == p->program->final)
    return xstrdup(session);
  if (txn->script && line)
    return xasprintf("%s %s:%u", session, txn->script, line);
  return xasprintf("%s %s", session, txn->script ? txn->script : txn->name);
}

static int widest_story_name(const struct tale *tale, const struct partial *p) {
  size_t width = 0;
  for (uint32_t i = 0; i < tale->nsteps; i++) {
    char *name = story_name_of(tale, p, &tale->steps[i]);
    width = strlen(name) > width ? strlen(name) : width;
    free(name);
  }
  return (int)width;
}

void tale_put(FILE *out, const struct tale *tale, const struct partial *p) {
  const int width = widest_story_name(tale, p);
  for (uint32_t i = 0; i < tale->nsteps; i++) {
    char *name = story_name_of(tale, p, &tale->steps[i]);
    fprintf(out, "  %-*s  ", width, name);
    put_story_step(out, p, &tale->steps[i]);
    fputc('\n', out);
    free(name);
  }
}
