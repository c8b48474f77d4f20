// SPDX-License-Identifier: GPL-3.0-or-later
// From a partial history to one of the recorder (explore/as_history.h).
#include "config.h"

#include "explore/as_history.h"

#include "base/memory.h"
#include "checker/verdict/verdict.h"
#include "recorder/builder/builder.h"

#include <stdlib.h>
#include <string.h>

static const enum isolation isolations[LEVEL_COUNT] = {
    [LEVEL_TRUE] = ISOLATION_NONE, [LEVEL_RC] = ISOLATION_RC,
    [LEVEL_RCC] = ISOLATION_RC,    [LEVEL_RC_STATEMENT] = ISOLATION_RC,
    [LEVEL_RA] = ISOLATION_RA,     [LEVEL_CC] = ISOLATION_CC,
    [LEVEL_PC] = ISOLATION_PC,     [LEVEL_SI] = ISOLATION_SI,
    [LEVEL_SER] = ISOLATION_SER};

static uint64_t key_named(struct builder *builder, const struct partial *p,
                          uint32_t key) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = text_stream(&text, &bytes);
  program_put_key(out, p->program, p->pool, key);
  fclose(out);
  const uint64_t number = builder_key_named(builder, text, bytes);
  free(text);
  return number;
}

// A transaction writes a key once, so that its name tells values apart.
static uint64_t value_named(struct builder *builder, const struct partial *p,
                            uint32_t writer, datum v) {
  const struct program_txn *txn = &p->program->txns[writer];
  char *value = value_text(p->pool, v);
  char *text = xasprintf("%s by %s %s #%u", value,
                         p->program->sessions[txn->session], txn->name, writer);
  const uint64_t number = builder_value_named(builder, text, strlen(text));
  free(text);
  free(value);
  return number;
}

// Steps of a story are a millisecond apart, as if somebody typed them.
static uint64_t step_time(uint32_t step) {
  return UINT64_C(1000000) * (step + 1);
}

// When a transaction does its first and its last step.
struct event_span {
  uint64_t begin, end;
};

static struct event_span explored_span_of(const struct tale *tale, uint32_t t) {
  struct event_span span = {TIME_UNKNOWN, TIME_UNKNOWN};
  if (!tale || !tale->is_schedule)
    return span;
  for (uint32_t i = 0; i < tale->nsteps; i++) {
    if (tale->steps[i].t != t)
      continue;
    span.begin = span.begin == TIME_UNKNOWN ? step_time(i) : span.begin;
    span.end = step_time(i);
  }
  return span;
}

static void tell_explored(struct builder *builder, const struct partial *p,
                          const struct program_block *b, enum isolation level,
                          struct event_span span) {
  builder_txn(builder, p->program->txns[b->t].session, OUTCOME_OK, level,
              span.begin, span.end);
  for (uint32_t i = b->first_read; i < b->end_read; i++) {
    const struct program_read *r = &p->reads[i];
    builder_op(builder, OP_READ, key_named(builder, p, r->key),
               r->writer ? value_named(builder, p, r->writer, r->v) : 0);
  }
  for (uint32_t i = b->first_write; i < b->end_write; i++) {
    const struct program_write *w = &p->writes[i];
    builder_op(builder, OP_WRITE, key_named(builder, p, w->key),
               value_named(builder, p, b->t, w->v));
  }
}

// The block whose transaction takes its first step then.
static const struct program_block *
block_at(const struct partial *p, const struct tale *tale, uint64_t begin) {
  uint32_t i = 0;
  while (p->blocks[i].t == p->program->final ||
         explored_span_of(tale, p->blocks[i].t).begin != begin)
    i++;
  return &p->blocks[i];
}

// When the operations of t, of which `op` is the first, are sent and answered.
static void time_transaction(struct history *h, const struct tale *tale,
                             uint32_t t, uint32_t op) {
  uint64_t sent = TIME_UNKNOWN;
  for (uint32_t i = 0; i < tale->nsteps; i++) {
    const struct tale_step *s = &tale->steps[i];
    if (s->t != t)
      continue;
    if (s->kind == TALE_WAIT)
      sent = step_time(i);
    if (s->kind != TALE_READ && s->kind != TALE_WRITE)
      continue;
    h->op_begin[op] = sent == TIME_UNKNOWN ? step_time(i) : sent;
    h->op_end[op++] = step_time(i);
    sent = TIME_UNKNOWN;
  }
}

// Each operation happens at its step, so that who reads the history or looks at
// its picture finds the order of the schedule.
static void time_operations(struct history *h, const struct partial *p,
                            const struct tale *tale) {
  if (!tale || !tale->is_schedule)
    return;
  h->op_begin = xcalloc(h->nops + 1, sizeof *h->op_begin);
  h->op_end = xcalloc(h->nops + 1, sizeof *h->op_end);
  for (uint32_t t = 0; t < h->ntxns; t++)
    time_transaction(h, tale, block_at(p, tale, h->begin[t])->t,
                     h->txn_first[t]);
}

static int judge_explored(const struct history *history, struct error *error) {
  const struct check_options options = {.question = {.level = ISOLATION_SER,
                                                     .recorded = true,
                                                     .session_order = true}};
  struct verdict verdict = {0};
  if (check(history, &options, &verdict, error))
    return -1;
  const enum verdict_kind kind = verdict.kind;
  verdict_free(&verdict);
  return kind == VERDICT_VIOLATION
             ? error_set(error, "the checker finds that an explored history "
                                "breaks its level, which is a bug of isostress")
             : 0;
}

int history_told(const struct partial *p, const uint8_t *levels,
                 const struct tale *tale, struct history *history,
                 struct error *error) {
  struct builder *builder = builder_open();
  bool any = false;
  *history = (struct history){0};
  for (uint32_t i = 0; i < p->nblocks; i++) {
    const struct program_block *b = &p->blocks[i];
    if (b->t == p->program->final)
      continue;
    tell_explored(builder, p, b, isolations[levels[b->t]],
                  explored_span_of(tale, b->t));
    any |= b->end_read > b->first_read || b->end_write > b->first_write;
  }
  if (!any) {
    builder_free(builder);
    return 0;
  }
  if (builder_finish(builder, history, error))
    return -1;
  time_operations(history, p, tale);
  return 0;
}

int history_judge(const struct partial *p, const uint8_t *levels,
                  struct error *error) {
  struct history history;
  if (history_told(p, levels, NULL, &history, error))
    return -1;
  const int failed = history.ntxns ? judge_explored(&history, error) : 0;
  history_free(&history);
  return failed;
}
