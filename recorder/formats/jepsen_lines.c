// SPDX-License-Identifier: GPL-3.0-or-later
// Operations as Jepsen prints them, a line each: history.txt, and the lines of
// jepsen.log and of the console that have one behind a date and "jepsen.util".
//
//   0	:invoke	:txn	[[:append 5 1] [:r 5 nil]]
//   INFO [2026-01-05 10:31:29,707] jepsen worker 0 - jepsen.util 0	:ok
//   :read	1
//
// Other lines are left out.
#include "config.h"

#include "recorder/formats/elle.h"
#include "recorder/formats/lines.h"

#include <ctype.h>
#include <string.h>

static const char behind[] = "jepsen.util"; // a log has its operations

// Does an operation begin here?
static bool begins_operation(const char *p, const char *end) {
  static const char *const types[] = {":invoke", ":ok", ":fail", ":info"};
  const char *process = p;
  while (p < end && (isalnum((unsigned char)*p) || strchr(":-_", *p)))
    p += *p ? 1 : end - p;
  const char *type = p;
  while (type < end && (*type == ' ' || *type == '\t'))
    type++;
  bool is_type = false;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    const size_t n = strlen(types[i]);
    is_type |= (size_t)(end - type) > n && !memcmp(type, types[i], n) &&
               (type[n] == ' ' || type[n] == '\t');
  }
  return p > process && type > p && is_type;
}

// The operation of a line; NULL: it has none.
static const char *operation_of_line(const char *line, const char *end) {
  if (begins_operation(line, end))
    return line;
  const char *p = memmem(line, (size_t)(end - line), behind, sizeof behind - 1);
  if (!p)
    return NULL;
  p += sizeof behind - 1;
  while (p < end && strchr(" -:", *p))
    p += *p ? 1 : end - p;
  return begins_operation(p, end) ? p : NULL;
}

static bool find_operation(struct input *in) {
  bool more = input_offset(in) == in->line_offset || lines_next(in);
  for (; more; more = lines_next(in)) {
    input_want(in);
    const char *feed = memchr(in->p, '\n', (size_t)(in->end - in->p));
    const char *found = operation_of_line(in->p, feed ? feed : in->end);
    if (found) {
      in->p += found - in->p;
      return true;
    }
  }
  return false;
}

static int jepsen_lines_parse(struct parsing *parsing) {
  return elle_parse_lines(parsing, find_operation);
}

static bool jepsen_lines_recognise(const char *p) {
  bool found = false;
  while (*p && !found) {
    const char *end = p + strcspn(p, "\n");
    found = operation_of_line(p, end);
    p = end + (*end == '\n');
  }
  return found;
}

const struct history_format format_jepsen = {
    .name = "jepsen",
    .summary = "Jepsen's history.txt and jepsen.log: what edn has, in lines",
    .example = "0\t:invoke\t:txn\t[[:append :x 1] [:r :x nil]]\n"
               "0\t:ok\t:txn\t[[:append :x 1] [:r :x [1]]]",
    .initial = INITIAL_IMPLICIT,
    .recognise_text = jepsen_lines_recognise,
    .parse = jepsen_lines_parse,
};
