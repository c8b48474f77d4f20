// SPDX-License-Identifier: GPL-3.0-or-later
// Tiny histories: from and to text, to a history in memory, and smaller.
#include "config.h"

#include "tests/kit/tiny.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char key_names[TINY_KEYS + 1] = "xyzw";

// --- To a history.

struct write_index { // by value; SAW_THIN_AIR where nobody wrote it
  uint32_t op[TINY_VALUES];
  uint8_t key[TINY_VALUES];
};

static void find_writers(const struct tiny *tiny, struct write_index *writers) {
  for (unsigned v = 0; v < TINY_VALUES; v++)
    writers->op[v] = SAW_THIN_AIR;
  uint32_t op = 0;
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++, op++) {
      const struct tiny_op *o = &tiny->txn[t].op[i];
      if (!op_writes(o->kind))
        continue;
      writers->op[o->value] = op;
      writers->key[o->value] = o->key;
    }
}

static uint32_t writer_of(const struct write_index *writers, unsigned key,
                          unsigned value) {
  if (value == 0)
    return SAW_INITIAL;
  assert(value < TINY_VALUES);
  if (writers->op[value] < HISTORY_MAX && writers->key[value] != key)
    return SAW_THIN_AIR;
  return writers->op[value];
}

static void add_list(const struct tiny_op *o, const struct write_index *writers,
                     struct tiny_history *room) {
  struct history *h = &room->history;
  room->list[h->nlists++] = (struct seen_list){h->nelements, o->length};
  for (unsigned i = 0; i < o->length; i++, h->nelements++) {
    room->element[h->nelements] = writer_of(writers, o->key, o->list[i]);
    room->element_value[h->nelements] = o->list[i];
  }
}

static void add_op(const struct tiny_op *o, const struct write_index *writers,
                   struct tiny_history *room) {
  const uint32_t op = room->history.nops++;
  room->kind[op] = o->kind;
  room->key[op] = o->key;
  room->value[op] = o->value;
  room->saw[op] = 0;
  if (o->kind == OP_READ)
    room->saw[op] = writer_of(writers, o->key, o->value);
  else if (o->kind == OP_CAS)
    room->saw[op] = writer_of(writers, o->key, o->expected);
  else if (o->kind == OP_READ_LIST) {
    room->saw[op] = room->history.nlists;
    add_list(o, writers, room);
  }
  if (op_is_list(o->kind))
    room->history.lists = true;
}

static void add_txn(const struct tiny *tiny, unsigned t,
                    struct tiny_history *room) {
  const struct tiny_txn *txn = &tiny->txn[t];
  struct history *h = &room->history;
  if (t == 0 || txn->session != tiny->txn[t - 1].session)
    room->session_first[h->nsessions++] = t;
  room->txn_first[t] = h->nops;
  room->outcome[t] = txn->outcome;
  room->cause[t] = CAUSE_NONE;
  room->level[t] = txn->level;
  room->begin[t] = txn->begin ? txn->begin : TIME_UNKNOWN;
  room->end[t] = txn->end ? txn->end : TIME_UNKNOWN;
}

static void point_into(struct tiny_history *room) {
  room->history.session_first = room->session_first;
  room->history.txn_first = room->txn_first;
  room->history.outcome = room->outcome;
  room->history.cause = room->cause;
  room->history.level = room->level;
  room->history.begin = room->begin;
  room->history.end = room->end;
  room->history.kind = room->kind;
  room->history.key = room->key;
  room->history.value = room->value;
  room->history.saw = room->saw;
  room->history.list = room->list;
  room->history.element = room->element;
  room->history.element_value = room->element_value;
  room->history.key_number = room->key_number;
}

const struct history *tiny_history(const struct tiny *tiny,
                                   struct tiny_history *room) {
  struct history *h = &room->history;
  struct write_index writers;
  find_writers(tiny, &writers);
  memset(h, 0, sizeof *h);
  point_into(room);
  h->complete = true;
  h->nkeys = TINY_KEYS;
  for (unsigned k = 0; k < TINY_KEYS; k++)
    room->key_number[k] = k;
  h->ntxns = tiny->ntxns;
  for (unsigned t = 0; t < tiny->ntxns; t++) {
    add_txn(tiny, t, room);
    for (unsigned i = 0; i < tiny->txn[t].nops; i++)
      add_op(&tiny->txn[t].op[i], &writers, room);
  }
  room->txn_first[tiny->ntxns] = h->nops;
  room->session_first[h->nsessions] = tiny->ntxns;
  return h;
}

