// SPDX-License-Identifier: GPL-3.0-or-later
// How to see a counterexample by hand, on a page (report/page/sections.h): a
// terminal for each session, each step to copy with the result that the run
// saw.
#include "config.h"

#include "report/page/sections.h"

#include "base/utf8.h"
#include "report/page/blocks.h"
#include "report/words/html.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct typing {
  FILE *out;
  const struct example *e;
  const struct driver_words *words;
  unsigned number; // of the step
};

// Commands of which each is a line.
static void start_lines(struct typing *t, const char *class, const char *who) {
  t->number++;
  fprintf(t->out,
          "<div class=\"cmd %s\"><span class=\"i\">%u</span><span "
          "class=\"who\">%s</span><div><code>",
          class, t->number, who);
}

static void end_lines(struct typing *t, const char *returned) {
  fputs("</code>", t->out);
  if (returned) {
    fputs("<br><span class=\"soft\">", t->out);
    put_markup(t->out, returned);
    fputs("</span>", t->out);
  }
  fprintf(t->out,
          "</div><button class=\"copy\" type=\"button\" aria-label=\"Copy step "
          "%u\" hidden>Copy</button></div>\n",
          t->number);
}

static void put_opening(const struct typing *t, uint32_t nterminals) {
  fprintf(t->out,
          "<p>Open %" PRIu32 " terminal%s with <code>%s</code>, and type or "
          "copy the steps in their order.%s%s</p>\n"
          "<div class=\"script\" style=\"--n:%" PRIu32 "\">\n",
          nterminals, nterminals == 1 ? "" : "s", t->words->shell,
          t->words->commands->queue
              ? ""
              : " Where a terminal waits, go on at the next one.",
          example_has_short_values(t->e)
              ? " <b>2</b> stands for <b>x2</b>, and so on; <b>0</b> is what "
                "is there before."
              : "",
          nterminals);
}

enum { COMMANDS_MOST_TERMINALS = 4 };

struct terminals {
  const char *sessions[COMMANDS_MOST_TERMINALS];
  uint32_t n;
};

// The terminal of a session, counted from 0.
static uint32_t hands_terminal_of(struct terminals *terminals,
                                  const char *session) {
  uint32_t i = 0;
  while (i < terminals->n && strcmp(terminals->sessions[i], session) != 0)
    i++;
  if (i == terminals->n && i < COMMANDS_MOST_TERMINALS)
    terminals->sessions[terminals->n++] = session;
  return i < COMMANDS_MOST_TERMINALS ? i : 0;
}

static void put_hands_lines(FILE *out, const char *text) {
  for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
    char *line = xasprintf("%.*s", (int)(end - text), text);
    put_markup(out, line);
    fputc('\n', out);
    free(line);
  }
  put_markup(out, text);
}

static void put_hands_command(struct typing *t, struct terminals *terminals,
                              const struct json_value *command) {
  static const char *const names[COMMANDS_MOST_TERMINALS] = {"A", "B", "C",
                                                             "D"};
  const char *session = json_text(command, KEY(session), NULL);
  const char *name =
      session ? names[hands_terminal_of(terminals, session)] : NULL;
  start_lines(t, name ? name : "all", name ? name : "any");
  put_hands_lines(t->out, json_text(command, KEY(text), ""));
  const char *place = json_text(command, KEY(place), NULL);
  const char *returned = json_text(command, KEY(returned), NULL);
  char *below = place && returned ? xasprintf("%s, %s", place, returned) : NULL;
  end_lines(t, below ? below : place ? place : returned);
  free(below);
}

static bool op_times_known(const struct example *e) {
  bool known = false;
  for (uint32_t op = 0; op < e->nops; op++)
    known |= e->ops[op].end != TIME_UNKNOWN;
  return known;
}

static void put_closing(const struct typing *t) {
  fprintf(t->out,
          "</div>\n<p>%sBelow each step stands what came back in the run. %s"
          "</p>\n",
          t->words->has_keys ? "" : "The tables hold the rows that matter. ",
          op_times_known(t->e)
              ? "The steps stand where they were sent, or behind what they saw."
              : "The run did not record when each statement was answered: if a "
                "step returns something else, move the statements of the other "
                "terminal.");
}

