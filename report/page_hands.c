// SPDX-License-Identifier: GPL-3.0-or-later
// How to see a counterexample by hand, on a page (report/page.h): a terminal
// for each session, each step to copy with the result that the run saw.
#include "config.h"

#include "report/page.h"

#include "base/utf8.h"
#include "report/hands.h"
#include "report/keys.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct typing {
  FILE *out;
  const struct example *e;
  const struct hands *hands;
  const struct hands_shell *shell;
  const char *level, *target;
  unsigned number;      // of the step
  const char *endpoint; // of its transaction; NULL: there is only one
};

// The host of a target that names one, without a password.
static void put_host(const struct typing *t) {
  const char *host = strstr(t->target, "://");
  host = host ? host + strlen("://") : t->target;
  const int length = (int)strcspn(host, ",/?");
  const char *at = memchr(host, '@', (size_t)length);
  char *only = xasprintf("%.*s", length - (int)(at ? at + 1 - host : 0),
                         at ? at + 1 : host);
  put_markup(t->out, t->endpoint ? t->endpoint : only);
  free(only);
}

static void put_option(const struct typing *t, char option) {
  if (option == 'h') {
    fputs(t->shell->host_option, t->out);
    put_host(t);
  } else if (!strcmp(t->level, t->shell->weak)) {
    fputs(t->shell->weak_option, t->out);
  }
}

static void put_pattern(const struct typing *t, const char *pattern,
                        uint32_t row, int value) {
  for (const char *c = pattern; *c; c++) {
    const char one[] = {*c, '\0'};
    if (*c == '\n') {
      fputc('\n', t->out); // markup would make it a blank
      continue;
    }
    if (*c != '%') {
      put_markup(t->out, one);
      continue;
    }
    switch (*++c) {
    case 'k':
      fprintf(t->out, "%" PRIu32, row);
      break;
    case 'v':
      fprintf(t->out, "%d", value);
      break;
    case 'h':
    case 'c':
      put_option(t, *c);
      break;
    default:
      put_markup(t->out, t->level);
    }
  }
}

static void put_op(const struct typing *t, const char *pattern, uint32_t op) {
  const struct example_op *o = &t->e->ops[op];
  put_pattern(t, pattern, hands_row(t->hands, o->key), hands_value(o->label));
}

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

static void put_setup(struct typing *t) {
  const struct hands *h = t->hands;
  const char *setup = h->lists ? t->shell->list_setup : t->shell->setup;
  const char *preload = h->lists ? t->shell->list_preload : t->shell->preload;
  t->endpoint = t->e->txns[0].endpoint;
  start_lines(t, "all", "any");
  if (setup)
    fprintf(t->out, "%s\n", setup);
  for (uint32_t row = 1; preload && row <= h->nkeys; row++) {
    put_pattern(t, preload, row, 0);
    fputs(row < h->nkeys ? "\n" : "", t->out);
  }
  end_lines(t, NULL);
}

static bool is_write(const struct example_op *op) {
  return !strcmp(op->kind, "write") || !strcmp(op->kind, "append");
}

// How many of the operations of a transaction write, or read.
static uint32_t count_ops(const struct typing *t, uint32_t txn, bool writes) {
  const struct example_txn *x = &t->e->txns[txn];
  uint32_t n = 0;
  for (uint32_t op = x->first_op; op < x->end_op; op++)
    n += is_write(&t->e->ops[op]) == writes;
  return n;
}

// A key that is read twice is compared once.
static bool is_first_of_key(const struct typing *t, uint32_t txn, uint32_t op) {
  uint32_t i = t->e->txns[txn].first_op;
  while (i < op && (is_write(&t->e->ops[i]) ||
                    strcmp(t->e->ops[i].key, t->e->ops[op].key) != 0))
    i++;
  return i == op;
}

