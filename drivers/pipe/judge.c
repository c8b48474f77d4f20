// SPDX-License-Identifier: GPL-3.0-or-later
// From the answer of a driver to an outcome (drivers/pipe/pipe.h).  A driver
// forwards what its database threw, and hello says what that means.  A failure
// of commit that hello does not know is UNKNOWN, so that who writes a driver
// carelessly loses certainty, and never gets a false violation.
#include "config.h"

#include "drivers/pipe/pipe.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pipe_request(struct pipe_session *session, const char *verb) {
  request_begin(&session->request, verb);
  request_number(&session->request, "session", session->number);
}

enum reply pipe_send(struct pipe_session *session, uint64_t patience) {
  struct error error;
  session->answer.root = NULL;
  if (pipe_is_broken(session->pipe, &error))
    return REPLY_NEVER;
  return process_ask(session->process, &session->request, patience,
                     &session->answer);
}

// Does hello say what the code or the message means?
static bool is_known(const struct pipe_session *session, enum cause *cause) {
  const struct connection *c = &session->base;
  for (const struct meaning *m = session->pipe->hello.meanings; m->words; m++)
    if (!strcmp(c->code, m->words) || strstr(c->text, m->words)) {
      *cause = m->cause;
      return true;
    }
  return false;
}

static enum outcome judge_lost(struct pipe_session *session, enum reply reply,
                               bool ends) {
  struct connection *c = &session->base;
  struct error error;
  c->broken = true;
  c->cause = CAUSE_CONNECTION;
  snprintf(c->code, sizeof c->code, "%s",
           reply == REPLY_LATE ? "no answer" : "driver ended");
  if (pipe_is_broken(session->pipe, &error))
    snprintf(c->text, sizeof c->text, "%.*s", (int)sizeof c->text - 1,
             error.text);
  else if (reply == REPLY_LATE)
    snprintf(c->text, sizeof c->text, "the driver %s gave no answer in %.3g s",
             session->pipe->command.name,
             (double)session->pipe->command.patience / NS_PER_SECOND);
  else
    snprintf(c->text, sizeof c->text, "%.*s", (int)sizeof c->text - 1,
             session->process->end);
  return ends ? OUTCOME_UNKNOWN : OUTCOME_ABORTED;
}

// The outcome that a driver says itself, where it is certain.
static bool says_outcome(const struct json_value *answer,
                         enum outcome *outcome) {
  const char *word = json_text(answer, "outcome", "");
  *outcome = !strcmp(word, "aborted") ? OUTCOME_ABORTED : OUTCOME_UNKNOWN;
  return *outcome == OUTCOME_ABORTED || !strcmp(word, "unknown");
}

enum outcome pipe_judge(struct pipe_session *session, enum reply reply,
                        bool ends) {
  struct connection *c = &session->base;
  const struct json_value *answer = session->answer.root;
  enum outcome outcome;
  c->cause = CAUSE_NONE;
  c->code[0] = c->text[0] = '\0';
  if (reply != REPLY_HERE)
    return judge_lost(session, reply, ends);
  if (!json_member(answer, "fail"))
    return OUTCOME_OK;
  snprintf(c->code, sizeof c->code, "%s",
           answer_text(json_member(answer, "code")));
  error_one_line(c->text, sizeof c->text,
                 answer_text(json_member(answer, "fail")));
  const bool known = is_known(session, &c->cause);
  if (!known)
    c->cause = CAUSE_OTHER;
  if (json_is_true(answer, "broken") || c->cause == CAUSE_CONNECTION) {
    c->broken = true;
    c->cause = CAUSE_CONNECTION;
  }
  if (says_outcome(answer, &outcome))
    return ends ? outcome : OUTCOME_ABORTED;
  return ends && (!known || c->broken) ? OUTCOME_UNKNOWN : OUTCOME_ABORTED;
}

enum outcome pipe_call(struct pipe_session *session, bool ends) {
  return pipe_judge(session,
                    pipe_send(session, session->pipe->command.patience), ends);
}

int pipe_order(struct pipe_session *session, struct error *error) {
  if (pipe_call(session, false) == OUTCOME_OK)
    return 0;
  if (pipe_is_broken(session->pipe, error))
    return -1;
  return error_set(error, "%s%s%s", session->base.code,
                   *session->base.code ? ": " : "", session->base.text);
}

enum outcome pipe_no_number(struct pipe_session *session, const char *member) {
  const struct json_value *value = json_member(session->answer.root, member);
  pipe_discredit(&session->pipe->command,
                 "answered with `%s` %s%.40s, where a whole number was "
                 "expected",
                 member, value ? "" : "missing",
                 value ? answer_text(value) : "");
  return judge_lost(session, REPLY_NEVER, false);
}
