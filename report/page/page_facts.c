// SPDX-License-Identifier: GPL-3.0-or-later
// The top of the page of a violation (report/page/sections.h): is this a bug of
// the database or a property of its level, what does it do to an application,
// and what helps.
#include "config.h"

#include "report/page/sections.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "report/badge.h"
#include "report/page/blocks.h"
#include "report/page/columns.h"
#include "report/words/found.h"
#include "report/words/html.h"
#include "report/words/keys.h"
#include "report/words/naming.h"
#include "report/words/quantity.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *page_database(const struct json_value *run) {
  return naming_database(json_text(run, KEY(target), ""),
                         json_text(run, KEY(server), ""));
}

void page_put_database(FILE *out, const struct json_value *run) {
  naming_put_database(out, json_text(run, KEY(target), ""),
                      json_text(run, KEY(server), ""));
}

void page_put_level(FILE *out, const struct json_value *run) {
  const char *level = json_text(run, KEY(level), "?");
  fputs(naming_is_sql_level(level) ? "" : "level ", out);
  page_level(out, level);
}

void page_put_manual_of(FILE *out, const char *target, const char *server) {
  const struct driver_words *known = driver_words_of_server(target, server);
  if (known && known->manual)
    fprintf(out, " (<a href=\"%s\">manual</a>)", known->manual);
}

void page_put_manual(FILE *out, const struct json_value *run) {
  page_put_manual_of(out, json_text(run, KEY(target), ""),
                     json_text(run, KEY(server), ""));
}

struct violation_page {
  FILE *out;
  const struct json_value *run, *verdict;
  const struct example *e;
  const struct anomaly_words *words;
  const struct driver_words *database; // NULL: not known
  const char *name;                    // of the database
  const char *invariant;               // that is broken, in a sentence; or NULL
  const char *own; // the case in the words of the user's scripts; or NULL
  struct subject subject;
};

// The words of a headline about the level.
static const char *const afterwards[BADGES] = {
    [BADGE_FORBIDDEN] = "rules that out",
    [BADGE_ALLOWED] = "allows that",
    [BADGE_SERVERS] = "allows that across servers",
};

// A broken invariant, which the user asked for, comes before all else.
static void put_violation_invariant(FILE *out, const struct violation_page *f) {
  const struct json_value *invariant = json_member(f->run, KEY(invariant));
  const struct json_value *first = json_member(invariant, KEY(first));
  const struct json_value *equals = json_member(invariant, KEY(equals));
  if (!f->invariant)
    return;
  put_clean(out, json_text(invariant, KEY(select), "The invariant"));
  fputs(" was ", out);
  put_clean(out, first ? first->text : "NULL");
  fputs(", not ", out);
  put_clean(out, equals ? equals->text : "?");
  fputs(". ", out);
}

static void put_violation_level(FILE *out, const struct violation_page *f) {
  const char *level = json_text(f->run, KEY(level), "?");
  fputs(naming_is_sql_level(level) ? "" : "level ", out);
  naming_put_level(out, level);
}

// In a sentence or two (base/marks.h).
static void put_violation_headline(FILE *out, const struct violation_page *f) {
  put_violation_invariant(out, f);
  if (f->own)
    put_clean(out, f->own);
  else
    words_put(out, f->words->headline, f->database);
  putc('.', out);
  const enum badge badge = f->subject.badge;
  if (badge == BADGE_ALLOWED && promise_among_serializable(&f->subject.level)) {
    fprintf(out, " %s allows that where levels are mixed.", f->name);
  } else if (afterwards[badge]) {
    fprintf(out, " %s%s", f->name,
            badge == BADGE_SERVERS ? "" : "\xe2\x80\x99s ");
    if (badge != BADGE_SERVERS)
      put_violation_level(out, f);
    fprintf(out, " %s.", afterwards[badge]);
  }
}

static void put_violation_heading(const struct violation_page *f) {
  char *headline;
  size_t bytes;
  FILE *out = text_stream(&headline, &bytes);
  put_violation_headline(out, f);
  fclose(out);
  fputs("<h1>", f->out);
  html_put(f->out, headline);
  fputs("</h1>\n", f->out);
  free(headline);
}

// Rows that came back break the level already: then nobody looks for those that
// did not.
static bool is_of_items(const struct stored *s) {
  bool items = s->nexamples > 0;
  for (uint32_t i = 0; i < s->nexamples; i++)
    items &= example_has_rows(&s->examples[i]) && !s->examples[i].nstatements;
  return items;
}

static void put_violation_lede(const struct violation_page *f,
                               const struct stored *s) {
  const struct json_value *history = json_member(s->document, KEY(history));
  const uint64_t found =
      json_whole(json_member(f->verdict, KEY(found)), f->e->anomaly, 0);
  fputs("<p class=\"lede\">", f->out);
  html_put_about(f->out, f->words->happened, f->database);
  if (found) {
    fputs(" This was found <b>", f->out);
    found_put(f->out, f->e->anomaly, found,
              json_is_true(f->verdict, KEY(found_more)));
    fputs("</b> among ", f->out);
    quantity_put_grouped(f->out, json_whole(history, KEY(committed), 0));
    fputs(" committed transactions.", f->out);
    page_put_counted(f->out, json_whole(history, KEY(committed), 0),
                     json_whole(f->run, KEY(committed), 0));
  }
  if (is_of_items(s))
    fputs(" All anomalies here are of rows that came back: whether a search "
          "missed a row was not asked.",
          f->out);
  if (f->invariant) {
    fputs(" The invariant: ", f->out);
    put_markup(f->out, f->invariant);
    fputs(".", f->out);
  }
  fputs("</p>\n", f->out);
}

