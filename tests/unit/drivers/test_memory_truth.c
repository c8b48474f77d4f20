// SPDX-License-Identifier: GPL-3.0-or-later
// The memory driver knows more of its rows than its clients see: the order of
// commits, the snapshots, and the version of each row that a statement did not
// return.  That is a proof of the level, which the verifiers accept; and with a
// bug of rows the checker finds no level broken that the store still keeps.
// With full=1 statements tell the rows that they did not return, and all this
// holds of the history with these, too; likewise with instrument=after, where a
// SELECT in front of a DELETE says what it deletes.
#include "config.h"

#include "base/random.h"
#include "checker/part/row_registers.h"
#include "checker/verdict/verdict.h"
#include "checker/verify/rows/execute_rows.h"
#include "drivers/drivers.h"
#include "drivers/memory/internal.h"
#include "recorder/builder/builder.h"
#include "tests/kit/memory_after.h"
#include "tests/kit/row_driver.h"

#include <gsl/gsl_rng.h>

static const struct driver *const driver = &memory_driver;

enum { SER, SSER, SI, PC, CC, RA, RC }; // the driver's table
enum { NCONNECTIONS = 4, NTXNS = 60, NSTATEMENTS = 12, KEYS_MAX = 64 };

// The version of a row that a statement did not return, as the store has it.
struct found {
  uint32_t txn, statement; // the latter in its transaction, from 0
  uint64_t key, stamp;
};

struct told {
  enum statement_sort sort;
  uint32_t template;
  int64_t parameter;
  uint64_t stamp;
  uint32_t first, count; // rows
};

// A transaction under way.
struct open_txn {
  bool is_open;
  struct told statements[NSTATEMENTS];
  struct told_row rows[NSTATEMENTS * KEYS_MAX];
  int64_t images[NSTATEMENTS * KEYS_MAX][ROWS_COLUMNS];
  uint32_t nstatements, nrows;
  struct found found[NSTATEMENTS * KEYS_MAX];
  uint32_t nfound;
};

// A transaction that has ended, by arrival.
struct ended {
  uint32_t connection;
  bool committed, wrote;
  uint64_t snapshot, place; // commits before each
};

struct load {
  gsl_rng *random;
  struct target *target;
  struct connection *c[NCONNECTIONS];
  struct open_txn open[NCONNECTIONS];
  struct builder *builder;
  struct ended ended[NTXNS];
  uint32_t nended, nfound, found_room;
  struct found *found;
  uint64_t nkeys, nstamps;
  bool exact;                 // no bug
  bool after;                 // with SELECTs beside statements
  uint32_t given_up;          // transactions, by these
  uint64_t deleted[KEYS_MAX]; // stamps of what deleted the rows
};

static unsigned long draw(struct load *load, unsigned long below) {
  return gsl_rng_uniform_int(load->random, below);
}

static const struct memory_connection *inside(const struct connection *c) {
  return (const struct memory_connection *)c;
}

// --- Statements.

static uint64_t fresh_key(struct load *load) {
  CHECK(load->nkeys < KEYS_MAX);
  return load->nkeys++;
}

// No row is inserted again once it was deleted.
static void make_up(struct load *load, char *text, size_t room) {
  const unsigned b = (unsigned)draw(load, 3), v = (unsigned)draw(load, 30);
  const unsigned id = (unsigned)draw(load, 12), to = (unsigned)draw(load, 3);
  switch (draw(load, 8)) {
  case 0:
  case 1:
    snprintf(text, room, "select b = %u", b);
    break;
  case 2:
    snprintf(text, room, "select v >= %u", 10 + v % 5);
    break;
  case 3:
    snprintf(text, room, "update b = %u : v+1", b);
    break;
  case 4:
    snprintf(text, room, "update id = %u : b=%u", id, to);
    break;
  case 5:
    snprintf(text, room, "delete id = %u", id % 8);
    break;
  case 6:
    snprintf(text, room, "insert? %u %u %u 0", 8 + id % 4, b, v);
    break;
  default:
    snprintf(text, room, "insert %u %u %u 0", (unsigned)fresh_key(load), b, v);
  }
}

static bool is_in(const struct row_list *list, uint64_t key) {
  bool is = false;
  for (uint32_t i = 0; i < list->count; i++)
    is |= list->rows[i].key == key;
  return is;
}

static bool is_own(const struct row_transaction *txn, uint64_t key) {
  bool is = false;
  for (uint32_t i = 0; i < txn->nown; i++)
    is |= txn->own[i].key == key;
  return is;
}

