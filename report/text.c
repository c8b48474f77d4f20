// SPDX-License-Identifier: GPL-3.0-or-later
// A report as text for people.
#include "config.h"

#include "report/report.h"

#include "base/memory.h"
#include "recorder/build/first_reads.h"
#include "report/auto_level.h"
#include "report/example.h"
#include "report/prospect.h"
#include "report/quantity.h"
#include "report/statements.h"
#include "report/story.h"
#include "report/title.h"
#include "report/warning.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASSUMED_READS_TOLD = 8, MANY_AT_FIRST = 3 };

static double seconds(uint64_t ns) { return (double)ns / 1e9; }

static void put_duration(FILE *out, uint64_t ns) {
  const struct quantity q = quantity_duration((double)ns);
  fprintf(out, " %5s %-2s", q.number, q.unit);
}

static void put_latency(FILE *out, const char *name,
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
      put_latency(out, figures->shapes[i].name, &figures->shapes[i].latency);
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

static void put_resolved(FILE *out, const struct run_figures *figures) {
  if (figures->resolved_committed || figures->resolved_aborted)
    fprintf(out,
            "resolved    of the answers that were lost: %" PRIu64
            " committed, %" PRIu64 " aborted, %" PRIu64 " still unknown\n",
            figures->resolved_committed, figures->resolved_aborted,
            figures->unknown);
}

// A signal is the one other reason to stop than a violation.
static void put_stop(FILE *out, const struct report *report) {
  const struct run_figures *f = report->figures;
  if (f->end != RUN_STOPPED || (report->notice && report->notice->seen))
    return;
  fprintf(out, "stopped     by a signal after %.1f s", seconds(f->elapsed));
  if (f->planned)
    fprintf(out, " of the %.1f s asked for (%.0f %%)", seconds(f->planned),
            quantity_percent(f->elapsed, f->planned));
  fputc('\n', out);
}

// Tells of a run that was checked while it lasted.
static void put_notice(FILE *out, const struct report *report) {
  const struct notice_figures *notice = report->notice;
  const struct run_figures *f = report->figures;
  if (!notice)
    return;
  if (notice->seen) {
    fputs("stopped     at a violation: ", out);
    if (notice->happened.time)
      fprintf(out, "it happened at %.3f s (%" PRIu64 " committed), was ",
              seconds(notice->happened.time), notice->happened.committed);
    fprintf(out,
            "noticed at %.3f s (%" PRIu64
            "), all had stopped at %.3f s (%" PRIu64 ")\n",
            seconds(notice->noticed.time), notice->noticed.committed,
            seconds(f->elapsed), f->all_committed);
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

void report_figures(FILE *out, const struct report *report) {
  const struct run_figures *f = report->figures;
  if (f->server[0])
    fprintf(out, "database    %s\n", f->server);
  fprintf(
      out, "load        %" PRIu32 " sessions, workload %s, level %s, %.1f s",
      report->clients, report->workload, report->level, seconds(f->elapsed));
  if (f->measured < f->elapsed)
    fprintf(out, " (figures: the last %.1f s)", seconds(f->measured));
  fprintf(out,
          "\nthroughput  %.0f committed transactions per second\n"
          "attempts    %" PRIu64 " = %" PRIu64 " committed + %" PRIu64
          " aborted (%.2f %%) + %" PRIu64 " unknown\n",
          f->measured ? (double)f->committed / seconds(f->measured) : 0.0,
          f->begun, f->committed, f->aborted,
          quantity_percent(f->aborted, f->begun), f->unknown);
  put_stop(out, report);
  put_notice(out, report);
  put_causes(out, f);
  put_resolved(out, f);
  put_endpoints(out, report);
  if (f->given_up)
    fprintf(out, "given up    %" PRIu64 " of %" PRIu64 " transactions\n",
            f->given_up, f->transactions);
  put_latencies(out, report);
}

// Ends the headline.
static void end_headline(FILE *out, const struct report *report) {
  const struct run_figures *f = report->figures;
  if (f && *f->level_in_effect)
    fprintf(out, ", but the level in effect was \"%s\", not \"%s\"",
            f->level_in_effect, f->level_asked);
  fputs(".\n", out);
}

static void put_counts(FILE *out, const struct report *report) {
  const struct verdict_counts *counts = &report->verdict->counts;
  fprintf(out,
          "  %" PRIu32 " committed, %" PRIu32 " aborted, %" PRIu32
          " unknown transactions in %" PRIu32 " sessions; %" PRIu64
          " operations count.\n",
          counts->committed, counts->aborted, counts->unknown,
          report->history->nsessions, counts->operations);
  if (counts->unknown_seen)
    fprintf(out, "  %" PRIu32 " of the unknown ones %s.\n",
            counts->unknown_seen,
            report->history->again
                ? "may have committed: what they wrote was read, of them or of "
                  "others that wrote the same"
                : "did commit: what they wrote was read");
  if (report->salvage)
    fprintf(out, "  Part of the history is lost: %s\n", report->salvage);
  if (counts->lost)
    fprintf(out,
            "  %" PRIu32 " transactions were left out: they depend on the "
            "lost part.\n",
            counts->lost);
}

// The transactions of the argument: the part's, and those without operations.
static uint32_t txns_of_argument(const struct report *report) {
  const struct verdict *verdict = report->verdict;
  const struct argument *argument = &verdict->argument;
  const uint32_t ntxns = report->history->ntxns;
  bool *met = xcalloc(ntxns, sizeof *met);
  uint32_t n = 0;
  for (uint32_t i = 0; i < verdict->npart; i++)
    met[history_txn(report->history, verdict->part[i])] = true;
  for (uint32_t s = 0; s < argument->nsteps; s++) {
    const uint32_t from = argument->steps[s].from / 2;
    const uint32_t to = argument->steps[s].to / 2;
    if (from < ntxns)
      met[from] = true;
    if (to < ntxns)
      met[to] = true;
  }
  for (uint32_t t = 0; t < ntxns; t++)
    n += met[t];
  free(met);
  return n;
}

static void put_story(FILE *out, const struct example *e) {
  char time[32];
  fprintf(out, "  What happened%s:\n",
          e->timed ? ", in the order of real time" : "");
  for (uint32_t i = 0; i < e->nstory; i++)
    if (e->timed)
      fprintf(out, "    %s: %s\n", example_time(e, e->story[i].time, time),
              e->story[i].sentence);
    else
      fprintf(out, "    %s\n", e->story[i].sentence);
}

// `taken`: it is one case of several, of which others may need the level.
static void put_example(FILE *out, const struct history *history,
                        const struct example *e, bool taken, bool minimal) {
  fprintf(out, "\n  %s: %s\n", e->anomaly, e->meaning);
  if (e->level == ISOLATION_NONE)
    fprintf(out, "  If all of these were at one level, it would break %s.\n",
            isolation_title(e->weakest));
  else if (e->weakest == e->level)
    fprintf(out, "  It breaks %s, which was checked%s.\n",
            isolation_title(e->weakest), taken ? "" : ", and no weaker level");
  else
    fprintf(out, "  It breaks %s already; what was checked is %s.\n",
            isolation_title(e->weakest), isolation_title(e->level));
  put_story(out, e);
  if (history->rows)
    statements_put_text(out, history);
  if (e->nops && minimal)
    fprintf(out, "  Without any one of these operations %s would be kept.\n",
            example_kept_without_one(e));
  fputs(e->read == EXAMPLE_NONE ? "  Why they contradict each other:\n"
                                : "  What is wrong:\n",
        out);
  for (uint32_t i = 0; i < e->ncycle; i++)
    fprintf(out, "    %" PRIu32 ". %s\n", i + 1, e->edges[i].sentence);
  if (e->ncycle)
    fprintf(out, "    %s\n", e->contradiction);
  if (e->ncycle && e->nreasons)
    fputs("  What that rests on:\n", out);
  for (uint32_t i = 0; i < e->nreasons; i++)
    fprintf(out, "    %" PRIu32 ". %s\n", e->reasons[i].number,
            e->reasons[i].sentence);
  if (!e->ncycle)
    fprintf(out, "    %s\n", e->contradiction);
}

static void put_found(FILE *out, const struct verdict *verdict) {
  const char *separator = "";
  if (!verdict->found[verdict->anomaly])
    return;
  fputs("  Found: ", out);
  for (int a = 0; a < ANOMALY_COUNT; a++)
    if (verdict->found[a]) {
      fprintf(out, "%s%" PRIu32 " %s", separator, verdict->found[a],
              anomaly_info((enum anomaly)a)->name);
      separator = ", ";
    }
  fputs(verdict->found_more ? ", and perhaps more.\n" : ".\n", out);
}

const struct verdict *report_violation(const struct verdict *verdict,
                                       uint32_t i) {
  return i == 0 ? verdict : &verdict->others[i - 1];
}

static bool saw_thin_air(const struct verdict *verdict) {
  bool seen = verdict->found[ANOMALY_THIN_AIR_READ] > 0;
  for (uint32_t i = 0; i <= verdict->nothers; i++)
    seen |= report_violation(verdict, i)->anomaly == ANOMALY_THIN_AIR_READ;
  return seen;
}

// Is that what a store looks like that held something before?
static bool starts_in_the_middle(const struct history *history) {
  const struct unwritten unwritten = history_unwritten(history);
  return unwritten.at_first >= MANY_AT_FIRST &&
         unwritten.at_first >= unwritten.reads / 2;
}

// A value that no session wrote is what a second writer looks like, too.
const char *report_suspicion(const struct report *report) {
  const struct verdict *verdict = report->verdict;
  if (!verdict || verdict->kind != VERDICT_VIOLATION || !saw_thin_air(verdict))
    return NULL;
  if (!report->figures)
    return starts_in_the_middle(report->history)
               ? "Most values that nobody wrote were there when their keys "
                 "were first read. If the store held data before the history "
                 "began, check it with --init=first-read."
               : NULL;
  return "No session of this run wrote what was read: another program "
         "may be writing to these tables. Make sure that none does, and "
         "run again.";
}

static void put_order(FILE *out, const struct report *report) {
  if (report->verdict->tried) {
    fprintf(out,
            "  Proof: a commit order of %" PRIu32
            " transactions, found by trying all (%.2f s).\n",
            report->verdict->norder, report->check_seconds);
    return;
  }
  fprintf(out,
          "  Proof: %s of %" PRIu32 " transactions, replayed by separate code "
          "(%.2f s).\n",
          report->verdict->snapshot ? "a commit order with snapshots"
                                    : "a commit order",
          report->verdict->norder, report->check_seconds);
}

// The operation that a place is, or that read the list which the place is in.
static uint32_t reading_operation(const struct history *h, uint32_t place) {
  if (place < h->nops)
    return place;
  for (uint32_t op = 0; op < h->nops; op++)
    if (h->kind[op] == OP_READ_LIST &&
        place - h->nops < history_list_end(h, h->saw[op]) &&
        place - h->nops >= h->list[h->saw[op]].first)
      return op;
  return UINT32_MAX;
}

static void put_assumed_read(FILE *out, const struct history *h,
                             const struct assumed_read *assumed_read) {
  char reader[32], writer[32], key[24], value[24];
  const uint32_t op = reading_operation(h, assumed_read->place);
  if (op == UINT32_MAX)
    return;
  fprintf(out, "    what %s read of key %s ",
          story_txn(h, history_txn(h, op), reader),
          history_key(h, h->key[op], key));
  if (assumed_read->writer == SAW_INITIAL)
    fputs("was the initial value;\n", out);
  else
    fprintf(out, "was the %s that %s wrote;\n",
            history_value(h, history_op_value(h, assumed_read->writer), value),
            story_txn(h, history_txn(h, assumed_read->writer), writer));
}

// Tells which writes the reads are taken to have seen, where values were
// written more than once.
static void put_assumed_reads(FILE *out, const struct report *report) {
  const struct verdict *verdict = report->verdict;
  if (!verdict->nassumed_reads)
    return;
  if (verdict->kind == VERDICT_PASS) {
    fprintf(out,
            "  The proof says which write each of %" PRIu32
            " reads of values that were written more than once saw.\n",
            verdict->nassumed_reads);
    return;
  }
  fputs("  Values were written more than once; what is told here holds if\n",
        out);
  for (uint32_t i = 0; i < verdict->nassumed_reads && i < ASSUMED_READS_TOLD;
       i++)
    put_assumed_read(out, report->history, &verdict->assumed_reads[i]);
  if (verdict->nassumed_reads > ASSUMED_READS_TOLD)
    fprintf(out, "    and of %" PRIu32 " more reads.\n",
            verdict->nassumed_reads - ASSUMED_READS_TOLD);
  if (verdict->ncases)
    fprintf(
        out,
        "  Every other way to take the reads is refuted as well, by %" PRIu32
        " further case%s, checked like this one.\n",
        verdict->ncases, verdict->ncases == 1 ? "" : "s");
  else
    fputs("  Every other write of these values is ruled out by its own "
          "transaction, the reader's, or the times.\n",
          out);
}

static void put_pass(FILE *out, const struct report *report) {
  char title[TITLE_ROOM];
  fprintf(out, "PASS: %s was kept", title_of(report->verdict, title));
  end_headline(out, report);
  put_counts(out, report);
  put_order(out, report);
  put_assumed_reads(out, report);
  prospects_put_text(out, report);
}

static void put_refutation(FILE *out, const struct report *report) {
  const struct verdict *verdict = report->verdict;
  if (verdict->tried)
    fprintf(out,
            "  Proof: all commit orders were tried, with all versions of the "
            "rows that statements did not return (%.2f s).\n",
            report->check_seconds);
  else if (verdict->nedges)
    fprintf(out,
            "  Proof: a cycle of %" PRIu32 " transactions, each step checked "
            "against the history by separate code (%.2f s).\n",
            verdict->nedges, report->check_seconds);
  else if (verdict_by_argument(verdict))
    fprintf(out,
            "  Proof: an argument of %" PRIu32 " steps about %" PRIu32
            " transactions, each step checked by separate code (%.2f s).\n",
            verdict->argument.nsteps, txns_of_argument(report),
            report->check_seconds);
  else
    fprintf(out,
            "  Proof: one read, checked against the history by separate code "
            "(%.2f s).\n",
            report->check_seconds);
}

static void put_broken(FILE *out, const struct report *report,
                       const char *word) {
  const struct verdict *verdict = report->verdict;
  const struct anomaly_info *info = anomaly_info(verdict->anomaly);
  char title[TITLE_ROOM];
  fprintf(out, "%s: %s was broken by %s%s%s%s", word, title_of(verdict, title),
          info->name, info->also[0] ? " (" : "", info->also,
          info->also[0] ? ")" : "");
  end_headline(out, report);
  put_counts(out, report);
  put_refutation(out, report);
  put_assumed_reads(out, report);
  put_found(out, verdict);
  const char *suspicion = report_suspicion(report);
  if (suspicion)
    fprintf(out, "  %s\n", suspicion);
  for (uint32_t i = 0; i <= verdict->nothers; i++) {
    struct example example;
    example_of_verdict(&example, report->history, report_violation(verdict, i));
    put_example(out, report->history, &example, verdict->nassumed_reads > 0,
                !verdict->tried);
    example_free(&example);
  }
}

static void put_violation(FILE *out, const struct report *report) {
  put_broken(out, report, "VIOLATION");
}

// A level above the claimed one, which is not broken.
static void put_beyond(FILE *out, const struct report *report) {
  struct report beyond = *report;
  beyond.verdict = report->beyond;
  put_broken(out, &beyond, "BEYOND THAT");
}

static void put_warnings(FILE *out, const struct report *report) {
  struct arena arena = {0};
  const char *const *warnings = warnings_of(report, &arena);
  for (uint32_t i = 0; warnings[i]; i++)
    fprintf(out, "  WARNING: %s\n", warnings[i]);
  arena_free(&arena);
}

void report_proved(FILE *out, const struct report *report) {
  const struct verdict *verdict = report->verdict;
  const bool kept = verdict->kind == VERDICT_PASS;
  char title[TITLE_ROOM];
  fprintf(out, "%s proved: %s was %s.\n", kept ? "PASS" : "VIOLATION",
          title_of(verdict, title), kept ? "kept" : "broken");
  put_counts(out, report);
  if (kept)
    put_order(out, report);
  else
    put_refutation(out, report);
  put_assumed_reads(out, report);
}

static void put_undecided(FILE *out, const struct report *report) {
  char title[TITLE_ROOM];
  fprintf(out, "UNDECIDED: whether %s was kept",
          title_of(report->verdict, title));
  end_headline(out, report);
  fprintf(out, "  Why: %s (%.2f s).\n", report->verdict->why,
          report->check_seconds);
  put_counts(out, report);
}

const char *report_verdict_word(const struct verdict *verdict) {
  static const char *const words[] = {[VERDICT_PASS] = "pass",
                                      [VERDICT_VIOLATION] = "violation",
                                      [VERDICT_UNDECIDED] = "undecided"};
  return words[verdict->kind];
}

void report_verdict(FILE *out, const struct report *report) {
  static void (*const put[])(FILE *, const struct report *) = {
      [VERDICT_PASS] = put_pass,
      [VERDICT_VIOLATION] = put_violation,
      [VERDICT_UNDECIDED] = put_undecided};
  put[report->verdict->kind](out, report);
  put_warnings(out, report);
}

static void put_aim(FILE *out, const struct aim_figures *aim) {
  const double times = (double)aim->unaided_committed / (double)aim->committed;
  fprintf(out,
          "AIM: with the aim at %s the first violation came after %" PRIu64
          " committed transactions (%.2f s);\n  without it, in a run of its "
          "own, %s %" PRIu64 " (%.2f s): ",
          aim->anomaly, aim->committed, seconds(aim->time),
          aim->unaided_found ? "after" : "there was none in",
          aim->unaided_committed, seconds(aim->unaided_time));
  if (times > 1)
    fprintf(out, "%s%.1f times as soon.\n",
            aim->unaided_found ? "" : "more than ", times);
  else
    fprintf(out, "%s.\n",
            aim->unaided_found ? "no sooner" : "too few to compare");
}

void report_text(FILE *out, const struct report *report) {
  if (report->figures) {
    report_figures(out, report);
    fputc('\n', out);
  }
  if (report->verdict)
    report_verdict(out, report);
  else if (report->figures && report->claimed == ISOLATION_NONE)
    fprintf(out,
            "NOT CHECKED: the level \"%s\" promises nothing that could be "
            "checked.\n  Ask for a level with --check=LEVEL.\n",
            report->level);
  else
    fputs("NOT CHECKED.\n", out);
  if (report->auto_level)
    auto_level_put_text(out, report);
  if (report->beyond)
    put_beyond(out, report);
  if (report->aim)
    put_aim(out, report->aim);
  if (report->trouble)
    fprintf(out, "TROUBLE: %s\n", report->trouble);
  if (report->directory)
    fprintf(out, "results: %s\n", report->directory);
}
