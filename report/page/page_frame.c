// SPDX-License-Identifier: GPL-3.0-or-later
// The frame and the building blocks of pages (report/page/blocks.h).
#include "config.h"

#include "report/page/blocks.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "report/page/page_style.h"
#include "report/picture/picture.h"
#include "report/words/naming.h"
#include "report/words/quantity.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void page_open(FILE *out, const char *title) {
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n" PAGE_MARK "<meta name=\"viewport\" "
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

void page_bar(FILE *out, const char *all_results, const char *about,
              const char *when) {
  fputs("<header class=\"bar\"><b>isostress</b>", out);
  if (all_results)
    fprintf(out, "<a href=\"%s\">All results</a>", all_results);
  fputs("<span>", out);
  put_markup(out, about);
  if (*when) {
    fputs("</span><span class=\"r\">", out);
    put_markup(out, when);
  }
  fputs("</span></header>\n", out);
}

// Cross, half disc, tick, dashed ring, four squares.
static const struct {
  const char *colour, *drawing;
} symbols[] = {
    {"bad", "<circle cx=\"8\" cy=\"8\" r=\"7\" fill=\"currentColor\"/><path "
            "d=\"M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6\" fill=\"none\" "
            "stroke=\"var(--page)\" stroke-width=\"1.8\"/>"},
    {"warn", "<circle cx=\"8\" cy=\"8\" r=\"6.2\" fill=\"none\" "
             "stroke=\"currentColor\" stroke-width=\"1.6\"/><path d=\"M8 "
             "1.8a6.2 6.2 0 0 1 0 12.4z\" fill=\"currentColor\"/>"},
    {"good", "<circle cx=\"8\" cy=\"8\" r=\"7\" fill=\"currentColor\"/><path "
             "d=\"M4.6 8.2l2.4 2.5 4.4-5.2\" fill=\"none\" "
             "stroke=\"var(--page)\" stroke-width=\"1.8\"/>"},
    {"open", "<circle cx=\"8\" cy=\"8\" r=\"6.2\" fill=\"none\" "
             "stroke=\"currentColor\" stroke-width=\"1.6\" "
             "stroke-dasharray=\"2.6 2.2\"/>"},
    {"many", "<path d=\"M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z\" "
             "fill=\"currentColor\"/>"},
};

void page_symbol(FILE *out, const char *colour) {
  size_t i = 0;
  while (i + 1 < sizeof symbols / sizeof *symbols &&
         strcmp(symbols[i].colour, colour) != 0)
    i++;
  fprintf(out, "<svg viewBox=\"0 0 16 16\" aria-hidden=\"true\">%s</svg>",
          symbols[i].drawing);
}

void page_tag(FILE *out, const char *colour, const char *text) {
  fprintf(out, "<p class=\"tag %s\">", colour);
  page_symbol(out, colour);
  fprintf(out, "%s</p>\n", text);
}

void page_level(FILE *out, const char *level) {
  put_markup(out, naming_level(level));
}

void page_start_command(FILE *out) { fputs("<div class=\"cmd\"><code>", out); }

void page_end_command(FILE *out) {
  fputs("</code><button class=\"copy\" type=\"button\" hidden>Copy</button>"
        "</div>\n",
        out);
}

void page_shell_word(FILE *out, const char *text) {
  const size_t plain = strspn(
      text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
            "_-+=:,./@%");
  if (*text && !text[plain]) {
    put_markup(out, text);
    return;
  }
  fputs("&#39;", out);
  for (const char *quote; *text; text = quote) {
    quote = text + strcspn(text, "'");
    char *part = xasprintf("%.*s", (int)(quote - text), text);
    put_markup(out, part);
    free(part);
    if (*quote) {
      fputs("&#39;\\&#39;&#39;", out);
      quote++;
    }
  }
  fputs("&#39;", out);
}

void page_href(FILE *out, const char *path) {
  for (; *path; path++)
    if (isalnum((unsigned char)*path) || strchr("-._~/", *path))
      putc(*path, out);
    else
      fprintf(out, "%%%02X", (unsigned char)*path);
}

void page_section(FILE *out, const char *id, const char *heading) {
  fprintf(out,
          "<section id=\"%s\" aria-labelledby=\"%s-heading\">\n<h2 "
          "id=\"%s-heading\">%s</h2>\n",
          id, id, id, heading);
}

static void start_table(FILE *out, const char *caption, const char *class) {
  fprintf(out,
          "<div class=\"wide\" role=\"region\" tabindex=\"0\" "
          "aria-label=\"%s\">\n<table%s>\n<caption>%s</caption>\n",
          caption, class, caption);
}

void page_start_table(FILE *out, const char *caption) {
  start_table(out, caption, "");
}

// The style of the page finds the name of column 3 as --l3.
void page_start_cards(FILE *out, const char *caption, const char *columns) {
  char *class;
  size_t bytes;
  FILE *to = text_stream(&class, &bytes);
  fputs(" class=\"cards\" style=\"", to);
  int number = 1;
  for (const char *c = columns; c; number++) {
    const char *name = c + (*c == '#'), *bar = strchr(c, '|');
    fprintf(to, "--l%d:'%.*s';", number,
            (int)(bar ? bar - name : (ptrdiff_t)strlen(name)), name);
    c = bar ? bar + 1 : NULL;
  }
  fputs("\"", to);
  fclose(to);
  start_table(out, caption, class);
  free(class);
}

static int count_frame_columns(const char *columns) {
  int n = columns != NULL;
  for (const char *c = columns; c && *c; c++)
    n += *c == '|';
  return n;
}

void page_column(FILE *out, const char *name) {
  fputs("<th scope=\"col\">", out);
  put_markup(out, name);
  fputs("</th>", out);
}

static void put_frame_columns(FILE *out, const char *columns) {
  for (const char *c = columns; c;) {
    const bool number = *c == '#';
    const char *bar = strchr(c, '|');
    c += number;
    fprintf(out, "<th scope=\"col\"%s>%.*s</th>", number ? " class=\"n\"" : "",
            (int)(bar ? bar - c : (ptrdiff_t)strlen(c)), c);
    c = bar ? bar + 1 : NULL;
  }
}

// So many columns have room on a phone.
enum { NARROW = 4 };

void page_table(FILE *out, const char *caption, const char *columns) {
  if (count_frame_columns(columns) > NARROW)
    page_start_cards(out, caption, columns);
  else
    page_start_table(out, caption);
  if (columns) {
    fputs("<thead><tr>", out);
    put_frame_columns(out, columns);
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
  fputs("<td class=\"n\">", out);
  quantity_put_grouped(out, number);
  fputs("</td>", out);
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
