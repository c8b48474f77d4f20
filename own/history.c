// SPDX-License-Identifier: GPL-3.0-or-later
// From logs to a history (own/history.h).
#include "config.h"

#include "own/history.h"

#include "base/memory.h"
#include "base/operation.h"
#include "own/changes.h"
#include "recorder/builder/builder.h"
#include "recorder/rows.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
  ROWS_AT_ONCE = 16,           // of a statement of the history
  KEY_OF_NOTHING = 1000000000, // numbers of rows without a key of their own
};

struct raw_making {
  struct raw_run *run;
  struct known_versions versions;
  struct builder *builder; // NULL while stamps are given
  uint32_t *table;         // of the history, per table of the run
  int64_t *row_key;        // per version that is the first of its row
  uint32_t (*conditions)[ROWS_AT_ONCE + 1]; // per table of the history
  uint64_t sequence;                        // of the session's next write
  uint32_t session, group;
  struct raw_told *told;
  uint32_t places_room;
  struct told_row rows[ROWS_AT_ONCE];
  int64_t images[ROWS_AT_ONCE];
};

// ---- Names

// Other than letters and digits would not be a word in a history.
static char *name_in_history(const struct raw_run *run, uint32_t t) {
  char *name = xasprintf("%.*s", ROW_NAME - 8, run->tables.all[t].name);
  bool changed = false;
  for (char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '_') {
      *c = '_';
      changed = true;
    }
  if (!changed && !isdigit((unsigned char)*name))
    return name;
  char *longer = xasprintf("t%u_%s", t, name);
  free(name);
  return longer;
}

static void name_tables(struct raw_making *m) {
  static const char *const columns[] = {"version"};
  const struct raw_run *run = m->run;
  for (uint32_t i = 0; i < m->versions.n; i++) {
    const uint32_t t = m->versions.all[i].is.table;
    if (m->table[t] != ROWS_NONE || !m->versions.all[i].touched)
      continue;
    char *name = name_in_history(run, t);
    m->table[t] = builder_table(m->builder, name, columns, 1);
    free(name);
  }
}

#define ABORTED_LAST (INT64_C(1) << 32) // added to the number of a version

static int compare_keys(const void *a, const void *b) {
  const int64_t *x = a, *y = b;
  return x[0] != y[0]   ? (x[0] > y[0]) - (x[0] < y[0])
         : x[1] != y[1] ? (x[1] > y[1]) - (x[1] < y[1])
                        : (x[2] > y[2]) - (x[2] < y[2]);
}

// A row is called by its primary key, unless an earlier row has the key.  One
// whose transaction was aborted comes last.
static void number_rows(struct raw_making *m) {
  const struct known_versions *v = &m->versions;
  int64_t(*all)[3] = xcalloc((size_t)v->n + 1, sizeof *all),
  next = KEY_OF_NOTHING;
  uint32_t n = 0;
  m->row_key = xcalloc((size_t)v->n + 1, sizeof *m->row_key);
  for (uint32_t i = 0; i < v->n; i++) {
    if (v->all[i].row != i)
      continue;
    all[n][0] = v->all[i].is.table;
    all[n][1] = v->all[i].key;
    const bool counts = v->all[i].at_first || v->all[i].written;
    all[n++][2] = counts ? i : ABORTED_LAST + i;
  }
  qsort(all, n, sizeof *all, compare_keys);
  for (uint32_t i = 0; i < n; i++) {
    const bool taken =
        i && all[i][0] == all[i - 1][0] && all[i][1] == all[i - 1][1];
    const bool keyed = all[i][1] >= 0 && all[i][1] < KEY_OF_NOTHING && !taken;
    m->row_key[all[i][2] % ABORTED_LAST] = keyed ? all[i][1] : next++;
  }
  free(all);
}

static void preload_rows(struct raw_making *m) {
  const struct known_versions *v = &m->versions;
  const int64_t first = 0;
  for (uint32_t i = 0; i < v->n; i++)
    if (v->all[i].row == i && !v->all[i].inserted && v->all[i].touched)
      builder_preload(m->builder, m->table[v->all[i].is.table], m->row_key[i],
                      &first);
}

// ---- Statements

