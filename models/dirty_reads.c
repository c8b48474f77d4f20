// SPDX-License-Identifier: GPL-3.0-or-later
// Jepsen's tests of dirty reads.  Galera's: a write sets all rows to one value,
// a read sees the values of all rows; none may be of a write that failed.
// Elasticsearch's: a write adds a document, a read sees one, and strong reads
// in the end see all: then no document may have been read that none of these
// sees (dirty), no write that succeeded may be missing in one (lost), and all
// of them see the same.
#include "config.h"

#include "models/models.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct document {
  uint32_t failed, read; // operations + 1, or 0; the first read that saw it
  uint32_t written;      // likewise; UINT32_MAX: by one of unknown outcome
  uint32_t strong;       // how many strong reads saw it
  uint32_t last_strong;  // the last of them + 1, or 0
};

struct documents {
  const struct log *log;
  struct value_numbers numbers;
  struct document *list;
  uint32_t count;
  uint32_t *strong; // strong reads
  uint32_t nstrong, room;
};

static struct document *document_of(struct documents *d, log_id id) {
  const uint32_t number = value_number(&d->numbers, d->log, id);
  if (number >= d->count) {
    const uint32_t count = number * 2 + 16;
    d->list = xrealloc(d->list, count, sizeof *d->list);
    memset(d->list + d->count, 0, (count - d->count) * sizeof *d->list);
    d->count = count;
  }
  return &d->list[number];
}

static void note_document_write(struct documents *d, uint32_t i) {
  const struct log_op *op = &d->log->ops[i];
  struct document *document =
      document_of(d, op->asked ? op->asked : op->answered);
  if (op->outcome == OUTCOME_ABORTED)
    document->failed = i + 1;
  else if (op->outcome == OUTCOME_OK)
    document->written = i + 1;
  else if (!document->written) // it may be read, and need not
    document->written = UINT32_MAX;
}

static void note_document_seen(struct documents *d, log_id id, uint32_t read) {
  struct document *document = document_of(d, id);
  if (!document->read)
    document->read = read + 1;
}

static void note_document_read(struct documents *d, uint32_t i) {
  const log_id id = log_op_value(&d->log->ops[i]);
  const struct log_value *v = log_value(d->log, id);
  if (v->kind != LOG_LIST) {
    if (id)
      note_document_seen(d, id, i);
    return;
  }
  for (log_id e = v->first; e; e = log_value(d->log, e)->next)
    if (log_value(d->log, e)->kind != LOG_NIL)
      note_document_seen(d, e, i);
}

static void note_strong(struct documents *d, uint32_t i) {
  const struct log_value *v = log_value(d->log, log_op_value(&d->log->ops[i]));
  ARRAY_RESERVE(d->strong, d->nstrong, d->room);
  d->strong[d->nstrong++] = i;
  for (log_id e = v->first; e; e = log_value(d->log, e)->next) {
    struct document *document = document_of(d, e);
    document->strong += document->last_strong != i + 1;
    document->last_strong = i + 1;
  }
}

static void note_all_documents(struct documents *d,
                               struct model_answer *answer) {
  const struct log *log = d->log;
  for (uint32_t i = 0; i < log->nops; i++) {
    const struct log_op *op = &log->ops[i];
    const bool ok = op->outcome == OUTCOME_OK;
    const bool read = ok && log_op_is(log, op, "read"),
               strong = ok && log_op_is(log, op, "strong-read");
    if (log_op_is(log, op, "write"))
      note_document_write(d, i);
    if (read)
      note_document_read(d, i);
    if (strong)
      note_strong(d, i);
    answer->checked += read || strong;
  }
}

// A strong read that lacks the document, and began after the operation that
// wrote or read it had ended; of none, whenever it began.
static uint32_t read_without(struct documents *d, uint32_t document,
                             uint32_t op_plus_one) {
  const uint64_t since =
      op_plus_one ? d->log->ops[op_plus_one - 1].completed : 0;
  for (uint32_t i = 0; i < d->nstrong; i++) {
    const struct log_op *op = &d->log->ops[d->strong[i]];
    const struct log_value *v = log_value(d->log, log_op_value(op));
    bool seen = log_op_began(op) <= since;
    for (log_id e = v->first; e; e = log_value(d->log, e)->next)
      seen |= value_number(&d->numbers, d->log, e) == document;
    if (!seen)
      return d->strong[i];
  }
  return UINT32_MAX;
}

static void show_document(const struct log *log, struct model_answer *answer,
                          uint32_t op_plus_one) {
  if (op_plus_one && op_plus_one != UINT32_MAX)
    model_show(log, answer, op_plus_one - 1);
}

static void judge_failed(const struct log *log, const struct document *document,
                         struct model_answer *answer) {
  if (document->failed && !document->written && document->read &&
      model_break(answer, "DirtyRead",
                  "A read saw the value of a write that had failed.")) {
    show_document(log, answer, document->failed);
    show_document(log, answer, document->read);
  }
}

static void judge_strong(struct documents *d, uint32_t i,
                         struct model_answer *answer) {
  const struct document *document = &d->list[i];
  bool first = false;
  const bool succeeded = document->written && document->written != UINT32_MAX;
  uint32_t lacking = UINT32_MAX;
  if (document->strong == d->nstrong)
    return;
  if (!document->strong && document->read)
    lacking = read_without(d, i, document->read);
  if (lacking != UINT32_MAX)
    first = model_break(answer, "DirtyRead",
                        "A read saw a document that no strong read sees.");
  else if (succeeded) {
    lacking = read_without(d, i, document->written);
    first = lacking != UINT32_MAX &&
            model_break(answer, "LostWrite",
                        "A write succeeded, and a strong read lacks it.");
  } else if (document->strong) {
    lacking = read_without(d, i, 0);
    first = model_break(answer, "DisagreeingReads",
                        "A strong read sees a document that another one does "
                        "not see.");
  }
  if (!first)
    return;
  show_document(d->log, answer, document->written);
  show_document(d->log, answer, document->read);
  show_document(d->log, answer, document->last_strong);
  show_document(d->log, answer, lacking + 1);
}

static int hold_dirty_reads(const struct log *log, const int64_t *options,
                            struct model_answer *answer, struct error *error) {
  (void)options, (void)error;
  struct documents d = {.log = log};
  note_all_documents(&d, answer);
  for (uint32_t i = 0; i < d.count; i++)
    if (d.nstrong)
      judge_strong(&d, i, answer);
    else
      judge_failed(log, &d.list[i], answer);
  if (!answer->checked)
    model_leave_open(answer, "No read succeeded.");
  value_numbers_free(&d.numbers);
  FREE_EACH(d.list, d.strong);
  return 0;
}

const struct log_model model_dirty_reads = {
    .name = "dirty-reads",
    .summary = "no read sees a write that failed or that strong reads lack",
    .functions = {"read", "write", "strong-read", "refresh"},
    .reads = model_is_list,
    .check = hold_dirty_reads};