static void put_compares(const struct typing *t, uint32_t txn) {
  const struct example_txn *x = &t->e->txns[txn];
  for (uint32_t op = x->first_op; op < x->end_op; op++)
    if (!is_write(&t->e->ops[op]) && is_first_of_key(t, txn, op)) {
      put_op(t, t->shell->compare, op);
      fputc('\n', t->out);
    }
  fputc('\n', t->out);
}

// The writes of a transaction whose database queues them until the commit.
static void put_queue(const struct typing *t, uint32_t txn) {
  const struct example_txn *x = &t->e->txns[txn];
  put_pattern(t, t->shell->before_queue, 0, 0);
  fputc('\n', t->out);
  if (t->shell->compare)
    put_compares(t, txn);
  for (uint32_t op = x->first_op; op < x->end_op; op++) {
    if (!is_write(&t->e->ops[op]))
      continue;
    put_op(t,
           t->shell->step[strcmp(t->e->ops[op].kind, "write") ? HAND_APPEND
                                                              : HAND_WRITE],
           op);
    fputc('\n', t->out);
  }
  put_pattern(t, t->shell->step[HAND_COMMIT], 0, 0);
}

static bool is_lone_write(const struct typing *t, uint32_t txn) {
  return t->shell->lone_write && count_ops(t, txn, true) == 1 &&
         !count_ops(t, txn, false);
}

static void put_queued_commit(const struct typing *t, uint32_t txn) {
  const uint32_t first = t->e->txns[txn].first_op;
  if (is_lone_write(t, txn))
    put_op(t, t->shell->lone_write, first);
  else
    put_queue(t, txn);
}

// Does some transaction compare what it read?
static bool compares(const struct typing *t) {
  bool any = false;
  for (uint32_t txn = 0; txn < t->e->ntxns; txn++)
    any |= t->shell->compare && count_ops(t, txn, true) &&
           count_ops(t, txn, false);
  return any;
}

static char *returned_by(const struct typing *t, const struct hand *hand) {
  const struct example_op *o = &t->e->ops[hand->op];
  const char *name = strchr(o->label, ' ');
  name = name ? name + 1 : o->label;
  const int value = hands_value(o->label);
  if (hand->step == HAND_READ_LIST)
    return xasprintf("returned %s in the run", name);
  return value >= 0 ? xasprintf("returns %d (%s)", value, name)
                    : xasprintf("returned %s in the run, which no step here "
                                "writes",
                                name);
}

// Nothing is typed for what a database queues until the commit, nor for a
// commit that has nothing to do.
static bool is_typed(const struct typing *t, const struct hand *hand) {
  if (!t->shell->step[hand->step])
    return false;
  if (!t->shell->queues)
    return true;
  return hand->step == HAND_COMMIT
             ? count_ops(t, hand->txn, true) ||
                   (t->shell->guard && !strcmp(t->level, t->shell->guard))
             : hand->step != HAND_WRITE && hand->step != HAND_APPEND;
}

static void put_read(const struct typing *t, const struct hand *hand) {
  const bool compared = t->shell->compare && count_ops(t, hand->txn, true);
  if (t->shell->read_first && !strcmp(t->level, "watch")) {
    put_op(t, t->shell->read_first, hand->op);
    fputc('\n', t->out);
  }
  put_op(t, compared ? t->shell->compared_read : t->shell->step[hand->step],
         hand->op);
}

static void put_step(struct typing *t, const struct hand *hand) {
  static const char *const names[] = {"A", "B", "C", "D"};
  const bool reads = hand->step == HAND_READ || hand->step == HAND_READ_LIST;
  if (!is_typed(t, hand))
    return;
  t->endpoint = t->e->txns[hand->txn].endpoint;
  start_lines(t, names[hand->terminal], names[hand->terminal]);
  if (reads)
    put_read(t, hand);
  else if (hand->step == HAND_COMMIT && t->shell->queues)
    put_queued_commit(t, hand->txn);
  else if (hand->op == EXAMPLE_NONE)
    put_pattern(t, t->shell->step[hand->step], 0, 0);
  else
    put_op(t, t->shell->step[hand->step], hand->op);
  char *returned = reads ? returned_by(t, hand) : NULL;
  end_lines(t, returned);
  free(returned);
}

