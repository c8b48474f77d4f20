// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a schema and scripts together (explore/sql/sql.h).
#include "config.h"

#include "explore/sql/sql.h"

#include "explore/sql/reading.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX_BYTES = 1 << 20, COPIES_MAX = 63 };

static char *text_of(const char *path, struct error *error) {
  FILE *file = fopen(path, "r");
  if (!file) {
    error_set_usage(error, "cannot read %s: %s", path, strerror(errno));
    return NULL;
  }
  char *text = xcalloc(1, FILE_MAX_BYTES + 2);
  const size_t n = fread(text, 1, FILE_MAX_BYTES + 1, file);
  const bool ok = !ferror(file) && n <= FILE_MAX_BYTES && strlen(text) == n;
  fclose(file);
  if (ok)
    return text;
  error_set_usage(error, "%s is no text of at most 1 MB", path);
  free(text);
  return NULL;
}

static int read_schema(const char *path, struct sql_schema *schema, FILE *out,
                       struct error *error) {
  char *text = text_of(path, error);
  struct sql_reader r = {.path = path, .p = text, .line = 1, .error = error};
  const int failed = text ? sql_read_schema(&r, schema, out) : -1;
  free(text);
  return failed;
}

// "pay" of "dir/pay.pgbench@3", and 3.
static int take_apart(const char *script, char **path, char name[40],
                      uint32_t *copies, struct error *error) {
  const char *at = strrchr(script, '@');
  char *end = NULL;
  *copies = at ? (uint32_t)strtoul(at + 1, &end, 10) : 1;
  *path = at ? xasprintf("%.*s", (int)(at - script), script) : xstrdup(script);
  const char *base = strrchr(*path, '/') ? strrchr(*path, '/') + 1 : *path;
  snprintf(name, 40, "%s%.*s", isalpha((unsigned char)*base) ? "" : "s",
           (int)strcspn(base, "."), base);
  for (char *c = name; *c; c++)
    *c = isalnum((unsigned char)*c) ? *c : '_';
  if (at && (*end || !*copies || *copies > COPIES_MAX))
    return error_set_usage(error,
                           "%s: behind @ stands how many sessions there "
                           "are, 1 to %d",
                           script, COPIES_MAX);
  return 0;
}

static int add_script(const char *script, const struct sql_schema *schema,
                      uint32_t *nsessions, FILE *out, struct error *error) {
  char *path, name[40];
  uint32_t copies, ntransactions = 0;
  int failed = take_apart(script, &path, name, &copies, error);
  char *text = failed ? NULL : text_of(path, error);
  struct sql_reader r = {.path = path, .p = text, .line = 1, .error = error};
  failed = text ? sql_read_script(&r, schema, name, out, &ntransactions) : -1;
  for (uint32_t c = 1; !failed && c <= copies; c++, ++*nsessions) {
    fprintf(out, "session %s%u:", name, c);
    for (uint32_t i = 1; i <= ntransactions; i++)
      fprintf(out, " %s_%u(%u)", name, i, *nsessions);
    fputc('\n', out);
  }
  free(text);
  free(path);
  return failed;
}

char *sql_program(const char *schema_path, const char *const *scripts,
                  uint32_t nscripts, struct error *error) {
  struct sql_schema *schema = xcalloc(1, sizeof *schema);
  char *program = NULL;
  size_t bytes;
  uint32_t nsessions = 0;
  FILE *out = open_memstream(&program, &bytes);
  if (!out)
    out_of_memory(1);
  int failed = read_schema(schema_path, schema, out, error);
  for (uint32_t i = 0; !failed && i < nscripts; i++)
    failed = add_script(scripts[i], schema, &nsessions, out, error);
  fclose(out);
  free(schema);
  if (!failed)
    return program;
  free(program);
  return NULL;
}
