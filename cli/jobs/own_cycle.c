// SPDX-License-Identifier: GPL-3.0-or-later
// Tells a cycle of own scripts (cli/jobs/own_cycle.h).
#include "config.h"

#include "cli/jobs/own_cycle.h"

#include <inttypes.h>
#include <string.h>

// A step of the cycle, from a transaction of one script to one of another.
struct own_step {
  char kind; // of the pattern of a cycle:
             // 'm' from missed what to did to the row
             // 's' to saw what from did to the row
             // 'w' to wrote over what from did to the row
             // 'n' to is a later transaction of from's session
             // 'o' another one
  const struct sql_script *from, *to;
  uint32_t key;    // of the row; UINT32_MAX: none
  const char *row; // "stock 1"
  bool searched;   // by a statement that did not return the row
};

struct own_steps {
  struct arena *arena;
  uint32_t n, first; // the cycle is told from here on
  struct own_step *all;
};

static const struct own_step *step_at(const struct own_steps *s, uint32_t i) {
  return &s->all[(s->first + i) % s->n];
}

static char kind_of_edge(const struct edge *edge) {
  switch (edge->kind) {
  case EDGE_RW:
    return 'm';
  case EDGE_WR:
    return 's';
  case EDGE_WW:
    return 'w';
  case EDGE_SO:
    return 'n';
  default:
    return 'o';
  }
}

// False: a script or a row is not known.
static bool take_own_step(const struct own_counts *c, const struct history *h,
                          const struct edge *edge, bool searched,
                          struct arena *arena, struct own_step *step) {
  const uint32_t op = edge->to_op < h->nops ? edge->to_op : edge->from_op;
  *step = (struct own_step){.kind = kind_of_edge(edge),
                            .from = own_script_of(c, h, edge->from),
                            .to = own_script_of(c, h, edge->to),
                            .key = op < h->nops ? h->key[op] : UINT32_MAX,
                            .row = op < h->nops ? own_row(arena, h, op) : NULL,
                            .searched = searched};
  return step->from && step->to &&
         (step->row || step->kind == 'n' || step->kind == 'o');
}

// ---- Words

// "Two runs of sell.pgbench", or "A run of sell.pgbench and one of x.pgbench":
// those from which the steps start.
static const char *runs_of_cycle(const struct own_steps *s) {
  static const char *const numbers[] = {[2] = "Two", "Three", "Four", "Five"};
  bool same = true;
  for (uint32_t i = 1; i < s->n; i++)
    same &= s->all[i].from == s->all[0].from;
  if (same)
    return s->n < sizeof numbers / sizeof *numbers
               ? arena_printf(s->arena, "%s runs of %s", numbers[s->n],
                              own_file(s->all[0].from))
               : arena_printf(s->arena, "%" PRIu32 " runs of %s", s->n,
                              own_file(s->all[0].from));
  const char *text =
      arena_printf(s->arena, "A run of %s", own_file(s->all[0].from));
  for (uint32_t i = 1; i < s->n; i++)
    text = arena_printf(s->arena, "%s%s one of %s", text,
                        i + 1 < s->n ? "," : " and", own_file(s->all[i].from));
  return text;
}

// "stock 1, stock 2 and stock 3".
static const char *rows_of_cycle(const struct own_steps *s) {
  const char *text = s->all[0].row;
  for (uint32_t i = 1; i < s->n; i++)
    text = arena_printf(s->arena, "%s%s %s", text, i + 1 < s->n ? "," : " and",
                        s->all[i].row);
  return text;
}

// ---- Each changed what another one had read or searched

static const char *tell_ring(const struct own_steps *s) {
  const char *other = s->n == 2 ? "the other" : "the next";
  uint32_t searched = 0;
  for (uint32_t i = 0; i < s->n; i++)
    searched += s->all[i].searched;
  if (s->n == 2 && !searched && s->all[0].key == s->all[1].key)
    return arena_printf(s->arena,
                        "%s both changed %s, and neither saw what the other "
                        "did to it",
                        runs_of_cycle(s), s->all[0].row);
  const char *runs = runs_of_cycle(s), *rows = rows_of_cycle(s);
  if (s->n > 2)
    runs = arena_printf(s->arena, "%s, in a ring,", runs);
  return searched == s->n
             ? arena_printf(s->arena,
                            "%s each wrote a row that the search of %s one had "
                            "missed: %s",
                            runs, other, rows)
         : searched
             ? arena_printf(s->arena,
                            "%s each changed what %s one had just read or "
                            "searched for: %s",
                            runs, other, rows)
         : s->n == 2
             ? arena_printf(s->arena,
                            "%s each changed what %s had just read: %s", runs,
                            other, rows)
             : arena_printf(s->arena,
                            "%s each changed what %s one had just read: %s",
                            runs, other, rows);
}

// ---- One change of a transaction was seen, and another one missed

static const char *tell_half(const struct own_steps *s) {
  const struct own_step *see = step_at(s, 0), *miss = step_at(s, 1);
  return see->key == miss->key
             ? NULL
             : arena_printf(s->arena,
                            "A run of %s saw what a run of %s did to %s, "
                            "and not what it did to %s",
                            own_file(see->to), own_file(see->from), see->row,
                            miss->row);
}

