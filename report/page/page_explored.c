// SPDX-License-Identifier: GPL-3.0-or-later
// An exploration of a program on its page (report/page/sections.h): what can
// happen, and the levels.
#include "config.h"

#include "report/page/sections.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "report/badge.h"
#include "report/page/blocks.h"
#include "report/page/columns.h"
#include "report/words/html.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_explored_count(FILE *out, const struct json_value *level,
                               const char *key, const char *class) {
  const struct json_value *count = json_member(level, key);
  const uint64_t n = json_whole(level, key, 0);
  fprintf(out, "<td class=\"n%s%s\">", n && *class ? " " : "", n ? class : "");
  if (count && !json_is_true(level, KEY(complete)))
    fputs("at least ", out);
  if (count)
    quantity_put_grouped(out, n);
  else
    fputs("not counted", out);
  fputs("</td>", out);
}

static void put_explored_levels(FILE *out, const struct json_value *explored) {
  const bool asserts =
      strcmp(json_text(json_member(explored, KEY(failure)), KEY(kind), ""),
             "outcome") != 0;
  page_table(
      out, "The histories that each level allows",
      asserts
          ? "level|#histories|#break an assertion|#outcomes|#not serializable"
          : "level|#histories|#outcomes|#not serializable");
  for (const struct json_value *l = json_first(explored, KEY(levels)); l;
       l = l->next) {
    page_start_row(out, json_text(l, KEY(level), "?"));
    put_explored_count(out, l, KEY(histories), "");
    if (asserts)
      put_explored_count(out, l, KEY(failing), "bad");
    put_explored_count(out, l, KEY(outcomes), "");
    put_explored_count(out, l, KEY(not_serializable), "");
    fputs("</tr>\n", out);
  }
  page_end_table(out);
}

static void put_live(FILE *out, const struct json_value *explored) {
  const char *database = json_text(explored, KEY(database), NULL);
  if (!database)
    return;
  fputs("<p>The history of this page, on a live database: <b>seen ", out);
  quantity_put_grouped(out, json_whole(explored, KEY(seen), 0));
  fputs(" of ", out);
  quantity_put_grouped(out, json_whole(explored, KEY(performed), 0));
  fputs("</b> times on ", out);
  put_markup(out, database);
  fputs(". A history that was not seen may still happen.</p>\n", out);
}

static void put_random_load(FILE *out, const struct json_value *explored) {
  const char *command = json_text(explored, KEY(random_load), NULL);
  if (!command)
    return;
  fputs("<p>The same scripts under a random load:</p>\n", out);
  page_start_command(out);
  put_markup(out, command);
  page_end_command(out);
}

// ---- The top of the page

struct possible {
  FILE *out;
  const struct json_value *explored, *failure;
  const char *target;    // NULL: the history was performed on no database
  enum anomaly anomaly;  // NONE: transactions that run one after another
  struct subject answer; // of the database
};

// The last part of a path.
static void put_explored_name(FILE *out, const char *path) {
  const char *slash = strrchr(path, '/');
  put_markup(out, slash && slash[1] ? slash + 1 : path);
}

static void put_explored_headline(const struct possible *p) {
  if (p->anomaly != ANOMALY_NONE) {
    const struct anomaly_words *words = words_of(p->anomaly);
    fputs("<h1>", p->out);
    html_put(p->out, words->headline);
    fputs(".</h1>\n<p class=\"lede\">", p->out);
    html_put(p->out, words->happened);
    fputs("</p>\n", p->out);
  } else {
    fputs("<h1>The program breaks what it asserts, even if its transactions "
          "run one after another.</h1>\n<p class=\"lede\">No level and no "
          "database helps: the program has to change, or what it "
          "asserts.</p>\n",
          p->out);
  }
}

