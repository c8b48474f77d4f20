// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a tale as a step script (explore/story.h).  Reads that lock are said
// in SQL, and then all of the script is: a table holds for each key who wrote
// it, and is filled anew before each performance.
#include "config.h"

#include "explore/story.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct script_writing {
  FILE *out;
  const struct tale *tale;
  const struct partial *p;
  const struct tale_script *script;
  bool sql;
};

static const char *script_session_of(const struct partial *p, uint32_t t) {
  return p->program->sessions[p->program->txns[t].session];
}

// Values are words, each written to a key at most once.
static void put_script_word(FILE *out, uint32_t t) {
  if (t)
    fprintf(out, "v%u", t);
  else
    fputs("initial", out);
}

static void put_key_word(FILE *out, const struct partial *p, uint32_t key) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *memory = text_stream(&text, &bytes);
  program_put_key(memory, p->program, p->pool, key);
  fclose(memory);
  for (char *c = text; *c; c++)
    *c = strchr("[],- ", *c) ? '_' : *c;
  fputs(text, out);
  free(text);
}

bool tale_has_locks(const struct tale *tale) {
  for (uint32_t i = 0; i < tale->nsteps; i++)
    if (tale->steps[i].locked)
      return true;
  return false;
}

static bool is_changed(const struct script_writing *w, uint32_t t) {
  return w->script->kind &&
         !strcmp(w->p->program->txns[t].kind, w->script->kind);
}

// Does this step lock what it reads, be it by the repair?
static bool locks(const struct script_writing *w, const struct tale_step *s) {
  return s->kind == TALE_READ &&
         (s->locked ||
          (is_changed(w, s->t) && s->line == w->script->lock_line));
}

// Is the key read for update before this write, by the repair?
static bool updates(const struct script_writing *w, const struct tale_step *s) {
  const struct pool *pool = w->p->pool;
  return s->kind == TALE_WRITE && is_changed(w, s->t) &&
         w->script->update_key &&
         !strcmp(w->p->program->names[pool->keys[s->key].name],
                 w->script->update_key);
}

// The step in which this transaction read the key before.
static const struct tale_step *
read_before_in_story(const struct script_writing *w,
                     const struct tale_step *write) {
  for (uint32_t i = 0; i < w->tale->nsteps; i++) {
    const struct tale_step *s = &w->tale->steps[i];
    if (s->kind == TALE_READ && s->t == write->t && s->key == write->key)
      return s;
  }
  return NULL;
}

// Is the read left out, by the repair?
static bool is_dropped(const struct script_writing *w,
                       const struct tale_step *s) {
  return s->kind == TALE_READ && w->script->drop_line && is_changed(w, s->t) &&
         s->line == w->script->drop_line;
}

// The read that was left out for this one, in one statement with the write, to
// which it is to return the same; else the read itself.
static const struct tale_step *seen_by_script(const struct script_writing *w,
                                              const struct tale_step *read) {
  if (!w->script->drop_line || !is_changed(w, read->t) ||
      read->line != w->script->write_line)
    return read;
  for (uint32_t i = 0; i < w->tale->nsteps; i++) {
    const struct tale_step *s = &w->tale->steps[i];
    if (is_dropped(w, s) && s->t == read->t && s->key == read->key)
      return s;
  }
  return read;
}

static bool is_first_of_key(const struct tale *tale, uint32_t step) {
  uint32_t i = 0;
  while (tale->steps[i].kind >= TALE_COMMIT ||
         tale->steps[i].key != tale->steps[step].key)
    i++;
  return i == step;
}

static void put_script_tables(const struct script_writing *w) {
  bool any = false;
  fputs("setup: \"DROP TABLE IF EXISTS isostress_story\"\n"
        "setup: \"CREATE TABLE isostress_story (k int PRIMARY KEY, v int NOT "
        "NULL)\"\n"
        "reset: admin \"DELETE FROM isostress_story\"\n"
        "reset: admin \"INSERT INTO isostress_story VALUES",
        w->out);
  for (uint32_t i = 0; i < w->tale->nsteps; i++) {
    const struct tale_step *s = &w->tale->steps[i];
    if (s->kind >= TALE_COMMIT || !is_first_of_key(w->tale, i))
      continue;
    fprintf(w->out, "%s (%u, 0)", any ? "," : "", s->key);
    any = true;
  }
  fputs("\"\n", w->out);
}

