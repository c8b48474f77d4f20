// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a schema and scripts together (sql/sql.h).
#include "config.h"

#include "sql/sql.h"

#include "sql/reading.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX_BYTES = 1 << 20, COPIES_MAX = 63, MEMBERS_MAX = 1024 };

char *sql_text_of(const char *path, struct error *error) {
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

static int read_schema_of_program(const char *path, struct sql_schema *schema,
                                  FILE *out, struct error *error) {
  char *text = sql_text_of(path, error);
  struct sql_reader r = {.path = path, .p = text, .line = 1, .error = error};
  if (text)
    sql_read_schema(&r, schema, out); // what it refuses is told with the rest
  free(text);
  return text ? 0 : -1;
}

int sql_take_apart(const char *script, char **path, char name[40],
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
    return error_set_usage(
        error, "%s: a number of sessions, 1 to %d, must follow the @", script,
        COPIES_MAX);
  return 0;
}

// Names a row that a session may insert, so that scans look at it.
static void put_inserted_row(FILE *out, const struct sql_schema *schema,
                             const struct sql_inserted *insert,
                             uint32_t session) {
  static const char client[] = "v_client_id";
  const char *p = insert->id;
  fprintf(out, "initially %s[", schema->tables[insert->table].name);
  for (const char *at; (at = strstr(p, client)); p = at + sizeof client - 1)
    fprintf(out, "%.*s%u", (int)(at - p), p, session);
  fprintf(out, "%s]=none\n", p);
}

struct made { // of a program
  FILE *rows, *code;
  uint32_t nsessions;
  uint64_t nmembers; // programs, one for each combination of draws
};

// Puts the rows that the script inserted from `first` on; `session` performs
// it.
static void put_inserted_rows(struct made *made,
                              const struct sql_schema *schema, uint32_t first) {
  for (uint32_t i = first; i < schema->ninserts; i++)
    if (schema->inserts[i].id)
      put_inserted_row(made->rows, schema, &schema->inserts[i],
                       made->nsessions);
}

// Each session draws for itself: a value of each draw from `first` on is one of
// a family.
static void put_draws(struct made *made, const struct sql_schema *schema,
                      uint32_t first) {
  for (uint32_t i = first; i < schema->ndraws; i++) {
    const struct sql_draw *draw = &schema->draws[i];
    fprintf(made->rows, "with %s[%u] in", draw->name, made->nsessions);
    for (int64_t v = draw->low; v <= draw->high; v++)
      fprintf(made->rows, "%s %" PRId64, v > draw->low ? "," : "", v);
    fputc('\n', made->rows);
  }
}

// How many programs these are, unless they are too many already.
static uint64_t members(const struct sql_schema *schema, uint32_t first,
                        uint32_t copies) {
  uint64_t n = 1;
  for (uint32_t c = 0; c < copies; c++)
    for (uint32_t i = first; i < schema->ndraws && n <= MEMBERS_MAX; i++)
      n *= (uint64_t)(schema->draws[i].high - schema->draws[i].low) + 1;
  return n;
}

// `changed` stands for the text of the script; NULL: it is read.
static int add_script(const char *script, const char *changed,
                      struct sql_schema *schema, struct made *made,
                      struct error *error) {
  char *path, name[40];
  uint32_t copies, ntransactions = 0;
  const uint32_t first = schema->ninserts, first_draw = schema->ndraws;
  int failed = sql_take_apart(script, &path, name, &copies, error);
  char *text = failed    ? NULL
               : changed ? xstrdup(changed)
                         : sql_text_of(path, error);
  struct sql_reader r = {.path = path, .p = text, .line = 1, .error = error};
  failed = text ? 0 : -1;
  if (text)
    sql_read_script(&r, schema, name, made->code, &ntransactions);
  for (uint32_t i = first; i < schema->ninserts; i++)
    schema->inserts[i].path = xstrdup(path);
  made->nmembers *= failed ? 1 : members(schema, first_draw, copies);
  if (!failed && made->nmembers > MEMBERS_MAX)
    failed = error_set_usage(
        error,
        "%s: the values of random() make more than %d programs, each of which "
        "is explored; write smaller ranges or fewer sessions",
        path, MEMBERS_MAX);
  for (uint32_t c = 1; !failed && c <= copies; c++, made->nsessions++) {
    put_draws(made, schema, first_draw);
    put_inserted_rows(made, schema, first);
    fprintf(made->code, "session %s%u:", name, c);
    for (uint32_t i = 1; i <= ntransactions; i++)
      fprintf(made->code, " %s_%u(%u)", name, i, made->nsessions);
    fputc('\n', made->code);
  }
  free(text);
  free(path);
  return failed;
}

// All rows of tables that are scanned have to be known.
static int find_unknown_rows(const struct sql_schema *schema,
                             struct error *error) {
  for (uint32_t i = 0; i < schema->ninserts; i++) {
    const struct sql_inserted *insert = &schema->inserts[i];
    if (!insert->id && schema->scanned >> insert->table & 1)
      return error_set_usage(
          error,
          "%s:%u: %s is scanned, so the primary key of a row that is inserted "
          "is computed from numbers, :client_id and \\set outside of \\if",
          insert->path, insert->line, schema->tables[insert->table].name);
  }
  return 0;
}

void sql_schema_free(struct sql_schema *schema) {
  for (uint32_t i = 0; i < schema->ninserts; i++) {
    free(schema->inserts[i].id);
    free(schema->inserts[i].path);
  }
  for (uint32_t i = 0; i < schema->ntables; i++)
    free(schema->rows[i]);
  free(schema->inserts);
  free(schema);
}

char *sql_program(const char *schema_path, const char *const *scripts,
                  uint32_t nscripts, const struct sql_change *change,
                  struct error *error) {
  struct sql_schema *schema = xcalloc(1, sizeof *schema);
  char *rows = NULL, *code = NULL, *program = NULL;
  size_t bytes;
  struct made made = {.rows = text_stream(&rows, &bytes),
                      .code = text_stream(&code, &bytes),
                      .nmembers = 1};
  int failed = read_schema_of_program(schema_path, schema, made.code, error);
  for (uint32_t i = 0; !failed && i < nscripts; i++)
    failed = add_script(scripts[i],
                        change && change->script == i ? change->text : NULL,
                        schema, &made, error);
  failed = failed || sql_tell(&schema->refusals, true, error) ||
           find_unknown_rows(schema, error);
  fclose(made.rows);
  fclose(made.code);
  // The inserts of the schema stand behind, and replace `none`.
  if (!failed)
    program = xasprintf("%s%s", rows, code);
  free(rows);
  free(code);
  sql_schema_free(schema);
  return program;
}

// Finds the change in one script, whose number it becomes; counts down those
// that come before it.
static bool find_in_script(const char *script, uint32_t *number,
                           struct sql_change *change) {
  char *path, name[40];
  uint32_t copies;
  struct error error;
  char *text = sql_take_apart(script, &path, name, &copies, &error)
                   ? NULL
                   : sql_text_of(path, &error);
  bool found = false;
  for (uint32_t i = 0; text && !found && sql_find_atomic(text, i, change); i++)
    if (*number) {
      --*number;
      sql_change_free(change);
    } else {
      found = true;
      change->transaction = xasprintf("%s_%u", name, change->number);
    }
  free(text);
  free(path);
  return found;
}

bool sql_find_change(const char *const *scripts, uint32_t nscripts,
                     uint32_t number, struct sql_change *change) {
  bool found = false;
  for (uint32_t i = 0; i < nscripts && !found; i++) {
    found = find_in_script(scripts[i], &number, change);
    change->script = i;
  }
  return found;
}

void sql_change_free(struct sql_change *change) {
  free(change->transaction);
  free(change->statement);
  free(change->text);
  *change = (struct sql_change){0};
}
