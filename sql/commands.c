// SPDX-License-Identifier: GPL-3.0-or-later
// pgbench's meta-commands (sql/translator.h).
#include "config.h"

#include "sql/maker.h"

#include <stdlib.h>
#include <string.h>

int sql_end_of_line(struct translator *t) {
  t->r->lines = false;
  if (t->r->kind != SQL_LINE && t->r->kind != SQL_END)
    return sql_expected(t->r, "the end of the line");
  return sql_advance(t->r);
}

// The constant that the variable equals from here on: "(1 + 2)", or NULL.
static char *constant_of(const struct translator *t,
                         const struct sql_value *value) {
  return value->constant && !t->nifs ? xasprintf("(%s)", value->constant)
                                     : NULL;
}

static int make_set(struct translator *t, const char *name) {
  struct sql_code code;
  const int failed = sql_make_value(t, false, &code);
  if (sql_set_variable(t, name, NULL) || failed)
    return -1;
  sql_put_step(t, SQL_STEP_SET, (uint32_t)sql_variable_number(t, name), &code);
  return sql_end_of_line(t);
}

static int set(struct translator *t) {
  char name[64];
  struct sql_value value;
  t->r->lines = true;
  if (sql_advance(t->r) || sql_name(t->r, "a variable", name))
    return -1;
  if (t->maker)
    return make_set(t, name);
  const int failed = sql_take_condition(t, NULL, &value) ||
                     sql_set_variable(t, name, constant_of(t, &value));
  if (!failed && t->open) {
    fprintf(t->out, "  let v_%s =%s\n", name, value.text);
  } else if (!failed) {
    char *more = xasprintf("%s  let v_%s =%s\n", t->sets ? t->sets : "", name,
                           value.text);
    free(t->sets);
    t->sets = more;
  }
  sql_value_free(&value);
  return failed ? -1 : sql_end_of_line(t);
}

static int make_branch(struct translator *t) {
  struct sql_code code = {0};
  const int failed = sql_make_value(t, false, &code);
  if (sql_put_if(t, &code))
    return -1;
  t->nifs++;
  return failed ? -1 : sql_end_of_line(t);
}

static int branch(struct translator *t) {
  struct sql_value value;
  if (!t->open && !t->refused)
    return sql_refuse(t->r, "\\if must stand between BEGIN and COMMIT");
  t->r->lines = true;
  if (sql_advance(t->r))
    return -1;
  if (t->maker)
    return make_branch(t);
  const int failed = sql_take_condition(t, NULL, &value);
  if (!failed)
    fprintf(t->out, "  if%s\n", value.text);
  sql_value_free(&value);
  t->nifs++;
  return failed ? -1 : sql_end_of_line(t);
}

static int refuse_command(struct translator *t, const char *name) {
  const char *instead = sql_advice(name);
  return sql_refuse(
      t->r, "expected \\set, \\if, \\else, \\endif or \\gset, not \\%s%s%s",
      name, instead ? "; " : "", instead ? instead : "");
}

int sql_command(struct translator *t) {
  const char *name = t->r->text;
  if (!strcmp(name, "set"))
    return set(t);
  if (!strcmp(name, "if"))
    return branch(t);
  const bool ends = !strcmp(name, "endif");
  if (!ends && strcmp(name, "else"))
    return refuse_command(t, name);
  if (!t->nifs && t->refused)
    return error_set_usage(t->r->error, "%s", "");
  if (!t->nifs)
    return sql_refuse(t->r, "\\%s without \\if", name);
  if (t->maker)
    (ends ? sql_put_endif : sql_put_else)(t);
  else
    fputs(ends ? "  end\n" : "  else\n", t->out);
  t->nifs -= ends;
  t->r->lines = true;
  return sql_advance(t->r) ? -1 : sql_end_of_line(t);
}
