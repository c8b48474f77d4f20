// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the picture of a counterexample as SVG (report/picture/picture.h).
#include "config.h"

#include "report/picture/picture.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "base/whole_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char picture_style[] =
    ".pic text{font:13px ui-monospace,\"SF Mono\",Menlo,Consolas,\"DejaVu Sans "
    "Mono\",\"Liberation Mono\",monospace;fill:var(--ink)}\n"
    ".pic .t,.pic .s,.pic .e,.pic .c{fill:var(--soft)}.pic .t{font-size:11px}\n"
    ".pic .s,.pic .n,.pic .m{font-weight:700}.pic .s{font-size:12.5px}\n"
    ".pic .tx>rect{fill:var(--box);stroke:var(--sup);stroke-width:1.2;"
    "stroke-dasharray:3 3}\n"
    ".pic .core>rect{stroke:var(--soft);stroke-width:1.6;"
    "stroke-dasharray:none}\n"
    ".pic .tx:not(.core) text{fill:var(--soft)}\n"
    ".pic .dead>rect{stroke-dasharray:6 4}.pic .dead .c{fill:var(--bad);"
    "font-weight:700}\n"
    ".pic .hit{fill:transparent;stroke:none}.pic .wrong .hit{"
    "fill:var(--bad-wash);stroke:var(--cyc)}\n"
    ".pic .q{font-size:11px;fill:var(--soft)}"
    ".pic .x{font-weight:700;fill:var(--bad)}"
    ".pic .d{font-weight:700;fill:var(--good)}"
    ".pic .done{stroke:var(--good);stroke-width:1.6;stroke-dasharray:5 4;"
    "fill:none}\n"
    ".pic .wait{stroke:var(--soft);stroke-width:3;stroke-dasharray:2 3;"
    "fill:none}\n"
    ".pic .w .line{fill:none;stroke:var(--sup);stroke-width:1.3;"
    "stroke-dasharray:4 4}\n"
    ".pic .w .under{fill:none;stroke:var(--page);stroke-width:6}"
    ".pic .w .tri{fill:var(--sup)}\n"
    ".pic .w circle{fill:var(--page);stroke:var(--sup);stroke-width:1.3}"
    ".pic .w text{font:600 11.5px system-ui,sans-serif;fill:var(--soft)}\n"
    ".pic .cyc .line{stroke:var(--cyc);stroke-width:2.6;"
    "stroke-dasharray:none}.pic .cyc .tri{fill:var(--cyc)}\n"
    ".pic .cyc circle{fill:var(--cyc);stroke:var(--page);stroke-width:1.5}"
    ".pic .cyc text{fill:var(--page);font-weight:700}"
    ".pic .w .two{font-size:10px}\n";

// The colours of a file of its own are those of the pages.
static const char colours[] =
    ".pic{--page:#fff;--ink:#1a1e25;--soft:#545d6a;--box:#fff;--bad:#b0141f;"
    "--bad-wash:#fdefee;--good:#12662b;--cyc:#b0141f;--sup:#69727f;background:"
    "var(--page)}\n"
    "@media(prefers-color-scheme:dark){.pic{--page:#13161b;--ink:#e7eaef;"
    "--soft:#a7b0bd;--box:#20252d;--bad:#ff938c;--bad-wash:#3a1c1e;"
    "--good:#78d797;"
    "--cyc:#ff8f88;--sup:#8b95a3}}\n";

struct drawing {
  const struct picture *p;
  const struct example *e;
  const char *prefix;
  FILE *out;
  bool on_its_own;
};

enum { RADIUS = 7, HEAD = 9 }; // of corners; length of an arrow's head

static const char *class_of_word(enum word_kind kind) {
  static const char *const classes[] = {
      [WORD_TIME] = "t",      [WORD_SESSION] = "s",   [WORD_NAME] = "n",
      [WORD_STATEMENT] = "v", [WORD_CONDITION] = "q", [WORD_FAULT] = "q x",
      [WORD_WAITS] = "e",     [WORD_END] = "c",       [WORD_COMMITTED] = "d"};
  return classes[kind];
}

static bool is_small_word(enum word_kind kind) {
  return kind == WORD_CONDITION || kind == WORD_FAULT;
}

static bool is_of_statement(enum word_kind kind) {
  return kind == WORD_STATEMENT || is_small_word(kind);
}

static void put_svg_word(struct drawing *d, const struct picture_word *word) {
  const bool matters =
      word->kind == WORD_STATEMENT && d->e->ops[word->op].matters;
  fprintf(d->out, "<text class=\"%s%s\" x=\"%.1f\" y=\"%.1f\">",
          class_of_word(word->kind), matters ? " m" : "", word->x,
          word->y + (is_small_word(word->kind) ? 12 : 17));
  put_markup(d->out, word->text);
  fputs("</text>\n", d->out);
}