static void put_opening(const struct typing *t, uint32_t nterminals,
                        const char *values) {
  fprintf(t->out,
          "<p>Open %" PRIu32 " terminal%s with <code>%s</code>, and type or "
          "copy the steps in their order.%s%s%s</p>\n"
          "<div class=\"script\" style=\"--n:%" PRIu32 "\">\n",
          nterminals, nterminals == 1 ? "" : "s", t->shell->name,
          t->shell->queues ? ""
                           : " Where a terminal waits, go on at the next one.",
          values, compares(t) ? t->shell->note : "", nterminals);
}

static void put_terminals(struct typing *t) {
  const struct hands *h = t->hands;
  put_opening(t, h->nterminals, " <b>1</b> stands for <b>x1</b>, and so on.");
  put_setup(t);
  for (uint32_t i = 0; i < h->nterminals; i++)
    fprintf(t->out, "<h3 class=\"%c\">Terminal %c (session %" PRIu32 ")</h3>\n",
            'A' + (int)i, 'A' + (int)i, h->sessions[i]);
  for (uint32_t i = 0; i < h->nsteps; i++)
    put_step(t, &h->steps[i]);
  if (t->shell->end) {
    start_lines(t, "all", "any");
    put_pattern(t, t->shell->end, 0, 0);
    end_lines(t, NULL);
  }
  fputs("</div>\n<p>It has happened if each read returns what stands below it "
        "and each transaction ends as it does here.</p>\n",
        t->out);
}

// ---- Statements on rows: the report has their commands

enum { COMMANDS_MOST_TERMINALS = 4 };

struct terminals {
  const char *sessions[COMMANDS_MOST_TERMINALS];
  uint32_t n;
};

// The terminal of a session, counted from 0.
static uint32_t terminal_of(struct terminals *terminals, const char *session) {
  uint32_t i = 0;
  while (i < terminals->n && strcmp(terminals->sessions[i], session) != 0)
    i++;
  if (i == terminals->n && i < COMMANDS_MOST_TERMINALS)
    terminals->sessions[terminals->n++] = session;
  return i < COMMANDS_MOST_TERMINALS ? i : 0;
}

static void put_lines(FILE *out, const char *text) {
  for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
    char *line = xasprintf("%.*s", (int)(end - text), text);
    put_markup(out, line);
    fputc('\n', out);
    free(line);
  }
  put_markup(out, text);
}

static void put_command(struct typing *t, struct terminals *terminals,
                        const struct json_value *command) {
  static const char *const names[COMMANDS_MOST_TERMINALS] = {"A", "B", "C",
                                                             "D"};
  const char *session = json_text(command, KEY(session), NULL);
  const char *name = session ? names[terminal_of(terminals, session)] : NULL;
  start_lines(t, name ? name : "all", name ? name : "any");
  put_lines(t->out, json_text(command, KEY(text), ""));
  const char *place = json_text(command, KEY(place), NULL);
  const char *returned = json_text(command, KEY(returned), NULL);
  char *below = place && returned ? xasprintf("%s, %s", place, returned) : NULL;
  end_lines(t, below ? below : place ? place : returned);
  free(below);
}

static bool has_times(const struct example *e) {
  bool has = false;
  for (uint32_t op = 0; op < e->nops; op++)
    has |= e->ops[op].end != TIME_UNKNOWN;
  return has;
}