// The stamp of the version that the snapshot has of the row; 0: the first one.
// The store forgets rows that are deleted for all.
static uint64_t stamp_in_snapshot(const struct load *load,
                                  const struct memory_connection *c,
                                  uint64_t key) {
  const struct stored_row *row = row_find(&target_of(c)->rows->table[0], key);
  const struct stored_version *version =
      row ? row_visible(row, c->rows.snapshot, c->rows.hidden) : NULL;
  return !row                      ? load->deleted[key]
         : version && version->seq ? version->stamp
                                   : 0;
}

// The truth about all rows that did not come back.
static void note_unseen(struct load *load, uint32_t connection,
                        const struct row_list *list) {
  const struct memory_connection *c = inside(load->c[connection]);
  struct open_txn *open = &load->open[connection];
  for (uint64_t key = 0; key < load->nkeys; key++) {
    const uint64_t stamp = stamp_in_snapshot(load, c, key);
    if (!stamp || is_in(list, key) || is_own(&c->rows, key))
      continue;
    CHECK(open->nfound < NSTATEMENTS * KEYS_MAX);
    open->found[open->nfound++] =
        (struct found){0, open->nstatements, key, stamp};
  }
}

// The rows that a statement says it found are those of the snapshot, and the
// transaction's own.
static void check_found(const struct load *load, uint32_t connection,
                        const struct row_list *found) {
  const struct memory_connection *c = inside(load->c[connection]);
  uint32_t visible = 0;
  for (uint64_t key = 0; key < load->nkeys; key++) {
    const struct stored_row *row = row_find(&target_of(c)->rows->table[0], key);
    const struct stored_version *version =
        row ? row_visible(row, c->rows.snapshot, 0) : NULL;
    visible += !is_own(&c->rows, key) && version && !version->dead;
  }
  for (uint32_t i = 0; i < found->count; i++)
    if (!is_own(&c->rows, found->rows[i].key)) {
      visible--;
      CHECK_INT(found->rows[i].saw,
                stamp_in_snapshot(load, c, found->rows[i].key));
    }
  CHECK_INT(visible, 0);
}

static void note_statement(struct load *load, uint32_t connection,
                           const struct statement *s, uint64_t stamp,
                           const struct row_list *list) {
  struct column_set sets[ROWS_COLUMNS];
  if (list->found) {
    const struct statement all = rows_read("select TRUE", sets);
    note_statement(load, connection, &all, 0, list->found);
  }
  struct open_txn *open = &load->open[connection];
  struct told *told = &open->statements[open->nstatements];
  if (s->sort != STATEMENT_INSERT)
    note_unseen(load, connection, list);
  open->nstatements++;
  *told = (struct told){s->sort, s->template, *s->params,
                        stamp,   open->nrows, list->count};
  for (uint32_t i = 0; i < list->count; i++) {
    const struct seen_row *row = &list->rows[i];
    CHECK(open->nrows < NSTATEMENTS * KEYS_MAX);
    int64_t *image = open->images[open->nrows];
    memcpy(image, row_list_image(list, i), sizeof open->images[0]);
    open->rows[open->nrows++] =
        (struct told_row){.key = (int64_t)row->key,
                          .kind = row->kind,
                          .saw = row->saw,
                          .image = row->kind & OP_IS_DEAD ? NULL : image};
  }
}

// --- Transactions.

static void tell(struct load *load, uint32_t connection, bool committed) {
  const struct open_txn *open = &load->open[connection];
  struct builder *b = load->builder;
  builder_txn(b, connection, committed ? OUTCOME_OK : OUTCOME_ABORTED,
              ISOLATION_NONE, TIME_UNKNOWN, TIME_UNKNOWN);
  for (uint32_t i = 0; i < open->nstatements; i++) {
    const struct told *s = &open->statements[i];
    const struct predicate *p = &rows_templates[s->template].predicate;
    const bool has = statement_has_condition(s->sort);
    const struct told_statement statement = {
        .sort = (uint8_t)s->sort,
        .condition = has ? builder_condition(b, 0, p) : NO_CONDITION,
        .parameters = &s->parameter,
        .stamp = s->stamp,
        .rows = open->rows + s->first,
        .nrows = s->count};
    builder_statement(b, &statement);
  }
  for (uint32_t i = 0; i < open->nfound; i++) {
    ARRAY_RESERVE(load->found, load->nfound, load->found_room);
    load->found[load->nfound] = open->found[i];
    load->found[load->nfound++].txn = load->nended;
  }
}

