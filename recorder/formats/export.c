// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a history in the words of a format (recorder/formats/export.h).
#include "config.h"

#include "recorder/formats/export.h"

#include "base/memory.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool format_says(const struct export_writing *w, unsigned what) {
  return (w->format->says & what) == what;
}

void writing_start(struct export_writing *w, uint32_t s) {
  assert(s < w->h->nsessions);
  w->next[s] = w->h->session_first[s];
}

bool writing_next(struct export_writing *w, uint32_t s, uint32_t *t) {
  const uint32_t end = w->h->session_first[s + 1];
  if (!w->failed && w->stop && *w->stop) {
    error_set(w->error, "%s was not written: it was interrupted", w->path);
    w->failed = true;
  }
  while (!w->failed && w->next[s] < end) {
    *t = w->next[s]++;
    if (writing_takes(w, *t))
      return true;
  }
  return false;
}

bool writing_takes(const struct export_writing *w, uint32_t t) {
  assert(t < w->h->ntxns);
  switch ((enum outcome)w->h->outcome[t]) {
  case OUTCOME_ABORTED:
    return format_says(w, FEATURE_ABORTED);
  case OUTCOME_UNKNOWN:
    return format_says(w, FEATURE_UNKNOWN) || w->counted[t];
  default:
    return w->counted[t]; // unless it depends on what was lost
  }
}

enum outcome writing_outcome(const struct export_writing *w, uint32_t t) {
  assert(t < w->h->ntxns);
  const enum outcome outcome = (enum outcome)w->h->outcome[t];
  return outcome == OUTCOME_UNKNOWN && !format_says(w, FEATURE_UNKNOWN)
             ? OUTCOME_OK
             : outcome;
}

uint64_t writing_name(const struct export_writing *w, uint32_t op) {
  return w->format->names == NAMES_WRITES ? w->written[op]
                                          : history_txn(w->h, op);
}

// A value that is neither nothing nor, where only numbers can be said, a text.
uint64_t writing_value(struct export_writing *w, uint64_t value) {
  if (value == VALUE_NOBODYS)
    return w->nobodys;
  if (format_says(w, FEATURE_VALUES) || (value && value < VALUE_NAMED))
    return value;
  return w->above + number_map_id(&w->renumbered, value);
}

static uint32_t say_cas(struct export_writing *w, uint32_t op, bool reads,
                        struct exported said[EXPORTED_MAX]) {
  assert(op_compares(w->h->kind[op]));
  const struct history *h = w->h;
  const bool nothing = h->saw[op] == SAW_INITIAL;
  const uint64_t expected =
      nothing ? 0 : writing_value(w, history_expected(h, op));
  const struct exported write = {.kind = OP_WRITE,
                                 .key = h->key[op],
                                 .value = writing_value(w, h->value[op])};
  uint32_t n = 0;
  if (format_says(w, FEATURE_CAS)) {
    said[0] = write;
    said[0].kind = OP_CAS;
    said[0].expects_nothing = nothing;
    said[0].expected = expected;
    return 1;
  }
  if (reads)
    said[n++] = (struct exported){.kind = OP_READ,
                                  .key = h->key[op],
                                  .nothing = nothing,
                                  .value = expected};
  said[n++] = write;
  return n;
}

static uint32_t say_list_elements(struct export_writing *w, uint32_t op,
                                  struct exported *said) {
  assert(w->h->kind[op] == OP_READ_LIST);
  const struct history *h = w->h;
  const uint32_t list = h->saw[op];
  const uint32_t first = h->list[list].first, end = history_list_end(h, list);
  *said = (struct exported){.kind = OP_READ_LIST,
                            .key = h->key[op],
                            .nothing = first == end,
                            .list = h->element_value + first,
                            .list_end = h->element_value + end};
  if (!format_says(w, FEATURE_LISTS)) {
    said->kind = OP_READ;
    said->value =
        first == end ? 0 : writing_value(w, h->element_value[end - 1]);
  }
  return 1;
}

// The elements that a read of a set found come first among its operations.
static uint32_t say_set(const struct export_writing *w, uint32_t op,
                        uint32_t end, struct exported *said) {
  const struct history *h = w->h;
  *said =
      (struct exported){.kind = EXPORTED_SET, .key = w->told.key[h->key[op]]};
  said->list = said->list_end = h->value + op;
  while (said->list_end < h->value + end && *said->list_end != VALUE_NOBODYS)
    said->list_end++;
  return 1;
}

static uint32_t say_op(struct export_writing *w, uint32_t t, uint32_t op,
                       uint32_t end, struct exported said[EXPORTED_MAX]) {
  const struct history *h = w->h;
  const bool reads = writing_outcome(w, t) == OUTCOME_OK ||
                     format_says(w, FEATURE_UNCOMMITTED_READS);
  unsigned kind = h->kind[op];
  if (kind == OP_CAS)
    return say_cas(w, op, reads, said);
  if (op_reads(kind) && !reads)
    return 0;
  if (op_reads(kind) && history_is_of_set(h, op))
    return say_set(w, op, end, said);
  if (kind == OP_READ_LIST)
    return say_list_elements(w, op, said);
  if (kind == OP_APPEND && !format_says(w, FEATURE_LISTS))
    kind = OP_WRITE;
  *said = (struct exported){.kind = kind, .key = h->key[op]};
  said->nothing = kind == OP_READ && h->saw[op] == SAW_INITIAL;
  said->value = said->nothing ? 0 : writing_value(w, h->value[op]);
  if (history_is_of_set(h, op)) {
    said->kind = EXPORTED_ADD;
    said->key = w->told.key[said->key];
  }
  return 1;
}

