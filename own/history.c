// SPDX-License-Identifier: GPL-3.0-or-later
// From logs to a history (own/history.h).
#include "config.h"

#include "own/history.h"

#include "base/memory.h"
#include "base/operation.h"
#include "own/changes.h"
#include "own/conditions.h"
#include "own/words.h"
#include "recorder/builder/builder.h"
#include "recorder/rows.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
  ROWS_AT_ONCE = 16, // of a statement of the history
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
  struct raw_conditions known; // conditions of statements
  struct told_row *rows;       // as many as a statement has at most
  int64_t *images;             // PREDICATE_COLUMNS each
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

// Ranks of the columns that conditions use; else the number of the version.
static uint32_t name_columns(const struct raw_making *m, uint32_t t,
                             char names[PREDICATE_COLUMNS][ROW_NAME]) {
  const struct raw_conditions_of_table *of = &m->known.tables[t];
  const struct instrument_table *table = &m->run->tables.all[t];
  if (!of->ncolumns)
    snprintf(names[0], ROW_NAME, "version");
  for (uint32_t i = 0; i < of->ncolumns; i++) {
    snprintf(names[i], ROW_NAME, "rank_%u_%.40s", i,
             table->columns[of->columns[i].column]);
    for (char *c = names[i]; *c; c++)
      *c = isalnum((unsigned char)*c) ? *c : '_';
  }
  return of->ncolumns ? of->ncolumns : 1;
}

static void name_table(struct raw_making *m, uint32_t t) {
  char names[PREDICATE_COLUMNS][ROW_NAME];
  const char *columns[PREDICATE_COLUMNS];
  const uint32_t n = name_columns(m, t, names);
  for (uint32_t i = 0; i < n; i++)
    columns[i] = names[i];
  char *name = name_in_history(m->run, t);
  m->table[t] = builder_table(m->builder, name, columns, n);
  free(name);
}

static void name_tables(struct raw_making *m) {
  for (uint32_t t = 0; t < m->run->tables.n; t++)
    if (m->known.tables[t].used)
      name_table(m, t);
  for (uint32_t i = 0; i < m->versions.n; i++)
    if (m->table[m->versions.all[i].is.table] == ROWS_NONE &&
        m->versions.all[i].touched)
      name_table(m, m->versions.all[i].is.table);
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
  int64_t(*all)[3] = xcalloc((size_t)v->n + 1, sizeof *all), next = ROW_NUMBERS;
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
    const bool keyed = all[i][1] >= 0 && all[i][1] < ROW_NUMBERS && !taken;
    m->row_key[all[i][2] % ABORTED_LAST] = keyed ? all[i][1] : next++;
  }
  free(all);
}

static void fill_image(const struct raw_making *m, uint32_t version,
                       int64_t *image) {
  const struct known_version *v = &m->versions.all[version];
  const struct raw_conditions_of_table *of = &m->known.tables[v->is.table];
  if (!of->ncolumns)
    image[0] = v->depth;
  for (uint32_t i = 0; i < of->ncolumns; i++)
    image[i] = of->columns[i].ranks[version];
}

// Where a condition is known, rows count that nobody touched.
static void preload_rows(struct raw_making *m) {
  const struct known_versions *v = &m->versions;
  int64_t image[PREDICATE_COLUMNS];
  for (uint32_t i = 0; i < v->n; i++) {
    const struct known_version *version = &v->all[i];
    if (version->row != i || version->inserted ||
        (!version->touched && !m->known.tables[version->is.table].used))
      continue;
    fill_image(m, i, image);
    builder_preload(m->builder, m->table[version->is.table], m->row_key[i],
                    image);
  }
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
  // The condition of a statement that is judged in full; else NULL.
  const struct predicate *predicate;
  const int64_t *parameters;
};