bool tiny_promises_anything(const struct tiny *tiny) {
  bool any = false;
  for (unsigned t = 0; t < tiny->ntxns; t++)
    any |= tiny->txn[t].outcome != OUTCOME_ABORTED && tiny->txn[t].level;
  return any;
}

// --- From text.

static void mistake(const char *text) {
  fprintf(stderr, "not a tiny history from here on: %s\n", text);
  abort();
}

static bool starts(const char **text, const char *with) {
  const size_t length = strlen(with);
  if (strncmp(*text, with, length) != 0)
    return false;
  *text += length;
  return true;
}

static uint8_t parse_value(const char **text) {
  if (starts(text, "?"))
    return 0;
  char *end;
  const unsigned long value = strtoul(*text, &end, 10);
  if (end == *text || value >= TINY_VALUES)
    mistake(*text);
  *text = end;
  return (uint8_t)value;
}

static void parse_list(const char **text, struct tiny_op *op) {
  op->kind = OP_READ_LIST;
  while (!starts(text, "]")) {
    if (op->length == TINY_LIST)
      mistake(*text);
    op->list[op->length++] = parse_value(text);
    starts(text, ",");
  }
}

static void parse_op(const char **text, struct tiny_op *op) {
  const char *name = strchr(key_names, **text);
  if (!**text || !name)
    mistake(*text);
  ++*text;
  *op = (struct tiny_op){.key = (uint8_t)(name - key_names)};
  if (starts(text, "==[")) {
    parse_list(text, op);
    return;
  }
  if (starts(text, ":="))
    op->kind = OP_WRITE;
  else if (starts(text, "+="))
    op->kind = OP_APPEND;
  else if (starts(text, "=="))
    op->kind = OP_READ;
  else if (starts(text, ":"))
    op->kind = OP_CAS;
  else
    mistake(*text);
  op->value = parse_value(text);
  if (op->kind != OP_CAS)
    return;
  op->expected = op->value;
  if (!starts(text, "->"))
    mistake(*text);
  op->value = parse_value(text);
}

// 0 where none is given.
static uint32_t parse_time(const char **text) {
  char *end;
  const unsigned long time = strtoul(*text, &end, 10);
  *text = end;
  return (uint32_t)time;
}

// Reads the marks behind the closing bracket.
static void parse_suffix(const char **text, struct tiny_txn *txn) {
  if (starts(text, "!"))
    txn->outcome = OUTCOME_ABORTED;
  else if (starts(text, "?"))
    txn->outcome = OUTCOME_UNKNOWN;
  for (int level = ISOLATION_COUNT; level-- > ISOLATION_NONE + 1;)
    if (!txn->level && starts(text, isolation_name((enum isolation)level)))
      txn->level = (uint8_t)level;
  if (starts(text, "@") || starts(text, " @")) {
    txn->begin = parse_time(text);
    if (!starts(text, ".."))
      mistake(*text);
    txn->end = parse_time(text);
  }
}

void tiny_parse(const char *text, struct tiny *tiny) {
  memset(tiny, 0, sizeof *tiny);
  uint8_t session = 0;
  while (*text) {
    if (starts(&text, " ") || starts(&text, "\n"))
      continue;
    if (starts(&text, "/") || starts(&text, "---")) {
      session++;
      continue;
    }
    if (!starts(&text, "[") || tiny->ntxns == TINY_TXNS)
      mistake(text);
    struct tiny_txn *txn = &tiny->txn[tiny->ntxns++];
    txn->session = session;
    while (!starts(&text, "]")) {
      if (txn->nops == TINY_OPS)
        mistake(text);
      parse_op(&text, &txn->op[txn->nops++]);
      starts(&text, " ");
    }
    parse_suffix(&text, txn);
  }
}

// --- To text.

struct sink {
  char *text;
  size_t room, used;
};

static void __attribute__((format(printf, 2, 3)))
say(struct sink *sink, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(sink->text + sink->used, sink->room - sink->used,
                               format, arguments);
  va_end(arguments);
  assert(length >= 0 && (size_t)length < sink->room - sink->used);
  sink->used += (size_t)length;
}

