// SPDX-License-Identifier: GPL-3.0-or-later
// Stronger tries after a run that kept its level (report/page/sections.h), as
// commands: first for an anomaly that had few chances, then in general.
#include "config.h"

#include "report/page/sections.h"

#include "base/anomaly_names.h"
#include "base/utf8.h"
#include "report/more_chances.h"
#include "report/page/blocks.h"
#include "report/prospect.h"
#include "report/words/keys.h"

#include <string.h>

// Shapes of the workload mt that bring most chances of an anomaly, on few keys.
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
    {"AbortedRead", "rmw2:1,ro:1"},
    {"CausalityViolation", "ro:1,rmw1:1,r2w1:1"},
    {"NotMyOwnWrite", "readback:1"},
    {"NotMyLastWrite", "readback:1"},
};

static void put_next_why(FILE *out, const char *why) {
  fprintf(out, "<p class=\"why soft\">%s</p>\n", why);
}

// A throw-away server, which is gone.
static bool had_own_server(const struct json_value *run) {
  const struct json_value *settings = json_member(run, KEY(settings));
  return *json_text(settings, KEY(server), "") &&
         !*json_text(settings, KEY(target), "?");
}

// A run of the same level and target.
static void put_next_run(FILE *out, const struct json_value *run,
                         const char *options, const char *option) {
  page_start_command(out);
  fprintf(out, "isostress run %s%s -i ", options, option);
  page_shell_word(out, json_text(run, KEY(level), "?"));
  if (had_own_server(run)) {
    fputs(" --server=", out);
    page_shell_word(
        out, json_text(json_member(run, KEY(settings)), KEY(server), "?"));
  }
  page_put_target(out, run);
  page_end_command(out);
}

// The options that bring chances of an anomaly; false: none are known.
static bool find_options(const struct json_value *run, const char *anomaly,
                         char options[2 * MORE_CHANCES]) {
  const char *workload = json_text(run, KEY(workload), "");
  char option[MORE_CHANCES];
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (!strcmp(workload, "mt") && !strcmp(shapes[i].anomaly, anomaly)) {
      snprintf(options, 2 * MORE_CHANCES, "-k 5 --shares=%s", shapes[i].shares);
      return true;
    }
  if (!more_chances(workload, anomaly, option))
    return false;
  snprintf(options, 2 * MORE_CHANCES, "-w %s %s", workload, option);
  return true;
}

// The anomaly with the fewest chances, among those that people ask about first
// and of which this workload has more if it is told to.
static const struct json_value *fewest(const struct json_value *document,
                                       char options[2 * MORE_CHANCES]) {
  const struct json_value *run = json_member(document, KEY(run));
  const struct json_value *best = NULL;
  const struct json_value *r =
      json_first(json_member(document, KEY(chances)), KEY(anomalies));
  for (; r; r = r->next)
    if (prospect_place(json_text(r, KEY(anomaly), "")) < PROSPECTS_FIRST &&
        find_options(run, json_text(r, KEY(anomaly), ""), options) &&
        (!best ||
         json_whole(r, KEY(count), 0) < json_whole(best, KEY(count), 0)))
      best = r;
  if (best)
    find_options(run, json_text(best, KEY(anomaly), ""), options);
  return best;
}

// Has none of the anomalies that people ask about first fewer chances?
static bool has_least(const struct json_value *document,
                      const struct json_value *row) {
  const struct json_value *r =
      json_first(json_member(document, KEY(chances)), KEY(anomalies));
  bool least = true;
  for (; r; r = r->next)
    least &=
        prospect_place(json_text(r, KEY(anomaly), "")) == PROSPECTS_FIRST ||
        json_whole(r, KEY(count), 0) >= json_whole(row, KEY(count), 0);
  return least;
}

static void put_for_fewest(FILE *out, const struct json_value *document) {
  char options[2 * MORE_CHANCES];
  const struct json_value *row = fewest(document, options);
  if (!row)
    return;
  const bool least = has_least(document, row);
  fputs(least ? "<p>This run says least about <b>"
              : "<p>A run of this workload can aim at <b>",
        out);
  put_markup(out, anomaly_plain(json_text(row, KEY(anomaly), "")));
  fputs(least ? "</b>, of the anomalies above.</p>\n" : "</b>.</p>\n", out);
  put_next_run(out, json_member(document, KEY(run)), "", options);
  put_next_why(out, "Only transactions of the shapes that this anomaly takes.");
}

void page_put_next(FILE *out, const struct json_value *document) {
  const struct json_value *run = json_member(document, KEY(run));
  page_section(out, "next", "A stronger try");
  put_for_fewest(out, document);
  page_put_run_again(out, run, "time", "10m");
  put_next_why(out, "The same load for ten minutes.");
  if (!strcmp(json_text(run, KEY(workload), ""), "mt")) {
    put_next_run(out, run, "-T 10m -w general --ops=15", "");
    put_next_why(out,
                 "Longer transactions with blind writes: other paths through "
                 "the locks.");
  }
  if (!had_own_server(run)) {
    page_start_command(out);
    fputs("isostress scorecard ", out);
    page_shell_word(out, json_text(run, KEY(target), "?"));
    page_end_command(out);
    put_next_why(out,
                 "Every level of the database, step by step and under load.");
  }
  if (strstr(json_text(run, KEY(target), ""), "***"))
    fputs("<p class=\"soft\">Write the password in the place of "
          "<code>***</code>.</p>\n",
          out);
  fputs("</section>\n", out);
}
