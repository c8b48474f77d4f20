// SPDX-License-Identifier: GPL-3.0-or-later
// The user's own transactions as a workload (workload/scripts.h).  A client
// draws a script and performs its transactions one after the other.  A
// transaction that pgbench would give up, because of a duplicate key, a \gset
// without its row or a division by zero, is rolled back.
#include "config.h"

#include "workload/scripts.h"

#include "base/memory.h"
#include "sql/steps.h"
#include "workload/row_workload.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct script_workload {
  struct sql_scripts *read;
  struct workload workload;
  struct row_programs programs;
  struct shape shapes[WORKLOAD_MAX_SHAPES + 1];
};

struct scripted {
  struct row_workload rows;
  const struct sql_scripts *all;
  const struct sql_script *script;
  uint32_t transaction; // of the script; its number of transactions: another
                        // script is next
  uint32_t at;          // step
  const struct sql_step *asked;          // whose rows are to come; or NULL
  struct sql_number *variables, *before; // before: the transaction
  const char *why; // the transaction rolls back; NULL: it does not
  int64_t params[PREDICATE_PARAMETERS];
};

// ---- Choosing

static void set_variables(struct scripted *s) {
  const uint32_t n = s->script->nvariables;
  s->variables = xrealloc(s->variables, n, sizeof *s->variables);
  s->before = xrealloc(s->before, n, sizeof *s->before);
  for (uint32_t i = 0; i < n; i++)
    s->variables[i] = (struct sql_number){.none = true};
  s->variables[0] = (struct sql_number){.is = s->rows.session};
}

static bool script_reads_only(const struct scripted *s) {
  const struct sql_script *script = s->script;
  const uint32_t end = s->transaction + 1 < script->ntransactions
                           ? script->first[s->transaction + 1]
                           : script->nsteps;
  for (uint32_t i = script->first[s->transaction]; i < end; i++)
    if (script->steps[i]->kind == SQL_STEP_STATEMENT &&
        statement_writes(script->steps[i]->sort))
      return false;
  return true;
}

static void scripts_next(void *state, struct row_program *program) {
  struct scripted *s = state;
  const uint32_t shape = s->rows.shape;
  const bool goes_on =
      s->script && s->transaction + 1 < s->script->ntransactions;
  row_workload_next(&s->rows, program);
  if (goes_on) {
    s->rows.shape = program->shape = shape;
    s->transaction++;
  } else {
    s->script = &s->all->scripts[s->rows.shape];
    s->transaction = 0;
    set_variables(s);
  }
  memcpy(s->before, s->variables, s->script->nvariables * sizeof *s->before);
  program->reads_only = script_reads_only(s);
}

static void scripts_start(void *state) {
  struct scripted *s = state;
  row_workload_start(&s->rows);
  memcpy(s->variables, s->before, s->script->nvariables * sizeof *s->before);
  s->at = s->script->first[s->transaction];
  s->asked = NULL;
  s->why = NULL;
}

// ---- Performing

static uint64_t draw_scripted(void *context, uint64_t below) {
  return row_draw(context, below);
}

static bool compute_scripted(struct scripted *s, const struct sql_code *code,
                             struct sql_number *result) {
  const struct sql_chance chance = {.draw = draw_scripted, .context = &s->rows};
  return sql_compute(code, s->variables, &chance, result);
}

// A number that is sent to the database.
static bool send(struct scripted *s, const struct sql_code *code,
                 int64_t *number) {
  struct sql_number value;
  if (!compute_scripted(s, code, &value) || value.none)
    return false;
  *number = value.is;
  return true;
}

static bool ask_statement(struct scripted *s, const struct sql_step *step,
                          struct statement *next) {
  int64_t key = 0;
  *next = (struct statement){.sort = step->sort,
                             .table = step->table,
                             .template = step->template,
                             .params = s->params,
                             .sets = s->rows.sets};
  for (uint32_t i = 0; i < step->nparams; i++)
    if (!send(s, &step->params[i], &s->params[i]))
      return false;
  for (uint32_t i = 0; i < step->nsets; i++) {
    const struct sql_assignment *set = &step->sets[i];
    int64_t number;
    if (!send(s, &set->value, &number))
      return false;
    row_set(&s->rows, next, set->column, set->adds, number);
  }
  if (statement_inserts(step->sort) &&
      (!send(s,
             step->sort == STATEMENT_INSERT_NEW ? &step->params[0]
                                                : &step->value,
             &key) ||
       key < 0 || key == STATEMENT_KEY_END))
    return false;
  next->key = (uint64_t)key;
  s->asked = step;
  return true;
}

// Keeps what \gset says of the rows.  Says why pgbench would give up; NULL: it
// would not.
static const char *take_script_rows(struct scripted *s,
                                    const struct row_list *rows) {
  const struct sql_step *step = s->asked;
  s->asked = NULL;
  if (rows->refused && step->sort == STATEMENT_INSERT)
    return "the key is taken";
  for (uint32_t i = 0; i < step->nkept; i++) {
    const struct sql_kept *kept = &step->kept[i];
    if (kept->kind == SQL_OUTPUT_COLUMN && rows->count != 1)
      return rows->count ? "several rows" : "no row";
    if (!sql_keep(kept, rows, &s->variables[kept->variable]))
      return "a sum of more than 64 bits";
  }
  return NULL;
}