static void say_op(struct sink *sink, const struct tiny_op *op) {
  const char key = key_names[op->key];
  switch (op->kind) {
  case OP_WRITE:
    say(sink, "%c:=%d", key, op->value);
    break;
  case OP_APPEND:
    say(sink, "%c+=%d", key, op->value);
    break;
  case OP_READ:
    say(sink, op->value ? "%c==%d" : "%c==?", key, op->value);
    break;
  case OP_CAS:
    say(sink, "%c:%d->%d", key, op->expected, op->value);
    break;
  default:
    say(sink, "%c==[", key);
    for (unsigned i = 0; i < op->length; i++)
      say(sink, "%s%d", i ? "," : "", op->list[i]);
    say(sink, "]");
  }
}

static void say_time(struct sink *sink, uint32_t time) {
  if (time)
    say(sink, "%u", time);
}

void tiny_print(const struct tiny *tiny, char *text, size_t room) {
  struct sink sink = {text, room, 0};
  *text = 0;
  for (unsigned t = 0; t < tiny->ntxns; t++) {
    const struct tiny_txn *txn = &tiny->txn[t];
    if (t > 0)
      say(&sink, txn->session != txn[-1].session ? "\n---\n" : " ");
    say(&sink, "[");
    for (unsigned i = 0; i < txn->nops; i++) {
      say(&sink, "%s", i ? " " : "");
      say_op(&sink, &txn->op[i]);
    }
    say(&sink, "]%s",
        txn->outcome == OUTCOME_ABORTED   ? "!"
        : txn->outcome == OUTCOME_UNKNOWN ? "?"
                                          : "");
    if (txn->level)
      say(&sink, "%s", isolation_name(txn->level));
    if (txn->begin || txn->end) {
      say(&sink, "@");
      say_time(&sink, txn->begin);
      say(&sink, "..");
      say_time(&sink, txn->end);
    }
  }
  say(&sink, "\n");
}

// --- Smaller.

static void remove_txn(struct tiny *tiny, unsigned t) {
  tiny->ntxns--;
  memmove(&tiny->txn[t], &tiny->txn[t + 1],
          (tiny->ntxns - t) * sizeof tiny->txn[0]);
}

static void remove_op(struct tiny_txn *txn, unsigned i) {
  txn->nops--;
  memmove(&txn->op[i], &txn->op[i + 1], (txn->nops - i) * sizeof txn->op[0]);
}

static void remove_element(struct tiny *tiny, uint8_t value) {
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned i = 0; i < tiny->txn[t].nops; i++) {
      struct tiny_op *op = &tiny->txn[t].op[i];
      unsigned kept = 0;
      for (unsigned e = 0; e < op->length; e++)
        if (op->list[e] != value)
          op->list[kept++] = op->list[e];
      op->length = (uint8_t)kept;
    }
}

// The `step`-th way of making one transaction smaller; false: no such way.
static bool reduce_txn(struct tiny *tiny, unsigned t, unsigned step) {
  struct tiny_txn *txn = &tiny->txn[t];
  if (step == 0) {
    remove_txn(tiny, t);
  } else if (step == 1) {
    txn->begin = txn->end = 0;
  } else if (step == 2) {
    txn->outcome = OUTCOME_OK;
  } else if (step == 3) {
    txn->level = txn->level ? txn->level - 1 : 0;
  } else if (step < 4u + txn->nops) {
    remove_op(txn, step - 4);
  } else if (step < 4u + 2 * txn->nops) {
    const unsigned i = step - 4 - txn->nops;
    const uint8_t value = txn->op[i].value;
    if (txn->op[i].kind == OP_APPEND)
      remove_element(tiny, value);
    remove_op(txn, i);
  } else {
    return false;
  }
  return true;
}

static bool shrink_once(struct tiny *tiny,
                        bool (*still)(const struct tiny *tiny, void *context),
                        void *context) {
  for (unsigned t = 0; t < tiny->ntxns; t++)
    for (unsigned step = 0;; step++) {
      struct tiny smaller = *tiny;
      if (!reduce_txn(&smaller, t, step))
        break;
      if (memcmp(&smaller, tiny, sizeof smaller) == 0 ||
          !still(&smaller, context))
        continue;
      *tiny = smaller;
      return true;
    }
  return false;
}

void tiny_shrink(struct tiny *tiny,
                 bool (*still)(const struct tiny *tiny, void *context),
                 void *context) {
  while (shrink_once(tiny, still, context))
    ;
}
