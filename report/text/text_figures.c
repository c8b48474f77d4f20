// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a run as text (report/text/blocks.h): in full, or in a line.
#include "config.h"

#include "report/rank_lines.h"
#include "report/text/blocks.h"

#include "base/histogram.h"
#include "base/marks.h"
#include "base/memory.h"
#include "report/text/text.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <stdlib.h>

static void put_duration(FILE *out, uint64_t ns) {
  const struct quantity q = quantity_duration((double)ns);
  fprintf(out, " %5s %-2s", q.number, q.unit);
}

static void put_text_of_latency(FILE *out, const char *name,
                                const struct histogram *latency) {
  static const double shares[] = {0.5, 0.9, 0.95, 0.99, 0.999};
  fprintf(out, "  %-12.12s %11" PRIu64, name, latency->count);
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
    put_duration(out, histogram_percentile(latency, shares[i]));
  put_duration(out, latency->max);
  fputc('\n', out);
}

static void put_latencies(FILE *out, const struct report *report) {
  const struct run_figures *figures = report->figures;
  fprintf(out, "latency by shape%10s%9s%9s%9s%9s%9s%9s\n", "committed", "p50",
          "p90", "p95", "p99", "p99.9", "max");
  for (uint32_t i = 0; i < figures->nshapes; i++)
    if (figures->shapes[i].latency.count)
      put_text_of_latency(out, figures->shapes[i].name,
                          &figures->shapes[i].latency);
  fprintf(out,
          "  (from the %s start of a transaction to the end of its last "
          "attempt)\n",
          report->rated ? "intended" : "actual");
}

static void put_causes(FILE *out, const struct run_figures *figures) {
  for (uint32_t i = 0; i < figures->ncodes; i++) {
    const struct code_count *code = &figures->codes[i];
    fprintf(out, "  %11" PRIu64 "  %s%s%s%s%s%s\n", code->count,
            cause_name(code->cause), code->code[0] ? " (" : "", code->code,
            code->code[0] ? ")" : "", code->text[0] ? ": " : "", code->text);
  }
}

static void put_places(FILE *out, const struct run_figures *figures) {
  enum { MOST_PLACES = 12 };
  const uint32_t n =
      figures->nplaces < MOST_PLACES ? figures->nplaces : MOST_PLACES;
  if (n)
    fputs("by place\n", out);
  for (uint32_t i = 0; i < n; i++) {
    const struct place_count *place = &figures->places[i];
    fprintf(out, "  %11" PRIu64 "  %s: %s%s%s%s%s%s\n", place->count,
            place->place, cause_name(place->cause), place->code[0] ? " (" : "",
            place->code, place->code[0] ? ")" : "", place->text[0] ? ": " : "",
            place->text);
  }
  if (n < figures->nplaces)
    fprintf(out, "               and %" PRIu32 " more, in report.json\n",
            figures->nplaces - n);
}

// "0, 2, 5-7", as far as there is room on a line.
static void put_sessions(FILE *out, const struct endpoint_figures *endpoint) {
  enum { MOST_RANGES = 12 };
  const struct session_share *shares = endpoint->sessions;
  uint32_t ranges = 0;
  for (uint32_t i = 0, end; i < endpoint->nsessions; i = end) {
    end = i + 1;
    while (end < endpoint->nsessions &&
           shares[end].session == shares[end - 1].session + 1)
      end++;
    fprintf(out, "%s%" PRIu32, i ? ", " : "", shares[i].session);
    if (end - i > 1)
      fprintf(out, "%s%" PRIu32, end - i > 2 ? "-" : ", ",
              shares[end - 1].session);
    if (++ranges == MOST_RANGES && end < endpoint->nsessions) {
      fputs("...", out);
      return;
    }
  }
}

static void put_endpoints(FILE *out, const struct report *report) {
  const struct run_figures *figures = report->figures;
  if (!figures->nendpoints)
    return;
  fprintf(out, "endpoints   %s\n", routing_name(report->routing));
  for (uint32_t i = 0; i < figures->nendpoints; i++) {
    const struct endpoint_figures *endpoint = &figures->endpoints[i];
    fprintf(out,
            "  %-21s %11" PRIu64 " = %" PRIu64 " committed + %" PRIu64
            " aborted + %" PRIu64 " unknown%s",
            endpoint->name, endpoint->begun, endpoint->committed,
            endpoint->aborted, endpoint->unknown,
            endpoint->nsessions ? ", of sessions " : "");
    put_sessions(out, endpoint);
    fputc('\n', out);
  }
}

static void put_ranks(FILE *out, const struct history *history) {
  char *line;
  for (uint32_t i = 0; history && (line = rank_line(history, i)); i++) {
    fprintf(out, "  %s\n", line);
    free(line);
  }
}

static void put_resolved(FILE *out, const struct run_figures *figures) {
  if (figures->resolved_committed || figures->resolved_aborted)
    fprintf(out,
            "resolved    of the answers that were lost: %" PRIu64
            " committed, %" PRIu64 " aborted, %" PRIu64 " still unknown\n",
            figures->resolved_committed, figures->resolved_aborted,
            figures->unknown);
}

