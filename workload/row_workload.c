// SPDX-License-Identifier: GPL-3.0-or-later
// Workloads of statements (workload/row_workload.h).
#include "config.h"

#include "workload/row_workload.h"

#include "base/memory.h"

#include <stdlib.h>

void row_workload_open(struct row_workload *rows,
                       const struct workload *workload,
                       const struct workload_options *options,
                       uint32_t session) {
  rows->session = session;
  rows->nsessions = options->nsessions;
  planner_init(&rows->planner, workload, options, session);
}

void row_workload_close(void *state) {
  struct row_workload *rows = state;
  planner_fini(&rows->planner);
  free(rows);
}

void row_workload_next(struct row_workload *rows, struct row_program *program) {
  struct plan plan;
  rows->inserted += rows->fresh;
  rows->fresh = 0;
  rows->shape = plan_start(&plan, &rows->planner);
  rows->seed = gsl_rng_uniform_int(rows->planner.random, 1 << 30);
  program->shape = rows->shape;
}

void row_workload_start(void *state) {
  struct row_workload *rows = state;
  rows->at = 0;
  rows->fresh = 0;
  rows->random = rows->seed;
}

// SplitMix64.
uint64_t row_draw(struct row_workload *rows, uint64_t below) {
  uint64_t z = rows->random += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (z ^ (z >> 31)) % below;
}

static uint32_t count_table_columns(const char *const *columns) {
  uint32_t count = 0;
  while (columns[count])
    count++;
  return count;
}

static void read_row_condition(struct template_spec *template, uint32_t table,
                               const char *text,
                               const struct table_spec *specs) {
  struct error error;
  template->table = table;
  const int failed =
      predicate_read(&template->predicate, text, &specs[table].columns, &error);
  assert(!failed);
  (void)failed;
}

// In one block, which free() frees.
struct tables *row_tables_make(const struct row_set *list, uint32_t ntables,
                               const struct row_condition *conditions,
                               uint32_t nconditions) {
  const uint32_t ntemplates = ntables + nconditions;
  struct tables *tables =
      xcalloc(1, sizeof *tables + ntables * sizeof(struct table_spec) +
                     ntemplates * sizeof(struct template_spec) +
                     ntables * TABLE_COLUMNS_MOST * sizeof(struct first_value));
  struct template_spec *templates = (struct template_spec *)(tables + 1);
  struct table_spec *specs = (struct table_spec *)(templates + ntemplates);
  struct first_value *first = (struct first_value *)(specs + ntables);
  for (uint32_t t = 0; t < ntables; t++, first += TABLE_COLUMNS_MOST) {
    specs[t] = (struct table_spec){
        .name = list[t].name,
        .columns = {.key = "id",
                    .names = list[t].columns,
                    .count = count_table_columns(list[t].columns)},
        .first = first,
        .nrows = list[t].nrows,
        .indexed = list[t].indexed};
    for (uint32_t c = 0; c < specs[t].columns.count; c++)
      first[c] =
          list[t].nrows ? list[t].first[c] : (struct first_value){0, 1, 1};
    read_row_condition(&templates[t], t, "TRUE", specs);
  }
  for (uint32_t i = 0; i < nconditions; i++)
    read_row_condition(&templates[ntables + i], conditions[i].table,
                       conditions[i].text, specs);
  *tables = (struct tables){.table = specs,
                            .templates = templates,
                            .ntables = ntables,
                            .ntemplates = ntemplates};
  return tables;
}
