// SPDX-License-Identifier: GPL-3.0-or-later
// A driver in processes of its own: what its parts share.
#ifndef DRIVERS_PIPE_PIPE_H
#define DRIVERS_PIPE_PIPE_H

#include "drivers/driver.h"
#include "drivers/pipe/hello.h"
#include "drivers/pipe/process.h"

enum { PIPE_IDLE = 64 }; // processes that wait for a session, at most

// One command as a driver.
struct pipe {
  struct driver base;
  struct pipe_command command;
  struct hello hello;
  char *text, *example, *summary;
  pthread_mutex_t mutex;           // guards the rest
  struct process *many;            // the one of all sessions; NULL: none
  uint64_t started;                // how often that one was started again
  struct process *idle[PIPE_IDLE]; // of ended sessions
  uint32_t nidle;
  uint64_t nsessions; // numbers of sessions, so that none is used twice
  uint64_t ntransactions;
  struct pipe *next;
};

struct pipe_target {
  struct target base;
  char *place;
  uint64_t started; // pipe->started, at its setup: later ones lack its values
  const struct tables *tables; // of the run's rows; or NULL
  enum effects effects;        // how those that change are known
  struct sql_rows_dialect dialect;
  int claim; // a socket whose name other runs on the place cannot have; -1
};

struct pipe_session {
  struct connection base;
  struct pipe *pipe;
  struct process *process;
  uint64_t number, transaction;
  enum isolation claimed; // by the level of the transaction
  struct request request;
  struct pipe_answer answer;
  struct sql_rows rows; // the statements that it has used
};

// Is nothing of this driver to be believed any more?  With a sentence.
static inline bool pipe_is_broken(struct pipe *pipe, struct error *error) {
  return pipe_is_discredited(&pipe->command, error);
}

static inline const struct pipe_target *
pipe_target_of(const struct pipe_session *session) {
  return (const struct pipe_target *)session->base.target;
}

static inline struct pipe *pipe_of(const struct target *target) {
  return (struct pipe *)(uintptr_t)target->driver;
}

// Starts a process and reads its hello.  NULL with a sentence.
struct process *pipe_greet(struct pipe *pipe, struct hello *hello,
                           struct error *error);

// Starts another process for all sessions; the mutex is held.  -1 with a
// sentence.
int pipe_start_again(struct pipe *pipe, struct error *error);

// Begins a request of the session.
void pipe_request(struct pipe_session *session, const char *verb);
// Sends it and waits: session->answer, or none.  What is said then of the
// connection is left to pipe_judge.
enum reply pipe_send(struct pipe_session *session, uint64_t patience);

// Says what an answer means, or that there was none; `ends` if the request was
// to commit.  Fills the connection's cause, code and text.
enum outcome pipe_judge(struct pipe_session *session, enum reply reply,
                        bool ends);
// Sends the request and judges its answer.
enum outcome pipe_call(struct pipe_session *session, bool ends);
// Sends and judges a request that no transaction rests on: -1 with a sentence.
int pipe_order(struct pipe_session *session, struct error *error);
// A value that is no number means that nothing is to be believed.
enum outcome pipe_no_number(struct pipe_session *session, const char *member);

int pipe_target_open(const struct target_spec *spec, struct target **target,
                     struct error *error);
void pipe_target_close(struct target *target);
enum target_over pipe_target_over(struct target *target, struct error *error);
int pipe_setup(struct target *target, const struct keyspace *keys,
               struct error *error);
void pipe_describe(struct target *target, char *text, size_t room);
int pipe_connect(struct target *target, uint32_t session,
                 struct connection **connection, struct error *error);
void pipe_disconnect(struct connection *connection);

// Fills the slots of transactions, as far as hello says that they are there.
void pipe_fill_verbs(struct pipe *pipe);
// The slots of a database with SQL, in the place of those of keys.
void pipe_fill_sql(struct pipe *pipe);

// ---- SQL

#define PIPE_SQL_BASE "isostress" // of tables of rows
#define PIPE_SQL_KEYS "isostress_kv"
#define PIPE_SQL_LISTS "isostress_list"

// Without and with a SELECT of its own to know what a statement does.
extern const struct driver_option pipe_sql_options[2][2];
// Reads the option `instrument`.  -1 with a sentence.
int pipe_sql_read(const struct hello *hello, struct pipe_target *target,
                  const char *instrument, struct error *error);

// Executes a text with such parameters; session->answer has what it returned.
enum outcome pipe_sql(struct pipe_session *session, const char *sql,
                      const int64_t *values, uint32_t nvalues);
// How many rows it changed.
uint64_t pipe_sql_count(const struct pipe_session *session);
enum outcome pipe_sql_step(struct connection *connection, const char *statement,
                           char *rows, size_t room);
// Makes the tables of a run.  -1 with a sentence.
int pipe_sql_setup(struct pipe_session *session, const struct keyspace *keys,
                   struct error *error);

#endif
