// SPDX-License-Identifier: GPL-3.0-or-later
// The answers of explore about the scripts of an advice
// (report/page/sections.h).
#include "config.h"

#include "report/page/sections.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "report/advised.h"
#include "report/page/blocks.h"
#include "report/words/html.h"
#include "report/words/naming.h"
#include "report/words/plain.h"

#include <inttypes.h>
#include <stdlib.h>

static void put_level_explored(FILE *out, const struct advised *a,
                               const struct advised_trial *trial) {
  const struct advised_exploration *e = &trial->explored;
  char *difference = advised_difference(a, trial);
  char *plain = difference ? plain_make(difference) : NULL;
  if (e->answer != EXPLORED_NOT) {
    page_start_row(out, naming_level(trial->level));
    page_cell(out,
              e->answer == EXPLORED_BREAKS ? "warn"
              : e->answer == EXPLORED_KEPT ? "good"
                                           : "",
              advised_explored_word(trial));
    page_cell(out, "", e->broken ? e->broken : "");
    fprintf(out,
            "<td class=\"n\">%" PRIu32 "</td><td class=\"n\">%" PRIu32 "</td>",
            e->ngroups, e->open);
    page_cell(out, "", plain ? plain : "");
    fputs("</tr>\n", out);
  }
  FREE_EACH(difference, plain);
}

void page_put_explored_scripts(FILE *out, const struct advised *a) {
  static const char columns[] =
      "level|answer|groups that break it|#groups|#not "
      "all orders|beside the run";
  if (advised_is_explored(a)) {
    page_section(out, "explore", "What explore says");
    fputs("<p>Every order of the statements of two and of three sessions, each "
          "with one script, as the level of the database allows it. No "
          "database is asked.</p>\n",
          out);
    page_table(out, "Each level, by explore", columns);
    for (uint32_t i = 0; i < a->nlevels; i++)
      put_level_explored(out, a, &a->levels[i]);
    page_end_table(out);
    for (uint32_t i = 0; a->unexplored && i < a->nscripts; i++)
      if (a->unexplored[i]) {
        fputs("<p class=\"soft\">explore does not take ", out);
        put_markup(out, a->scripts[i]);
        fputs(": ", out);
        put_markup(out, a->unexplored[i]);
        fputs("</p>\n", out);
      }
    fputs("</section>\n", out);
  }
}
