// SPDX-License-Identifier: GPL-3.0-or-later
// Viper's logs as JSON, a file per session: objects behind each other, or in an
// array.  A range query is taken as reads of the rows that it returned; what it
// says of rows that were not there is left out.  The transaction that filled
// the tables came before all others.
//
//   {"value":[["w",1,5,true],["r",2,"nil",false]],"isInitial":false}
//
// Behind the value of a write stands whether it succeeded, behind that of a
// read whether the row was dead.  Inserts and deletes are both, and say between
// their value and these two what they read: ["i",1,5,"nil",false,true].
#include "config.h"

#include "recorder/formats/formats.h"
#include "recorder/formats/values.h"
#include "recorder/formats/writing.h"

#include <inttypes.h>
#include <string.h>

struct reading {
  struct tokens t;
  struct parsing *parsing;
  bool has_value, initial;
  uint64_t row_key, row_value; // of a range query
  unsigned row_parts;
};

static int complain(struct reading *r, const char *expected) {
  return token_refuse(&r->t, expected, r->parsing->error);
}

static bool is_nil(const struct tokens *t) {
  return token_is_nothing(t) || token_is(t, "nil");
}

static uint64_t value(struct reading *r) {
  return is_nil(&r->t) ? VALUE_INITIAL
                       : value_of_token(&r->t, r->parsing->builder);
}

// Goes behind an operation.  `*failed`: the word that comes as the `place`-th
// from here, from 0, is false.
static int close_op(struct reading *r, int place, bool *failed) {
  *failed = false;
  for (; token_next(&r->t) != TOKEN_CLOSE; place--) {
    *failed |= place == 0 && token_is(&r->t, "false");
    if (token_skip(&r->t))
      return complain(r, "']' at the end of the operation");
  }
  return 0;
}

static int read_row_key(void *reading) {
  struct reading *r = reading;
  if (!token_is_scalar(&r->t))
    return complain(r, "the key of a row");
  r->row_key = key_of_token(&r->t, r->parsing->builder);
  r->row_parts |= 1;
  return 0;
}

static int read_row_value(void *reading) {
  struct reading *r = reading;
  if (!token_is_scalar(&r->t))
    return complain(r, "the value of a row");
  r->row_value = value(r);
  r->row_parts |= 2;
  return 0;
}

static int read_row(void *reading) {
  static const struct member parts[] = {
      {"id", read_row_key}, {"val", read_row_value}, {NULL, NULL}};
  struct reading *r = reading;
  r->row_parts = 0;
  if (token_members(&r->t, parts, r, r->parsing->error))
    return -1;
  if (r->row_parts != 3)
    return complain(r, "id and val before the end of the row");
  builder_op(r->parsing->builder, OP_READ, r->row_key, r->row_value);
  return 0;
}

// Behind "range": from, to, rows.
static int read_range(struct reading *r) {
  for (int i = 0; i < 2; i++) {
    token_next(&r->t);
    if (!token_is_scalar(&r->t))
      return complain(r, "an end of the range");
  }
  bool failed;
  token_next(&r->t);
  return token_elements(&r->t, read_row, r, r->parsing->error) ||
                 close_op(r, 0, &failed)
             ? -1
             : 0;
}

static void tell_read(struct reading *r, uint64_t key) {
  if (is_nil(&r->t) && tells_nothing(r->parsing))
    builder_nothing(r->parsing->builder, key);
  else
    builder_op(r->parsing->builder, OP_READ, key, value(r));
}

// From the value of a "w", an "i" or a "d" on, the last two of which `reads`.
static int read_write(struct reading *r, uint64_t key, bool reads) {
  const uint64_t written = value(r);
  bool failed;
  if (reads) {
    token_next(&r->t);
    if (!token_is_scalar(&r->t))
      return complain(r, "what was read");
    tell_read(r, key);
  }
  if (close_op(r, reads ? 1 : 0, &failed))
    return -1;
  if (!failed)
    builder_op(r->parsing->builder, OP_WRITE, key, written);
  return 0;
}

