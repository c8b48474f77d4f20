// SPDX-License-Identifier: GPL-3.0-or-later
// The top of the page of a violation (report/page.h): is this a bug of the
// database or a property of its level, what does it do to an application, and
// what helps.
#include "config.h"

#include "report/page.h"

#include "base/utf8.h"
#include "report/badge.h"
#include "report/keys.h"
#include "report/words.h"

#include <inttypes.h>
#include <string.h>

static bool is_mariadb(const char *server) {
  return !strncmp(server, "MariaDB", strlen("MariaDB"));
}

const char *page_database_of(const char *target, const char *server) {
  const struct database_words *known = words_of_target(target);
  return !known ? "The database" : is_mariadb(server) ? "MariaDB" : known->name;
}

const char *page_database(const struct json_value *run) {
  return page_database_of(json_text(run, KEY(target), ""),
                          json_text(run, KEY(server), ""));
}

void page_put_database(FILE *out, const struct json_value *run) {
  const char *name = page_database(run);
  const bool article = !strncmp(name, "The ", strlen("The "));
  fprintf(out, "%s%s", article ? "t" : "", name + article);
}

// NULL: not one of SQL.
static const char *sql_level(const char *level) {
  static const char *const sql[][2] = {{"read uncommitted", "READ UNCOMMITTED"},
                                       {"read committed", "READ COMMITTED"},
                                       {"repeatable read", "REPEATABLE READ"},
                                       {"serializable", "SERIALIZABLE"}};
  for (size_t i = 0; i < sizeof sql / sizeof *sql; i++)
    if (!strcmp(level, sql[i][0]))
      return sql[i][1];
  return NULL;
}

void page_put_level_name(FILE *out, const char *level) {
  const char *sql = sql_level(level);
  put_markup(out, sql ? sql : level);
}

void page_put_level(FILE *out, const struct json_value *run) {
  const char *level = json_text(run, KEY(level), "?");
  fputs(sql_level(level) ? "" : "level ", out);
  page_put_level_name(out, level);
}

void page_put_manual_of(FILE *out, const char *target, const char *server) {
  const struct database_words *known = words_of_target(target);
  if (!known || !known->source)
    return;
  const char *source =
      is_mariadb(server) ? words_of_target("mariadb:")->source : known->source;
  fprintf(out, " (<a href=\"%s\">manual</a>)", source);
}

void page_put_manual(FILE *out, const struct json_value *run) {
  page_put_manual_of(out, json_text(run, KEY(target), ""),
                     json_text(run, KEY(server), ""));
}

struct facts {
  FILE *out;
  const struct json_value *run, *verdict;
  const struct example *e;
  const struct anomaly_words *words;
  const struct database_words *database; // NULL: not known
  const char *name;                      // of the database
  enum isolation claimed;
  enum anomaly anomaly;
  enum badge class;
};

// The words of a headline about the level, and the answer to what is promised.
static const struct {
  const char *after, *answer;
} classes[] = {
    [BADGE_FORBIDDEN] = {"rules that out", "Yes."},
    [BADGE_ALLOWED] = {"allows that", "No."},
    [BADGE_SERVERS] = {"promises the level for one server",
                       "Not across servers."},
    [BADGE_UNDOCUMENTED] = {NULL, "Unknown."},
};

static void put_headline(const struct facts *f) {
  words_put(f->out, f->words->headline, f->database);
  putc('.', f->out);
  if (classes[f->class].after) {
    fprintf(f->out, " %s%s", f->name,
            f->class == BADGE_SERVERS ? "" : "\xe2\x80\x99s ");
    if (f->class != BADGE_SERVERS)
      page_put_level(f->out, f->run);
    fprintf(f->out, " %s.", classes[f->class].after);
  }
}

static void put_lede(const struct facts *f, const struct json_value *history) {
  const uint64_t found =
      json_whole(json_member(f->verdict, KEY(found)), f->e->anomaly, 0);
  fputs("<p class=\"lede\">", f->out);
  words_put(f->out, f->words->happened, f->database);
  if (found) {
    fprintf(f->out, " This was found <b>%s",
            json_is_true(f->verdict, KEY(found_more)) ? "at least " : "");
    page_grouped(f->out, found);
    fprintf(f->out, " time%s</b> among ", found == 1 ? "" : "s");
    page_grouped(f->out, json_whole(history, KEY(committed), 0));
    fputs(" committed transactions.", f->out);
  }
  fputs("</p>\n", f->out);
}

static void put_asked(const struct facts *f) {
  fputs("<div><h2>What was asked</h2><p>Does <b>", f->out);
  page_put_level(f->out, f->run);
  fputs("</b> of ", f->out);
  page_put_database(f->out, f->run);
  fputs(" keep <b>", f->out);
  put_markup(f->out, json_text(f->verdict, KEY(title), "?"));
  fprintf(f->out, "</b>: %s?</p><p><b>No.</b></p></div>\n", f->words->clause);
}