// The statement of a read, which ends in `=> what it returns`.
static void put_script_statement(const struct script_writing *w,
                                 const struct tale_step *s, bool locked) {
  if (w->sql) {
    fprintf(w->out, "sql \"SELECT v FROM isostress_story WHERE k = %u%s\" => ",
            s->key,
            !locked     ? ""
            : s->shared ? w->script->for_share
                        : " FOR UPDATE");
    return;
  }
  fputs("read ", w->out);
  put_key_word(w->out, w->p, s->key);
  fputs(" => ", w->out);
}

static void put_returned(const struct script_writing *w,
                         const struct tale_step *s) {
  if (w->sql)
    fprintf(w->out, "\"%u\"", s->writer);
  else
    put_script_word(w->out, s->writer);
  fputs(" (seen) | ok | blocks | aborts\n", w->out);
}

static void put_script_read(const struct script_writing *w,
                            const struct tale_step *s, bool locked) {
  put_script_statement(w, s, locked);
  put_returned(w, s);
}

// Reads no row: that is a snapshot in PostgreSQL and InnoDB.
static void put_snapshot(const struct script_writing *w) {
  fputs(w->sql ? "sql \"SELECT v FROM isostress_story WHERE k = -1\" => ok\n"
               : "read isostress_none => ok\n",
        w->out);
}

// Was the statement sent before, and waited?  Only the first one of a
// transaction does.
static bool waited(const struct script_writing *w, const struct tale_step *s) {
  bool waits = false;
  for (const struct tale_step *i = w->tale->steps; i < s; i++) {
    if (i->t == s->t && i->kind == TALE_READ)
      return false;
    waits |= i->t == s->t && i->kind == TALE_WAIT;
  }
  return waits;
}

static void put_write(const struct script_writing *w,
                      const struct tale_step *s) {
  if (w->sql) {
    fprintf(w->out, "sql \"UPDATE isostress_story SET v = %u WHERE k = %u\"",
            s->t, s->key);
  } else {
    fputs("write ", w->out);
    put_key_word(w->out, w->p, s->key);
    fputc(' ', w->out);
    put_script_word(w->out, s->t);
  }
  fputs(" => ok | blocks | aborts\n", w->out);
}

static void put_script_begin(const struct script_writing *w, uint32_t t) {
  const char *level =
      w->script->level && is_changed(w, t) ? w->script->level : "";
  fprintf(w->out, "%s: begin%s%s\n", script_session_of(w->p, t),
          *level ? " " : "", level);
}

static void put_script_step(const struct script_writing *w,
                            const struct tale_step *s) {
  const struct tale_step *again =
      updates(w, s) ? read_before_in_story(w, s) : NULL;
  fprintf(w->out, "%s: ", script_session_of(w->p, s->t));
  if (again) {
    put_script_read(w, again, true);
    fprintf(w->out, "%s: ", script_session_of(w->p, s->t));
  }
  switch (s->kind) {
  case TALE_WAIT:
    put_script_statement(w, s, true);
    fputs("ok | blocks | aborts\n", w->out);
    break;
  case TALE_SNAPSHOT:
    put_snapshot(w);
    break;
  case TALE_READ:
    if (waited(w, s)) {
      fputs("resumes => ", w->out);
      put_returned(w, s);
    } else {
      put_script_read(w, seen_by_script(w, s), locks(w, s));
    }
    break;
  case TALE_WRITE:
    put_write(w, s);
    break;
  case TALE_COMMIT:
    fputs("commit => ok (seen) | blocks | aborts\n", w->out);
    break;
  case TALE_ROLLBACK:
    fputs("rollback\n", w->out);
    break;
  }
}

bool tale_put_steps(FILE *out, const struct tale *tale, const struct partial *p,
                    const struct tale_script *script) {
  uint64_t begun = 0;
  struct script_writing w = {out, tale, p, script, false};
  if (!tale->is_schedule)
    return false;
  for (uint32_t i = 0; i < tale->nsteps; i++)
    w.sql |= locks(&w, &tale->steps[i]) || updates(&w, &tale->steps[i]);
  fprintf(out, "# %s\n", script->title);
  if (w.sql)
    put_script_tables(&w);
  for (uint32_t i = 0; i < tale->nsteps; i++) {
    const struct tale_step *s = &tale->steps[i];
    if (is_dropped(&w, s))
      continue;
    if (!(begun & bit(s->t)))
      put_script_begin(&w, s->t);
    begun |= bit(s->t);
    put_script_step(&w, s);
  }
  return true;
}
