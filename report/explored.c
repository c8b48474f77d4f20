// SPDX-License-Identifier: GPL-3.0-or-later
// The levels of an exploration (report/explored.h).
#include "config.h"

#include "report/explored.h"

#include "base/utf8.h"
#include "report/keys.h"
#include "report/page.h"

#include <assert.h>
#include <string.h>

// ---- JSON

static void put_level_json(struct json *json, const struct explored *e,
                           const struct explored_level *level) {
  json_put_object(json, NULL);
  json_put_string(json, KEY(level), level->level);
  json_put_bool(json, KEY(complete), level->whole);
  json_put_unsigned(json, KEY(histories), level->histories);
  json_put_unsigned(json, KEY(failing), level->failing);
  if (e->counts_outcomes) {
    json_put_unsigned(json, KEY(outcomes), level->outcomes);
    json_put_unsigned(json, KEY(not_serializable), level->not_serializable);
  }
  json_close(json, '}');
}

void explored_put_json(struct json *json, const struct explored *e) {
  assert(e->nlevels <= EXPLORED_LEVELS);
  json_put_object(json, KEY(explored));
  json_put_string(json, KEY(program), e->program);
  json_put_array(json, KEY(levels));
  for (uint32_t i = 0; i < e->nlevels; i++)
    put_level_json(json, e, &e->levels[i]);
  json_close(json, ']');
  if (e->database) {
    json_put_string(json, KEY(database), e->database);
    json_put_unsigned(json, KEY(performed), e->performed);
    json_put_unsigned(json, KEY(seen), e->seen);
  }
  json_put_string(json, KEY(random_load), e->random_load);
  json_close(json, '}');
}

// ---- The page

static void put_count(FILE *out, const struct json_value *level,
                      const char *key, const char *class) {
  const struct json_value *count = json_member(level, key);
  const uint64_t n = json_whole(level, key, 0);
  fprintf(out, "<td class=\"n%s%s\">", n && *class ? " " : "", n ? class : "");
  if (count && !json_is_true(level, KEY(complete)))
    fputs("at least ", out);
  if (count)
    page_grouped(out, n);
  else
    fputs("not counted", out);
  fputs("</td>", out);
}

static void put_levels(FILE *out, const struct json_value *explored) {
  page_table(
      out, "The histories that each level allows",
      "level|#histories|#break an assertion|#outcomes|#histories that no "
      "serial order explains");
  for (const struct json_value *l = json_first(explored, KEY(levels)); l;
       l = l->next) {
    page_start_row(out, json_text(l, KEY(level), "?"));
    put_count(out, l, KEY(histories), "");
    put_count(out, l, KEY(failing), "bad");
    put_count(out, l, KEY(outcomes), "");
    put_count(out, l, KEY(not_serializable), "");
    fputs("</tr>\n", out);
  }
  page_end_table(out);
}

static void put_live(FILE *out, const struct json_value *explored) {
  const char *database = json_text(explored, KEY(database), NULL);
  if (!database)
    return;
  fputs("<p>The history of this page, on a live database: <b>seen ", out);
  page_grouped(out, json_whole(explored, KEY(seen), 0));
  fputs(" of ", out);
  page_grouped(out, json_whole(explored, KEY(performed), 0));
  fputs("</b> times on ", out);
  put_markup(out, database);
  fputs(". A history that was not seen may still happen.</p>\n", out);
}

static void put_random_load(FILE *out, const struct json_value *explored) {
  const char *command = json_text(explored, KEY(random_load), NULL);
  if (!command)
    return;
  fputs("<p>The same scripts under a random load:</p>\n", out);
  page_start_command(out);
  put_markup(out, command);
  page_end_command(out);
}

// The last part of a path.
static void put_name(FILE *out, const char *path) {
  const char *slash = strrchr(path, '/');
  put_markup(out, slash && slash[1] ? slash + 1 : path);
}

void page_put_explored(FILE *out, const struct json_value *document) {
  const struct json_value *explored = json_member(document, KEY(explored));
  if (!explored)
    return;
  page_section(out, "levels-explored", "What each level allows");
  fputs("<p>Every history of ", out);
  put_name(out, json_text(explored, KEY(program), "the program"));
  fputs(" with these sessions, transactions and values was tried. Other values "
        "and more sessions may show more.</p>\n",
        out);
  put_levels(out, explored);
  put_live(out, explored);
  put_random_load(out, explored);
  fputs("</section>\n", out);
}
