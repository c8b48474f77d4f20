// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a log of operations (models/log.h).
#include "config.h"

#include "models/log.h"

#include "base/memory.h"
#include "base/stop.h"
#include "recorder/formats/jepsen.h"
#include "recorder/formats/values.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPS_MAX = 1 << 30, VALUES_MAX = UINT32_MAX - 1 };

#define NO_PROCESS UINT64_MAX
#define NO_OP UINT32_MAX

struct log_event {
  bool has_type, has_process, has_f;
  bool client; // a process that is a number, or none at all
  enum completion completion;
  uint64_t process;
  uint32_t f;
  log_id value;
};

struct log_reading {
  struct log *log;
  struct tokens t;
  struct input input;
  const volatile bool *stop;
  struct log_event event;
  uint64_t events;
  struct number_map processes;
  uint32_t *open; // by process id: the operation that it waits for, or NO_OP
  uint32_t open_room;
  uint32_t *nobodys; // open operations of nobody, in order
  uint32_t nnobodys, nobodys_room;
};

static log_id add_log_value(struct log_reading *r, struct log_value value) {
  struct log *log = r->log;
  ARRAY_RESERVE(log->values, log->nvalues, log->values_room);
  log->values[log->nvalues] = value;
  return log->nvalues++;
}

static int read_log_value(struct log_reading *r, log_id *id);

// From the bracket to its counterpart.
static int read_collection(struct log_reading *r, log_id *id) {
  struct tokens *t = &r->t;
  const bool map = token_opens(t, '{') && !t->set;
  const log_id whole =
      add_log_value(r, (struct log_value){.kind = map ? LOG_MAP : LOG_LIST});
  log_id last = LOG_NOTHING;
  for (token_next(t); t->kind != TOKEN_CLOSE; token_next(t)) {
    log_id element;
    if (read_log_value(r, &element))
      return -1;
    if (!element) // an element that is nil has a place of its own
      element = add_log_value(r, (struct log_value){.kind = LOG_NIL});
    struct log_value *values = r->log->values;
    if (last)
      values[last].next = element;
    else
      values[whole].first = element;
    values[whole].count++;
    last = element;
  }
  if (map && r->log->values[whole].count % 2)
    return token_refuse(t, "a value behind each key of the map");
  *id = whole;
  return 0;
}

// The value whose first token is the current one; goes to its last token.
static int read_log_value(struct log_reading *r, log_id *id) {
  struct tokens *t = &r->t;
  int64_t integer;
  if (r->log->nvalues >= VALUES_MAX)
    return token_refuse(t, "fewer values: a log may have 4,294,967,294");
  if (t->kind == TOKEN_OPEN)
    return read_collection(r, id);
  if (!token_is_scalar(t))
    return token_refuse(t, "a value");
  if (token_is_nothing(t))
    *id = LOG_NOTHING;
  else if (token_is_signed(t, &integer))
    *id = add_log_value(
        r, (struct log_value){.kind = LOG_INTEGER, .integer = integer});
  else
    *id = add_log_value(
        r, (struct log_value){
               .kind = LOG_TEXT,
               .text = text_map_id(&r->log->texts, t->text, t->length)});
  return 0;
}

static int read_event_type(void *reading) {
  struct log_reading *r = reading;
  r->event.has_type = true;
  return completion_parse(&r->t, &r->event.completion)
             ? 0
             : token_refuse(&r->t, "the type invoke, ok, fail or info");
}

static int read_function_name(void *reading) {
  struct log_reading *r = reading;
  const struct tokens *t = &r->t;
  if (!token_is_scalar(t) || token_is_nothing(t))
    return token_refuse(t, "a function, such as :read");
  const bool colon = t->kind == TOKEN_KEYWORD;
  r->event.has_f = true;
  r->event.f = text_map_id(&r->log->texts, t->text + colon, t->length - colon);
  return 0;
}

static int read_process_number(void *reading) {
  struct log_reading *r = reading;
  r->event.client = r->t.kind == TOKEN_INTEGER;
  r->event.has_process = true;
  r->event.process = r->t.integer;
  return r->t.kind == TOKEN_OPEN ? token_refuse(&r->t, "a process") : 0;
}

