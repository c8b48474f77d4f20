// SPDX-License-Identifier: GPL-3.0-or-later
// Types steps into a shell (steps/shell.h).
#include "config.h"

#include "steps/shell.h"

#include "drivers/authority.h"
#include "drivers/drivers.h"
#include "steps/modes.h"
#include "steps/plain_sql.h"
#include "steps/typed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const struct shell_commands *shell_commands_for(const struct script *script,
                                                const char *target) {
  const struct driver_words *words = driver_words_of_target(target);
  const struct shell_commands *commands = words ? words->commands : NULL;
  return commands && script->lists && !commands->append ? NULL : commands;
}

// ---- Hosts

// In the arena; "" if the target names no hosts.
static const char *name_host(const struct shell *shell, uint32_t number) {
  struct authority authority;
  struct error error;
  const char *place = strchr(shell->target, ':');
  if (!place || strncmp(place, "://", 3) != 0)
    return "";
  char *hosts = xasprintf("%.*s", (int)strcspn(place + 1, "?"), place + 1);
  const bool named = !authority_read(&authority, hosts, "127.0.0.1",
                                     shell->commands->default_port, &error) &&
                     number < authority.nhosts;
  free(hosts);
  if (!named)
    return "";
  char *text = authority_host_text(&authority.hosts[number]);
  const char *name = arena_strdup(shell->arena, text);
  free(text);
  arena_free(&authority.arena);
  return name;
}

void shell_open(struct shell *shell) {
  const size_t n = shell->script->nsessions + (size_t)1;
  const struct shell_place first = {name_host(shell, 0), shell->level};
  shell->places = arena_take(shell->arena, n * sizeof *shell->places);
  for (size_t i = 0; i < n; i++)
    shell->places[i] = first;
}

// ---- Patterns

// The step's own level, in the database's words, or that of all.
static const char *level_of_begin(const struct shell *shell,
                                  const struct step *step) {
  struct error error;
  const struct driver_level *own =
      step->text ? driver_level(shell->driver, step->text, &error) : NULL;
  return own ? own->name : shell->level;
}

static bool is_at_level(const struct shell *shell, const struct step *step,
                        const char *level) {
  return level && !strcmp(shell->places[step->session].level, level);
}

static void put_placeholder(FILE *out, const struct shell *shell, char name,
                            const struct step *step) {
  const struct shell_commands *c = shell->commands;
  switch (name) {
  case 'k':
    fprintf(out, "%u", step->key + 1);
    break;
  case 'v':
    fprintf(out, "%u", typed_number(shell->script, step->value));
    break;
  case 'e':
    fprintf(out, "%u", typed_number(shell->script, step->expects));
    break;
  case 'h':
    c->put_host(out, shell->target, shell->places[step->session].host);
    break;
  case 'o':
    fputs(is_at_level(shell, step, c->weak_level) ? c->weak_option : "", out);
    break;
  case 'm':
    modes_put_typed(out, c, step->modes);
    break;
  default:
    assert(name == 'l');
    fputs(shell->places[step->session].level, out);
  }
}

static void put_typed_pattern(FILE *out, const struct shell *shell,
                              const char *pattern, const struct step *step) {
  for (const char *c = pattern; *c; c++)
    if (*c == '%')
      put_placeholder(out, shell, *++c, step);
    else
      putc(*c, out);
}

// A line for every key, perhaps with its name; NULL: none.
static void put_line_of_keys(FILE *out, const struct shell *shell,
                             const char *pattern, bool named) {
  for (uint32_t k = 0; pattern && k < shell->script->nkeys; k++) {
    put_typed_pattern(
        out, shell, pattern,
        &(struct step){.session = shell->script->nsessions, .key = k});
    if (named)
      fprintf(out, "  %s %s", shell->commands->comment, shell->script->keys[k]);
    putc('\n', out);
  }
}

// ---- Before and after the steps

