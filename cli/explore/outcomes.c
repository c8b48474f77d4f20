// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the outcomes of a program (cli/explore/exploring.h): what each
// transaction read, and in how many histories.
#include "config.h"

#include "cli/explore/exploring.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED_MAX = 1000 };

struct listed_outcome {
  struct outcome_key key;
  uint64_t histories;
  bool is_serial, fails;
  char *text;
};

struct outcome_list {
  struct listed_outcome *all;
  uint32_t n, room;
  bool too_many;
};

// The client is told the answers, or else all that was read.
static void put_told(FILE *out, const struct partial *p,
                     const struct program_block *b) {
  uint32_t n = 0;
  const datum *answers =
      p->program->answers ? list_elements(p->pool, b->told, &n) : NULL;
  for (uint32_t i = 0; i < n; i++) {
    fputc(' ', out);
    value_put(out, p->pool, answers[i]);
  }
  for (uint32_t r = b->first_read; !answers && r < b->end_read; r++) {
    fputc(' ', out);
    value_put(out, p->pool, p->reads[r].v);
  }
}

static void put_transaction(FILE *out, const struct partial *p, uint32_t t) {
  const struct program *program = p->program;
  const struct program_block *b = &p->blocks[p->position[t] - 1];
  if (t == program->final)
    fputs("finally:", out);
  else
    fprintf(out, "%s %s:", program->sessions[program->txns[t].session],
            program->txns[t].name);
  put_told(out, p, b);
  fputs(b->rolled_back ? " rollback" : "", out);
}

static char *outcome_text(const struct partial *p) {
  char *text = NULL;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  for (uint32_t t = 1; t <= p->program->ntxns; t++) {
    fputs(t > 1 ? "; " : "", out);
    put_transaction(out, p, t);
  }
  fclose(out);
  return text;
}

static bool note_outcome(void *context, const struct partial *p) {
  struct outcome_list *list = context;
  const struct outcome_key key = outcome_of(p, NULL);
  uint32_t i = 0;
  while (i < list->n &&
         (list->all[i].key.a != key.a || list->all[i].key.b != key.b))
    i++;
  if (i == LISTED_MAX) {
    list->too_many = true;
    return true;
  }
  if (i == list->n) {
    ARRAY_RESERVE(list->all, list->n, list->room);
    list->all[list->n++] = (struct listed_outcome){
        .key = key,
        .is_serial = history_is_explained(p),
        .fails = history_failure(p).kind != FAILURE_NONE,
        .text = outcome_text(p)};
  }
  list->all[i].is_serial |= !list->all[i].is_serial && history_is_explained(p);
  list->all[i].histories++;
  return true;
}

static int by_histories(const void *a, const void *b) {
  const struct listed_outcome *x = a, *y = b;
  if (x->histories != y->histories)
    return x->histories > y->histories ? -1 : 1;
  return strcmp(y->text, x->text);
}

static void put_outcome_list(const struct outcome_list *list) {
  for (uint32_t i = 0; i < list->n; i++) {
    const struct listed_outcome *l = &list->all[i];
    printf("%10" PRIu64 "  %s%s%s%s\n", l->histories, l->text,
           l->is_serial ? "" : "   not serializable",
           l->fails ? l->is_serial ? "   " : ", " : "",
           l->fails ? "breaks an assertion" : "");
  }
  if (list->too_many)
    printf("and more: the first %d are listed\n", LISTED_MAX);
}

void outcomes_put(const struct exploration *e) {
  for (uint32_t level = 0; level < e->nlevels; level++) {
    struct outcome_list list = {0};
    struct explore_result result;
    struct error error;
    struct explore_options options = e->options;
    options.level = e->levels[level];
    options.leaf = note_outcome;
    options.context = &list;
    explore(e->program, &options, &result, &error);
    if (list.n)
      qsort(list.all, list.n, sizeof *list.all, by_histories);
    printf("outcomes at %s%s\n", level_told(e, options.level),
           result.stopped ? ", not all of them" : "");
    put_outcome_list(&list);
    for (uint32_t i = 0; i < list.n; i++)
      free(list.all[i].text);
    free(list.all);
  }
}