static int read_event_value(void *reading) {
  struct log_reading *r = reading;
  return read_log_value(r, &r->event.value);
}

static const struct member members[] = {{"type", read_event_type},
                                        {"f", read_function_name},
                                        {"value", read_event_value},
                                        {"process", read_process_number},
                                        {NULL, NULL}};

static uint32_t *open_of(struct log_reading *r, uint64_t process) {
  const uint32_t id = number_map_id(&r->processes, process);
  while (id >= r->open_room) {
    const uint32_t count = r->open_room;
    r->open_room = count ? count * 2 : 16;
    r->open = xrealloc(r->open, r->open_room, sizeof *r->open);
    for (uint32_t i = count; i < r->open_room; i++)
      r->open[i] = NO_OP;
  }
  return &r->open[id];
}

static bool are_same_values(const struct log *log, log_id a, log_id b) {
  const struct log_value *const v = &log->values[a], *const w = &log->values[b];
  if (v->kind != w->kind || v->count != w->count)
    return false;
  if (v->kind == LOG_INTEGER)
    return v->integer == w->integer;
  if (v->kind == LOG_TEXT)
    return v->text == w->text;
  for (a = v->first, b = w->first; a; a = log->values[a].next) {
    if (!are_same_values(log, a, b))
      return false;
    b = log->values[b].next;
  }
  return true;
}

// An operation of nobody is completed by the next event of the same function
// and, where its invocation has a value, of the same value.
static uint32_t take_nobodys(struct log_reading *r) {
  const struct log_event *e = &r->event;
  for (uint32_t i = 0; i < r->nnobodys; i++) {
    const uint32_t op = r->nobodys[i];
    const struct log_op *o = &r->log->ops[op];
    if (o->f != e->f || (o->asked && e->completion == COMPLETE_OK &&
                         !are_same_values(r->log, o->asked, e->value) &&
                         r->log->values[o->asked].kind != LOG_LIST))
      continue;
    memmove(r->nobodys + i, r->nobodys + i + 1,
            (--r->nnobodys - i) * sizeof *r->nobodys);
    return op;
  }
  return NO_OP;
}

static uint32_t take_open_op(struct log_reading *r) {
  if (!r->event.has_process)
    return take_nobodys(r);
  uint32_t *const open = open_of(r, r->event.process);
  const uint32_t op = *open;
  *open = NO_OP;
  return op;
}

static uint32_t add_log_op(struct log_reading *r) {
  struct log *log = r->log;
  const struct log_event *e = &r->event;
  ARRAY_RESERVE(log->ops, log->nops, log->ops_room);
  log->ops[log->nops] =
      (struct log_op){.f = e->f,
                      .process = e->has_process ? e->process : NO_PROCESS,
                      .completed = LOG_NEVER,
                      .outcome = OUTCOME_UNKNOWN};
  return log->nops++;
}

static int invoke(struct log_reading *r) {
  const struct log_event *e = &r->event;
  if (e->has_process && *open_of(r, e->process) != NO_OP)
    return token_refuse(&r->t,
                        "the completion of what this process invoked before");
  const uint32_t op = add_log_op(r);
  r->log->ops[op].invoked = r->events;
  r->log->ops[op].asked = e->value;
  r->log->ops[op].line = input_line(&r->input);
  if (e->has_process) {
    *open_of(r, e->process) = op;
  } else {
    ARRAY_RESERVE(r->nobodys, r->nnobodys, r->nobodys_room);
    r->nobodys[r->nnobodys++] = op;
  }
  return 0;
}

static int complete_op(struct log_reading *r) {
  static const enum outcome outcomes[] = {[COMPLETE_OK] = OUTCOME_OK,
                                          [COMPLETE_FAIL] = OUTCOME_ABORTED,
                                          [COMPLETE_INFO] = OUTCOME_UNKNOWN};
  const struct log_event *e = &r->event;
  uint32_t op = take_open_op(r);
  if (op == NO_OP)
    op = add_log_op(r);
  struct log_op *o = &r->log->ops[op];
  if (o->f != e->f)
    return token_refuse(&r->t, "the function that this process invoked");
  o->outcome = outcomes[e->completion];
  o->line = input_line(&r->input);
  if (e->completion == COMPLETE_INFO) {
    if (!o->asked)
      o->asked = e->value;
  } else {
    o->completed = r->events;
    o->answered = e->value;
  }
  return 0;
}