static void put_explored_question(const struct possible *p) {
  const char *kind = json_text(p->failure, KEY(kind), "");
  const uint64_t line = json_whole(p->failure, KEY(line), 0);
  fputs("<div><h2>What was asked</h2><p>At <b>", p->out);
  put_markup(p->out, json_text(p->failure, KEY(level), "?"));
  fputs("</b>, does <b>", p->out);
  put_explored_name(p->out,
                    json_text(p->explored, KEY(program), "the program"));
  fputs("</b> ", p->out);
  if (!strcmp(kind, "outcome")) {
    fputs("always end as if its transactions ran one after another?", p->out);
  } else {
    fputs(strcmp(kind, "fault") ? "keep <b>\xe2\x80\x9c"
                                : "run without <b>\xe2\x80\x9c",
          p->out);
    put_markup(p->out, json_text(p->failure, KEY(text), "?"));
    fputs("\xe2\x80\x9d</b>", p->out);
    if (line)
      fprintf(p->out, " (line %" PRIu64 ")", line);
    fputs("?", p->out);
  }
  fputs("</p><p><b>No.</b>", p->out);
  if (p->target) {
    fputs(" On ", p->out);
    put_markup(p->out, json_text(p->explored, KEY(database), ""));
    fputs(" at ", p->out);
    page_level(p->out, json_text(p->explored, KEY(level_in_effect), "?"));
    fputs(" it was seen ", p->out);
    quantity_put_grouped(p->out, json_whole(p->explored, KEY(seen), 0));
    fputs(" of ", p->out);
    quantity_put_grouped(p->out, json_whole(p->explored, KEY(performed), 0));
    fputs(" times.", p->out);
  }
  fputs("</p></div>\n", p->out);
}

static bool level_helps(const struct json_value *level) {
  return json_is_true(level, KEY(complete)) &&
         !json_whole(level, KEY(failing), 1);
}

static bool some_level_helps(const struct possible *p) {
  for (const struct json_value *l = json_first(p->explored, KEY(levels)); l;
       l = l->next)
    if (level_helps(l))
      return true;
  return false;
}

// Puts the levels of which all histories were explored, and none fails.
static void put_levels_that_help(const struct possible *p) {
  const char *separator = "";
  for (const struct json_value *l = json_first(p->explored, KEY(levels)); l;
       l = l->next)
    if (level_helps(l)) {
      fprintf(p->out, "%s<b>", separator);
      put_markup(p->out, json_text(l, KEY(level), "?"));
      fputs("</b>", p->out);
      separator = ", ";
    }
}

// No level helps.
static void put_other_levels(const struct possible *p) {
  const struct json_value *first = json_first(p->explored, KEY(levels));
  if (!first || first->next) {
    fputs("None of the levels that were explored; <code>-i</code> takes "
          "others.",
          p->out);
    return;
  }
  fputs("Only <b>", p->out);
  put_markup(p->out, json_text(first, KEY(level), "?"));
  fputs("</b> was explored; without <code>-i</code> the other levels are, too.",
        p->out);
}

static void put_explored_promise(const struct possible *p) {
  if (p->anomaly == ANOMALY_NONE) {
    fputs("<div><h2>Does a database promise it?</h2><p><b>No.</b> Each level "
          "allows that transactions run one after another.</p></div>\n",
          p->out);
    return;
  }
  if (p->target) {
    columns_put_promise(p->out, &p->answer);
    return;
  }
  fputs("<div class=\"open\"><h2>Does the database promise it?</h2><p><b>Not "
        "known.</b> No database was named. One whose level promises no more "
        "than <b>",
        p->out);
  put_markup(p->out, json_text(p->failure, KEY(level), "?"));
  fputs("</b> allows this.", p->out);
  if (some_level_helps(p)) {
    fputs(" With these sessions and values it cannot happen at ", p->out);
    put_levels_that_help(p);
    fputc('.', p->out);
  }
  fputs("</p></div>\n", p->out);
}

static void put_repairs(const struct possible *p) {
  const struct json_value *repair = json_first(p->explored, KEY(repairs));
  if (!json_member(p->explored, KEY(repairs)))
    fputs("<p><code>--repair</code> finds the single changes of this program "
          "that help.</p>",
          p->out);
  else if (!repair)
    fputs("<p>No change of a single statement or transaction that was tried "
          "helps.</p>",
          p->out);
  else
    fputs("<p>In this program, each of these alone helps:</p><ul>", p->out);
  for (const struct json_value *r = repair; r; r = r->next) {
    fputs("<li>", p->out);
    put_markup(p->out, r->text);
    fputs("</li>", p->out);
  }
  fputs(repair ? "</ul>" : "", p->out);
}

