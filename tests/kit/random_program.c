// SPDX-License-Identifier: GPL-3.0-or-later
#include "config.h"

#include "tests/kit/random_program.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int below(gsl_rng *random, int n) {
  return (int)(gsl_rng_uniform_int(random, (unsigned long)n));
}

void random_program(gsl_rng *random, bool locks, struct random_program *p) {
  *p = (struct random_program){.nsessions = 2 + below(random, 3),
                               .locks = locks};
  const int keys = 1 + below(random, KEYS), most = 3 + below(random, 3);
  for (int s = 0; s < p->nsessions; s++)
    for (int t = 1 + below(random, 3); t > 0; t--) {
      if (p->ntxns >= most - (p->nsessions - 1 - s) && p->ntxns &&
          p->txns[p->ntxns - 1].session == s)
        break;
      struct txn_text *txn = &p->txns[p->ntxns++];
      txn->session = s;
      txn->nops = 1 + below(random, OPS);
      for (int o = 0; o < txn->nops; o++) {
        const int die = below(random, 20);
        txn->ops[o] =
            (struct op){.kind = locks && die < 3   ? KIND_READ_LOCKED
                                : locks && die < 5 ? KIND_READ_SHARED
                                : die < 9          ? KIND_READ
                                : die < 19         ? KIND_WRITE
                                                   : KIND_ROLLBACK,
                        .key = below(random, keys),
                        .value = 1 + below(random, 2),
                        .unless = below(random, 3) ? -1 : below(random, 3),
                        .where = locks && !below(random, 3)};
      }
      if (p->ntxns == TXNS)
        return;
    }
}

char *random_program_text(const struct random_program *p,
                          const char *const *levels) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  if (!out)
    out_of_memory(1);
  fputs("initially x=0, y=0, z=0\n", out);
  for (int t = 0; t < p->ntxns; t++) {
    fprintf(out, "transaction t%d\n  let v = 0\n", t);
    for (int o = 0; o < p->txns[t].nops; o++) {
      const struct op *op = &p->txns[t].ops[o];
      if (op->unless >= 0)
        fprintf(out, "  if v != %d\n", op->unless);
      if (op->kind == KIND_WRITE)
        fprintf(out, "  write %c %d\n", "xyz"[op->key], op -> value);
      else if (op->kind == KIND_ROLLBACK)
        fputs("  rollback\n", out);
      else
        fprintf(out, "  read %c into v%s%s\n", "xyz"[op->key],
                op -> kind == KIND_READ_LOCKED       ? " for update"
                      : op->kind == KIND_READ_SHARED ? " for share"
                                                     : "",
                op->where ? " where v != 0 and 6 / v < 9" : "");
      fputs(op->unless >= 0 ? "  end\n" : "", out);
    }
    fputs("end\n", out);
  }
  for (int s = 0; s < p->nsessions; s++) {
    fprintf(out, "session s%d%s%s:", s, levels ? " at " : "",
            levels ? levels[s] : "");
    for (int t = 0; t < p->ntxns; t++)
      if (p->txns[t].session == s)
        fprintf(out, " t%d", t);
    fputc('\n', out);
  }
  fclose(out);
  return text;
}

// How the read locks if it returned v.
static int8_t lock_of(const struct txn_text *txn, const struct op *op, int v) {
  return op->where && !v && !txn->mysql ? LOCK_NONE
         : op->kind == KIND_READ_LOCKED ? LOCK_UPDATE
         : op->kind == KIND_READ_SHARED ? LOCK_SHARE
                                        : LOCK_NONE;
}

bool past_equals(const struct past *a, const struct past *b) {
  return !memcmp(a, b, sizeof *a);
}

static void add(struct pasts *pasts, const struct past *past) {
  for (int i = 0; i < pasts->n; i++)
    if (past_equals(&pasts->all[i], past))
      return;
  if (pasts->n == HISTORIES_MAX)
    pasts->too_many = true;
  else
    pasts->all[pasts->n++] = *past;
}

// ---- Transactions in every order

struct running {
  const struct random_program *program;
  struct pasts *pasts;
  struct past past;
  bool done[TXNS];
  int last[TXNS][KEYS]; // values written, -1: none
};

static void next_txn(struct running *r);

static int value_from(const struct running *r, int writer, int key) {
  return writer ? r->last[writer - 1][key] : 0;
}

static void finish(struct running *r, int t, bool rolled_back) {
  const struct running before = *r;
  r->done[t] = true;
  r->past.txns[t].rolled_back = rolled_back;
  for (int k = 0; k < KEYS; k++) {
    r->last[t][k] = rolled_back ? -1 : r->last[t][k];
    r->past.txns[t].writes[k] = r->last[t][k] >= 0;
  }
  next_txn(r);
  *r = before;
}