static void put_terminals(struct typing *t, const struct json_value *first) {
  struct terminals terminals = {0};
  for (const struct json_value *c = first; c; c = c->next)
    if (json_text(c, KEY(session), NULL))
      hands_terminal_of(&terminals, json_text(c, KEY(session), ""));
  put_opening(t, terminals.n);
  put_hands_command(t, &terminals, first);
  for (uint32_t i = 0; i < terminals.n; i++) {
    fprintf(t->out, "<h3 class=\"%c\">Terminal %c (", 'A' + (int)i,
            'A' + (int)i);
    put_markup(t->out, terminals.sessions[i]);
    fputs(")</h3>\n", t->out);
  }
  for (const struct json_value *c = first->next; c; c = c->next)
    put_hands_command(t, &terminals, c);
  put_closing(t);
}

// Hands cannot keep the timing of servers that hear of changes later.
static void put_timing(const struct typing *t) {
  fprintf(t->out,
          "<p>The sessions spoke to several servers, and what one of them had "
          "not heard yet depends on moments: hands cannot keep that timing. "
          "%sxpect to try often.</p>\n",
          t->words->commands->put_host
              ? "E"
              : "Connect each terminal to the server of its session, and e");
}

static void put_apart(const struct typing *t, const char *level) {
  const struct shell_commands *c = t->words->commands;
  if (c->apart_level && !strcmp(c->apart_level, level)) {
    fputs("<p>", t->out);
    html_put(t->out, c->apart);
    fputs("</p>\n", t->out);
  }
}

// The level at which it was performed, where it was not the run's own.
static void put_replay_level(FILE *out, const struct stored *s) {
  const char *level = json_text(s->replay, KEY(level), "");
  const struct json_value *run = json_member(s->document, KEY(run));
  if (!strcmp(level, json_text(run, KEY(level), "")))
    return;
  fputs(" --isolation=", out);
  page_shell_word(out, level);
}

static void put_replay_command(FILE *out, const struct stored *s,
                               const char *directory) {
  const uint64_t performed = json_whole(s->replay, KEY(performed), 0);
  page_start_command(out);
  fputs("isostress replay", out);
  page_put_question(out, json_member(s->document, KEY(verdict)));
  if (s->replay) {
    put_replay_level(out, s);
    fprintf(out, " --repeat=%" PRIu64, performed);
  }
  fputc(' ', out);
  page_shell_word(out, directory);
  fputc(' ', out);
  page_shell_word(out, json_text(s->replay, KEY(target), "TARGET"));
  page_end_command(out);
}

// How often the last replay brought it back.
static void put_replayed(FILE *out, const struct json_value *replay) {
  const uint64_t other = json_whole(replay, KEY(other), 0);
  const char *server = json_text(replay, KEY(server), "");
  fputs("<p id=\"replayed\">isostress performed it again: <b>", out);
  put_markup(out, json_text(replay, KEY(anomaly), "it"));
  fputs(" came back in ", out);
  quantity_put_grouped(out, json_whole(replay, KEY(same), 0));
  fputs(" of ", out);
  quantity_put_grouped(out, json_whole(replay, KEY(performed), 0));
  fputs(" performances</b>", out);
  if (other) {
    fputs(", another violation in ", out);
    quantity_put_grouped(out, other);
  }
  fputs(" (", out);
  fprintf(out, "%.*s", (int)strcspn(server, ",(<&"), server);
  fputs(", level ", out);
  put_markup(out, json_text(replay, KEY(level), "?"));
  fputs("). In ", out);
  quantity_put_grouped(out, json_whole(replay, KEY(aborted), 0));
  fputs(" something aborted, in ", out);
  quantity_put_grouped(out, json_whole(replay, KEY(blocked), 0));
  fputs(" something waited. The command:</p>\n", out);
}

