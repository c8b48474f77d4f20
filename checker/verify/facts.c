// SPDX-License-Identifier: GPL-3.0-or-later
// Rules out the writes that a read cannot have seen (checker/verify/facts.h).
// Shares no code with the engine.
#include "config.h"

#include "checker/verify/facts.h"

#include "checker/verify/levels.h"
#include "checker/verify/look_up.h"

#include <assert.h>

static bool is_dated(const struct history *h, uint32_t t) {
  assert(t < h->ntxns);
  return h->outcome[t] == OUTCOME_OK && h->begin && h->end &&
         h->begin[t] != TIME_UNKNOWN && h->end[t] != TIME_UNKNOWN;
}

static bool counts_time(const struct check_options *options) {
  return !options->question.recorded &&
         !proves_nothing(options->question.level) &&
         !must_see_earlier_reads(options->question.level) &&
         (must_keep_real_time(options->question.level) ||
          options->question.real_time);
}

// Adds the writes of a transaction that had ended before the reader began.
static void add_earlier(struct write_facts *f, uint32_t t) {
  const struct history *h = f->h;
  const uint32_t end = h->txn_first[t + 1];
  if (last_write(h, h->txn_first[t], end, h->key[f->place]) == end)
    return;
  f->is_any = true;
  if (h->begin[t] > f->latest_begin)
    f->latest_begin = h->begin[t];
}

static bool is_out_of_time(const struct write_facts *f, uint32_t writer) {
  const struct history *h = f->h;
  if (!f->in_time || writer == SAW_INITIAL)
    return f->in_time && f->is_any;
  const uint32_t t = history_txn(h, writer);
  return (h->begin[t] != TIME_UNKNOWN &&
          h->begin[t] > h->end[history_txn(h, f->place)]) ||
         (is_dated(h, t) && f->latest_begin > h->end[t]);
}

// --- Public.

struct write_facts facts_about(const struct history *h,
                               const struct check_options *options,
                               uint32_t place) {
  const uint32_t reader = history_txn(h, place);
  struct write_facts f = {
      .h = h,
      .place = place,
      .bind = h->outcome[reader] != OUTCOME_ABORTED &&
              !(options->question.recorded &&
                proves_nothing((enum isolation)h->level[reader])),
      .own = last_write(h, h->txn_first[reader], place, h->key[place]),
      .in_time = counts_time(options) && is_dated(h, reader)};
  for (uint32_t t = 0; f.in_time && t < h->ntxns; t++)
    if (is_dated(h, t) && h->end[t] < h->begin[reader])
      add_earlier(&f, t);
  return f;
}

bool facts_rule_out(const struct write_facts *f, uint32_t writer) {
  const struct history *h = f->h;
  if (!f->bind)
    return false;
  if (f->own != f->place)
    return writer != f->own;
  if (writer == SAW_INITIAL)
    return is_out_of_time(f, writer);
  const uint32_t t = history_txn(h, writer), end = h->txn_first[t + 1];
  if (t == history_txn(h, f->place))
    return writer >= f->place;
  return h->outcome[t] == OUTCOME_ABORTED ||
         last_write(h, h->txn_first[t], end, h->key[f->place]) != writer ||
         is_out_of_time(f, writer);
}
