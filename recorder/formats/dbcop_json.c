// SPDX-License-Identifier: GPL-3.0-or-later
// Histories of today's dbcop: the sessions as arrays of transactions, alone or
// as the member "data" of an object that describes the run.  A read of version
// 0 found nothing, as one of null did, unless somebody writes that: a history
// that dbcop makes starts with a transaction that does.
//
//   [[{"events":[{"Write":{"variable":0,"version":1}}],"committed":true}],
//    [{"events":[["r",0,1],["r",1,null]],"committed":true}]]
//
// So is JSON of what dbcop was at first, of which events that did not succeed
// are left out:
//
//   {"data":[[{"events":[{"write":true,"variable":0,"value":1,"success":true}],
//              "success":true}]]}
#include "config.h"

#include "recorder/formats/digits.h"
#include "recorder/formats/export.h"
#include "recorder/formats/tokens.h"

#include <inttypes.h>
#include <stdio.h>

struct dbcop_reading {
  struct tokens *t;
  struct parsing *parsing;
  uint64_t session;
  bool committed, has_data, has_events;
  // The event at hand.
  bool write, nothing, success;
  unsigned parts; // of its object
  uint64_t variable, version;
};

// An event is an access, of a variable and a value, or in old ones all but
// that.
enum { ACCESS = 1, WRITE = 2, VARIABLE = 4, VALUE = 8, SUCCESS = 16 };

static bool is_null(const struct tokens *t) {
  return t->kind == TOKEN_WORD && token_is(t, "null");
}

// Also what is too large for a token to be an integer.
static bool is_number(const struct tokens *t, uint64_t *number) {
  const size_t n = t->kind == TOKEN_WORD ? digits_read(t->text, number) : 0;
  if (t->kind == TOKEN_INTEGER)
    *number = t->integer;
  return t->kind == TOKEN_INTEGER ||
         (n == t->length && digits_fit(t->text, n, *number));
}

static uint64_t find_dbcop_version(struct dbcop_reading *r, uint64_t number) {
  char text[24];
  if (!number)
    return builder_zero(r->parsing->builder, r->write);
  if (number < VALUE_NAMED)
    return number;
  const int n = snprintf(text, sizeof text, "%" PRIu64, number);
  return builder_value_named(r->parsing->builder, text, (size_t)n);
}

static int read_variable(void *reading) {
  struct dbcop_reading *r = reading;
  if (!is_number(r->t, &r->variable))
    return token_refuse(r->t, "the number of a variable");
  r->parts |= VARIABLE;
  return 0;
}

static int read_version(void *reading) {
  struct dbcop_reading *r = reading;
  r->nothing = !r->write && is_null(r->t);
  if (!r->nothing && !is_number(r->t, &r->version))
    return token_refuse(r->t, r->write ? "the number of a version"
                                       : "the number of a version, or null");
  r->version = r->nothing ? VALUE_INITIAL : find_dbcop_version(r, r->version);
  r->parts |= VALUE;
  return 0;
}

static const struct member access_members[] = {
    {"variable", read_variable}, {"version", read_version}, {NULL, NULL}};

static int take_dbcop_event(struct dbcop_reading *r) {
  if (r->parts != (VARIABLE | VALUE))
    return token_refuse(r->t,
                        "a variable and a version before the end of the event");
  if (r->nothing && tells_nothing(r->parsing))
    builder_nothing(r->parsing->builder, r->variable);
  else
    builder_op(r->parsing->builder, r->write ? OP_WRITE : OP_READ, r->variable,
               r->version);
  return 0;
}

// {"variable":0,"version":1}
static int read_access(struct dbcop_reading *r, bool write) {
  const unsigned others = r->parts;
  r->write = write;
  r->parts = 0;
  if (token_members(r->t, access_members, r) || take_dbcop_event(r))
    return -1;
  r->parts = others | ACCESS;
  return 0;
}

static int read_dbcop_write(void *reading) {
  return read_access(reading, true);
}
static int read_dbcop_read(void *reading) {
  return read_access(reading, false);
}