// From operation o on, where the last read returned v.
static void run_ops(struct running *r, int t, int o, int v) {
  const struct txn_text *txn = &r->program->txns[t];
  if (o == txn->nops) {
    finish(r, t, false);
    return;
  }
  const struct op *op = &txn->ops[o];
  if (op->unless == v) {
    run_ops(r, t, o + 1, v);
  } else if (op->kind == KIND_ROLLBACK) {
    finish(r, t, true);
  } else if (op->kind == KIND_WRITE) {
    const int old = r->last[t][op->key];
    r->last[t][op->key] = op->value;
    run_ops(r, t, o + 1, v);
    r->last[t][op->key] = old;
  } else if (r->last[t][op->key] >= 0) {
    run_ops(r, t, o + 1, r->last[t][op->key]);
  } else {
    const int n = r->past.txns[t].nreads++;
    for (int w = 0; w <= r->program->ntxns; w++) {
      if (w && (!r->done[w - 1] || r->last[w - 1][op->key] < 0))
        continue;
      r->past.txns[t].reads[n] =
          (struct past_read){(int8_t)op->key, (int8_t)w,
                             lock_of(txn, op, value_from(r, w, op->key))};
      run_ops(r, t, o + 1, value_from(r, w, op->key));
    }
    r->past.txns[t].reads[n] = (struct past_read){0};
    r->past.txns[t].nreads = n;
  }
}

static void next_txn(struct running *r) {
  const struct random_program *p = r->program;
  bool all = true;
  if (r->pasts->too_many)
    return;
  for (int t = 0; t < p->ntxns; t++) {
    all &= r->done[t];
    if (!r->done[t] &&
        (!t || p->txns[t - 1].session != p->txns[t].session || r->done[t - 1]))
      run_ops(r, t, 0, 0);
  }
  if (all)
    add(r->pasts, &r->past);
}

void brute_force(const struct random_program *program, struct pasts *pasts) {
  struct running r = {.program = program, .pasts = pasts};
  memset(r.last, -1, sizeof r.last);
  pasts->n = 0;
  pasts->too_many = false;
  next_txn(&r);
}

// ---- Statements in every order

struct stepping {
  struct running r;
  int at[TXNS], v[TXNS]; // next operation; TXN_DONE
  int committed[KEYS];   // who wrote last
  int lock[KEYS];        // 1 + who holds it for update
  unsigned shares[KEYS]; // who holds it for share
  bool looks_back[TXNS]; // has a snapshot, which is:
  int snapshot[TXNS][KEYS];
  long steps;
};

static void step(struct stepping *s);

static void step_commit(struct stepping *s, int t, bool rolled_back) {
  struct running *r = &s->r;
  r->done[t] = true;
  r->past.txns[t].rolled_back = rolled_back;
  for (int k = 0; k < KEYS; k++) {
    s->lock[k] = s->lock[k] == t + 1 ? 0 : s->lock[k];
    s->shares[k] &= ~(1u << t);
    r->last[t][k] = rolled_back ? -1 : r->last[t][k];
    r->past.txns[t].writes[k] = r->last[t][k] >= 0;
    if (r->last[t][k] >= 0)
      s->committed[k] = t + 1;
  }
}

static bool is_updated_by_another(const struct stepping *s, int t, int key) {
  return s->lock[key] && s->lock[key] != t + 1;
}

static bool is_held_by_another(const struct stepping *s, int t, int key) {
  return is_updated_by_another(s, t, key) || s->shares[key] & ~(1u << t);
}

// Who wrote what the read returns.
static int writer_for(struct stepping *s, int t, const struct op *op) {
  if (!s->r.program->txns[t].mysql || op->kind != KIND_READ)
    return s->committed[op->key];
  if (!s->looks_back[t])
    memcpy(s->snapshot[t], s->committed, sizeof s->committed);
  s->looks_back[t] = true;
  return s->snapshot[t][op->key];
}

// A commit waits for those who hold its keys.
static bool commit_waits(const struct stepping *s, int t) {
  for (int k = 0; k < KEYS; k++)
    if (s->r.last[t][k] >= 0 && is_held_by_another(s, t, k))
      return true;
  return false;
}

