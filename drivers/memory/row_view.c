// SPDX-License-Identifier: GPL-3.0-or-later
// Executes statements on rows (drivers/memory/rows.h): finds the versions that
// they see, and makes the bugs of statements.  The store's lock is held
// throughout.
#include "config.h"

#include "drivers/memory/internal.h"

#include "base/memory.h"

#include <assert.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>
#include <string.h>

// A row that satisfies a statement: a version, or what the transaction has made
// of it.
struct match {
  uint64_t key;
  struct stored_row *row;         // NULL with `own`
  struct stored_version *version; // likewise
  const struct own_version *own;
};

struct matches {
  struct match *items;
  uint32_t count, room;
};

// The rows that a statement finds, and those of them that satisfy it.
struct row_look {
  struct matches all; // filled in with full=1 alone
  struct matches fit;
};

// ---- Snapshots

static bool bug_strikes(struct memory_connection *c, enum bug bug) {
  return c->rows.level > bug_info(bug)->keeps && strikes(c, bug);
}

static uint64_t oldest_snapshot(const struct row_store *store, uint32_t lag,
                                uint64_t at_least) {
  const uint64_t oldest = store->seq > lag ? store->seq - lag : 0;
  return oldest > at_least ? oldest : at_least;
}

// The newest, or an older one down to `at_least` where the level and the
// options permit that.
static uint64_t draw_snapshot(struct memory_connection *c, uint64_t at_least) {
  const struct row_store *store = target_of(c)->rows;
  const struct memory_settings *settings = settings_of(c);
  if (c->rows.level == ISOLATION_SSER)
    return store->seq;
  const uint32_t lag = c->rows.weakened              ? BUG_LAG
                       : happens(c, settings->stale) ? settings->lag
                                                     : 0;
  const uint64_t oldest = oldest_snapshot(store, lag, at_least);
  return oldest == store->seq
             ? oldest
             : store->seq - gsl_rng_uniform_int(c->session->random,
                                                store->seq - oldest + 1);
}

// Has any session that has seen this commit committed since, or this session
// seen it?  Then it belongs to what later commits, or this transaction, depend
// on.
static bool is_known_commit(const struct memory_connection *c, uint64_t seq,
                            const struct stored_version *version) {
  const struct row_store *store = target_of(c)->rows;
  const uint32_t own = row_class(c->base.session);
  if (row_class(version->session) == own || version->seen_by >> own & 1 ||
      store->last_commit[row_class(version->session)] > seq)
    return true;
  for (uint32_t i = 0; i < ROW_CLASSES; i++)
    if (version->seen_by >> i & 1 && store->last_commit[i] > seq)
      return true;
  return false;
}

// The newest commit that did nothing but insert, and that nothing depends on; 0
// if there is none.  Without it the rest of the commits is closed under
// causality, but no prefix.
static uint64_t choose_hidden(const struct memory_connection *c,
                              uint64_t snapshot) {
  const struct row_store *store = target_of(c)->rows;
  size_t end = store->nchanges;
  while (end > 0) {
    const uint64_t seq = store->changes[end - 1].seq;
    bool fit = seq < snapshot;
    for (; end > 0 && store->changes[end - 1].seq == seq; end--) {
      const struct row_change *change = &store->changes[end - 1];
      const struct stored_row *row =
          row_find(&store->table[change->table], change->key);
      fit &= row && row->count == 1 && !row->forgot && !row->versions[0].dead &&
             !is_known_commit(c, seq, &row->versions[0]);
    }
    if (fit)
      return seq;
  }
  return 0;
}

void rows_begin(struct memory_connection *c, enum isolation level) {
  struct row_store *store = target_of(c)->rows;
  struct row_transaction *txn = &c->rows;
  const struct bug_info *info = bug_info(settings_of(c)->bug);
  txn->level = level;
  txn->weakened = info->per_transaction && level > info->keeps &&
                  strikes(c, settings_of(c)->bug);
  txn->hidden = 0;
  pthread_mutex_lock(&store->lock);
  if (txn->weakened && settings_of(c)->bug == BUG_PHANTOM_LONG_FORK) {
    txn->snapshot = store->seq;
    txn->hidden = choose_hidden(c, txn->snapshot);
  } else {
    txn->snapshot =
        draw_snapshot(c, level == ISOLATION_RC ? 0 : c->session->floor);
  }
  store->snapshots[c->base.session] = txn->snapshot;
  pthread_mutex_unlock(&store->lock);
}