static int read_flag(struct dbcop_reading *r, bool *flag) {
  *flag = token_is(r->t, "true");
  if (r->t->kind != TOKEN_WORD || (!*flag && !token_is(r->t, "false")))
    return token_refuse(r->t, "true or false");
  return 0;
}

static int read_old_write(void *reading) {
  struct dbcop_reading *r = reading;
  r->parts |= WRITE;
  return read_flag(r, &r->write);
}

static int read_old_value(void *reading) {
  struct dbcop_reading *r = reading;
  r->parts |= VALUE;
  return is_number(r->t, &r->version) ? 0 : token_refuse(r->t, "a number");
}

static int read_old_success(void *reading) {
  struct dbcop_reading *r = reading;
  r->parts |= SUCCESS;
  return read_flag(r, &r->success);
}

static const struct member event_members[] = {{"Write", read_dbcop_write},
                                              {"Read", read_dbcop_read},
                                              {"write", read_old_write},
                                              {"variable", read_variable},
                                              {"value", read_old_value},
                                              {"success", read_old_success},
                                              {NULL, NULL}};

// ["w",0,1], behind its bracket.
static int read_compact(struct dbcop_reading *r) {
  r->parts = 0;
  token_next(r->t);
  r->write = token_is(r->t, "w");
  if (!r->write && !token_is(r->t, "r"))
    return token_refuse(r->t, "\"r\" or \"w\"");
  token_next(r->t);
  if (read_variable(r))
    return -1;
  token_next(r->t);
  if (read_version(r))
    return -1;
  if (token_next(r->t) != TOKEN_CLOSE)
    return token_refuse(r->t, "']' at the end of the event");
  return take_dbcop_event(r);
}

static int read_dbcop_event(void *reading) {
  struct dbcop_reading *r = reading;
  if (r->t->kind == TOKEN_OPEN && r->t->bracket != '{')
    return read_compact(r);
  r->parts = 0;
  if (token_members(r->t, event_members, r))
    return -1;
  if (r->parts == ACCESS)
    return 0;
  if (r->parts != (WRITE | VARIABLE | VALUE | SUCCESS))
    return token_refuse(r->t,
                        "Read or Write, or write, variable, value and success, "
                        "before the end of the event");
  if (r->success)
    builder_op(r->parsing->builder, r->write ? OP_WRITE : OP_READ, r->variable,
               find_dbcop_version(r, r->version));
  return 0;
}

static int read_events(void *reading) {
  struct dbcop_reading *r = reading;
  r->has_events = true;
  return token_elements(r->t, read_dbcop_event, r);
}

static int read_committed(void *reading) {
  struct dbcop_reading *r = reading;
  return read_flag(r, &r->committed);
}

static const struct member txn_members[] = {{"events", read_events},
                                            {"committed", read_committed},
                                            {"success", read_committed},
                                            {NULL, NULL}};

static int read_dbcop_txn(void *reading) {
  struct dbcop_reading *r = reading;
  builder_txn(r->parsing->builder, r->session, OUTCOME_OK, ISOLATION_NONE,
              TIME_UNKNOWN, TIME_UNKNOWN);
  r->committed = true;
  r->has_events = false;
  if (token_members(r->t, txn_members, r))
    return -1;
  if (!r->has_events)
    return token_refuse(r->t,
                        "a member events before the end of the transaction");
  if (!r->committed)
    builder_outcome(r->parsing->builder, OUTCOME_ABORTED);
  return 0;
}

static int read_dbcop_session(void *reading) {
  struct dbcop_reading *r = reading;
  if (token_elements(r->t, read_dbcop_txn, r))
    return -1;
  r->session++;
  return 0;
}

static int read_data(void *reading) {
  struct dbcop_reading *r = reading;
  if (r->has_data)
    return token_refuse(r->t, "one member data only");
  r->has_data = true;
  return token_elements(r->t, read_dbcop_session, r);
}