static void note_deletes(struct load *load, const struct open_txn *open) {
  for (uint32_t i = 0; i < open->nstatements; i++) {
    const struct told *s = &open->statements[i];
    for (uint32_t row = s->first; row < s->first + s->count; row++)
      if (open->rows[row].kind & OP_IS_DEAD)
        load->deleted[open->rows[row].key] = s->stamp;
  }
}

static void end(struct load *load, uint32_t connection, bool commits) {
  struct connection *c = load->c[connection];
  const struct row_store *store = target_of(inside(c))->rows;
  struct open_txn *open = &load->open[connection];
  const uint64_t snapshot = inside(c)->rows.snapshot, before = store->seq;
  const bool committed = commits && driver->commit(c) == OUTCOME_OK;
  if (!commits)
    driver->rollback(c);
  const bool wrote = store->seq > before;
  if (committed)
    note_deletes(load, open);
  tell(load, connection, committed);
  load->ended[load->nended++] = (struct ended){
      connection, committed, wrote, snapshot, wrote ? store->seq : snapshot};
  open->is_open = false;
}

static void step(struct load *load, uint32_t connection, int level) {
  struct connection *c = load->c[connection];
  struct open_txn *open = &load->open[connection];
  if (!open->is_open) {
    open->is_open = true;
    open->nstatements = open->nrows = open->nfound = 0;
    begin_rows(driver, c, level);
  }
  if (open->nstatements > NSTATEMENTS - 2 || !draw(load, 5)) {
    end(load, connection, draw(load, 12) > 0);
    return;
  }
  struct column_set sets[ROWS_COLUMNS];
  struct row_list list = {0};
  char text[80];
  make_up(load, text, sizeof text);
  const struct statement s = rows_read(text, sets);
  const uint64_t stamp = statement_writes(s.sort) ? ++load->nstamps : 0;
  const enum outcome outcome =
      (load->after ? execute_memory_after : driver->execute)(c, &s, stamp,
                                                             &list);
  load->given_up += load->after && outcome != OUTCOME_OK;
  if (list.found && load->exact)
    check_found(load, connection, list.found);
  if (outcome == OUTCOME_OK && !list.refused)
    note_statement(load, connection, &s, stamp, &list);
  else if (outcome != OUTCOME_OK)
    end(load, connection, false);
  row_list_free(&list);
}

enum told_by { BY_ITSELF, BY_FULL, BY_AFTER };

static struct load run(uint64_t seed, int level, const char *bug,
                       enum told_by by) {
  const bool full = by == BY_FULL;
  struct load load = {.random = random_stream(seed, 3, RANDOM_TEST),
                      .builder = builder_open(),
                      .nkeys = 12,
                      .exact = !bug,
                      .after = by == BY_AFTER};
  struct error error = {0};
  const char *const values[] = {
      bug, "0", NULL, NULL, NULL, NULL, full ? "1" : NULL};
  const struct target_spec spec = {
      .place = "", .values = values, .nsessions = NCONNECTIONS, .seed = seed};
  CHECK_INT(driver->open(&spec, &load.target, &error), 0);
  rows_setup(driver, load.target);
  builder_table(load.builder, rows_table.name, rows_columns, ROWS_COLUMNS);
  for (uint64_t i = 0; i < table_first_rows(&rows_table); i++) {
    int64_t columns[ROWS_COLUMNS];
    const uint64_t key = table_first_row_at(&rows_table, i, columns);
    builder_preload(load.builder, 0, (int64_t)key, columns);
  }
  for (uint32_t i = 0; i < NCONNECTIONS; i++)
    CHECK_INT(driver->connect(load.target, i, &load.c[i], &error), 0);
  while (load.nended < NTXNS)
    step(&load, (uint32_t)draw(&load, NCONNECTIONS), level);
  return load;
}

static struct history finish(struct load *load) {
  struct history h;
  struct error error = {0};
  for (int i = 0; i < NCONNECTIONS; i++) {
    if (load->open[i].is_open)
      driver->rollback(load->c[i]);
    driver->disconnect(load->c[i]);
  }
  driver->close(load->target);
  CHECK_INT(builder_finish(load->builder, &h, &error), 0);
  CHECK_STR(error.text, "");
  return h;
}

static void load_free(struct load *load) {
  free(load->found);
  gsl_rng_free(load->random);
}

// --- The truth as a proof.

