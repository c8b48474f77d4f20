// SPDX-License-Identifier: GPL-3.0-or-later
// Searches for a serial order (explore/serial.h): by who read from whom, or,
// where clients are told less than what is read, by the answers
// (explore/orders.h).
#include "config.h"

#include "explore/serial.h"

#include "base/memory.h"
#include "explore/orders.h"
#include "explore/outcomes.h"

#include <stdlib.h>

bool history_is_serial(const struct partial *p, struct schedule *schedule) {
  uint8_t levels[PROGRAM_MAX_TXNS + 1];
  for (uint32_t t = 0; t <= p->program->ntxns; t++)
    levels[t] = LEVEL_SER;
  return schedule_find(p, levels, schedule);
}

// ---- Who wrote last

static bool serial_writes(const struct partial *p, uint32_t t, uint32_t key) {
  const struct program_block *b = &p->blocks[p->position[t] - 1];
  for (uint32_t i = b->first_write; i < b->end_write; i++)
    if (p->writes[i].key == key)
      return true;
  return false;
}

// Whose write of the key t read for update before its own, as a bit; 0: nobody.
static uint64_t overwritten(const struct partial *p, uint32_t t, uint32_t key) {
  const struct program_block *b = &p->blocks[p->position[t] - 1];
  for (uint32_t i = b->first_read; i < b->end_read; i++)
    if (p->reads[i].key == key && p->reads[i].flags & READ_LOCKED)
      return bit(p->reads[i].writer);
  return 0;
}

bool history_last_writer(const struct partial *p, uint32_t key,
                         uint32_t *writer) {
  uint64_t last = 1, behind = 0;
  *writer = 0;
  if (writers_of(p, key) == 1)
    return true; // nobody writes it
  for (uint32_t t = 1; t <= p->program->ntxns; t++)
    if (serial_writes(p, t, key)) {
      last |= bit(t);
      behind |= overwritten(p, t, key);
    }
  last &= ~behind;
  *writer = last ? (uint32_t)__builtin_ctzll(last) : 0;
  return last && !(last & (last - 1));
}

bool history_is_explained(const struct partial *p) {
  if (!p->program->answers)
    return history_is_serial(p, NULL);
  struct orders *orders = orders_open(p->program, p->pool);
  const bool explained = orders_explain(orders, p);
  orders_free(orders);
  return explained;
}

// ---- Answers that are kept

enum { SLOTS = 1 << 15 };

struct serial_explanation {
  struct outcome_key question; // 0: none
  bool is_explained;
};

bool explanations_find(struct explanations *e, const struct partial *p,
                       struct outcome_key question) {
  if (!p->program->answers)
    return history_is_explained(p);
  if (!e->slots) {
    e->slots = xcalloc(SLOTS, sizeof *e->slots);
    e->orders = orders_open(p->program, p->pool);
  }
  struct serial_explanation *slot = &e->slots[question.a % SLOTS];
  if (slot->question.a != question.a || slot->question.b != question.b)
    *slot = (struct serial_explanation){question, orders_explain(e->orders, p)};
  return slot->is_explained;
}

void explanations_free(struct explanations *e) {
  orders_free(e->orders);
  free(e->slots);
}
