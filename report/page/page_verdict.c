// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict on a page (report/page/sections.h).
#include "config.h"

#include "report/page/sections.h"

#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/question_members.h"
#include "report/report.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"

#include <inttypes.h>
#include <string.h>

// Anomalies, unless the head of the page has told of the only one.
static void put_proof_found(FILE *out, const struct json_value *verdict,
                            bool told) {
  const struct json_value *found = json_member(verdict, KEY(found));
  if (!found || !found->first || (told && !found->first->next))
    return;
  page_table(out, "Anomalies in this history", "anomaly|#found");
  for (const struct json_value *f = found->first; f; f = f->next) {
    page_start_row(out, f->name);
    page_number(out, json_whole(found, f->name, 0));
    fputs("</tr>\n", out);
  }
  page_end_table(out);
  if (json_is_true(verdict, KEY(found_more)))
    fputs("<p>The search was cut short: there may be more.</p>\n", out);
}

static void put_suspicion(FILE *out, const struct json_value *verdict) {
  const char *suspicion = json_text(verdict, KEY(suspicion), NULL);
  if (!suspicion)
    return;
  fputs("<p><strong>", out);
  put_markup(out, suspicion);
  fputs("</strong></p>\n", out);
}

static void put_proof_replay(FILE *out, const struct json_value *verdict) {
  fputs("<p>isostress found an order of all ", out);
  quantity_put_grouped(out, json_whole(verdict, KEY(commit_order), 0));
  fputs(json_is_true(verdict, KEY(one_program))
            ? " transactions by trying all orders. No separate code replayed "
              "it"
            : " transactions. Separate code, which shares with the search "
              "only how options are read and parts are cut out, replayed that "
              "order: every read returned what the order "
              "says it must",
        out);
}

// The part of a history with rows was argued about, tried, or refuted case by
// case.
static void put_proof_refutation(FILE *out, const struct json_value *verdict) {
  const uint64_t cases = json_whole(verdict, KEY(cases), 0);
  const uint64_t steps = json_whole(verdict, KEY(argument_steps), 0);
  const bool one = json_is_true(verdict, KEY(one_program));
  if (steps) {
    fprintf(out,
            "<p>An argument of %" PRIu64
            " steps refutes this part of the history. Separate code, which "
            "shares with the search only how options are read and parts are "
            "cut out, checked each step against the recorded history",
            steps);
    return;
  }
  if (cases)
    fprintf(out,
            "<p>%s refuted this part of the history case by case (%" PRIu64
            " case%s)",
            one ? "One program" : "isostress", cases, cases == 1 ? "" : "s");
  else
    fprintf(out,
            "<p>%s tried all commit orders of this part of the history, and "
            "none keeps the level",
            one ? "One program" : "isostress");
  fputs(one ? ". No separate code checked it"
            : ". Separate code, which shares with that "
              "only how options are read and parts are cut out, finds that the "
              "part breaks the level, too",
        out);
}

// How the verdict was proved.  A run's page tells above why it has none.
static void put_proof(FILE *out, const struct json_value *verdict, bool run) {
  const char *word = json_text(verdict, KEY(verdict), "");
  const double seconds = json_real(verdict, KEY(seconds), 0);
  if (!strcmp(word, "pass")) {
    put_proof_replay(out, verdict);
    fprintf(out, " (%.2f s).</p>\n", seconds);
  } else if (!strcmp(word, "violation") && json_member(verdict, KEY(cases))) {
    put_proof_refutation(out, verdict);
    fprintf(out, " (%.2f s).</p>\n", seconds);
    if (json_is_true(verdict, KEY(insert_reads)))
      fputs("<p>" REPORT_INSERT_READS "</p>\n", out);
  } else if (!strcmp(word, "violation")) {
    fprintf(out,
            "<p>Separate code, which shares with the search only how options "
            "are read and parts are cut out, derived every step above again "
            "from the recorded history (%.2f s).</p>\n",
            seconds);
  } else if (!run) {
    fputs("<p>Why: ", out);
    put_markup(out, json_text(verdict, KEY(why), "it was not said"));
    fprintf(out, " (%.2f s).</p>\n", seconds);
  } else {
    fprintf(out, "<p>Nothing was proved in %.2f s.</p>\n", seconds);
  }
}

// Tells of values that were written to a key more than once.
static void put_duplicates(FILE *out, const struct json_value *verdict) {
  const uint64_t reads = json_whole(verdict, KEY(duplicate_reads), 0);
  if (!reads)
    return;
  if (!strcmp(json_text(verdict, KEY(verdict), ""), "pass"))
    fprintf(out,
            "<p>The proof says which write each of %" PRIu64
            " reads of values that were written more than once saw.</p>\n",
            reads);
  else
    fprintf(out,
            "<p>Values were written more than once. The counterexample holds "
            "for one way to take %" PRIu64 " reads of such values; every other "
            "way is refuted as well, by an argument of %" PRIu64
            " steps or by what the transactions and the times say "
            "themselves.</p>\n",
            reads, json_whole(verdict, KEY(other_ways_steps), 0));
}

// A level above the claimed one, which is not broken.
static void put_proof_beyond(FILE *out, const struct stored *s) {
  const struct json_value *beyond = json_member(s->document, KEY(beyond));
  if (!beyond || !s->nexamples || json_member(s->document, KEY(own_scripts)))
    return;
  fputs("<p>Beyond that, ", out);
  put_markup(out, json_text(beyond, KEY(title), "?"));
  fputs(" was broken by ", out);
  put_markup(out, s->examples[0].anomaly);
  fputs("; the counterexample below is of that.</p>\n", out);
}

