// SPDX-License-Identifier: GPL-3.0-or-later
// The verdict on a page (report/page.h).
#include "config.h"

#include "report/page.h"

#include "base/utf8.h"
#include "report/keys.h"

#include <inttypes.h>
#include <string.h>

static void put_found(FILE *out, const struct json_value *verdict) {
  const struct json_value *found = json_member(verdict, KEY(found));
  if (!found || !found->first)
    return;
  page_table(out, "Anomalies in this history", "anomaly|#found");
  for (const struct json_value *f = found->first; f; f = f->next) {
    fputs("<tr><th scope=\"row\">", out);
    put_markup(out, f->name);
    fprintf(out, "</th><td class=\"n\">%" PRIu64 "</td></tr>\n",
            json_whole(found, f->name, 0));
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

static void put_proof(FILE *out, const struct json_value *verdict,
                      double seconds) {
  const char *word = json_text(verdict, KEY(verdict), "");
  if (!strcmp(word, "pass"))
    fprintf(out,
            "<p>Proof: a commit order of %" PRIu64
            " transactions, each read checked against it by "
            "separate code",
            json_whole(verdict, KEY(commit_order), 0));
  else if (!strcmp(word, "violation"))
    fputs("<p>Proof: the counterexample below, which separate code derived "
          "again from the history",
          out);
  else {
    fputs("<p>Why: ", out);
    put_markup(out, json_text(verdict, KEY(why), "it was not said"));
  }
  fprintf(out, " (%.2f s).</p>\n", seconds);
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
            "way is refuted as well, by %" PRIu64
            " further cases or by what the transactions and the times say "
            "themselves.</p>\n",
            reads, json_whole(verdict, KEY(further_cases), 0));
}

// A level above the claimed one, which is not broken.
static void put_beyond(FILE *out, const struct stored *s) {
  const struct json_value *beyond = json_member(s->document, KEY(beyond));
  if (!beyond || !s->nexamples)
    return;
  fputs("<p>Beyond that, ", out);
  put_markup(out, json_text(beyond, KEY(title), "?"));
  fputs(" was broken by ", out);
  put_markup(out, s->examples[0].anomaly);
  fputs("; the counterexample below is of that.</p>\n", out);
}

static void put_warnings(FILE *out, const struct json_value *document) {
  const struct json_value *w = json_first(document, KEY(warnings));
  for (; w; w = w->next) {
    fputs("<p><strong>Warning: ", out);
    put_markup(out, w->text ? w->text : "");
    fputs("</strong></p>\n", out);
  }
}

static void put_history(FILE *out, const struct json_value *history) {
  fprintf(out,
          "<p>%" PRIu64 " committed, %" PRIu64 " aborted and %" PRIu64
          " unknown transactions in %" PRIu64 " sessions on %" PRIu64
          " keys; %" PRIu64 " operations count.",
          json_whole(history, KEY(committed), 0),
          json_whole(history, KEY(aborted), 0),
          json_whole(history, KEY(unknown), 0),
          json_whole(history, KEY(sessions), 0),
          json_whole(history, KEY(keys), 0),
          json_whole(history, KEY(operations), 0));
  const char *salvage = json_text(history, KEY(salvage), NULL);
  if (salvage) {
    fputs(" Part of the history is lost: ", out);
    put_markup(out, salvage);
  }
  fputs("</p>\n", out);
}

void page_put_verdict(FILE *out, const struct stored *s) {
  const struct json_value *verdict = json_member(s->document, KEY(verdict));
  const char *trouble = json_text(s->document, KEY(trouble), NULL);
  page_section(out, "verdict", "Verdict");
  if (trouble) {
    fputs("<p><strong>Trouble: ", out);
    put_markup(out, trouble);
    fputs("</strong></p>\n", out);
  }
  if (verdict) {
    put_history(out, json_member(s->document, KEY(history)));
    put_proof(out, verdict, json_real(verdict, KEY(seconds), 0));
    put_duplicates(out, verdict);
    put_warnings(out, s->document);
    page_put_chances(out, s->document);
    page_put_auto_level(out, s->document);
    put_beyond(out, s);
    put_suspicion(out, stored_broken(s));
    put_found(out, stored_broken(s));
  } else if (!strcmp(json_text(json_member(s->document, KEY(run)), KEY(claimed),
                               ""),
                     "none")) {
    fputs("<p>Nothing was checked: the level that was asked for promises "
          "nothing that could be. Ask for one with "
          "<code>--check=LEVEL</code>.</p>\n",
          out);
  } else {
    fputs("<p>No history was checked.</p>\n", out);
  }
  fputs("</section>\n", out);
}
