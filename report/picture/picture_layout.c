// SPDX-License-Identifier: GPL-3.0-or-later
// Lays out the picture of a counterexample (report/picture/picture.h), stage by
// stage.
#include "config.h"

#include "report/picture/picture_laying.h"

#include "base/memory.h"

#include <stdlib.h>

enum { MOST_COMMITS = 2 };

static void make_picture_room(struct laying *l) {
  struct picture *p = l->p;
  const struct example *e = l->e;
  size_t nwords = 1;
  for (uint32_t op = 0; op < e->nops; op++)
    nwords += 3 + laying_rows_of_op(&e->ops[op]);
  nwords += 6 * (size_t)e->ntxns + MOST_COMMITS;
  p->boxes = arena_take(&p->arena, (e->ntxns + 1) * sizeof *p->boxes);
  p->words = arena_take(&p->arena, nwords * sizeof *p->words);
  p->waits = arena_take(&p->arena, (e->nops + 1) * sizeof *p->waits);
  p->commits = arena_take(&p->arena, MOST_COMMITS * sizeof *p->commits);
  p->arrows = arena_take(&p->arena, (e->nedges + 1) * sizeof *p->arrows);
  l->sessions = xcalloc(e->ntxns, sizeof *l->sessions);
  l->columns = xcalloc(e->ntxns, sizeof *l->columns);
  l->lanes = xcalloc(e->ntxns, sizeof *l->lanes);
  for (uint32_t t = 0; t < e->ntxns; t++)
    l->columns[t].above = EXAMPLE_NONE;
}

void picture_lay_out(struct picture *picture, const struct example *example) {
  *picture = (struct picture){.example = example};
  struct laying l = {.p = picture, .e = example};
  make_picture_room(&l);
  laying_choose_boxes(&l);
  laying_place_columns(&l);
  laying_list_events(&l);
  laying_place_rows(&l);
  laying_place_commits(&l);
  if (example->timed)
    laying_add_times(&l);
  laying_place_arrows(&l);
  laying_place_widths(&l);
  free(l.events);
  free(l.sessions);
  free(l.columns);
  free(l.lanes);
}

void picture_free(struct picture *picture) { arena_free(&picture->arena); }
