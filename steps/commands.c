// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the commands of a script in the order in which they are typed, with
// what each of them returned (steps/commands.h).
#include "config.h"

#include "steps/commands.h"

#include "steps/plain_sql.h"
#include "steps/shell.h"
#include "steps/typed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// ---- Results

// The result of the step when the anomaly was seen, in the arena; NULL: there
// is none that a terminal shows.
static const char *words_of_result(struct arena *arena,
                                   const struct shell *shell,
                                   const struct step *step) {
  const struct script *script = shell->script;
  const struct expectation *seen = step->expectations;
  uint32_t left = step->nexpectations;
  while (left && !seen->seen) {
    seen++;
    left--;
  }
  const bool is_list = script->lists && step->kind == STEP_READ;
  const char *rows = left && seen->kind == EXPECTED_ROWS ? seen->text : NULL;
  if (rows && plain_sql_is_own(&shell->commands->sql, step) && step->shows)
    rows = step->shows;
  if (rows)
    return *rows ? arena_strdup(arena, rows) : "nothing";
  if (!left || (!seen->nvalues && !is_list))
    return NULL;
  const char *words = seen->nvalues ? "" : "nothing";
  for (uint32_t i = 0; i < seen->nvalues; i++)
    words = arena_printf(arena, "%s%s%s", words, i ? " " : "",
                         typed_words(arena, script, seen->values[i]));
  return words;
}

static const char *verb_of_step(const struct step *step) {
  static const char *const verbs[STATEMENT_COUNT] = {
      [STATEMENT_INSERT] = "inserted",
      [STATEMENT_INSERT_NEW] = "inserted",
      [STATEMENT_UPDATE] = "changed",
      [STATEMENT_DELETE] = "deleted"};
  const char *verb =
      step->kind == STEP_ROWS ? verbs[step->statement->sort] : NULL;
  return verb ? verb : "returned";
}

// ---- Their order

struct sending {
  uint64_t when;
  uint32_t step;
};

static int by_time_sent(const void *a, const void *b) {
  const struct sending *x = a, *y = b;
  if (x->when != y->when)
    return x->when < y->when ? -1 : 1;
  return x->step < y->step ? -1 : x->step > y->step;
}

// When each step was sent; one that was skipped follows the one before it in
// its session.  Without results: in the order of the script.
static struct sending *order_steps(const struct script *script,
                                   const struct step_result *results) {
  struct sending *order = xcalloc(script->nsteps + (size_t)1, sizeof *order);
  uint64_t *last = xcalloc(script->nsessions + (size_t)1, sizeof *last);
  for (uint32_t i = 0; i < script->nsteps; i++) {
    uint64_t *before = &last[script->steps[i].session];
    if (results && results[i].state == STEP_DONE && results[i].begin > *before)
      *before = results[i].begin;
    order[i] = (struct sending){*before, i};
  }
  free(last);
  qsort(order, script->nsteps, sizeof *order, by_time_sent);
  return order;
}

// ---- The list

struct command_listing {
  struct shell shell;
  struct typed_command *all;
  uint32_t n;
  FILE *out; // the text of the next one
  char *text;
  size_t bytes;
};

static FILE *start_command(struct command_listing *l) {
  return l->out = text_stream(&l->text, &l->bytes);
}

// Takes what was written to the stream, without its last end of a line.
static struct typed_command *end_command(struct command_listing *l,
                                         uint32_t session) {
  fclose(l->out);
  const size_t length = strlen(l->text);
  struct typed_command *command = &l->all[l->n++];
  *command = (struct typed_command){
      .session = session,
      .text = arena_printf(
          l->shell.arena, "%.*s",
          (int)length - (length && l->text[length - 1] == '\n'), l->text)};
  free(l->text);
  return command;
}

static void list_step(struct command_listing *l, uint32_t i, bool first) {
  const struct shell *shell = &l->shell;
  const struct step *step = &shell->script->steps[i];
  FILE *out = start_command(l);
  if (first && shell->commands->sql.use)
    fprintf(out, "%s\n", shell->commands->sql.use);
  shell_put_step(out, shell, i);
  struct typed_command *command = end_command(l, step->session);
  const char *result = words_of_result(shell->arena, shell, step);
  if (result)
    command->returned =
        arena_printf(shell->arena, "%s %s", verb_of_step(step), result);
  if (step->place)
    command->place = arena_strdup(shell->arena, step->place);
}

static void list_steps(struct command_listing *l, const struct sending *order) {
  const struct script *script = l->shell.script;
  bool *met = xcalloc(script->nsessions + (size_t)1, sizeof *met);
  for (uint32_t i = 0; i < script->nsteps; i++) {
    const struct step *step = &script->steps[order[i].step];
    if (!shell_types(&l->shell, order[i].step))
      continue;
    list_step(l, order[i].step, !met[step->session]);
    met[step->session] = true;
  }
  free(met);
}