// ---- Which version of a row

static const struct own_version *
find_row_of_txn(const struct row_transaction *txn, uint32_t table,
                uint64_t key) {
  for (uint32_t i = txn->nown; i-- > 0;)
    if (txn->own[i].table == table && txn->own[i].key == key)
      return &txn->own[i];
  return NULL;
}

// The version of the row that was returned before; NULL: none was.
static struct stored_version *shown_version(const struct row_transaction *txn,
                                            uint32_t table,
                                            struct stored_row *row) {
  for (uint32_t i = 0; i < txn->nshown; i++)
    if (txn->shown[i].table == table && txn->shown[i].key == row->key)
      return row_visible(row, txn->shown[i].seq, 0);
  return NULL;
}

// Has a row that was returned before changed up to this commit?  Then to see
// what it wrote would not be a phantom alone.
static bool changed_what_was_shown(const struct memory_connection *c,
                                   uint64_t seq) {
  const struct row_transaction *txn = &c->rows;
  for (uint32_t i = 0; i < txn->nshown; i++) {
    const struct shown_row *shown = &txn->shown[i];
    const struct stored_row *row =
        row_find(&target_of(c)->rows->table[shown->table], shown->key);
    const struct stored_version *then = row ? row_visible(row, seq, 0) : NULL;
    if (!then || then->seq > shown->seq)
      return true;
  }
  return false;
}

// The bug PhantomRead: what was not returned before comes from now.
static struct stored_version *phantom(struct memory_connection *c,
                                      uint32_t table, struct stored_row *row) {
  struct stored_version *now = &row->versions[row->count - 1];
  const struct row_transaction *txn = &c->rows;
  struct stored_version *shown = shown_version(txn, table, row);
  if (shown)
    return shown;
  return txn->nasked && !changed_what_was_shown(c, now->seq)
             ? now
             : row_visible(row, txn->snapshot, 0);
}

// The bug ResurrectedRow: a row that the session itself has deleted is there.
static struct stored_version *resurrected(struct memory_connection *c,
                                          struct stored_row *row,
                                          struct stored_version *version) {
  const bool fit = version && version->dead && version > row->versions &&
                   version->session == c->base.session && !c->rows.nasked;
  return fit && bug_strikes(c, BUG_RESURRECTED_ROW) ? version - 1 : version;
}

static struct stored_version *choose_row_version(struct memory_connection *c,
                                                 const struct statement *s,
                                                 struct stored_row *row) {
  const struct row_transaction *txn = &c->rows;
  if (txn->weakened && settings_of(c)->bug == BUG_PHANTOM_READ)
    return phantom(c, s->table, row);
  struct stored_version *version = row_visible(row, txn->snapshot, txn->hidden);
  return s->sort == STATEMENT_SELECT ? resurrected(c, row, version) : version;
}

// ---- Which rows

static void add_match(struct matches *matches, const struct match *match) {
  ARRAY_RESERVE(matches->items, matches->count, matches->room);
  matches->items[matches->count++] = *match;
}

static const int64_t *image_of_match(const struct match *match) {
  if (match->own)
    return match->own->image;
  assert(match->version);
  return match->version->image;
}

static int by_key_of_own(const void *a, const void *b) {
  const uint64_t x = (*(const struct own_version *const *)a)->key,
                 y = (*(const struct own_version *const *)b)->key;
  return (x > y) - (x < y);
}

// The transaction's own rows of the table, by key; the caller frees the list.
static const struct own_version **own_rows(const struct row_transaction *txn,
                                           uint32_t table, uint32_t *count) {
  const struct own_version **own = xmalloc(txn->nown * sizeof *own);
  *count = 0;
  for (uint32_t i = 0; i < txn->nown; i++)
    if (txn->own[i].table == table)
      own[(*count)++] = &txn->own[i];
  qsort(own, *count, sizeof *own, by_key_of_own);
  return own;
}

static void look_at_row(const struct memory_connection *c,
                        const struct statement *s, const struct match *match,
                        struct row_look *look) {
  const struct predicate *p =
      &target_of(c)->rows->tables->templates[s->template].predicate;
  if (settings_of(c)->full)
    add_match(&look->all, match);
  if (predicate_holds(p, (int64_t)match->key, image_of_match(match), s->params))
    add_match(&look->fit, match);
}