// The user's own SQL, in the schema that is made for it.
static void put_written_schema(FILE *out, const struct shell *shell) {
  const struct shell_sql *sql = &shell->commands->sql;
  if (sql->create)
    fprintf(out, "%s\n%s\n", sql->create, sql->use);
  fputs(shell->script->schema, out);
}

void shell_put_setup(FILE *out, const struct shell *shell) {
  const struct script *script = shell->script;
  const struct shell_commands *c = shell->commands;
  const char *table = script->lists ? c->list_table : c->table;
  if (script->schema) {
    put_written_schema(out, shell);
    return;
  }
  if (script->ntables) {
    plain_sql_put_tables(out, &c->sql, script);
    return;
  }
  if (c->sql.create)
    fprintf(out, "%s\n", c->sql.create);
  if (table)
    fprintf(out, "%s\n", table);
  put_line_of_keys(out, shell, script->lists ? c->list_preload : c->preload,
                   !c->comments_apart);
}

void shell_put_last(FILE *out, const struct shell *shell) {
  const struct script *script = shell->script;
  const struct shell_commands *c = shell->commands;
  if (script->schema)
    return;
  if (script->ntables)
    plain_sql_put_last(out, &c->sql, script);
  else if (c->last)
    fprintf(out, "%s\n", c->last);
  else
    put_line_of_keys(out, shell, script->lists ? c->list_last_key : c->last_key,
                     false);
}

void shell_put_drops(FILE *out, const struct shell *shell) {
  const struct shell_commands *c = shell->commands;
  if (shell->script->ntables)
    plain_sql_put_drops(out, &c->sql, shell->script);
  else if (c->sql.drop)
    fprintf(out, "%s\n", c->sql.drop);
  else if (shell->script->schema)
    return;
  else if (c->table)
    fputs("DROP TABLE t;\n", out);
  else
    put_line_of_keys(out, shell, c->drop_key, false);
}

// ---- Writes that are queued until the commit

// The first step of the transaction that the step is in.
static uint32_t begin_of_step(const struct script *script, uint32_t i) {
  const uint32_t session = script->steps[i].session;
  while (script->steps[i].session != session ||
         script->steps[i].kind != STEP_BEGIN)
    i--;
  return i;
}

static bool is_typed_write(const struct step *step) {
  return step->kind == STEP_WRITE || step->kind == STEP_APPEND ||
         step->kind == STEP_CAS;
}

// Does the transaction of the step write?
static bool txn_writes(const struct script *script, uint32_t i) {
  const uint32_t session = script->steps[i].session;
  bool writes = false;
  for (uint32_t k = begin_of_step(script, i); k < script->nsteps; k++) {
    const struct step *step = &script->steps[k];
    if (step->session != session)
      continue;
    writes |= is_typed_write(step);
    if (step->kind == STEP_COMMIT || step->kind == STEP_ROLLBACK)
      break;
  }
  return writes;
}

// A key that is read twice is compared once, with what was read last.
static bool is_last_read(const struct script *script, uint32_t read,
                         uint32_t commit) {
  bool last = true;
  for (uint32_t i = read + 1; i < commit; i++)
    last &= script->steps[i].session != script->steps[read].session ||
            script->steps[i].kind != STEP_READ ||
            script->steps[i].key != script->steps[read].key;
  return last;
}

static const char *comparison(const struct shell *shell, uint32_t i,
                              uint32_t commit) {
  const struct step *step = &shell->script->steps[i];
  return step->kind == STEP_CAS ? shell->commands->compare_cas
         : step->kind == STEP_READ && is_last_read(shell->script, i, commit)
             ? shell->commands->compare
             : NULL;
}

static void put_comparisons(FILE *out, const struct shell *shell,
                            uint32_t commit) {
  const struct script *script = shell->script;
  for (uint32_t i = begin_of_step(script, commit); i < commit; i++) {
    const char *pattern = comparison(shell, i, commit);
    if (!pattern || script->steps[i].session != script->steps[commit].session)
      continue;
    put_typed_pattern(out, shell, pattern, &script->steps[i]);
    putc('\n', out);
  }
  putc('\n', out);
}

