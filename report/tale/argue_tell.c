// SPDX-License-Identifier: GPL-3.0-or-later
// The words for the steps of an argument (report/tale/argue.h); what they mean
// is said in checker/verdict/verdict.h.
#include "config.h"

#include "report/tale/argue.h"

#include "base/memory.h"
#include "recorder/row_words.h"
#include "report/tale/story.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

static const struct inference *argument_step_of(const struct argue *a,
                                                uint32_t s) {
  assert(s < a->verdict->argument.nsteps);
  return &a->verdict->argument.steps[s];
}

// A sentence under construction, with the names that it needs.
struct saying {
  const struct argue *a;
  const struct inference *step;
  const uint32_t *path; // that its first and end are in
  bool precise;         // tells snapshots and commits apart
  FILE *out;
  char by[STORY_SENTENCE]; // " (see 1 and 3)", or nothing
};

static const char *name_argument_txn(const struct saying *s, uint32_t txn,
                                     char *buffer) {
  return names_txn(s->a->names, txn, buffer);
}

static void put_argument_txn(const struct saying *s, uint32_t txn) {
  char buffer[NAME_ROOM];
  fputs(name_argument_txn(s, txn, buffer), s->out);
}

static void put_txn_of(const struct saying *s, uint32_t op) {
  put_argument_txn(s, history_txn(s->a->history, op));
}

static void put_argument_operation(const struct saying *s, uint32_t op) {
  char sentence[STORY_SENTENCE];
  story_operation(s->a->names, op, sentence);
  fputs(sentence, s->out);
}

static void put_mark(const struct saying *s, uint32_t number, FILE *out) {
  char mark[NAME_ROOM];
  fputs(argue_mark(number, s->a->verdict->nedges, mark), out);
}

static void put_marks(const struct saying *s, const uint32_t *numbers,
                      uint32_t count, FILE *out) {
  for (uint32_t i = 0; i < count; i++) {
    fputs(i == 0 ? "" : i + 1 == count ? " and " : ", ", out);
    put_mark(s, numbers[i], out);
  }
}

static void put_argument_path(FILE *out, const struct saying *s) {
  uint32_t numbers[ARGUE_MOST], count = 0;
  for (uint32_t i = s->step->first; i < s->step->end; i++) {
    const uint32_t number = s->a->number[s->path[i]];
    bool known = false;
    for (uint32_t k = 0; k < count; k++)
      known |= numbers[k] == number;
    if (!known && number && count < ARGUE_MOST)
      numbers[count++] = number;
  }
  put_marks(s, numbers, count, out);
}

// Do snapshots and commits have to be told apart?
static bool has_snapshots(const struct argue *a) {
  const enum isolation level = a->verdict->broken;
  return a->verdict->question.recorded || level == ISOLATION_PC ||
         level == ISOLATION_SI;
}

// "A must come before B", or what of A before what of B.
static void put_argument_order(const struct saying *s) {
  const struct inference *step = s->step;
  const bool precise = s->precise;
  put_argument_txn(s, step->from / 2);
  fputs(!precise         ? " comes before "
        : step->from % 2 ? " must commit before "
                         : " must take its snapshot before ",
        s->out);
  put_argument_txn(s, step->to / 2);
  if (precise)
    fputs(step->to % 2 ? " commits" : " takes its snapshot", s->out);
}

static void put_argument_conclusion(const struct saying *s) {
  fputs(". So ", s->out);
  put_argument_order(s);
  fputc('.', s->out);
}

// --- Each reason.

static void put_element(const struct saying *s, uint32_t append) {
  char value[NAME_ROOM];
  put_txn_of(s, append);
  fprintf(s->out, "'s %s", names_written(s->a->names, append, value));
}

static bool is_in_list(const struct history *h, uint32_t read,
                       uint32_t append) {
  const uint32_t list = h->saw[read];
  for (uint32_t i = h->list[list].first; i < history_list_end(h, list); i++)
    if (h->element[i] == append)
      return true;
  return false;
}

static void say_argument_list(const struct saying *s) {
  const struct inference *step = s->step;
  put_txn_of(s, step->read);
  fputc(' ', s->out);
  put_argument_operation(s, step->read);
  fputs(", in which ", s->out);
  put_element(s, step->from_op);
  fputs(is_in_list(s->a->history, step->read, step->to_op)
            ? " stands before "
            : " stands, without ",
        s->out);
  put_element(s, step->to_op);
  put_argument_conclusion(s);
}