static void find_rows(struct memory_connection *c, const struct statement *s,
                      struct row_look *look) {
  const struct row_store *store = target_of(c)->rows;
  const struct stored_table *table = &store->table[s->table];
  uint32_t nown, next = 0;
  const struct own_version **own = own_rows(&c->rows, s->table, &nown);
  for (uint32_t i = 0; i < table->count; i++) {
    struct match match = {.key = table->rows[i].key, .row = &table->rows[i]};
    while (next < nown && own[next]->key < match.key)
      next++;
    if (next < nown && own[next]->key == match.key)
      match.own = own[next];
    else
      match.version = choose_row_version(c, s, match.row);
    if (match.own ? match.own->dead : !match.version || match.version->dead)
      continue;
    look_at_row(c, s, &match, look);
  }
  free(own);
}

static int by_match_key(const void *a, const void *b) {
  const uint64_t x = ((const struct match *)a)->key,
                 y = ((const struct match *)b)->key;
  return (x > y) - (x < y);
}

// Rows that it has inserted are not in the store yet.
static void find_own(const struct memory_connection *c,
                     const struct statement *s, struct row_look *look) {
  const struct row_store *store = target_of(c)->rows;
  struct matches *matches = &look->fit;
  const uint32_t before = matches->count;
  for (uint32_t i = 0; i < c->rows.nown; i++) {
    const struct own_version *own = &c->rows.own[i];
    if (own->table == s->table && !own->dead &&
        !row_find(&store->table[s->table], own->key))
      look_at_row(c, s, &(struct match){.key = own->key, .own = own}, look);
  }
  if (matches->count > before)
    qsort(matches->items, matches->count, sizeof *matches->items, by_match_key);
}

static void drop_match(struct matches *matches, uint32_t i) {
  matches->count--;
  memmove(matches->items + i, matches->items + i + 1,
          (matches->count - i) * sizeof *matches->items);
}

// ---- Bugs of single statements

// Shows one row as it was before a transaction that wrote two of these rows. Of
// the first statement alone: an earlier one may have seen, if only by a row
// that it did not return, that the transaction had committed.
static void fracture(struct memory_connection *c, const struct statement *s,
                     struct matches *matches) {
  const struct predicate *p =
      &target_of(c)->rows->tables->templates[s->template].predicate;
  for (uint32_t i = 0; i < matches->count; i++) {
    const struct match *m = &matches->items[i];
    if (m->own || !m->version->seq)
      continue;
    const struct stored_version *before =
        m->version > m->row->versions ? m->version - 1 : NULL;
    if ((!before && m->row->forgot) ||
        (before && !before->dead &&
         predicate_holds(p, (int64_t)m->key, before->image, s->params)))
      continue;
    for (uint32_t j = 0; j < matches->count; j++)
      if (j != i && !matches->items[j].own &&
          matches->items[j].version->seq == m->version->seq &&
          bug_strikes(c, BUG_FRACTURED_STATEMENT)) {
        drop_match(matches, i);
        return;
      }
  }
}

// Did the row satisfy the condition from the start, whatever became of it?
static bool always_matched(const struct match *m, const struct predicate *p,
                           const int64_t *params) {
  if (m->row->forgot || m->row->versions[0].seq)
    return false;
  for (uint32_t i = 0; i < m->row->count; i++)
    if (m->row->versions[i].dead ||
        !predicate_holds(p, (int64_t)m->key, m->row->versions[i].image, params))
      return false;
  return true;
}

static void lose(struct memory_connection *c, const struct statement *s,
                 struct matches *matches) {
  const struct predicate *p =
      &target_of(c)->rows->tables->templates[s->template].predicate;
  for (uint32_t i = 0; i < matches->count; i++)
    if ((matches->items[i].own ||
         always_matched(&matches->items[i], p, s->params)) &&
        bug_strikes(c, BUG_MISSING_ROW)) {
      drop_match(matches, i);
      return;
    }
}