static void put_words(struct drawing *d, uint32_t txn, enum word_kind kind) {
  for (uint32_t i = 0; i < d->p->nwords; i++)
    if (d->p->words[i].txn == txn && d->p->words[i].kind == kind)
      put_svg_word(d, &d->p->words[i]);
}

// The numbers of the arrows that a statement has a part in.
static void put_svg_numbers(struct drawing *d, uint32_t op) {
  char mark[NAME_ROOM];
  const char *space = "";
  fputs(" data-k=\"", d->out);
  for (uint32_t i = 0; i < d->e->nedges; i++) {
    const struct example_edge *edge = &d->e->edges[i];
    if (!edge->number || (edge->from_op != op && edge->to_op != op))
      continue;
    fprintf(d->out, "%s%s", space, example_mark(d->e, edge->number, mark));
    space = " ";
  }
  fputs("\"", d->out);
}

// A statement with its words, and the ground that lights up behind them.
static void put_svg_statement(struct drawing *d, uint32_t txn, uint32_t op) {
  const struct picture_box *box = &d->p->boxes[txn];
  double top = 0, bottom = 0;
  for (uint32_t i = 0; i < d->p->nwords; i++) {
    const struct picture_word *word = &d->p->words[i];
    if (!is_of_statement(word->kind) || word->op != op)
      continue;
    top = bottom > 0 ? top : word->y;
    bottom = word->y + (is_small_word(word->kind) ? PICTURE_NOTE + PICTURE_SPACE
                                                  : PICTURE_ROW);
  }
  fprintf(d->out, "<g class=\"o%s\"",
          op == d->e->read || d->e->ops[op].fault ? " wrong" : "");
  if (!d->on_its_own)
    put_svg_numbers(d, op);
  fputs("><title>", d->out);
  put_markup(d->out, d->e->ops[op].raw);
  fprintf(d->out,
          "</title><rect class=\"hit\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
          "height=\"%.1f\" rx=\"3\"/>\n",
          box->x + 3, top + 1.5, box->width - 6, bottom - top - 3);
  for (uint32_t i = 0; i < d->p->nwords; i++)
    if (is_of_statement(d->p->words[i].kind) && d->p->words[i].op == op)
      put_svg_word(d, &d->p->words[i]);
  fputs("</g>\n", d->out);
}

static void put_box(struct drawing *d, uint32_t t) {
  const struct picture_box *box = &d->p->boxes[t];
  const struct example_txn *txn = &d->e->txns[t];
  if (!box->drawn)
    return;
  put_words(d, t, WORD_SESSION);
  fprintf(d->out, "<g class=\"tx%s%s\"><title>", box->core ? " core" : "",
          strcmp(txn->outcome, "committed") ? " dead" : "");
  put_markup(d->out, txn->name);
  fputs(": ", d->out);
  put_markup(d->out, txn->id);
  fputs(" of the history, ", d->out);
  put_markup(d->out, txn->outcome);
  fprintf(d->out,
          "</title>\n<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
          "height=\"%.1f\" rx=\"4\"/>\n",
          box->x, box->y, box->width, box->bottom - box->y);
  put_words(d, t, WORD_NAME);
  put_words(d, t, WORD_WAITS);
  for (uint32_t op = txn->first_op; op < txn->end_op; op++)
    put_svg_statement(d, t, op);
  put_words(d, t, WORD_END);
  put_words(d, t, WORD_COMMITTED);
  fputs("</g>\n", d->out);
}

// --- Arrows.

static double toward(double from, double to, double by) {
  return from < to ? from + by : from - by;
}

// Along the row to the lane, along the lane, back along the row.
static void put_svg_line(struct drawing *d, const struct picture_arrow *a,
                         const char *class) {
  const double x = a->lane_x, end = toward(a->x2, x, HEAD - 2);
  const double run = a->y1 < a->y2 ? a->y2 - a->y1 : a->y1 - a->y2;
  const double r = run / 2 < RADIUS ? run / 2 : RADIUS;
  if (a->straight)
    fprintf(d->out, "<path class=\"%s\" d=\"M%.1f %.1fV%.1f\"/>", class, a->x1,
            a->y1, a->y2 - HEAD + 2);
  else
    fprintf(d->out,
            "<path class=\"%s\" d=\"M%.1f %.1fH%.1fQ%.1f %.1f %.1f %.1f"
            "V%.1fQ%.1f %.1f %.1f %.1fH%.1f\"/>",
            class, a->x1, a->y1, toward(x, a->x1, r), x, a->y1, x,
            toward(a->y1, a->y2, r), toward(a->y2, a->y1, r), x, a->y2,
            toward(x, a->x2, r), a->y2, end);
}

