// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts an excerpt out of a history (report/excerpt.h).
#include "config.h"

#include "report/excerpt.h"

#include "report/words/keys.h"

#define LONGEST UINT64_C(25000000) // ns
#define SHORTEST UINT64_C(1000)

struct excerpt_window {
  uint64_t begin, end;
};

static uint32_t shown_sessions(const struct history *h) {
  return h->nsessions < EXCERPT_MAX_SESSIONS ? h->nsessions
                                             : EXCERPT_MAX_SESSIONS;
}

static bool excerpt_has_times(const struct history *h, uint32_t t) {
  return h->begin[t] != TIME_UNKNOWN && h->end[t] != TIME_UNKNOWN &&
         h->end[t] >= h->begin[t];
}

static bool is_inside(const struct history *h, uint32_t t,
                      const struct excerpt_window *w) {
  return excerpt_has_times(h, t) && h->begin[t] < w->end &&
         h->end[t] > w->begin;
}

static uint32_t count_inside(const struct history *h,
                             const struct excerpt_window *w) {
  const uint32_t end = h->session_first[shown_sessions(h)];
  uint32_t n = 0;
  for (uint32_t t = 0; t < end && n <= EXCERPT_MAX_TXNS; t++)
    n += is_inside(h, t, w);
  return n;
}

// A transaction from the middle of the first session that has one with times;
// ntxns if there is none.
static uint32_t middle(const struct history *h) {
  for (uint32_t s = 0; s < shown_sessions(h); s++) {
    const uint32_t first = h->session_first[s], end = h->session_first[s + 1];
    const uint32_t t = first + (end - first) / 2;
    if (t < end && excerpt_has_times(h, t))
      return t;
  }
  return h->ntxns;
}

static bool excerpt_writes(const struct history *h, uint32_t t) {
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    if (op_writes(h->kind[op]))
      return true;
  return false;
}

static void put_excerpt_txn(struct json *json, const struct history *h,
                            uint32_t session, uint32_t t) {
  json_put_object(json, NULL);
  json_put_unsigned(json, KEY(session), session);
  json_put_unsigned(json, KEY(begin_ns), h->begin[t]);
  json_put_unsigned(json, KEY(end_ns), h->end[t]);
  json_put_string(json, KEY(outcome), outcome_name(h->outcome[t]));
  json_put_bool(json, KEY(writes), excerpt_writes(h, t));
  json_close(json, '}');
}

void excerpt_put_json(struct json *json, const struct report *report) {
  const struct history *h = report->history;
  const uint32_t from = h->begin && h->end ? middle(h) : h->ntxns;
  if (from == h->ntxns)
    return;
  struct excerpt_window w = {h->begin[from], h->begin[from] + LONGEST};
  while (w.end - w.begin > SHORTEST && count_inside(h, &w) > EXCERPT_MAX_TXNS)
    w.end = w.begin + (w.end - w.begin) / 2;
  json_put_object(json, KEY(excerpt));
  json_put_unsigned(json, KEY(begin_ns), w.begin);
  json_put_unsigned(json, KEY(end_ns), w.end);
  json_put_unsigned(json, KEY(clients), shown_sessions(h));
  json_put_array(json, KEY(transactions));
  for (uint32_t s = 0, n = 0; s < shown_sessions(h); s++)
    for (uint32_t t = h->session_first[s];
         t < h->session_first[s + 1] && n < EXCERPT_MAX_TXNS; t++)
      if (is_inside(h, t, &w)) {
        put_excerpt_txn(json, h, s, t);
        n++;
      }
  json_close(json, ']');
  json_close(json, '}');
}