// ---- A change that was overwritten unseen

static const char *tell_overwritten(const struct own_steps *s) {
  const struct own_step *over = step_at(s, 0), *miss = step_at(s, 1);
  return over->key != miss->key
             ? NULL
             : arena_printf(s->arena,
                            "A run of %s wrote over what a run of %s had done "
                            "to %s, and had not seen it",
                            own_file(over->to), own_file(over->from),
                            over->row);
}

// ---- Two saw two changes in opposite orders

static const char *tell_fork(const struct own_steps *s) {
  const struct own_step *see = step_at(s, 0), *miss = step_at(s, 1);
  return see->key != step_at(s, 3)->key || miss->key != step_at(s, 2)->key ||
                 see->key == miss->key
             ? NULL
             : arena_printf(s->arena,
                            "A run of %s saw what a run of %s did to %s, and "
                            "not what one of %s did to %s; a run of %s saw "
                            "them the other way round",
                            own_file(see->to), own_file(see->from), see->row,
                            own_file(miss->to), miss->row,
                            own_file(step_at(s, 2)->to));
}

// ---- A session that went back

static const char *tell_forgotten(const struct own_steps *s) {
  const struct own_step *miss = step_at(s, 1);
  return arena_printf(s->arena,
                      "A run of %s missed what an earlier run of %s in the "
                      "same session had done to %s",
                      own_file(miss->from), own_file(miss->to), miss->row);
}

static const char *tell_going_back(const struct own_steps *s) {
  const struct own_step *see = step_at(s, 0), *miss = step_at(s, 2);
  return see->key == miss->key
             ? arena_printf(s->arena,
                            "A run of %s saw what a run of %s did to %s, and a "
                            "later run of %s in the same session did not",
                            own_file(see->to), own_file(see->from), see->row,
                            own_file(miss->from))
             : arena_printf(s->arena,
                            "A run of %s saw what a run of %s did to %s, and a "
                            "later run of %s in the same session missed what "
                            "that one did to %s",
                            own_file(see->to), own_file(see->from), see->row,
                            own_file(miss->from), miss->row);
}

// A session missed a run that had missed an earlier run of the session.
static const char *tell_behind(const struct own_steps *s) {
  const struct own_step *miss = step_at(s, 1), *before = step_at(s, 2);
  return arena_printf(s->arena,
                      "A run of %s missed what a run of %s did to %s, which "
                      "had missed what an earlier run of %s in the session of "
                      "the first one did to %s",
                      own_file(miss->from), own_file(miss->to), miss->row,
                      own_file(before->to), before->row);
}

static const char *tell_two_sessions(const struct own_steps *s) {
  const struct own_step *one = step_at(s, 1), *other = step_at(s, 3);
  return arena_printf(s->arena,
                      "Two sessions missed each other's changes: a run of %s "
                      "missed what a run of %s did to %s, and a later run of "
                      "%s in that session missed what an earlier run of %s in "
                      "the first one did to %s",
                      own_file(one->from), own_file(one->to), one->row,
                      own_file(other->from), own_file(other->to), other->row);
}

// ---- All

static const struct cycle_telling {
  const char *pattern; // the kinds of the steps
  const char *(*tell)(const struct own_steps *steps);
} cycle_tellings[] = {{"sm", tell_half},          {"wm", tell_overwritten},
                      {"smsm", tell_fork},        {"nm", tell_forgotten},
                      {"snm", tell_going_back},   {"nmm", tell_behind},
                      {"nmnm", tell_two_sessions}};

static bool is_of_pattern(const struct own_steps *s, const char *pattern) {
  bool same = strlen(pattern) == s->n;
  for (uint32_t i = 0; same && i < s->n; i++)
    same = step_at(s, i)->kind == pattern[i];
  return same;
}

static bool all_missed(const struct own_steps *s) {
  bool all = true;
  for (uint32_t i = 0; i < s->n; i++)
    all &= s->all[i].kind == 'm';
  return all;
}

static const char *tell_cycle_of_steps(struct own_steps *s) {
  enum { NTELLINGS = sizeof cycle_tellings / sizeof *cycle_tellings };
  if (all_missed(s))
    return tell_ring(s);
  for (size_t i = 0; i < NTELLINGS; i++)
    for (s->first = 0; s->first < s->n; s->first++)
      if (is_of_pattern(s, cycle_tellings[i].pattern))
        return cycle_tellings[i].tell(s);
  return NULL;
}

const char *own_cycle(struct arena *arena, const struct own_counts *c,
                      const struct history *h, const struct verdict *v) {
  const uint32_t n = v->nrow_edges ? v->nrow_edges : v->nedges;
  struct own_step *all = arena_take(arena, (n + (size_t)1) * sizeof *all);
  struct own_steps s = {.arena = arena, .n = n, .all = all};
  bool known = n > 1;
  for (uint32_t i = 0; i < n && known; i++)
    known = take_own_step(c, h, v->nrow_edges ? &v->row_edges[i] : &v->edges[i],
                          v->nrow_edges && v->row_statements[i] != UINT32_MAX,
                          arena, &all[i]);
  return known ? tell_cycle_of_steps(&s) : NULL;
}
