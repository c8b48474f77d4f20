// SPDX-License-Identifier: GPL-3.0-or-later
// The writes of a transaction on Redis, which are kept until they are sent
// between MULTI and EXEC, and what the answers mean.
#ifndef DRIVERS_REDIS_EXEC_H
#define DRIVERS_REDIS_EXEC_H

#include "drivers/redis/session.h"

// Notes a reason of our own, with the connection still fine; returns `outcome`.
enum outcome redis_refused(struct redis_session *session, enum outcome outcome,
                           const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

void redis_keep_write(struct redis_session *session, uint64_t key,
                      uint64_t value, bool append);

// The last value that the transaction is going to write, if any.
bool redis_own_value(struct redis_session *session, uint64_t key,
                     uint64_t *value);
// Adds the elements that the first `nwrites` writes are going to append.
void redis_own_elements(struct redis_session *session, uint64_t key,
                        uint32_t nwrites, struct value_list *list);

// Queues WATCH, if the level does that, and the command that reads a key.
void redis_send_read(struct redis_session *session, const char *command,
                     uint64_t key, const char *from, const char *to);

// The answer to such a read; NULL if it failed, which is then noted.
redisReply *redis_take_read(struct redis_session *session);

// The register, or the list, that a read returned; false if the key holds
// something else, which is then noted.
bool redis_take_value(struct redis_session *session, const redisReply *reply,
                      uint64_t key, uint64_t *value);
bool redis_take_list(struct redis_session *session, const redisReply *reply,
                     uint64_t key, struct value_list *list);

// Ends the watch of a transaction that will not be executed, and keeps what was
// noted about it; a connection that does not let that happen is broken. Returns
// OUTCOME_ABORTED.
enum outcome redis_unwatch(struct redis_session *session);

// Queues MULTI, the writes and EXEC.
void redis_send_exec(struct redis_session *session);

// Waits for the answers, and says what became of the transaction.
enum outcome redis_take_exec(struct redis_session *session);

// Notes the loss of the connection after EXEC was sent, and returns the outcome
// of the transaction.
enum outcome redis_lost_exec(struct redis_session *session);

#endif
