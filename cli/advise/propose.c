// SPDX-License-Identifier: GPL-3.0-or-later
// Proposes changes of a script (cli/advise/advising.h).  A proposal need not be
// right: whether it helps is tried.
#include "config.h"

#include "cli/advise/advising.h"

#include "base/memory.h"
#include "drivers/drivers.h"
#include "drivers/instrument.h"
#include "report/words/naming.h"
#include "sql/outline.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct proposing {
  struct advising *a;
  const struct draft *draft;
  const char *level;
  uint32_t script;
  const struct raw_scripts *all;
  struct sql_tokens tokens;
  struct proposal *proposals;
  uint32_t n;
};

static const struct raw_script *script_at_hand(const struct proposing *p) {
  return &p->all->scripts[p->script];
}

// ---- Texts

// Where the statement of a step begins in the text of its script.
static size_t offset_of_step(const char *text, const struct raw_step *step) {
  const char *at = text;
  for (uint32_t line = 1; line < step->line && at; line++) {
    at = strchr(at, '\n');
    at = at ? at + 1 : NULL;
  }
  const char *found = at ? strstr(at, step->text) : NULL;
  return found ? (size_t)(found - text) : SIZE_MAX;
}

// The text with `n` bytes at an offset replaced; to be freed.
static char *with_instead(const char *text, size_t at, size_t n,
                          const char *instead) {
  return xasprintf("%.*s%s%s", (int)at, text, instead, text + at + n);
}

static const char *name_place(const struct proposing *p,
                              const struct raw_step *step) {
  return arena_printf(&p->a->arena, "%s:%u", p->a->names[p->script],
                      step->line);
}

// On one line, in the arena.
static const char *one_line(const struct proposing *p, const char *text) {
  char *line = arena_strdup(&p->a->arena, text), *to = line;
  for (const char *c = line; *c; c++)
    if (!isspace((unsigned char)*c))
      *to++ = *c;
    else if (to > line && to[-1] != ' ')
      *to++ = ' ';
  *to = '\0';
  return line;
}

// Takes a draft that the database does not refuse.
static void propose(struct proposing *p, struct draft *changed,
                    const char *place, const char *now, const char *instead) {
  if (p->n == PROPOSALS_MOST || advise_refuses(p->a, changed, p->level)) {
    draft_free(changed);
    return;
  }
  free(changed->changes);
  changed->changes = xasprintf("%s%s%s: %s", p->draft->changes,
                               *p->draft->changes ? "; " : "", place, instead);
  p->proposals[p->n++] = (struct proposal){*changed, place, now, instead};
}

// Proposes another text of a statement; false if the database refuses it.
static bool propose_text(struct proposing *p, const struct raw_step *step,
                         char *text, const char *instead) {
  const uint32_t before = p->n;
  struct draft changed;
  draft_copy(&changed, p->draft);
  free(changed.texts[p->script]);
  changed.texts[p->script] = text;
  propose(p, &changed, name_place(p, step), one_line(p, step->text), instead);
  return p->n > before;
}

static bool read_outline(struct proposing *p, const struct raw_step *step,
                         struct sql_outline *outline) {
  if (step->kind != RAW_STATEMENT || !sql_tokens_read(&p->tokens, step->text))
    return false;
  sql_outline_read(outline, &p->tokens);
  return true;
}

// ---- The database calculates

// The place of a word in a step's text behind which ":name" stands, counted;
// how often it stands in the script.
static uint32_t count_uses(const struct raw_script *script, const char *name) {
  uint32_t n = 0;
  const size_t length = strlen(name);
  for (uint32_t i = 0; i < script->nsteps; i++)
    for (const char *c = script->steps[i].text; c && (c = strchr(c, ':')); c++)
      n += !strncmp(c + 1, name, length) &&
           !isalnum((unsigned char)c[1 + length]) && c[1 + length] != '_';
  return n;
}

static char *text_of_token(const struct sql_tokens *t, uint32_t i) {
  return xasprintf("%.*s", (int)(t->all[i].end - t->all[i].begin),
                   t->text + t->all[i].begin);
}

// Finds in "SET quantity = :q - 1" the column and the variable, which stands
// once in the script; both to be freed.  False: it is no such UPDATE.
static bool find_calculation(struct proposing *p, const struct raw_step *step,
                             char **column, char **variable) {
  const struct sql_tokens *t = &p->tokens;
  uint32_t at = 0;
  while (at < t->n && !sql_token_is(t, at, ":"))
    at++;
  uint32_t set = at;
  while (set && !sql_token_is(t, set, "="))
    set--;
  if (step->verb != SQL_VERB_UPDATE || at + 1 >= t->n || !set ||
      t->all[at + 1].kind != SQL_TOKEN_WORD)
    return false;
  *column = text_of_token(t, set - 1);
  *variable = text_of_token(t, at + 1);
  if (count_uses(script_at_hand(p), *variable) == 1)
    return true;
  FREE_EACH(*column, *variable);
  return false;
}

