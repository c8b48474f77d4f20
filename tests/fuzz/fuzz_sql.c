// SPDX-License-Identifier: GPL-3.0-or-later
// Reads whatever it is given as a pgbench script, under a schema of its own:
// nothing may crash or hang, what is refused is refused with a sentence, and
// what is accepted is a program in the notation.  As steps of a run, each
// condition is one that predicate_read reads back as the same.
//
// fuzz-sources: base/*.c sql/*.c recorder/*.c recorder/builder/*.c
// fuzz-sources: checker/*.c checker/*/*.c
// fuzz-sources: explore/*.c
// fuzz-libs: -lzstd -lz -lxxhash -lgsl -lgslcblas -lm
// fuzz-seeds: configs/programs
#include "config.h"

#include "explore/program.h"
#include "sql/reading.h"
#include "sql/sql.h"
#include "sql/tree.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void find_changes(const char *script) {
  struct sql_change change;
  for (uint32_t i = 0; sql_find_atomic(script, i, &change); i++)
    sql_change_free(&change);
}

static const char declarations[] =
    "CREATE TABLE article (id int PRIMARY KEY, stock int);"
    "CREATE TABLE sold (buyer int PRIMARY KEY, n int);"
    "INSERT INTO article VALUES (1, 1);";

static void check_condition(const struct template_spec *template,
                            const struct predicate_columns *columns) {
  const struct predicate *p = &template->predicate;
  struct predicate again;
  struct error error;
  char *text;
  size_t bytes;
  FILE *out = open_memstream(&text, &bytes);
  predicate_write(out, p, columns, PREDICATE_DOLLAR, NULL);
  fclose(out);
  if (predicate_read(&again, text, columns, &error) ||
      !predicate_equals(&again, p) || again.nparameters != p->nparameters) {
    fprintf(stderr, "%s\n", text);
    abort();
  }
  free(text);
}

// Templates 0 and 1, of the tables, are TRUE.
static void fill_tables(struct sql_scripts *all) {
  static const char *const names[][1] = {{"stock"}, {"n"}};
  all->ntables = 2;
  for (uint32_t t = 0; t < 2; t++) {
    all->tables[t] = (struct table_spec){
        .columns = {.key = "id", .names = names[t], .count = 1}};
    ARRAY_RESERVE(all->templates, all->ntemplates, all->templates_room);
    struct template_spec *template = &all->templates[all->ntemplates++];
    *template = (struct template_spec){.table = t};
    predicate_add(&template->predicate,
                  (struct predicate_node){.op = PREDICATE_TRUE});
  }
}

static void make_steps(const char *script) {
  struct error error = {0};
  struct sql_schema *schema = calloc(1, sizeof *schema);
  struct sql_scripts *all = calloc(1, sizeof *all);
  struct sql_reader tables_reader = {
      .path = "schema", .p = declarations, .line = 1, .error = &error};
  struct sql_reader reader = {
      .path = "script", .p = script, .line = 1, .error = &error};
  FILE *unused = fopen("/dev/null", "w");
  all->scripts = calloc(1, sizeof *all->scripts);
  all->nscripts = 1;
  fill_tables(all);
  if (!unused || sql_read_schema(&tables_reader, schema, unused))
    abort();
  if (!sql_make_script(&reader, schema, all, all->scripts))
    for (uint32_t i = 0; i < all->ntemplates; i++)
      check_condition(&all->templates[i],
                      &all->tables[all->templates[i].table].columns);
  else if (!error.text[0])
    abort();
  fclose(unused);
  sql_scripts_free(all);
  sql_schema_free(schema);
}

static char *program_of(const char *script, struct error *error) {
  struct sql_schema *schema = calloc(1, sizeof *schema);
  struct sql_reader tables_reader = {
      .path = "schema", .p = declarations, .line = 1, .error = error};
  struct sql_reader reader = {
      .path = "script", .p = script, .line = 1, .error = error};
  char *text = NULL;
  size_t bytes;
  uint32_t n = 0;
  FILE *out = open_memstream(&text, &bytes);
  if (sql_read_schema(&tables_reader, schema, out))
    abort();
  const int failed = sql_read_script(&reader, schema, "script", out, &n);
  if (n)
    fputs("session s: script_1(0)\n", out);
  fclose(out);
  for (uint32_t i = 0; i < schema->ninserts; i++)
    free(schema->inserts[i].id);
  free(schema->inserts);
  free(schema);
  if (!failed)
    find_changes(script);
  if (!failed && n)
    return text;
  if (failed && !error->text[0])
    abort();
  free(text);
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  struct program program;
  struct error error = {0};
  char *script = calloc(1, bytes + 1);
  if (bytes)
    memcpy(script, data, bytes);
  make_steps(script);
  char *text = program_of(script, &error);
  if (text) {
    // Only nesting and the number of locals may be too much.
    if (program_parse("fuzz", text, (struct program_choice){0}, &program,
                      &error) &&
        !strstr(error.text, "deep") && !strstr(error.text, "locals") &&
        !strstr(error.text, "expected")) {
      fprintf(stderr, "%s\n%s\n", error.text, text);
      abort();
    }
    program_free(&program);
  }
  free(text);
  free(script);
  return 0;
}
