// SPDX-License-Identifier: GPL-3.0-or-later
// The frame and the building blocks of pages (report/page.h).
#include "config.h"

#include "report/page.h"

#include "base/utf8.h"
#include "report/quantity.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// Graphviz writes black; the page's colour wins over that.
static const char style[] =
    ":root{color-scheme:light dark;--page:#fff;--ink:#16181d;--soft:#4d5561;"
    "--line:#c9cfd8;--bar:#eef2f7;--bad:#a1121f;--good:#116329;"
    "--open:#7a4b00}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#14161a;--ink:#e8eaee;"
    "--soft:#aab2bf;--line:#3b424d;--bar:#232831;--bad:#ff9c9c;--good:#7fd99a;"
    "--open:#f2c46d}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1rem;max-width:72rem;background:var(--page);"
    "color:var(--ink);font:1rem/1.5 system-ui,sans-serif;"
    "overflow-wrap:anywhere}\n"
    "h1{font-size:1.5rem;line-height:1.25;margin:.2rem 0 .6rem}\n"
    "h2{font-size:1.25rem;margin:2rem 0 .6rem;"
    "border-bottom:1px solid var(--line)}\n"
    "h3{font-size:1.1rem;margin:1.4rem 0 .4rem}"
    "h4{font-size:1rem;margin:1rem 0 .2rem}\n"
    "a{color:inherit}p{margin:.4rem 0}.soft{color:var(--soft)}\n"
    ".violation{color:var(--bad)}.pass{color:var(--good)}"
    ".undecided,.none{color:var(--open)}\n"
    "nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;padding:0;margin:.5rem "
    "0;list-style:none}\n"
    ".wide{overflow-x:auto;margin:.5rem 0}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "caption{text-align:left;color:var(--soft);padding:.2rem 0}\n"
    "th,td{padding:.25rem .7rem .25rem 0;text-align:left;vertical-align:top;"
    "border-bottom:1px solid var(--line)}\n"
    "th,td.n{white-space:nowrap}td.n,th.n{text-align:right}"
    "th{overflow-wrap:break-word}"
    "td{overflow-wrap:break-word;min-width:4rem}caption{min-width:17rem}"
    // Names of runs are paths.
    "#comparison thead th{white-space:normal;overflow-wrap:anywhere;"
    "min-width:9rem}\n"
    "@media(max-width:40rem){th[scope=row]{white-space:normal}"
    "td{overflow-wrap:anywhere;min-width:7rem}td.n{min-width:4rem}"
    "caption{max-width:calc(100vw - 2rem)}"
    // Runs side by side stand below each other, by number.
    "#comparison :is(table,thead,tbody,tr,th,td){display:block;min-width:0}"
    "#comparison thead td{display:none}#comparison tr{counter-reset:run;"
    "border-bottom:1px solid var(--line)}#comparison :is(th,td){border:0}"
    "#comparison :is(thead th,td)::before{counter-increment:run;"
    "content:counter(run) \". \";color:var(--soft)}}\n"
    "@media(min-width:60rem){.wide svg{max-width:max(100%,var(--least));"
    "height:auto}}\n"
    ".plots{display:grid;gap:1rem;"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr))}\n"
    ".plots figure{max-width:36rem}figure{margin:1rem "
    "0}figcaption{color:var(--soft)}\n"
    ".plot{width:100%;height:auto;display:block}\n"
    ".graph-picture text{fill:currentColor}"
    ".graph-picture [stroke=black]{stroke:currentColor}"
    ".graph-picture [fill=black]{fill:currentColor}\n"
    "code,pre,.story,.why{font-family:ui-monospace,monospace;font-size:.92rem}"
    "pre{overflow-x:auto;padding:.6rem;background:var(--bar)}\n"
    ".story,.why{padding-left:1.6rem}.story{list-style:none;padding:0}\n"
    ".story time{color:var(--soft)}\n"
    "article{border-top:1px solid var(--line);padding-top:.2rem}\n"
    "@media print{:root{--page:#fff;--ink:#000;--soft:#333;--line:#999;"
    "--bar:#fff;--bad:#000;--good:#000;--open:#000}nav{display:none}"
    "html{font-size:10pt}body{max-width:none;padding:0}"
    ".wide{overflow:visible}pre{white-space:pre-wrap}"
    ".wide svg{max-width:100%;max-height:23cm;height:auto}"
    "th{white-space:normal}td{overflow-wrap:anywhere;min-width:7rem}"
    "td.n{min-width:0}"
    ".plots{grid-template-columns:1fr 1fr}"
    "h2,h3,h4,caption{break-after:avoid}figure,tr{break-inside:avoid}"
    "tbody tr:first-child{break-before:avoid}}\n";

void page_open(FILE *out, const char *title) {
  fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n"
        // Should markup ever get in, a browser still loads and runs nothing.
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
        "'none'; style-src 'unsafe-inline'\">\n<title>",
        out);
  put_markup(out, title);
  fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
}

void page_close(FILE *out, const char *program) {
  fputs("</main>\n<footer>\n<p class=\"soft\">Written by ", out);
  put_markup(out, program);
  fputs(".</p>\n</footer>\n</body>\n</html>\n", out);
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
