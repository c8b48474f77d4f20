// SPDX-License-Identifier: GPL-3.0-or-later
// A counterexample in a page (report/page/sections.h): its picture, with the
// sentences of its argument beside it, and the raw names and times in a fold.
#include "config.h"

#include "report/page/blocks.h"
#include "report/page/sections.h"
#include "report/words/html.h"
#include "report/words/keys.h"

#include "base/utf8.h"
#include "report/picture/picture.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// The counterexample under way.
struct case_telling {
  FILE *out;
  const struct example *e;
  unsigned number;                     // from 1
  bool told;                           // the head of the page has told it
  const struct driver_words *database; // NULL: not known
};

// Does the picture have an arrow for the sentence?
static bool has_arrow(const struct picture *p, uint32_t number) {
  for (uint32_t i = 0; i < p->narrows; i++)
    if (p->example->edges[p->arrows[i].edge].number == number)
      return true;
  return false;
}

// The conclusion of a step stands out on a line of its own.
static void put_case_sentence(const struct case_telling *t,
                              const char *sentence) {
  const char *so = strstr(sentence, ". So ");
  char *first =
      so ? xasprintf("%.*s", (int)(so + 1 - sentence), sentence) : NULL;
  put_markup(t->out, so ? first : sentence);
  if (so) {
    fputs("<br><b>", t->out);
    put_markup(t->out, so + strlen(". "));
    fputs("</b>", t->out);
  }
  free(first);
}

static void put_case_step(const struct case_telling *t, const struct picture *p,
                          uint32_t number, const char *sentence) {
  char mark[NAME_ROOM];
  example_mark(t->e, number, mark);
  const char *class = t->e->ncycle && number > t->e->ncycle ? " sup" : "";
  fprintf(t->out, "<li id=\"c%u-why-%s\" data-k=\"%s\" tabindex=\"0\">",
          t->number, mark, mark);
  if (has_arrow(p, number))
    fprintf(t->out,
            "<a class=\"num%s\" href=\"#c%u-arrow-%s\" "
            "aria-label=\"step %s, to its arrow\">%s</a>",
            class, t->number, mark, mark, mark);
  else
    fprintf(t->out, "<span class=\"num%s\">%s</span>", class, mark);
  put_case_sentence(t, sentence);
  fputs("</li>\n", t->out);
}

static void put_reasons(const struct case_telling *t, const struct picture *p) {
  if (!t->e->nreasons)
    return;
  if (t->e->ncycle)
    fputs("<h3>These steps rest on</h3>\n", t->out);
  fputs("<ol class=\"steps\">\n", t->out);
  for (uint32_t i = 0; i < t->e->nreasons; i++)
    put_case_step(t, p, t->e->reasons[i].number, t->e->reasons[i].sentence);
  fputs("</ol>\n", t->out);
}

static void put_contradiction(const struct case_telling *t) {
  fputs("<p class=\"sum\">", t->out);
  put_markup(t->out, t->e->contradiction);
  fputs("</p>\n", t->out);
}

static void put_statements(const struct case_telling *t) {
  if (!t->e->nstatements)
    return;
  fputs("<h3>The statements that it rests on, with the keys of their "
        "rows</h3>\n<ul>\n",
        t->out);
  for (uint32_t i = 0; i < t->e->nstatements; i++) {
    fputs("<li><code>", t->out);
    put_markup(t->out, t->e->statements[i]);
    fputs("</code></li>\n", t->out);
  }
  fputs("</ul>\n", t->out);
}

// Which levels it breaks.
static void put_case_levels(const struct case_telling *t) {
  const struct example *e = t->e;
  if (e->level == ISOLATION_NONE)
    fprintf(t->out,
            "If all these transactions were at one level, they would break %s.",
            isolation_title(e->weakest));
  else if (e->weakest == e->level)
    fprintf(t->out, "It breaks %s, which was checked, and no weaker level.",
            isolation_title(e->level));
  else
    fprintf(t->out, "It breaks %s already; %s was checked.",
            isolation_title(e->weakest), isolation_title(e->level));
}