uint32_t export_op(struct export_writing *w, uint32_t t, uint32_t *op,
                   struct exported said[EXPORTED_MAX]) {
  const uint32_t end = told_end(w->h, &w->told, *op);
  assert(w->h->txn_first[t] <= *op && end <= w->h->txn_first[t + 1]);
  const uint32_t n = say_op(w, t, *op, end, said);
  *op = end;
  return n;
}

uint32_t export_txn(struct export_writing *w, uint32_t t,
                    const struct exported **all) {
  const struct history *h = w->h;
  uint32_t n = 0;
  for (uint32_t op = h->txn_first[t], first; op < h->txn_first[t + 1];) {
    struct exported said[EXPORTED_MAX];
    first = op;
    const uint32_t count = export_op(w, t, &op, said);
    for (uint32_t i = 0; i < count; i++) {
      ARRAY_RESERVE(w->exported, n, w->exported_room);
      w->exported[n] = said[i];
      w->exported[n++].op = first;
    }
  }
  *all = w->exported;
  return n;
}

uint64_t writing_key(const struct export_writing *w, uint32_t key) {
  assert(key < w->h->nkeys);
  return w->numbers ? key : w->h->key_number[key];
}

static void put_quoted_string(FILE *out, const char *text, size_t length) {
  fputc('"', out);
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\')
      fprintf(out, "\\%c", c);
    else if (c < 0x20)
      fprintf(out, "\\u%04x", c);
    else
      fputc(c, out);
  }
  fputc('"', out);
}

static const char *behind_digits(const char *p) {
  return p + strspn(p, "0123456789");
}

// As JSON has them; EDN has more.
static bool is_json_number(const char *text) {
  const char *p = text + (*text == '-'), *end = behind_digits(p);
  if (end == p || (*p == '0' && end > p + 1))
    return false;
  if (*end == '.' && isdigit((unsigned char)end[1]))
    end = behind_digits(end + 1);
  if (*end == 'e' || *end == 'E') {
    p = end + 1 + (end[1] == '-' || end[1] == '+');
    end = behind_digits(p) > p ? behind_digits(p) : end;
  }
  return !*end;
}

static bool is_edn_word(const char *text) {
  const bool number =
      isdigit((unsigned char)text[text[0] == '-' || text[0] == '+']);
  const bool keyword = text[0] == ':' && text[1];
  return (number || keyword) && !text[strcspn(text, " \t\r\n,[]{}()\"\\;")];
}

// Would a string need quotes to be read back as itself (values.c)?
static bool is_edn_only(const char *text) {
  return !strcmp(text, "nil") || (*text && strchr("[{\\", *text)) ||
         !strncmp(text, "#{", 2);
}

// Is it a word that stands for itself, or in quotes?
static bool stands_bare(const char *text, bool edn) {
  return (edn && is_edn_only(text)) || !strcmp(text, "true") ||
         !strcmp(text, "false") ||
         (edn ? is_edn_word(text) : is_json_number(text));
}

static void put_export_text(FILE *out, const char *text, bool edn) {
  const size_t n = strlen(text);
  if (n >= 2 && text[0] == '"' && text[n - 1] == '"')
    put_quoted_string(out, text + 1, n - 2);
  else if (stands_bare(text, edn))
    fputs(text, out);
  else
    put_quoted_string(out, text, n);
}

void writing_put_key(struct export_writing *w, uint32_t key, bool edn) {
  if (w->h->key_text && w->h->key_text[key])
    put_export_text(w->out, w->h->key_text[key], edn);
  else
    fprintf(w->out, "%" PRIu64, w->h->key_number[key]);
}

void writing_put_value(struct export_writing *w, uint64_t value, bool edn) {
  if (value >= VALUE_NAMED && value - VALUE_NAMED < w->h->nvalue_texts)
    put_export_text(w->out, w->h->value_text[value - VALUE_NAMED], edn);
  else
    fprintf(w->out, "%" PRIu64, value);
}

void writing_put_list(struct export_writing *w, const struct exported *said,
                      bool edn) {
  fputc('[', w->out);
  for (const uint64_t *v = said->list; v < said->list_end; v++) {
    fputs(v == said->list ? "" : edn ? " " : ",", w->out);
    writing_put_value(w, *v, edn);
  }
  fputc(']', w->out);
}

void writing_put_set(struct export_writing *w, const struct exported *said) {
  fputs("#{", w->out);
  for (const uint64_t *v = said->list; v < said->list_end; v++) {
    fputs(v == said->list ? "" : " ", w->out);
    writing_put_value(w, *v, true);
  }
  fputc('}', w->out);
}

FILE *writing_open(struct export_writing *w, const char *name) {
  char *path = xasprintf("%s/%s", w->path, name);
  FILE *file = fopen(path, "w");
  if (!file)
    error_cannot(w->error, path, "written");
  free(path);
  return file;
}

int writing_close(struct export_writing *w, FILE *file) {
  const bool failed = ferror(file) || fflush(file);
  return (fclose(file) || failed) ? error_cannot(w->error, w->path, "written")
                                  : 0;
}
