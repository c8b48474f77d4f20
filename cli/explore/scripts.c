// SPDX-License-Identifier: GPL-3.0-or-later
// Explores a schema and pgbench scripts (cli/explore/exploring.h): all of them
// are one program, which asserts that what comes out is serializable.
#include "config.h"

#include "cli/explore/exploring.h"

#include "base/memory.h"
#include "cli/process/signals.h"
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
                        const struct sql_change *change, uint32_t member,
                        struct program *program, struct error *error) {
  char *text = sql_program(s->schema, s->paths, s->n, change, error);
  const int failed = text ? program_parse(s->called, text,
                                          (struct program_choice){
                                              .member = member, .rows = true},
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
                         uint32_t member, struct changes *changes) {
  struct sql_change change;
  struct error error;
  for (uint32_t i = 0; e->nrepaired < REPAIRS_MAX &&
                       sql_find_change(s->paths, s->n, i, &change);
       i++) {
    const uint32_t n = e->nrepaired;
    struct program *program = &changes->programs[n];
    if (read_program(s, &change, member, program, &error)) {
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

// Explores one of the programs that the values of random() make; `*nmembers`
// becomes how many there are, 0 if the scripts are refused.
static enum status explore_member_of_scripts(
    struct exploration *e, const struct scripts *scripts, uint32_t member,
    enum status (*each)(struct exploration *e, struct program *program),
    uint32_t *nmembers) {
  struct program program = {0};
  struct error error = {0};
  struct changes *changes = xcalloc(1, sizeof *changes);
  enum status status;
  const int failed = read_program(scripts, NULL, member, &program, &error);
  if (!exploration_reads(e, scripts->called, failed, &error)) {
    status = complain(STATUS_USAGE, &error);
    *nmembers = 0;
  } else {
    if (e->settings->repair)
      find_changes(e, scripts, member, changes);
    if (member && e->settings->output == OUTPUT_TEXT)
      puts("");
    *nmembers = program.family;
    status = each(e, &program);
  }
  free_changes(e, changes);
  program_free(&program);
  return status;
}

static void tell_members(uint32_t nmembers, uint32_t nbroken) {
  if (nmembers > 1)
    printf("\nrandom() made %u programs, one for each combination of its "
           "values; %u of them may come out otherwise than one transaction "
           "after the other.\n",
           nmembers, nbroken);
}

enum status scripts_explore(struct exploration *e,
                            const struct arguments *arguments,
                            enum status (*each)(struct exploration *e,
                                                struct program *program)) {
  struct scripts scripts = {.schema = e->settings->schema};
  enum status status = STATUS_KEPT;
  uint32_t nmembers = 1, nbroken = 0;
  take_words(&scripts, arguments);
  e->options.robust = true;
  e->random_load = random_load(&scripts);
  uint32_t m = 0;
  for (; m < nmembers && !*signals_stop(); m++) {
    const enum status of_member =
        explore_member_of_scripts(e, &scripts, m, each, &nmembers);
    nbroken += of_member == STATUS_VIOLATION;
    status = status_worse(status, of_member);
  }
  if (m < nmembers)
    status = status_interrupted(status, "all programs were explored");
  if (nmembers && e->settings->output == OUTPUT_TEXT) {
    tell_members(nmembers, nbroken);
    printf("Under a random load: %s\n", e->random_load);
  }
  free(e->random_load);
  e->random_load = NULL;
  free(scripts.paths);
  free(scripts.called);
  return status;
}
