// SPDX-License-Identifier: GPL-3.0-or-later
// Rows that statements did not return (checker/argue/axioms.h).  A statement
// found one version of each row of its table.  So if a version V that it would
// have returned was there for it, a version that it would not return, F, came
// between: after V and before the place at which the statement looked.
//
// Versions that are known to have replaced each other are told by their first
// ones: of a run of versions that would be returned the first one is V, and
// nothing is said of a version F that replaced others like F, as these come
// between as well.
#include "config.h"

#include "checker/argue/axioms.h"

#include <assert.h>
#include <stdlib.h>

#define ATOMS_MOST (1u << 22) // of all clauses

struct missing {
  struct axiom_links *a;
  const struct history *h; // with rows
  uint32_t *replaced;      // per operation, of a version: that before it; of
                           // the first version nops + its key, or NONE
  uint8_t *is_open;        // per key: has someone in doubt written it?
  // The row at hand, and who missed it.
  uint32_t txn, statement, key;
  bool inserted; // the statement found that it was absent
};

// --- Versions.

static bool is_first_version(const struct missing *m, uint32_t version) {
  return version >= m->h->nops;
}

static bool is_own(const struct missing *m, uint32_t version) {
  return !is_first_version(m, version) && m->a->r->txn_of[version] == m->txn;
}

// Can the statement have found this version of the row?
static bool may_have_found(const struct missing *m, uint32_t version) {
  const int64_t *row = rows_version(m->h, version);
  return m->inserted ? row == NULL
                     : !rows_satisfies(m->h, m->statement, m->key, row);
}

// The version that the transaction had read when it wrote the key first.
static uint32_t replaced_by(const struct missing *m, uint32_t op) {
  const struct refutation *r = m->a->r;
  const struct history *h = r->h;
  const uint32_t t = r->txn_of[op], key = h->key[op];
  uint32_t saw = SAW_THIN_AIR;
  for (uint32_t o = h->txn_first[t]; o <= op; o++) {
    if (h->key[o] != key)
      continue;
    if (op_reads(h->kind[o]))
      saw = h->saw[o];
    if (op_writes(h->kind[o]))
      break;
  }
  if (!level_binds_reads(level_of_axioms(m->a, t)) || saw == SAW_THIN_AIR)
    return NONE;
  return saw == SAW_INITIAL ? h->nops + key : saw;
}

static void find_replaced(struct missing *m) {
  const struct buckets *writes = &m->a->writes;
  m->replaced = ids_none(m->h->nops);
  for (uint32_t w = 0; w < writes->first[m->h->nkeys]; w++)
    m->replaced[writes->items[w]] = replaced_by(m, writes->items[w]);
}

static void find_open_keys(struct missing *m) {
  const struct history *h = m->h;
  m->is_open = xcalloc(h->nkeys, 1);
  for (uint32_t t = 0; t < h->ntxns; t++)
    for (uint32_t op = h->txn_first[t]; op < h->txn_first[t + 1]; op++)
      m->is_open[h->key[op]] |= h->outcome[t] != OUTCOME_ABORTED &&
                                !m->a->r->counted[t] && op_writes(h->kind[op]);
}

static uint32_t version_before(const struct missing *m, uint32_t version) {
  return is_first_version(m, version) ? NONE : m->replaced[version];
}

// Does the version come before the other one, as each replaced the one before?
static bool leads_up_to(const struct missing *m, uint32_t version,
                        uint32_t other) {
  uint32_t steps = m->h->nops;
  while (other != NONE && other != version && steps-- > 0)
    other = version_before(m, other);
  return other == version;
}

// Would a version have been found that the version `found` replaced, and that
// comes after V?  Then nothing need be said of `found`.
static bool is_implied(const struct missing *m, uint32_t found, uint32_t v) {
  uint32_t steps = m->h->nops;
  bool other = false;
  for (uint32_t at = version_before(m, found); at != NONE && steps-- > 0;
       at = version_before(m, at)) {
    if (at == v)
      return other;
    other |=
        !is_first_version(m, at) && !is_own(m, at) && may_have_found(m, at);
  }
  return other && is_first_version(m, v);
}

// --- Clauses.