// The last look is known of rows, and found out of keys.
static const char *words_of_damage(struct command_listing *l,
                                   const struct sending *order) {
  const struct shell *shell = &l->shell;
  const struct script *script = shell->script;
  uint32_t *steps =
      arena_take(shell->arena, (script->nsteps + (size_t)1) * sizeof *steps);
  for (uint32_t i = 0; i < script->nsteps; i++)
    steps[i] = order[i].step;
  return script->damage ? arena_strdup(shell->arena, script->damage)
                        : values_left(shell->arena, script, steps,
                                      shell->commands->queue != NULL,
                                      shell->commands->last != NULL);
}

bool commands_known(const struct script *script, const char *target) {
  return shell_commands_for(script, target) != NULL;
}

uint32_t commands_list(struct arena *arena, const struct script *script,
                       const struct typed_at *at,
                       const struct step_result *results,
                       struct typed_command **list) {
  struct command_listing l = {
      .shell = {.arena = arena,
                .script = script,
                .commands = shell_commands_for(script, at->target),
                .driver = at->driver,
                .level = at->level,
                .target = at->target},
      .all = arena_take(arena, (script->nsteps + 3) * sizeof *l.all)};
  assert(l.shell.commands); // commands_known()
  shell_open(&l.shell);
  struct sending *order = order_steps(script, results);
  shell_put_setup(start_command(&l), &l.shell);
  end_command(&l, COMMAND_OF_ANY);
  list_steps(&l, order);
  shell_put_last(start_command(&l), &l.shell);
  end_command(&l, COMMAND_OF_ANY)->returned = words_of_damage(&l, order);
  shell_put_drops(start_command(&l), &l.shell);
  end_command(&l, COMMAND_OF_ANY);
  free(order);
  *list = l.all;
  return l.n;
}

// ---- As a file

// The comment on the command before.
static void put_comment(FILE *out, const struct shell_commands *shell,
                        const struct typed_command *c) {
  if (!c->place && !c->returned)
    return;
  fprintf(out, shell->comments_apart ? "\n%s" : "  %s", shell->comment);
  fprintf(out, " %s%s%s", c->place ? c->place : "",
          c->place && c->returned ? ", " : "", c->returned ? c->returned : "");
}

static void put_heading_of_commands(FILE *out, const struct script *script,
                                    const struct driver_words *words) {
  const struct shell_commands *shell = words->commands;
  fprintf(out, "%s %s\n", shell->comment, script->title);
  for (uint32_t k = 0; k < script->nkeys && shell->comments_apart; k++)
    fprintf(out, "%s Key %u is %s.\n", shell->comment, k + 1, script->keys[k]);
  fprintf(out, "%s First, at any terminal of %s:\n", shell->comment,
          words->shell);
}

// The place of a command's session among those that came so far.
static uint32_t terminal_of_command(const struct typed_command *list,
                                    uint32_t i) {
  uint32_t first = 1, terminal = 0;
  while (list[first].session != list[i].session)
    first++;
  for (uint32_t k = 1; k < first; k++) {
    uint32_t before = 1;
    while (list[before].session != list[k].session)
      before++;
    terminal += before == k;
  }
  return terminal;
}

const char *commands_transactions(struct arena *arena,
                                  const struct script *script,
                                  uint32_t session) {
  const char *rest = script->sessions[session], *text = "";
  for (const char *end; (end = strchr(rest, '_')); rest = end + 1)
    text = arena_printf(arena, "%s%.*s, ", text, (int)(end - rest), rest);
  return arena_printf(arena, "%s%s", text, rest);
}

void commands_put(FILE *out, const struct script *script,
                  const struct typed_at *at,
                  const struct step_result *results) {
  struct arena arena = {0};
  struct typed_command *list;
  const struct driver_words *words = driver_words_of_target(at->target);
  const struct shell_commands *shell = words->commands;
  const uint32_t n = commands_list(&arena, script, at, results, &list);
  put_heading_of_commands(out, script, words);
  fprintf(out,
          "%s\n%s Then, one after the other; where a terminal waits, go on at "
          "the next one.\n",
          list[0].text, shell->comment);
  for (uint32_t i = 1; i + 2 < n; i++) {
    if (i == 1 || list[i].session != list[i - 1].session)
      fprintf(out, "\n%s Terminal %c (%s):\n", shell->comment,
              'A' + (int)terminal_of_command(list, i),
              commands_transactions(&arena, script, list[i].session));
    fputs(list[i].text, out);
    put_comment(out, shell, &list[i]);
    putc('\n', out);
  }
  fprintf(out, "\n%s At the end, at any terminal:\n%s\n", shell->comment,
          list[n - 2].text);
  if (list[n - 2].returned)
    fprintf(out, "%s %s\n", shell->comment, list[n - 2].returned);
  fprintf(out, "%s\n", list[n - 1].text);
  arena_free(&arena);
}
