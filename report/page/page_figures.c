// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a run in a page (report/page/sections.h).
#include "config.h"

#include "report/page/sections.h"

#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <string.h>

static void put_figures_causes(FILE *out, const struct json_value *run) {
  if (!json_first(run, KEY(causes)))
    return;
  page_table(out, "Attempts that did not commit, by cause and code",
             "why|#attempts|code|in the database's words");
  for (const struct json_value *c = json_first(run, KEY(causes)); c;
       c = c->next) {
    page_start_row(out, json_text(c, KEY(cause), ""));
    page_number(out, json_whole(c, KEY(count), 0));
    page_cell(out, "", json_text(c, KEY(code), ""));
    page_cell(out, "", json_text(c, KEY(text), ""));
    fputs("</tr>\n", out);
  }
  page_end_table(out);
}

static void put_figures_places(FILE *out, const struct json_value *run) {
  if (!json_first(run, KEY(places)))
    return;
  page_table(out, "What failed, by statement and code",
             "statement|text|#times|why|code|in the database's words");
  for (const struct json_value *p = json_first(run, KEY(places)); p;
       p = p->next) {
    page_start_row(out, json_text(p, KEY(place), ""));
    fputs("<td><code>", out);
    put_markup(out, json_text(p, KEY(statement), ""));
    fputs("</code></td>", out);
    page_number(out, json_whole(p, KEY(count), 0));
    page_cell(out, "", json_text(p, KEY(cause), ""));
    page_cell(out, "", json_text(p, KEY(code), ""));
    page_cell(out, "", json_text(p, KEY(text), ""));
    fputs("</tr>\n", out);
  }
  page_end_table(out);
}

static void put_routing(FILE *out, const char *name) {
  static const char *const routings[][2] = {
      {"pin", "Each session stayed with one server"},
      {"hop", "Each attempt of a session went to the next server"},
      {"random", "Each attempt went to one of the servers at random"},
      {"replica-reads", "Transactions that only read went to the servers after "
                        "the first, all others to the first"}};
  const char *text = "Sessions were spread over the servers";
  for (size_t i = 0; i < sizeof routings / sizeof *routings; i++)
    if (!strcmp(routings[i][0], name))
      text = routings[i][1];
  fprintf(out, "<p>%s (<code>--endpoints=", text);
  put_markup(out, name);
  fputs("</code>).</p>\n", out);
}

// Which host served how much, if the target names several.
static void put_figures_endpoints(FILE *out, const struct json_value *run) {
  static const char *const counts[] = {KEY(begun), KEY(committed), KEY(aborted),
                                       KEY(unknown)};
  if (!json_first(run, KEY(endpoints)))
    return;
  put_routing(out, json_text(run, KEY(routing), "?"));
  page_table(out, "Attempts by server",
             "server|#attempts|#committed|#aborted|#unknown");
  for (const struct json_value *e = json_first(run, KEY(endpoints)); e;
       e = e->next) {
    page_start_row(out, json_text(e, KEY(name), ""));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
      page_number(out, json_whole(e, counts[i], 0));
    fputs("</tr>\n", out);
  }
  page_end_table(out);
}

// A line for each process that made the run, and one about their clocks.
static void put_figures_ranks(FILE *out, const struct json_value *run) {
  if (!json_first(run, KEY(ranks)))
    return;
  fputs("<ul>\n", out);
  for (const struct json_value *r = json_first(run, KEY(ranks)); r;
       r = r->next) {
    fputs("<li>", out);
    put_markup(out, r->text);
    fputs("</li>\n", out);
  }
  fputs("</ul>\n", out);
}

static void put_figures_resolved(FILE *out, const struct json_value *run) {
  const uint64_t committed = json_whole(run, KEY(resolved_committed), 0);
  const uint64_t aborted = json_whole(run, KEY(resolved_aborted), 0);
  if (committed || aborted)
    fprintf(out,
            "<p>Of the answers that were lost, %" PRIu64
            " turned out to have committed and %" PRIu64
            " to have aborted.</p>\n",
            committed, aborted);
}

