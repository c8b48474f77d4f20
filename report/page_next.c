// SPDX-License-Identifier: GPL-3.0-or-later
// Stronger tries after a run that kept its level (report/page.h), as commands:
// first for the anomaly that had the fewest chances, then in general.
#include "config.h"

#include "report/page.h"

#include "base/utf8.h"
#include "report/keys.h"

#include <string.h>

// Shapes of the workload mt that bring chances of an anomaly.
static const struct {
  const char *anomaly, *shares;
} shapes[] = {
    {"LostUpdate", "rmw1:1"},
    {"WriteSkew", "r2w1:1"},
    {"FracturedRead", "ro:1,rmw2:1"},
    {"LongFork", "ro:1,rmw1:1"},
    {"NonMonotonicRead", "ro:1,rmw2:1"},
    {"NonRepeatableReads", "reread:1,rmw1:1"},
    {"IntermediateRead", "rewrite:1,ro:1"},
    {"AbortedRead", "rmw1:1,ro:1"},
    {"CausalityViolation", "ro:1,rmw1:1,r2w1:1"},
    {"NotMyOwnWrite", "readback:1"},
    {"NotMyLastWrite", "readback:1"},
};

static const struct next {
  const char *options; // before the level
  const char *why;
  bool keys; // only with a workload of keys and values
} always[] = {
    {"-T 10m -w general --ops=15",
     "Longer transactions with blind writes: other paths through the locks.",
     true},
    {"-T 1h --stop-on-violation",
     "An hour, checked while it runs, and stopped at the first violation.",
     false},
};

static void put_run(FILE *out, const struct json_value *run,
                    const char *options, const char *shares) {
  page_start_command(out);
  fprintf(out, "isostress run %s%s%s -i ", options, shares ? " --shares=" : "",
          shares ? shares : "");
  page_shell_word(out, json_text(run, KEY(level), "?"));
  fputc(' ', out);
  page_shell_word(out, json_text(run, KEY(target), "?"));
  page_end_command(out);
}

static void put_why(FILE *out, const char *why) {
  fprintf(out, "<p class=\"why soft\">%s</p>\n", why);
}

static const struct json_value *fewest(const struct json_value *document) {
  const struct json_value *best = NULL;
  const struct json_value *r =
      json_first(json_member(document, KEY(chances)), KEY(anomalies));
  for (; r; r = r->next)
    if (!best || json_whole(r, KEY(count), 0) < json_whole(best, KEY(count), 0))
      best = r;
  return best;
}

static const char *shares_for(const char *anomaly) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (!strcmp(shapes[i].anomaly, anomaly))
      return shapes[i].shares;
  return NULL;
}

// For the anomaly with the fewest chances, if a shape brings more of them.
static void put_for_fewest(FILE *out, const struct json_value *run,
                           const struct json_value *row) {
  const char *anomaly = json_text(row, KEY(anomaly), "");
  const char *shares = row ? shares_for(anomaly) : NULL;
  if (!shares)
    return;
  fputs("<p>This run says least about <b>", out);
  put_markup(out, anomaly);
  fputs("</b>: it had the fewest chances.</p>\n", out);
  put_run(out, run, "-k 5 -w mt", shares);
  put_why(out, "Only transactions that bring chances of this anomaly, on five "
               "keys.");
}

void page_put_next(FILE *out, const struct json_value *document) {
  const struct json_value *run = json_member(document, KEY(run));
  const bool keys = strcmp(json_text(run, KEY(workload), ""), "predicate") != 0;
  page_section(out, "next", "A stronger try");
  if (keys)
    put_for_fewest(out, run, fewest(document));
  for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
    if (always[i].keys && !keys)
      continue;
    put_run(out, run, always[i].options, NULL);
    put_why(out, always[i].why);
  }
  page_start_command(out);
  fputs("isostress scorecard ", out);
  page_shell_word(out, json_text(run, KEY(target), "?"));
  page_end_command(out);
  put_why(out, "Every level of the database, step by step and under load.");
  if (strstr(json_text(run, KEY(target), ""), "***"))
    fputs("<p class=\"soft\">Write the password in the place of "
          "<code>***</code>.</p>\n",
          out);
  fputs("</section>\n", out);
}
