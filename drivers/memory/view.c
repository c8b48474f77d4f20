// SPDX-License-Identifier: GPL-3.0-or-later
// Which version a transaction sees, level by level (drivers/memory/internal.h).
//
// All axioms of dbcop, figure 2, say of a read of x by T3 from T1: every other
// writer T2 of x that is visible to the read commits before T1.  The commit
// order here is that of the sequence numbers, so T1 must be the newest writer
// of x among the visible ones, or newer.  What is visible:
//   RC   what T3 read from before: a lower bound, see lowest_permitted.
//   RA   what T3 reads from, also later, and its session's past: besides the
//        lower bound, a writer is refused of which an earlier read missed
//        another write, see tears.  A list shows all its writers up to that
//        version, which may leave none: then T3 is refused.
//   CC   what causally precedes T3: it reads the newest versions of a set of
//        commits that is closed under causality and holds its session's past
//        (commits.c).
//   PC   all commits before one that T3 reads from or that its session has
//        seen: it reads the newest versions of a prefix that never shrinks in a
//        session.
//   SI   also all before an earlier commit to a key that T3 writes: there is
//        none after the prefix, or T3 is refused (first committer wins).
//   SER  all commits before T3: what it read is still the newest when it
//        commits, or it is refused; if it writes nothing, its place in the
//        order is directly behind its prefix.
//   SSER the same, and the prefix is all that had committed when T3 began.
// Since the store keeps every version since `floor` and the newest one before
// it, and no snapshot reaches below the floor, there always is such a version.
#include "config.h"

#include "drivers/memory/internal.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

static const struct memory_rule rules[ISOLATION_COUNT] = {
    [ISOLATION_RC] = {.view = VIEW_WINDOW},
    [ISOLATION_RA] = {.view = VIEW_WINDOW,
                      .repeatable = true,
                      .sees_session = true,
                      .unfractured = true},
    [ISOLATION_CC] = {.repeatable = true, .causal = true},
    [ISOLATION_PC] = {.repeatable = true},
    [ISOLATION_SI] = {.check = CHECK_WRITES, .repeatable = true},
    [ISOLATION_SER] = {.check = CHECK_READS, .repeatable = true},
    [ISOLATION_SSER] = {.check = CHECK_READS,
                        .repeatable = true,
                        .stale = STALE_NEVER},
};

// The rules of a transaction that a bug weakens.  Transactions with weaker and
// stronger rules share one commit order, so together they keep the weaker
// level.  Where the anomaly is one of reads, only read-only transactions are
// let through with old versions (CHECK_READS), lest updates get lost as well.
static const struct memory_rule weak_rules[BUG_COUNT] = {
    [BUG_NON_REPEATABLE_READS] = {.check = CHECK_READS,
                                  .stale = STALE_MOST,
                                  .must_show = true},
    [BUG_FRACTURED_READ] = {.view = VIEW_WINDOW,
                            .check = CHECK_READS,
                            .stale = STALE_MOST,
                            .repeatable = true,
                            .sees_session = true,
                            .must_show = true},
    [BUG_CAUSALITY_VIOLATION] = {.view = VIEW_WINDOW,
                                 .check = CHECK_READS,
                                 .stale = STALE_MOST,
                                 .repeatable = true,
                                 .sees_session = true,
                                 .unfractured = true,
                                 .must_show = true},
    [BUG_LONG_FORK] = {.check = CHECK_READS,
                       .repeatable = true,
                       .causal = true},
    [BUG_LOST_UPDATE] = {.stale = STALE_ALWAYS, .repeatable = true},
    [BUG_WRITE_SKEW] = {.check = CHECK_WRITES,
                        .stale = STALE_ALWAYS,
                        .repeatable = true},
};

static bool is_weakened(struct memory_connection *c, enum isolation level) {
  const struct bug_info *info = bug_info(settings_of(c)->bug);
  return info->per_transaction && level > info->keeps &&
         strikes(c, settings_of(c)->bug);
}

