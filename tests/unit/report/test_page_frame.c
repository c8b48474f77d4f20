// SPDX-License-Identifier: GPL-3.0-or-later
// The frame and the building blocks of pages: what they escape, what they call
// their columns, and that a page of them is well-formed.
#include "config.h"

#include "report/page/blocks.h"
#include "report/page/page_style.h"
#include "tests/kit/markup.h"
#include "tests/tap.h"

#include <stdint.h>

// The other tests of pages rely on this.
static void faults_are_found(void) {
  static const char *const faulty[][2] = {
      {"<p>a", "an element is not closed"},
      {"<p>a</b></p>", "an end has no beginning"},
      {"</p>", "an end has no beginning"},
      {"<p class=a></p>", "a tag is not well-formed"},
      {"<p class=\"a></p>", "a tag is not well-formed"},
      {"<", "a tag is not well-formed"},
      {"a & b", "an ampersand is not escaped"},
      {"<p id=\"a\"></p><b id=\"a\"></b>", "an id stands twice"},
      {"<a href=\"#a\"></a>", "a link leads nowhere"},
      {"<p aria-labelledby=\"b\"></p>", "a link leads nowhere"}};
  for (size_t i = 0; i < sizeof faulty / sizeof *faulty; i++) {
    const char *fault = markup_fault(faulty[i][0]);
    CHECK_STR(fault ? fault : "", faulty[i][1]);
  }
  CHECK_SOUND("<!DOCTYPE html>\n<p id=\"a\">&lt;<br>\n<path d=\"M1 1\"/><a "
              "href=\"#a\" hidden>x</a></p><a href=\"b#c\"></a>"
              "<style>a > b & c</style><script>if(a<b)</script>");
}

static void put_whole_page(FILE *out, const char *all_results,
                           const char *when) {
  page_open(out, "a < b & \"c\"");
  page_bar(out, all_results, "x & y", when);
  fputs("<main>\n", out);
  page_close(out, "isostress <1>");
}

static void the_frame(void) {
  char *text;
  MARKUP_OF(text, put_whole_page(out, "../index.html", "2026 & on"));
  CHECK_SOUND(text);
  CHECK_INT(strncmp(text, "<!DOCTYPE html>\n<html lang=\"en\">", 31), 0);
  CHECK_COUNT(text, "<title>a &lt; b &amp; &quot;c&quot;</title>", 1);
  CHECK_COUNT(text, PAGE_MARK, 1);
  CHECK_COUNT(text, "<a href=\"../index.html\">All results</a>", 1);
  CHECK_COUNT(text, "<span>x &amp; y</span>", 1);
  CHECK_COUNT(text, "<span class=\"r\">2026 &amp; on</span>", 1);
  CHECK_COUNT(text, "Written by isostress &lt;1&gt;. ", 1);
  free(text);
  MARKUP_OF(text, put_whole_page(out, NULL, ""));
  CHECK_SOUND(text);
  CHECK_COUNT(text, "All results", 0);
  CHECK_COUNT(text, "class=\"r\"", 0);
  free(text);
}

// The policy allows our own style and our own script, and nothing is loaded.
static void the_policy(void) {
  char *text;
  MARKUP_OF(text, put_whole_page(out, NULL, ""));
  char policy[300];
  snprintf(policy, sizeof policy,
           "content=\"default-src 'none'; style-src 'unsafe-inline'; "
           "script-src '%s'\"",
           page_script_hash);
  CHECK_COUNT(text, policy, 1);
  CHECK(markup_in_order(text, policy, "<title>"));
  CHECK_COUNT(text, "<script", 1);
  CHECK_COUNT(text, page_script, 1);
  CHECK_COUNT(text, "src=\"", 0);
  CHECK_COUNT(text, "<link", 0);
  CHECK_COUNT(text, "@import", 0);
  CHECK_COUNT(text, "url(", 0);
  CHECK(strstr(page_script, "</") == NULL);
  CHECK(strstr(page_style, "</") == NULL);
  free(text);
}

// Each colour has a symbol of its own; one that is not known has the last one.
static void symbols_differ(void) {
  static const char *const colours[] = {"bad", "warn", "good", "open", "many"};
  enum { COLOURS = sizeof colours / sizeof *colours };
  char *symbols[COLOURS];
  for (size_t i = 0; i < COLOURS; i++) {
    MARKUP_OF(symbols[i], page_symbol(out, colours[i]));
    CHECK_SOUND(symbols[i]);
    for (size_t k = 0; k < i; k++)
      CHECK(strcmp(symbols[i], symbols[k]) != 0);
  }
  CHECK_MARKUP(page_symbol(out, "no colour"), symbols[COLOURS - 1]);
  char *tag, wanted[1000];
  MARKUP_OF(tag, page_tag(out, "warn", "Seen &amp; told"));
  snprintf(wanted, sizeof wanted,
           "<p class=\"tag warn\">%sSeen &amp; told</p>\n", symbols[1]);
  CHECK_STR(tag, wanted);
  free(tag);
  for (size_t i = 0; i < COLOURS; i++)
    free(symbols[i]);
}

static void addresses(void) {
  CHECK_MARKUP(page_href(out, ""), "");
  CHECK_MARKUP(page_href(out, "runs/a-1_b.2~/report.html"),
               "runs/a-1_b.2~/report.html");
  CHECK_MARKUP(page_href(out, "a b/\"c\"<&>?#%"),
               "a%20b/%22c%22%3C%26%3E%3F%23%25");
  CHECK_MARKUP(page_href(out, "\xc3\xa9"), "%C3%A9");
  CHECK_MARKUP(page_href(out, "javascript:x"), "javascript%3Ax");
}

