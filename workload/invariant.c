// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants (workload/invariant.h).  The reader of scripts reads the SELECT,
// as if a \gset stood behind it.
#include "config.h"

#include "workload/invariant.h"

#include "base/memory.h"
#include "sql/steps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct invariant {
  char *text;
  int64_t equals;
  struct tables *tables;    // the workload's
  struct sql_scripts *read; // these and the question; NULL: it is own SQL
  const struct sql_step *step;
  int64_t params[PREDICATE_PARAMETERS];
};

static bool compute_parameters(struct invariant *i) {
  const struct sql_number client = {.is = 0};
  for (uint32_t p = 0; p < i->step->nparams; p++) {
    struct sql_number value;
    if (!sql_compute(&i->step->params[p], &client, NULL, &value) || value.none)
      return false;
    i->params[p] = value.is;
  }
  return true;
}

// Can no two rows satisfy the predicate, as it compares the key?
static bool names_one_row(const struct predicate *p) {
  bool names = false, all = true;
  for (uint32_t n = 0; n < p->nnodes; n++) {
    const struct predicate_node *node = &p->nodes[n];
    names |= node->op == PREDICATE_EQUAL && node->column == PREDICATE_KEY;
    all &= node->op != PREDICATE_OR && node->op != PREDICATE_NOT;
  }
  return names && all;
}

static bool has_one_number(const struct invariant *i) {
  return i->step->kept[0].kind != SQL_OUTPUT_COLUMN ||
         names_one_row(&i->read->templates[i->step->template].predicate);
}

struct invariant *invariant_open(const struct workload *workload,
                                 const struct workload_options *options,
                                 const char *select, int64_t equals,
                                 bool own_sql, struct error *error) {
  struct invariant *i = xcalloc(1, sizeof *i);
  i->text = xstrdup(select);
  i->equals = equals;
  if (workload->texts)
    return i;
  i->tables = workload->programs->tables(options);
  i->read = sql_question_read(select, i->tables, error);
  if (i->read) {
    i->step = i->read->scripts[0].steps[0];
    const bool computed = compute_parameters(i);
    if (computed && has_one_number(i))
      return i;
    error_set(error,
              computed
                  ? "\"%s\" is a number of each row that it finds: ask for "
                    "SUM, COUNT, MIN or MAX, or for the row of one id"
                  : "\"%s\" compares with what cannot be computed",
              select);
  }
  if (!i->read && own_sql)
    return i;
  invariant_close(i);
  return NULL;
}

void invariant_close(struct invariant *i) {
  if (!i)
    return;
  sql_scripts_free(i->read);
  FREE_EACH(i->text, i->tables);
  free(i);
}

bool invariant_is_own_sql(const struct invariant *i) { return !i->read; }

struct tables *invariant_tables(const struct invariant *i) {
  if (!i->tables)
    return NULL;
  struct tables *tables = xmalloc(sizeof *tables);
  if (invariant_is_own_sql(i)) {
    *tables = *i->tables;
    return tables;
  }
  *tables = (struct tables){.table = i->tables->table,
                            .templates = i->read->templates,
                            .ntables = i->tables->ntables,
                            .ntemplates = i->read->ntemplates};
  return tables;
}

void invariant_ask(const struct invariant *i, struct statement *statement) {
  *statement = (struct statement){.sort = i->step->sort,
                                  .table = i->step->table,
                                  .template = i->step->template,
                                  .params = i->params};
}

struct invariant_answer invariant_answer(const struct invariant *i,
                                         const struct row_list *rows) {
  const struct sql_kept *kept = &i->step->kept[0];
  struct sql_number number = {.none = true};
  if ((kept->kind == SQL_OUTPUT_COLUMN && rows->count != 1) ||
      !sql_keep(kept, rows, &number))
    number.none = true;
  struct invariant_answer answer = {
      .none = number.none, .is_whole = !number.none, .is = number.is};
  if (number.none)
    strcpy(answer.words, "NULL");
  else
    snprintf(answer.words, sizeof answer.words, "%" PRId64, number.is);
  return answer;
}

// A decimal without a fraction, such as 10.00, is a whole number.
struct invariant_answer invariant_answer_of_line(const char *line) {
  struct invariant_answer answer = {0};
  char *end;
  errno = 0;
  answer.is = strtoll(line, &end, 10);
  const bool begins = end > line && !errno;
  if (*end == '.')
    end += 1 + strspn(end + 1, "0");
  answer.is_whole = begins && !*end;
  answer.none = !*line || !strcmp(line, "NULL");
  snprintf(answer.words, sizeof answer.words, "%s", *line ? line : "NULL");
  return answer;
}

bool invariant_holds(const struct invariant *i,
                     struct invariant_answer answer) {
  return answer.is_whole && answer.is == i->equals;
}

const char *invariant_text(const struct invariant *i) { return i->text; }

int64_t invariant_equals(const struct invariant *i) { return i->equals; }
