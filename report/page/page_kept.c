// SPDX-License-Identifier: GPL-3.0-or-later
// The top of the page of a run that shows no violation
// (report/page/sections.h): what was kept and whether that is promised, how
// hard it was tried, and what the run does not show; or why nobody knows.
#include "config.h"

#include "report/page/sections.h"

#include "base/anomaly_names.h"
#include "base/isolation.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/badge.h"
#include "report/page/blocks.h"
#include "report/page/columns.h"
#include "report/prospect.h"
#include "report/report.h"
#include "report/words/html.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct kept_page {
  FILE *out;
  const struct json_value *document, *run, *verdict;
  const char *title; // of the level that was checked
  const char *name;  // of the database
  enum isolation level, claimed;
  enum badge state;                   // of the verdict on the level
  const struct json_value *shortfall; // NULL: the run is a success
  bool beside; // the headline is about something else than the level
};

static uint64_t figure(const struct kept_page *k, const char *member) {
  return json_whole(k->run, member, 0);
}

// Does the level that was asked for promise what was checked?
static bool is_promised(const struct kept_page *k) {
  const struct promised_level level = badge_level(k->run);
  return !json_text(k->run, KEY(level_in_effect), NULL) &&
         promise_has(&level, k->level) &&
         !json_is_true(k->verdict, KEY(real_time));
}

// And no more than that?
static bool is_whole_promise(const struct kept_page *k) {
  return is_promised(k) && k->claimed <= k->level;
}

static void put_within(const struct kept_page *k, const char *before) {
  fputs(before, k->out);
  page_put_database(k->out, k->run);
}

static const char *within_words(const struct kept_page *k) {
  return k->shortfall && !k->beside ? " in what was recorded."
                                    : " in this run.";
}

// In a sentence (base/marks.h).
static void put_kept_headline(const struct kept_page *k) {
  if (k->beside) {
    put_clean(k->out, json_text(k->shortfall, KEY(sentence), ""));
    putc('.', k->out);
  } else if (k->state == BADGE_UNCHECKED) {
    put_within(k, "What ");
    fputs(" kept was not checked.", k->out);
  } else if (k->state == BADGE_NOTHING_DONE) {
    fputs("No transaction committed, so that none could break a level.",
          k->out);
  } else if (k->state == BADGE_KEPT && page_is_open(k->document)) {
    put_within(k, "The strongest level that ");
    fputs(" kept", k->out);
    fputs(k->shortfall ? " in what was recorded is " : " in this run is ",
          k->out);
    put_clean(k->out, k->title);
    putc('.', k->out);
  } else if (k->state == BADGE_KEPT && is_whole_promise(k)) {
    fprintf(k->out, "%s kept its promise%s", k->name, within_words(k));
  } else {
    if (k->state == BADGE_KEPT)
      fputs(k->name, k->out);
    else
      put_within(k, "Whether ");
    fputs(" kept ", k->out);
    put_clean(k->out, k->title);
    fputs(k->state == BADGE_KEPT ? within_words(k) : " was not decided.",
          k->out);
  }
}

static void put_kept_heading(const struct kept_page *k) {
  char *headline;
  size_t bytes;
  struct kept_page told = *k;
  told.out = text_stream(&headline, &bytes);
  put_kept_headline(&told);
  fclose(told.out);
  fputs("<h1>", k->out);
  html_put(k->out, headline);
  fputs("</h1>\n", k->out);
  free(headline);
}

// Says what a run that ended before its time covers.
static void put_kept_end(const struct kept_page *k) {
  const char *end = json_text(k->run, KEY(end), "done");
  const double elapsed = json_real(k->run, KEY(elapsed_ns), 0) / 1e9;
  const double planned = json_real(k->run, KEY(planned_ns), 0) / 1e9;
  if (!strcmp(end, "done"))
    return;
  fputs(" <b>", k->out);
  if (strcmp(end, "stopped") != 0)
    fprintf(k->out, "%s after %.1f s",
            !strcmp(end, "database lost")   ? "The database was lost"
            : !strcmp(end, "driver broken") ? "The driver was found broken"
                                            : "The recording failed",
            elapsed);
  else if (planned > 0)
    fprintf(k->out, "The run was stopped after %.1f s of the %g s asked for",
            elapsed, planned);
  else
    fprintf(k->out, "The run was stopped after %.1f s", elapsed);
  fprintf(k->out, "</b>; %s",
          k->verdict ? "what was recorded until then was checked."
                     : "nothing was checked.");
}

