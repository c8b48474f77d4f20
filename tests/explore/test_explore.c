// SPDX-License-Identifier: GPL-3.0-or-later
// On random programs the explorer finds each history that brute force finds,
// once, at every level and mix of levels; and errors put into it are found.
#include "config.h"

#include "explore/explore.h"

#include "base/memory.h"
#include "checker/verify/referee.h"
#include "recorder/builder/builder.h"
#include "tests/explore/swap_errors.h"
#include "tests/kit/random_program.h"
#include "tests/tap.h"

static struct pasts brute, found;
static uint64_t repeated; // how often a history was found again

static int key_number(const struct partial *p, uint32_t key) {
  const char *name = p->program->names[p->pool->keys[key].name];
  return name[0] - 'x';
}

static struct past past_of(const struct partial *p) {
  struct past past = {0};
  for (uint32_t i = 0; i < p->nblocks; i++) {
    const struct program_block *b = &p->blocks[i];
    const int t = b->t - 1;
    past.txns[t].rolled_back = b->rolled_back;
    past.txns[t].nreads = (int8_t)(b->end_read - b->first_read);
    for (uint32_t r = b->first_read; r < b->end_read; r++)
      past.txns[t].reads[r - b->first_read] = (struct past_read){
          (int8_t)key_number(p, p->reads[r].key), (int8_t)p->reads[r].writer,
          (int8_t)(p->reads[r].flags & READ_SHARED   ? LOCK_SHARE
                   : p->reads[r].flags & READ_LOCKED ? LOCK_UPDATE
                                                     : LOCK_NONE)};
    for (uint32_t w = b->first_write; w < b->end_write; w++)
      past.txns[t].writes[key_number(p, p->writes[w].key)] = true;
  }
  return past;
}

static int by_content(const void *a, const void *b) {
  return memcmp(a, b, sizeof(struct past));
}

// Sorts, keeps each history once, and returns how many went.
static int sort(struct pasts *pasts) {
  int n = 0;
  qsort(pasts->all, (size_t)pasts->n, sizeof *pasts->all, by_content);
  for (int i = 0; i < pasts->n; i++)
    if (!i || !past_equals(&pasts->all[i], &pasts->all[n - 1]))
      pasts->all[n++] = pasts->all[i];
  const int again = pasts->n - n;
  pasts->n = n;
  return again;
}

static void start_finding(void) {
  found.n = 0;
  repeated = 0;
}

static uint64_t drop_repeated(void) {
  repeated += (uint64_t)sort(&found);
  return repeated;
}

// The baseline meets a history more often than there is room for.
static bool take(void *context, const struct partial *p) {
  (void)context;
  if (found.n == HISTORIES_MAX)
    drop_repeated();
  if (CHECK(found.n < HISTORIES_MAX))
    found.all[found.n++] = past_of(p);
  return true;
}

static bool explores(const struct program *program,
                     const struct explore_options *options,
                     struct explore_result *result) {
  struct error error = {0};
  struct explore_options o = *options;
  o.leaf = take;
  start_finding();
  const bool ok = !explore(program, &o, result, &error);
  if (!ok)
    printf("# %s\n", error.text);
  return ok;
}

static bool parses(const char *text, struct program *program) {
  struct error error;
  return CHECK(!program_parse("random", text, (struct program_choice){0},
                              program, &error));
}

static bool same_sets(void) {
  if (found.n != brute.n)
    return false;
  return !memcmp(found.all, brute.all, (size_t)brute.n * sizeof *brute.all);
}

// ---- What the referee says

static bool referee_keeps(const struct random_program *p,
                          const struct past *past,
                          const enum isolation *levels) {
  struct builder *builder = builder_open();
  struct history history;
  struct error error;
  uint8_t bytes[TXNS];
  for (int t = 0; t < p->ntxns; t++) {
    bytes[t] = (uint8_t)levels[t];
    builder_txn(builder, (uint64_t)p->txns[t].session, OUTCOME_OK, levels[t],
                TIME_UNKNOWN, TIME_UNKNOWN);
    for (int r = 0; r < past->txns[t].nreads; r++) {
      const struct past_read *read = &past->txns[t].reads[r];
      builder_op(builder, OP_READ, (uint64_t)read->key, (uint64_t)read->writer);
    }
    for (int k = 0; k < KEYS; k++)
      if (past->txns[t].writes[k])
        builder_op(builder, OP_WRITE, (uint64_t)k, (uint64_t)t + 1);
  }
  if (builder_finish(builder, &history, &error))
    return false;
  const struct referee_options options = {.levels = bytes,
                                          .session_order = true};
  uint32_t norder;
  const enum referee_answer answer =
      referee_decide(&history, &options, NULL, &norder);
  history_free(&history);
  return answer == REFEREE_KEPT;
}