// The transaction that came as the i-th, in the order of the history.
static uint32_t txn_of(const struct load *load, uint32_t arrival) {
  const uint32_t connection = load->ended[arrival].connection;
  uint32_t t = 0;
  for (uint32_t i = 0; i < load->nended; i++)
    t += load->ended[i].connection < connection ||
         (load->ended[i].connection == connection && i < arrival);
  return t;
}

// Does one that committed come before another one in the store's order?  Who
// wrote nothing comes behind all that it may have seen.
static bool is_before(const struct load *load, uint32_t i, uint32_t j) {
  const struct ended *a = &load->ended[i], *b = &load->ended[j];
  return a->place != b->place   ? a->place < b->place
         : a->wrote != b->wrote ? a->wrote
                                : i < j;
}

// Fills in order and snapshots, places in the former.
static uint32_t order_of(const struct load *load, uint32_t *order,
                         uint32_t *snapshot) {
  uint32_t arrivals[NTXNS], n = 0;
  for (uint32_t i = 0; i < load->nended; i++) {
    if (!load->ended[i].committed)
      continue;
    uint32_t at = n++;
    for (; at && is_before(load, i, arrivals[at - 1]); at--)
      arrivals[at] = arrivals[at - 1];
    arrivals[at] = i;
  }
  for (uint32_t i = 0; i < n; i++) {
    order[i] = txn_of(load, arrivals[i]);
    snapshot[i] = 0;
    for (uint32_t j = 0; j < i; j++)
      if (load->ended[arrivals[j]].place <= load->ended[arrivals[i]].snapshot)
        snapshot[i] = j + 1;
  }
  return n;
}

static uint32_t key_of(const struct history *h, uint64_t id) {
  uint32_t key = 0;
  while (key < h->nkeys && h->rows->key_id[key] != (int64_t)id)
    key++;
  CHECK(key < h->nkeys);
  return key;
}