// Says that it was not the transactions that made many attempts fail.
static void put_kept_errors(const struct kept_page *k) {
  if (strcmp(json_text(k->shortfall, KEY(kind), ""), "errors") != 0)
    return;
  fputs(" <b>", k->out);
  put_markup(k->out, json_text(k->shortfall, KEY(sentence), ""));
  fputs(".</b>", k->out);
}

static void put_kept_lede(const struct kept_page *k) {
  static const char *const texts[] = {
      [BADGE_KEPT] =
          " committed transactions fit into one order that explains what "
          "each of them read.",
      [BADGE_NOTHING_DONE] =
          "Raise the number of transactions, or find out below "
          "why none of them committed.",
      [BADGE_UNDECIDED] =
          "The check ended without a proof that the level was kept, "
          "and without one that it was broken.",
      [BADGE_UNCHECKED] = "The run left its figures, and no verdict.",
  };
  const uint64_t order = json_whole(k->verdict, KEY(commit_order), 0);
  fputs("<p class=\"lede\">", k->out);
  if (k->state == BADGE_KEPT) {
    fputs("All ", k->out);
    quantity_put_grouped(k->out, order);
  }
  fputs(texts[k->state], k->out);
  if (k->state == BADGE_KEPT)
    page_put_counted(k->out, order, figure(k, KEY(committed)));
  put_kept_end(k);
  put_kept_errors(k);
  fputs("</p>\n", k->out);
}

static const char *clause_of(enum isolation level) {
  static const enum anomaly broken[] = {
      [ISOLATION_RC] = ANOMALY_ABORTED_READ,
      [ISOLATION_RA] = ANOMALY_FRACTURED_READ,
      [ISOLATION_CC] = ANOMALY_CAUSALITY_VIOLATION,
      [ISOLATION_PC] = ANOMALY_LONG_FORK,
      [ISOLATION_SI] = ANOMALY_LOST_UPDATE,
      [ISOLATION_SER] = ANOMALY_WRITE_SKEW,
      [ISOLATION_SSER] = ANOMALY_STALE_READ,
  };
  return level == ISOLATION_NONE ? NULL : words_of(broken[level])->clause;
}

// Was it to be checked, and some trouble came between?
static bool was_kept_from_it(const struct kept_page *k) {
  const char *end = json_text(k->run, KEY(end), "done");
  return k->claimed != ISOLATION_NONE && !strcmp(end, "done") &&
         json_text(k->document, KEY(trouble), NULL);
}

static void put_kept_asked(const struct kept_page *k) {
  static const char *const answers[] = {
      [BADGE_KEPT] = "<b>Yes</b>, in this run.",
      [BADGE_NOTHING_DONE] = "Nobody knows: nothing was committed.",
      [BADGE_UNDECIDED] = "Not decided.",
      [BADGE_UNCHECKED] = "Not checked.",
  };
  fputs("<div><h2>What was asked</h2><p>", k->out);
  if (k->verdict && page_is_open(k->document)) {
    put_within(k, "Which is the strongest level that ");
    fputs(" keeps at <b>", k->out);
    page_put_level(k->out, k->run);
    fputs("</b>, which promises none of those that are checked?", k->out);
  } else if (k->verdict) {
    const char *clause = clause_of(k->level);
    put_within(k, "Does ");
    fputs(" keep <b>", k->out);
    put_markup(k->out, k->title);
    fputs(clause ? "</b>: " : "</b>", k->out);
    html_put(k->out, clause ? clause : "");
    putc('?', k->out);
  } else if (was_kept_from_it(k)) {
    put_within(k, "Does ");
    fputs(" keep what its level promises?", k->out);
  } else {
    fputs("The load only: <code>--check=LEVEL</code> asks whether a level is "
          "kept.",
          k->out);
  }
  if (k->state == BADGE_KEPT && page_is_open(k->document)) {
    fputs("</p><p><b>", k->out);
    put_markup(k->out, k->title);
    fputs("</b></p></div>\n", k->out);
    return;
  }
  fprintf(k->out, "</p><p>%s</p></div>\n",
          k->state == BADGE_KEPT && k->shortfall && !k->beside
              ? "<b>Yes</b>, in what was recorded."
              : answers[k->state]);
}

