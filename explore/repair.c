// SPDX-License-Identifier: GPL-3.0-or-later
// Tries changes of a program (explore/repair.h).
#include "config.h"

#include "explore/repair.h"

#include <stdlib.h>
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

struct trying {
  struct program *program;
  const struct explore_options *options;
  uint32_t offered; // levels
  struct repair *repairs;
  uint32_t n, most;
};

static bool helps(struct trying *t, const struct repair *repair) {
  const bool holds = t->n < t->most && program_holds(t->program, t->options);
  if (holds)
    t->repairs[t->n++] = *repair;
  return holds;
}

// ---- For update

static void try_locks(struct trying *t) {
  for (uint32_t i = 0; i < t->program->ncode; i++) {
    struct instruction *at = &t->program->code[i];
    const char *kind = transaction_at(t->program, i);
    if (!at->lockable || at->op != DO_GET || !kind || !strcmp(kind, "finally"))
      continue;
    at->op = DO_GET_LOCKED;
    helps(t, &(struct repair){.kind = REPAIR_LOCK,
                              .line = at->line,
                              .transaction = kind,
                              .key = t->program->names[at->a]});
    at->op = DO_GET;
  }
}

// ---- Updates

static bool jumps(const struct instruction *i) {
  return i->op >= DO_JUMP && i->op <= DO_NEXT;
}

// The local that a read of the key before the write went to, and that the write
// needs; KEY_NONE: there is none.
static uint32_t local_of_key(const struct program *program,
                             const struct written_key *w) {
  uint32_t local = KEY_NONE;
  for (uint32_t i = w->put; i-- > 0 && program->code[i].op != DO_END;) {
    const struct instruction *at = &program->code[i];
    if (at->op != DO_GET || at->a != program->code[w->put].a)
      continue;
    for (uint32_t k = w->value; k < w->put; k++)
      if (program->code[k].op == DO_LOAD && program->code[k].a == at->b)
        local = at->b;
  }
  return local;
}

// Code of a program in which the write's key is read again, for update, before
// the statement.
static struct instruction *updating(const struct program *program,
                                    const struct written_key *w,
                                    uint32_t local) {
  const uint32_t nargs = w->value - w->first, more = nargs + 1;
  const struct instruction *from = program->code;
  struct instruction *code = xcalloc(program->ncode + more, sizeof *code);
  memcpy(code, from, w->value * sizeof *code);
  code[w->value] = from[w->put];
  code[w->value].op = DO_GET_LOCKED;
  code[w->value].c = (uint8_t)from[w->put].b;
  code[w->value].b = local;
  memcpy(code + w->first + more, from + w->first,
         (program->ncode - w->first) * sizeof *code);
  for (uint32_t i = 0; i < program->ncode + more; i++)
    if (jumps(&code[i]) && code[i].a > w->first &&
        !(i >= w->first && i < w->value))
      code[i].a += more;
  return code;
}

static void try_update(struct trying *t, const struct written_key *w,
                       uint32_t local) {
  struct program *program = t->program;
  const struct program before = *program;
  const uint32_t more = w->value - w->first + 1;
  const char *kind = transaction_at(program, w->put);
  if (!kind)
    return;
  program->code = updating(&before, w, local);
  program->ncode += more;
  for (uint32_t i = 1; i <= program->ntxns; i++)
    program->txns[i].entry += program->txns[i].entry > w->first ? more : 0;
  helps(t, &(struct repair){.kind = REPAIR_UPDATE,
                            .line = before.code[w->put].line,
                            .transaction = kind,
                            .key = before.names[before.code[w->put].a]});
  free(program->code);
  *program = before;
}

static void try_updates(struct trying *t) {
  for (uint32_t i = 0; i < t->program->nwritten; i++) {
    const struct written_key *w = &t->program->written[i];
    const uint32_t local = local_of_key(t->program, w);
    if (local != KEY_NONE)
      try_update(t, w, local);
  }
}

// ---- Levels

static void set_level(struct program *program, const char *kind,
                      enum level level) {
  for (uint32_t t = 1; t <= program->ntxns; t++)
    if (t != program->final && !strcmp(program->txns[t].kind, kind)) {
      program->txns[t].has_level = true;
      program->txns[t].level = (uint8_t)level;
    }
}

static bool is_first_repair_of_kind(const struct program *program, uint32_t t) {
  bool is_first = t != program->final;
  for (uint32_t u = 1; u < t; u++)
    is_first &= strcmp(program->txns[u].kind, program->txns[t].kind) != 0;
  return is_first;
}

// Databases that have rc-statement have si and ser besides.
static uint32_t offered_instead_of(enum level level) {
  uint32_t all = 1u << LEVEL_SI | 1u << LEVEL_SER;
  if (!level_is_scheduled(level))
    all |= 1u << LEVEL_RA | 1u << LEVEL_CC | 1u << LEVEL_PC;
  return all;
}

static void try_levels(struct trying *t) {
  const struct program before = *t->program;
  for (uint32_t i = 1; i <= before.ntxns; i++) {
    const char *kind = before.txns[i].kind;
    enum level level = before.txns[i].has_level
                           ? (enum level)before.txns[i].level
                           : t->options->level;
    bool found = !is_first_repair_of_kind(&before, i);
    while (!found && ++level < LEVEL_COUNT) {
      set_level(t->program, kind, level);
      found = t->offered >> level & 1 &&
              helps(t, &(struct repair){.kind = REPAIR_LEVEL,
                                        .transaction = kind,
                                        .level = level});
    }
    memcpy(t->program->txns, before.txns, sizeof before.txns);
  }
}

static void try_repaired(struct trying *t, const struct repaired *repaired) {
  struct program *program = t->program;
  t->program = repaired->program;
  helps(t, &repaired->repair);
  t->program = program;
}

uint32_t repairs_find(struct program *program,
                      const struct explore_options *options, uint32_t offered,
                      const struct repaired *repaired, uint32_t nrepaired,
                      struct repair *repairs, uint32_t most) {
  struct trying t = {
      program, options, offered ? offered : offered_instead_of(options->level),
      repairs, 0,       most};
  try_locks(&t);
  for (uint32_t i = 0; i < nrepaired; i++)
    try_repaired(&t, &repaired[i]);
  try_updates(&t);
  try_levels(&t);
  return t.n;
}

bool allocate_levels(struct program *program,
                     const struct explore_options *options, uint32_t offered) {
  const uint32_t axioms = 1u << LEVEL_RC | 1u << LEVEL_RA | 1u << LEVEL_CC |
                          1u << LEVEL_PC | 1u << LEVEL_SI | 1u << LEVEL_SER;
  offered = offered ? offered : axioms;
  for (uint32_t t = 1; t <= program->ntxns; t++)
    set_level(program, program->txns[t].kind, LEVEL_SER);
  if (!program_holds(program, options))
    return false;
  for (uint32_t t = 1; t <= program->ntxns; t++) {
    const char *kind = program->txns[t].kind;
    const bool is_first = is_first_repair_of_kind(program, t);
    for (enum level l = LEVEL_RC; is_first && l < LEVEL_COUNT; l++) {
      if (!(offered >> l & 1))
        continue;
      set_level(program, kind, l);
      if (l == LEVEL_SER || program_holds(program, options))
        break;
    }
  }
  return true;
}
