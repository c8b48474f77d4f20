// SPDX-License-Identifier: GPL-3.0-or-later
// Reads whatever it is given as a pgbench script, under a schema of its own:
// nothing may crash or hang, what is refused is refused with a sentence, and
// what is accepted is a program in the notation.
//
// fuzz-sources: base/*.c sql/*.c recorder/*.c recorder/builder/*.c
// fuzz-sources: checker/*.c checker/*/*.c
// fuzz-sources: explore/*.c
// fuzz-libs: -lzstd -lxxhash -lgsl -lgslcblas -lm
// fuzz-seeds: configs/programs
#include "config.h"

#include "explore/program.h"
#include "sql/reading.h"
#include "sql/sql.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void find_changes(const char *script) {
  struct sql_change change;
  for (uint32_t i = 0; sql_find_atomic(script, i, &change); i++)
    sql_change_free(&change);
}

static char *program_of(const char *script, struct error *error) {
  const char *tables = "CREATE TABLE article (id int PRIMARY KEY, stock int);"
                       "CREATE TABLE sold (buyer int PRIMARY KEY, n int);"
                       "INSERT INTO article VALUES (1, 1);";
  struct sql_schema *schema = calloc(1, sizeof *schema);
  struct sql_reader tables_reader = {
      .path = "schema", .p = tables, .line = 1, .error = error};
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
