// SPDX-License-Identifier: GPL-3.0-or-later
// The frame and the building blocks of pages (report/page.h).
#include "config.h"

#include "report/page.h"

#include "base/utf8.h"
#include "report/page_style.h"
#include "report/picture.h"
#include "report/quantity.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

void page_open(FILE *out, const char *title) {
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n"
        // Should markup ever get in, a browser still loads and runs nothing.
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'; script-src '",
        out);
  fprintf(out, "%s'\">\n<title>", page_script_hash);
  put_markup(out, title);
  fprintf(out, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n", page_style,
          picture_style);
}

void page_close(FILE *out, const char *program) {
  fputs("</main>\n<footer>\n<p>Written by ", out);
  put_markup(out, program);
  fprintf(out,
          ". This page needs no network.</p>\n</footer>\n<script>%s</script>\n"
          "</body>\n</html>\n",
          page_script);
}

void page_section(FILE *out, const char *id, const char *heading) {
  fprintf(out,
          "<section id=\"%s\" aria-labelledby=\"%s-heading\">\n<h2 "
          "id=\"%s-heading\">%s</h2>\n",
          id, id, id, heading);
}

void page_start_table(FILE *out, const char *caption) {
  fprintf(out,
          "<div class=\"wide\" role=\"region\" tabindex=\"0\" "
          "aria-label=\"%s\">\n<table>\n<caption>%s</caption>\n",
          caption, caption);
}

void page_column(FILE *out, const char *name) {
  fputs("<th scope=\"col\">", out);
  put_markup(out, name);
  fputs("</th>", out);
}

static void put_columns(FILE *out, const char *columns) {
  for (const char *c = columns; c;) {
    const bool number = *c == '#';
    const char *bar = strchr(c, '|');
    c += number;
    fprintf(out, "<th scope=\"col\"%s>%.*s</th>", number ? " class=\"n\"" : "",
            (int)(bar ? bar - c : (ptrdiff_t)strlen(c)), c);
    c = bar ? bar + 1 : NULL;
  }
}

void page_table(FILE *out, const char *caption, const char *columns) {
  page_start_table(out, caption);
  if (columns) {
    fputs("<thead><tr>", out);
    put_columns(out, columns);
    fputs(PAGE_END_HEAD, out);
  } else {
    fputs("<tbody>\n", out);
  }
}

void page_end_table(FILE *out) { fputs("</tbody>\n</table>\n</div>\n", out); }

void page_start_row(FILE *out, const char *heading) {
  fputs("<tr><th scope=\"row\">", out);
  put_markup(out, heading);
  fputs("</th>", out);
}

void page_cell(FILE *out, const char *class, const char *text) {
  fprintf(out, *class ? "<td class=\"%s\">" : "<td>", class);
  put_markup(out, text);
  fputs("</td>", out);
}

void page_number(FILE *out, uint64_t number) {
  fprintf(out, "<td class=\"n\">%" PRIu64 "</td>", number);
}

void page_row(FILE *out, const char *heading, const char *text) {
  if (!text || !*text)
    return;
  page_start_row(out, heading);
  page_cell(out, "", text);
  fputs("</tr>\n", out);
}

void page_duration(FILE *out, double ns) {
  const struct quantity q = quantity_duration(ns);
  fputs("<td class=\"n\">", out);
  if (ns > 0)
    fprintf(out, "%s&nbsp;%s", q.number,
            strcmp(q.unit, "us") ? q.unit : "\xc2\xb5s");
  fputs("</td>", out);
}
