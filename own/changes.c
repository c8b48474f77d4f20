// SPDX-License-Identifier: GPL-3.0-or-later
// Puts changes right (own/changes.h).
#include "config.h"

#include "own/changes.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CHANGE_DROPPED = 'X' }; // kind of a change that did not take place

// ---- What functions took back

static int compare_undone(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// The changes of transaction t, from the first to behind the last.
static void range_of_changes(const struct raw_log *log, uint32_t t,
                             uint32_t *first, uint32_t *end) {
  const uint32_t s = log->txns[t].first, e = raw_txn_end(log, t);
  *first =
      s < log->nstatements ? log->statements[s].first_change : log->nchanges;
  *end = e < log->nstatements ? log->statements[e].first_change : log->nchanges;
}

typedef void change_visitor(void *context, const struct raw_txn *txn,
                            struct version_change *change);

static void visit_changes(struct raw_run *run, change_visitor *visit,
                          void *context) {
  for (uint32_t i = 0; i < run->nsessions; i++)
    for (uint32_t t = 0; t < run->logs[i].ntxns; t++) {
      uint32_t c, end;
      range_of_changes(&run->logs[i], t, &c, &end);
      for (; c < end; c++)
        if (run->logs[i].changes[c].kind != CHANGE_DROPPED)
          visit(context, &run->logs[i].txns[t], &run->logs[i].changes[c]);
    }
}

struct writers {
  uint64_t *all;
  bool *undone;
  uint32_t n, room;
};

static void list_writer(void *context, const struct raw_txn *txn,
                        struct version_change *change) {
  struct writers *w = context;
  if (txn->outcome == OUTCOME_ABORTED || !change->writer ||
      (w->n && w->all[w->n - 1] == change->writer))
    return;
  ARRAY_RESERVE(w->all, w->n, w->room);
  w->all[w->n++] = change->writer;
}

static void drop_undone(void *context, const struct raw_txn *txn,
                        struct version_change *change) {
  const struct writers *w = context;
  const uint64_t *at = txn->outcome != OUTCOME_ABORTED && change->writer && w->n
                           ? bsearch(&change->writer, w->all, w->n,
                                     sizeof *w->all, compare_undone)
                           : NULL;
  if (at && w->undone[at - w->all])
    change->kind = CHANGE_DROPPED;
}

static int leave_undone_out(struct raw_run *run, struct target *target,
                            struct error *error) {
  struct writers w = {0};
  visit_changes(run, list_writer, &w);
  uint32_t n = 0;
  if (w.n)
    qsort(w.all, w.n, sizeof *w.all, compare_undone);
  for (uint32_t i = 0; i < w.n; i++)
    if (!n || w.all[n - 1] != w.all[i])
      w.all[n++] = w.all[i];
  w.n = n;
  w.undone = xcalloc((size_t)n + 1, sizeof *w.undone);
  const int failed =
      n ? run->instrument->find_undone(target, w.all, n, w.undone, error) : 0;
  if (!failed)
    visit_changes(run, drop_undone, &w);
  FREE_EACH(w.all, w.undone);
  return failed;
}

// ---- Versions

struct noting {
  struct known_versions *versions;
  bool open; // some transaction may have committed or not
};

static void note_change(void *context, const struct raw_txn *txn,
                        struct version_change *change) {
  struct known_versions *v = ((struct noting *)context)->versions;
  const bool counts = txn->outcome != OUTCOME_ABORTED;
  uint32_t before = NO_VERSION;
  if (change->kind != 'I') {
    before = versions_note(v, &change->before);
    v->all[before].nreplaced += counts;
    v->all[before].touched = true;
  }
  if (change->kind != 'D') {
    struct known_version *after = versions_at(v, &change->after);
    after->before = before;
    after->image = change->image;
    after->touched = true;
    after->key = change->key;
    after->inserted = change->kind == 'I';
    after->written |= counts;
    after->told = true;
  }
  ((struct noting *)context)->open |= txn->outcome == OUTCOME_UNKNOWN;
}

static void note_seen(const struct raw_run *run, struct known_versions *v) {
  for (uint32_t i = 0; i < run->nsessions; i++)
    for (uint32_t s = 0; s < run->logs[i].nseen; s++)
      versions_at(v, &run->logs[i].seen[s])->touched = true;
}

static void note_tables(struct known_versions *v,
                        const struct instrument_tables *tables, bool at_first) {
  for (uint32_t i = 0; i < tables->nfirst; i++) {
    struct known_version *version = versions_at(v, &tables->first[i].after);
    version->at_first |= at_first;
    version->found |= !at_first;
    if (!at_first)
      continue;
    version->key = tables->first[i].key;
    version->image = tables->first[i].image;
  }
}

// A row that is there, or that somebody else replaced, was not deleted: the
// function that did it took it back.
static void drop_deletion(void *context, const struct raw_txn *txn,
                          struct version_change *change) {
  struct known_versions *v = context;
  if (change->kind != 'D' || txn->outcome == OUTCOME_ABORTED)
    return;
  struct known_version *before = versions_at(v, &change->before);
  if (!before->found && before->nreplaced < 2)
    return;
  before->nreplaced--;
  change->kind = CHANGE_DROPPED;
}

// The tables have to hold the versions that committed and were not replaced.
static int compare_with_tables(const struct raw_run *run,
                               const struct known_versions *v,
                               struct error *error) {
  uint32_t wrong = 0, table = 0;
  for (uint32_t i = 0; i < v->n; i++) {
    const struct known_version *version = &v->all[i];
    const bool expected =
        (version->at_first || version->written) && !version->nreplaced;
    const bool silent = run->tables.all[version->is.table].silent;
    if (expected == version->found || (expected && silent))
      continue;
    table = wrong++ ? table : version->is.table;
  }
  return wrong
             ? error_set(error,
                         "the instrument was bypassed: after the run %" PRIu32
                         " version%s of rows, the first in %s, %s not what "
                         "the statements are known to have left; the run is "
                         "not judged",
                         wrong, wrong == 1 ? "" : "s",
                         run->tables.all[table].name, wrong == 1 ? "is" : "are")
             : 0;
}

// ---- Of a run that was killed

// A block that catches an error undoes what it did, and the database alone
// knows which one did.
static int refuse_what_takes_back(const struct raw_run *run,
                                  struct error *error) {
  bool writes_by_itself = false,
       takes_back = raw_text_takes_back(run->scripts->schema);
  for (uint32_t i = 0; i < run->nsessions; i++) {
    for (uint32_t c = 0; c < run->logs[i].nchanges; c++)
      writes_by_itself |= run->logs[i].changes[c].writer != 0;
    for (uint32_t s = 0; s < run->logs[i].nstatements; s++)
      takes_back |= run->logs[i].statements[s].takes_back;
  }
  return writes_by_itself && takes_back
             ? error_set(error,
                         "the run was killed, and nobody knows any more what "
                         "blocks with EXCEPTION took back: it is not judged")
             : 0;
}

// The changes that a commit makes itself are noted behind it.
static int refuse_lost_changes(const struct raw_run *run,
                               const struct known_versions *v,
                               struct error *error) {
  for (uint32_t i = 0; i < v->n; i++)
    if (!v->all[i].at_first && !v->all[i].told)
      return error_set(error,
                       "the run was killed while a commit changed rows of %s, "
                       "which others have seen and which was not noted: it is "
                       "not judged",
                       run->tables.all[v->all[i].is.table].name);
  return 0;
}

static int changes_without_tables(struct raw_run *run,
                                  struct known_versions *versions,
                                  struct error *error) {
  struct noting noting = {.versions = versions};
  note_tables(versions, &run->tables, true);
  visit_changes(run, note_change, &noting);
  note_seen(run, versions);
  return refuse_what_takes_back(run, error) ||
                 refuse_lost_changes(run, versions, error)
             ? -1
             : 0;
}

// ---- All of them

int changes_hold(struct raw_run *run, struct target *target,
                 struct known_versions *versions, struct error *error) {
  struct instrument_tables found = {0};
  struct noting noting = {.versions = versions};
  if (run->killed)
    return changes_without_tables(run, versions, error);
  if (leave_undone_out(run, target, error) ||
      run->instrument->read_tables(target, &run->tables, &found, error)) {
    instrument_tables_free(&found);
    return -1;
  }
  note_tables(versions, &run->tables, true);
  visit_changes(run, note_change, &noting);
  note_tables(versions, &found, false);
  note_seen(run, versions);
  visit_changes(run, drop_deletion, versions);
  instrument_tables_free(&found);
  const int failed =
      noting.open ? 0 : compare_with_tables(run, versions, error);
  if (failed)
    raw_run_fail(run, error);
  return failed;
}

// ---- Order

// How many of the statement's n changes led to the version that the i-th one
// replaces.
static uint32_t depth_of(struct known_versions *v,
                         struct version_change **changes, uint32_t i,
                         uint32_t n) {
  uint32_t depth = 0;
  while (changes[i]->kind != 'I' && depth < n) {
    const uint32_t before = versions_note(v, &changes[i]->before);
    if (v->all[before].change == NO_VERSION)
      break;
    i = v->all[before].change;
    depth++;
  }
  return depth;
}

struct ordered_change {
  struct version_change *change;
  uint32_t depth, number;
};

static int compare_ordered(const void *a, const void *b) {
  const struct ordered_change *x = a, *y = b;
  return x->depth != y->depth
             ? (x->depth > y->depth) - (x->depth < y->depth)
             : (x->number > y->number) - (x->number < y->number);
}

// Which change of the statement wrote each version that another one replaces.
static void mark_written(struct known_versions *v,
                         struct version_change **changes, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (changes[i]->kind != 'I')
      versions_at(v, &changes[i]->before)->change = NO_VERSION;
  for (uint32_t i = 0; i < n; i++)
    if (changes[i]->kind != 'D')
      versions_at(v, &changes[i]->after)->change = i;
}

struct version_change **changes_in_order(struct known_versions *v,
                                         const struct raw_log *log,
                                         uint32_t statement, uint32_t *n) {
  const uint32_t first = log->statements[statement].first_change,
                 end = raw_changes_end(log, statement);
  struct version_change **changes =
      xcalloc((size_t)(end - first) + 1, sizeof(struct version_change *));
  *n = 0;
  for (uint32_t i = first; i < end; i++)
    if (log->changes[i].kind != CHANGE_DROPPED)
      changes[(*n)++] = &log->changes[i];
  if (*n < 2)
    return changes;
  struct ordered_change *order = xcalloc(*n, sizeof *order);
  mark_written(v, changes, *n);
  for (uint32_t i = 0; i < *n; i++)
    order[i] =
        (struct ordered_change){changes[i], depth_of(v, changes, i, *n), i};
  qsort(order, *n, sizeof *order, compare_ordered);
  for (uint32_t i = 0; i < *n; i++)
    changes[i] = order[i].change;
  free(order);
  return changes;
}