static int by_place(const void *a, const void *b) {
  const struct found_unseen *x = a, *y = b;
  if (x->statement != y->statement)
    return x->statement < y->statement ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

static struct found_unseen *all_found(const struct load *load,
                                      const struct history *h) {
  struct found_unseen *found = xcalloc(load->nfound, sizeof *found);
  for (uint32_t i = 0; i < load->nfound; i++) {
    const struct found *f = &load->found[i];
    found[i].statement =
        h->rows->txn_statement[txn_of(load, f->txn)] + f->statement;
    found[i].key = key_of(h, f->key);
    for (uint32_t op = 0; op < h->nops; op++)
      if (h->key[op] == found[i].key && op_writes(h->kind[op]) &&
          h->value[op] == f->stamp)
        found[i].version = op;
  }
  qsort(found, load->nfound, sizeof *found, by_place);
  return found;
}

static enum verified prove(const struct load *load, const struct history *h,
                           enum isolation level) {
  const struct check_options options = {
      .question = {.level = level, .session_order = true}};
  uint32_t order[NTXNS], snapshot[NTXNS];
  const uint32_t n = order_of(load, order, snapshot);
  uint8_t *counted = xcalloc(h->ntxns, 1);
  for (uint32_t i = 0; i < n; i++)
    counted[order[i]] = 1;
  struct found_unseen *found = all_found(load, h);
  const bool is_weak = level < ISOLATION_PC;
  const struct rows_proof proof = {
      .order = order,
      .norder = n,
      .snapshot = !is_weak && level < ISOLATION_SER ? snapshot : NULL,
      .found = is_weak ? found : NULL,
      .nfound = is_weak ? load->nfound : 0};
  struct history registers = rows_registers(h, false);
  struct error error = {0};
  const enum verified result =
      verify_rows(h, &registers, counted, &options, &proof, &error);
  if (result != VERIFIED)
    printf("# %s: %s\n", isolation_name(level), error.text);
  rows_as_registers_free(&registers);
  free(found);
  free(counted);
  return result;
}

static void check_truth(int level, enum isolation keeps, enum told_by by,
                        uint64_t seed, uint64_t *nfound) {
  struct load load = run(seed, level, NULL, by);
  struct history h = finish(&load);
  CHECK_INT(prove(&load, &h, keeps), VERIFIED);
  CHECK_INT(load.given_up, 0);
  *nfound += load.nfound;
  history_free(&h);
  load_free(&load);
}

static void the_truth_is_a_proof(void) {
  static const struct {
    int level; // of the driver's table
    enum isolation keeps;
  } levels[] = {{SER, ISOLATION_SER}, {SI, ISOLATION_SI}, {PC, ISOLATION_PC},
                {CC, ISOLATION_CC},   {RA, ISOLATION_RA}, {RC, ISOLATION_RC}};
  uint64_t nfound = 0;
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
    for (uint64_t seed = 1; seed <= 60; seed++) {
      check_truth(levels[i].level, levels[i].keeps,
                  seed % 2 ? BY_FULL : BY_ITSELF, seed, &nfound);
      // A SELECT at RC has a snapshot of its own.
      if (levels[i].level != RC)
        check_truth(levels[i].level, levels[i].keeps, BY_AFTER, seed, &nfound);
    }
  printf("# %llu versions that statements did not return\n",
         (unsigned long long)nfound);
  CHECK(nfound > 0);
}

// --- Bugs.

// The histories of one bug, told in one way, and what became of them.
struct tried {
  uint32_t ran, broken, weaker, given_up;
};

static void try_bug(enum bug bug, enum told_by by, uint64_t seed,
                    struct tried *tried) {
  const struct bug_info *info = bug_info(bug);
  char text[64];
  snprintf(text, sizeof text, "%s:0.5", info->name);
  struct load load = run(seed, SER, text, by);
  tried->ran++;
  tried->given_up += load.given_up;
  struct history h = finish(&load);
  for (int level = ISOLATION_RC; level <= ISOLATION_SER; level++) {
    const struct check_options options = {
        .question = {.level = (enum isolation)level, .session_order = true}};
    struct verdict v;
    struct error error = {0};
    CHECK_INT(check(&h, &options, &v, &error), 0);
    const bool violation = v.kind == VERDICT_VIOLATION;
    tried->weaker += violation && level <= (int)info->keeps;
    tried->broken += violation && level == ISOLATION_SER;
    verdict_free(&v);
  }
  history_free(&h);
  load_free(&load);
}

// Below the level that a bug breaks, its histories are never called broken; and
// some are found to break the next one, whoever tells what statements did.
static void bugs_break_no_weaker_level(void) {
  uint32_t full_broken = 0;
  for (int bug = BUG_NONE + 1; bug < BUG_COUNT; bug++) {
    if (!bug_is_of_tables((enum bug)bug))
      continue;
    struct tried tried[3] = {0};
    for (uint64_t seed = 1; seed <= 80; seed++) {
      const bool full = seed % 2 && !bug_is_of_single_statements((enum bug)bug);
      const enum told_by by = full ? BY_FULL : BY_ITSELF;
      try_bug((enum bug)bug, by, seed, &tried[by]);
      if (seed % 2)
        try_bug((enum bug)bug, BY_AFTER, seed, &tried[BY_AFTER]);
    }
    printf("# %s: %u of %u broken, %u of %u with full=1, %u of %u with "
           "instrument=after, which gave up %u transactions\n",
           bug_info((enum bug)bug)->name, tried[BY_ITSELF].broken,
           tried[BY_ITSELF].ran, tried[BY_FULL].broken, tried[BY_FULL].ran,
           tried[BY_AFTER].broken, tried[BY_AFTER].ran,
           tried[BY_AFTER].given_up);
    CHECK(tried[BY_ITSELF].broken > 0);
    CHECK(tried[BY_AFTER].broken > 0);
    full_broken += tried[BY_FULL].broken;
    for (int by = BY_ITSELF; by <= BY_AFTER; by++)
      CHECK_INT(tried[by].weaker, 0);
  }
  CHECK(full_broken > 0);
}

static void bugs_of_single_statements_are_refused(void) {
  for (int bug = BUG_FIRST_OF_ROWS; bug < BUG_COUNT; bug++) {
    char text[64], wanted[160];
    struct target *target = NULL;
    struct error error = {0};
    snprintf(text, sizeof text, "memory:?full=1&bug=%s",
             bug_info((enum bug)bug)->name);
    const bool refused = bug_is_of_single_statements((enum bug)bug);
    CHECK_INT(target_open(text, NULL, NULL, 1, 1, &target, &error),
              refused ? -1 : 0);
    snprintf(wanted, sizeof wanted,
             "bug=%s is one of single statements, each of which full=1 would "
             "make two",
             bug_info((enum bug)bug)->name);
    CHECK_STR(error.text, refused ? wanted : "");
    if (!refused)
      target_close(target);
  }
}

int main(void) {
  return TAP_RUN({"the truth is a proof", the_truth_is_a_proof},
                 {"bugs break no weaker level", bugs_break_no_weaker_level},
                 {"bugs of single statements are refused",
                  bugs_of_single_statements_are_refused});
}
