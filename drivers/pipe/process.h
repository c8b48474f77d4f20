// SPDX-License-Identifier: GPL-3.0-or-later
// One process of a driver's command, which many sessions may ask at once: one
// line a request, one line an answer, matched by an id.
#ifndef DRIVERS_PIPE_PROCESS_H
#define DRIVERS_PIPE_PROCESS_H

#include "drivers/pipe/answer.h"
#include "drivers/pipe/command.h"
#include "drivers/pipe/request.h"

#include <sys/types.h>

struct waiter;

struct process {
  struct pipe_command *command;
  pid_t pid;   // its process group is its own: Control-C is for isostress
  pid_t guard; // in its group: ends the group when isostress has ended
  int watched; // by the guard: is closed when isostress has ended
  int to, from;
  int chatter, hush; // its stderr, which a thread reads until `hush` has events
  pthread_t listener;
  struct process *before;  // that had its place and has ended; NULL: none
  pthread_mutex_t writing; // held while a line is written
  pthread_mutex_t mutex;   // guards what follows
  bool greeted;            // it has answered hello
  bool dead;               // no answer will come any more
  bool reading;  // one of those who wait reads for all; the line is its own
  bool quiet;    // its stderr was closed
  char end[400]; // how it ended, as in "PROCESS ended with status 1: words"
  struct waiter *waiters;
  uint64_t ids;   // of requests, so far
  uint64_t *late; // ids of answers that nobody waits for any more
  uint32_t nlate, late_room;
  char *line; // what was read and is not yet answered
  size_t used, room, searched;
  struct pipe_answer answer; // that was read last
};

// Starts the command.  NULL with a sentence if the system has no process left.
struct process *process_start(struct pipe_command *command,
                              struct error *error);
// Closes its stdin, upon which it is to end by itself.
void process_end_input(struct process *process);
// Ends it: kills it, with all that it started, if it has not ended when the
// clock shows `when`.  Nobody asks it any more.
void process_stop(struct process *process, uint64_t when);

bool process_is_dead(struct process *process);

// Kills it for what follows its name in a sentence.
void process_kill(struct process *process, const char *why);

// Notes how a process ended that closed its stdout.
void process_note_end(struct process *process);

enum reply {
  REPLY_HERE,  // the answer
  REPLY_LATE,  // none within the time; a later one will be dropped
  REPLY_NEVER, // the process ended or is not to be believed: process->end
};

// Sends a request and waits so many ns for its answer, which only REPLY_HERE
// brings.
enum reply process_ask(struct process *process, struct request *request,
                       uint64_t patience, struct pipe_answer *answer);

#endif
