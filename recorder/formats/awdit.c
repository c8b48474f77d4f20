// SPDX-License-Identifier: GPL-3.0-or-later
// AWDIT's test texts: lines `w KEY VALUE` and `r KEY VALUE`, lines of dashes
// between transactions, lines of equals signs between sessions.
#include "config.h"

#include "recorder/formats/export.h"
#include "recorder/formats/lines.h"

#include <inttypes.h>
#include <string.h>

struct awdit_reading {
  struct parsing *parsing;
  uint64_t session;
  bool open;
};

static int read_awdit_operation(struct awdit_reading *r) {
  char *p = r->parsing->input.p;
  const bool writes = *p == 'w';
  uint64_t key = 0, value = 0;
  for (int i = 0; i < 2; i++) {
    p += i == 0;
    if (*p != ' ' && *p != '\t')
      return line_refuse(r->parsing, p, "expected a blank");
    p += strspn(p, " \t");
    if (p - r->parsing->input.p > LINE_MAX_BYTES)
      return line_refuse(r->parsing, r->parsing->input.p,
                         "expected a line of less than 32 KiB");
    if (!take_number(&p, i ? &value : &key))
      return line_refuse(r->parsing, p,
                         i ? "expected a value" : "expected a key");
  }
  r->parsing->input.p = p;
  if (!r->open)
    builder_txn(r->parsing->builder, r->session, OUTCOME_OK, ISOLATION_NONE,
                TIME_UNKNOWN, TIME_UNKNOWN);
  r->open = true;
  builder_op(r->parsing->builder, writes ? OP_WRITE : OP_READ, key, value);
  return 0;
}

static int awdit_parse(struct parsing *parsing) {
  struct awdit_reading r = {.parsing = parsing};
  struct input *in = &parsing->input;
  bool line = false; // of equals signs, going on
  while (!lines_end(in)) {
    const char c = *in->p;
    if (c == '=' || c == '-') {
      r.session += c == '=' && !line;
      r.open = false;
      in->p++;
    } else if (c == 'r' || c == 'w') {
      if (read_awdit_operation(&r))
        return -1;
    } else
      return line_refuse(parsing, in->p,
                         "expected r KEY VALUE, w KEY VALUE, --- or ===");
    line = c == '=';
  }
  return 0;
}

static void put_awdit_ops(struct export_writing *w, const struct exported *said,
                          uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    fprintf(w->out, "%c %" PRIu64 " %" PRIu64 "\n",
            said[i].kind == OP_READ ? 'r' : 'w', writing_key(w, said[i].key),
            said[i].value);
}

// Empty transactions and sessions cannot be said, but they mean nothing
// either.
static int awdit_write(struct export_writing *w) {
  const struct history *h = w->h;
  const char *line = "";
  for (uint32_t s = 0; s < h->nsessions; s++) {
    uint32_t t;
    for (writing_start(w, s); writing_next(w, s, &t);) {
      const struct exported *said;
      const uint32_t n = export_txn(w, t, &said);
      if (!n)
        continue;
      fputs(line, w->out);
      put_awdit_ops(w, said, n);
      line = "---\n";
    }
    line = *line ? "===\n" : "";
  }
  return 0;
}

static bool awdit_recognise(const char *p) {
  p += strspn(p, " \t\r\n=-");
  return (*p == 'r' || *p == 'w') && (p[1] == ' ' || p[1] == '\t') &&
         p[2] >= '0' && p[2] <= '9';
}

const struct history_format format_awdit = {
    .name = "awdit",
    .summary = "AWDIT's test text: w KEY VALUE, --- and ===",
    .example = "w 0 1\n"
               "===\n"
               "r 0 1",
    .initial = INITIAL_BY_CONTENT,
    .says = FEATURE_DUPLICATES,
    .recognise_text = awdit_recognise,
    .parse = awdit_parse,
    .extension = "awdit",
    .write = awdit_write,
};
