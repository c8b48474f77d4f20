// SPDX-License-Identifier: GPL-3.0-or-later
// Writes histories as people do by hand (recorder/formats/text.h).
#include "config.h"

#include "recorder/formats/text.h"

#include "recorder/formats/row_notation.h"

#include <inttypes.h>

// Can all names be written?  Else keys are numbers.
static bool names_fit(const struct history *h) {
  bool fit = true;
  for (uint32_t k = 0; h->key_text && k < h->nkeys && fit; k++) {
    const bool row = h->rows && h->rows->key_table[k] != ROWS_NONE;
    const char *name = row ? NULL : h->key_text[k];
    const char *end = name ? text_end_of_name(name) : NULL;
    fit = !name || (end > name && !*end && end - name <= TEXT_NAME_MAX_BYTES);
  }
  return fit;
}

static void put_elements(struct export_writing *w, const struct exported *said,
                         const char *open, const char *close) {
  fputs(open, w->out);
  for (const uint64_t *v = said->list; v < said->list_end; v++)
    fprintf(w->out, "%s%" PRIu64, v > said->list ? "," : "",
            writing_value(w, *v));
  fputs(close, w->out);
}

static void put_text_op(struct export_writing *w, const struct exported *said) {
  char buffer[24];
  if (w->numbers)
    fprintf(w->out, "%" PRIu32, said->key);
  else
    fputs(history_key(w->h, said->key, buffer), w->out);
  if (said->kind == OP_READ_LIST)
    put_elements(w, said, "==[", "]");
  else if (said->kind == EXPORTED_SET)
    put_elements(w, said, "=={", "}");
  else if (said->nothing)
    fputs("==?", w->out);
  else if (said->kind == OP_CAS && said->expects_nothing)
    fprintf(w->out, ":?->%" PRIu64, said->value);
  else if (said->kind == OP_CAS)
    fprintf(w->out, ":%" PRIu64 "->%" PRIu64, said->expected, said->value);
  else
    fprintf(w->out, "%s%" PRIu64,
            said->kind == OP_READ        ? "=="
            : said->kind == OP_APPEND    ? "+="
            : said->kind == EXPORTED_ADD ? "|="
                                         : ":=",
            said->value);
}

static void put_text_times(struct export_writing *w, uint32_t t) {
  const uint64_t begin = w->h->begin ? w->h->begin[t] : TIME_UNKNOWN;
  const uint64_t end = w->h->begin ? w->h->end[t] : TIME_UNKNOWN;
  if (begin == TIME_UNKNOWN && end == TIME_UNKNOWN)
    return;
  fputc('@', w->out);
  if (begin != TIME_UNKNOWN)
    fprintf(w->out, "%" PRIu64, begin);
  fputs("..", w->out);
  if (end != TIME_UNKNOWN)
    fprintf(w->out, "%" PRIu64, end);
}

static void put_text_txn(struct export_writing *w, uint32_t t,
                         const struct row_stamps *stamps) {
  static const char *const marks[] = {
      [OUTCOME_OK] = "", [OUTCOME_ABORTED] = "!", [OUTCOME_UNKNOWN] = "?"};
  const struct history *h = w->h;
  fputc('[', w->out);
  row_ops_write(w, t, stamps, "", ", ", put_text_op);
  fprintf(w->out, "]%s", marks[h->outcome[t]]);
  put_text_times(w, t);
  if (h->level[t] != ISOLATION_NONE)
    fprintf(w->out, "%%%s", isolation_name((enum isolation)h->level[t]));
  fputc('\n', w->out);
}

int text_write(struct export_writing *w) {
  const struct history *h = w->h;
  if (row_versions_check(w))
    return -1;
  struct row_stamps stamps = row_stamps(w, false);
  w->numbers = !names_fit(h);
  for (uint32_t i = 0; h->rows && i < h->rows->ntables; i++) {
    fputs("table ", w->out);
    row_table_write(w->out, h, i);
    fputc('\n', w->out);
  }
  for (uint32_t s = 0; s < h->nsessions; s++) {
    fputs(s ? "---\n" : "", w->out);
    uint32_t t;
    for (writing_start(w, s); writing_next(w, s, &t);)
      put_text_txn(w, t, &stamps);
  }
  row_stamps_free(&stamps);
  return 0;
}
