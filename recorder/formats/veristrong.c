// SPDX-License-Identifier: GPL-3.0-or-later
// The text of VeriStrong's list appends: how many operations there are, then
// SESSION TXN A KEY VALUE and SESSION TXN R KEY LENGTH ELEMENT..., a line each.
// A transaction has its number to itself, and its operations stand together; a
// session's come in their order.
#include "config.h"

#include "base/memory.h"
#include "recorder/builder/number_map.h"
#include "recorder/formats/lines.h"

#include <stdlib.h>
#include <string.h>

struct veristrong_reading {
  struct parsing *parsing;
  bool open; // a transaction is: this one
  uint64_t session, txn;
  struct number_map txns; // that there were
  uint64_t *list;         // being read
  uint32_t nlist, list_room;
};

static int refuse_veristrong(struct veristrong_reading *r,
                             const char *expected) {
  return line_refuse(r->parsing, r->parsing->input.p, expected);
}

static bool ends_veristrong_word(const struct input *in, const char *p) {
  return *p == ' ' || *p == '\t' || *p == '\r' || *p == '\n' ||
         (in->at_end && p == in->end);
}

static int read_veristrong_number(struct veristrong_reading *r,
                                  uint64_t *number, uint64_t last,
                                  const char *expected) {
  struct input *in = &r->parsing->input;
  lines_end(in);
  char *p = in->p;
  if (!take_number(&p, number) || *number > last ||
      !ends_veristrong_word(in, p))
    return refuse_veristrong(r, expected);
  in->p = p;
  return 0;
}

static int read_veristrong_list(struct veristrong_reading *r, uint64_t key) {
  uint64_t length = 0;
  if (read_veristrong_number(r, &length, UINT32_MAX - 1,
                             "expected the length of a list"))
    return -1;
  for (r->nlist = 0; r->nlist < length; r->nlist++) {
    ARRAY_RESERVE(r->list, r->nlist, r->list_room);
    if (read_veristrong_number(r, &r->list[r->nlist], UINT64_MAX,
                               "expected the next element of the list"))
      return -1;
  }
  builder_list(r->parsing->builder, key, r->list, r->nlist);
  return 0;
}

static int read_append(struct veristrong_reading *r, uint64_t key) {
  uint64_t value = 0;
  if (read_veristrong_number(r, &value, UINT64_MAX,
                             "expected the value of an append"))
    return -1;
  builder_op(r->parsing->builder, OP_APPEND, key, value);
  return 0;
}

static int start_txn(struct veristrong_reading *r, uint64_t session,
                     uint64_t txn) {
  const uint32_t before = r->txns.count;
  if (number_map_id(&r->txns, txn) < before)
    return refuse_veristrong(
        r, "expected the operations of a transaction, which has its "
           "number to itself, to stand together");
  builder_txn(r->parsing->builder, session, OUTCOME_OK, ISOLATION_NONE,
              TIME_UNKNOWN, TIME_UNKNOWN);
  r->open = true;
  r->session = session;
  r->txn = txn;
  return 0;
}

static int read_veristrong_operation(struct veristrong_reading *r) {
  struct input *in = &r->parsing->input;
  uint64_t session = 0, txn = 0, key = 0;
  if (read_veristrong_number(r, &session, VALUE_NAMED - 1,
                             "expected the number of a session") ||
      read_veristrong_number(r, &txn, VALUE_NAMED - 1,
                             "expected the number of a transaction"))
    return -1;
  if ((!r->open || r->txn != txn || r->session != session) &&
      start_txn(r, session, txn))
    return -1;
  lines_end(in);
  const char what = *in->p;
  if ((what != 'A' && what != 'R') || !ends_veristrong_word(in, in->p + 1))
    return refuse_veristrong(r, "expected A or R");
  in->p++;
  if (read_veristrong_number(r, &key, UINT64_MAX, "expected a key"))
    return -1;
  return what == 'A' ? read_append(r, key) : read_veristrong_list(r, key);
}

static int read_operations(struct veristrong_reading *r) {
  struct input *in = &r->parsing->input;
  uint64_t count = 0;
  if (read_veristrong_number(r, &count, UINT64_MAX,
                             "expected how many operations come"))
    return -1;
  for (; !lines_end(in); count--) {
    if (!count)
      return refuse_veristrong(
          r, "expected no more operations than the file's first line says");
    if (read_veristrong_operation(r))
      return -1;
  }
  return count ? refuse_veristrong(
                     r, "expected as many operations as the file's first "
                        "line says, but the file ends")
               : 0;
}

static int veristrong_parse(struct parsing *parsing) {
  struct veristrong_reading r = {.parsing = parsing};
  const int status = read_operations(&r);
  number_map_free(&r.txns);
  free(r.list);
  return status;
}

// COUNT SESSION TXN A, or R
static bool veristrong_recognise(const char *p) {
  for (int i = 0; i < 3; i++) {
    p += strspn(p, " \t\r\n");
    const size_t digits = strspn(p, "0123456789");
    p += digits;
    if (!digits || !strchr(i ? " \t" : "\r\n", *p) || !*p)
      return false;
  }
  p += strspn(p, " \t");
  return (*p == 'A' || *p == 'R') && (p[1] == ' ' || p[1] == '\t');
}

const struct history_format format_veristrong = {
    .name = "veristrong",
    .summary = "VeriStrong's text of list appends: SESSION TXN A KEY VALUE",
    .example = "2\n"
               "1 1 A 3 7\n"
               "2 2 R 3 1 7",
    .initial = INITIAL_EXPLICIT,
    .says = FEATURE_DUPLICATES | FEATURE_LISTS,
    .recognise_text = veristrong_recognise,
    .parse = veristrong_parse,
};
