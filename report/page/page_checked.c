// SPDX-License-Identifier: GPL-3.0-or-later
// The top of the page of a history that was checked and that no run of ours
// recorded (report/page/sections.h).
#include "config.h"

#include "report/page/sections.h"

#include "base/utf8.h"
#include "report/badge.h"
#include "report/page/blocks.h"
#include "report/words/html.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <string.h>

enum answer { BROKEN, KEPT, UNDECIDED };

static const struct {
  enum badge badge;
  const char *tag, *answer; // tag NULL: the badge's
} answers[] = {
    [BROKEN] = {BADGE_BROKEN, NULL, "<b>No.</b>"},
    [KEPT] = {BADGE_KEPT, "Level kept", "<b>Yes.</b>"},
    [UNDECIDED] = {BADGE_UNDECIDED, NULL, "Not decided."},
};

struct checked {
  FILE *out;
  const struct stored *s;
  const struct json_value *verdict;
  const struct anomaly_words *words; // of a violation
  enum anomaly anomaly;              // of the words
  enum answer answer;
};

static enum answer answer_of(const struct checked *c) {
  const char *word = json_text(c->verdict, KEY(verdict), "");
  return !strcmp(word, "pass")        ? KEPT
         : !strcmp(word, "violation") ? BROKEN
                                      : UNDECIDED;
}

static void put_title(const struct checked *c) {
  put_markup(c->out, json_text(c->verdict, KEY(title), "its level"));
}

static void put_checked_headline(const struct checked *c) {
  fputs("<h1>", c->out);
  if (c->words) {
    html_put(c->out, c->words->headline);
    putc('.', c->out);
  } else {
    fputs(c->answer == KEPT ? "The history keeps "
                            : "Whether the history keeps ",
          c->out);
    put_title(c);
    fputs(c->answer == KEPT ? "." : " was not decided.", c->out);
  }
  fputs("</h1>\n<p class=\"lede\">", c->out);
  if (c->words) {
    html_put(c->out, c->words->happened);
  } else if (c->answer == KEPT) {
    quantity_put_grouped(c->out, json_whole(c->verdict, KEY(commit_order), 0));
    fputs(" committed transactions fit into one order that explains what each "
          "of them read.",
          c->out);
  } else {
    put_markup(c->out, json_text(c->verdict, KEY(why),
                                 "The check ended without a proof."));
  }
  fputs("</p>\n", c->out);
}

static void put_checked_asked(const struct checked *c) {
  fputs("<div><h2>What was asked</h2><p>Does the history keep <b>", c->out);
  put_title(c);
  fputs(c->words ? "</b>: " : "</b>", c->out);
  html_put(c->out, c->words ? c->words->clause : "");
  fprintf(c->out, "?</p><p>%s</p></div>\n", answers[c->answer].answer);
}

static void put_checked_meaning(const struct checked *c) {
  static const char *const others[] = {
      [KEPT] = "<h2>What it does not show</h2><p>That other histories of the "
               "same system keep the level.</p>",
      [UNDECIDED] = "<h2>What helps</h2><p>More time and memory: without "
                    "<code>--timeout</code> and <code>--memory</code> there is "
                    "no limit.</p>",
  };
  if (!c->words) {
    fprintf(c->out, "<div>%s</div>\n", others[c->answer]);
    return;
  }
  fprintf(c->out,
          "<div class=\"open\"><h2>Does the database promise it?</h2><p>"
          "<b>isostress cannot say</b>: the history does not name the database "
          "or its level. A level that promises %s rules it out.</p></div>\n"
          "<div><h2>In your application</h2><p>",
          isolation_title(anomaly_weakest(c->anomaly)));
  html_put(c->out, c->words->means);
  fputs("</p></div>\n<div><h2>What helps</h2><p>", c->out);
  html_put(c->out, c->words->helps);
  fputs(c->words->replicas ? " " : "", c->out);
  html_put(c->out, c->words->replicas ? c->words->replicas : "");
  fputs("</p></div>\n", c->out);
}

bool page_put_checked(FILE *out, const struct stored *s) {
  struct checked c = {
      .out = out, .s = s, .verdict = json_member(s->document, KEY(verdict))};
  if (!c.verdict || json_member(s->document, KEY(run)) ||
      json_member(s->document, KEY(beyond)))
    return false;
  c.answer = answer_of(&c);
  if (c.answer == BROKEN) {
    const enum anomaly anomaly =
        s->nexamples ? words_anomaly(s->examples[0].anomaly) : ANOMALY_NONE;
    if (anomaly == ANOMALY_NONE)
      return false;
    c.words = words_of(anomaly);
    c.anomaly = anomaly;
  }
  const struct badge_words *badge = &badge_words[answers[c.answer].badge];
  page_tag(out, badge->colour,
           answers[c.answer].tag ? answers[c.answer].tag : badge->tag);
  put_checked_headline(&c);
  fputs("<div class=\"facts\">\n", out);
  put_checked_asked(&c);
  put_checked_meaning(&c);
  fputs("</div>\n", out);
  return true;
}