static const struct member members[] = {{"data", read_data}, {NULL, NULL}};

static int dbcop_json_parse(struct parsing *parsing) {
  struct dbcop_reading r = {.t = parsing_tokens(parsing, false),
                            .parsing = parsing};
  token_next(r.t);
  if (token_opens(r.t, '{')) {
    if (token_members(r.t, members, &r))
      return -1;
    if (!r.has_data)
      return token_refuse(r.t, "a member data before the end of the history");
  } else if (read_data(&r))
    return -1;
  return token_next(r.t) == TOKEN_END
             ? 0
             : token_refuse(r.t, "the end of the file");
}

// Returns how many events there are.
static uint32_t put_dbcop_txn(struct export_writing *w, uint32_t t) {
  const struct exported *said;
  const uint32_t nevents = export_txn(w, t, &said);
  fputs("{\"events\":[", w->out);
  for (uint32_t i = 0; i < nevents; i++) {
    fprintf(w->out,
            "%s{\"%s\":{\"variable\":%" PRIu64 ",\"version\":", i ? "," : "",
            said[i].kind == OP_READ ? "Read" : "Write",
            writing_key(w, said[i].key));
    if (said[i].nothing)
      fputs("null}}", w->out);
    else
      fprintf(w->out, "%" PRIu64 "}}", said[i].value);
  }
  fprintf(w->out, "],\"committed\":%s}",
          writing_outcome(w, t) == OUTCOME_OK ? "true" : "false");
  return nevents;
}

// With what dbcop's command line wants besides the sessions, of which nothing
// but the numbers is known: the most transactions of a session, and events of a
// transaction.
static int dbcop_json_write(struct export_writing *w) {
  const struct history *h = w->h;
  uint32_t max_txns = 0, max_events = 0;
  fputs("{\"data\":[", w->out);
  for (uint32_t s = 0; s < h->nsessions; s++) {
    uint32_t t, ntxns = 0;
    fputs(s ? ",\n[" : "[", w->out);
    for (writing_start(w, s); writing_next(w, s, &t);) {
      fputs(ntxns++ ? ",\n " : "", w->out);
      const uint32_t nevents = put_dbcop_txn(w, t);
      max_events = nevents > max_events ? nevents : max_events;
    }
    max_txns = ntxns > max_txns ? ntxns : max_txns;
    fputs("]", w->out);
  }
  fprintf(w->out,
          "],\n\"params\":{\"id\":0,\"n_node\":%" PRIu32
          ",\"n_variable\":%" PRIu32 ",\"n_transaction\":%" PRIu32
          ",\"n_event\":%" PRIu32
          "},\n\"info\":\"\",\"start\":\"" WRITING_RUN_TIME
          "\",\"end\":\"" WRITING_RUN_TIME "\"}\n",
          h->nsessions, h->nkeys, max_txns, max_events);
  return 0;
}

// [[{"events" or {"data":[[{"events" or {"params":{"n_node".
static bool dbcop_json_recognise(const char *p) {
  if (*p == '[')
    return text_has_member(p, 3, "events") || text_empty_depth(p, '[') == 2;
  return *p == '{' &&
         ((text_has_member(p, 1, "data") && text_has_member(p, 4, "events")) ||
          (text_has_member(p, 1, "params") && text_has_member(p, 2, "n_node")));
}

const struct history_format format_dbcop_json = {
    .name = "dbcop-json",
    .summary = "dbcop: JSON, events as objects or as [\"w\",0,1]",
    .example = "[[{\"events\":[[\"w\",0,1]],\"committed\":true}],\n"
               " [{\"events\":[[\"r\",0,1],[\"w\",0,2]],\"committed\":true}]]",
    .initial = INITIAL_BY_KEY,
    .says = FEATURE_DUPLICATES | FEATURE_ABORTED | FEATURE_UNCOMMITTED_READS,
    .recognise_text = dbcop_json_recognise,
    .parse = dbcop_json_parse,
    .write = dbcop_json_write,
};
