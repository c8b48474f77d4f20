// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences as HTML: marks become tags, the rest is escaped, and every sentence
// of the tables closes what it opens.
#include "config.h"

#include "base/marks.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/words/advice.h"
#include "report/words/html.h"
#include "report/words/words.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

static void expect_html(const char *sentence, const char *wanted) {
  char *html;
  size_t bytes;
  FILE *out = text_stream(&html, &bytes);
  html_put(out, sentence);
  fclose(out);
  CHECK_STR(html, wanted);
  free(html);
}

static void marks_are_tags(void) {
  expect_html("", "");
  expect_html("It shows \b950\b.", "It shows <b>950</b>.");
  expect_html("\fSELECT\f and \b1\b and \b2\b",
              "<code>SELECT</code> and <b>1</b> and <b>2</b>");
  expect_html("5" HARD_BLANK "%", "5\xc2\xa0%");
}

static void the_rest_is_escaped(void) {
  expect_html("a < b && c > \"d\"", "a &lt; b &amp;&amp; c &gt; &quot;d&quot;");
  expect_html("<b>1</b> &lt;", "&lt;b&gt;1&lt;/b&gt; &amp;lt;");
  expect_html("isostress' \xe2\x80\xa6", "isostress' \xe2\x80\xa6");
}

// A name that holds what opens and closes in a sentence marks nothing.
static void names_mark_nothing(void) {
  char *sentence;
  size_t bytes;
  FILE *words = text_stream(&sentence, &bytes);
  fputs("\f", words);
  put_clean(words, "x\f<i>\b\n\xff");
  fputs("\f", words);
  fclose(words);
  expect_html(sentence, "<code>x\xef\xbf\xbd&lt;i&gt;\xef\xbf\xbd "
                        "\xef\xbf\xbd</code>");
  free(sentence);
}

static void expect_about(const char *target, const char *wanted) {
  char *html;
  size_t bytes;
  FILE *out = text_stream(&html, &bytes);
  html_put_about(out, "\bTwo\b rows & \fa row\f.",
                 driver_words_of_target(target));
  fclose(out);
  CHECK_STR(html, wanted);
  free(html);
}

static void rows_may_be_keys(void) {
  expect_about("redis://host", "<b>Two</b> keys &amp; <code>a row</code>.");
  expect_about("mysql://host", "<b>Two</b> rows &amp; <code>a row</code>.");
  expect_about("other:", "<b>Two</b> rows &amp; <code>a row</code>.");
}

// A part of a sentence may stand alone: each table entry closes its marks, and
// has neither tags nor entities.
static void expect_closed(const char *sentence) {
  const char *open = NULL;
  for (const char *c = sentence; c && *c; c++) {
    if (*c != *MARK_STRONG && *c != *MARK_CODE)
      continue;
    if (!CHECK(!open || *open == *c))
      printf("# nested: %s\n", sentence);
    open = open ? NULL : c;
  }
  if (!CHECK(!open) || !CHECK(!sentence || !strpbrk(sentence, "<>&")))
    printf("# %s\n", sentence);
}

static void tables_close_their_marks(void) {
  for (int a = ANOMALY_NONE + 1; a < ANOMALY_COUNT; a++) {
    const struct anomaly_words *words = words_of((enum anomaly)a);
    expect_closed(words->headline);
    expect_closed(words->happened);
    expect_closed(words->means);
    expect_closed(words->helps);
    expect_closed(words->replicas);
    expect_closed(words->clause);
  }
  const struct advice *advice;
  for (uint32_t i = 0; (advice = advice_at(i)); i++)
    expect_closed(advice->text);
  const struct driver_words *driver;
  for (uint32_t i = 0; (driver = driver_words_at(i)); i++) {
    const struct level_words *level = driver->levels;
    for (; level && level->level; level++)
      expect_closed(level->clause);
    if (driver->commands)
      expect_closed(driver->commands->apart);
  }
}

int main(void) {
  return TAP_RUN({"marks are tags", marks_are_tags},
                 {"the rest is escaped", the_rest_is_escaped},
                 {"names mark nothing", names_mark_nothing},
                 {"rows may be keys", rows_may_be_keys},
                 {"tables close their marks", tables_close_their_marks});
}
