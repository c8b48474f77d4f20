// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a run or check (report/page/page.h): its head, and how to see it
// again.
#include "config.h"

#include "report/page/page.h"

#include "base/utf8.h"
#include "report/badge.h"
#include "report/explored.h"
#include "report/model.h"
#include "report/page/blocks.h"
#include "report/page/sections.h"
#include "report/words/keys.h"
#include "report/words/plain.h"
#include "report/words/words.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// "INTERRUPTED: serializability was kept in what was recorded"
static void put_incomplete(FILE *out, const struct stored *s,
                           const char *title) {
  const struct json_value *shortfall =
      json_member(json_member(s->document, KEY(run)), KEY(shortfall));
  for (const char *c = json_text(shortfall, KEY(kind), ""); *c; c++)
    fputc(toupper((unsigned char)*c), out);
  fprintf(out, ": %s was kept in what was recorded", title);
}

// Whether a violation is one of the database's promise.
static const char *promise_broken(enum badge badge) {
  return badge == BADGE_FORBIDDEN ? ": a broken promise"
         : badge == BADGE_ALLOWED ? ", which the level allows"
         : badge == BADGE_SERVERS ? ", which is allowed across servers"
                                  : "";
}

void page_verdict_words(FILE *out, const struct stored *s) {
  const struct json_value *verdict = json_member(s->document, KEY(verdict));
  const char *word = json_text(verdict, KEY(verdict), "");
  const char *title = json_text(verdict, KEY(title), "?");
  if (badge_of(s) == BADGE_INCOMPLETE)
    put_incomplete(out, s, title);
  else if (!strcmp(word, "pass"))
    fprintf(out, "PASS: %s was kept%s", title,
            badge_is_unmet(json_member(s->document, KEY(run)))
                ? "; a requirement is not met"
                : "");
  else if (!strcmp(word, "violation"))
    fprintf(out, "VIOLATION: %s was broken by %s%s", title,
            s->nexamples ? s->examples[0].anomaly : "?",
            promise_broken(badge_of(s)));
  else if (verdict)
    fprintf(out, "UNDECIDED: whether %s was kept", title);
  else
    fputs("NOT CHECKED", out);
  const struct json_value *run = json_member(s->document, KEY(run));
  const char *in_effect = json_text(run, KEY(level_in_effect), NULL);
  if (in_effect)
    fprintf(out, ", but the level in effect was \"%s\", not \"%s\"", in_effect,
            json_text(run, KEY(level_asked), "?"));
  page_put_model_words(out, json_member(run, KEY(model)));
  page_put_durable_words(out, json_member(run, KEY(durability)));
}

static char *verdict_words(const struct stored *s) {
  char *words;
  size_t bytes;
  FILE *out = text_stream(&words, &bytes);
  page_verdict_words(out, s);
  fclose(out);
  return words;
}

void page_put_server(FILE *out, const struct json_value *run) {
  const char *target = json_text(run, KEY(target), "");
  const char *server = json_text(run, KEY(server), "");
  const struct driver_words *known = driver_words_of_target(target);
  if (known && !known->manual)
    server = known->name;
  else if (!*server)
    server = target;
  size_t length = strcspn(server, ",(");
  while (length && server[length - 1] == ' ')
    length--;
  fprintf(out, "%.*s", (int)length, server);
}

static void put_page_about(FILE *out, const struct json_value *run) {
  page_put_server(out, run);
  fprintf(out, ", workload %s, level %s, %" PRIu64 " sessions, %.1f s",
          json_text(run, KEY(workload), "?"), json_text(run, KEY(level), "?"),
          json_whole(run, KEY(clients), 0),
          json_real(run, KEY(elapsed_ns), 0) / 1e9);
}