static uint32_t place_of(const struct missing *m) {
  const enum isolation level = level_of_axioms(m->a, m->txn);
  return level_sees_all(level) ? commit_of(m->txn) : snapshot_of(m->txn);
}

static uint32_t commit_of_version(const struct missing *m, uint32_t version) {
  return commit_of(m->a->r->txn_of[version]);
}

// The atoms of the clause about V; how many.
static uint32_t atoms_about(const struct missing *m, uint32_t v,
                            struct atom *atoms) {
  const struct buckets *writes = &m->a->writes;
  const uint32_t place = place_of(m);
  const bool first = is_first_version(m, v);
  uint32_t n = 0;
  if (!first)
    atoms[n++] =
        (struct atom){place, commit_of_version(m, v), EDGE_RW, v, NONE};
  for (uint32_t w = writes->first[m->key]; w < writes->first[m->key + 1]; w++) {
    const uint32_t f = writes->items[w];
    if (is_own(m, f) || !may_have_found(m, f) || leads_up_to(m, f, v) ||
        is_implied(m, f, v))
      continue;
    const uint32_t commit = commit_of_version(m, f);
    atoms[n++] = (struct atom){commit, place, EDGE_WR, first ? NONE : v, f};
    if (!first)
      atoms[n++] =
          (struct atom){commit_of_version(m, v), commit, EDGE_WW, v, f};
  }
  return n;
}

static void bind_by_version(struct missing *m, uint32_t v,
                            const struct sight *sight) {
  const struct buckets *writes = &m->a->writes;
  struct refutation *r = m->a->r;
  const uint32_t nwrites = writes->first[m->key + 1] - writes->first[m->key];
  const bool first = is_first_version(m, v);
  struct atom *atoms = xmalloc((2 * (size_t)nwrites + 1) * sizeof *atoms);
  const uint32_t n = atoms_about(m, v, atoms);
  const struct clause clause = {.why =
                                    sight ? REASON_IN_SIGHT : REASON_UNRETURNED,
                                .width = first ? 1 : 2,
                                .nsingle = !first,
                                .read = m->statement,
                                .lemma = m->key,
                                .sight = sight ? *sight : (struct sight){0}};
  if (n)
    refutation_clause(r, &clause, atoms, n);
  r->patience.ended |= r->natoms > ATOMS_MOST;
  free(atoms);
}

// Is every F known to come after V?
static bool come_after(const struct missing *m, uint32_t v) {
  const struct buckets *writes = &m->a->writes;
  bool after = true;
  for (uint32_t w = writes->first[m->key]; w < writes->first[m->key + 1]; w++) {
    const uint32_t f = writes->items[w];
    after &= is_own(m, f) || !may_have_found(m, f) || leads_up_to(m, f, v) ||
             leads_up_to(m, v, f);
  }
  return after;
}

// At PC and above nothing need be said of V if V replaced a version of which
// the same is said, unless it is open which F come after V.
static void bind_by_prefix(struct missing *m, uint32_t v) {
  const uint32_t before = version_before(m, v);
  if (before == NONE || is_own(m, before) || may_have_found(m, before) ||
      !come_after(m, v))
    bind_by_version(m, v, NULL);
}

static void bind_by_sight(struct missing *m, uint32_t v) {
  const uint32_t before = m->h->rows->statements[m->statement].first;
  struct sight sight = {NONE, NONE, NONE};
  if (is_first_version(m, v) ||
      sight_find(m->a, m->txn, before, m->a->r->txn_of[v], &sight))
    bind_by_version(m, v, &sight);
}

static void bind_missed_row(struct missing *m) {
  const struct buckets *writes = &m->a->writes;
  const bool by_sight = level_saturates(level_of_axioms(m->a, m->txn));
  const uint32_t end = writes->first[m->key + 1];
  uint32_t v = m->h->nops + m->key;
  for (uint32_t w = writes->first[m->key];
       w <= end && !patience_ends(&m->a->r->patience, 1); w++) {
    if (!is_own(m, v) && !may_have_found(m, v))
      (by_sight ? bind_by_sight : bind_by_prefix)(m, v);
    if (w < end)
      v = writes->items[w];
  }
}

// --- Statements.

