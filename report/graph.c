// SPDX-License-Identifier: GPL-3.0-or-later
// A counterexample as a graph for Graphviz (report/pictures.h): transactions
// are records of their operations, dependencies lead from one operation to
// another.
#include "config.h"

#include "report/pictures.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_MAX = 44, KEY_MAX = 24 }; // characters

// Text between quotes: a backslash is Graphviz's own escape, and markup is
// undone by it, so that the same escaping serves everywhere.
static void put_quoted(FILE *out, const char *text, size_t limit) {
  char *escaped;
  size_t bytes;
  FILE *markup = text_stream(&escaped, &bytes);
  put_markup_clipped(markup, text, limit);
  fclose(markup);
  for (const char *c = escaped; *c; c++)
    fprintf(out, *c == '\\' ? "\\\\" : "%c", *c);
  free(escaped);
}

static void put_op(FILE *out, const struct example *e, uint32_t op) {
  const struct example_op *o = &e->ops[op];
  fprintf(out, "\n    <tr><td port=\"o%" PRIu32 "\" align=\"left\">%s", op,
          o->matters ? "<b>" : "");
  put_markup_clipped(out, o->label, LABEL_MAX);
  fprintf(out, "%s%s</td></tr>", op == e->read ? " (wrong)" : "",
          o->matters ? "</b>" : "");
}

static void put_txn(FILE *out, const struct example *e, uint32_t t,
                    const char *prefix) {
  const struct example_txn *txn = &e->txns[t];
  const bool committed = !strcmp(txn->outcome, "committed");
  fprintf(out,
          "  t%" PRIu32 " [id=\"%s-t%" PRIu32 "\" label=<<table border=\"%d\" "
          "cellborder=\"1\" cellspacing=\"0\" cellpadding=\"5\"%s>\n"
          "    <tr><td port=\"head\"><b>",
          t, prefix, t, committed ? 0 : 2,
          committed ? "" : " style=\"dashed\"");
  put_markup(out, txn->name);
  fputs("</b>&#160;&#160;", out);
  put_markup(out, txn->outcome);
  fputs("</td></tr>", out);
  for (uint32_t op = txn->first_op; op < txn->end_op; op++)
    put_op(out, e, op);
  if (txn->nleft_out)
    fprintf(out, "\n    <tr><td align=\"left\">and %" PRIu32 " more</td></tr>",
            txn->nleft_out);
  fputs("</table>>];\n", out);
}

static void put_end(FILE *out, uint32_t txn, uint32_t op) {
  fprintf(out, "t%" PRIu32, txn);
  if (op == EXAMPLE_NONE)
    fputs(":head", out);
  else
    fprintf(out, ":o%" PRIu32, op);
}

static void put_edge(FILE *out, const struct example *e, uint32_t i,
                     const char *prefix) {
  const struct example_edge *edge = &e->edges[i];
  fputs("  ", out);
  put_end(out, edge->from, edge->from_op);
  fputs(" -> ", out);
  put_end(out, edge->to, edge->to_op);
  fprintf(out, " [id=\"%s-e%" PRIu32 "\" label=\"", prefix, i);
  if (edge->number)
    fprintf(out, "%" PRIu32 ". ", edge->number);
  put_quoted(out, edge->kind, KEY_MAX);
  if (edge->key) {
    fputs(" key ", out);
    put_quoted(out, edge->key, KEY_MAX);
  }
  fprintf(out, "\" style=%s%s];\n", edge->inferred ? "dashed" : "solid",
          edge->on_cycle ? " penwidth=1.6"
          : edge->number ? ""
                         : " color=\"#767676\"");
}

void graph_put_dot(FILE *out, const struct example *e, const char *prefix) {
  fprintf(out, "digraph \"%s\" {\n", prefix);
  fputs("  // solid: a client saw it; dashed: it follows from the order of "
        "versions\n"
        "  graph [bgcolor=\"transparent\" rankdir=LR nodesep=0.5 ranksep=1.1 "
        "id=\"",
        out);
  fprintf(out, "%s\"];\n", prefix);
  fputs("  node [shape=plain fontname=\"Helvetica,Arial,sans-serif\" "
        "fontsize=12];\n"
        "  edge [fontname=\"Helvetica,Arial,sans-serif\" fontsize=12 "
        "];\n",
        out);
  for (uint32_t t = 0; t < e->ntxns; t++)
    put_txn(out, e, t, prefix);
  for (uint32_t i = 0; i < e->nedges; i++)
    put_edge(out, e, i, prefix);
  fputs("}\n", out);
}
