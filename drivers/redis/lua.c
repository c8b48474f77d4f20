// SPDX-License-Identifier: GPL-3.0-or-later
// Redis by scripts: a transaction is one call of a script in Lua that executes
// the whole plan.  Redis runs one script at a time and nothing beside it.
#include "config.h"

#include "drivers/driver.h"
#include "drivers/redis/codes.h"
#include "drivers/redis/exec.h"
#include "drivers/redis/keeps.h"
#include "drivers/redis/session.h"
#include "drivers/redis/target.h"

#include "base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

extern const struct driver redis_lua_driver;

static const struct driver_level levels[] = {{"script", ISOLATION_SSER}, {0}};

// Operation i is about KEYS[i]; its kind, the value it writes and the value
// that it expects stand in ARGV, the last as a number or, if an earlier
// operation of the plan is to read it, as # and that operation's number.  What
// a script has written before a command fails stays written.
static const char script[] =
    "local out, got, wrote, going = {}, {}, 0, true\n"
    "for i = 1, #KEYS do\n"
    "  local kind, value, expected ="
    "    ARGV[3 * i - 2], ARGV[3 * i - 1], ARGV[3 * i]\n"
    "  local reply\n"
    "  if kind == 'append' and going then\n"
    "    reply = redis.pcall('RPUSH', KEYS[i], value)\n"
    "  elseif kind == 'append' or kind == 'list' then\n"
    "    reply = redis.pcall('LRANGE', KEYS[i], 0, -1)\n"
    "  elseif kind == 'write' and going then\n"
    "    reply = redis.pcall('SET', KEYS[i], value)\n"
    "  else\n"
    "    reply = redis.pcall('GET', KEYS[i]) or '0'\n"
    "    if kind == 'cas' then\n"
    "      local earlier = string.match(expected, '^#(%d+)$')\n"
    "      if earlier then expected = got[tonumber(earlier)] end\n"
    "      going = going and reply == expected\n"
    "      if going then reply = redis.pcall('SET', KEYS[i], value) end\n"
    "    end\n"
    "  end\n"
    "  if type(reply) == 'table' and reply.err then\n"
    "    return {'failed', wrote, reply.err}\n"
    "  end\n"
    "  got[i] = reply\n"
    "  if type(reply) == 'number' or (type(reply) == 'table' and reply.ok) "
    "then\n"
    "    wrote = wrote + 1\n"
    "    reply = 1\n"
    "  end\n"
    "  out[i] = reply\n"
    "end\n"
    "return {'done', out}\n";

// ---- Sending

static const char *lua_kind_of(const struct operation *op) {
  switch (op->kind) {
  case OP_READ:
    return "read";
  case OP_WRITE:
    return "write";
  case OP_CAS:
    return "cas";
  case OP_READ_LIST:
    return "list";
  default:
    assert(op->kind == OP_APPEND);
    return "append";
  }
}

static const char *lua_number_in(struct arena *arena, uint64_t number) {
  return arena_printf(arena, "%llu", (unsigned long long)number);
}

static const char *expected_by(struct arena *arena, const struct plan *plan,
                               const struct operation *op) {
  if (op->kind != OP_CAS || op->expect == EXPECT_ABSENT)
    return "0";
  const uint32_t earlier = (uint32_t)op->expect;
  return earlier < plan->first
             ? lua_number_in(arena, plan->ops[earlier].value)
             : arena_printf(arena, "#%u", earlier - plan->first + 1);
}

// Calls the script by its name, or as a whole.
static redisReply *call_loaded_script(struct redis_session *session,
                                      const struct plan *plan,
                                      const char *command, const char *what) {
  enum { BEFORE = 3 };
  struct arena arena = {0};
  const uint32_t n = plan->nops - plan->first;
  const int nwords = BEFORE + 4 * (int)n;
  const char **words = arena_take(&arena, (size_t)nwords * sizeof *words);
  words[0] = command;
  words[1] = what;
  words[2] = lua_number_in(&arena, n);
  const char **argument = words + BEFORE + n;
  for (uint32_t i = 0; i < n; i++) {
    const struct operation *op = &plan->ops[plan->first + i];
    words[BEFORE + i] = arena_printf(&arena, "%s%llu", redis_prefix(session),
                                     (unsigned long long)op->key);
    *argument++ = lua_kind_of(op);
    *argument++ = lua_number_in(&arena, op->value);
    *argument++ = expected_by(&arena, plan, op);
  }
  redisReply *reply = redisCommandArgv(session->redis, nwords, words, NULL);
  arena_free(&arena);
  return reply;
}

// A server that does not know the script any more has done nothing.
static redisReply *call_script(struct redis_session *session,
                               const struct plan *plan) {
  redisReply *reply =
      call_loaded_script(session, plan, "EVALSHA", session->script);
  if (!reply || reply->type != REDIS_REPLY_ERROR ||
      strncmp(reply->str, "NOSCRIPT", 8))
    return reply;
  freeReplyObject(reply);
  return call_loaded_script(session, plan, "EVAL", script);
}

// ---- Answers

static bool take_list(const redisReply *reply, struct value_list *list) {
  for (size_t i = 0; i < reply->elements; i++) {
    uint64_t value;
    if (!redis_number(reply->element[i], &value))
      return false;
    value_list_push(list, value);
  }
  return true;
}