static void put_rate(FILE *out, const char *name, double value, int decimals,
                     const char *unit, const char *meaning) {
  fputs("<tr><th scope=\"row\">", out);
  put_markup(out, name);
  fprintf(out, "</th><td class=\"n\">%.*f%s</td>", decimals, value, unit);
  page_cell(out, "", meaning);
  fputs("</tr>\n", out);
}

static double percent(const struct json_value *run, const char *part,
                      const char *whole) {
  return quantity_percent(json_whole(run, part, 0), json_whole(run, whole, 0));
}

// Every rate with what it is.  Reports of older versions lack what they are
// made of.
static void put_rates(FILE *out, const struct json_value *run) {
  const struct json_value *by = json_member(run, KEY(aborted_by));
  const uint64_t committed = json_whole(run, KEY(committed), 0);
  const double seconds = json_real(run, KEY(measured_ns), 0) / 1e9;
  if (!by)
    return;
  fputs("<details><summary>Rates, and what they mean</summary>\n", out);
  page_table(out, "Rates of the run", NULL);
  put_rate(out, "abort rate per attempt",
           percent(run, KEY(aborted), KEY(begun)), 2, "&nbsp;%",
           "aborted attempts of all attempts");
  put_rate(out, "abort rate per transaction",
           percent(run, KEY(given_up), KEY(transactions)), 2, "&nbsp;%",
           "transactions given up, their last attempt within max-tries having "
           "aborted, of all transactions");
  put_rate(out, "aborted by the database", json_real(by, KEY(database), 0), 0,
           "", "attempts that it refused");
  put_rate(out, "aborted by the client", json_real(by, KEY(client), 0), 0, "",
           "attempts that the workload chose to roll back");
  put_rate(out, "aborted by a lost connection",
           json_real(by, KEY(lost_connection), 0), 0, "",
           "attempts whose connection broke before commit was sent");
  put_rate(out, "retries",
           committed ? json_real(run, KEY(retries), 0) / (double)committed : 0,
           3, "",
           "attempts before the one that committed, per committed transaction");
  put_rate(out, "wasted work", percent(run, KEY(wasted_ns), KEY(attempt_ns)), 2,
           "&nbsp;%",
           "time in attempts that aborted, of the time in all attempts");
  put_rate(out, "goodput", seconds > 0 ? (double)committed / seconds : 0, 0, "",
           "committed transactions per second");
  page_end_table(out);
  fputs("</details>\n", out);
}

// Tells of the warm-up, which is left out of all figures, and where to see it.
static void put_warmup(FILE *out, const struct json_value *run) {
  const double elapsed = json_real(run, KEY(elapsed_ns), 0) / 1e9;
  const double measured = json_real(run, KEY(measured_ns), 0) / 1e9;
  if (measured < elapsed)
    fprintf(
        out,
        "<p>The first %.1f&nbsp;s were the warm-up: all rates and latencies "
        "leave it out; the verdict does not, and these curves show it.</p>\n",
        elapsed - measured);
}

// One bar of committed, refused and unknown attempts.
static void put_outcome_bar(FILE *out, const struct json_value *run) {
  static const struct {
    const char *member, *colour;
  } parts[] = {
      {KEY(committed), "good"}, {KEY(aborted), "warn"}, {KEY(unknown), "open"}};
  const double begun = json_real(run, KEY(begun), 0);
  double x = 0;
  if (begun <= 0)
    return;
  fputs("<svg class=\"outcomes\" viewBox=\"0 0 700 14\" "
        "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Committed, "
        "refused and unknown attempts\">",
        out);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    const double width = 700 * json_real(run, parts[i].member, 0) / begun;
    fprintf(out,
            "<rect x=\"%.1f\" width=\"%.1f\" height=\"14\" "
            "fill=\"var(--%s)\"/>",
            x, width, parts[i].colour);
    x += width;
  }
  fputs("</svg>\n", out);
}

static void put_share_of(FILE *out, uint64_t part, uint64_t whole) {
  const double percent = quantity_percent(part, whole);
  fprintf(out, " (%.2f&nbsp;%%)", percent);
}