static void put_kept_promise(const struct kept_page *k) {
  const bool known = driver_words_of_target(json_text(k->run, KEY(target), ""));
  const bool yes = is_promised(k);
  const bool hosts = json_first(k->run, KEY(endpoints)) != NULL;
  fprintf(k->out, "<div class=\"%s\"><h2>Does ",
          yes && k->state == BADGE_KEPT ? "good" : "open");
  page_put_database(k->out, k->run);
  fputs(" promise it?</h2><p>", k->out);
  if (!known || json_text(k->run, KEY(level_in_effect), NULL)) {
    fputs("<b>Unknown.</b> isostress knows no sentence of a manual about the "
          "level that was in effect.",
          k->out);
  } else {
    const struct promised_level level = badge_level(k->run);
    fprintf(k->out, "<b>%s</b> ",
            !k->verdict ? ""
            : yes       ? hosts ? "Yes, by one server." : "Yes."
                        : "No.");
    columns_put_documented(k->out, &level);
    if (yes && hosts)
      fputs(" That is for sessions that stay with one server.", k->out);
    if (k->state == BADGE_KEPT && !yes)
      fputs(" More was kept in this run than that.", k->out);
  }
  fputs("</p></div>\n", k->out);
}

// Finds the anomaly with the most chances among those that people ask about
// first.
static const struct json_value *most_chances(const struct kept_page *k) {
  const struct json_value *chances = json_member(k->document, KEY(chances));
  const struct json_value *most = NULL;
  for (const struct json_value *r = json_first(chances, KEY(anomalies)); r;
       r = r->next)
    if (prospect_place(json_text(r, KEY(anomaly), "")) < PROSPECTS_FIRST &&
        json_whole(r, KEY(count), 0) > json_whole(most, KEY(count), 0))
      most = r;
  return most;
}

static void put_effort(const struct kept_page *k) {
  const struct json_value *most = most_chances(k);
  const uint64_t begun = figure(k, KEY(begun));
  const uint64_t refused =
      json_whole(k->run, KEY(refused), figure(k, KEY(aborted)));
  fputs("<div><h2>How hard was it tried?</h2><p>", k->out);
  if (most) {
    const uint64_t high = json_whole(most, KEY(high), UINT64_MAX);
    fputs("The run had <b>", k->out);
    prospect_put_count(k->out, json_whole(most, KEY(low), 0), high, NULL);
    fprintf(k->out, "</b> %s of ", high == 1 ? "chance" : "chances");
    put_markup(k->out, anomaly_plain(json_text(most, KEY(anomaly), "?")));
    fputs(", among others; none was used. ", k->out);
  }
  quantity_put_grouped(k->out, begun);
  fputs(" attempts by ", k->out);
  quantity_put_grouped(k->out, figure(k, KEY(clients)));
  fputs(" sessions; ", k->out);
  quantity_put_grouped(k->out, refused);
  fprintf(k->out, " of them (%.2f&nbsp;%%) were refused.",
          quantity_percent(refused, begun));
  fputs("</p></div>\n", k->out);
}

// Only these workloads read and write each row by its key.
static bool searches_by_condition(const struct kept_page *k) {
  static const char *const by_key[] = {"mt",  "general", "append",
                                       "cas", "rubis",   "c-twitter"};
  const char *workload = json_text(k->run, KEY(workload), "");
  for (size_t i = 0; i < sizeof by_key / sizeof *by_key; i++)
    if (!strcmp(workload, by_key[i]))
      return false;
  return true;
}

static void put_limits(const struct kept_page *k) {
  fputs("<div><h2>What it does not show</h2><ul>", k->out);
  if (!searches_by_condition(k))
    fputs("<li>Searches by condition: rows were read by their keys "
          "(<code>--workload=predicate</code> searches).</li>",
          k->out);
  if (!json_first(k->run, KEY(endpoints)))
    fputs("<li>Replicas: all sessions spoke to one server.</li>", k->out);
  fputs("<li>Crashes, failovers and power loss, unless somebody caused them "
        "during the run.</li>",
        k->out);
  fputs("<li>Faults that strike more rarely than the table below says.</li>"
        "</ul></div>\n",
        k->out);
}