// A write that comes back with what is there did not take place.
static bool take_lua_operation(struct operation *op, const redisReply *reply,
                               struct value_list *list) {
  if (reply->type == REDIS_REPLY_INTEGER)
    return op_writes(op->kind);
  if (op_writes(op->kind))
    op->kind = op_is_list(op->kind) ? OP_READ_LIST : OP_READ;
  if (op_is_list(op->kind))
    return reply->type == REDIS_REPLY_ARRAY && take_list(reply, list);
  return redis_number(reply, &op->value);
}

static bool take_lua_operations(struct plan *plan, const redisReply *out,
                                struct value_list *lists) {
  bool valid = out->type == REDIS_REPLY_ARRAY &&
               out->elements == plan->nops - plan->first;
  for (uint32_t i = plan->first; valid && i < plan->nops; i++)
    valid = take_lua_operation(&plan->ops[i], out->element[i - plan->first],
                               &lists[i]);
  return valid;
}

static bool lua_plan_writes(const struct plan *plan) {
  for (uint32_t i = plan->first; i < plan->nops; i++)
    if (op_writes(plan->ops[i].kind))
      return true;
  return false;
}

// A command failed after so many writes, which stay.
static enum outcome note_failed(struct redis_session *session,
                                const redisReply *reply) {
  const long long wrote = reply->element[1]->integer;
  const enum outcome outcome = redis_failed_as(session, reply->element[2]->str);
  if (!wrote)
    return outcome;
  const struct connection why = session->base;
  return redis_refused(session, OUTCOME_UNKNOWN, why.code,
                       "%lld writes of the script took effect before it "
                       "failed: %.120s",
                       wrote, why.text);
}

static bool reply_says(const redisReply *reply, size_t elements,
                       const char *word) {
  return reply->type == REDIS_REPLY_ARRAY && reply->elements == elements &&
         reply->element[0]->str && !strcmp(reply->element[0]->str, word);
}

static enum outcome take_reply(struct redis_session *session, struct plan *plan,
                               const redisReply *reply,
                               struct value_list *lists) {
  const bool wrote = lua_plan_writes(plan);
  if (!reply || reply->type == REDIS_REPLY_ERROR) {
    redis_failed(session, reply);
    const enum outcome outcome =
        reply ? redis_code(redis_reason(reply->str))->from_exec
              : OUTCOME_UNKNOWN;
    return wrote ? outcome : OUTCOME_ABORTED;
  }
  if (reply_says(reply, 3, "failed"))
    return note_failed(session, reply);
  if (reply_says(reply, 2, "done") &&
      take_lua_operations(plan, reply->element[1], lists))
    return OUTCOME_OK;
  return redis_refused(session, wrote ? OUTCOME_UNKNOWN : OUTCOME_ABORTED,
                       "script", "a key does not hold what was stored");
}

static enum outcome transact(struct connection *connection,
                             const struct driver_level *level,
                             struct plan *plan, struct value_list *lists) {
  struct redis_session *session = redis_session_of(connection);
  (void)level;
  redisReply *reply = call_script(session, plan);
  const enum outcome outcome = take_reply(session, plan, reply, lists);
  freeReplyObject(reply);
  return outcome;
}

// ---- Targets and connections

static int open_lua_target(const struct target_spec *spec,
                           struct target **target, struct error *error) {
  if (redis_open(spec, target, error))
    return -1;
  (*target)->driver = &redis_lua_driver;
  if (!redis_of(*target)->pipeline)
    return 0;
  redis_close(*target);
  return error_set_usage(error, "pipeline=yes is not for redis+lua, where a "
                                "transaction takes one round trip as it is");
}

static int open_session(struct target *target, uint32_t number,
                        struct connection **connection, struct error *error) {
  if (redis_open_session(target, number, connection, error))
    return -1;
  struct redis_session *session = redis_session_of(*connection);
  redisReply *reply = redisCommand(session->redis, "SCRIPT LOAD %s", script);
  const bool loaded = reply && reply->type == REDIS_REPLY_STRING &&
                      reply->len < sizeof session->script;
  if (loaded)
    memcpy(session->script, reply->str, reply->len + 1);
  else
    redis_say(redis_of(target), session->redis, reply, "cannot load a script",
              error);
  freeReplyObject(reply);
  if (!loaded)
    redis_close_session(*connection);
  return loaded ? 0 : -1;
}

const struct driver redis_lua_driver = {
    .abi = DRIVER_ABI,
    .name = "redis+lua",
    .summary = "a Redis server, by a script in Lua for each transaction",
    .example = "redis+lua://:password@localhost:6379/0",
    .options = redis_options,
    .levels = levels,
    .hosts = true,
    .open = open_lua_target,
    .close = redis_close,
    .setup = redis_setup,
    .follow = redis_follow,
    .clean = redis_clean,
    .describe = redis_describe,
    .keeps = redis_keeps,
    .connect = open_session,
    .disconnect = redis_close_session,
    .takes_writes = redis_takes_writes,
    .transacts = OP_ALL_KINDS,
    .transact = transact,
};