// A row that is there and does not satisfy the condition.
static void invent(struct memory_connection *c, const struct statement *s,
                   struct matches *matches) {
  const struct stored_table *table = &target_of(c)->rows->table[s->table];
  if (s->sort != STATEMENT_SELECT || !table->count ||
      !bug_strikes(c, BUG_EXTRA_ROW))
    return;
  struct stored_row *row =
      &table->rows[gsl_rng_uniform_int(c->session->random, table->count)];
  struct match match = {.key = row->key,
                        .row = row,
                        .version = row_visible(row, c->rows.snapshot, 0)};
  for (uint32_t i = 0; i < matches->count; i++)
    if (matches->items[i].key == row->key)
      return;
  if (match.version && !match.version->dead &&
      !find_row_of_txn(&c->rows, s->table, row->key))
    add_match(matches, &match);
}

// The version that an aborted transaction wrote of a row, if the statement
// would still match it; or NULL.
static struct stored_version *find_hidden_row(const struct memory_connection *c,
                                              const struct statement *s,
                                              uint64_t key) {
  struct row_store *store = target_of(c)->rows;
  const struct predicate *p = &store->tables->templates[s->template].predicate;
  for (uint32_t i = 0; i < HIDDEN_ROWS; i++) {
    struct hidden_row *hidden = &store->hidden[i];
    if (hidden->version.image && hidden->table == s->table &&
        hidden->key == key &&
        predicate_holds(p, (int64_t)key, hidden->version.image, s->params))
      return &hidden->version;
  }
  return NULL;
}

static void show_aborted(struct memory_connection *c, const struct statement *s,
                         struct row_look *look) {
  const struct matches *matches = &look->fit;
  for (uint32_t i = 0; s->sort == STATEMENT_SELECT && i < matches->count; i++) {
    struct match *m = &matches->items[i];
    struct stored_version *hidden =
        m->own ? NULL : find_hidden_row(c, s, m->key);
    if (hidden && bug_strikes(c, BUG_ABORTED_READ)) {
      m->version = hidden;
      for (uint32_t j = 0; j < look->all.count; j++)
        if (look->all.items[j].key == m->key)
          look->all.items[j].version = hidden;
      return;
    }
  }
}

static void apply_bug(struct memory_connection *c, const struct statement *s,
                      struct row_look *look) {
  const enum bug bug = settings_of(c)->bug;
  if (bug == BUG_FRACTURED_STATEMENT && !c->rows.nasked)
    fracture(c, s, &look->fit);
  else if (bug == BUG_MISSING_ROW)
    lose(c, s, &look->fit);
  else if (bug == BUG_EXTRA_ROW)
    invent(c, s, &look->fit);
  else if (bug == BUG_ABORTED_READ)
    show_aborted(c, s, look);
}

// ---- Statements

static void note_asked(struct memory_connection *c, const struct statement *s) {
  struct row_transaction *txn = &c->rows;
  const struct predicate *p =
      &target_of(c)->rows->tables->templates[s->template].predicate;
  ARRAY_RESERVE(txn->asked, txn->nasked, txn->asked_room);
  struct asked *asked = &txn->asked[txn->nasked++];
  *asked = (struct asked){
      .table = s->table, .template = s->template, .snapshot = txn->snapshot};
  for (uint32_t i = 0; i < p->nparameters; i++)
    asked->params[i] = s->params[i];
}

static void note_shown(struct memory_connection *c, uint32_t table,
                       const struct match *match) {
  struct row_transaction *txn = &c->rows;
  if (match->own)
    return;
  match->version->seen_by |= UINT64_C(1) << row_class(c->base.session);
  ARRAY_RESERVE(txn->shown, txn->nshown, txn->shown_room);
  txn->shown[txn->nshown++] = (struct shown_row){
      .table = table, .key = match->key, .seq = match->version->seq};
}

static struct own_version *write_own(struct memory_connection *c,
                                     uint32_t table, uint64_t key,
                                     uint64_t stamp, const int64_t *image) {
  struct row_transaction *txn = &c->rows;
  const size_t bytes =
      target_of(c)->rows->table[table].spec->columns.count * sizeof *image;
  struct own_version *own =
      (struct own_version *)(uintptr_t)find_row_of_txn(txn, table, key);
  if (!own) {
    ARRAY_RESERVE(txn->own, txn->nown, txn->own_room);
    own = &txn->own[txn->nown++];
    *own = (struct own_version){.table = table, .key = key};
    own->image = xmalloc(bytes + 1);
  }
  own->stamp = stamp;
  memmove(own->image, image, bytes);
  return own;
}

