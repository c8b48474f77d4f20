// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a run in a page (report/page.h).
#include "config.h"

#include "report/page.h"

#include "base/utf8.h"
#include "report/keys.h"
#include "report/quantity.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

// NULL: there was no aim, or nothing was found with it.
static void put_aim(FILE *out, const struct json_value *aim) {
  char text[160];
  if (!aim)
    return;
  snprintf(text, sizeof text,
           "first violation after %" PRIu64 " committed transactions",
           json_whole(aim, KEY(committed), 0));
  page_row(out, "with the aim", text);
  snprintf(text, sizeof text,
           json_is_true(aim, KEY(baseline_found)) ? "after %" PRIu64
                                                  : "none in %" PRIu64,
           json_whole(aim, KEY(baseline_committed), 0));
  page_row(out, "without it, in a run of its own", text);
}

static void put_duration(FILE *out, const struct json_value *run) {
  char text[64];
  const double planned = json_real(run, KEY(planned_ns), 0) / 1e9;
  const double elapsed = json_real(run, KEY(elapsed_ns), 0) / 1e9;
  if (planned > 0 && !strcmp(json_text(run, KEY(end), ""), "stopped"))
    snprintf(text, sizeof text, "%.1f s of the %.1f s asked for", elapsed,
             planned);
  else
    snprintf(text, sizeof text, "%.1f s", elapsed);
  page_row(out, "duration", text);
}

static void put_run(FILE *out, const struct json_value *run) {
  enum isolation claimed;
  char text[64];
  const time_t started =
      (time_t)(json_whole(run, KEY(started_ns), 0) / 1000000000);
  struct tm utc;
  page_section(out, "run", "What was run");
  page_table(out, "The run", NULL);
  page_row(out, "database", json_text(run, KEY(server), ""));
  page_row(out, "target", json_text(run, KEY(target), ""));
  page_row(out, "workload", json_text(run, KEY(workload), ""));
  page_row(out, "isolation level", json_text(run, KEY(level), ""));
  if (isolation_parse(json_text(run, KEY(claimed), ""), &claimed))
    page_row(out, "which promises", isolation_title(claimed));
  snprintf(text, sizeof text, "%" PRIu64, json_whole(run, KEY(clients), 0));
  page_row(out, "sessions", text);
  if (gmtime_r(&started, &utc) &&
      strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc))
    page_row(out, "started", text);
  put_duration(out, run);
  page_row(out, "ended", json_text(run, KEY(end), ""));
  put_aim(out, json_member(run, KEY(aim)));
  page_end_table(out);
  fputs("</section>\n", out);
}

static void put_causes(FILE *out, const struct json_value *run) {
  if (!json_first(run, KEY(causes)))
    return;
  page_table(out, "Attempts that did not commit, by cause and code",
             "cause|code|#attempts|in the database's words");
  for (const struct json_value *c = json_first(run, KEY(causes)); c;
       c = c->next) {
    fputs("<tr>", out);
    page_cell(out, "", json_text(c, KEY(cause), ""));
    page_cell(out, "", json_text(c, KEY(code), ""));
    page_number(out, json_whole(c, KEY(count), 0));
    page_cell(out, "", json_text(c, KEY(text), ""));
    fputs("</tr>\n", out);
  }
  page_end_table(out);
}

// Which host served how much, if the target names several.
static void put_endpoints(FILE *out, const struct json_value *run) {
  static const char *const counts[] = {KEY(begun), KEY(committed), KEY(aborted),
                                       KEY(unknown)};
  if (!json_first(run, KEY(endpoints)))
    return;
  fputs("<p>Sessions were dealt out to the endpoints: ", out);
  put_markup(out, json_text(run, KEY(routing), "?"));
  fputs(".</p>\n", out);
  page_table(out, "Attempts by endpoint",
             "endpoint|#attempts|#committed|#aborted|#unknown");
  for (const struct json_value *e = json_first(run, KEY(endpoints)); e;
       e = e->next) {
    page_start_row(out, json_text(e, KEY(name), ""));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
      page_number(out, json_whole(e, counts[i], 0));
    fputs("</tr>\n", out);
  }
  page_end_table(out);
}

