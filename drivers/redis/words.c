// SPDX-License-Identifier: GPL-3.0-or-later
// The words about Redis (drivers/words.h), and what is typed into redis-cli.
#include "config.h"

#include "drivers/words.h"

#include <stddef.h>

// redis-cli knows no comments.  One on a line of its own is only complained of.
static const struct shell_commands redis_cli = {
    .comment = "#",
    .comments_apart = true,
    .preload = "SET " SHELL_SCHEMA ":%k 0",
    .list_preload = "DEL " SHELL_SCHEMA ":%k",
    .last_key = "GET " SHELL_SCHEMA ":%k",
    .list_last_key = "LRANGE " SHELL_SCHEMA ":%k 0 -1",
    .drop_key = "DEL " SHELL_SCHEMA ":%k",
    .read = "GET " SHELL_SCHEMA ":%k",
    .read_list = "LRANGE " SHELL_SCHEMA ":%k 0 -1",
    .write = "SET " SHELL_SCHEMA ":%k %v",
    .append = "RPUSH " SHELL_SCHEMA ":%k %v",
    .cas = "SET " SHELL_SCHEMA ":%k %v",
    .commit = "EXEC",
    .rollback = "UNWATCH",
    .queue = "MULTI",
    .guarded_level = "watch",
    .guard = "WATCH " SHELL_SCHEMA ":%k",
};

static const struct level_words redis_levels[] = {
    {"multi", "reads, then the writes between \fMULTI\f and "
              "\fEXEC\f, without \fWATCH\f"},
    {"watch", "\fWATCH\f before each read"},
    {"script", "a transaction is a Lua script"},
    {0},
};

const struct driver_words redis_words = {
    .driver = "redis",
    .scheme = "redis",
    .name = "Redis",
    .fork = "Valkey",
    .manual = REDIS_MANUAL,
    .has_keys = true,
    .levels = redis_levels,
    .shell = "redis-cli",
    .commands = &redis_cli,
};

const struct driver_words redis_lua_words = {
    .driver = "redis+lua",
    .scheme = "redis+lua",
    .name = "Redis",
    .fork = "Valkey",
    .manual = REDIS_LUA_MANUAL,
    .has_keys = true,
    .levels = redis_levels,
};