static void put_command(FILE *out) {
  page_start_command(out);
  fputs("isostress run ", out);
  page_shell_word(out, "a b");
  page_end_command(out);
}

static void commands(void) {
  CHECK_MARKUP(put_command(out),
               "<div class=\"cmd\"><code>isostress run &#39;a b&#39;</code>"
               "<button class=\"copy\" type=\"button\" hidden>Copy</button>"
               "</div>\n");
  CHECK_MARKUP(page_shell_word(out, "a,b:1/2.c=+@%_-"), "a,b:1/2.c=+@%_-");
  CHECK_MARKUP(page_shell_word(out, "~"), "&#39;~&#39;");
  CHECK_MARKUP(page_shell_word(out, "'"), "&#39;&#39;\\&#39;&#39;&#39;");
}

static void sections_are_named_by_their_headings(void) {
  char *text;
  MARKUP_OF(text, page_section(out, "run", "How &amp; why");
            fputs("</section>\n", out));
  CHECK_SOUND(text);
  CHECK_COUNT(text, "<section id=\"run\"", 1);
  CHECK_COUNT(text, ">How &amp; why</h2>", 1);
  free(text);
}

static void cells(void) {
  CHECK_MARKUP(page_cell(out, "", "<i>"), "<td>&lt;i&gt;</td>");
  CHECK_MARKUP(page_cell(out, "nw", ""), "<td class=\"nw\"></td>");
  CHECK_MARKUP(page_number(out, 0), "<td class=\"n\">0</td>");
  CHECK_MARKUP(page_number(out, 999), "<td class=\"n\">999</td>");
  CHECK_MARKUP(page_number(out, 1000000), "<td class=\"n\">1,000,000</td>");
  CHECK_MARKUP(page_number(out, UINT64_MAX),
               "<td class=\"n\">18,446,744,073,709,551,615</td>");
  CHECK_MARKUP(page_column(out, "a<b"), "<th scope=\"col\">a&lt;b</th>");
  CHECK_MARKUP(page_start_row(out, "a&b"),
               "<tr><th scope=\"row\">a&amp;b</th>");
  CHECK_MARKUP(page_row(out, "h", "t<"), "<tr><th scope=\"row\">h</th><td>"
                                         "t&lt;</td></tr>\n");
  CHECK_MARKUP(page_row(out, "h", ""), "");
  CHECK_MARKUP(page_row(out, "h", NULL), "");
}

static void durations(void) {
  CHECK_MARKUP(page_duration(out, 0), "<td class=\"n\"></td>");
  CHECK_MARKUP(page_duration(out, 412), "<td class=\"n\">412&nbsp;ns</td>");
  CHECK_MARKUP(page_duration(out, 4120),
               "<td class=\"n\">4.12&nbsp;\xc2\xb5s</td>");
  CHECK_MARKUP(page_duration(out, 2.5e7), "<td class=\"n\">25.0&nbsp;ms</td>");
  CHECK_MARKUP(page_duration(out, 3e9), "<td class=\"n\">3.00&nbsp;s</td>");
}

static void put_table(FILE *out, const char *columns) {
  page_table(out, "All of it", columns);
  page_row(out, "h", "t");
  page_end_table(out);
}

// The head has each name once, and those of numbers have a class.
static void tables_with_a_head(void) {
  char *text;
  MARKUP_OF(text, put_table(out, "kind|#count|#share"));
  CHECK_SOUND(text);
  CHECK_COUNT(text, "aria-label=\"All of it\"", 1);
  CHECK_COUNT(text, "<caption>All of it</caption>", 1);
  CHECK_COUNT(text,
              "<thead><tr><th scope=\"col\">kind</th>"
              "<th scope=\"col\" class=\"n\">count</th>"
              "<th scope=\"col\" class=\"n\">share</th></tr></thead>\n"
              "<tbody>\n<tr>",
              1);
  CHECK_COUNT(text, "class=\"cards\"", 0);
  free(text);
  MARKUP_OF(text, put_table(out, NULL));
  CHECK_SOUND(text);
  CHECK_COUNT(text, "<thead>", 0);
  CHECK_COUNT(text, "<tbody>", 1);
  free(text);
}

// More than four columns have no room on a phone.
static void wide_tables_are_cards(void) {
  char *text;
  MARKUP_OF(text, put_table(out, "a|#b|c|d"));
  CHECK_COUNT(text, "class=\"cards\"", 0);
  free(text);
  MARKUP_OF(text, put_table(out, "a|#b|c|d|#last one"));
  CHECK_SOUND(text);
  CHECK_COUNT(text,
              "<table class=\"cards\" style=\"--l1:'a';--l2:'b';--l3:'c';"
              "--l4:'d';--l5:'last one';\">",
              1);
  CHECK_COUNT(text, "<th scope=\"col\"", 5);
  CHECK_COUNT(text, "<th scope=\"col\" class=\"n\">last one</th>", 1);
  free(text);
}

int main(void) {
  return TAP_RUN({"faults of markup are found", faults_are_found},
                 {"the frame", the_frame}, {"the policy", the_policy},
                 {"symbols differ", symbols_differ}, {"addresses", addresses},
                 {"commands", commands},
                 {"sections are named by their headings",
                  sections_are_named_by_their_headings},
                 {"cells", cells}, {"durations", durations},
                 {"tables with a head", tables_with_a_head},
                 {"wide tables are cards", wide_tables_are_cards});
}
