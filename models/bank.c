// SPDX-License-Identifier: GPL-3.0-or-later
// Jepsen's bank: transfers between accounts keep the sum of all balances, and
// no balance falls below zero.
//
//   {:type :ok, :f :transfer, :process 0, :value {:from 1, :to 0, :amount 5}}
//   {:type :ok, :f :read, :process 1, :value {0 95, 1 5}}
#include "config.h"

#include "models/models.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TOTAL, NEGATIVE };

// The balances that one read saw.
struct balances {
  uint64_t accounts;
  __int128 sum;
  int64_t lowest;
  bool unknown; // an account that the first read did not see
  bool nothing; // a balance that is nil
};

struct bank {
  const struct log *log;
  struct value_numbers accounts; // those of the first read have low numbers
  bool *known;                   // by account
  uint32_t nknown, first;        // the first read
  __int128 total;
};

static bool is_map(const struct log *log, log_id value) {
  return log_value(log, value)->kind == LOG_MAP;
}

static int add_up(struct bank *bank, const struct log_op *op,
                  struct balances *b, struct error *error) {
  const struct log *log = bank->log;
  const struct log_value *map = log_value(log, log_op_value(op));
  *b = (struct balances){.lowest = INT64_MAX};
  if (map->kind != LOG_MAP)
    return model_refuse(op, "a map of accounts and balances, such as {0 10}",
                        error);
  for (log_id key = map->first; key;) {
    const struct log_value *balance = log_value(log, log_value(log, key)->next);
    const uint32_t account = value_number(&bank->accounts, log, key);
    b->unknown |= account >= bank->nknown || !bank->known[account];
    b->accounts++;
    if (balance->kind == LOG_NIL) {
      b->nothing = true;
    } else if (balance->kind == LOG_INTEGER) {
      b->sum += balance->integer;
      b->lowest = balance->integer < b->lowest ? balance->integer : b->lowest;
    } else
      return model_refuse(op, "balances that are whole numbers", error);
    key = balance->next;
  }
  return 0;
}

// The first read says which accounts there are, and what they hold together.
static int learn_accounts(struct bank *bank, uint32_t op, struct error *error) {
  const struct log *log = bank->log;
  const struct log_value *map = log_value(log, log_op_value(&log->ops[op]));
  struct balances b;
  if (add_up(bank, &log->ops[op], &b, error))
    return -1;
  bank->first = op;
  bank->total = b.sum;
  bank->nknown = value_numbers_end(&bank->accounts);
  bank->known = xcalloc(bank->nknown, sizeof *bank->known);
  for (log_id key = map->first; key;
       key = log_value(log, log_value(log, key)->next)->next)
    bank->known[value_number(&bank->accounts, log, key)] = true;
  return 0;
}

static void judge_balances(const struct bank *bank, uint32_t op,
                           const struct balances *b, const int64_t *options,
                           struct model_answer *answer) {
  const bool given = options[TOTAL] != OPTION_NOT_GIVEN;
  bool first = false;
  if (b->unknown)
    first = model_break(answer, "UnknownAccount",
                        "A read saw an account that the first read did not.");
  else if (b->nothing)
    first = model_break(answer, "NoBalance",
                        "A read saw an account without a balance.");
  else if (b->sum != bank->total)
    first =
        model_break(answer, "WrongTotal",
                    "A read saw %" PRId64 " in all accounts; %s %" PRId64 ".",
                    (int64_t)b->sum,
                    given ? "there is a total of"
                          : "transfers keep their sum, and the first read saw",
                    (int64_t)bank->total);
  else if (b->accounts && b->lowest < 0 && options[NEGATIVE] != 1)
    first = model_break(answer, "NegativeBalance",
                        "A read saw a balance of %" PRId64
                        "; no account may fall below zero.",
                        b->lowest);
  if (first && !given && (b->unknown || b->sum != bank->total))
    model_show(bank->log, answer, bank->first);
  if (first)
    model_show(bank->log, answer, op);
}

static int check_reads(struct bank *bank, const int64_t *options,
                       struct model_answer *answer, struct error *error) {
  const struct log *log = bank->log;
  struct balances b;
  for (uint32_t i = 0; i < log->nops; i++) {
    const struct log_op *op = &log->ops[i];
    if (op->outcome != OUTCOME_OK || !log_op_is(log, op, "read"))
      continue;
    if (!bank->known && learn_accounts(bank, i, error))
      return -1;
    if (options[TOTAL] != OPTION_NOT_GIVEN)
      bank->total = options[TOTAL];
    if (add_up(bank, op, &b, error))
      return -1;
    judge_balances(bank, i, &b, options, answer);
    answer->checked++;
  }
  return 0;
}

static int hold_bank(const struct log *log, const int64_t *options,
                     struct model_answer *answer, struct error *error) {
  struct bank bank = {.log = log};
  const int status = check_reads(&bank, options, answer, error);
  if (!answer->checked)
    model_leave_open(answer, "No read of the accounts succeeded.");
  value_numbers_free(&bank.accounts);
  free(bank.known);
  return status;
}

const struct log_model model_bank = {
    .name = "bank",
    .summary = "transfers keep the sum of all accounts, and no balance falls "
               "below zero",
    .options = {[TOTAL] = {"total", "the sum; else that of the first read"},
                [NEGATIVE] = {"negative", "1: balances may be below zero"}},
    .functions = {"read", "transfer"},
    .reads = is_map,
    .check = hold_bank};