// "place and restock": the scripts of a run.
static void put_violation_scripts(const struct violation_page *f) {
  const struct json_value *shape = json_first(f->run, KEY(shapes));
  for (const char *before = ""; shape; shape = shape->next) {
    fprintf(f->out, "%s<b>", before);
    put_markup(f->out, json_text(shape, KEY(name), "?"));
    fputs("</b>", f->out);
    before = shape->next && !shape->next->next ? " and " : ", ";
  }
}

static void put_asked_of_scripts(const struct violation_page *f, bool kept) {
  fputs("<div><h2>What was asked</h2><p>Do ", f->out);
  put_violation_scripts(f);
  fputs(", run at <b>", f->out);
  page_put_level(f->out, f->run);
  fputs("</b>, have the same result as if the transactions ran one after "
        "another (<b>serializability</b>)?</p><p><b>No.</b>",
        f->out);
  if (kept) {
    fputs(" What ", f->out);
    page_put_database(f->out, f->run);
    fputs(" promises at this level was kept.", f->out);
  }
  fputs("</p></div>\n", f->out);
}

// The level promises nothing.
static void put_asked_strongest(const struct violation_page *f) {
  fputs("<div><h2>What was asked</h2><p>Which is the strongest level that ",
        f->out);
  page_put_database(f->out, f->run);
  fputs(" keeps at its <b>", f->out);
  page_put_level(f->out, f->run);
  fputs("</b>, which promises none of those that are checked?</p>"
        "<p><b>None of them</b>: not even ",
        f->out);
  put_markup(f->out, json_text(f->verdict, KEY(title), "?"));
  fputs(".</p></div>\n", f->out);
}

static void put_asked_level(const struct violation_page *f) {
  fputs("<div><h2>What was asked</h2><p>Does <b>", f->out);
  page_put_level(f->out, f->run);
  fputs("</b> of ", f->out);
  page_put_database(f->out, f->run);
  const char *own =
      words_own_level(f->database, json_text(f->run, KEY(level), ""));
  fputs(own ? " (" : "", f->out);
  html_put(f->out, own ? own : "");
  fprintf(f->out, "%s keep <b>", own ? ")" : "");
  put_markup(f->out, json_text(f->verdict, KEY(title), "?"));
  fputs("</b>: ", f->out);
  html_put(f->out, f->words->clause);
  fputs("?</p><p><b>No.</b></p></div>\n", f->out);
}

static bool facts_of(struct violation_page *f, FILE *out,
                     const struct stored *s) {
  *f = (struct violation_page){.out = out,
                               .run = json_member(s->document, KEY(run)),
                               .verdict = stored_broken(s),
                               .e = s->examples};
  const bool beyond = json_member(s->document, KEY(beyond)) &&
                      !json_member(s->document, KEY(own_scripts));
  if (!f->run || !s->nexamples || beyond)
    return false;
  f->subject = (struct subject){
      .level = badge_level(f->run),
      .anomaly = words_anomaly(f->e->anomaly),
      .badge = badge_of(s),
      .helps = json_text(json_member(s->document, KEY(own_scripts)), KEY(helps),
                         NULL),
  };
  // Where the level was not decided, what own scripts showed beyond it is no
  // answer about its promise.
  if (f->subject.anomaly == ANOMALY_NONE ||
      f->subject.badge > BADGE_UNDOCUMENTED ||
      !json_member(f->run, KEY(claimed)))
    return false;
  f->words = words_of(f->subject.anomaly);
  f->database = driver_words_of_target(f->subject.level.target);
  f->name = page_database(f->run);
  const struct json_value *shortfall = json_member(f->run, KEY(shortfall));
  f->invariant = strcmp(json_text(shortfall, KEY(kind), ""), "invariant")
                     ? NULL
                     : json_text(shortfall, KEY(sentence), NULL);
  f->own = json_text(json_member(s->document, KEY(own_scripts)), KEY(headline),
                     NULL);
  return true;
}

static const char *tag_in_brief(const struct subject *subject) {
  const char *among = promise_among_serializable(&subject->level);
  return among && subject->badge == BADGE_ALLOWED
             ? among
             : badge_words[subject->badge].tag;
}

bool page_facts_in_brief(struct facts_in_brief *brief, FILE *headline,
                         const struct stored *s) {
  struct violation_page f;
  if (!facts_of(&f, NULL, s))
    return false;
  if (headline)
    put_violation_headline(headline, &f);
  const struct subject *subject = &f.subject;
  *brief = (struct facts_in_brief){
      .answer = columns_answer(subject->badge),
      .tag = tag_in_brief(subject),
      .means = f.words->means,
      .forbidden = subject->badge == BADGE_FORBIDDEN,
  };
  columns_help(subject, brief->helps);
  if (brief->forbidden) {
    brief->helps[0] = "Report it: its page, \fhistory\f and \fjob.ini\f "
                      "are what its makers need.";
    brief->helps[1] = brief->helps[2] = NULL;
  }
  return true;
}

bool page_put_facts(FILE *out, const struct stored *s) {
  struct violation_page f;
  if (!facts_of(&f, out, s))
    return false;
  const struct badge_words *badge = &badge_words[f.subject.badge];
  page_tag(out, badge->colour, badge->tag);
  put_violation_heading(&f);
  put_violation_lede(&f, s);
  fputs("<div class=\"facts\">\n", out);
  if (json_member(s->document, KEY(own_scripts)))
    put_asked_of_scripts(&f, json_member(s->document, KEY(beyond)));
  else if (page_is_open(s->document))
    put_asked_strongest(&f);
  else
    put_asked_level(&f);
  columns_put_promise(out, &f.subject);
  columns_put_application(out, f.subject.anomaly);
  columns_put_help(out, &f.subject);
  fputs("</div>\n</div>\n", out);
  return true;
}