// Does the SELECT, of one table and one column, keep the column as that
// variable?
static bool keeps_as(struct proposing *p, const struct raw_step *select,
                     const char *column, const char *variable,
                     const char *table) {
  struct sql_outline o;
  if (!select->kept || *select->kept || select->verb != SQL_VERB_SELECT ||
      !read_outline(p, select, &o) || o.ntables != 1 ||
      strncasecmp(select->text + o.tables[0].name.begin, table,
                  o.tables[0].name.end - o.tables[0].name.begin) != 0)
    return false;
  char *first = text_of_token(&p->tokens, 1);
  const uint32_t next = sql_token_is(&p->tokens, 2, "as") ? 3 : 2;
  char *name = text_of_token(&p->tokens, next);
  const bool from = sql_token_is(&p->tokens, 2, "from");
  const bool kept = !strcasecmp(first, column) &&
                    (from ? !strcasecmp(first, variable)
                          : !strcasecmp(name, variable) &&
                                sql_token_is(&p->tokens, next + 1, "from"));
  FREE_EACH(first, name);
  return kept;
}

// Without the SELECT, whose lines stay empty.
static char *without_select(const char *text, const struct raw_step *select) {
  const size_t at = offset_of_step(text, select);
  if (at == SIZE_MAX)
    return NULL;
  const char *end = strstr(text + at + strlen(select->text), "\\gset");
  const size_t n = end ? (size_t)(end - text) + strcspn(end, "\n") - at : 0;
  char *made = with_instead(text, at, n, "");
  return made;
}

static void propose_calculation(struct proposing *p,
                                const struct raw_step *update) {
  const struct raw_script *script = script_at_hand(p);
  struct sql_outline o;
  char *column, *variable;
  if (!read_outline(p, update, &o) || o.ntables != 1 ||
      !find_calculation(p, update, &column, &variable))
    return;
  char *table =
      xasprintf("%.*s", (int)(o.tables[0].name.end - o.tables[0].name.begin),
                update->text + o.tables[0].name.begin);
  const char *colon = strchr(update->text, ':');
  char *instead = with_instead(update->text, (size_t)(colon - update->text),
                               strlen(variable) + 1, column);
  for (uint32_t i = 0; i < script->nsteps && &script->steps[i] < update; i++) {
    const struct raw_step *select = &script->steps[i];
    if (!keeps_as(p, select, column, variable, table))
      continue;
    const char *text = p->draft->texts[p->script];
    const size_t at = offset_of_step(text, update);
    char *changed = at == SIZE_MAX
                        ? NULL
                        : with_instead(text, at, strlen(update->text), instead);
    char *less = changed ? without_select(changed, select) : NULL;
    if (less)
      propose_text(p, update, less,
                   arena_printf(&p->a->arena, "%s, without line %u",
                                one_line(p, instead), select->line));
    free(changed);
    break;
  }
  FREE_EACH(table, instead, column, variable);
}

// ---- Locks

// "SELECT ... FOR UPDATE".
static bool propose_locking(struct proposing *p,
                            const struct raw_step *select) {
  const char *text = p->draft->texts[p->script];
  const size_t at = offset_of_step(text, select);
  if (at == SIZE_MAX)
    return false;
  return propose_text(
      p, select,
      with_instead(text, at + strlen(select->text), 0, " FOR UPDATE"),
      arena_printf(&p->a->arena, "%s FOR UPDATE", one_line(p, select->text)));
}

// A SELECT of the same rows in front of one that counts or adds up, which
// cannot lock.
static void propose_lock_before(struct proposing *p,
                                const struct raw_step *select,
                                const struct sql_outline *o) {
  const char *text = p->draft->texts[p->script];
  const size_t at = offset_of_step(text, select);
  if (!o->whole || at == SIZE_MAX)
    return;
  const struct sql_table_reference *r = &o->tables[0];
  const bool called = r->alias.begin != r->name.begin;
  char *lock = xasprintf(
      "SELECT 1 FROM %.*s%s%.*s%s%.*s FOR UPDATE;",
      (int)(r->name.end - r->name.begin), select->text + r->name.begin,
      called ? " " : "", called ? (int)(r->alias.end - r->alias.begin) : 0,
      select->text + r->alias.begin,
      o->where.end > o->where.begin ? " WHERE " : "",
      (int)(o->where.end - o->where.begin), select->text + o->where.begin);
  char *front = xasprintf("%s ", lock);
  propose_text(p, select, with_instead(text, at, 0, front),
               arena_printf(&p->a->arena, "before it: %s", one_line(p, lock)));
  FREE_EACH(lock, front);
}