static void hold_prefix(struct memory_transaction *txn, uint64_t seq) {
  for (int i = 0; i < STORE_SITES; i++)
    txn->bound[i] = seq;
}

// Takes a causal snapshot that extends the session's past.
static void begin_causal(struct memory_connection *c) {
  struct memory_session *session = c->session;
  struct memory_transaction *txn = &c->txn;
  const struct memory_settings *settings = settings_of(c);
  const struct causal_choice choice = {.lag = txn->weakened ? BUG_LAG
                                                            : settings->lag,
                                       .stale = settings->stale,
                                       .fork = txn->weakened};
  commits_causal_snapshot(target_of(c)->commits, session->random, &choice,
                          session->past);
  memcpy(txn->bound, session->past, sizeof txn->bound);
  txn->floor = txn->bound[0];
  for (int i = 0; i < STORE_SITES; i++) {
    if (txn->floor > txn->bound[i])
      txn->floor = txn->bound[i];
    if (session->floor < txn->bound[i])
      session->floor = txn->bound[i];
  }
}

// How many commits the snapshot may be behind.  A bug that breaks no level
// below SSER by being stale must not break SSER by that either.
static uint32_t draw_lag(struct memory_connection *c, enum isolation level) {
  switch (c->txn.rule.stale) {
  case STALE_NEVER:
    return 0;
  case STALE_SOMETIMES:
    return happens(c, settings_of(c)->stale) ? settings_of(c)->lag : 0;
  case STALE_ALWAYS:
    return level == ISOLATION_SSER ? 0 : BUG_LAG;
  case STALE_MOST:
    break;
  }
  return BUG_LAG;
}

// Takes a prefix of the commits, or the bound where a window starts.
static void begin_prefix(struct memory_connection *c, uint32_t lag) {
  struct memory_session *session = c->session;
  struct memory_transaction *txn = &c->txn;
  const struct commits *commits = target_of(c)->commits;
  const bool window = txn->rule.view == VIEW_WINDOW;
  txn->floor = txn->rule.stale == STALE_MOST
                   ? commits_oldest(commits, lag)
                   : commits_snapshot(commits, session->random, lag,
                                      window ? 0 : session->floor);
  hold_prefix(txn, txn->floor);
  if (!window && session->floor < txn->floor)
    session->floor = txn->floor;
}

void view_begin(struct memory_connection *c, enum isolation level) {
  struct memory_transaction *txn = &c->txn;
  struct commits *commits = target_of(c)->commits;
  txn->weakened = is_weakened(c, level);
  txn->showed = txn->torn = false;
  txn->rule = txn->weakened ? weak_rules[settings_of(c)->bug] : rules[level];
  const uint32_t lag = txn->rule.causal ? 0 : draw_lag(c, level);
  commits_lock(commits);
  if (txn->rule.causal)
    begin_causal(c);
  else
    begin_prefix(c, lag);
  commits_enter(commits, c->base.session, txn->floor);
  commits_unlock(commits);
}

static const struct memory_read *
earlier_read(const struct memory_transaction *txn, uint64_t key) {
  for (uint32_t i = txn->nreads; i-- > 0;)
    if (txn->reads[i].key == key)
      return &txn->reads[i];
  return NULL;
}

bool view_shows(const struct memory_connection *c,
                const struct memory_read *read, uint64_t seq) {
  return read->version.seq == seq ||
         (read->list && read->version.seq > seq &&
          store_wrote(target_of(c)->store, read->key, seq));
}

static bool was_read_from(const struct memory_connection *c, uint64_t seq) {
  for (uint32_t i = 0; i < c->txn.nreads; i++)
    if (view_shows(c, &c->txn.reads[i], seq))
      return true;
  return false;
}

// The first version of the window that is not older than a visible one.
static uint32_t lowest_permitted(const struct memory_connection *c) {
  for (uint32_t i = c->window.count - 1; i > 0; i--) {
    const struct version *version = &c->window.items[i];
    if (was_read_from(c, version->seq) ||
        (c->txn.rule.sees_session && version->session == c->base.session))
      return i;
  }
  return 0;
}

