// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the answer to hello (drivers/pipe/hello.h).
#include "config.h"

#include "drivers/pipe/hello.h"

#include "base/memory.h"
#include "drivers/pipe/answer.h"

#include <ctype.h>
#include <string.h>

enum { PROTOCOL = 1 };

static const struct {
  const char *name;
  enum does does;
} verbs[] = {
    {"append", DOES_APPEND},
    {"cas", DOES_CAS},
    {"resolve", DOES_RESOLVE},
    {"waits", DOES_WAITS},
};

// A cause by the name that reports give it; the client's own choice is none of
// a database.
static bool read_cause(const char *name, enum cause *cause) {
  for (int c = CAUSE_NONE + 1; c < CAUSE_COUNT; c++)
    if (c != CAUSE_CLIENT && !strcmp(name, cause_name((enum cause)c))) {
      *cause = (enum cause)c;
      return true;
    }
  return false;
}

static bool is_scheme(const char *name) {
  size_t n = 0;
  while (isalnum((unsigned char)name[n]) ||
         (n && name[n] && strchr("+-.", name[n])))
    n++;
  return !name[n] && n <= HELLO_NAME && isalpha((unsigned char)name[0]);
}

static int read_hello_name(struct hello *hello, const struct json_value *answer,
                           struct error *error) {
  const char *name = json_text(answer, "name", NULL);
  if (!name)
    return error_set(error, "its hello lacks `name`, the scheme of targets");
  if (!is_scheme(name))
    return error_set(error,
                     "its hello says \"name\":\"%.40s\": a name is a letter, "
                     "then letters, digits, +, - or ., at most %d",
                     name, HELLO_NAME);
  hello->name = arena_strdup(&hello->arena, name);
  hello->version = arena_strdup(
      &hello->arena, json_text(answer, "version", "says no version"));
  return 0;
}

static int read_hello_level(struct hello *hello, const struct json_value *said,
                            struct driver_level *level, struct error *error) {
  const char *name = json_text(said, "name", NULL);
  const char *claims = json_text(said, "claims", NULL);
  if (!name || !*name)
    return error_set(error, "a level of its hello lacks `name`");
  if (!claims || (strcmp(claims, "none") != 0 &&
                  !isolation_parse(claims, &level->claimed)))
    return error_set(error,
                     "the level \"%.40s\" of its hello %s%.40s%s: `claims` is "
                     "one of none, rc, ra, cc, pc, si, ser and sser",
                     name, claims ? "claims \"" : "lacks `claims`",
                     claims ? claims : "", claims ? "\"" : "");
  level->name = arena_strdup(&hello->arena, name);
  return 0;
}

static int read_hello_levels(struct hello *hello,
                             const struct json_value *answer,
                             struct error *error) {
  const uint32_t count = json_count(answer, "levels");
  if (!count || count > HELLO_LEVELS)
    return error_set(error, "its hello has %u `levels`; it needs 1 to %d",
                     count, HELLO_LEVELS);
  hello->levels =
      arena_take(&hello->arena, (count + 1) * sizeof *hello->levels);
  struct driver_level *level = hello->levels;
  for (const struct json_value *l = json_first(answer, "levels"); l;
       l = l->next)
    if (read_hello_level(hello, l, level++, error))
      return -1;
  return 0;
}

static int refuse_cause(const struct json_value *said, struct error *error) {
  char all[300] = "";
  for (int c = CAUSE_NONE + 1; c < CAUSE_COUNT; c++)
    if (c != CAUSE_CLIENT)
      snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s",
               *all ? ", " : "", cause_name((enum cause)c));
  return error_set(error,
                   "`causes` of its hello says that \"%.40s\" means \"%.40s\"; "
                   "a cause is one of: %s",
                   said->name, answer_text(said), all);
}

