// SPDX-License-Identifier: GPL-3.0-or-later
// Advice on scripts: a level that was not decided is told with its reason.
#include "config.h"

#include "base/memory.h"
#include "report/page/page.h"
#include "report/text/advised_text.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

static char *advice_of(struct advised_trial levels[2],
                       void put(FILE *, const struct advised *)) {
  static const char *const scripts[] = {"pay.sql"}, *const texts[] = {
                                                        "SELECT 1"};
  static const char *const unexplored[] = {NULL};
  const struct advised a = {.program = "isostress",
                            .command = "isostress advise",
                            .target = "sqlite:a.db",
                            .server = "SQLite 3",
                            .schema = "s.sql",
                            .scripts = scripts,
                            .texts = texts,
                            .unexplored = unexplored,
                            .nscripts = 1,
                            .levels = levels,
                            .nlevels = 2};
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  put(out, &a);
  fclose(out);
  return text;
}

static void put_text(FILE *out, const struct advised *a) {
  text_put_advised(out, a, NULL);
}

static void undecided_levels(void) {
  static const struct advised_cell cell = {0};
  struct advised_trial levels[2] = {{.level = "read committed",
                                     .tried = true,
                                     .cells = &cell,
                                     .open = "memory ran out"},
                                    {.level = "serializable",
                                     .tried = true,
                                     .decided = true,
                                     .serializable = true,
                                     .committed = 5,
                                     .begun = 5,
                                     .cells = &cell,
                                     .open = "not to be told"}};
  char *text = advice_of(levels, put_text);
  CHECK(strstr(text, "undecided  READ COMMITTED: memory ran out\n"));
  CHECK(!strstr(text, "not to be told"));
  free(text);
  levels[0].trouble = "it ended in errors";
  text = advice_of(levels, put_text);
  CHECK(strstr(text, "undecided  READ COMMITTED: it ended in errors\n"));
  free(text);
  text = advice_of(levels, page_put_advised);
  CHECK(
      strstr(text, ">not decided</th><td data-l=\"READ COMMITTED\">it ended"));
  CHECK(!strstr(text, "not to be told"));
  free(text);
}

int main(void) { return TAP_RUN({"undecided levels", undecided_levels}); }