// Keeps of the brute histories those of the levels, by both judges; the referee
// knows neither statements nor locks.
static void judge(const struct random_program *p,
                  const enum isolation *levels) {
  int n = 0;
  bool referees = !p->locks;
  for (int t = 0; t < p->ntxns; t++)
    referees &= levels[t] < ISOLATION_COUNT;
  for (int i = 0; i < brute.n; i++) {
    const bool keeps = past_keeps(p, &brute.all[i], levels);
    if (referees)
      CHECK(keeps == referee_keeps(p, &brute.all[i], levels));
    if (keeps)
      brute.all[n++] = brute.all[i];
  }
  brute.n = n;
}

// ---- Agreement

static const enum isolation axioms[LEVEL_COUNT] = {
    [LEVEL_RC] = ISOLATION_RC,
    [LEVEL_RC_STATEMENT] = ISOLATION_STATEMENTS,
    [LEVEL_RA] = ISOLATION_RA,
    [LEVEL_CC] = ISOLATION_CC,
    [LEVEL_PC] = ISOLATION_PC,
    [LEVEL_SI] = ISOLATION_SI,
    [LEVEL_MYSQL_RR] = ISOLATION_MYSQL,
    [LEVEL_SER] = ISOLATION_SER};

// Any order of the transactions that has those of a session in order.
static void random_oracle(const struct random_program *p, gsl_rng *random,
                          uint8_t oracle[PROGRAM_MAX_TXNS + 1]) {
  bool placed[TXNS] = {false};
  oracle[0] = 0;
  for (int i = 1; i <= p->ntxns;) {
    const int t = (int)gsl_rng_uniform_int(random, (unsigned long)p->ntxns);
    if (placed[t] ||
        (t && p->txns[t].session == p->txns[t - 1].session && !placed[t - 1]))
      continue;
    placed[t] = true;
    oracle[i++] = (uint8_t)(t + 1);
  }
}

// One that is weaker than all levels of the program.
static enum level random_base(const struct random_program *p, gsl_rng *random) {
  bool mysql = false;
  for (int t = 0; t < p->ntxns; t++)
    mysql |= p->txns[t].mysql;
  return gsl_rng_uniform_int(random, 2) && !mysql ? LEVEL_RC : LEVEL_TRUE;
}

// Does the explorer find the set `brute`, in all its ways?
static bool agrees(const struct program *program, enum level level,
                   const struct random_program *p, gsl_rng *random) {
  struct explore_result r;
  uint8_t oracle[PROGRAM_MAX_TXNS + 1];
  bool ok = true;
  random_oracle(p, random, oracle);
  for (int way = 0; way < 5; way++) {
    struct explore_options o = {.level = level,
                                .no_core = way == 1,
                                .oracle = way == 2 ? oracle : NULL,
                                .algorithm =
                                    way == 3 ? ALGORITHM_DFS : ALGORITHM_CE,
                                .has_base = way == 4,
                                .base = random_base(p, random)};
    if (!CHECK(explores(program, &o, &r)))
      return false;
    const uint64_t again = drop_repeated();
    ok &= CHECK(way == 3 || again == 0);
    ok &= CHECK(r.blocked == 0) && CHECK(same_sets());
    if (!ok) {
      printf("# way %d, level %s: %d histories, not %d\n", way,
             level_name(level), found.n, brute.n);
      return false;
    }
  }
  return ok;
}

// Explores the tasks, but some of them later than the others.
static bool explores_tasks(const struct program *program,
                           const struct explore_options *options,
                           struct tasks *tasks) {
  struct explore_options o = *options;
  struct explore_result r;
  struct explore_share share;
  struct error error;
  share_init(&share, tasks, 1);
  o.share = &share;
  const bool ok = CHECK(!explore(program, &o, &r, &error));
  share_end(&share, tasks);
  return ok;
}