static int read_hello_causes(struct hello *hello,
                             const struct json_value *answer,
                             struct error *error) {
  const struct json_value *causes = json_member(answer, "causes");
  uint32_t count = 0;
  if (causes && causes->type != JSON_OBJECT)
    return error_set(error, "`causes` of its hello is no object");
  for (const struct json_value *c = causes ? causes->first : NULL; c;
       c = c->next)
    count++;
  hello->meanings =
      arena_take(&hello->arena, (count + 1) * sizeof *hello->meanings);
  struct meaning *meaning = hello->meanings;
  for (const struct json_value *c = causes ? causes->first : NULL; c;
       c = c->next, meaning++) {
    if (!*c->name || !read_cause(answer_text(c), &meaning->cause))
      return refuse_cause(c, error);
    meaning->words = arena_strdup(&hello->arena, c->name);
  }
  return 0;
}

static int read_hello_does(struct hello *hello, const struct json_value *answer,
                           struct error *error) {
  for (const struct json_value *d = json_first(answer, "does"); d;
       d = d->next) {
    size_t i = 0;
    const size_t count = sizeof verbs / sizeof *verbs;
    while (i < count && strcmp(answer_text(d), verbs[i].name) != 0)
      i++;
    if (i == count)
      return error_set(error,
                       "`does` of its hello has \"%.40s\"; it can have append, "
                       "cas, resolve and waits",
                       answer_text(d));
    hello->does |= verbs[i].does;
  }
  return 0;
}

static bool claims_less_than_snapshots(const struct hello *hello) {
  bool less = false;
  for (const struct driver_level *l = hello->levels; l->name; l++)
    less |= l->claimed < ISOLATION_SI;
  return less;
}

static const char *keep_word(struct hello *hello, const struct json_value *sql,
                             const char *name, const char *otherwise) {
  return arena_strdup(&hello->arena, json_text(sql, name, otherwise));
}

static int read_hello_effects(struct hello_sql *sql, const char *word,
                              struct error *error) {
  static const char *const words[] = {[EFFECTS_RETURNED] = "yes",
                                      [EFFECTS_DELTA] = "delta",
                                      [EFFECTS_READ] = "no"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(word, words[i])) {
      sql->effects = (enum effects)i;
      return 0;
    }
  return error_set(error,
                   "its hello says \"returning\":\"%.40s\"; it can be yes, "
                   "delta or no",
                   word);
}

static int read_hello_sql(struct hello *hello, const struct json_value *answer,
                          struct error *error) {
  const struct json_value *said = json_member(answer, "sql");
  struct hello_sql *sql = &hello->sql;
  sql->is = said && said->type == JSON_OBJECT;
  if (!sql->is)
    return 0;
  const char *parameters = json_text(said, "parameters", "");
  const struct json_value *ignore = json_first(said, "ignore");
  if (*parameters && strcmp(parameters, "?") != 0 &&
      strcmp(parameters, "$") != 0)
    return error_set(error,
                     "its hello says \"parameters\":\"%.40s\"; it can be ? or "
                     "$, or left out",
                     parameters);
  sql->inlined = !*parameters;
  sql->dialect = (struct sql_rows_dialect){
      .quote = '"',
      .integer = keep_word(hello, said, "integer", "BIGINT"),
      .options = "",
      .dollars = *parameters != '?',
      .lock = keep_word(hello, said, "lock", ""),
      .nothing = {arena_strdup(&hello->arena, answer_text(ignore)),
                  arena_strdup(&hello->arena,
                               answer_text(ignore ? ignore->next : NULL))}};
  if (read_hello_effects(sql, json_text(said, "returning", "no"), error))
    return -1;
  sql->weak = claims_less_than_snapshots(hello);
  return 0;
}

int hello_read(struct hello *hello, const struct json_value *answer,
               struct error *error) {
  *hello = (struct hello){.many = json_is_true(answer, "many"),
                          .survives = json_is_true(answer, "survives")};
  if (json_member(answer, "do"))
    return error_set(error, "it sends requests back: it is no driver");
  if (json_whole(answer, "isostress", 0) != PROTOCOL)
    return error_set(error,
                     "its hello does not say \"isostress\":%d, the protocol "
                     "that this isostress speaks",
                     PROTOCOL);
  return read_hello_name(hello, answer, error) ||
                 read_hello_levels(hello, answer, error) ||
                 read_hello_causes(hello, answer, error) ||
                 read_hello_does(hello, answer, error) ||
                 read_hello_sql(hello, answer, error)
             ? -1
             : 0;
}

void hello_free(struct hello *hello) { arena_free(&hello->arena); }