static void step_op(struct stepping *s, int t) {
  const struct txn_text *txn = &s->r.program->txns[t];
  const struct op *op = &txn->ops[s->at[t]];
  if (s->at[t] == txn->nops) {
    if (commit_waits(s, t))
      return;
    step_commit(s, t, false);
  } else if (op->unless == s->v[t]) {
    s->at[t]++;
  } else if (op->kind == KIND_ROLLBACK) {
    step_commit(s, t, true);
  } else if (op->kind == KIND_WRITE) {
    s->r.last[t][op->key] = op->value;
    s->at[t]++;
  } else if (s->r.last[t][op->key] >= 0) {
    s->v[t] = s->r.last[t][op->key];
    s->at[t]++;
  } else {
    const int w = writer_for(s, t, op), v = value_from(&s->r, w, op->key);
    const enum lock lock = (enum lock)lock_of(txn, op, v);
    if (lock == LOCK_UPDATE
            ? is_held_by_another(s, t, op->key)
            : lock == LOCK_SHARE && is_updated_by_another(s, t, op->key))
      return;
    if (lock == LOCK_UPDATE)
      s->lock[op->key] = t + 1;
    if (lock == LOCK_SHARE)
      s->shares[op->key] |= 1u << t;
    s->r.past.txns[t].reads[s->r.past.txns[t].nreads++] =
        (struct past_read){(int8_t)op->key, (int8_t)w, (int8_t)lock};
    s->v[t] = v;
    s->at[t]++;
  }
  step(s);
}

static void step(struct stepping *s) {
  const struct random_program *p = s->r.program;
  bool all = true;
  if (++s->steps > 200000)
    s->r.pasts->too_many = true;
  if (s->r.pasts->too_many)
    return;
  for (int t = 0; t < p->ntxns; t++) {
    all &= s->r.done[t];
    if (s->r.done[t] || (t && p->txns[t - 1].session == p->txns[t].session &&
                         !s->r.done[t - 1]))
      continue;
    const struct stepping before = *s;
    step_op(s, t);
    const long steps = s->steps;
    *s = before;
    s->steps = steps;
  }
  if (all)
    add(s->r.pasts, &s->r.past);
}

void brute_statements(const struct random_program *program,
                      struct pasts *pasts) {
  struct stepping s = {.r = {.program = program, .pasts = pasts}};
  memset(s.r.last, -1, sizeof s.r.last);
  pasts->n = 0;
  pasts->too_many = false;
  step(&s);
}

// ---- Axioms, on every commit order

struct order {
  const struct random_program *program;
  const struct past *past;
  const enum isolation *levels;
  int n, at[TXNS];         // positions in the commit order
  bool before[TXNS][TXNS]; // so and wr
  bool causal[TXNS][TXNS]; // their closure
  int slots[TXNS][OPS];    // how many commits before each statement, or before
                           // it takes its lock
  int snapshot[TXNS];      // at InnoDB's repeatable read; -1: not begun
};

// Do both write some key?
static bool conflict(const struct order *o, int a, int b) {
  for (int k = 0; k < KEYS; k++)
    if (o->past->txns[a].writes[k] && o->past->txns[b].writes[k])
      return true;
  return false;
}

static bool has_statements(const struct order *o, int t) {
  return o->levels[t] == ISOLATION_STATEMENTS ||
         o->levels[t] == ISOLATION_MYSQL;
}

// Must read number r of t have observed u?
static bool observes(const struct order *o, int t, int r, int u) {
  const enum isolation level = o->levels[t];
  bool earlier = false;
  for (int i = 0; i < r; i++)
    earlier |= o->past->txns[t].reads[i].writer == u + 1;
  if (o->past->txns[t].reads[r].lock && o->at[u] < o->at[t])
    return true;
  if (has_statements(o, t))
    return false;
  switch (level) {
  case ISOLATION_RC:
    return earlier;
  case ISOLATION_RA:
    return o->before[u][t];
  case ISOLATION_CC:
    return o->causal[u][t];
  case ISOLATION_SER:
    return o->at[u] < o->at[t];
  default:
    break;
  }
  for (int v = 0; v < o->n; v++) {
    const bool reaches = u == v || o->at[u] < o->at[v];
    if (reaches &&
        (o->before[v][t] ||
         (level == ISOLATION_SI && o->at[v] < o->at[t] && conflict(o, v, t))))
      return true;
  }
  return false;
}

static bool order_keeps(const struct order *o) {
  for (int t = 0; t < o->n; t++)
    for (int r = 0; r < o->past->txns[t].nreads; r++) {
      const struct past_read *read = &o->past->txns[t].reads[r];
      for (int u = 0; u < o->n; u++)
        if (u != t && u + 1 != read->writer &&
            o->past->txns[u].writes[read->key] && observes(o, t, r, u) &&
            (!read->writer || o->at[u] > o->at[read->writer - 1]))
          return false;
    }
  return true;
}