// Tasks find the same, each taken by itself.
static bool tasks_agree(const struct program *program, enum level level) {
  struct explore_options o = {.level = level};
  struct tasks all, one = {0};
  struct explore_task task;
  struct error error;
  bool ok = CHECK(!explore_cut(program, &o, 7, &all, &error));
  o.leaf = take;
  start_finding();
  while (ok && tasks_take(&all, &task)) {
    tasks_add(&one, task.choices, task.n, CHOICE_NONE);
    free(task.choices);
    ok = explores_tasks(program, &o, &one) && CHECK(!one.n);
    tasks_free(&one);
  }
  tasks_free(&all);
  return ok && CHECK(!drop_repeated()) && CHECK(same_sets());
}

static bool take_some(void *context, const struct partial *p) {
  int *left = context;
  take(NULL, p);
  return --*left > 0;
}

// Writes all tasks down and reads them again.
static bool rewrite(struct tasks *tasks) {
  char *text = NULL;
  size_t bytes;
  bool ok = true;
  FILE *file = open_memstream(&text, &bytes);
  for (uint32_t i = 0; i < tasks->n; i++)
    task_put(file, &tasks->all[i]);
  fclose(file);
  tasks_free(tasks);
  for (char *line = text; *line;) {
    char *end = strchr(line, '\n');
    *end = '\0';
    ok &= CHECK(tasks_read(tasks, line));
    line = end + 1;
  }
  free(text);
  return ok;
}

// Interrupted behind every few histories, the exploration finds as many.
static bool interrupted_agrees(const struct program *program, enum level level,
                               enum algorithm algorithm, int histories) {
  struct explore_result r;
  int left;
  struct explore_options o = {.level = level, .algorithm = algorithm};
  struct tasks tasks = {0};
  bool ok = explores(program, &o, &r);
  const uint64_t all = (uint64_t)found.n + repeated;
  tasks_add(&tasks, NULL, 0, CHOICE_NONE);
  o.leaf = take_some;
  o.context = &left;
  start_finding();
  while (ok && tasks.n) {
    left = histories;
    ok = explores_tasks(program, &o, &tasks) && rewrite(&tasks);
  }
  tasks_free(&tasks);
  return ok && CHECK((uint64_t)found.n + repeated == all) &&
         (algorithm == ALGORITHM_DFS ||
          (CHECK(!drop_repeated()) && same_sets()));
}

static struct random_program at_level(const struct random_program *p,
                                      enum level level) {
  struct random_program as = *p;
  for (int t = 0; t < p->ntxns; t++)
    as.txns[t].mysql = level == LEVEL_MYSQL_RR;
  return as;
}

// By schedules of statements and by commit orders with statements between the
// commits: the sets are the same.
static bool statements_agree(const struct random_program *program,
                             gsl_rng *random) {
  static const enum level both[] = {LEVEL_RC_STATEMENT, LEVEL_MYSQL_RR};
  const enum level level = both[gsl_rng_uniform_int(random, 2)];
  const struct random_program p = at_level(program, level);
  enum isolation levels[TXNS];
  for (int t = 0; t < TXNS; t++)
    levels[t] = axioms[level];
  brute_statements(&p, &found);
  brute_force(&p, &brute);
  if (brute.too_many || found.too_many)
    return true;
  judge(&p, levels);
  sort(&brute);
  sort(&found);
  return CHECK(same_sets());
}

// The histories that brute force finds at the level, sorted; false: too many.
static bool find_brute(const struct random_program *p, enum level level) {
  const bool statements =
      level == LEVEL_RC_STATEMENT || level == LEVEL_MYSQL_RR;
  enum isolation levels[TXNS];
  for (int t = 0; t < TXNS; t++)
    levels[t] = axioms[level];
  if (statements)
    brute_statements(p, &brute);
  else
    brute_force(p, &brute);
  if (brute.too_many)
    return false;
  if (!statements)
    judge(p, levels);
  sort(&brute);
  return true;
}

static bool agrees_everywhere(const struct random_program *p, gsl_rng *random) {
  char *text = random_program_text(p, NULL);
  struct program program;
  bool ok = parses(text, &program);
  for (enum level level = LEVEL_RC; ok && level < LEVEL_COUNT; level++) {
    const struct random_program at = at_level(p, level);
    ok =
        level_is_internal(level) || !find_brute(&at, level) ||
        (agrees(&program, level, &at, random) && tasks_agree(&program, level) &&
         interrupted_agrees(&program, level,
                            level == LEVEL_SI ? ALGORITHM_DFS : ALGORITHM_CE,
                            1 + (int)gsl_rng_uniform_int(random, 3)));
  }
  if (!ok)
    printf("# the program:\n%s", text);
  program_free(&program);
  free(text);
  return ok;
}