// Would reading `key` from commit `seq` show a transaction in part, since an
// earlier read missed what it wrote to another key?
static bool tears(const struct memory_connection *c, uint64_t key,
                  uint64_t seq) {
  const struct memory_transaction *txn = &c->txn;
  for (uint32_t i = 0; i < txn->nreads; i++)
    if (txn->reads[i].key != key && txn->reads[i].version.seq < seq &&
        store_wrote(target_of(c)->store, txn->reads[i].key, seq))
      return true;
  return false;
}

// A weakened transaction reads old first and then the newest, or what makes a
// fracture.
static uint32_t tempting(struct memory_connection *c, uint64_t key,
                         uint32_t lowest) {
  const uint32_t newest = c->window.count - 1;
  if (c->txn.nreads == 0)
    return lowest;
  if (!c->txn.rule.unfractured)
    for (uint32_t i = newest; i > lowest; i--)
      if (tears(c, key, c->window.items[i].seq)) {
        c->txn.showed = true;
        return i;
      }
  return newest;
}

// Would version i of the window tear?  A list shows the earlier versions as
// well.
static bool window_tears(const struct memory_connection *c, uint64_t key,
                         bool list, uint32_t i) {
  const struct version *version = c->window.items;
  for (uint32_t shown = list ? 1 : i; shown <= i; shown++)
    if (tears(c, key, version[shown].seq))
      return true;
  return false;
}

// The lowest one permitted of a register never tears: a writer that must be
// seen whole was one already when the other key was read, and up to the floor
// all is seen.
static struct version from_window(struct memory_connection *c, uint64_t key,
                                  bool list) {
  store_window(target_of(c)->store, key, c->txn.floor, &c->window);
  const uint32_t lowest = lowest_permitted(c);
  uint32_t i = c->txn.weakened
                   ? tempting(c, key, lowest)
                   : lowest + (uint32_t)gsl_rng_uniform_int(
                                  c->session->random, c->window.count - lowest);
  const bool unfractured = c->txn.rule.unfractured;
  while (unfractured && i > lowest && window_tears(c, key, list, i))
    i--;
  c->txn.torn |=
      unfractured && list && i == lowest && window_tears(c, key, list, i);
  return c->window.items[i];
}

// Reads do not repeat for a bug's sake.  All later reads are from the new
// snapshot as well, which keeps them monotonic.
static void renew_snapshot(struct memory_connection *c,
                           const struct memory_read *earlier) {
  struct store *store = target_of(c)->store;
  hold_prefix(&c->txn, store_published(store));
  c->txn.showed |= store_visible(store, earlier->key, c->txn.bound).seq !=
                   earlier->version.seq;
}

static struct version choose_key_version(struct memory_connection *c,
                                         uint64_t key, bool list,
                                         const struct memory_read *earlier) {
  if (c->txn.rule.view == VIEW_WINDOW)
    return from_window(c, key, list);
  if (earlier)
    renew_snapshot(c, earlier);
  return store_visible(target_of(c)->store, key, c->txn.bound);
}

static const struct memory_read *keep_read(struct memory_connection *c,
                                           const struct memory_read *read) {
  struct memory_transaction *txn = &c->txn;
  if (c->session->floor < read->version.seq)
    c->session->floor = read->version.seq;
  ARRAY_RESERVE(txn->reads, txn->nreads, txn->reads_room);
  txn->reads[txn->nreads] = *read;
  return &txn->reads[txn->nreads++];
}

const struct memory_read *view_read(struct memory_connection *c, uint64_t key,
                                    bool list) {
  const struct memory_read *earlier = earlier_read(&c->txn, key);
  struct memory_read read = {.key = key, .list = list};
  if (!earlier || !c->txn.rule.repeatable)
    read.version = choose_key_version(c, key, list, earlier);
  else if (!forge_overtaken(c, earlier, &read.version))
    return earlier;
  read.shown = read.version.value;
  if (!earlier)
    forge_read(c, &read, list);
  return keep_read(c, &read);
}
