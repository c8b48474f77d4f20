// SPDX-License-Identifier: GPL-3.0-or-later
// Tries changes of a program (explore/repair.h).
#include "config.h"

#include "explore/repair.h"

#include <string.h>

bool program_holds(const struct program *program,
                   const struct explore_options *options) {
  const struct survey_options o = {
      .explore = *options, .assert_only = true, .first = true};
  struct survey survey = {0};
  struct error error;
  const bool holds = !survey_run(program, &o, &survey, &error) &&
                     !survey.open.n && !survey.failing;
  survey_free(&survey);
  return holds;
}

// The kind of the transactions whose code holds the instruction; NULL if no
// session calls it.
static const char *transaction_at(const struct program *program, uint32_t i) {
  uint32_t entry = 0;
  const char *kind = NULL;
  for (uint32_t t = 1; t <= program->ntxns; t++)
    if (program->txns[t].entry <= i &&
        (!kind || program->txns[t].entry > entry)) {
      entry = program->txns[t].entry;
      kind = program->txns[t].kind;
    }
  for (uint32_t k = entry; kind && k < i; k++)
    if (program->code[k].op == DO_END)
      return NULL; // of a transaction in between, which nobody calls
  return kind;
}

uint32_t repair_by_locks(struct program *program,
                         const struct explore_options *options,
                         struct lock_repair *repairs, uint32_t most) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < program->ncode && n < most; i++) {
    struct instruction *at = &program->code[i];
    const char *kind = transaction_at(program, i);
    if (!at->lockable || at->op != DO_GET || !kind || !strcmp(kind, "finally"))
      continue;
    at->op = DO_GET_LOCKED;
    if (program_holds(program, options))
      repairs[n++] =
          (struct lock_repair){i, at->line, kind, program->names[at->a]};
    at->op = DO_GET;
  }
  return n;
}

static void set_level(struct program *program, const char *kind,
                      enum level level) {
  for (uint32_t t = 1; t <= program->ntxns; t++)
    if (t != program->final && !strcmp(program->txns[t].kind, kind)) {
      program->txns[t].has_level = true;
      program->txns[t].level = (uint8_t)level;
    }
}

bool allocate_levels(struct program *program,
                     const struct explore_options *options) {
  static const enum level weaker[] = {LEVEL_RC, LEVEL_RA, LEVEL_CC,
                                      LEVEL_PC, LEVEL_SI, LEVEL_SER};
  for (uint32_t t = 1; t <= program->ntxns; t++)
    set_level(program, program->txns[t].kind, LEVEL_SER);
  if (!program_holds(program, options))
    return false;
  for (uint32_t t = 1; t <= program->ntxns; t++) {
    const char *kind = program->txns[t].kind;
    bool is_first = t != program->final;
    for (uint32_t u = 1; u < t; u++)
      is_first &= strcmp(program->txns[u].kind, kind) != 0;
    for (size_t l = 0; is_first && l < sizeof weaker / sizeof *weaker; l++) {
      set_level(program, kind, weaker[l]);
      if (weaker[l] == LEVEL_SER || program_holds(program, options))
        break;
    }
  }
  return true;
}