static void tell_piece(struct raw_making *m, const struct raw_piece *piece,
                       uint64_t stamp) {
  int64_t keys[ROWS_AT_ONCE];
  const uint32_t table = m->table[piece->table];
  const bool full = piece->predicate != NULL;
  // Further pieces of a statement happened within the time of the first one.
  const struct statement_times later = {piece->times->end, piece->times->end};
  for (uint32_t i = 0; i < piece->n && !full; i++)
    keys[i] = m->rows[i].key;
  const struct told_statement statement = {
      .sort = (uint8_t)piece->sort,
      .table = table,
      .condition = full ? builder_condition(m->builder, table, piece->predicate)
                   : piece->sort == STATEMENT_INSERT
                       ? NO_CONDITION
                       : condition_of(m, table, piece->n),
      .parameters = full ? piece->parameters : keys,
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

// All rows that satisfy the condition, and no other.
static void tell_whole_reads(struct raw_making *m, const struct raw_log *log,
                             uint32_t s, struct raw_piece *piece) {
  const struct raw_statement *statement = &log->statements[s];
  m->group++;
  for (uint32_t i = statement->first_seen; i < raw_seen_end(log, s); i++) {
    struct known_version *version = versions_at(&m->versions, &log->seen[i]);
    if (version->group == m->group)
      continue;
    version->group = m->group;
    m->rows[piece->n++] = row_that_was_read(m, version);
  }
  piece->sort = statement->locks ? STATEMENT_LOCKING_SELECT : STATEMENT_SELECT;
  tell_piece(m, piece, 0);
}

static const struct {
  char kind;
  enum statement_sort sort;
  enum op_kind op;
} change_kinds[] = {{'I', STATEMENT_INSERT, OP_ROW_INSERT},
                    {'U', STATEMENT_UPDATE, OP_ROW_UPDATE},
                    {'D', STATEMENT_DELETE, OP_ROW_DELETE}};

// An UPDATE loses no change of others if the database calculates.
static enum statement_sort sort_of_changes(const struct raw_making *m,
                                           uint32_t place,
                                           enum statement_sort sort) {
  return sort == STATEMENT_UPDATE && place != RAW_NO_PLACE &&
                 m->run->scripts->places[place].calculates
             ? STATEMENT_ADD
             : sort;
}

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
  assert(before || after);
  if (after)
    after->stamp = stamp;
  int64_t *image = m->images + (size_t)i * PREDICATE_COLUMNS;
  if (after)
    fill_image(m, versions_note(v, &change->after), image);
  m->rows[i] = (struct told_row){
      .key = m->row_key[(after ? after : before)->row],
      .kind = (uint8_t)change_kinds[kind_of_change(change)].op,
      .saw = before ? before->stamp : 0,
      .image = after ? image : NULL};
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
static void tell_piece_of_changes(struct raw_making *m,
                                  struct version_change **changes,
                                  struct raw_piece *piece) {
  const uint64_t stamp = value_of_write(m->session, m->sequence++);
  for (uint32_t k = 0; k < piece->n; k++)
    take_change(m, changes[k], k, stamp);
  if (m->builder)
    tell_piece(m, piece, stamp);
  piece->first = false;
}

static void tell_changes(struct raw_making *m, struct version_change **changes,
                         uint32_t first, uint32_t n, struct raw_piece *piece) {
  piece->predicate = NULL;
  for (uint32_t i = first, end; i < n; i = end) {
    end = find_piece(m, changes, i, n);
    piece->sort = sort_of_changes(
        m, piece->place, change_kinds[kind_of_change(changes[i])].sort);
    piece->table = version_of_change(changes[i])->table;
    piece->n = end - i;
    tell_piece_of_changes(m, changes + i, piece);
  }
}

// Moves the changes that the statement made itself to the front, and the rest,
// of triggers, behind them.  Did it change as many rows as the database says,
// each once?  Then these are all that satisfy its condition.
static bool gather_whole(struct raw_making *m,
                         const struct raw_statement *statement,
                         struct version_change **changes, uint32_t n) {
  const char kind = statement->verb == SQL_VERB_DELETE ? 'D' : 'U';
  uint32_t front = 0;
  bool once = true;
  m->group++;
  for (uint32_t i = 0; i < n; i++) {
    struct version_change *change = changes[i];
    if (change->kind != kind ||
        version_of_change(change)->table != statement->table)
      continue;
    const uint32_t row = row_of_change(m, change);
    once &= m->versions.all[row].group != m->group;
    m->versions.all[row].group = m->group;
    memmove(changes + front + 1, changes + front,
            (i - front) * sizeof(struct version_change *));
    changes[front++] = change;
  }
  return once && front == statement->affected;
}

// MySQL finds rows of an UPDATE and leaves them as they are, if nothing in them
// would change.  Is the statement no more than a locking read, therefore?
static bool leaves_rows(const struct raw_log *log, uint32_t s,
                        struct version_change **changes, uint32_t n) {
  const struct raw_statement *statement = &log->statements[s];
  for (uint32_t i = 0; i < n; i++) // others are those of triggers
    if (version_of_change(changes[i])->table == statement->table)
      return false;
  const uint32_t nseen = raw_seen_end(log, s) - statement->first_seen;
  return nseen && nseen == statement->affected;
}

// Returns whether it is judged in full.
static bool tell_statement(struct raw_making *m, const struct raw_log *log,
                           uint32_t s) {
  const struct raw_statement *statement = &log->statements[s];
  struct predicate predicate;
  int64_t parameters[PREDICATE_PARAMETERS];
  uint32_t n, own = 0;
  struct version_change **changes = changes_in_order(&m->versions, log, s, &n);
  bool whole =
      statement->where && conditions_predicate(&m->known, m->run, m->session, s,
                                               &predicate, parameters);
  struct raw_piece piece = {.table = statement->table,
                            .place = statement->place,
                            .times = &statement->times,
                            .first = true,
                            .predicate = whole ? &predicate : NULL,
                            .parameters = parameters};
  if (whole && statement->verb != SQL_VERB_SELECT &&
      !leaves_rows(log, s, changes, n)) {
    whole = gather_whole(m, statement, changes, n);
    if (!whole) { // in the order of their account again
      free(changes);
      changes = changes_in_order(&m->versions, log, s, &n);
    }
    own = whole ? (uint32_t)statement->affected : 0;
    piece.sort = statement->verb == SQL_VERB_DELETE
                     ? STATEMENT_DELETE
                     : sort_of_changes(m, piece.place, STATEMENT_UPDATE);
    piece.n = own;
    if (whole)
      tell_piece_of_changes(m, changes, &piece);
    else if (m->builder)
      tell_reads(m, log, s, &piece.first);
  } else if (m->builder && whole) {
    tell_whole_reads(m, log, s, &piece);
    piece.first = false;
  } else if (m->builder) {
    tell_reads(m, log, s, &piece.first);
  }
  tell_changes(m, changes, own, n, &piece);
  free(changes);
  return whole;
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
    const bool whole = tell_statement(m, log, s);
    const uint32_t place = log->statements[s].place;
    if (!m->builder || txn->outcome == OUTCOME_ABORTED || place == RAW_NO_PLACE)
      continue;
    m->told->executed[place]++;
    m->told->whole[place] += whole;
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
  const int failed = builder_finish(m->builder, history, error);
  if (!failed)
    words_make(&m->told->words,
               &(struct words_source){.run = m->run,
                                      .versions = &m->versions,
                                      .row_key = m->row_key,
                                      .conditions = &m->known,
                                      .table = m->table,
                                      .history = history,
                                      .places = m->told->places,
                                      .nplaces = m->told->nplaces});
  return failed;
}

// For the rows of any statement.
static void make_room(struct raw_making *m) {
  uint32_t most = ROWS_AT_ONCE;
  for (uint32_t i = 0; i < m->run->nsessions; i++) {
    const struct raw_log *log = &m->run->logs[i];
    for (uint32_t s = 0; s < log->nstatements; s++) {
      const struct raw_statement *statement = &log->statements[s];
      const uint32_t seen = raw_seen_end(log, s) - statement->first_seen,
                     changed =
                         raw_changes_end(log, s) - statement->first_change;
      most = seen > most ? seen : most;
      most = changed > most ? changed : most;
    }
  }
  m->rows = xcalloc(most, sizeof *m->rows);
  m->images = xcalloc((size_t)most * PREDICATE_COLUMNS, sizeof *m->images);
}

static void keep_ways(const struct raw_run *run, struct raw_told *told) {
  const uint32_t n = run->scripts->nplaces;
  told->executed = xcalloc(n, sizeof *told->executed);
  told->whole = xcalloc(n, sizeof *told->whole);
  told->ways = xcalloc(n, sizeof *told->ways);
  told->asked = xcalloc(n, sizeof *told->asked);
  for (uint32_t i = 0; i < n; i++) {
    told->ways[i] = run->ways[i].way;
    told->asked[i] = run->ways[i].chosen;
  }
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
    conditions_make(&m.known, run, target, &m.versions);
    make_room(&m);
    failed = build_raw_history(&m, history, error);
  }
  versions_free(&m.versions);
  conditions_free(&m.known);
  FREE_EACH(m.table, m.row_key, m.conditions, m.rows, m.images);
  return failed;
}

void raw_told_free(struct raw_told *told) {
  row_words_free(&told->words);
  FREE_EACH(told->places, told->executed, told->asked, told->whole, told->ways);
  *told = (struct raw_told){0};
}