static const char *pattern_of_write(const struct shell_commands *c,
                                    enum step_kind kind) {
  return kind == STEP_WRITE    ? c->write
         : kind == STEP_APPEND ? c->append
                               : c->cas;
}

static void put_queued_writes(FILE *out, const struct shell *shell,
                              uint32_t commit) {
  const struct script *script = shell->script;
  const struct step *end = &script->steps[commit];
  put_typed_pattern(out, shell, shell->commands->queue, end);
  putc('\n', out);
  if (shell->commands->compare)
    put_comparisons(out, shell, commit);
  for (uint32_t i = begin_of_step(script, commit); i < commit; i++) {
    const struct step *step = &script->steps[i];
    if (step->session != end->session || !is_typed_write(step))
      continue;
    put_typed_pattern(out, shell, pattern_of_write(shell->commands, step->kind),
                      step);
    putc('\n', out);
  }
}

// ---- Steps

static void put_typed_read(FILE *out, const struct shell *shell, uint32_t i) {
  const struct shell_commands *c = shell->commands;
  const struct step *step = &shell->script->steps[i];
  if (is_at_level(shell, step, c->guarded_level)) {
    put_typed_pattern(out, shell, c->guard, step);
    putc('\n', out);
  }
  const bool compared = c->compared_read && txn_writes(shell->script, i);
  put_typed_pattern(out, shell,
                    compared               ? c->compared_read
                    : shell->script->lists ? c->read_list
                                           : c->read,
                    step);
}

static void put_typed_end(FILE *out, const struct shell *shell, uint32_t i) {
  const struct shell_commands *c = shell->commands;
  const struct step *step = &shell->script->steps[i];
  if (c->queue && step->kind == STEP_COMMIT)
    put_queued_writes(out, shell, i);
  put_typed_pattern(out, shell,
                    step->kind == STEP_COMMIT ? c->commit : c->rollback, step);
}

static bool types_end(const struct shell *shell, uint32_t i) {
  const struct shell_commands *c = shell->commands;
  const struct step *step = &shell->script->steps[i];
  return step->kind == STEP_ROLLBACK
             ? c->rollback != NULL
             : !c->queue || txn_writes(shell->script, i) ||
                   is_at_level(shell, step, c->guarded_level);
}

bool shell_types(struct shell *shell, uint32_t i) {
  const struct shell_commands *c = shell->commands;
  const struct step *step = &shell->script->steps[i];
  switch (step->kind) {
  case STEP_RESUMES:
    return false;
  case STEP_AT:
    shell->places[step->session].host = name_host(shell, step->host);
    return !c->put_host;
  case STEP_BEGIN:
    shell->places[step->session].level = level_of_begin(shell, step);
    return c->begin != NULL;
  case STEP_COMMIT:
  case STEP_ROLLBACK:
    return types_end(shell, i);
  default:
    return !c->queue || !is_typed_write(step);
  }
}

void shell_put_step(FILE *out, const struct shell *shell, uint32_t i) {
  const struct shell_commands *c = shell->commands;
  const struct step *step = &shell->script->steps[i];
  if (step->kind == STEP_AT)
    fprintf(out, "%s connected to host %u of the target, from 0", c->comment,
            step->host);
  else if (step->kind == STEP_BEGIN)
    put_typed_pattern(out, shell, c->begin, step);
  else if (step->kind == STEP_ROWS)
    plain_sql_put_statement(out, &c->sql, shell->script, step);
  else if (step_is_statement(step->kind))
    fprintf(out, "%s%s", step->text,
            shell->script->schema && step->kind == STEP_SQL ? ";" : "");
  else if (step->kind == STEP_READ)
    put_typed_read(out, shell, i);
  else if (is_typed_write(step))
    put_typed_pattern(out, shell, pattern_of_write(c, step->kind), step);
  else
    put_typed_end(out, shell, i);
}
