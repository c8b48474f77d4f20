// SPDX-License-Identifier: GPL-3.0-or-later
// Writes logs of calls (recorder/formats/calls.h).
#include "config.h"

#include "recorder/formats/calls.h"

#include "base/memory.h"
#include "recorder/formats/events.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

// A log's entry for an event.
struct log_call {
  const struct exported *said;
  uint64_t index, time;
  uint32_t process;
  const char *type; // "invoke", "ok" or "fail"
  bool invoked;
};

struct call_log {
  struct export_writing *w;
  void (*put)(struct call_log *log, const struct log_call *call);
  uint32_t *process; // by session
  uint8_t *holds;    // by key, of a store: sets of enum held
};

static void tell_call(void *context, const struct call_event *e) {
  struct call_log *log = context;
  struct export_writing *w = log->w;
  const enum outcome outcome = writing_outcome(w, e->txn);
  const struct exported *said;
  const uint32_t n = export_txn(w, e->txn, &said);
  if (n > 1)
    w->failed = error_set(
        w->error,
        "%s: cannot be written: %s has single operations, and "
        "a transaction of session %" PRIu32 " has %" PRIu32 " of them",
        w->path, w->format->name, e->session, n);
  else if (n && e->alone)
    w->failed = error_set(w->error,
                          "%s: cannot be written: %s needs the order of real "
                          "time, and the time of a transaction of session "
                          "%" PRIu32 " is not known",
                          w->path, w->format->name, e->session);
  else if (n && !e->invocation && outcome == OUTCOME_UNKNOWN)
    log->process[e->session] += w->h->nsessions;
  else if (n) {
    const struct log_call call = {.said = said,
                                  .index = e->index,
                                  .time = e->time,
                                  .process = log->process[e->session],
                                  .type = e->invocation ? "invoke"
                                          : outcome == OUTCOME_ABORTED ? "fail"
                                                                       : "ok",
                                  .invoked = e->invocation};
    log->put(log, &call);
  }
}

static int write_log(struct export_writing *w,
                     void (*put)(struct call_log *log,
                                 const struct log_call *call)) {
  const uint32_t nsessions = w->h->nsessions;
  struct call_log log = {.w = w, .put = put};
  log.process = xmalloc(nsessions * sizeof *log.process);
  log.holds = xcalloc(w->h->nkeys, sizeof *log.holds);
  for (uint32_t s = 0; s < nsessions; s++)
    log.process[s] = s;
  events_tell(w, tell_call, &log);
  free(log.process);
  free(log.holds);
  return w->failed ? -1 : 0;
}

static const char *called_function(const struct exported *said) {
  return said->kind == OP_CAS ? "cas" : op_reads(said->kind) ? "read" : "write";
}

// --- Jepsen's log of a register.  A compare-and-set from nil cannot be said,
// so that 0, which nobody writes, stands for nothing where there are any.

static void put_call_line(struct export_writing *w, uint32_t process,
                          const char *type, const char *function) {
  fprintf(w->out, "INFO  jepsen.util - %" PRIu32 "\t:%s\t:%s\t", process, type,
          function);
}

static void put_porcupine(struct call_log *log, const struct log_call *call) {
  const struct exported *said = call->said;
  struct export_writing *w = log->w;
  put_call_line(w, call->process, call->type, called_function(said));
  if (said->kind == OP_CAS)
    fprintf(w->out, "[%" PRIu64 " %" PRIu64 "]\n", said->expected, said->value);
  else if (op_reads(said->kind) &&
           (call->invoked || (said->nothing && !w->cas)))
    fputs("nil\n", w->out);
  else
    fprintf(w->out, "%" PRIu64 "\n", said->value);
}

int calls_write_porcupine(struct export_writing *w) {
  if (w->h->nkeys > 1)
    return error_set(w->error,
                     "%s: cannot be written: %s has a single register, and "
                     "there are %" PRIu32 " keys",
                     w->path, w->format->name, w->h->nkeys);
  for (int ok = 0; w->cas && ok < 2; ok++) {
    put_call_line(w, 0, ok ? "ok" : "invoke", "write");
    fputs("0\n", w->out);
  }
  return write_log(w, put_porcupine);
}

// --- A register, or several independent ones, as Knossos and Jepsen have them.

static void put_value_or_nil(struct export_writing *w, bool nothing,
                             uint64_t value) {
  if (nothing)
    fputs("nil", w->out);
  else
    writing_put_value(w, value, true);
}

static void put_knossos(struct call_log *log, const struct log_call *call) {
  const struct exported *said = call->said;
  struct export_writing *w = log->w;
  const bool several = w->h->nkeys > 1;
  fprintf(w->out, "{:process %" PRIu32 ", :type :%s, :f :%s, :value %s",
          call->process, call->type, called_function(said), several ? "[" : "");
  if (several) {
    writing_put_key(w, said->key, true);
    fputc(' ', w->out);
  }
  if (said->kind == OP_CAS) {
    fputc('[', w->out);
    put_value_or_nil(w, said->expects_nothing, said->expected);
    fputc(' ', w->out);
  }
  put_value_or_nil(w,
                   op_reads(said->kind) && said->kind != OP_CAS &&
                       (call->invoked || said->nothing),
                   said->value);
  fprintf(w->out, "%s%s", said->kind == OP_CAS ? "]" : "", several ? "]" : "");
  if (call->time != TIME_UNKNOWN)
    fprintf(w->out, ", :time %" PRIu64, call->time);
  fprintf(w->out, ", :index %" PRIu64 "}\n", call->index);
}

int calls_write_knossos(struct export_writing *w) {
  return write_log(w, put_knossos);
}

// --- A key-value store of strings.  Values end with a space, so that none is
// the beginning of another one.

enum held { A_REGISTER = 1, A_LIST = 2 };

static void put_call_text(struct export_writing *w,
                          const struct exported *said) {
  if (said->kind == OP_READ_LIST)
    for (const uint64_t *v = said->list; v < said->list_end; v++)
      fprintf(w->out, "%" PRIu64 " ", writing_value(w, *v));
  else if (!said->nothing)
    fprintf(w->out, "%" PRIu64 " ", said->value);
}

static void put_porcupine_kv(struct call_log *log,
                             const struct log_call *call) {
  const struct exported *said = call->said;
  struct export_writing *w = log->w;
  assert(said->key < w->h->nkeys);
  uint8_t *holds = &log->holds[said->key];
  *holds |= op_is_list(said->kind) ? A_LIST : A_REGISTER;
  if (*holds == (A_REGISTER | A_LIST)) {
    w->failed =
        error_set(w->error,
                  "%s: cannot be written: %s has one string for each "
                  "key, and there is one that holds both a register and "
                  "a list",
                  w->path, w->format->name);
    return;
  }
  const char *function = op_reads(said->kind)      ? "get"
                         : said->kind == OP_APPEND ? "append"
                                                   : "put";
  fprintf(w->out,
          "{:process %" PRIu32 ", :type :%s, :f :%s, :key \"%" PRIu64
          "\", :value ",
          call->process, call->type, function, writing_key(w, said->key));
  if (op_reads(said->kind) && call->invoked)
    fputs("nil", w->out);
  else {
    fputc('"', w->out);
    put_call_text(w, said);
    fputc('"', w->out);
  }
  fputs("}\n", w->out);
}

int calls_write_porcupine_kv(struct export_writing *w) {
  return write_log(w, put_porcupine_kv);
}