static void put_proof_warnings(FILE *out, const struct json_value *document) {
  const struct json_value *w = json_first(document, KEY(warnings));
  for (; w; w = w->next) {
    fputs("<p class=\"note\"><strong>Warning:</strong> ", out);
    put_markup(out, w->text ? w->text : "");
    fputs("</p>\n", out);
  }
}

// A run's page has the other figures of the history among those of the run.
static void put_proof_history(FILE *out, const struct json_value *history,
                              bool run) {
  const char *salvage = json_text(history, KEY(salvage), NULL);
  fputs("<p>The history has ", out);
  quantity_put_grouped(out, json_whole(history, KEY(operations), 0));
  fputs(" operations that count on ", out);
  quantity_put_grouped(out, json_whole(history, KEY(keys), 0));
  fputs(" keys", out);
  if (!run)
    fprintf(out,
            " in %" PRIu64 " committed, %" PRIu64 " aborted and %" PRIu64
            " unknown transactions in %" PRIu64 " sessions",
            json_whole(history, KEY(committed), 0),
            json_whole(history, KEY(aborted), 0),
            json_whole(history, KEY(unknown), 0),
            json_whole(history, KEY(sessions), 0));
  fputs(".", out);
  if (salvage) {
    fputs(" Part of the history is lost: ", out);
    put_markup(out, salvage);
  }
  fputs("</p>\n", out);
}

// Why nothing was checked, where no run's page says so above.
static void put_unchecked(FILE *out, const struct json_value *document) {
  const struct json_value *run = json_member(document, KEY(run));
  fputs(strcmp(json_text(run, KEY(claimed), ""), "none")
            ? "<p>No history was checked.</p>\n"
            : "<p>Nothing was checked: the level that was asked for promises "
              "nothing that could be. <code>--check=auto</code> tells the "
              "strongest level kept, <code>--check=LEVEL</code> asks about "
              "one.</p>\n",
        out);
}

static void put_proof_unmet(FILE *out, const struct json_value *document) {
  const struct json_value *r =
      json_first(json_member(document, KEY(run)), KEY(requirements));
  for (; r; r = r->next) {
    if (json_is_true(r, KEY(met)))
      continue;
    fputs("<p class=\"note\"><strong>A requirement is not met:</strong> <code>",
          out);
    put_markup(out, json_text(r, KEY(required), "?"));
    fputs("</code> was required, and it is ", out);
    put_markup(out, json_text(r, KEY(measured), "?"));
    fputs(".</p>\n", out);
  }
}

void page_put_notices(FILE *out, const struct stored *s) {
  put_proof_unmet(out, s->document);
  const char *trouble = json_text(s->document, KEY(trouble), NULL);
  if (trouble) {
    fputs("<p class=\"note\"><strong>Trouble:</strong> ", out);
    put_markup(out, trouble);
    fputs("</p>\n", out);
  }
  put_proof_warnings(out, s->document);
  put_proof_beyond(out, s);
  put_suspicion(out, stored_broken(s));
}

static void put_proof_question(FILE *out, const struct json_value *verdict,
                               bool of_rows) {
  struct question question = question_of_members(verdict);
  if (!of_rows)
    question_forget_rows(&question);
  fputs(" --level=", out);
  put_markup(out, json_text(verdict, KEY(level), "?"));
  question_put_options(out, &question);
}

// How to have the proof checked once more, or found without a limit.
static void put_proof_check(FILE *out, const struct stored *s,
                            const struct json_value *verdict) {
  const char *history =
      json_text(json_member(s->document, KEY(history)), KEY(path), NULL);
  const bool decided =
      strcmp(json_text(verdict, KEY(verdict), ""), "undecided");
  if (!history ||
      (!decided && !report_hit_limit(json_text(verdict, KEY(why), ""))))
    return;
  fputs(decided ? "<p>Check it yourself, from what was recorded:</p>\n"
                : "<p>Check it again, without a limit of time and "
                  "memory:</p>\n",
        out);
  page_start_command(out);
  fputs("isostress check", out);
  put_proof_question(out, verdict, true);
  if (decided)
    fputs(" --witness=proof", out);
  fputc(' ', out);
  page_shell_word(out, history);
  if (decided) {
    fputs("; isostress verify ", out);
    page_shell_word(out, history);
    fputs(" proof", out);
  }
  page_end_command(out);
}

void page_put_question(FILE *out, const struct json_value *verdict) {
  put_proof_question(out, verdict, false);
}

void page_put_proof(FILE *out, const struct stored *s, bool told) {
  const struct json_value *verdict = json_member(s->document, KEY(verdict));
  const bool run = json_member(s->document, KEY(run));
  page_section(out, "sure", "How sure is this?");
  if (verdict) {
    put_proof(out, verdict, run);
    put_proof_history(out, json_member(s->document, KEY(history)), run);
    put_duplicates(out, verdict);
    page_put_auto_level(out, s->document);
    put_proof_found(out, stored_broken(s), told);
    put_proof_check(out, s, verdict);
  } else {
    put_unchecked(out, s->document);
  }
  fputs("</section>\n", out);
}
