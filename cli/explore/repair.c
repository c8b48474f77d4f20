// SPDX-License-Identifier: GPL-3.0-or-later
// Tells which changes make a program right (cli/explore/exploring.h).
#include "config.h"

#include "cli/explore/exploring.h"

#include <stdio.h>
#include <string.h>

void smallest_repair(const struct exploration *e,
                     const struct weakest_failure *failure,
                     struct smallest *smallest) {
  struct explore_options options = e->options;
  options.level = e->levels[failure->level];
  smallest->nrepairs =
      repairs_find(e->program, &options, levels_offered(e), e->repaired,
                   e->nrepaired, smallest->repairs, REPAIRS_MAX);
}

// The script of which the transactions of a kind are a part; NULL: none.
static const char *script_of(const struct program *program, const char *kind) {
  uint32_t t = 1;
  while (t <= program->ntxns && strcmp(program->txns[t].kind, kind) != 0)
    t++;
  return t <= program->ntxns ? program->txns[t].script : NULL;
}

static bool is_first_of_txn_kind(const struct program *program, uint32_t t) {
  for (uint32_t u = 1; u < t; u++)
    if (!strcmp(program->txns[u].kind, program->txns[t].kind))
      return false;
  return t != program->final;
}

// Which of the transactions of its script the kind is, from 1; 0 if the script
// has but one.
static unsigned place_in_script(const struct program *program,
                                const char *script, const char *kind) {
  unsigned nkinds = 0, place = 0;
  for (uint32_t t = 1; t <= program->ntxns; t++) {
    const char *other = program->txns[t].script;
    if (!other || strcmp(other, script) != 0 ||
        !is_first_of_txn_kind(program, t))
      continue;
    nkinds++;
    if (!strcmp(program->txns[t].kind, kind))
      place = nkinds;
  }
  return nkinds > 1 ? place : 0;
}

void repair_put_kind(FILE *out, const struct program *program,
                     const char *kind) {
  const char *script = script_of(program, kind);
  const unsigned place = script ? place_in_script(program, script, kind) : 0;
  if (place)
    fprintf(out, "transaction %u of ", place);
  fputs(script ? script : kind, out);
}

// " in buy (line 3)", " in buy.pgbench:3"
static void put_repair_place(FILE *out, const struct exploration *e,
                             const struct repair *r) {
  const char *script = script_of(e->program, r->transaction);
  if (script)
    fprintf(out, " in %s:%u", script, r->line);
  else
    fprintf(out, " in %s (line %u)", r->transaction, r->line);
}

void repair_put(FILE *out, const struct exploration *e,
                const struct repair *r) {
  const char *script = script_of(e->program, r->transaction);
  switch (r->kind) {
  case REPAIR_LOCK:
    fprintf(out, "read %s for update", r->key);
    put_repair_place(out, e, r);
    break;
  case REPAIR_UPDATE:
    fprintf(out, "update %s instead of write", r->key);
    put_repair_place(out, e, r);
    break;
  case REPAIR_STATEMENT:
    fprintf(out, "%s; for lines %u to %u in %s", r->statement, r->line,
            r->last_line, script ? script : r->transaction);
    break;
  case REPAIR_LEVEL:
    repair_put_kind(out, e->program, r->transaction);
    fprintf(out, " at %s", level_told(e, r->level));
    break;
  }
}

// All ... must do so.
static const char *goal(const struct exploration *e) {
  return !e->options.robust ? "assertions hold"
         : e->program->nassertions
             ? "assertions hold and all outcomes are serial"
             : "outcomes are serial";
}

void repairs_put(const struct exploration *e,
                 const struct weakest_failure *failure,
                 const struct smallest *smallest) {
  const char *level = level_told(e, e->levels[failure->level]);
  for (uint32_t i = 0; i < smallest->nrepairs; i++) {
    fputs(i ? "        or:  " : "Would help:  ", stdout);
    repair_put(stdout, e, &smallest->repairs[i]);
    putchar('\n');
  }
  if (smallest->nrepairs)
    printf("With any of these alone all %s at %s, for these sessions and "
           "values.\n",
           goal(e), level);
  else if (explore_is_stopped(&e->options))
    puts("UNDECIDED which change would help: not all were tried.");
  else
    printf("With no single change that was tried all %s at %s.\n", goal(e),
           level);
}

void allocation_put(const struct exploration *e) {
  struct program program = *e->program;
  if (!allocate_levels(&program, &e->options, levels_offered(e))) {
    puts(explore_is_stopped(&e->options)
             ? "UNDECIDED which levels are enough."
             : "The assertions do not hold even with all "
               "transactions at ser.");
    return;
  }
  fputs("Enough", stdout);
  for (uint32_t t = 1; t <= program.ntxns; t++)
    if (is_first_of_txn_kind(&program, t)) {
      fputs(t == 1 ? ": " : ", ", stdout);
      repair_put_kind(stdout, &program, program.txns[t].kind);
      printf(" at %s", level_told(e, (enum level)program.txns[t].level));
    }
  puts(explore_is_stopped(&e->options)
           ? " (stopped: weaker levels may do)."
           : ", for these sessions and values; none of these levels can be "
             "weaker while the others stay.");
}

void allocation_put_json(struct json *json, const struct exploration *e) {
  struct program program = *e->program;
  const bool found = allocate_levels(&program, &e->options, levels_offered(e));
  json_put_object(json, "allocation");
  json_put_bool(json, "found", found);
  json_put_bool(json, "complete", !explore_is_stopped(&e->options));
  json_put_array(json, "transactions");
  for (uint32_t t = 1; found && t <= program.ntxns; t++) {
    if (!is_first_of_txn_kind(&program, t))
      continue;
    json_put_object(json, NULL);
    json_put_string(json, "transaction", program.txns[t].kind);
    json_put_string(json, "level",
                    level_name((enum level)program.txns[t].level));
    json_close(json, '}');
  }
  json_close(json, ']');
  json_close(json, '}');
}
