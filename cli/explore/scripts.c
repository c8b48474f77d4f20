// SPDX-License-Identifier: GPL-3.0-or-later
// Explores a schema and pgbench scripts (cli/explore/exploring.h): all of them
// are one program, which asserts that what comes out is serializable.
#include "config.h"

#include "cli/explore/exploring.h"

#include "base/memory.h"
#include "sql/sql.h"

#include <stdlib.h>

struct scripts {
  const char *schema;
  const char **paths;
  uint32_t n;
  char *called; // all of them, with + between
};

static void take_words(struct scripts *s, const struct arguments *arguments) {
  s->paths = xcalloc(arguments->nwords + 1, sizeof *s->paths);
  s->called = xstrdup("");
  for (uint32_t i = 0; i < arguments->nwords; i++) {
    if (word_is_target(arguments->words[i]))
      continue;
    s->paths[s->n++] = arguments->words[i];
    char *more = xasprintf("%s%s%s", s->called, *s->called ? "+" : "",
                           arguments->words[i]);
    free(s->called);
    s->called = more;
  }
}

static int read_program(const struct scripts *s,
                        const struct sql_change *change,
                        struct program *program, struct error *error) {
  char *text = sql_program(s->schema, s->paths, s->n, change, error);
  const int failed = text ? program_parse(s->called, text,
                                          (struct program_choice){.rows = true},
                                          program, error)
                          : -1;
  free(text);
  return failed;
}

// The random load that the same files make.
static char *random_load(const struct scripts *s) {
  char *command;
  size_t bytes;
  FILE *out = text_stream(&command, &bytes);
  fprintf(out, "isostress run --schema %s -w ", s->schema);
  for (uint32_t i = 0; i < s->n; i++)
    fprintf(out, "%s%s", i ? "," : "", s->paths[i]);
  fputs(" TARGET", out);
  fclose(out);
  return command;
}

// ---- Changes of scripts that may help

struct changes {
  struct sql_change all[REPAIRS_MAX];
  struct program programs[REPAIRS_MAX];
  struct repaired repaired[REPAIRS_MAX];
};

static struct repair repair_of(const struct sql_change *change) {
  return (struct repair){.kind = REPAIR_STATEMENT,
                         .line = change->select_line,
                         .transaction = change->transaction,
                         .statement = change->statement,
                         .write_line = change->update_line,
                         .last_line = change->last_line};
}

// Those of which a program comes; what the change says must be in the subset.
static void find_changes(struct exploration *e, const struct scripts *s,
                         struct changes *changes) {
  struct sql_change change;
  struct error error;
  for (uint32_t i = 0; e->nrepaired < REPAIRS_MAX &&
                       sql_find_change(s->paths, s->n, i, &change);
       i++) {
    const uint32_t n = e->nrepaired;
    struct program *program = &changes->programs[n];
    if (read_program(s, &change, program, &error)) {
      program_free(program);
      *program = (struct program){0};
      sql_change_free(&change);
      continue;
    }
    program->max_ops = (uint32_t)e->settings->max_ops;
    changes->all[n] = change;
    changes->repaired[n] = (struct repaired){program, repair_of(&change)};
    e->nrepaired++;
  }
  e->repaired = changes->repaired;
}

static void free_changes(struct exploration *e, struct changes *changes) {
  for (uint32_t i = 0; i < e->nrepaired; i++) {
    program_free(&changes->programs[i]);
    sql_change_free(&changes->all[i]);
  }
  e->nrepaired = 0;
  free(changes);
}

enum status scripts_explore(struct exploration *e,
                            const struct arguments *arguments,
                            enum status (*each)(struct exploration *e,
                                                struct program *program)) {
  struct scripts scripts = {.schema = e->settings->schema};
  struct program program = {0};
  struct error error = {0};
  struct changes *changes = xcalloc(1, sizeof *changes);
  enum status status;
  take_words(&scripts, arguments);
  e->options.robust = true;
  const int failed = read_program(&scripts, NULL, &program, &error);
  if (!exploration_reads(e, scripts.called, failed, &error)) {
    status = complain(STATUS_USAGE, &error);
  } else {
    if (e->settings->repair)
      find_changes(e, &scripts, changes);
    e->random_load = random_load(&scripts);
    status = each(e, &program);
    if (e->settings->output == OUTPUT_TEXT)
      printf("Under a random load: %s\n", e->random_load);
    free(e->random_load);
    e->random_load = NULL;
  }
  free_changes(e, changes);
  program_free(&program);
  free(scripts.paths);
  free(scripts.called);
  return status;
}