// Events that are no client's, such as those of the network, do not count.
static int take_log_event(void *reading) {
  struct log_reading *r = reading;
  r->event = (struct log_event){.client = true};
  if (stop_is_set(r->stop))
    return error_set(r->t.error, "the log was not read to its end");
  if (token_members(&r->t, members, r))
    return -1;
  if (!r->event.client)
    return 0;
  if (!r->event.has_type)
    return token_refuse(&r->t, "a member type before the end of the operation");
  if (!r->event.has_f)
    return token_refuse(&r->t, "a member f before the end of the operation");
  if (r->log->nops >= OPS_MAX)
    return token_refuse(&r->t, "at most 1,073,741,824 operations");
  r->events++;
  return r->event.completion == INVOKE ? invoke(r) : complete_op(r);
}

// JSON's first map begins with a quote.
static bool is_edn(struct input *input) {
  input_want(input);
  const char *map = memchr(input->p, '{', (size_t)(input->end - input->p));
  return !map || map[1 + strspn(map + 1, " \t\r\n")] != '"';
}

int log_read(struct log *log, const char *path, const volatile bool *stop,
             struct error *error) {
  struct log_reading r = {.log = log, .stop = stop};
  *log = (struct log){0};
  add_log_value(&r, (struct log_value){.kind = LOG_NIL});
  if (input_open(&r.input, path, error))
    return -1;
  r.input.stop = stop;
  r.t = (struct tokens){
      .input = &r.input, .error = error, .edn = is_edn(&r.input)};
  const int status = token_objects(&r.t, take_log_event, &r);
  input_close(&r.input);
  number_map_free(&r.processes);
  FREE_EACH(r.open, r.nobodys);
  return status;
}

void log_free(struct log *log) {
  FREE_EACH(log->values, log->ops);
  text_map_free(&log->texts);
}

bool log_op_is(const struct log *log, const struct log_op *op,
               const char *name) {
  return !strcmp(text_map_text(&log->texts, op->f), name);
}

static void print_elements(const struct log *log, const struct log_value *v,
                           uint32_t elements, FILE *out) {
  uint32_t n = 0;
  for (log_id e = v->first; e; e = log->values[e].next, n++) {
    if (n == elements) {
      fprintf(out, " ...");
      return;
    }
    if (n)
      fputs(v->kind == LOG_MAP && n % 2 == 0 ? ", " : " ", out);
    log_print(log, e, elements, out);
  }
}

void log_print(const struct log *log, log_id id, uint32_t elements, FILE *out) {
  const struct log_value *v = &log->values[id];
  switch (v->kind) {
  case LOG_NIL:
    fputs("nil", out);
    break;
  case LOG_INTEGER:
    fprintf(out, "%" PRId64, v->integer);
    break;
  case LOG_TEXT:
    fputs(text_map_text(&log->texts, v->text), out);
    break;
  case LOG_LIST:
  case LOG_MAP:
    fputc(v->kind == LOG_MAP ? '{' : '[', out);
    print_elements(log, v, elements, out);
    fputc(v->kind == LOG_MAP ? '}' : ']', out);
  }
}

// Integers have even numbers, all other values odd ones.
uint32_t value_number(struct value_numbers *numbers, const struct log *log,
                      log_id id) {
  const struct log_value *v = &log->values[id];
  if (v->kind == LOG_INTEGER)
    return number_map_id(&numbers->integers, (uint64_t)v->integer) * 2;
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  log_print(log, id, UINT32_MAX, out);
  fclose(out);
  const uint32_t number = text_map_id(&numbers->others, text, bytes) * 2 + 1;
  free(text);
  return number;
}

uint32_t value_numbers_end(const struct value_numbers *numbers) {
  const uint32_t integers = numbers->integers.count,
                 others = numbers->others.count;
  return 2 * (integers > others ? integers : others);
}

void value_numbers_free(struct value_numbers *numbers) {
  number_map_free(&numbers->integers);
  text_map_free(&numbers->others);
}
