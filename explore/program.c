// SPDX-License-Identifier: GPL-3.0-or-later
// Programs as a whole: read from files, cut down, freed (explore/program.h).
#include "config.h"

#include "explore/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX_BYTES = 1 << 20 };

// Who comes before whom, once all transactions are known.
void program_order_sessions(struct program *program) {
  for (uint32_t t = 1; t <= program->ntxns; t++) {
    struct program_txn *txn = &program->txns[t];
    txn->before = 1;
    txn->previous = 0;
    for (uint32_t u = 1; u < t; u++)
      if (program->txns[u].session == txn->session || t == program->final) {
        txn->before |= UINT64_C(1) << u;
        txn->previous =
            program->txns[u].session == txn->session ? u : txn->previous;
      }
  }
}

// The text of a file, to be freed; NULL with a sentence.
static char *program_text_of(const char *path, struct error *error) {
  FILE *file = fopen(path, "r");
  if (!file) {
    error_set_usage(error, "cannot read %s: %s", path, strerror(errno));
    return NULL;
  }
  char *text = xcalloc(1, FILE_MAX_BYTES + 2);
  const size_t n = fread(text, 1, FILE_MAX_BYTES + 1, file);
  const bool failed = ferror(file);
  fclose(file);
  if (!failed && n <= FILE_MAX_BYTES && strlen(text) == n)
    return text;
  error_set_usage(error,
                  failed ? "cannot read %s: it is no file"
                  : n > FILE_MAX_BYTES
                      ? "%s is no program: it is larger than 1 MB"
                      : "%s is no program: it contains a zero byte",
                  path);
  free(text);
  return NULL;
}

int program_read(const char *path, struct program_choice choice,
                 struct program *program, struct error *error) {
  char *text = program_text_of(path, error);
  *program = (struct program){0};
  if (!text)
    return -1;
  const int failed = program_parse(path, text, choice, program, error);
  free(text);
  return failed;
}

uint32_t program_family(const char *path, struct error *error) {
  struct program program;
  char *text = program_text_of(path, error);
  if (!text)
    return 0;
  const int failed =
      program_parse(path, text, (struct program_choice){0}, &program, error);
  const uint32_t family = program.family;
  program_free(&program);
  free(text);
  return failed ? 0 : family;
}

void program_free(struct program *program) {
  pool_free(&program->pool);
  free(program->names);
  free(program->constants);
  free(program->consts);
  free(program->code);
  free(program->assertions);
  free(program->written);
  free(program->sessions);
  arena_free(&program->arena);
  *program = (struct program){0};
}

void program_put_key(FILE *out, const struct program *program,
                     const struct pool *pool, uint32_t key) {
  const struct pooled_key *k = &pool->keys[key];
  fputs(program->names[k->name], out);
  for (uint32_t i = 0; i < k->nargs; i++) {
    fputs(i ? "," : "[", out);
    value_put(out, pool, k->args[i]);
  }
  fputs(k->nargs ? "]" : "", out);
}

void program_keep(struct program *program, uint64_t kept) {
  uint32_t n = 0, final = 0;
  for (uint32_t t = 1; t <= program->ntxns; t++)
    if (kept >> t & 1) {
      program->txns[++n] = program->txns[t];
      final = t == program->final ? n : final;
    }
  program->ntxns = n;
  program->final = final;
  program_order_sessions(program);
}