static void put_kept_why(const struct kept_page *k) {
  const char *suspected = json_text(k->verdict, KEY(suspected), NULL);
  fputs("<div><h2>Why not</h2><p>", k->out);
  if (k->state == BADGE_UNDECIDED)
    put_markup(k->out, json_text(k->verdict, KEY(why), "It was not said."));
  else if (k->state == BADGE_NOTHING_DONE)
    fputs("No transaction committed.", k->out);
  else if (k->claimed == ISOLATION_NONE)
    fputs("The level promises nothing that could be checked.", k->out);
  else if (was_kept_from_it(k))
    fputs("The trouble that is told below came between.", k->out);
  else
    fputs("No history was recorded, or the run ended before the check.",
          k->out);
  fputs("</p>", k->out);
  if (suspected) {
    fputs("<p>Suspected, and not proved: <b>", k->out);
    put_markup(k->out, suspected);
    fputs("</b>.</p>", k->out);
  }
  fputs("</div>\n", k->out);
}

// More time and memory would not decide it.
static const char *remedy_without_limit(const struct kept_page *k) {
  return json_text(json_member(k->document, KEY(history)), KEY(salvage), NULL)
             ? "Run again: what is lost of this history cannot be made up for."
             : "Run again, for a shorter time, with fewer sessions or more "
               "keys.";
}

static void put_kept_remedy(const struct kept_page *k) {
  static const char *const texts[] = {
      [BADGE_KEPT] = "",
      [BADGE_NOTHING_DONE] = "Look at the causes below, and run again.",
      [BADGE_UNDECIDED] =
          "Check the history again with more time and memory: without "
          "<code>--timeout</code> and <code>--memory</code> there is no limit. "
          "Or run for a shorter time, with fewer sessions or more keys.",
      [BADGE_UNCHECKED] =
          "Run again with <code>--check=LEVEL</code>, or check the "
          "history with <code>isostress check</code> if there is "
          "one.",
  };
  const char *text = texts[was_kept_from_it(k) ? BADGE_UNDECIDED : k->state];
  if (k->state == BADGE_UNDECIDED &&
      !report_hit_limit(json_text(k->verdict, KEY(why), "")))
    text = remedy_without_limit(k);
  fprintf(k->out, "<div><h2>What helps</h2><p>%s</p></div>\n", text);
}

static bool kept_of(struct kept_page *k, FILE *out, const struct stored *s) {
  *k = (struct kept_page){.out = out,
                          .document = s->document,
                          .run = json_member(s->document, KEY(run)),
                          .verdict = json_member(s->document, KEY(verdict))};
  k->title = json_text(k->verdict, KEY(title), "its level");
  const bool kept = !strcmp(json_text(k->verdict, KEY(verdict), ""), "pass");
  if (!k->run || (s->nexamples && !kept))
    return false;
  if (!isolation_parse(json_text(k->run, KEY(claimed), ""), &k->claimed))
    k->claimed = ISOLATION_NONE;
  if (!isolation_parse(json_text(k->verdict, KEY(level), ""), &k->level))
    k->level = ISOLATION_NONE;
  k->name = page_database(k->run);
  k->state = s->nexamples ? BADGE_KEPT : badge_of_verdict(s);
  k->shortfall = json_member(k->run, KEY(shortfall));
  k->beside = badge_of(s) == BADGE_BESIDE;
  return true;
}

bool page_kept_headline(FILE *out, const struct stored *s) {
  struct kept_page k;
  if (!kept_of(&k, out, s))
    return false;
  put_kept_headline(&k);
  return true;
}

bool page_put_kept(FILE *out, const struct stored *s) {
  struct kept_page k;
  if (!kept_of(&k, out, s))
    return false;
  // The page tells first of a model that was broken, and of lost writes, in a
  // section of its own.
  const char *kind = json_text(k.shortfall, KEY(kind), "");
  if (!strcmp(kind, "model") || !strcmp(kind, "durability")) {
    k.beside = false;
    k.shortfall = NULL;
  }
  const struct badge_words *badge =
      &badge_words[k.beside                ? BADGE_BESIDE
                   : k.state != BADGE_KEPT ? k.state
                   : k.shortfall           ? BADGE_INCOMPLETE
                   : badge_is_unmet(k.run) ? BADGE_UNMET
                                           : BADGE_KEPT];
  page_tag(out, badge->colour, badge->tag);
  put_kept_heading(&k);
  put_kept_lede(&k);
  fputs("<div class=\"facts\">\n", out);
  put_kept_asked(&k);
  put_kept_promise(&k);
  if (k.state == BADGE_KEPT) {
    put_effort(&k);
    put_limits(&k);
  } else {
    put_kept_why(&k);
    put_kept_remedy(&k);
  }
  fputs("</div>\n", out);
  return true;
}