// All of these SELECTs locking, in their lines.
static void propose_all_locks(struct proposing *p, const uint32_t *steps,
                              uint32_t n) {
  const struct raw_script *script = script_at_hand(p);
  char *text = xstrdup(p->draft->texts[p->script]), *lines;
  size_t bytes;
  FILE *list = text_stream(&lines, &bytes);
  for (uint32_t i = 0; i < n; i++)
    fprintf(list, "%s%u", i ? ", " : "", script->steps[steps[i]].line);
  fclose(list);
  for (uint32_t i = n; i > 0; i--) { // so that what is before keeps its place
    const struct raw_step *select = &script->steps[steps[i - 1]];
    const size_t at = offset_of_step(text, select);
    char *locked =
        with_instead(text, at + strlen(select->text), 0, " FOR UPDATE");
    free(text);
    text = locked;
  }
  propose_text(p, &script->steps[steps[0]], text,
               arena_printf(&p->a->arena,
                            "FOR UPDATE behind the SELECTs of lines %s",
                            lines));
  free(lines);
}

static void propose_locks(struct proposing *p) {
  const struct raw_script *script = script_at_hand(p);
  uint32_t locking[PROPOSALS_MOST], n = 0;
  for (uint32_t i = 0; i < script->nsteps && n < PROPOSALS_MOST; i++) {
    const struct raw_step *step = &script->steps[i];
    struct sql_outline o;
    if (!read_outline(p, step, &o) || step->verb != SQL_VERB_SELECT ||
        o.locks || !o.ntables)
      continue;
    if (propose_locking(p, step))
      locking[n++] = i;
    else
      propose_lock_before(p, step, &o);
  }
  if (n > 1)
    propose_all_locks(p, locking, n);
}

// Two transactions that search the table and write to it go one after the
// other.  Only PostgreSQL has this lock.
static void propose_table_lock(struct proposing *p,
                               const struct raw_step *select) {
  const char *text = p->draft->texts[p->script];
  const size_t at = offset_of_step(text, select);
  struct sql_outline o;
  if (strcmp(p->a->driver->name, "postgresql") != 0 || at == SIZE_MAX ||
      select->verb != SQL_VERB_SELECT || !read_outline(p, select, &o) ||
      !o.ntables)
    return;
  char *lock = xasprintf("LOCK TABLE %.*s IN SHARE ROW EXCLUSIVE MODE; ",
                         (int)(o.tables[0].name.end - o.tables[0].name.begin),
                         select->text + o.tables[0].name.begin);
  propose_text(p, select, with_instead(text, at, 0, lock),
               arena_printf(&p->a->arena, "before it: %s", one_line(p, lock)));
  free(lock);
}

// ---- A constraint

// The columns that a condition compares by "=", with ", " between them.
static char *columns_made_equal(const struct sql_tokens *t,
                                const struct sql_outline *o) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  bool any = false;
  for (uint32_t i = 1; i < t->n; i++)
    if (sql_token_is(t, i, "=") && t->all[i].begin >= o->where.begin &&
        t->all[i].end <= o->where.end && t->all[i - 1].kind == SQL_TOKEN_WORD) {
      char *column = text_of_token(t, i - 1);
      fprintf(out, "%s%s", any ? ", " : "", column);
      free(column);
      any = true;
    }
  fclose(out);
  return text;
}

static bool inserts_into(struct proposing *p, const char *table) {
  const struct raw_script *script = script_at_hand(p);
  for (uint32_t i = 0; i < script->nsteps; i++) {
    const struct raw_step *step = &script->steps[i];
    if (step->verb != SQL_VERB_INSERT || step->kind != RAW_STATEMENT ||
        !sql_tokens_read(&p->tokens, step->text))
      continue;
    for (uint32_t k = 0; k < p->tokens.n; k++) {
      char *word = text_of_token(&p->tokens, k);
      const bool same = !strcasecmp(word, table);
      free(word);
      if (same)
        return true;
    }
  }
  return false;
}

static void propose_unique(struct proposing *p, const struct raw_step *select) {
  struct sql_outline o;
  if (!read_outline(p, select, &o) || select->verb != SQL_VERB_SELECT ||
      !o.whole)
    return;
  char *columns = columns_made_equal(&p->tokens, &o);
  char *table =
      xasprintf("%.*s", (int)(o.tables[0].name.end - o.tables[0].name.begin),
                select->text + o.tables[0].name.begin);
  if (*columns && inserts_into(p, table)) {
    struct draft changed;
    const char *index = arena_printf(
        &p->a->arena, "CREATE UNIQUE INDEX ON %s (%s);", table, columns);
    draft_copy(&changed, p->draft);
    free(changed.schema);
    changed.schema = xasprintf("%s\n%s\n", p->draft->schema, index);
    propose(p, &changed, name_place(p, select), one_line(p, select->text),
            arena_printf(&p->a->arena, "in the schema: %s", index));
  }
  FREE_EACH(columns, table);
}