// Tells of a run that was checked while it lasted.
static void put_notice(FILE *out, const struct report *report) {
  const struct notice_figures *notice = report->notice;
  const struct run_figures *f = report->figures;
  if (!notice)
    return;
  if (notice->seen) {
    const bool kept = report->verdict && report->verdict->kind == VERDICT_PASS;
    fprintf(out, "stopped     at a violation%s: ",
            kept ? ", which statements that came later explain" : "");
    if (notice->happened.time)
      fprintf(out, "it happened at %.3f s (%" PRIu64 " committed), was ",
              quantity_seconds(notice->happened.time),
              notice->happened.committed);
    fprintf(out,
            "noticed at %.3f s (%" PRIu64
            "), all had stopped at %.3f s (%" PRIu64 ")\n",
            quantity_seconds(notice->noticed.time), notice->noticed.committed,
            quantity_seconds(f->elapsed), f->all_committed);
  }
  if (notice->held_back >= f->elapsed / 1000)
    fprintf(out, "held back   %.1f %% of the time, for the check to keep up\n",
            quantity_percent(notice->held_back, f->elapsed));
  if (notice->undecided)
    fprintf(out,
            "unchecked   %" PRIu64 " parts until the end: to check them while "
            "it ran took too long\n",
            notice->undecided);
}

static void put_load(FILE *out, const struct report *report) {
  const struct run_figures *f = report->figures;
  if (f->server[0])
    fprintf(out, "database    %s\n", f->server);
  fprintf(out,
          "load        %" PRIu32 " sessions, workload %s, level %s, %.1f s",
          report->clients, report->workload, report->level,
          quantity_seconds(f->elapsed));
  if (f->measured < f->elapsed)
    fprintf(out, " (figures: the last %.1f s)", quantity_seconds(f->measured));
  fprintf(out,
          "\nthroughput  %" PRIu64 " committed transactions per second\n"
          "attempts    %" PRIu64 " = %" PRIu64 " committed + %" PRIu64
          " aborted (%.2f %%) + %" PRIu64 " unknown\n",
          quantity_whole_rate(f->committed, f->measured), f->begun,
          f->committed, f->aborted, quantity_percent(f->aborted, f->begun),
          f->unknown);
}

void tell_figures(FILE *out, const struct telling *t) {
  const struct report *report = t->report;
  const struct run_figures *f = report->figures;
  if (!f)
    return;
  put_load(out, report);
  put_notice(out, report);
  put_causes(out, f);
  put_places(out, f);
  put_resolved(out, f);
  put_endpoints(out, report);
  put_ranks(out, report->history);
  if (f->given_up)
    fprintf(out, "given up    %" PRIu64 " of %" PRIu64 " transactions\n",
            f->given_up, f->transactions);
  put_latencies(out, report);
}

// ---- In a line

static void put_latency_in_brief(FILE *out, const struct run_figures *f) {
  static const struct {
    const char *name;
    double share;
  } shown[] = {{"p50", 0.5}, {"p99", 0.99}};
  struct histogram *all = xcalloc(1, sizeof *all);
  for (uint32_t i = 0; i < f->nshapes; i++)
    histogram_merge(all, &f->shapes[i].latency);
  for (size_t i = 0; i < 2 && all->count; i++) {
    const struct quantity q =
        quantity_duration((double)histogram_percentile(all, shown[i].share));
    fprintf(out, "%s %s" HARD_BLANK "%s" HARD_BLANK "%s", i ? "," : ";",
            shown[i].name, q.number, q.unit);
  }
  free(all);
}

static void put_outcomes(FILE *out, const struct run_figures *f) {
  quantity_put_grouped(out, f->committed);
  fputs(" committed, ", out);
  quantity_put_grouped(out, quantity_whole_rate(f->committed, f->measured));
  fputs("/s; ", out);
  quantity_put_grouped(out, run_refused(f));
  fprintf(out, " refused (%.2f" HARD_BLANK "%%)",
          quantity_percent(run_refused(f), f->begun));
  if (f->by_cause[CAUSE_CLIENT]) {
    fputs("; ", out);
    quantity_put_grouped(out, f->by_cause[CAUSE_CLIENT]);
    fputs(" rolled back", out);
  }
  if (f->unknown) {
    fputs("; ", out);
    quantity_put_grouped(out, f->unknown);
    fputs(" unknown", out);
  }
}

void tell_run(FILE *out, const struct telling *t) {
  char *text;
  size_t bytes;
  if (!t->report->figures)
    return;
  FILE *words = text_stream(&text, &bytes);
  put_outcomes(words, t->report->figures);
  put_latency_in_brief(words, t->report->figures);
  fclose(words);
  fputc('\n', out);
  text_put_labelled(out, t, "run", text);
  free(text);
}
