// SPDX-License-Identifier: GPL-3.0-or-later
// Remedies for the user's own SQL (cli/jobs/raw_remedy.h).
#include "config.h"

#include "cli/jobs/raw_remedy.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "drivers/drivers.h"
#include "report/words/naming.h"

#include <stdlib.h>
#include <string.h>

// By which error a level asks to try again; further levels have none of it.
static const struct retry_code {
  const char *driver, *level, *code;
} retry_codes[] = {{"postgresql", "repeatable read", "40001"},
                   {"postgresql", "serializable", "40001"},
                   {"mysql", "repeatable read", "1020"},
                   {"mysql", "serializable", "1213"},
                   {"sqlite", "serializable", "SQLITE_BUSY"}};

static void put_level_that_helps(FILE *out, const struct run_plan *plan,
                                 const char *level) {
  const char *code = NULL;
  for (size_t i = 0; i < sizeof retry_codes / sizeof *retry_codes; i++)
    if (!strcmp(retry_codes[i].driver, plan->driver->name) &&
        !strcmp(retry_codes[i].level, level))
      code = retry_codes[i].code;
  fprintf(out, "%s rules out all of it", naming_level(level));
  if (code)
    fprintf(out, ": try again at error %s", code);
  putc('.', out);
}

// A plain SELECT of rows, which the database could lock.
static bool may_lock(const struct run_plan *plan, uint32_t place) {
  const struct raw_place *is = &plan->own->places[place];
  struct sql_tokens tokens = {.dialect = plan->own->dialect};
  struct sql_outline o = {.locks = true};
  if (strcmp(plan->driver->name, "sqlite") != 0 &&
      sql_tokens_read(&tokens, is->text))
    sql_outline_read(&o, &tokens);
  bool groups = false;
  for (uint32_t i = 0; i < tokens.n; i++)
    groups |= sql_token_is(&tokens, i, "group") ||
              sql_token_is(&tokens, i, "distinct") ||
              // count(*) and its like
              (tokens.all[i].begin < o.at && sql_token_is(&tokens, i, "("));
  sql_tokens_free(&tokens);
  return o.verb == SQL_VERB_SELECT && !o.locks && o.ntables && !groups;
}

static void put_change_that_helps(FILE *out, const struct run_plan *plan,
                                  uint32_t read, uint32_t written) {
  const struct raw_place *places = plan->own->places;
  const bool locks = read != UINT32_MAX && may_lock(plan, read);
  if (locks) {
    fputs(" Or lock the row that ", out);
    put_clean(out, places[read].at);
    fputs(" reads: FOR UPDATE.", out);
  }
  if (locks && written != UINT32_MAX && !places[written].calculates &&
      strstr(places[written].text, "= :")) {
    fputs(" Or let the database calculate in ", out);
    put_clean(out, places[written].at);
    fputs(": SET n = n - 1.", out);
  }
}

const char *raw_remedy(struct arena *arena, const struct run_plan *plan,
                       const struct own_scripts *own, uint32_t read,
                       uint32_t written, bool broken) {
  char *text;
  size_t bytes;
  if (own->serializable->kind != VERDICT_VIOLATION)
    return NULL;
  FILE *out = text_stream(&text, &bytes);
  if (own->ruled_out_from)
    put_level_that_helps(out, plan, own->ruled_out_from);
  else
    fputs("No level of this database rules out all of it.", out);
  if (broken)
    fputs(" The invariant then holds, too, if each script keeps it when it "
          "runs alone.",
          out);
  else
    put_change_that_helps(out, plan, read, written);
  fputs(" `isostress advise` tries levels and changes.", out);
  fclose(out);
  const char *remedy = arena_strdup(arena, text);
  free(text);
  return remedy;
}