// Had the transaction written the row before the statement?
static bool knew_row(const struct missing *m) {
  const struct history *h = m->h;
  bool knew = false;
  for (uint32_t op = h->txn_first[m->txn];
       op < h->rows->statements[m->statement].first; op++)
    knew |= h->key[op] == m->key && op_writes(h->kind[op]);
  return knew;
}

// The operation of the statement on the row; NONE: it has none.
static uint32_t operation_on(const struct missing *m) {
  const struct recorded_statement *s = &m->h->rows->statements[m->statement];
  uint32_t found = NONE;
  for (uint32_t op = s->first; op < s->end; op++)
    if (m->h->key[op] == m->key)
      found = op;
  return found;
}

// Registers say the rest of an INSERT of a row that was not there at first.
static bool is_insert_anew(const struct missing *m, uint32_t op) {
  return m->h->kind[op] == OP_ROW_INSERT && !op_reads(m->a->r->h->kind[op]);
}

static void bind_statement(struct missing *m) {
  const struct history *h = m->h;
  const struct recorded_statement *s = &h->rows->statements[m->statement];
  if (m->a->r->options->question.plain_reads &&
      statement_may_read_latest((enum statement_sort)s->sort))
    return;
  for (m->key = 0; m->key < h->nkeys; m->key++) {
    if (h->rows->key_table[m->key] != s->table || m->is_open[m->key])
      continue;
    const uint32_t op = operation_on(m);
    m->inserted = op != NONE;
    if ((op == NONE ? s->condition != NO_CONDITION : is_insert_anew(m, op)) &&
        !knew_row(m))
      bind_missed_row(m);
  }
}

void unreturned_bind(struct axiom_links *a) {
  const struct rows *rows = a->r->rows->rows;
  struct missing m = {.a = a, .h = a->r->rows};
  if (a->r->options->question.by_items)
    return;
  find_replaced(&m);
  find_open_keys(&m);
  for (m.txn = 0; m.txn < m.h->ntxns; m.txn++)
    for (m.statement = rows->txn_statement[m.txn];
         a->r->counted[m.txn] && m.statement < rows->txn_statement[m.txn + 1];
         m.statement++)
      bind_statement(&m);
  free(m.replaced);
  free(m.is_open);
}

// --- What may be argued about.

static bool is_last_of_row(const struct history *h, uint32_t op) {
  const uint32_t end = h->txn_first[history_txn(h, op) + 1];
  bool last = true;
  for (uint32_t o = op + 1; o < end; o++)
    last &= h->key[o] != h->key[op] || !op_writes(h->kind[o]);
  return last;
}

// Did the read see what another transaction that counts left of the row, or
// what its own transaction had written of it last?
static bool read_is_sound(const struct history *h, const uint8_t *counted,
                          uint32_t t, uint32_t op) {
  const uint32_t saw = h->saw[op];
  uint32_t own = NONE;
  for (uint32_t o = h->txn_first[t]; o < op; o++)
    if (h->key[o] == h->key[op] && op_writes(h->kind[o]))
      own = o;
  if (own != NONE)
    return saw == own;
  if (saw == SAW_INITIAL)
    return true;
  return saw < h->nops && op_writes(h->kind[saw]) &&
         h->key[saw] == h->key[op] && history_txn(h, saw) != t &&
         counted[history_txn(h, saw)] && is_last_of_row(h, saw);
}

bool unreturned_are_arguable(const struct history *registers,
                             const struct history *rows,
                             const struct check_options *options) {
  uint32_t nlost;
  bool sound = rows->complete && !registers->lists && !registers->again;
  uint8_t *counted = history_counted(registers, &nlost);
  for (uint32_t t = 0; t < registers->ntxns && sound; t++) {
    const enum isolation level = options->question.recorded
                                     ? (enum isolation)registers->level[t]
                                     : options->question.level;
    sound = !counted[t] || level_binds_reads(level);
    for (uint32_t op = registers->txn_first[t];
         counted[t] && sound && op < registers->txn_first[t + 1]; op++)
      sound = !op_reads(registers->kind[op]) ||
              read_is_sound(registers, counted, t, op);
  }
  free(counted);
  return sound;
}