static void put_page_bar(FILE *out, const struct stored *s) {
  const struct json_value *run = json_member(s->document, KEY(run));
  const uint64_t started = json_whole(run, KEY(started_ns), 0);
  const time_t seconds = (time_t)(started / 1000000000);
  char *about, when[64] = "";
  size_t bytes;
  struct tm utc;
  FILE *text = text_stream(&about, &bytes);
  if (run)
    put_page_about(text, run);
  else
    fputs(strcmp(json_text(s->document, KEY(command), ""), "explore")
              ? "a history that was checked"
              : "a history that a program can have",
          text);
  fclose(text);
  if (started && gmtime_r(&seconds, &utc))
    strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &utc);
  page_bar(out, s->all_results, about, when);
  free(about);
}

// The words of a verdict that has no run, or breaks a level beyond the claimed
// one.
static void put_plain_verdict(FILE *out, const struct stored *s,
                              const char *words) {
  const struct json_value *verdict = json_member(s->document, KEY(verdict));
  fputs("<h1 class=\"", out);
  put_markup(out, json_text(verdict, KEY(verdict), "none"));
  fputs("\">", out);
  put_markup(out, words);
  fputs("</h1>\n", out);
}

// Does it tell what happened?
static bool put_top(FILE *out, const struct stored *s, const char *words) {
  fputs("<section class=\"verdict\" id=\"verdict\">\n", out);
  const bool told = page_put_facts(out, s);
  if (!told && !page_put_kept(out, s) && !page_put_possible(out, s) &&
      !page_put_checked(out, s))
    put_plain_verdict(out, s, words);
  page_put_notices(out, s);
  fputs("</section>\n", out);
  return told;
}

// How much a run that kept its level could have shown.
static void put_chances(FILE *out, const struct stored *s) {
  const struct json_value *chances = json_member(s->document, KEY(chances));
  if (!json_first(chances, KEY(anomalies)))
    return;
  page_section(out, "chances", "How much this run could have shown");
  page_put_chances(out, s->document);
  fputs("</section>\n", out);
}

static void put_examples(FILE *out, const struct stored *s, bool told) {
  if (!s->nexamples)
    return;
  fputs("<section class=\"case\" id=\"counterexamples\" "
        "aria-label=\"Counterexamples\">\n",
        out);
  for (uint32_t i = 0; i < s->nexamples && i < STORED_MAX_PICTURES; i++)
    page_put_example(out, s, i, told && !i);
  if (s->nexamples > STORED_MAX_PICTURES)
    fprintf(out, "<p>%" PRIu32 " more are in <code>report.txt</code>.</p>\n",
            s->nexamples - STORED_MAX_PICTURES);
  fputs("</section>\n", out);
}

// The headline where the page tells what happened; else the words of the
// verdict.
static char *title_of_page(const struct stored *s, const char *words) {
  struct facts_in_brief facts;
  char *sentence;
  size_t bytes;
  FILE *headline = text_stream(&sentence, &bytes);
  const bool told = page_facts_in_brief(&facts, headline, s);
  fclose(headline);
  char *title = told ? plain_make(sentence) : xstrdup(words);
  free(sentence);
  return title;
}

void page_put_report(FILE *out, const struct stored *stored) {
  const struct json_value *run = json_member(stored->document, KEY(run));
  const struct json_value *chances =
      json_member(stored->document, KEY(chances));
  char *words = verdict_words(stored);
  char *title = title_of_page(stored, words);
  page_open(out, title);
  free(title);
  put_page_bar(out, stored);
  fputs("<main>\n", out);
  page_put_model(out, stored, true);
  page_put_durable(out, stored, true);
  const bool told = put_top(out, stored, words);
  put_examples(out, stored, told);
  page_put_explored(out, stored->document);
  page_put_prevents(out, stored->document);
  page_put_hands(out, stored);
  put_chances(out, stored);
  page_put_model(out, stored, false);
  page_put_durable(out, stored, false);
  if (chances && run)
    page_put_next(out, stored->document);
  page_put_judged(out, stored->document);
  if (run)
    page_put_figures(out, stored->document);
  page_put_proof(out, stored, told);
  page_close(out, json_text(stored->document, KEY(program), "isostress"));
  free(words);
}