// ---- Statements between the commits

static const struct past_read *read_of(const struct order *o, int t, int r) {
  return &o->past->txns[t].reads[r];
}

// Is what the read returns committed last, with so many commits before it?
static bool sees_the_last(const struct order *o, int t, int r, int slot) {
  const struct past_read *read = read_of(o, t, r);
  const int from = read->writer ? o->at[read->writer - 1] : -1;
  bool sees = from < slot;
  for (int u = 0; u < o->n; u++)
    sees &= !(u + 1 != read->writer && o->past->txns[u].writes[read->key] &&
              o->at[u] > from && o->at[u] < slot);
  return sees;
}

// Two statements that lock a key: one of the transactions ends before the other
// takes the lock.
static bool locks_exclude(const struct order *o, int t, int r, int u, int q) {
  const struct past_read *a = read_of(o, t, r), *b = read_of(o, u, q);
  return !a->lock || !b->lock || a->key != b->key ||
         (a->lock == LOCK_SHARE && b->lock == LOCK_SHARE) ||
         o->slots[u][q] > o->at[t] || o->slots[t][r] > o->at[u];
}

static bool locks_fit(const struct order *o) {
  bool fit = true;
  for (int t = 0; t < o->n; t++)
    for (int u = 0; u < t; u++)
      for (int r = 0; r < o->past->txns[t].nreads; r++)
        for (int q = 0; q < o->past->txns[u].nreads; q++)
          fit &= locks_exclude(o, t, r, u, q);
  return fit;
}

static bool places(struct order *o, int t, int r, int first);

// The other levels see what they see; they can take their locks just before
// they commit.
static bool places_behind(struct order *o, int t) {
  for (int r = 0; !has_statements(o, t) && r < o->past->txns[t].nreads; r++)
    o->slots[t][r] = o->at[t];
  return places(o, t + 1, 0, 0);
}

// Is there a place for read r of t and for all after it, each behind `first`
// commits?
static bool places(struct order *o, int t, int r, int first) {
  if (t == o->n)
    return locks_fit(o);
  if (!has_statements(o, t) || r == o->past->txns[t].nreads)
    return places_behind(o, t);
  for (int u = 0; u < o->n; u++)
    if (o->before[u][t] &&
        o->program->txns[u].session == o->program->txns[t].session)
      first = o->at[u] + 1 > first ? o->at[u] + 1 : first;
  const bool plain = o->levels[t] == ISOLATION_MYSQL && !read_of(o, t, r)->lock;
  if (plain && o->snapshot[t] >= 0) {
    o->slots[t][r] = o->snapshot[t];
    return sees_the_last(o, t, r, o->snapshot[t]) && places(o, t, r + 1, first);
  }
  bool found = false;
  for (int slot = first; !found && slot <= o->at[t]; slot++) {
    o->slots[t][r] = slot;
    o->snapshot[t] = plain ? slot : o->snapshot[t];
    found = sees_the_last(o, t, r, slot) && places(o, t, r + 1, slot);
  }
  o->snapshot[t] = plain ? -1 : o->snapshot[t];
  return found;
}

static bool some_order_keeps(struct order *o, int placed, unsigned done) {
  if (placed == o->n)
    return order_keeps(o) && places(o, 0, 0, 0);
  for (int t = 0; t < o->n; t++) {
    bool ready = !(done >> t & 1);
    for (int u = 0; ready && u < o->n; u++)
      ready = !o->before[u][t] || done >> u & 1;
    if (!ready)
      continue;
    o->at[t] = placed;
    if (some_order_keeps(o, placed + 1, done | 1u << t))
      return true;
  }
  return false;
}

bool past_keeps(const struct random_program *program, const struct past *past,
                const enum isolation *levels) {
  struct order o = {program, past, levels, .n = program->ntxns};
  for (int t = 0; t < o.n; t++) {
    for (int u = 0; u < t; u++)
      o.before[u][t] = program->txns[u].session == program->txns[t].session;
    for (int r = 0; r < past->txns[t].nreads; r++)
      if (past->txns[t].reads[r].writer)
        o.before[past->txns[t].reads[r].writer - 1][t] = true;
  }
  memset(o.snapshot, -1, sizeof o.snapshot);
  memcpy(o.causal, o.before, sizeof o.causal);
  for (int k = 0; k < o.n; k++)
    for (int i = 0; i < o.n; i++)
      for (int j = 0; j < o.n; j++)
        o.causal[i][j] |= o.causal[i][k] && o.causal[k][j];
  return some_order_keeps(&o, 0, 0);
}