// The read saw the initial value.
static void say_initial(const struct saying *s) {
  const char *by = s->by;
  put_txn_of(s, s->step->read);
  if (*by) {
    fputs(" comes after ", s->out);
    put_argument_txn(s, s->step->to / 2);
    fprintf(s->out, "%s and yet ", by);
  } else
    fputc(' ', s->out);
  put_argument_operation(s, s->step->read);
  fputs(history_is_of_set(s->a->history, s->step->read)
            ? ", before "
            : ", which was there before ",
        s->out);
  put_argument_txn(s, s->step->to / 2);
  fputc(' ', s->out);
  put_argument_operation(s, s->step->to_op);
  put_argument_conclusion(s);
}

// Another one wrote the key after the writer that was read from.
static void say_overwritten(const struct saying *s, uint32_t seen) {
  put_txn_of(s, s->step->read);
  fputc(' ', s->out);
  put_argument_operation(s, s->step->read);
  fputs(", which ", s->out);
  put_txn_of(s, seen);
  fputs(" wrote; later", s->out);
  fputs(s->by, s->out);
  fputc(' ', s->out);
  put_argument_txn(s, s->step->to / 2);
  fputc(' ', s->out);
  put_argument_operation(s, s->step->to_op);
  put_argument_conclusion(s);
}

// The reader comes after another writer than the one that it read from.
static void say_overwrote(const struct saying *s) {
  put_argument_txn(s, s->step->from / 2);
  fputc(' ', s->out);
  put_argument_operation(s, s->step->from_op);
  fputs(" and comes before ", s->out);
  put_txn_of(s, s->step->read);
  fputs(s->by, s->out);
  fputs(", but ", s->out);
  put_txn_of(s, s->step->read);
  fputc(' ', s->out);
  put_argument_operation(s, s->step->read);
  fputs(", which ", s->out);
  put_argument_txn(s, s->step->to / 2);
  fputs(" wrote", s->out);
  put_argument_conclusion(s);
}

static void say_read(const struct saying *s) {
  const struct history *h = s->a->history;
  const uint32_t seen = h->kind[s->step->read] == OP_READ_LIST
                            ? NONE
                            : argued_saw(s->a, s->step->read);
  if (s->step->kind == EDGE_WW)
    say_overwrote(s);
  else if (seen < h->nops)
    say_overwritten(s, seen);
  else
    say_initial(s);
}

static void say_writers(const struct saying *s) {
  const bool seen = s->step->to % 2 == 0;
  char key[NAME_ROOM];
  const struct names *n = s->a->names;
  put_argument_txn(s, s->step->from / 2);
  fputs(seen ? " commits before " : " takes its snapshot before ", s->out);
  put_argument_txn(s, s->step->to / 2);
  fprintf(s->out, "%s%s, and both wrote %s%s", seen ? "" : " commits", s->by,
          n->raw_rows ? "key " : "",
          names_key(n, n->history->key[s->step->to_op], key));
  put_argument_conclusion(s);
}

static void say_supposed(const struct saying *s) {
  const bool precise = s->precise;
  fputs("Suppose that ", s->out);
  put_argument_txn(s, s->step->from / 2);
  fputs(!precise            ? " comes before "
        : s->step->from % 2 ? " commits before "
                            : " takes its snapshot before ",
        s->out);
  put_argument_txn(s, s->step->to / 2);
  fputs(!precise          ? "."
        : s->step->to % 2 ? " commits."
                          : " takes its snapshot.",
        s->out);
}

static void say_contradiction(const struct saying *s, uint32_t at) {
  const struct argument *argument = &s->a->verdict->argument;
  const struct inference *first =
      &argument->steps[argument->path[s->step->first]];
  uint32_t supposed = 0;
  for (uint32_t i = at; s->a->supposed[at] && i-- > 0 && s->a->supposed[i] &&
                        argument_step_of(s->a, i)->why != REASON_CONTRADICTION;)
    supposed += argument_step_of(s->a, i)->why == REASON_SUPPOSED;
  fputs("By ", s->out);
  put_argument_path(s->out, s);
  fputs(", ", s->out);
  if (s->precise)
    fputs(first->from % 2 ? "the commit of " : "the snapshot of ", s->out);
  put_argument_txn(s, first->from / 2);
  fputs(supposed ? " would then come before itself, so "
                 : " would have to come before itself.",
        s->out);
  if (supposed)
    fputs(supposed == 1 ? "the supposition is false."
                        : "the suppositions cannot all be true.",
          s->out);
}

static void say_lemma(const struct saying *s) {
  fputs("By ", s->out);
  put_mark(s, s->a->number[s->step->lemma], s->out);
  if (s->step->first < s->step->end) {
    fputs(", with ", s->out);
    put_argument_path(s->out, s);
  }
  put_argument_conclusion(s);
}

// --- A row that a statement did not return.