static void put_given_up(FILE *out, const struct json_value *run) {
  const uint64_t given_up = json_whole(run, KEY(given_up), 0);
  if (!given_up)
    return;
  fputs("<p>", out);
  quantity_put_grouped(out, given_up);
  fputs(" of ", out);
  quantity_put_grouped(out, json_whole(run, KEY(transactions), 0));
  fputs(" transactions were given up.</p>\n", out);
}

static void put_outcomes(FILE *out, const struct json_value *run) {
  const uint64_t begun = json_whole(run, KEY(begun), 0);
  const uint64_t committed = json_whole(run, KEY(committed), 0);
  const uint64_t aborted = json_whole(run, KEY(aborted), 0);
  const uint64_t refused = json_whole(run, KEY(refused), aborted);
  const uint64_t unknown = json_whole(run, KEY(unknown), 0);
  const double seconds = json_real(run, KEY(measured_ns), 0) / 1e9;
  const double planned = json_real(run, KEY(planned_ns), 0) / 1e9;
  put_outcome_bar(out, run);
  fputs("<p><b class=\"good\">", out);
  quantity_put_grouped(out, committed);
  fputs(" committed</b> (", out);
  quantity_put_grouped(
      out,
      quantity_whole_rate(committed, json_whole(run, KEY(measured_ns), 0)));
  fputs(" per second), <b class=\"warn\">", out);
  quantity_put_grouped(out, refused);
  fputs(" refused</b>", out);
  put_share_of(out, refused, begun);
  if (aborted > refused) {
    fputs(", ", out);
    quantity_put_grouped(out, aborted - refused);
    fputs(" rolled back or ended in an error", out);
  }
  if (unknown) {
    fputs(", <b class=\"open\">", out);
    quantity_put_grouped(out, unknown);
    fputs(" with an unknown outcome</b>", out);
  }
  fputs(", of ", out);
  quantity_put_grouped(out, begun);
  fputs(" attempts by ", out);
  quantity_put_grouped(out, json_whole(run, KEY(clients), 0));
  fprintf(out, " sessions in %.1f&nbsp;s", seconds);
  if (planned > 0 && !strcmp(json_text(run, KEY(end), ""), "stopped"))
    fprintf(out, " of the %.1f&nbsp;s asked for", planned);
  fputs(".</p>\n", out);
  put_given_up(out, run);
  put_figures_resolved(out, run);
  put_figures_causes(out, run);
  put_figures_places(out, run);
  put_figures_endpoints(out, run);
  put_figures_ranks(out, run);
}

static void put_figures_sessions(FILE *out, const struct json_value *run) {
  uint32_t i = 0;
  if (!json_first(run, KEY(sessions)))
    return;
  fputs("<details><summary>Session by session</summary>\n", out);
  page_table(out, "Attempts and latency by session",
             "session|#committed|#aborted|#unknown|#p50|#p99|#max");
  for (const struct json_value *s = json_first(run, KEY(sessions)); s;
       s = s->next) {
    fprintf(out, "<tr><th scope=\"row\">%" PRIu32 "</th>", i++);
    page_number(out, json_whole(s, KEY(committed), 0));
    page_number(out, json_whole(s, KEY(aborted), 0));
    page_number(out, json_whole(s, KEY(unknown), 0));
    page_duration(out, json_real(s, KEY(p50_ns), 0));
    page_duration(out, json_real(s, KEY(p99_ns), 0));
    page_duration(out, json_real(s, KEY(max_ns), 0));
    fputs("</tr>\n", out);
  }
  page_end_table(out);
  fputs("</details>\n", out);
}

void page_put_counted(FILE *out, uint64_t history, uint64_t figures) {
  if (!figures || figures >= history)
    return;
  fputs(" The figures of the run count ", out);
  quantity_put_grouped(out, figures);
  fputs(" of them: none of the warm-up, of closing reads or of unknown "
        "outcome.",
        out);
}

void page_put_figures(FILE *out, const struct json_value *document) {
  const struct json_value *run = json_member(document, KEY(run));
  page_section(out, "run", "How the run went");
  put_outcomes(out, run);
  put_warmup(out, run);
  page_put_plots(out, run);
  page_put_lanes(out, run);
  put_rates(out, run);
  put_figures_sessions(out, run);
  fputs("</section>\n", out);
  page_put_latency(out, run);
  page_put_settings(out, document);
}
