// SPDX-License-Identifier: GPL-3.0-or-later
// The proof of a verdict as text: what was counted, what it rests on, and which
// writes its reads are taken to have seen (report/text/text.h).
#include "config.h"

#include "report/rank_lines.h"
#include "report/text/text.h"

#include "base/memory.h"
#include "report/report.h"
#include "report/tale/names.h"
#include "report/words/title.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ASSUMED_READS_TOLD = 8 };

static void put_counts(FILE *out, const struct report *report) {
  const struct verdict_counts *counts = &report->verdict->counts;
  fprintf(out,
          "  %" PRIu32 " committed, %" PRIu32 " aborted, %" PRIu32
          " unknown transactions in %" PRIu32 " sessions; %" PRIu64
          " operations count.\n",
          counts->committed, counts->aborted, counts->unknown,
          report->history->nsessions, counts->operations);
  if (counts->unknown_seen)
    fprintf(out, "  %" PRIu32 " of the unknown transactions %s.\n",
            counts->unknown_seen,
            report->history->again
                ? "may have committed: reads saw values that they, or others "
                  "as well, wrote"
                : "did commit: what they wrote was read");
  char *clocks = report->history ? rank_clocks_line(report->history) : NULL;
  if (clocks)
    fprintf(out, "  Of several clocks: %s.\n", clocks);
  free(clocks);
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

static void put_order(FILE *out, const struct report *report) {
  if (report->verdict->tried) {
    fprintf(out,
            "  Proof: a commit order of %" PRIu32
            " transactions, found by trying all; no separate code replayed it "
            "(%.2f s).\n",
            report->verdict->norder, report->check_seconds);
    return;
  }
  fprintf(out,
          "  Proof: %s of %" PRIu32
          " transactions, each read checked against it "
          "by separate code (%.2f s).\n",
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
  char reader[NAME_ROOM], writer[NAME_ROOM], key[24], value[24];
  const uint32_t op = reading_operation(h, assumed_read->place);
  if (op == UINT32_MAX)
    return;
  fprintf(out, "    what %s read of key %s ",
          names_raw_txn(h, history_txn(h, op), reader),
          history_key(h, h->key[op], key));
  if (assumed_read->writer == SAW_INITIAL)
    fputs("was the initial value;\n", out);
  else
    fprintf(out, "was the %s that %s wrote;\n",
            history_value(h, history_op_value(h, assumed_read->writer), value),
            names_raw_txn(h, history_txn(h, assumed_read->writer), writer));
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
  fputs("  Some values were written more than once; the counterexample holds "
        "if\n",
        out);
  for (uint32_t i = 0; i < verdict->nassumed_reads && i < ASSUMED_READS_TOLD;
       i++)
    put_assumed_read(out, report->history, &verdict->assumed_reads[i]);
  if (verdict->nassumed_reads > ASSUMED_READS_TOLD)
    fprintf(out, "    and of %" PRIu32 " more reads.\n",
            verdict->nassumed_reads - ASSUMED_READS_TOLD);
  if (verdict->ways.nsteps)
    fprintf(out,
            "  Every other way to take the reads is refuted as well, by an "
            "argument of %" PRIu32 " steps, checked like this one.\n",
            verdict->ways.nsteps);
  else
    fputs("  Every other write of these values is ruled out by its own "
          "transaction, the reader's, or the times.\n",
          out);
}

static const char *and_versions(const struct verdict *verdict) {
  return verdict->question.by_items
             ? ""
             : ", with all versions of the rows that statements did not return";
}

static void put_refutation(FILE *out, const struct report *report) {
  const struct verdict *verdict = report->verdict;
  if (verdict->ncases_refuted)
    fprintf(out,
            "  Proof: of a part of %" PRIu32 " transactions and %" PRIu32
            " row%s, what must come before what is a contradiction in each of "
            "%" PRIu32 " case%s (%.2f s).\n",
            verdict->rows_part->ntxns, verdict->rows_part->nkeys,
            verdict->rows_part->nkeys == 1 ? "" : "s", verdict->ncases_refuted,
            verdict->ncases_refuted == 1 ? "" : "s", report->check_seconds);
  else if (verdict->rows_part && verdict->argument.nsteps)
    fprintf(out,
            "  Proof: an argument of %" PRIu32 " steps about a part of %" PRIu32
            " transactions and %" PRIu32
            " row%s, each step checked by separate code (%.2f s).\n",
            verdict->argument.nsteps, verdict->rows_part->ntxns,
            verdict->rows_part->nkeys,
            verdict->rows_part->nkeys == 1 ? "" : "s", report->check_seconds);
  else if (verdict->rows_part)
    fprintf(out,
            "  Proof: of a part of %" PRIu32 " transactions and %" PRIu32
            " row%s all commit orders were tried%s (%.2f s).\n",
            verdict->rows_part->ntxns, verdict->rows_part->nkeys,
            verdict->rows_part->nkeys == 1 ? "" : "s", and_versions(verdict),
            report->check_seconds);
  else if (verdict->tried)
    fprintf(out, "  Proof: all commit orders were tried%s (%.2f s).\n",
            and_versions(verdict), report->check_seconds);
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

void text_put_proof(FILE *out, const struct report *report) {
  if (report->verdict->kind == VERDICT_UNDECIDED)
    fprintf(out, "  Why: %s (%.2f s).\n", report->verdict->why,
            report->check_seconds);
  put_counts(out, report);
  if (report->verdict->kind == VERDICT_UNDECIDED)
    return;
  if (report->verdict->kind == VERDICT_PASS)
    put_order(out, report);
  else
    put_refutation(out, report);
  if (report->verdict->kind == VERDICT_VIOLATION &&
      report->verdict->one_program)
    fprintf(out, "  %s\n", report_one_program(report->verdict));
  if (report_insert_reads(report->verdict))
    fputs("  " REPORT_INSERT_READS "\n", out);
  put_assumed_reads(out, report);
}

void report_proved(FILE *out, const struct report *report) {
  const struct verdict *verdict = report->verdict;
  const bool kept = verdict->kind == VERDICT_PASS;
  char title[TITLE_ROOM];
  fprintf(out, "%s proved: %s was %s.\n", kept ? "PASS" : "VIOLATION",
          title_of(verdict, title), kept ? "kept" : "broken");
  text_put_proof(out, report);
}
