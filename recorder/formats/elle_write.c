// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a history as Jepsen and Elle have it, in EDN or JSON: an invocation
// and a completion for each transaction in the order of their times, or
// completions alone where there are no times.
#include "config.h"

#include "recorder/formats/elle.h"

#include "recorder/formats/events.h"

#include <inttypes.h>

// The words of a notation.
struct notation {
  bool edn;
  const char *open, *member, *value_of, *quote;
};

static const struct notation edn = {true, "{:index ", ", :", " ", ":"};
static const struct notation json = {false, "{\"index\":", ",\"", "\":", "\""};

struct printing {
  struct export_writing *w;
  const struct notation *n;
};

static void put_elle_name(struct printing *p, const char *name) {
  fprintf(p->w->out, "%s%s%s", p->n->member, name, p->n->value_of);
}

// A keyword, or a string.
static void put_elle_word(struct printing *p, const char *word) {
  fprintf(p->w->out, "%s%s%s", p->n->quote, word, p->n->edn ? "" : p->n->quote);
}

// `blank`: as invoked, before anything was read.
static void put_elle_op(struct printing *p, const struct exported *said,
                        bool blank) {
  const char *comma = p->n->edn ? " " : ",";
  fputc('[', p->w->out);
  put_elle_word(p, op_reads(said->kind)         ? "r"
                   : said->kind == OP_APPEND    ? "append"
                   : said->kind == EXPORTED_ADD ? "add"
                                                : "w");
  fputs(comma, p->w->out);
  writing_put_key(p->w, said->key, p->n->edn);
  fputs(comma, p->w->out);
  if (op_reads(said->kind) && (blank || (said->nothing && !said->list)))
    fputs(p->n->edn ? "nil" : "null", p->w->out);
  else if (said->kind == OP_READ_LIST)
    writing_put_list(p->w, said, p->n->edn);
  else if (said->kind == EXPORTED_SET)
    writing_put_set(p->w, said);
  else
    writing_put_value(p->w, said->value, p->n->edn);
  fputc(']', p->w->out);
}

static void put_elle_ops(struct printing *p, uint32_t t, bool blank) {
  const struct exported *said;
  const uint32_t n = export_txn(p->w, t, &said);
  fputc('[', p->w->out);
  for (uint32_t i = 0; i < n; i++) {
    fputs(!i ? "" : p->n->edn ? " " : ",", p->w->out);
    put_elle_op(p, &said[i], blank);
  }
  fputc(']', p->w->out);
}

static void put_event(void *context, const struct call_event *event) {
  static const char *const types[] = {[OUTCOME_OK] = "ok",
                                      [OUTCOME_ABORTED] = "fail",
                                      [OUTCOME_UNKNOWN] = "info"};
  struct printing *p = context;
  FILE *out = p->w->out;
  fprintf(out, "%s%" PRIu64, p->n->open, event->index);
  put_elle_name(p, "type");
  put_elle_word(p, event->invocation
                       ? "invoke"
                       : types[writing_outcome(p->w, event->txn)]);
  put_elle_name(p, "f");
  put_elle_word(p, "txn");
  put_elle_name(p, "process");
  fprintf(out, "%" PRIu32, event->session);
  if (event->time != TIME_UNKNOWN) {
    put_elle_name(p, "time");
    fprintf(out, "%" PRIu64, event->time);
  }
  put_elle_name(p, "value");
  put_elle_ops(p, event->txn, event->invocation);
  fputs("}\n", out);
}

static int write_events(struct export_writing *w,
                        const struct notation *notation) {
  struct printing printing = {w, notation};
  events_tell(w, put_event, &printing);
  return 0;
}

int elle_write_edn(struct export_writing *writing) {
  return write_events(writing, &edn);
}

int elle_write_json(struct export_writing *writing) {
  return write_events(writing, &json);
}
