// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a history as Jepsen and Elle have it, in EDN or JSON: an invocation
// and a completion for each transaction in the order of their times, or
// completions alone where there are no times.
#include "config.h"

#include "recorder/formats/elle_write.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

// The words of a notation.
struct notation {
  bool edn;
  const char *open, *member, *value_of, *close, *quote;
};

static const struct notation edn = {true, "{:index ", ", :", " ", "}\n", ":"};
static const struct notation json = {false, "{\"index\":", ",\"",
                                     "\":", "}\n",         "\""};

// A session and its next event; sessions are in a heap, the earliest on top.
struct session {
  uint64_t time;
  uint32_t id;
  bool invoked;
};

struct merging {
  struct writing *w;
  const struct notation *n;
  struct session *heap;
  uint32_t count;
  uint64_t index;
};

static void put_name(struct merging *m, const char *name) {
  fprintf(m->w->out, "%s%s%s", m->n->member, name, m->n->value_of);
}

// A keyword, or a string.
static void put_word(struct merging *m, const char *word) {
  fprintf(m->w->out, "%s%s%s", m->n->quote, word, m->n->edn ? "" : m->n->quote);
}

static void put_list(struct merging *m, const struct said *said) {
  const char *comma = m->n->edn ? " " : ",";
  fputc('[', m->w->out);
  for (const uint64_t *v = said->list; v < said->list_end; v++) {
    fputs(v > said->list ? comma : "", m->w->out);
    writing_put_value(m->w, *v, m->n->edn);
  }
  fputc(']', m->w->out);
}

// `blank`: as invoked, before anything was read.
static void put_op(struct merging *m, const struct said *said, bool blank) {
  const char *comma = m->n->edn ? " " : ",";
  fputc('[', m->w->out);
  put_word(m, op_reads(said->kind)      ? "r"
              : said->kind == OP_APPEND ? "append"
                                        : "w");
  fputs(comma, m->w->out);
  writing_put_key(m->w, said->key, m->n->edn);
  fputs(comma, m->w->out);
  if (op_reads(said->kind) && (blank || (said->nothing && !said->list)))
    fputs(m->n->edn ? "nil" : "null", m->w->out);
  else if (said->kind == OP_READ_LIST)
    put_list(m, said);
  else
    writing_put_value(m->w, said->value, m->n->edn);
  fputc(']', m->w->out);
}

static void put_ops(struct merging *m, uint32_t t, bool blank) {
  const struct history *h = m->w->h;
  const char *comma = "";
  fputc('[', m->w->out);
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    struct said said[SAID_MAX];
    const uint32_t n = writing_say(m->w, t, op, said);
    for (uint32_t i = 0; i < n; i++) {
      fputs(comma, m->w->out);
      put_op(m, &said[i], blank);
      comma = m->n->edn ? " " : ",";
    }
  }
  fputc(']', m->w->out);
}

static void put_event(struct merging *m, uint32_t t, bool invocation,
                      uint64_t time) {
  static const char *const types[] = {[OUTCOME_OK] = "ok",
                                      [OUTCOME_ABORTED] = "fail",
                                      [OUTCOME_UNKNOWN] = "info"};
  FILE *out = m->w->out;
  fprintf(out, "%s%" PRIu64, m->n->open, m->index++);
  put_name(m, "type");
  put_word(m, invocation ? "invoke" : types[writing_outcome(m->w, t)]);
  put_name(m, "f");
  put_word(m, "txn");
  put_name(m, "process");
  fprintf(out, "%" PRIu32, m->heap[0].id);
  if (time != TIME_UNKNOWN) {
    put_name(m, "time");
    fprintf(out, "%" PRIu64, time);
  }
  put_name(m, "value");
  put_ops(m, t, invocation);
  fputs(m->n->close, out);
}

static bool earlier(const struct session *a, const struct session *b) {
  if (a->time != b->time)
    return a->time < b->time;
  return !a->invoked && b->invoked; // so instants that touch overlap
}

static void sink(struct merging *m, uint32_t i) {
  for (;;) {
    uint32_t least = i;
    for (uint32_t child = 2 * i + 1; child <= 2 * i + 2; child++)
      if (child < m->count && earlier(&m->heap[child], &m->heap[least]))
        least = child;
    if (least == i)
      return;
    const struct session s = m->heap[i];
    m->heap[i] = m->heap[least];
    m->heap[least] = s;
    i = least;
  }
}

// A completion stands somewhere, so that one of a committed transaction whose
// end is not known would say that it had ended before what comes behind it.
// Goes to the next transaction of the session; false if there is none.
static bool next_txn(struct writing *w, struct session *s) {
  const struct history *h = w->h;
  uint32_t t;
  if (!writing_next(w, s->id, &t))
    return false;
  const uint64_t begin = h->begin ? h->begin[t] : TIME_UNKNOWN;
  const bool ends =
      h->outcome[t] != OUTCOME_OK || (h->end && h->end[t] != TIME_UNKNOWN);
  s->invoked = begin == TIME_UNKNOWN || !ends; // it has no invocation
  if (!s->invoked)
    s->time = begin;
  return true;
}

static void put_next(struct merging *m) {
  const struct history *h = m->w->h;
  struct session *s = &m->heap[0];
  const uint32_t t = writing_at(m->w, s->id);
  const uint64_t end = h->end ? h->end[t] : TIME_UNKNOWN;
  if (!s->invoked) {
    put_event(m, t, true, s->time);
    s->invoked = true;
    s->time = end == TIME_UNKNOWN ? s->time : end;
  } else {
    put_event(m, t, false, end);
    if (!next_txn(m->w, s))
      m->heap[0] = m->heap[--m->count];
  }
  sink(m, 0);
}

static int write_events(struct writing *w, const struct notation *notation) {
  const struct history *h = w->h;
  struct merging m = {.w = w, .n = notation};
  m.heap = xmalloc(h->nsessions * sizeof *m.heap);
  for (uint32_t i = 0; i < h->nsessions; i++) {
    struct session s = {.id = i};
    writing_start(w, i);
    if (next_txn(w, &s))
      m.heap[m.count++] = s;
  }
  for (uint32_t i = m.count; i-- > 0;)
    sink(&m, i);
  while (m.count && !w->failed)
    put_next(&m);
  free(m.heap);
  return 0;
}

int elle_write_edn(struct writing *writing) {
  return write_events(writing, &edn);
}

int elle_write_json(struct writing *writing) {
  return write_events(writing, &json);
}