// The exploration says what helps in this program.  Advice on the anomaly in
// general could contradict it: two tables may need more than a level that helps
// with one.  Only a database that broke its promise is another matter.
static void put_help(const struct possible *p) {
  if (p->answer.badge == BADGE_FORBIDDEN) {
    columns_put_help(p->out, &p->answer);
  } else {
    fputs("<div><h2>What helps</h2><p>", p->out);
    if (some_level_helps(p)) {
      put_levels_that_help(p);
      fputs(" for all transactions, with these sessions and values.", p->out);
    } else {
      put_other_levels(p);
    }
    fputs("</p>", p->out);
  }
  put_repairs(p);
}

static void put_explored_meaning(const struct possible *p) {
  if (p->anomaly != ANOMALY_NONE) {
    columns_put_application(p->out, p->anomaly);
    put_help(p);
    fputs("</div>\n", p->out);
  } else {
    fputs("<div><h2>In your application</h2><p>isostress cannot say: only who "
          "wrote the assertion knows what it protects.</p></div>\n"
          "<div><h2>What helps</h2><p>Change the program so that it keeps the "
          "assertion when it runs alone, or correct the assertion.</p></div>\n",
          p->out);
  }
}

bool page_put_possible(FILE *out, const struct stored *s) {
  const struct json_value *explored = json_member(s->document, KEY(explored));
  const enum badge badge = badge_of(s);
  const char *word =
      json_text(json_member(s->document, KEY(verdict)), KEY(verdict), "");
  if (!explored || badge == BADGE_UNDECIDED || badge == BADGE_UNCHECKED)
    return false;
  struct possible p = {
      .out = out,
      .explored = explored,
      .failure = json_member(explored, KEY(failure)),
      .target = json_text(explored, KEY(target), NULL),
      .anomaly =
          s->nexamples ? words_anomaly(s->examples->anomaly) : ANOMALY_NONE,
  };
  p.answer = (struct subject){
      .level = {.target = p.target ? p.target : "",
                .server = json_text(explored, KEY(database), ""),
                .level = json_text(explored, KEY(level_in_effect), ""),
                .several = p.target && badge_names_several(p.target)},
      .anomaly = p.anomaly,
      .unseen = !json_whole(explored, KEY(seen), 0),
  };
  if ((p.target && !isolation_parse(json_text(explored, KEY(claimed), ""),
                                    &p.answer.level.claimed)) ||
      (p.anomaly == ANOMALY_NONE) != !strcmp(word, "pass"))
    return false;
  p.answer.badge = badge_of_anomaly(&p.answer.level, p.anomaly);
  page_tag(out, badge_words[badge].colour, badge_words[badge].tag);
  put_explored_headline(&p);
  fputs("<div class=\"facts\">\n", out);
  put_explored_question(&p);
  put_explored_promise(&p);
  put_explored_meaning(&p);
  fputs("</div>\n", out);
  return true;
}

// ---- The story and the levels

static void put_explored_story(FILE *out, const struct json_value *explored) {
  const char *story = json_text(explored, KEY(story), NULL);
  if (!story)
    return;
  page_section(out, "story", "The steps, as the program says them");
  fputs("<pre>", out);
  for (const char *line = story; *line;) {
    const size_t n = strcspn(line, "\n");
    char *one = xasprintf("%.*s", (int)n, line);
    put_markup(out, one);
    fputc('\n', out);
    free(one);
    line += n + (line[n] == '\n');
  }
  fputs("</pre></section>\n", out);
}

void page_put_explored(FILE *out, const struct json_value *document) {
  const struct json_value *explored = json_member(document, KEY(explored));
  if (!explored)
    return;
  put_explored_story(out, explored);
  page_section(out, "levels-explored", "What each level allows");
  fputs("<p>Every history of ", out);
  put_explored_name(out, json_text(explored, KEY(program), "the program"));
  fputs(" with these sessions, transactions and values was tried. Other values "
        "and more sessions may show more.</p>\n",
        out);
  put_explored_levels(out, explored);
  put_live(out, explored);
  put_random_load(out, explored);
  fputs("</section>\n", out);
}