static void put_resolved(FILE *out, const struct json_value *run) {
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
  page_table(out, "Rates, and what they mean", NULL);
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

static void put_outcomes(FILE *out, const struct json_value *run) {
  const uint64_t begun = json_whole(run, KEY(begun), 0);
  const uint64_t aborted = json_whole(run, KEY(aborted), 0);
  const double seconds = json_real(run, KEY(measured_ns), 0) / 1e9;
  page_section(out, "outcomes", "Outcomes");
  fprintf(out,
          "<p>%" PRIu64 " attempts = %" PRIu64 " committed + %" PRIu64
          " aborted (%.2f&nbsp;%%) + %" PRIu64
          " unknown; %.0f committed transactions per second.</p>\n",
          begun, json_whole(run, KEY(committed), 0), aborted,
          quantity_percent(aborted, begun), json_whole(run, KEY(unknown), 0),
          seconds > 0 ? json_real(run, KEY(committed), 0) / seconds : 0);
  if (json_whole(run, KEY(given_up), 0))
    fprintf(out,
            "<p>%" PRIu64 " of %" PRIu64 " transactions were given up.</p>\n",
            json_whole(run, KEY(given_up), 0),
            json_whole(run, KEY(transactions), 0));
  put_resolved(out, run);
  put_rates(out, run);
  put_causes(out, run);
  put_endpoints(out, run);
  fputs("</section>\n", out);
}

static void put_latency(FILE *out, const struct json_value *run) {
  static const char *const members[] = {KEY(p50_ns), KEY(p90_ns),  KEY(p95_ns),
                                        KEY(p99_ns), KEY(p999_ns), KEY(max_ns)};
  page_table(out, "Latency of committed transactions by shape",
             "shape|#committed|#aborted|#p50|#p90|#p95|#p99|#p99.9|#max");
  for (const struct json_value *s = json_first(run, KEY(shapes)); s;
       s = s->next) {
    const struct json_value *latency = json_member(s, KEY(latency));
    if (!json_whole(s, KEY(begun), 0))
      continue;
    page_start_row(out, json_text(s, KEY(name), ""));
    page_number(out, json_whole(s, KEY(committed), 0));
    page_number(out, json_whole(s, KEY(aborted), 0));
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
      page_duration(out, json_real(latency, members[i], 0));
    fputs("</tr>\n", out);
  }
  page_end_table(out);
  fputs("<p class=\"soft\">From the ", out);
  put_markup(out, json_text(run, KEY(latency_from), "actual"));
  fputs(" start of a transaction to the end of its last attempt, retries and "
        "pauses between them included.</p>\n",
        out);
}

static void put_sessions(FILE *out, const struct json_value *run) {
  uint32_t i = 0;
  if (!json_first(run, KEY(sessions)))
    return;
  page_section(out, "sessions", "Sessions");
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
  fputs("</section>\n", out);
}

static void put_settings(FILE *out, const struct json_value *run) {
  const struct json_value *settings = json_member(run, KEY(settings));
  page_section(out, "settings", "Settings");
  page_table(out, "All settings of the run, as in its job file", NULL);
  for (const struct json_value *s = settings ? settings->first : NULL; s;
       s = s->next) {
    page_start_row(out, s->name);
    page_cell(out, "", s->type == JSON_STRING ? s->text : "");
    fputs("</tr>\n", out);
  }
  page_end_table(out);
  fputs("</section>\n", out);
}

void page_put_figures(FILE *out, const struct json_value *run) {
  put_run(out, run);
  put_outcomes(out, run);
  page_section(out, "time", "Over time");
  put_warmup(out, run);
  page_put_plots(out, run);
  fputs("</section>\n", out);
  page_section(out, "latency", "Latency");
  put_latency(out, run);
  page_put_latency_plot(out, run);
  fputs("</section>\n", out);
  put_sessions(out, run);
  put_settings(out, run);
}
