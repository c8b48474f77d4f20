// SPDX-License-Identifier: GPL-3.0-or-later
// Each model against its promise, stated once more in the plainest way, on
// random logs of a few operations.
#include "config.h"

#include "base/memory.h"
#include "models/models.h"
#include "tests/tap.h"

#include <unistd.h>

enum { LOGS = 3000, OPS_MAX = 12, ELEMENTS = 4 };

static uint64_t state;

static uint32_t draw(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % below;
}

// An operation of a random log.
struct made {
  const char *f;
  uint32_t process;
  enum outcome outcome;
  uint64_t invoked, completed; // LOG_NEVER
  int amount;                  // of an addition or write
  unsigned seen;               // by a read: bits of elements
  int number;                  // that a read saw
};

struct made_log {
  struct made ops[OPS_MAX];
  uint32_t count;
  char path[64];
};

enum kind { SETS, NUMBERS, GROUPS, LOCKS };

static void put_value(FILE *file, enum kind kind, const struct made *op,
                      bool invocation) {
  if (strcmp(op->f, "read") != 0) {
    fprintf(file, "%d", op->amount);
  } else if (kind == GROUPS) {
    fputc('[', file);
    for (int i = 0; i < ELEMENTS; i++)
      fprintf(file, "[:r %d %s]", i,
              !invocation && op->seen >> i & 1 ? "1" : "nil");
    fputc(']', file);
  } else if (invocation) {
    fputs("nil", file);
  } else if (kind == NUMBERS) {
    fprintf(file, "%d", op->number);
  } else {
    fputs("#{", file);
    for (int i = 0; i < ELEMENTS; i++)
      if (op->seen >> i & 1)
        fprintf(file, "%d ", i);
    fputc('}', file);
  }
}

// Reads of a group mostly see its keys in one order.
static unsigned draw_seen(enum kind kind) {
  const unsigned any = draw(1 << ELEMENTS);
  return kind == GROUPS && draw(6) ? (1u << draw(ELEMENTS + 1)) - 1 : any;
}

// Each process has one operation open at a time, and a new name after one whose
// outcome nobody knows.
static void make(struct made_log *log, enum kind kind, const char *change) {
  static const char *const types[] = {[OUTCOME_OK] = "ok",
                                      [OUTCOME_ABORTED] = "fail",
                                      [OUTCOME_UNKNOWN] = "info"};
  struct made *open[3] = {NULL};
  uint32_t names[3] = {0, 1, 2};
  uint64_t events = 0;
  snprintf(log->path, sizeof log->path, "/tmp/isostress-log-XXXXXX");
  const int fd = mkstemp(log->path);
  FILE *file = fdopen(fd, "w");
  int element = 0;
  log->count = 0;
  for (uint32_t step = 0; step < 2 * OPS_MAX; step++) {
    const uint32_t p = draw(3);
    struct made *op = open[p];
    if (!op && log->count == OPS_MAX)
      continue;
    if (!op) {
      op = open[p] = &log->ops[log->count++];
      const bool write = draw(2) && (kind != SETS || element < ELEMENTS);
      *op = (struct made){.f = write           ? change
                               : kind == LOCKS ? "release"
                                               : "read",
                          .process = names[p],
                          .outcome = OUTCOME_UNKNOWN,
                          .invoked = ++events,
                          .completed = LOG_NEVER,
                          .amount =
                              kind == SETS && write ? element++ : (int)draw(3),
                          .seen = draw_seen(kind),
                          .number = (int)draw(6)};
      fprintf(file, "{:type :invoke :f :%s :process %u :value ", op->f,
              op->process);
      put_value(file, kind, op, true);
    } else {
      open[p] = NULL;
      const uint32_t die = draw(8);
      op->outcome = die == 0   ? OUTCOME_UNKNOWN
                    : die == 1 ? OUTCOME_ABORTED
                               : OUTCOME_OK;
      events++;
      if (op->outcome == OUTCOME_UNKNOWN)
        names[p] += 3;
      else
        op->completed = events;
      fprintf(file, "{:type :%s :f :%s :process %u :value ", types[op->outcome],
              op->f, op->process);
      put_value(file, kind, op, op->outcome != OUTCOME_OK);
    }
    fputs("}\n", file);
  }
  fclose(file);
}

static bool is_read(const struct made *op) {
  return op->outcome == OUTCOME_OK && !strcmp(op->f, "read");
}