static int read_op(void *reading) {
  struct reading *r = reading;
  struct tokens *t = &r->t;
  if (t->kind != TOKEN_OPEN || t->bracket == '{')
    return complain(r, "an operation such as [\"w\",1,5,true]");
  token_next(t);
  if (token_is(t, "range"))
    return read_range(r);
  const bool updates = token_is(t, "i") || token_is(t, "d");
  const bool writes = updates || token_is(t, "w");
  if (!writes && !token_is(t, "r"))
    return complain(r, "\"r\", \"w\", \"i\", \"d\" or \"range\"");
  token_next(t);
  if (!token_is_scalar(t))
    return complain(r, "a key");
  const uint64_t key = key_of_token(t, r->parsing->builder);
  token_next(t);
  if (!token_is_scalar(t) || (writes && is_nil(t)))
    return complain(r, "a value");
  if (writes)
    return read_write(r, key, updates);
  bool dead;
  tell_read(r, key);
  return close_op(r, 0, &dead);
}

static int read_value(void *reading) {
  struct reading *r = reading;
  r->has_value = true;
  return token_elements(&r->t, read_op, r, r->parsing->error);
}

static int read_initial(void *reading) {
  struct reading *r = reading;
  r->initial = token_is(&r->t, "true");
  return token_skip(&r->t) ? complain(r, "true or false") : 0;
}

static const struct member members[] = {
    {"value", read_value}, {"isInitial", read_initial}, {NULL, NULL}};

static int read_txn(void *reading) {
  struct reading *r = reading;
  builder_txn(r->parsing->builder, r->parsing->session, OUTCOME_OK,
              ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
  r->has_value = r->initial = false;
  if (token_members(&r->t, members, r, r->parsing->error))
    return -1;
  if (!r->has_value)
    return complain(r, "a member value before the end of the transaction");
  if (r->initial)
    builder_first(r->parsing->builder);
  return 0;
}

static int viper_json_parse(struct parsing *parsing) {
  struct reading r = {.t = {.input = &parsing->input}, .parsing = parsing};
  while (token_next(&r.t) != TOKEN_END)
    if (token_opens(&r.t, '[')
            ? token_elements(&r.t, read_txn, &r, parsing->error)
            : read_txn(&r))
      return -1;
  return 0;
}

static void put_txn(struct writing *w, uint32_t t) {
  const struct history *h = w->h;
  const char *comma = "";
  fputs("{\"value\":[", w->out);
  for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++) {
    struct said said[SAID_MAX];
    const uint32_t n = writing_say(w, t, op, said);
    for (uint32_t i = 0; i < n; i++, comma = ",") {
      fprintf(w->out, "%s[\"%c\",", comma, said[i].kind == OP_READ ? 'r' : 'w');
      writing_put_key(w, said[i].key, false);
      fputc(',', w->out);
      if (said[i].nothing)
        fputs("\"nil\"", w->out);
      else
        writing_put_value(w, said[i].value, false);
      fputs(",true]", w->out);
    }
  }
  fputs("],\"isInitial\":false}\n", w->out);
}

static int viper_json_write(struct writing *w) {
  const struct history *h = w->h;
  for (uint32_t s = 0; s < h->nsessions; s++) {
    char name[32];
    snprintf(name, sizeof name, "J%" PRIu32 ".log", s);
    if (!(w->out = writing_open(w, name)))
      return -1;
    uint32_t t;
    for (writing_start(w, s); writing_next(w, s, &t);)
      put_txn(w, t);
    if (writing_close(w, w->out))
      return -1;
  }
  return 0;
}

static bool viper_json_recognise(const unsigned char *head, size_t bytes) {
  (void)bytes;
  const char *p = (const char *)head;
  p += strspn(p, " \t\r\n[");
  return *p == '{' && text_has_member(p, 1, "value") &&
         !text_has_member(p, 1, "type");
}

const struct history_format format_viper_json = {
    .name = "viper-json",
    .summary = "Viper: directory of JSON, a file J*.log per session",
    .files = "J*.log",
    .initial = INITIAL_IMPLICIT,
    .says = SAYS_DUPLICATES | SAYS_NAMES | SAYS_VALUES,
    .recognise = viper_json_recognise,
    .parse = viper_json_parse,
    .extension = "viper",
    .write = viper_json_write,
    .written_as = WRITTEN_DIRECTORY,
};