static void put_hands_replay(FILE *out, const struct stored *s) {
  const char *directory = json_text(s->document, KEY(directory), NULL);
  if (!directory)
    return;
  if (s->replay)
    put_replayed(out, s->replay);
  else
    fputs("<p>Or let isostress perform it again at a live database (TARGET). "
          "The command says how often it came back, and this page then shows "
          "that:</p>\n",
          out);
  put_replay_command(out, s, directory);
}

// The statement of the user's scripts at a place.
static const char *text_at_place(const struct json_value *own,
                                 const char *place) {
  for (const struct json_value *s = json_first(own, KEY(statements)); s;
       s = s->next)
    if (!strcmp(json_text(s, KEY(place), ""), place))
      return json_text(s, KEY(text), "");
  return "";
}

static const char *txn_of_op(const struct example *e, uint32_t op) {
  uint32_t t = 0;
  while (e->txns[t].end_op <= op)
    t++;
  return e->txns[t].name;
}

// The next operation by the time of its answer, behind `last`; EXAMPLE_NONE:
// that was the last.
static uint32_t next_answered(const struct example *e, uint32_t last) {
  uint32_t next = EXAMPLE_NONE;
  for (uint32_t op = 0; op < e->nops; op++) {
    const bool later = last == EXAMPLE_NONE ||
                       e->ops[op].end > e->ops[last].end ||
                       (e->ops[op].end == e->ops[last].end && op > last);
    if (later && (next == EXAMPLE_NONE || e->ops[op].end < e->ops[next].end))
      next = op;
  }
  return next;
}

// The user's statements as they stand in the scripts, in the order of their
// answers: the values of their variables are not kept.
static void put_script_steps(const struct typing *t,
                             const struct json_value *own) {
  uint32_t step = 0;
  page_table(t->out, "The statements in the order in which they were answered",
             "step|transaction|statement|text|what it did");
  for (uint32_t op = next_answered(t->e, EXAMPLE_NONE); op != EXAMPLE_NONE;
       op = next_answered(t->e, op)) {
    const struct example_op *o = &t->e->ops[op];
    char number[16];
    snprintf(number, sizeof number, "%" PRIu32, ++step);
    page_start_row(t->out, number);
    page_cell(t->out, "", txn_of_op(t->e, op));
    page_cell(t->out, "", o->place ? o->place : "");
    fputs("<td><code>", t->out);
    put_markup(t->out, o->place ? text_at_place(own, o->place) : "");
    fputs("</code></td>", t->out);
    page_cell(t->out, "", o->sentence);
    fputs("</tr>\n", t->out);
  }
  page_end_table(t->out);
  fputs("<p>To perform them by hand, open a terminal of the database for each "
        "transaction, begin it there, and put values in place of the "
        "variables so that the rows are those of the last column. Statements "
        "of the scripts that are not listed have no part in this.</p>\n",
        t->out);
}

void page_put_hands(FILE *out, const struct stored *s) {
  const struct json_value *run = json_member(s->document, KEY(run));
  const struct json_value *first = json_first(s->document, KEY(by_hand));
  if (!run || !s->nexamples)
    return;
  struct typing t = {
      .out = out,
      .e = &s->examples[0],
      .words = driver_words_of_target(json_text(run, KEY(target), "")),
  };
  page_section(out, "hands", "See it by hand");
  if (!t.words || !t.words->shell)
    fputs("<p>This database has no shell that isostress knows.</p>\n", out);
  else if (!first && json_member(s->document, KEY(own_scripts))) {
    put_script_steps(&t, json_member(s->document, KEY(own_scripts)));
  } else if (!first) {
    fputs("<p>These are too many transactions, or statements of another kind, "
          "for hands.</p>\n",
          out);
  } else {
    put_terminals(&t, first);
    put_apart(&t, json_text(run, KEY(level), ""));
    if (json_first(run, KEY(endpoints)))
      put_timing(&t);
  }
  put_hands_replay(out, s);
  fputs("</section>\n", out);
}