static enum verdict_kind asked(const char *name, const struct made_log *made) {
  int64_t options[LOG_MODEL_OPTIONS];
  struct model_answer answer = {.kind = VERDICT_PASS};
  struct error error = {.text = ""};
  struct log log;
  const struct log_model *model = log_model_find(name, options, &error);
  CHECK(model && !log_read(&log, made->path, NULL, &error) &&
        !model->check(&log, options, &answer, &error));
  if (error.text[0])
    printf("# %s\n", error.text);
  CHECK((answer.kind == VERDICT_VIOLATION) == (answer.broken > 0));
  CHECK(answer.kind != VERDICT_VIOLATION || answer.nshown > 0);
  model_answer_free(&answer);
  log_free(&log);
  return answer.kind;
}

typedef bool is_broken(const struct made_log *log);

// The model breaks exactly where its plain statement does.
static void agree(const char *name, enum kind kind, const char *change,
                  is_broken *broken) {
  uint32_t differ = 0, violations = 0;
  state = 1;
  for (int i = 0; i < LOGS; i++) {
    struct made_log log;
    make(&log, kind, change);
    const bool wanted = broken(&log);
    differ += wanted != (asked(name, &log) == VERDICT_VIOLATION);
    violations += wanted;
    unlink(log.path);
  }
  CHECK_INT(differ, 0);
  CHECK(violations > LOGS / 50 && violations < LOGS - LOGS / 50);
}

static bool counter_breaks(const struct made_log *log) {
  for (uint32_t r = 0; r < log->count; r++) {
    int low = 0, high = 0;
    if (!is_read(&log->ops[r]))
      continue;
    for (uint32_t i = 0; i < log->count; i++) {
      const struct made *op = &log->ops[i];
      if (strcmp(op->f, "add") || op->outcome == OUTCOME_ABORTED)
        continue;
      if (op->outcome == OUTCOME_OK && op->completed < log->ops[r].invoked)
        low += op->amount;
      if (op->invoked < log->ops[r].completed)
        high += op->amount;
    }
    if (log->ops[r].number < low || log->ops[r].number > high)
      return true;
  }
  return false;
}

static bool long_fork_breaks(const struct made_log *log) {
  for (uint32_t a = 0; a < log->count; a++)
    for (uint32_t b = 0; b < a; b++) {
      const unsigned x = log->ops[a].seen, y = log->ops[b].seen;
      if (is_read(&log->ops[a]) && is_read(&log->ops[b]) && x & ~y && y & ~x)
        return true;
    }
  return false;
}

static bool monotonic_breaks(const struct made_log *log) {
  for (uint32_t a = 0; a < log->count; a++)
    for (uint32_t b = 0; b < log->count; b++)
      if (is_read(&log->ops[a]) && is_read(&log->ops[b]) &&
          log->ops[a].process == log->ops[b].process &&
          log->ops[a].completed < log->ops[b].invoked &&
          log->ops[a].number > log->ops[b].number)
        return true;
  return false;
}

static bool real_time_breaks(const struct made_log *log) {
  for (uint32_t a = 0; a < log->count; a++)
    for (uint32_t b = 0; b < log->count; b++)
      if (is_read(&log->ops[a]) && is_read(&log->ops[b]) &&
          log->ops[a].completed < log->ops[b].invoked &&
          log->ops[a].number > log->ops[b].number)
        return true;
  return false;
}

static const struct made *writer_of(const struct made_log *log, int element) {
  for (uint32_t i = 0; i < log->count; i++)
    if (strcmp(log->ops[i].f, "read") && log->ops[i].amount == element)
      return &log->ops[i];
  return NULL;
}

// As Jepsen's checker has it: for each write that a read saw, all writes that
// had succeeded before it was invoked.
static bool comments_break(const struct made_log *log) {
  for (uint32_t r = 0; r < log->count; r++)
    for (int e = 0; is_read(&log->ops[r]) && e < ELEMENTS; e++) {
      const struct made *seen = writer_of(log, e);
      if (!seen || !(log->ops[r].seen >> e & 1))
        continue;
      for (uint32_t i = 0; i < log->count; i++)
        if (!strcmp(log->ops[i].f, "write") &&
            log->ops[i].outcome == OUTCOME_OK &&
            log->ops[i].completed < seen->invoked &&
            !(log->ops[r].seen >> log->ops[i].amount & 1))
          return true;
    }
  return false;
}