// 1: the step is a statement; 0: go on; -1: the transaction rolls back.
static int perform_script_step(struct scripted *s, const struct sql_step *step,
                               struct statement *next) {
  struct sql_number value;
  switch (step->kind) {
  case SQL_STEP_SET:
    return compute_scripted(s, &step->value, &s->variables[step->variable])
               ? 0
               : -1;
  case SQL_STEP_UNLESS:
    if (!compute_scripted(s, &step->value, &value))
      return -1;
    if (value.none || !value.is)
      s->at = step->target;
    return 0;
  case SQL_STEP_GO:
    s->at = step->target;
    return 0;
  case SQL_STEP_STATEMENT:
    return ask_statement(s, step, next) ? 1 : -1;
  default:
    return -1; // ROLLBACK
  }
}

static bool scripts_step(void *state, const struct row_list *last,
                         struct statement *next) {
  struct scripted *s = state;
  s->why = s->asked ? take_script_rows(s, last) : NULL;
  int done = s->why ? -1 : 0;
  while (!done) {
    assert(s->at < s->script->nsteps);
    const struct sql_step *step = s->script->steps[s->at++];
    if (step->kind == SQL_STEP_COMMIT)
      return false;
    done = perform_script_step(s, step, next);
    if (done < 0)
      s->why = step->kind == SQL_STEP_ROLLBACK ? "ROLLBACK"
                                               : "a value cannot be computed";
  }
  return done > 0;
}

static bool scripts_roll_back(void *state) {
  const struct scripted *s = state;
  return s->why != NULL;
}

static const char *scripts_place(void *state, const char **why) {
  const struct scripted *s = state;
  *why = s->why;
  return s->at ? s->script->steps[s->at - 1]->place : NULL;
}

// ---- The contract

static struct tables *
make_scripts_tables(const struct workload_options *options) {
  const struct sql_scripts *all = options->scripts->read;
  struct tables *tables = xmalloc(sizeof *tables);
  *tables = (struct tables){.table = all->tables,
                            .templates = all->templates,
                            .ntables = all->ntables,
                            .ntemplates = all->ntemplates};
  return tables;
}

static void *scripts_open(const struct workload_options *options,
                          uint32_t session) {
  struct scripted *s = xcalloc(1, sizeof *s);
  row_workload_open(&s->rows, &options->scripts->workload, options, session);
  s->all = options->scripts->read;
  return s;
}

static void scripts_close(void *state) {
  struct scripted *s = state;
  FREE_EACH(s->variables, s->before);
  row_workload_close(s);
}

static const struct row_programs programs = {
    .tables = make_scripts_tables,
    .next = scripts_next,
    .start = scripts_start,
    .step = scripts_step,
    .rolls_back = scripts_roll_back,
    .place = scripts_place,
};

static const struct shape no_shapes[] = {
    {"script", 1, "a script of the user's"},
    {NULL, 0, NULL},
};

const struct workload workload_scripts = {
    .name = "scripts",
    .summary = "the user's own transactions: pgbench scripts, named with "
               "--workload=FILE@SHARE,... and --schema",
    .shapes = no_shapes,
    .open = scripts_open,
    .close = scripts_close,
    .programs = &programs,
};

static unsigned sorts_of(const struct sql_scripts *all) {
  unsigned sorts = 1u << STATEMENT_SELECT; // the last reads
  for (uint32_t i = 0; i < all->nscripts; i++)
    for (uint32_t k = 0; k < all->scripts[i].nsteps; k++) {
      const struct sql_step *step = all->scripts[i].steps[k];
      if (step->kind == SQL_STEP_STATEMENT)
        sorts |= 1u << step->sort;
    }
  return sorts;
}

struct script_workload *script_workload_open(const char *schema,
                                             const char *list,
                                             struct error *error) {
  struct sql_scripts *read =
      sql_scripts_read(schema, list, WORKLOAD_MAX_SHAPES, error);
  if (!read)
    return NULL;
  struct script_workload *w = xcalloc(1, sizeof *w);
  double sum = 0;
  for (uint32_t i = 0; i < read->nscripts; i++)
    sum += read->scripts[i].share;
  for (uint32_t i = 0; i < read->nscripts; i++)
    w->shapes[i] = (struct shape){
        read->scripts[i].name, read->scripts[i].share / sum, no_shapes[0].help};
  w->read = read;
  w->workload = workload_scripts;
  w->programs = programs;
  w->programs.executes = sorts_of(read);
  w->workload.shapes = w->shapes;
  w->workload.programs = &w->programs;
  return w;
}

void script_workload_close(struct script_workload *w) {
  if (!w)
    return;
  sql_scripts_free(w->read);
  free(w);
}

const struct workload *script_workload_of(const struct script_workload *w) {
  return &w->workload;
}

const struct sql_scripts *
script_workload_read(const struct script_workload *w) {
  return w->read;
}
