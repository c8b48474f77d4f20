// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants (workload/invariant.h).  The parser of scripts reads the SELECT,
// as if a \gset stood behind it.
#include "config.h"

#include "workload/invariant.h"

#include "base/memory.h"
#include "explore/sql/steps.h"

#include <stdlib.h>

struct invariant {
  char *text;
  int64_t equals;
  struct tables *tables;    // the workload's
  struct sql_scripts *read; // these and the question
  const struct sql_step *step;
  int64_t params[PREDICATE_PARAMETERS];
};

static bool compute_parameters(struct invariant *i) {
  const struct sql_number client = {.is = 0};
  for (uint32_t p = 0; p < i->step->nparams; p++) {
    struct sql_number value;
    if (!sql_compute(&i->step->params[p], &client, NULL, &value) || value.none)
      return false;
    i->params[p] = value.is;
  }
  return true;
}

struct invariant *invariant_open(const struct workload *workload,
                                 const struct workload_options *options,
                                 const char *select, int64_t equals,
                                 struct error *error) {
  struct invariant *i = xcalloc(1, sizeof *i);
  i->text = xstrdup(select);
  i->equals = equals;
  i->tables = workload->programs->tables(options);
  i->read = sql_question_read(select, i->tables, error);
  if (i->read) {
    i->step = i->read->scripts[0].steps[0];
    if (compute_parameters(i))
      return i;
    error_set(error, "\"%s\" compares with what cannot be computed", select);
  }
  invariant_close(i);
  return NULL;
}

void invariant_close(struct invariant *i) {
  if (!i)
    return;
  sql_scripts_free(i->read);
  FREE_EACH(i->text, i->tables);
  free(i);
}

struct tables *invariant_tables(const struct invariant *i) {
  struct tables *tables = xmalloc(sizeof *tables);
  *tables = (struct tables){.table = i->tables->table,
                            .templates = i->read->templates,
                            .ntables = i->tables->ntables,
                            .ntemplates = i->read->ntemplates};
  return tables;
}

void invariant_ask(const struct invariant *i, struct statement *statement) {
  *statement = (struct statement){.sort = i->step->sort,
                                  .table = i->step->table,
                                  .template = i->step->template,
                                  .params = i->params};
}

struct invariant_answer invariant_answer(const struct invariant *i,
                                         const struct row_list *rows) {
  const struct sql_kept *kept = &i->step->kept[0];
  struct sql_number number = {.none = true};
  if ((kept->kind == SQL_OUTPUT_COLUMN && rows->count != 1) ||
      !sql_keep(kept, rows, &number))
    number.none = true;
  return (struct invariant_answer){.none = number.none, .is = number.is};
}

bool invariant_holds(const struct invariant *i,
                     struct invariant_answer answer) {
  return !answer.none && answer.is == i->equals;
}

const char *invariant_text(const struct invariant *i) { return i->text; }

int64_t invariant_equals(const struct invariant *i) { return i->equals; }