// "id = $1", "id IN ($1, $2)"...
static uint32_t condition_of(struct raw_making *m, uint32_t table, uint32_t n) {
  uint32_t *known = &m->conditions[table][n];
  struct predicate predicate;
  struct error error;
  char *text;
  size_t bytes;
  if (*known)
    return *known - 1;
  FILE *out = text_stream(&text, &bytes);
  fputs(n == 1 ? "id = $1" : "id IN ($1", out);
  for (uint32_t i = 2; i <= n; i++)
    fprintf(out, ", $%u", i);
  fputs(n == 1 ? "" : ")", out);
  fclose(out);
  const struct predicate_columns columns = builder_columns(m->builder, table);
  const int failed = predicate_read(&predicate, text, &columns, &error);
  assert(!failed);
  (void)failed;
  free(text);
  *known = builder_condition(m->builder, table, &predicate) + 1;
  return *known - 1;
}

static void note_told_place(struct raw_making *m, uint32_t place) {
  struct raw_told *told = m->told;
  ARRAY_RESERVE(told->places, told->nplaces, m->places_room);
  told->places[told->nplaces++] = place;
}

struct raw_piece { // of a statement: so many of m->rows, all of one table
  enum statement_sort sort;
  uint32_t table, place, n; // table of the run
  const struct statement_times *times;
  bool first; // of its statement
};

static void tell_piece(struct raw_making *m, const struct raw_piece *piece,
                       uint64_t stamp) {
  int64_t keys[ROWS_AT_ONCE];
  const uint32_t table = m->table[piece->table];
  // Further pieces of a statement happened within the time of the first one.
  const struct statement_times later = {piece->times->end, piece->times->end};
  for (uint32_t i = 0; i < piece->n; i++)
    keys[i] = m->rows[i].key;
  const struct told_statement statement = {
      .sort = (uint8_t)piece->sort,
      .table = table,
      .condition = piece->sort == STATEMENT_INSERT
                       ? NO_CONDITION
                       : condition_of(m, table, piece->n),
      .parameters = keys,
      .stamp = stamp,
      .rows = m->rows,
      .nrows = piece->n,
      .times = piece->first ? piece->times : &later};
  builder_statement(m->builder, &statement);
  note_told_place(m, piece->place);
}

static struct told_row row_that_was_read(const struct raw_making *m,
                                         const struct known_version *version) {
  return (struct told_row){
      .key = m->row_key[version->row], .kind = OP_ROW, .saw = version->stamp};
}

// Each version once, by tables.
static void tell_reads(struct raw_making *m, const struct raw_log *log,
                       uint32_t s, bool *first) {
  const struct raw_statement *statement = &log->statements[s];
  const uint32_t end = raw_seen_end(log, s);
  m->group++;
  for (uint32_t t = 0; t < m->run->tables.n; t++) {
    struct raw_piece piece = {
        .sort = statement->locks ? STATEMENT_LOCKING_SELECT : STATEMENT_SELECT,
        .table = t,
        .place = statement->place,
        .times = &statement->times};
    for (uint32_t i = statement->first_seen; i < end; i++) {
      struct known_version *version = versions_at(&m->versions, &log->seen[i]);
      if (version->is.table != t || version->group == m->group)
        continue;
      version->group = m->group;
      m->rows[piece.n++] = row_that_was_read(m, version);
      if (piece.n < ROWS_AT_ONCE)
        continue;
      piece.first = *first;
      tell_piece(m, &piece, 0);
      *first = false;
      piece.n = 0;
    }
    piece.first = *first;
    if (piece.n)
      tell_piece(m, &piece, 0);
    *first &= !piece.n;
  }
}

static const struct {
  char kind;
  enum statement_sort sort;
  enum op_kind op;
} change_kinds[] = {{'I', STATEMENT_INSERT, OP_ROW_INSERT},
                    {'U', STATEMENT_UPDATE, OP_ROW_UPDATE},
                    {'D', STATEMENT_DELETE, OP_ROW_DELETE}};

static uint32_t kind_of_change(const struct version_change *change) {
  uint32_t k = 0;
  while (change_kinds[k].kind != change->kind)
    k++;
  return k;
}

static void take_change(struct raw_making *m,
                        const struct version_change *change, uint32_t i,
                        uint64_t stamp) {
  struct known_versions *v = &m->versions;
  const bool inserts = change->kind == 'I', deletes = change->kind == 'D';
  struct known_version *before =
      inserts ? NULL : versions_at(v, &change->before);
  struct known_version *after = deletes ? NULL : versions_at(v, &change->after);
  if (after)
    after->stamp = stamp;
  m->images[i] = after ? (int64_t)after->depth : 0;
  m->rows[i] = (struct told_row){
      .key = m->row_key[(after ? after : before)->row],
      .kind = (uint8_t)change_kinds[kind_of_change(change)].op,
      .saw = before ? before->stamp : 0,
      .image = after ? &m->images[i] : NULL};
}

