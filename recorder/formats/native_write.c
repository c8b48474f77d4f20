// SPDX-License-Identifier: GPL-3.0-or-later
// Records a history that came from elsewhere in our own format.  There a value
// says who wrote it, so all values are new ones.
#include "config.h"

#include "recorder/formats/native_write.h"

#include "base/memory.h"
#include "recorder/recording.h"

#include <stdlib.h>
#include <string.h>

struct recorded {
  struct writing *w;
  uint64_t *value; // per operation that writes: the new one
};

// What was read, as a new value.  Nobody has written what is out of thin air.
static uint64_t seen(const struct recorded *r, uint32_t saw, uint64_t value) {
  const struct history *h = r->w->h;
  if (saw == SAW_INITIAL)
    return VALUE_INITIAL;
  if (saw < h->nops)
    return r->value[saw];
  return value >> VALUE_SEQUENCE_BITS >= VALUE_MAX_SESSIONS
             ? value
             : value | (uint64_t)VALUE_MAX_SESSIONS << VALUE_SEQUENCE_BITS;
}

static void number_writes(struct recorded *r) {
  const struct history *h = r->w->h;
  for (uint32_t s = 0; s < h->nsessions; s++) {
    const uint32_t first = h->txn_first[h->session_first[s]];
    const uint32_t end = h->txn_first[h->session_first[s + 1]];
    uint64_t sequence = 0;
    for (uint32_t op = first; op < end; op++)
      if (op_writes(h->kind[op]))
        r->value[op] = value_of_write(s, sequence++);
  }
}

static void record_list(const struct recorded *r, struct tape *tape,
                        uint32_t op, uint64_t begin, uint64_t end) {
  const struct history *h = r->w->h;
  const uint32_t list = h->saw[op];
  struct value_list values = {0};
  for (uint32_t i = h->list_first[list]; i < h->list_first[list + 1]; i++)
    value_list_push(&values, seen(r, h->element[i], h->element_value[i]));
  tape_list(tape, writing_key(r->w, h->key[op]), &values, begin, end);
  value_list_free(&values);
}

static void record_op(const struct recorded *r, struct tape *tape,
                      uint32_t op) {
  const struct history *h = r->w->h;
  const uint64_t key = writing_key(r->w, h->key[op]);
  const uint64_t begin = h->op_begin ? h->op_begin[op] : 0;
  const uint64_t end = h->op_end ? h->op_end[op] : 0;
  if (h->kind[op] == OP_READ_LIST)
    record_list(r, tape, op, begin, end);
  else if (h->kind[op] == OP_CAS)
    tape_cas(tape, key, seen(r, h->saw[op], UINT64_MAX), r->value[op], begin,
             end);
  else
    tape_op(tape, (enum op_kind)h->kind[op], key,
            op_writes(h->kind[op]) ? r->value[op]
                                   : seen(r, h->saw[op], h->value[op]),
            begin, end);
}

static void record_txn(const struct recorded *r, struct tape *tape,
                       uint32_t t) {
  const struct history *h = r->w->h;
  tape_begin(tape, (enum isolation)h->level[t],
             h->begin ? h->begin[t] : TIME_UNKNOWN);
  if (h->endpoint && h->endpoint[t] != HISTORY_NO_ENDPOINT)
    tape_endpoint(tape, h->endpoint[t]);
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
    record_op(r, tape, op);
  tape_end(tape, (enum outcome)h->outcome[t], (enum cause)h->cause[t],
           h->end ? h->end[t] : TIME_UNKNOWN);
}

int native_write(struct writing *w) {
  const struct history *h = w->h;
  struct recording *recording;
  struct recorded r = {.w = w};
  if (h->nsessions > VALUE_MAX_SESSIONS)
    return error_set(w->error, "%s: has more sessions than can be recorded",
                     w->path);
  if (recording_open(w->path, h->nsessions, h->op_begin != NULL, 0,
                     h->about ? h->about : "", &recording, w->error))
    return -1;
  r.value = xmalloc(h->nops * sizeof *r.value);
  number_writes(&r);
  for (uint32_t s = 0, t; s < h->nsessions; s++)
    for (writing_start(w, s); writing_next(w, s, &t);)
      record_txn(&r, recording_tape(recording, s), t);
  free(r.value);
  return recording_close(recording, w->error);
}