// The name by which research and other tools know it.
static void put_case_name(const struct case_telling *t) {
  fputs("<p class=\"key\">The name of this is <b>", t->out);
  put_markup(t->out, t->e->anomaly);
  fputs("</b>", t->out);
  if (*t->e->also) {
    fputs(" (", t->out);
    put_markup(t->out, t->e->also);
    fputs(")", t->out);
  }
  fputs(". ", t->out);
  put_case_levels(t);
  fputs("</p>\n", t->out);
}

// The heading of a case that the head of the page does not tell.
static void put_case_heading(const struct case_telling *t) {
  const enum anomaly anomaly = words_anomaly(t->e->anomaly);
  if (t->told)
    return;
  fputs("<h2>", t->out);
  if (t->number > 1 && anomaly != ANOMALY_NONE) {
    fputs("Another case: ", t->out);
    html_put_about(t->out, words_of(anomaly)->headline, t->database);
  } else
    fputs(t->number > 1 ? "Another case" : "The smallest case", t->out);
  fputs("</h2>\n<p>", t->out);
  put_markup(t->out, t->e->meaning);
  fputs("</p>\n", t->out);
}

// The heading of a part; the first case has the page for itself.
static void put_part(const struct case_telling *t, const char *heading) {
  fprintf(t->out, t->told ? "<h2>%s</h2>\n" : "<h3>%s</h3>\n", heading);
}

static void put_case_why(const struct case_telling *t,
                         const struct picture *p) {
  fputs("<div class=\"say\">", t->out);
  put_part(t, t->e->read == EXAMPLE_NONE || t->e->ncycle
                  ? "Why this cannot be right"
                  : "What is wrong");
  if (t->e->ncycle) {
    fputs("<ol class=\"steps\">\n", t->out);
    for (uint32_t i = 0; i < t->e->ncycle; i++)
      put_case_step(t, p, t->e->edges[i].number, t->e->edges[i].sentence);
    fputs("</ol>\n", t->out);
    put_contradiction(t);
  }
  put_reasons(t, p);
  if (!t->e->ncycle)
    put_contradiction(t);
  put_statements(t);
  put_case_name(t);
  fputs("</div>\n", t->out);
}

// By the first row that is shown.
static void put_row_name(const struct case_telling *t) {
  const struct example *e = t->e;
  uint32_t op = 0;
  while (op < e->nops && !strchr(e->ops[op].key, '/'))
    op++;
  if (op == e->nops)
    return;
  const char *slash = strchr(e->ops[op].key, '/');
  char *table =
      xasprintf("%.*s", (int)(slash - e->ops[op].key), e->ops[op].key);
  fputs("A row has the name of its table and its key: <b>", t->out);
  put_markup(t->out, e->ops[op].key);
  fputs("</b> is row ", t->out);
  put_markup(t->out, slash + 1);
  fputs(" of table <b>", t->out);
  put_markup(t->out, table);
  fputs("</b>. ", t->out);
  free(table);
}

static void put_case_values(const struct case_telling *t) {
  if (example_has_rows(t->e))
    put_row_name(t);
  if (!example_has_short_values(t->e))
    return;
  html_put_about(t->out, "\bx1\b is the value that \bT1\b wrote to row \bx\b",
                 t->database);
  if (example_names_value(t->e, '0'))
    html_put_about(t->out, ", \bx0\b what the row held at first", t->database);
  if (example_names_value(t->e, '*'))
    fputs(", <b>x*</b> what a transaction wrote that is not shown", t->out);
  if (example_names_value(t->e, '?'))
    fputs(", <b>x?</b> what nobody wrote", t->out);
  fputs(". ", t->out);
}

// Is there an arrow that the others rely on?
static bool has_support(const struct picture *p) {
  for (uint32_t i = 0; i < p->narrows && p->example->ncycle; i++)
    if (!p->example->edges[p->arrows[i].edge].on_cycle)
      return true;
  return false;
}

static bool has_search(const struct example *e) {
  bool has = false;
  for (uint32_t op = 0; op < e->nops; op++)
    has |= !strcmp(e->ops[op].kind, "search");
  return has;
}