// ---- A level for the script alone

// Does the script name the table anywhere?
static bool names_table(struct proposing *p, uint32_t script, const char *table,
                        size_t n) {
  const struct raw_script *s = &p->all->scripts[script];
  for (uint32_t i = 0; i < s->nsteps; i++) {
    if (s->steps[i].kind != RAW_STATEMENT ||
        !sql_tokens_read(&p->tokens, s->steps[i].text))
      continue;
    for (uint32_t k = 0; k < p->tokens.n; k++)
      if (p->tokens.all[k].end - p->tokens.all[k].begin == n &&
          !strncasecmp(p->tokens.text + p->tokens.all[k].begin, table, n))
        return true;
  }
  return false;
}

// A database checks transactions of a strong level against each other, and not
// always against those of weaker ones.  The tables are those that the schema
// makes.
static bool is_alone_on_its_tables(struct proposing *p) {
  struct sql_tokens schema = {.dialect = p->tokens.dialect};
  bool alone = sql_tokens_read(&schema, p->draft->schema);
  for (uint32_t i = 0; alone && i + 2 < schema.n; i++) {
    uint32_t at = i + 1;
    if (!sql_token_is(&schema, i, "table"))
      continue;
    if (sql_token_is(&schema, at, "if"))
      at += 3;
    if (at >= schema.n)
      break;
    const char *name = schema.text + schema.all[at].begin;
    const size_t n = schema.all[at].end - schema.all[at].begin;
    for (uint32_t s = 0; s < p->a->nscripts && alone; s++)
      alone = s == p->script || !names_table(p, p->script, name, n) ||
              !names_table(p, s, name, n);
  }
  sql_tokens_free(&schema);
  return alone;
}

static const struct raw_step *first_statement(const struct proposing *p) {
  const struct raw_script *script = script_at_hand(p);
  uint32_t i = 0;
  while (script->steps[i].kind != RAW_STATEMENT)
    i++;
  return &script->steps[i];
}

// Stronger levels of this script, where no other script touches its tables.
static void propose_levels(struct proposing *p) {
  const struct advised *advised = &p->a->advised;
  if (p->a->nscripts < 2 || !is_alone_on_its_tables(p))
    return;
  for (uint32_t i = advised->default_level + 1; i < advised->nlevels; i++) {
    const struct advised_trial *level = &advised->levels[i];
    struct draft changed;
    if (!level->decided || level->cells[p->script].anomaly != ANOMALY_NONE)
      continue;
    draft_copy(&changed, p->draft);
    free(changed.levels[p->script]);
    changed.levels[p->script] = xstrdup(level->level);
    propose(p, &changed, name_place(p, first_statement(p)),
            arena_printf(&p->a->arena, "at %s", naming_level(p->level)),
            arena_printf(&p->a->arena,
                         "this script alone at %s, and again where it is "
                         "refused",
                         naming_level(level->level)));
    return;
  }
}

uint32_t advise_propose(struct advising *a, const struct draft *draft,
                        const char *level, uint32_t script,
                        struct proposal proposals[PROPOSALS_MOST]) {
  const struct sql_dialect *dialect = a->driver->instrument->dialect;
  struct raw_scripts *all = draft_read(a, draft);
  struct proposing p = {.a = a,
                        .draft = draft,
                        .level = level,
                        .script = script,
                        .all = all,
                        .tokens = {.dialect = dialect},
                        .proposals = proposals};
  for (uint32_t i = 0; all && i < all->scripts[script].nsteps; i++)
    if (all->scripts[script].steps[i].kind == RAW_STATEMENT)
      propose_calculation(&p, &all->scripts[script].steps[i]);
  if (all)
    propose_locks(&p);
  for (uint32_t i = 0; all && i < all->scripts[script].nsteps; i++)
    if (all->scripts[script].steps[i].kind == RAW_STATEMENT)
      propose_unique(&p, &all->scripts[script].steps[i]);
  if (all)
    propose_levels(&p);
  const uint32_t before = p.n;
  for (uint32_t i = 0; all && i < all->scripts[script].nsteps; i++)
    if (all->scripts[script].steps[i].kind == RAW_STATEMENT && p.n == before)
      propose_table_lock(&p, &all->scripts[script].steps[i]);
  sql_tokens_free(&p.tokens);
  raw_scripts_free(all);
  return p.n;
}