static uint32_t row_of_change(struct raw_making *m,
                              const struct version_change *change) {
  const uint32_t version = versions_note(
      &m->versions, change->kind == 'D' ? &change->before : &change->after);
  return m->versions.all[version].row;
}

// The changes of a statement from `first` on that one statement of the history
// can say: of one kind and table, and no row twice.
static uint32_t find_piece(struct raw_making *m,
                           struct version_change **changes, uint32_t first,
                           uint32_t n) {
  uint32_t end = first;
  m->group++;
  for (; end < n && end - first < ROWS_AT_ONCE; end++) {
    const struct version_change *a = changes[first], *b = changes[end];
    const uint32_t row = row_of_change(m, b);
    if (a->kind != b->kind ||
        version_of_change(a)->table != version_of_change(b)->table ||
        m->versions.all[row].group == m->group)
      break;
    m->versions.all[row].group = m->group;
  }
  return end;
}

// Gives stamps if nothing is built, else tells.
static void tell_changes(struct raw_making *m, const struct raw_log *log,
                         uint32_t s, bool *first) {
  uint32_t n;
  struct version_change **changes = changes_in_order(&m->versions, log, s, &n);
  for (uint32_t i = 0, end; i < n; i = end) {
    end = find_piece(m, changes, i, n);
    const uint64_t stamp = value_of_write(m->session, m->sequence++);
    for (uint32_t k = i; k < end; k++)
      take_change(m, changes[k], k - i, stamp);
    const struct raw_piece piece = {
        .sort = change_kinds[kind_of_change(changes[i])].sort,
        .table = version_of_change(changes[i])->table,
        .place = log->statements[s].place,
        .n = end - i,
        .times = &log->statements[s].times,
        .first = *first};
    if (m->builder)
      tell_piece(m, &piece, stamp);
    *first = false;
  }
  free(changes);
}

static void tell_txn(struct raw_making *m, const struct raw_log *log,
                     uint32_t t) {
  const struct raw_txn *txn = &log->txns[t];
  if (m->builder) {
    builder_txn(m->builder, m->session, txn->outcome, txn->level, txn->begin,
                txn->end);
    if (txn->outcome == OUTCOME_ABORTED)
      builder_cause(m->builder, txn->cause);
  }
  for (uint32_t s = txn->first; s < raw_txn_end(log, t); s++) {
    bool first = true;
    if (m->builder) {
      tell_reads(m, log, s, &first);
      if (txn->outcome != OUTCOME_ABORTED &&
          log->statements[s].place != RAW_NO_PLACE)
        m->told->executed[log->statements[s].place]++;
    }
    tell_changes(m, log, s, &first);
  }
}

static void tell_all(struct raw_making *m, struct builder *builder) {
  m->builder = builder;
  for (uint32_t i = 0; i < m->run->nsessions; i++) {
    m->session = i;
    m->sequence = 0;
    for (uint32_t t = 0; t < m->run->logs[i].ntxns; t++)
      tell_txn(m, &m->run->logs[i], t);
  }
}

// ---- All of it

static int build_raw_history(struct raw_making *m, struct history *history,
                             struct error *error) {
  tell_all(m, NULL); // so that a reader knows the stamps of later writers
  m->builder = builder_open();
  m->conditions = xcalloc(m->run->tables.n + 1, sizeof *m->conditions);
  m->table = xcalloc(m->run->tables.n + 1, sizeof *m->table);
  memset(m->table, 0xff, (m->run->tables.n + 1) * sizeof *m->table);
  name_tables(m);
  preload_rows(m);
  tell_all(m, m->builder);
  return builder_finish(m->builder, history, error);
}

static void keep_ways(const struct raw_run *run, struct raw_told *told) {
  const uint32_t n = run->scripts->nplaces;
  told->executed = xcalloc(n, sizeof *told->executed);
  told->ways = xcalloc(n, sizeof *told->ways);
  for (uint32_t i = 0; i < n; i++)
    told->ways[i] = run->ways[i].way;
}

int raw_history_make(struct raw_run *run, struct target *target,
                     struct history *history, struct raw_told *told,
                     struct error *error) {
  struct raw_making m = {.run = run, .told = told};
  *told = (struct raw_told){0};
  keep_ways(run, told);
  int failed = changes_hold(run, target, &m.versions, error);
  if (!failed) {
    versions_number(&m.versions);
    number_rows(&m);
    failed = build_raw_history(&m, history, error);
  }
  versions_free(&m.versions);
  FREE_EACH(m.table, m.row_key, m.conditions);
  return failed;
}

void raw_told_free(struct raw_told *told) {
  FREE_EACH(told->places, told->executed, told->ways);
  *told = (struct raw_told){0};
}