static void put_search(const struct saying *s) {
  const struct verdict *v = s->a->verdict;
  const struct rows *rows =
      v->rows_part ? v->rows_part->rows : s->a->history->rows;
  const struct recorded_statement *search = &rows->statements[s->step->read];
  char number[24];
  const char *key = history_key(s->a->history, s->step->lemma, number);
  put_argument_txn(s, argued_searcher(s->a, s->step));
  if (search->condition == NO_CONDITION) {
    fprintf(s->out, " inserted row %s and so found no such row", key);
    return;
  }
  fputs(" looked for ", s->out);
  row_words_put_condition(s->out, rows, search);
  fprintf(s->out, " and did not find row %s", key);
}

// Who wrote the version that would have been found, and who hid the row after
// that.
static void say_unreturned(const struct saying *s) {
  const struct inference *step = s->step;
  const bool first = step->from_op == UINT32_MAX;
  put_search(s);
  if (first) {
    fputs(", which was there at first", s->out);
  } else {
    fputs(". ", s->out);
    put_txn_of(s, step->from_op);
    if (step->why == REASON_IN_SIGHT) {
      fputs(", which is visible to ", s->out);
      put_argument_txn(s, argued_searcher(s->a, step));
      fputc(',', s->out);
    }
    fputc(' ', s->out);
    put_argument_operation(s, step->from_op);
  }
  if (step->kind != EDGE_RW) {
    fputs(". ", s->out);
    put_txn_of(s, step->to_op);
    fputc(' ', s->out);
    put_argument_operation(s, step->to_op);
    fprintf(s->out, ", and nothing else hides the row%s", s->by);
  } else if (*s->by) {
    fprintf(s->out, ", and nothing hides the row after that%s", s->by);
  }
  put_argument_conclusion(s);
}

static void say_history(const struct saying *s) {
  char sentence[STORY_SENTENCE];
  const struct edge edge = {s->step->kind, s->step->from / 2, s->step->to / 2,
                            s->step->from_op, s->step->to_op};
  story_edge(s->a->names, &edge, sentence);
  fputs(sentence, s->out);
}

static void say_argument(const struct saying *s, uint32_t at) {
  switch ((enum reason)s->step->why) {
  case REASON_HISTORY:
    say_history(s);
    break;
  case REASON_LIST:
    say_argument_list(s);
    break;
  case REASON_READ:
    say_read(s);
    break;
  case REASON_WRITERS:
    say_writers(s);
    break;
  case REASON_SUPPOSED:
    say_supposed(s);
    break;
  case REASON_CONTRADICTION:
    say_contradiction(s, at);
    break;
  case REASON_LEMMA:
    say_lemma(s);
    break;
  case REASON_SEEN:
  case REASON_SAW: // of an argument that is not told
    break;
  case REASON_UNRETURNED:
  case REASON_IN_SIGHT:
    say_unreturned(s);
    break;
  }
}

// Keeps the printed text, cut where a sentence has to end.
static void keep_argument(char *sentence, char *text, size_t bytes) {
  snprintf(sentence, STORY_SENTENCE, "%s", text);
  if (bytes >= STORY_SENTENCE)
    memcpy(sentence + STORY_SENTENCE - 4, "...", 4);
  free(text);
}

static FILE *open_text(char **text, size_t *bytes) {
  FILE *out = text_stream(text, bytes);
  return out;
}

static void tell_argument(struct saying *s, uint32_t at, char *sentence) {
  char *text;
  size_t bytes;
  if (s->step->first < s->step->end) {
    FILE *by = open_text(&text, &bytes);
    fputs(" (see ", by);
    put_argument_path(by, s);
    fputs(")", by);
    fclose(by);
    keep_argument(s->by, text, bytes);
  }
  s->out = open_text(&text, &bytes);
  say_argument(s, at);
  fclose(s->out);
  keep_argument(sentence, text, bytes);
}

void argue_step(const struct argue *argue, uint32_t step, char *sentence) {
  struct saying s = {.a = argue,
                     .step = argument_step_of(argue, step),
                     .path = argue->verdict->argument.path,
                     .precise = has_snapshots(argue)};
  tell_argument(&s, step, sentence);
}

void argue_edge(const struct argue *argue, uint32_t i, char *sentence) {
  assert(i < argue->verdict->nedges);
  const uint32_t step = argue->step[i];
  const bool own = argue->own[i].first < argue->own[i].end;
  struct saying s = {.a = argue,
                     .step = own            ? &argue->own[i]
                             : step == NONE ? NULL
                                            : argument_step_of(argue, step),
                     .path =
                         own ? argue->own_path : argue->verdict->argument.path};
  if (!s.step || argue->too_long || argue->evident[i])
    story_edge(argue->names, &argue->verdict->edges[i], sentence);
  else
    tell_argument(&s, step, sentence);
}
