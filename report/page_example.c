// SPDX-License-Identifier: GPL-3.0-or-later
// A counterexample in a page (report/page.h): its story, and both pictures.
#include "config.h"

#include "report/page.h"

#include "base/utf8.h"
#include "report/pictures.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_story(FILE *out, const struct example *e) {
  char time[32];
  fprintf(out, "<h4>What happened%s</h4>\n<ol class=\"story\">\n",
          e->timed ? ", in the order of real time" : "");
  for (uint32_t i = 0; i < e->nstory; i++) {
    fputs("<li>", out);
    if (e->timed)
      fprintf(out, "<span class=\"soft\">%s:</span> ",
              example_time(e, e->story[i].time, time));
    put_markup(out, e->story[i].sentence);
    fputs("</li>\n", out);
  }
  fputs("</ol>\n", out);
}

static void put_statements(FILE *out, const struct example *e) {
  if (!e->nstatements)
    return;
  fputs("<h4>The statements, with the keys of their rows</h4>\n<ul>\n", out);
  for (uint32_t i = 0; i < e->nstatements; i++) {
    fputs("<li>", out);
    put_markup(out, e->statements[i]);
    fputs("</li>\n", out);
  }
  fputs("</ul>\n", out);
}

static void put_contradiction(FILE *out, const struct example *e) {
  fputs("<p><strong>", out);
  put_markup(out, e->contradiction);
  fputs("</strong></p>\n", out);
}

static void put_item(FILE *out, uint32_t number, const char *sentence) {
  fprintf(out, "<li value=\"%" PRIu32 "\">", number);
  put_markup(out, sentence);
  fputs("</li>\n", out);
}

static void put_reasons(FILE *out, const struct example *e) {
  if (!e->nreasons)
    return;
  if (e->ncycle)
    fputs("<h4>These steps rest on</h4>\n", out);
  fputs("<ol class=\"why\">\n", out);
  for (uint32_t i = 0; i < e->nreasons; i++)
    put_item(out, e->reasons[i].number, e->reasons[i].sentence);
  fputs("</ol>\n", out);
}

static void put_why(FILE *out, const struct example *e) {
  fprintf(out, "<h4>%s</h4>\n",
          e->read == EXAMPLE_NONE ? "Why they contradict each other"
                                  : "What is wrong");
  if (e->ncycle) {
    fputs("<ol class=\"why\">\n", out);
    for (uint32_t i = 0; i < e->ncycle; i++)
      put_item(out, i + 1, e->edges[i].sentence);
    fputs("</ol>\n", out);
    put_contradiction(out, e);
  }
  put_reasons(out, e);
  if (!e->ncycle)
    put_contradiction(out, e);
}

// The opening tag that Graphviz wrote, whose lengths in points are no HTML.
static void put_svg_start(FILE *out, const char *tag, const char *title) {
  const char *width = strstr(tag, "width=\"");
  fputs("<svg role=\"img\" aria-label=\"", out);
  put_markup(out, title);
  fputc('"', out);
  if (width)
    fprintf(out, " style=\"--least:%.0fpx\"",
            PICTURE_LEAST_SCALE * strtod(width + strlen("width=\""), NULL));
  for (tag += strlen("<svg"); *tag; tag++)
    if (strncmp(tag, "pt\"", 3) != 0)
      fputc(*tag, out);
    else
      tag++;
}

// Copies what Graphviz drew, from its <svg> on; false if it is not there.
static bool put_svg_file(FILE *out, const char *path, const char *title) {
  FILE *file = fopen(path, "re");
  char *line = NULL;
  size_t room = 0;
  bool inside = false;
  while (file && getline(&line, &room, file) >= 0) {
    const char *start = inside ? NULL : strstr(line, "<svg");
    if (start)
      put_svg_start(out, start, title);
    else if (inside)
      fputs(line, out);
    inside |= start != NULL;
  }
  free(line);
  if (file)
    fclose(file);
  return inside;
}

static void open_figure(FILE *out, const char *classes, const char *label) {
  fprintf(out,
          "<figure>\n<div class=\"wide%s\" role=\"region\" tabindex=\"0\" "
          "aria-label=\"%s\">\n",
          classes, label);
}

static void close_figure(FILE *out, const char *caption) {
  fprintf(out, "</div>\n<figcaption>%s</figcaption>\n</figure>\n", caption);
}

static void put_graph(FILE *out, const struct example *e, unsigned number,
                      const char *directory) {
  char *path = xasprintf("%s/counterexample-%u.svg", directory, number);
  char *label = xasprintf("Dependencies of counterexample %u", number);
  char *title = xasprintf("Graph of the transactions of a %s; the sentences "
                          "above say the same",
                          e->anomaly);
  open_figure(out, " graph-picture", label);
  if (put_svg_file(out, path, title))
    close_figure(out, "The transactions and what orders them");
  else {
    fprintf(out,
            "<p>There was no Graphviz, or no time, to draw the graph, which is "
            "in <code>counterexample-%u.dot</code>.</p>\n",
            number);
    close_figure(out, "Install graphviz, and use isostress report");
  }
  free(path);
  free(label);
  free(title);
}

static void put_timeline(FILE *out, const struct example *e, unsigned number) {
  char *prefix = xasprintf("timeline-%u", number);
  char *label = xasprintf("Time line of counterexample %u", number);
  open_figure(out, "", label);
  timeline_put_svg(out, e, prefix, false);
  close_figure(out, "The sessions over time");
  free(prefix);
  free(label);
}

static void put_pictures(FILE *out, const struct example *e, unsigned number,
                         const char *directory) {
  if (picture_has_room(e)) {
    put_graph(out, e, number, directory);
    put_timeline(out, e, number);
  } else {
    fprintf(out,
            "<p>It has too many transactions for a picture. The graph, for "
            "Graphviz, is in <code>counterexample-%u.dot</code>.</p>\n",
            number);
  }
}

static void put_levels(FILE *out, const struct example *e) {
  if (e->level == ISOLATION_NONE) {
    fprintf(out,
            "<p>If all these transactions were at one level, they would break "
            "%s.</p>\n",
            isolation_title(e->weakest));
    return;
  }
  fprintf(out,
          "<p>The weakest level that it breaks is %s; %s was checked.</p>\n",
          isolation_title(e->weakest),
          e->weakest == e->level ? "that" : isolation_title(e->level));
}

void page_put_example(FILE *out, const struct example *e, unsigned number,
                      const char *directory) {
  fprintf(out, "<article>\n<h3>%u. ", number);
  put_markup(out, e->anomaly);
  if (*e->also) {
    fputs(" <span class=\"soft\">(", out);
    put_markup(out, e->also);
    fputs(")</span>", out);
  }
  fputs("</h3>\n<p>", out);
  put_markup(out, e->meaning);
  fputs("</p>\n", out);
  put_levels(out, e);
  put_story(out, e);
  put_statements(out, e);
  if (e->nops && !e->nstatements)
    fprintf(out, "<p>Remove any one of these operations, and %s is kept.</p>\n",
            example_kept_without_one(e));
  put_why(out, e);
  if (number <= STORED_MAX_PICTURES)
    put_pictures(out, e, number, directory);
  fputs("</article>\n", out);
}