static void put_promise(const struct facts *f) {
  const char *colour = badge_words[f->class].colour;
  fprintf(f->out, "<div class=\"%s\"><h2>Does ", colour);
  page_put_database(f->out, f->run);
  fprintf(f->out, " promise it?</h2><p><b>%s</b> ", classes[f->class].answer);
  if (f->class == BADGE_UNDOCUMENTED)
    fputs("isostress knows no sentence of a manual about the level that was in "
          "effect.",
          f->out);
  else if (f->claimed == ISOLATION_NONE) {
    fputs("The level promises none of what is checked", f->out);
    page_put_manual(f->out, f->run);
    fputs(". This is no bug: the application has to expect it.", f->out);
  } else {
    fprintf(f->out, "The level promises %s", isolation_title(f->claimed));
    page_put_manual(f->out, f->run);
    fprintf(f->out, ": %s. %s", words_level(f->claimed),
            f->class == BADGE_FORBIDDEN
                ? "This is a bug in the database or in how it is set up."
            : f->class == BADGE_SERVERS
                ? "That is for sessions that stay with one server."
                : "That does not rule this out, and it is no bug: the "
                  "application has to expect it.");
  }
  if (f->class == BADGE_FORBIDDEN &&
      strstr(json_text(f->run, KEY(server), ""), "bug="))
    fputs(" Here it was asked for: the run says <code>--bug</code>.", f->out);
  fputs("</p></div>\n", f->out);
}

// The advice for any database, without the level that it begins with if this
// database's own remedy says as much.
static const char *other_help(const struct facts *f, const char *remedy) {
  const char *helps = f->words->helps;
  if (!remedy || f->class == BADGE_FORBIDDEN ||
      strncmp(helps, "Use ", strlen("Use ")) != 0)
    return helps;
  const char *next = strstr(helps, ". ");
  return next ? next + strlen(". ") : "";
}

static void put_help(const struct facts *f, enum anomaly anomaly) {
  const char *remedy =
      words_remedy(f->database, json_text(f->run, KEY(server), ""), anomaly);
  fputs("<div><h2>What helps</h2>", f->out);
  if (f->class == BADGE_FORBIDDEN)
    fputs("<p>Report it: this page, <code>history</code> and "
          "<code>job.ini</code> are what its makers need.</p>",
          f->out);
  if (remedy && f->class != BADGE_FORBIDDEN)
    fprintf(f->out, "<p>%s</p>", remedy);
  const char *replicas = words_replicas(f->words, f->database);
  const char *const helps[] = {
      f->class == BADGE_SERVERS && replicas ? NULL : other_help(f, remedy),
      replicas};
  for (int i = 0; i < 2; i++)
    if (helps[i] && *helps[i])
      fprintf(f->out, "<p>%s</p>", helps[i]);
  fputs("</div>\n", f->out);
}

static bool facts_of(struct facts *f, FILE *out, const struct stored *s) {
  *f = (struct facts){.out = out,
                      .run = json_member(s->document, KEY(run)),
                      .verdict = stored_broken(s),
                      .e = s->examples};
  if (!f->run || !s->nexamples || json_member(s->document, KEY(beyond)))
    return false;
  f->anomaly = words_anomaly(f->e->anomaly);
  if (f->anomaly == ANOMALY_NONE ||
      !isolation_parse(json_text(f->run, KEY(claimed), ""), &f->claimed))
    return false;
  f->words = words_of(f->anomaly);
  f->database = words_of_target(json_text(f->run, KEY(target), ""));
  f->name = page_database(f->run);
  f->class = badge_of(s);
  return true;
}

bool page_facts_in_brief(struct facts_in_brief *brief, FILE *headline,
                         const struct stored *s) {
  struct facts f;
  if (!facts_of(&f, headline, s))
    return false;
  put_headline(&f);
  const char *server = json_text(f.run, KEY(server), "");
  const char *replicas = words_replicas(f.words, f.database);
  const bool forbidden = f.class == BADGE_FORBIDDEN;
  const bool across = f.class == BADGE_SERVERS && replicas;
  *brief = (struct facts_in_brief){
      .answer = classes[f.class].answer,
      .tag = badge_words[f.class].tag,
      .means = f.words->means,
      .remedy = forbidden ? NULL : words_remedy(f.database, server, f.anomaly),
      .helps = across ? replicas : f.words->helps,
      .replicas = across ? NULL : replicas,
      .forbidden = forbidden,
  };
  return true;
}

bool page_put_facts(FILE *out, const struct stored *s) {
  struct facts f;
  if (!facts_of(&f, out, s))
    return false;
  page_tag(out, badge_words[f.class].colour, badge_words[f.class].tag);
  fputs("<h1>", out);
  put_headline(&f);
  fputs("</h1>\n", out);
  put_lede(&f, json_member(s->document, KEY(history)));
  fputs("<div class=\"facts\">\n", out);
  put_asked(&f);
  put_promise(&f);
  fprintf(out, "<div><h2>In your application</h2><p>%s</p></div>\n",
          f.words->means);
  put_help(&f, f.anomaly);
  fputs("</div>\n", out);
  return true;
}