// False: there are none.
static bool put_commands(struct typing *t, const struct json_value *document) {
  const struct json_value *first = json_first(document, KEY(by_hand));
  struct terminals terminals = {0};
  if (!first)
    return false;
  for (const struct json_value *c = first; c; c = c->next)
    if (json_text(c, KEY(session), NULL))
      terminal_of(&terminals, json_text(c, KEY(session), ""));
  put_opening(t, terminals.n,
              example_has_short_values(t->e)
                  ? " <b>2</b> stands for <b>x2</b>, and so on; <b>0</b> is "
                    "what is there before."
                  : "");
  put_command(t, &terminals, first);
  for (uint32_t i = 0; i < terminals.n; i++) {
    fprintf(t->out, "<h3 class=\"%c\">Terminal %c (", 'A' + (int)i,
            'A' + (int)i);
    put_markup(t->out, terminals.sessions[i]);
    fputs(")</h3>\n", t->out);
  }
  for (const struct json_value *c = first->next; c; c = c->next)
    put_command(t, &terminals, c);
  fputs(
      "</div>\n<p>The tables hold the rows that matter. Below each step stands "
      "what came back in the run. ",
      t->out);
  fputs(has_times(t->e)
            ? "The steps stand where they were sent, or behind what they "
              "saw.</p>\n"
            : "The run did not record when each statement was answered: "
              "if a step returns something else, move the statements of the "
              "other terminal.</p>\n",
        t->out);
  return true;
}

// Says where hands cannot keep the timing of the run.
static void put_timing(const struct typing *t, bool servers) {
  const struct hands *h = t->hands;
  FILE *out = t->out;
  if (servers)
    fprintf(
        out,
        "<p>The sessions spoke to several servers, and what one of them had "
        "not heard yet depends on moments: hands cannot keep that timing. "
        "%sxpect to try often.</p>\n",
        t->shell->host_option
            ? "E"
            : "Connect each terminal to the server of its session, and e");
  else if (h->overlaps)
    fputs("<p>In the run, statements of different sessions were under way at "
          "the same moment, which hands cannot do. Each stands here where it "
          "was answered: if the database answers otherwise, type a statement "
          "earlier that waited, or let isostress try it many times.</p>\n",
          out);
  else if (h->guessed)
    fputs("<p>The run did not record when each statement was answered "
          "(<code>--op-times=on</code> does): the places of statements within "
          "a transaction are a guess. If a step returns something else, move "
          "the statements of the other terminal.</p>\n",
          out);
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
  page_grouped(out, json_whole(replay, KEY(same), 0));
  fputs(" of ", out);
  page_grouped(out, json_whole(replay, KEY(performed), 0));
  fputs(" performances</b>", out);
  if (other) {
    fputs(", another violation in ", out);
    page_grouped(out, other);
  }
  fputs(" (", out);
  fprintf(out, "%.*s", (int)strcspn(server, ",(<&"), server);
  fputs(", level ", out);
  put_markup(out, json_text(replay, KEY(level), "?"));
  fputs("). In ", out);
  page_grouped(out, json_whole(replay, KEY(aborted), 0));
  fputs(" something aborted, in ", out);
  page_grouped(out, json_whole(replay, KEY(blocked), 0));
  fputs(" something waited. The command:</p>\n", out);
}

static void put_replay(FILE *out, const struct stored *s) {
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

void page_put_hands(FILE *out, const struct stored *s) {
  const struct json_value *run = json_member(s->document, KEY(run));
  struct hands hands = {0};
  if (!run || !s->nexamples)
    return;
  struct typing t = {
      .out = out,
      .e = &s->examples[0],
      .hands = &hands,
      .shell = hands_shell(json_text(run, KEY(target), "")),
      .level = json_text(run, KEY(level), ""),
      .target = json_text(run, KEY(target), ""),
  };
  page_section(out, "hands", "See it by hand");
  if (!t.shell)
    fputs("<p>This database has no shell that isostress knows.</p>\n", out);
  else if (put_commands(&t, s->document))
    put_timing(&t, json_first(run, KEY(endpoints)) != NULL);
  else if (hands_of(&hands, t.e)) {
    put_terminals(&t);
    put_timing(&t, json_first(run, KEY(endpoints)) != NULL);
  } else {
    fputs("<p>These are too many transactions, or statements of another kind, "
          "for hands.</p>\n",
          out);
  }
  hands_free(&hands);
  put_replay(out, s);
  fputs("</section>\n", out);
}