// Each session at a level of its own.
static bool agrees_mixed(const struct random_program *drawn_program,
                         gsl_rng *random) {
  static const enum level choice[] = {
      LEVEL_RC, LEVEL_RC_STATEMENT, LEVEL_MYSQL_RR, LEVEL_RA,
      LEVEL_CC, LEVEL_PC,           LEVEL_SI,       LEVEL_SER};
  struct random_program copy = *drawn_program, *p = &copy;
  const char *names[TXNS];
  enum isolation levels[TXNS];
  enum level drawn[TXNS];
  for (int s = 0; s < p->nsessions; s++) {
    drawn[s] = choice[gsl_rng_uniform_int(random, 8)];
    names[s] = level_name(drawn[s]);
  }
  for (int t = 0; t < p->ntxns; t++) {
    levels[t] = axioms[drawn[p->txns[t].session]];
    p->txns[t].mysql = drawn[p->txns[t].session] == LEVEL_MYSQL_RR;
  }
  brute_force(p, &brute);
  if (brute.too_many)
    return true;
  judge(p, levels);
  sort(&brute);
  char *text = random_program_text(p, names);
  struct program program;
  const bool ok =
      parses(text, &program) && agrees(&program, LEVEL_CC, p, random);
  if (!ok)
    printf("# the program:\n%s", text);
  program_free(&program);
  free(text);
  return ok;
}

static void on_random_programs(unsigned n, uint64_t seed, bool locks,
                               bool (*ok)(const struct random_program *p,
                                          gsl_rng *random)) {
  for (uint32_t i = 0; i < tap_inputs(n, 500); i++) {
    gsl_rng *random = random_stream(seed, i, RANDOM_TEST);
    struct random_program p;
    random_program(random, locks, &p);
    const bool agreed = ok(&p, random);
    gsl_rng_free(random);
    if (!agreed)
      return;
  }
}

static void levels(void) {
  on_random_programs(600, 1, false, agrees_everywhere);
}
static void statements(void) {
  on_random_programs(200, 6, true, statements_agree);
}
static void locks(void) { on_random_programs(300, 2, true, agrees_everywhere); }
static void mixes(void) { on_random_programs(800, 3, false, agrees_mixed); }
static void mixes_of_locks(void) {
  on_random_programs(300, 4, true, agrees_mixed);
}

// ---- Errors are found

swap_function __real_swap_next, __wrap_swap_next;

static swap_function *swaps = __real_swap_next;

// The linker puts it in the place of swap_next.
bool __wrap_swap_next(const struct partial *from, uint32_t *r,
                      struct partial *to, struct partial *scratch,
                      struct program_read *swapped) {
  return swaps(from, r, to, scratch, swapped);
}

static bool is_caught(enum level level, uint32_t seed) {
  struct random_program p;
  struct explore_result r;
  const struct explore_options o = {.level = level};
  gsl_rng *random = random_stream(5, seed, RANDOM_TEST);
  random_program(random, false, &p);
  gsl_rng_free(random);
  char *text = random_program_text(&p, NULL);
  struct program program;
  const bool differs = parses(text, &program) && find_brute(&p, level) &&
                       explores(&program, &o, &r) &&
                       (drop_repeated() || !same_sets() || r.blocked);
  program_free(&program);
  free(text);
  return differs;
}

static void catches(swap_function *wrong) {
  uint32_t caught = 0, i = 0;
  swaps = wrong;
  for (; i < 4000 && !caught; i++)
    for (enum level level = LEVEL_RC; level <= LEVEL_CC; level++)
      caught += !level_is_internal(level) && !level_is_scheduled(level) &&
                is_caught(level, i);
  swaps = __real_swap_next;
  printf("# caught at program %u\n", i);
  CHECK(caught);
}

static void printed(void) { catches(swap_next_as_printed); }
static void far(void) { catches(swap_next_without_far); }
static void consistency(void) { catches(swap_next_untested); }

int main(void) {
  return TAP_RUN({"every level has its histories", levels},
                 {"reads for update", locks},
                 {"two ways to say rc-statement and mysql-rr", statements},
                 {"mixes of levels", mixes},
                 {"mixes of levels, reads for update", mixes_of_locks},
                 {"the condition as printed is caught", printed},
                 {"a missing test of far reads is caught", far},
                 {"a missing test of consistency is caught", consistency});
}
