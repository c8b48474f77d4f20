// SPDX-License-Identifier: GPL-3.0-or-later
// From a partial history to one of the recorder (explore/as_history.h).
#include "config.h"

#include "explore/as_history.h"

#include "checker/verdict/verdict.h"
#include "recorder/build/builder.h"

static const enum isolation isolations[LEVEL_COUNT] = {
    [LEVEL_TRUE] = ISOLATION_NONE, [LEVEL_RC] = ISOLATION_RC,
    [LEVEL_RCC] = ISOLATION_RC,    [LEVEL_RC_STATEMENT] = ISOLATION_RC,
    [LEVEL_RA] = ISOLATION_RA,     [LEVEL_CC] = ISOLATION_CC,
    [LEVEL_PC] = ISOLATION_PC,     [LEVEL_SI] = ISOLATION_SI,
    [LEVEL_SER] = ISOLATION_SER};

// A transaction writes a key once, so that its number can be the value.
static void tell(struct builder *builder, const struct partial *p,
                 const struct block *b, enum isolation level) {
  builder_txn(builder, p->program->txns[b->t].session, OUTCOME_OK, level,
              TIME_UNKNOWN, TIME_UNKNOWN);
  for (uint32_t i = b->first_read; i < b->end_read; i++)
    builder_op(builder, OP_READ, p->reads[i].key, p->reads[i].writer);
  for (uint32_t i = b->first_write; i < b->end_write; i++)
    builder_op(builder, OP_WRITE, p->writes[i].key, b->t);
}

static int judge(const struct history *history, struct error *error) {
  const struct check_options options = {
      .level = ISOLATION_SER, .recorded = true, .session_order = true};
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

int history_judge(const struct partial *p, const uint8_t *levels,
                  struct error *error) {
  struct builder *builder = builder_open();
  struct history history;
  bool any = false;
  for (uint32_t i = 0; i < p->nblocks; i++) {
    const struct block *b = &p->blocks[i];
    if (b->t == p->program->final)
      continue;
    tell(builder, p, b, isolations[levels[b->t]]);
    any |= b->end_read > b->first_read || b->end_write > b->first_write;
  }
  if (!any) {
    builder_free(builder);
    return 0;
  }
  if (builder_finish(builder, &history, error))
    return -1;
  const int failed = judge(&history, error);
  history_free(&history);
  return failed;
}