// Lists the row, and writes it if the statement does.
static void take_row(struct memory_connection *c, const struct statement *s,
                     uint64_t stamp, const struct match *match,
                     struct row_list *list) {
  const uint32_t ncolumns =
      target_of(c)->rows->table[s->table].spec->columns.count;
  int64_t *image = row_list_add(
      list, statement_kind(s->sort), match->key,
      match->own ? match->own->stamp : match->version->stamp, ncolumns);
  memcpy(image, image_of_match(match), ncolumns * sizeof *image);
  note_shown(c, s->table, match);
  if (s->sort == STATEMENT_UPDATE)
    statement_apply(s, image);
  if (statement_writes(s->sort))
    write_own(c, s->table, match->key, stamp, image)->dead =
        s->sort == STATEMENT_DELETE;
}

// Tells all rows that it found, which the transaction is then held to.
static void tell_found(struct memory_connection *c, const struct statement *s,
                       const struct matches *all, struct row_list *list) {
  const uint32_t ncolumns =
      target_of(c)->rows->table[s->table].spec->columns.count;
  c->rows.asked[c->rows.nasked - 1].all = true;
  list->found = xcalloc(1, sizeof *list->found);
  for (uint32_t i = 0; i < all->count; i++) {
    const struct match *match = &all->items[i];
    int64_t *image = row_list_add(
        list->found, OP_ROW, match->key,
        match->own ? match->own->stamp : match->version->stamp, ncolumns);
    memcpy(image, image_of_match(match), ncolumns * sizeof *image);
    note_shown(c, s->table, match);
  }
}

static void execute_on_matches(struct memory_connection *c,
                               const struct statement *s, uint64_t stamp,
                               struct row_list *list) {
  struct row_look look = {0};
  find_rows(c, s, &look);
  find_own(c, s, &look);
  apply_bug(c, s, &look);
  note_asked(c, s);
  if (settings_of(c)->full)
    tell_found(c, s, &look.all, list);
  if (s->limit && look.fit.count > s->limit)
    look.fit.count = s->limit;
  for (uint32_t i = 0; i < look.fit.count; i++) {
    // Its own rows move when another one is written for the first time.
    struct match *match = &look.fit.items[i];
    if (match->own)
      match->own = find_row_of_txn(&c->rows, s->table, match->key);
    take_row(c, s, stamp, match, list);
  }
  free(look.all.items);
  free(look.fit.items);
}

// Does the transaction find a live row with the key of this insert?  A row that
// another transaction wrote is recorded as seen, since it keeps the insert out.
static bool is_alive(struct memory_connection *c, const struct statement *s) {
  const struct own_version *own = find_row_of_txn(&c->rows, s->table, s->key);
  struct stored_row *row =
      row_find(&target_of(c)->rows->table[s->table], s->key);
  struct stored_version *version =
      row ? row_visible(row, c->rows.snapshot, c->rows.hidden) : NULL;
  if (own || !version || version->dead)
    return own && !own->dead;
  note_shown(c, s->table, &(struct match){.key = s->key, .version = version});
  return true;
}

static void insert_memory_row(struct memory_connection *c,
                              const struct statement *s, uint64_t stamp,
                              struct row_list *list) {
  if (is_alive(c, s)) {
    list->refused = s->sort == STATEMENT_INSERT;
    return;
  }
  int64_t *image = row_list_add(list, OP_ROW_INSERT, s->key, 0, s->nsets);
  statement_apply(s, image);
  const bool is_new = !find_row_of_txn(&c->rows, s->table, s->key);
  struct own_version *own = write_own(c, s->table, s->key, stamp, image);
  own->dead = false;
  own->born |= is_new;
}

enum outcome rows_execute(struct memory_connection *c,
                          const struct statement *s, uint64_t stamp,
                          struct row_list *list) {
  struct row_store *store = target_of(c)->rows;
  assert(s->table < store->tables->ntables);
  pthread_mutex_lock(&store->lock);
  if (c->rows.level == ISOLATION_RC)
    c->rows.snapshot = draw_snapshot(c, c->rows.snapshot);
  if (s->sort == STATEMENT_INSERT_NEW)
    note_asked(c, s);
  if (statement_inserts(s->sort))
    insert_memory_row(c, s, stamp, list);
  else
    execute_on_matches(c, s, stamp, list);
  pthread_mutex_unlock(&store->lock);
  return OUTCOME_OK;
}
