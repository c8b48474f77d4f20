// SPDX-License-Identifier: GPL-3.0-or-later
// Reads markup as strictly as we write it (tests/kit/markup.h).
#include "config.h"

#include "tests/kit/markup.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 64, NAMES = 4096 };

// A part of the text.
struct part {
  const char *begin;
  size_t length;
};

struct markup_reading {
  struct part open[DEPTH];
  unsigned depth;
  struct part ids[NAMES], wanted[NAMES]; // wanted: ids that others lead to
  unsigned nids, nwanted;
};

unsigned markup_count(const char *text, const char *part) {
  unsigned n = 0;
  for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
    n++;
  return n;
}

bool markup_in_order(const char *text, const char *part, const char *other) {
  const char *first = strstr(text, part), *second = strstr(text, other);
  return first && second && first < second;
}

static bool same(struct part a, struct part b) {
  return a.length == b.length && !memcmp(a.begin, b.begin, a.length);
}

static bool is_named(struct part part, const char *name) {
  return part.length == strlen(name) && !memcmp(part.begin, name, part.length);
}

static bool has_no_end(struct part element) {
  static const char *const names[] = {"meta", "br", "input", "!DOCTYPE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (is_named(element, names[i]))
      return true;
  return false;
}

static void keep_attribute(struct markup_reading *m, struct part name,
                           struct part value) {
  if (is_named(name, "id") && m->nids < NAMES)
    m->ids[m->nids++] = value;
  if (is_named(name, "aria-labelledby") && m->nwanted < NAMES)
    m->wanted[m->nwanted++] = value;
  if (is_named(name, "href") && value.length && *value.begin == '#' &&
      m->nwanted < NAMES)
    m->wanted[m->nwanted++] = (struct part){value.begin + 1, value.length - 1};
}

// Reads attributes up to the end of the tag; NULL: they are not well-formed.
static const char *read_attributes(struct markup_reading *m, const char *at,
                                   bool *ends) {
  for (;;) {
    at += strspn(at, " \n");
    *ends = *at == '/';
    at += *ends;
    if (*at == '>')
      return at + 1;
    const struct part name = {at, strcspn(at, " \n=/><\"'&")};
    at += name.length;
    if (!name.length)
      return NULL;
    if (*at != '=')
      continue;
    if (at[1] != '"')
      return NULL;
    const struct part value = {at + 2, strcspn(at + 2, "\"<")};
    at = value.begin + value.length;
    if (*at++ != '"')
      return NULL;
    keep_attribute(m, name, value);
  }
}

// Past the tag at `at`, or what is wrong with it.
static const char *read_tag(struct markup_reading *m, const char **text) {
  const char *at = *text + 1;
  const bool closes = *at == '/';
  bool ends = false;
  at += closes;
  const struct part element = {at, strcspn(at, " \n/><")};
  at = read_attributes(m, at + element.length, &ends);
  if (!at || !element.length)
    return "a tag is not well-formed";
  if (closes) {
    if (!m->depth || !same(m->open[m->depth - 1], element))
      return "an end has no beginning";
    m->depth--;
  } else if (!ends && !has_no_end(element)) {
    if (m->depth == DEPTH)
      return "elements are nested too deep";
    m->open[m->depth++] = element;
  }
  *text = at;
  if (!closes && (is_named(element, "style") || is_named(element, "script"))) {
    at = strstr(at, is_named(element, "style") ? "</style>" : "</script>");
    *text = at ? at : "";
  }
  return NULL;
}

static bool is_id(const struct markup_reading *m, struct part name) {
  for (unsigned i = 0; i < m->nids; i++)
    if (same(m->ids[i], name))
      return true;
  return false;
}

static const char *fault_of_names(const struct markup_reading *m) {
  for (unsigned i = 0; i < m->nids; i++)
    for (unsigned k = i + 1; k < m->nids; k++)
      if (same(m->ids[i], m->ids[k]))
        return "an id stands twice";
  for (unsigned i = 0; i < m->nwanted; i++)
    if (!is_id(m, m->wanted[i]))
      return "a link leads nowhere";
  return m->nids == NAMES || m->nwanted == NAMES ? "too many names" : NULL;
}

// Does an entity begin there: "&lt;"?
static bool is_entity(const char *at) {
  const size_t length = strcspn(at + 1, "; <&");
  return length > 0 && length < 8 && at[1 + length] == ';';
}

static const char *read_markup(struct markup_reading *m, const char *text) {
  const char *fault = NULL;
  while (*text && !fault) {
    if (*text == '<')
      fault = read_tag(m, &text);
    else if (*text == '&' && !is_entity(text))
      fault = "an ampersand is not escaped";
    else
      text++;
  }
  return fault      ? fault
         : m->depth ? "an element is not closed"
                    : fault_of_names(m);
}

const char *markup_fault(const char *text) {
  struct markup_reading *m = calloc(1, sizeof *m);
  const char *fault = m ? read_markup(m, text) : "no memory";
  free(m);
  return fault;
}
