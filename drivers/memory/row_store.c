// SPDX-License-Identifier: GPL-3.0-or-later
// The versions of rows (drivers/memory/rows.h).
#include "config.h"

#include "drivers/memory/rows.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TIDY_EVERY = 256 }; // commits

static uint32_t first_not_below(const struct stored_table *table,
                                uint64_t key) {
  uint32_t low = 0, high = table->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (table->rows[middle].key < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

struct stored_row *row_find(const struct stored_table *table, uint64_t key) {
  const uint32_t i = first_not_below(table, key);
  return i < table->count && table->rows[i].key == key ? &table->rows[i] : NULL;
}

static struct stored_row *find_or_add_row(struct stored_table *table,
                                          uint64_t key) {
  const uint32_t i = first_not_below(table, key);
  if (i < table->count && table->rows[i].key == key)
    return &table->rows[i];
  ARRAY_RESERVE(table->rows, table->count, table->room);
  struct stored_row *row = table->rows + i;
  memmove(row + 1, row, (table->count++ - i) * sizeof *row);
  *row = (struct stored_row){.key = key};
  return row;
}

static void free_row(struct stored_row *row) {
  for (uint32_t i = 0; i < row->count; i++)
    free(row->versions[i].image);
  free(row->versions);
}

struct row_store *row_store_open(const struct tables *tables,
                                 uint32_t nsessions, uint32_t lag) {
  struct row_store *store = xcalloc(1, sizeof *store);
  pthread_mutex_init(&store->lock, NULL);
  store->tables = tables;
  store->nsessions = nsessions;
  store->lag = lag;
  store->snapshots = xmalloc(nsessions * sizeof *store->snapshots);
  for (uint32_t s = 0; s < nsessions; s++)
    store->snapshots[s] = UINT64_MAX;
  for (uint32_t t = 0; t < tables->ntables; t++) {
    struct stored_table *table = &store->table[t];
    table->spec = &tables->table[t];
    for (uint64_t i = 0; i < table_first_rows(table->spec); i++) {
      struct stored_version first = {
          .session = UINT32_MAX,
          .image = xcalloc(table->spec->columns.count + 1, sizeof(int64_t))};
      struct stored_row *row = find_or_add_row(
          table, table_first_row_at(table->spec, i, first.image));
      ARRAY_RESERVE(row->versions, row->count, row->room);
      row->versions[row->count++] = first;
    }
  }
  return store;
}

void row_store_close(struct row_store *store) {
  if (!store)
    return;
  for (uint32_t t = 0; t < TABLES_MOST; t++) {
    for (uint32_t i = 0; i < store->table[t].count; i++)
      free_row(&store->table[t].rows[i]);
    free(store->table[t].rows);
  }
  for (uint32_t i = 0; i < HIDDEN_ROWS; i++)
    free(store->hidden[i].version.image);
  free(store->changes);
  free(store->snapshots);
  pthread_mutex_destroy(&store->lock);
  free(store);
}

struct stored_version *row_visible(const struct stored_row *row,
                                   uint64_t snapshot, uint64_t hidden) {
  for (uint32_t i = row->count; i-- > 0;) {
    struct stored_version *version = &row->versions[i];
    if (version->seq <= snapshot && !(hidden && version->seq == hidden))
      return version;
  }
  return NULL;
}

bool row_was_written(const struct stored_row *row, uint64_t seq) {
  for (uint32_t i = row->count; i-- > 0;)
    if (row->versions[i].seq == seq)
      return true;
  return false;
}

// No snapshot is or will be older.
static uint64_t horizon_of(const struct row_store *store) {
  uint64_t horizon = store->seq > store->lag ? store->seq - store->lag : 0;
  for (uint32_t s = 0; s < store->nsessions; s++)
    if (store->snapshots[s] < horizon)
      horizon = store->snapshots[s];
  return horizon;
}

static void forget_versions(struct stored_row *row, uint64_t horizon) {
  uint32_t old = 0;
  while (old + 1 < row->count && row->versions[old + 1].seq <= horizon)
    free(row->versions[old++].image);
  if (!old)
    return;
  row->forgot = true;
  row->count -= old;
  memmove(row->versions, row->versions + old,
          row->count * sizeof *row->versions);
}

// Rows that are dead in every snapshot, and changes before all of them.
static void tidy(struct row_store *store) {
  const uint64_t horizon = horizon_of(store);
  for (uint32_t t = 0; t < store->tables->ntables; t++) {
    struct stored_table *table = &store->table[t];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < table->count; i++) {
      struct stored_row *row = &table->rows[i];
      forget_versions(row, horizon);
      if (row->versions[0].dead && row->count == 1 &&
          row->versions[0].seq <= horizon)
        free_row(row);
      else
        table->rows[kept++] = *row;
    }
    table->count = kept;
  }
  size_t old = 0;
  while (old < store->nchanges && store->changes[old].seq <= horizon)
    old++;
  store->nchanges -= old;
  if (old)
    memmove(store->changes, store->changes + old,
            store->nchanges * sizeof *store->changes);
}

void row_add(struct row_store *store, uint32_t table, uint64_t key,
             const struct stored_version *version) {
  assert(version->seq == store->seq + 1);
  struct stored_row *row = find_or_add_row(&store->table[table], key);
  ARRAY_RESERVE(row->versions, row->count, row->room);
  row->versions[row->count++] = *version;
  ARRAY_RESERVE(store->changes, store->nchanges, store->changes_room);
  store->changes[store->nchanges++] =
      (struct row_change){.seq = version->seq, .key = key, .table = table};
}

void row_hide(struct row_store *store, uint32_t table, uint64_t key,
              const struct stored_version *version) {
  struct hidden_row *hidden = &store->hidden[store->nhidden++ % HIDDEN_ROWS];
  free(hidden->version.image);
  *hidden =
      (struct hidden_row){.table = table, .key = key, .version = *version};
}

void row_publish(struct row_store *store, uint32_t session) {
  store->last_commit[row_class(session)] = ++store->seq;
  if (store->seq % TIDY_EVERY == 0)
    tidy(store);
}