static void put_svg_head(struct drawing *d, const struct picture_arrow *a) {
  if (a->straight)
    fprintf(d->out, "<path class=\"tri\" d=\"M%.1f %.1fl-5 -%dh10z\"/>", a->x2,
            a->y2, HEAD);
  else
    fprintf(d->out, "<path class=\"tri\" d=\"M%.1f %.1fl%d -5v10z\"/>", a->x2,
            a->y2, a->lane_x > a->x2 ? HEAD : -HEAD);
}

// Is it part of what is wrong, not only of its reasons?  An argument without a
// cycle has no other part.
static bool is_core_arrow(const struct drawing *d,
                          const struct example_edge *edge) {
  return edge->on_cycle || !d->e->ncycle;
}

static void put_arrow(struct drawing *d, const struct picture_arrow *a) {
  const struct example_edge *edge = &d->e->edges[a->edge];
  char mark[NAME_ROOM];
  example_mark(d->e, edge->number, mark);
  const char *class = is_core_arrow(d, edge) ? "w cyc" : "w sup";
  if (d->on_its_own)
    fprintf(d->out, "<g class=\"%s\"><title>", class);
  else
    fprintf(d->out,
            "<a class=\"%s\" id=\"%s-arrow-%s\" href=\"#%s-why-%s\" "
            "data-k=\"%s\"><title>step %s: ",
            class, d->prefix, mark, d->prefix, mark, mark, mark);
  put_markup(d->out, d->e->txns[edge->from].name);
  fputs(" before ", d->out);
  put_markup(d->out, d->e->txns[edge->to].name);
  fputs("</title>", d->out);
  put_svg_line(d, a, "under");
  put_svg_line(d, a, "line");
  put_svg_head(d, a);
  fprintf(d->out,
          "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"/><text x=\"%.1f\" "
          "y=\"%.1f\" text-anchor=\"middle\"%s>%s</text>%s\n",
          a->disc_x, a->disc_y, PICTURE_DISC, a->disc_x, a->disc_y + 4.2,
          mark[1] ? " class=\"two\"" : "", mark,
          d->on_its_own ? "</g>" : "</a>");
}

static void put_arrows(struct drawing *d, bool core) {
  for (uint32_t i = 0; i < d->p->narrows; i++)
    if (is_core_arrow(d, &d->e->edges[d->p->arrows[i].edge]) == core)
      put_arrow(d, &d->p->arrows[i]);
}

static void put_start(struct drawing *d) {
  fprintf(d->out, "<svg class=\"pic%s\" viewBox=\"0 0 %.0f %.0f\"",
          d->p->ncolumns > 2 ? " big" : "", d->p->width, d->p->height);
  if (d->on_its_own)
    fprintf(d->out,
            " xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
            "height=\"%.0f\"",
            d->p->width, d->p->height);
  else
    fprintf(d->out, " style=\"--w:%.0f\"", d->p->width);
  fputs(" role=\"group\" aria-label=\"", d->out);
  put_markup(d->out, d->e->anomaly);
  fputs(": sessions side by side, time downwards\">\n", d->out);
  if (d->on_its_own)
    fprintf(d->out, "<style>\n%s%s</style>\n", colours, picture_style);
}

void picture_put(FILE *out, const struct picture *picture, const char *prefix,
                 bool on_its_own) {
  struct drawing d = {picture, picture->example, prefix, out, on_its_own};
  put_start(&d);
  put_words(&d, EXAMPLE_NONE, WORD_TIME);
  for (uint32_t t = 0; t < d.e->ntxns; t++)
    put_box(&d, t);
  for (uint32_t i = 0; i < picture->nwaits; i++)
    fprintf(out, "<path class=\"wait\" d=\"M%.1f %.1fV%.1f\"/>\n",
            picture->waits[i].x, picture->waits[i].y + 4,
            picture->waits[i].bottom + 2);
  for (uint32_t i = 0; i < picture->ncommits; i++)
    fprintf(out, "<path class=\"done\" d=\"M%.1f %.1fH%.1f\"/>\n",
            picture->commits[i].x1, picture->commits[i].y + PICTURE_ROW / 2.0,
            picture->commits[i].x2);
  put_arrows(&d, false);
  put_arrows(&d, true);
  fputs("</svg>\n", out);
}

static void put_file(FILE *out, const void *context) {
  picture_put(out, context, "", true);
}

int picture_write(const char *directory, unsigned number,
                  const struct example *example, struct error *error) {
  struct picture picture;
  char *path = xasprintf("%s/counterexample-%u.svg", directory, number);
  int failed = 0;
  if (picture_has_room(example)) {
    picture_lay_out(&picture, example);
    failed = whole_file_write(path, put_file, &picture, error);
    picture_free(&picture);
  } else {
    unlink(path);
  }
  free(path);
  return failed ? -1 : 0;
}