// No read may see what nobody tried to add, or what certainly failed.
static bool sees_wrong(const struct made_log *log, const struct made *read) {
  for (int e = 0; e < ELEMENTS; e++) {
    const struct made *add = writer_of(log, e);
    if (read->seen >> e & 1 && (!add || add->outcome == OUTCOME_ABORTED))
      return true;
  }
  return false;
}

static bool set_breaks(const struct made_log *log) {
  const struct made *last = NULL;
  for (uint32_t i = 0; i < log->count; i++)
    if (is_read(&log->ops[i]))
      last = &log->ops[i];
  if (!last)
    return false;
  for (int e = 0; e < ELEMENTS; e++) {
    const struct made *add = writer_of(log, e);
    if (add && add->outcome == OUTCOME_OK && add->completed < last->invoked &&
        !(last->seen >> e & 1))
      return true;
  }
  return sees_wrong(log, last);
}

// The instant from which an element is known; 0: never.
static uint64_t known_from(const struct made_log *log, int e) {
  const struct made *add = writer_of(log, e);
  uint64_t known = add && add->outcome == OUTCOME_OK ? add->completed : 0;
  for (uint32_t i = 0; i < log->count; i++)
    if (is_read(&log->ops[i]) && log->ops[i].seen >> e & 1 &&
        (!known || log->ops[i].completed < known))
      known = log->ops[i].completed;
  return known;
}

static bool set_full_breaks(const struct made_log *log) {
  for (uint32_t r = 0; r < log->count; r++)
    if (is_read(&log->ops[r]) && sees_wrong(log, &log->ops[r]))
      return true;
  for (int e = 0; e < ELEMENTS; e++) {
    const uint64_t known = known_from(log, e);
    uint64_t present = 0, absent = 0;
    for (uint32_t r = 0; r < log->count; r++) {
      if (!is_read(&log->ops[r]))
        continue;
      uint64_t *const at = log->ops[r].seen >> e & 1 ? &present : &absent;
      if (log->ops[r].invoked > *at)
        *at = log->ops[r].invoked;
    }
    if (writer_of(log, e) && known && known < absent && present < absent)
      return true;
  }
  return false;
}

// Is there an order of effects from here on, where these took effect?
static bool lock_goes_on(const struct made_log *log, unsigned effects,
                         bool held, bool *seen) {
  bool all = true;
  if (seen[effects])
    return false;
  seen[effects] = true;
  for (uint32_t i = 0; i < log->count; i++)
    all &= effects >> i & 1 || log->ops[i].outcome != OUTCOME_OK;
  for (uint32_t i = 0; i < log->count && !all; i++) {
    const struct made *op = &log->ops[i];
    bool may = !(effects >> i & 1) && op->outcome != OUTCOME_ABORTED &&
               held == !strcmp(op->f, "release");
    for (uint32_t j = 0; j < log->count; j++)
      may &= effects >> j & 1 || log->ops[j].outcome != OUTCOME_OK ||
             log->ops[j].completed > op->invoked;
    if (may && lock_goes_on(log, effects | 1U << i, !held, seen))
      return true;
  }
  return all;
}

static bool lock_breaks(const struct made_log *log) {
  bool seen[1 << OPS_MAX] = {false};
  return !lock_goes_on(log, 0, false, seen);
}

static void a_counter_is_between_its_bounds(void) {
  agree("counter", NUMBERS, "add", counter_breaks);
}
static void reads_of_a_group_agree(void) {
  agree("long-fork", GROUPS, "write", long_fork_breaks);
}
static void a_number_does_not_fall(void) {
  agree("monotonic", NUMBERS, "write", monotonic_breaks);
  agree("monotonic?realtime=1", NUMBERS, "write", real_time_breaks);
}
static void comments_come_in_order(void) {
  agree("comments", SETS, "write", comments_break);
}
static void a_last_read_sees_all_elements(void) {
  agree("set", SETS, "add", set_breaks);
}
static void elements_stay(void) {
  agree("set-full", SETS, "add", set_full_breaks);
}
static void a_lock_is_held_once(void) {
  agree("mutex", LOCKS, "acquire", lock_breaks);
}

int main(void) {
  return TAP_RUN(
      {"a counter is between its bounds", a_counter_is_between_its_bounds},
      {"reads of a group of keys agree", reads_of_a_group_agree},
      {"a number does not fall", a_number_does_not_fall},
      {"comments come in order", comments_come_in_order},
      {"a last read sees all elements", a_last_read_sees_all_elements},
      {"elements stay in the set", elements_stay},
      {"a lock is held once", a_lock_is_held_once});
}