// Explains what a reader of the picture does not know yet.
static void put_key(const struct case_telling *t, const struct picture *p) {
  fputs("<p class=\"key\">How to read the picture: ", t->out);
  fputs(t->e->timed ? "Time goes down. " : "No times are known. ", t->out);
  fputs("A box is one transaction, from begin to commit", t->out);
  if (p->narrows)
    fputs("; a red arrow means <b>comes before</b>", t->out);
  if (has_search(t->e) && p->narrows)
    fputs(" and goes from a search to the row that it missed", t->out);
  if (has_support(p))
    fputs("; thin and dashed is what the red ones rely on", t->out);
  fputs(". ", t->out);
  for (uint32_t i = 0; i < p->ncommits; i++)
    fprintf(t->out,
            "The green line is the commit of %s: it lies between two "
            "statements of %s. ",
            t->e->txns[p->commits[i].txn].name,
            t->e->txns[p->commits[i].other].name);
  put_case_values(t);
  if (p->nwaits)
    fputs("<b>waits</b>: the statement was sent, and answered only after "
          "another transaction had ended. ",
          t->out);
  if (t->e->timed && !example_times_statements(t->e))
    fprintf(t->out,
            "When each statement was answered was not recorded%s: statements "
            "stand at even shares of their transaction. ",
            example_has_rows(t->e) ? ""
                                   : " (<code>--op-times</code> does that)");
  fputs("</p>\n", t->out);
}

static void put_case_time(FILE *out, const struct example *e, uint64_t ns) {
  char time[32];
  fprintf(out, "<td class=\"n\">%s</td>",
          ns == TIME_UNKNOWN ? "" : example_time(e, ns, time));
}

static void put_raw(const struct case_telling *t) {
  const struct example *e = t->e;
  fputs("<details><summary>Names, raw values and times</summary>\n", t->out);
  page_table(t->out, "As in the history: session:transaction, both from 0",
             "name|in the history|#began|#ended|outcome|what it did");
  for (uint32_t i = 0; i < e->ntxns; i++) {
    const struct example_txn *txn = &e->txns[i];
    page_start_row(t->out, txn->name);
    page_cell(t->out, "", txn->id);
    put_case_time(t->out, e, txn->begin);
    put_case_time(t->out, e, txn->end);
    page_cell(t->out, "", txn->outcome);
    fputs("<td>", t->out);
    for (uint32_t op = txn->first_op; op < txn->end_op; op++) {
      put_markup(t->out, e->ops[op].raw);
      fputs("<br>", t->out);
    }
    if (txn->nleft_out)
      fprintf(t->out, "%" PRIu32 " more, without a part in this",
              txn->nleft_out);
    fputs("</td></tr>\n", t->out);
  }
  page_end_table(t->out);
  if (e->nops && !e->nstatements && example_kept_without_one(e))
    fprintf(t->out, "<p>Remove any one of %s, and %s is kept.</p>\n",
            example_shows_more(e) ? "the operations of the steps above"
                                  : "these operations",
            example_kept_without_one(e));
  if (e->nstatements)
    fputs("<p>Conditions may leave out comparisons that make no difference to "
          "these rows.</p>\n",
          t->out);
  fputs("</details>\n", t->out);
}

// A wider picture has its sentences below it.
enum { WIDEST_BESIDE = 760 };

void page_put_example(FILE *out, const struct stored *s, uint32_t index,
                      bool told) {
  const struct example *e = &s->examples[index];
  const struct json_value *run = json_member(s->document, KEY(run));
  const unsigned number = index + 1;
  const struct case_telling t = {
      out, e, number, told,
      run ? driver_words_of_target(json_text(run, KEY(target), "")) : NULL};
  char *prefix = xasprintf("c%u", number);
  struct picture picture = {.example = e, .width = 300};
  if (picture_has_room(e))
    picture_lay_out(&picture, e);
  fputs("<article>\n", out);
  put_case_heading(&t);
  fprintf(out, "<div class=\"case-grid%s\" style=\"--w:%.0f\">\n",
          picture.width > WIDEST_BESIDE ? " below" : "", picture.width);
  fputs("<div>", out);
  put_part(&t, "What the clients saw");
  fputs("<div class=\"pic-wrap\">\n", out);
  if (picture_has_room(e))
    picture_put(out, &picture, prefix, false);
  else
    fputs("<p>It has too many transactions for a picture.</p>\n", out);
  fputs("</div></div>\n", out);
  put_case_why(&t, &picture);
  put_key(&t, &picture);
  fputs("</div>\n", out);
  put_raw(&t);
  fputs("</article>\n", out);
  picture_free(&picture);
  free(prefix);
}
