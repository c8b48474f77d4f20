// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the page of all results (report/page/index.h), from the documents
// that the results consist of.
#include "config.h"

#include "report/page/index.h"

#include "base/anomaly_names.h"
#include "report/page/sections.h"
#include "report/words/keys.h"
#include "report/words/quantity.h"
#include "report/words/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COURSE_WIDTH = 90, COURSE_HEIGHT = 20, COURSE_POINTS = 45, EDGE = 2 };

static struct index_row *add_index_row(struct index *index) {
  ARRAY_RESERVE(index->rows, index->nrows, index->room);
  return &index->rows[index->nrows++];
}

static const char *keep_index_bytes(struct index *index, const char *text) {
  return text ? arena_strdup(&index->arena, text) : NULL;
}

// A text that `put` writes about a document.
static const char *
keep_index_text(struct index *index,
                void (*put)(FILE *out, const struct json_value *document),
                const struct json_value *document) {
  char *text;
  size_t bytes;
  FILE *out = text_stream(&text, &bytes);
  put(out, document);
  fclose(out);
  const char *kept = keep_index_bytes(index, text);
  free(text);
  return kept;
}

// ---- Runs

// " by lost update, write skew", after `before`; nothing where no anomaly has a
// name.
static void put_index_found(FILE *out, const struct json_value *verdict,
                            const char *before) {
  const struct json_value *found = json_member(verdict, KEY(found));
  const char *separator = before;
  for (const struct json_value *f = found ? found->first : NULL; f;
       f = f->next) {
    fprintf(out, "%s%s", separator, anomaly_plain(f->name));
    separator = ", ";
  }
}

// The anomalies that were seen, why a check did not end, or what kept a run
// from its end.
static void put_detail(FILE *out, const struct json_value *document) {
  const struct json_value *beyond = json_member(document, KEY(beyond));
  const struct json_value *verdict = json_member(document, KEY(verdict));
  const char *trouble = json_text(document, KEY(trouble), NULL);
  if (!strcmp(json_text(verdict, KEY(verdict), ""), "violation")) {
    put_index_found(out, verdict, "");
  } else if (beyond) {
    fprintf(out, "beyond its promise, %s was broken",
            json_text(beyond, KEY(title), "?"));
    put_index_found(out, beyond, " by ");
  } else if (trouble) {
    fputs(trouble, out);
  } else {
    fputs(json_text(verdict, KEY(why), ""), out);
  }
}

// The last part of a path.
static const char *index_name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash && slash[1] ? slash + 1 : path;
}

static void put_index_name(FILE *out, const struct json_value *document) {
  const struct json_value *run = json_member(document, KEY(run));
  const struct json_value *explored = json_member(document, KEY(explored));
  if (run)
    page_put_server(out, run);
  else if (explored)
    fprintf(out, "A history that %s can have",
            index_name_of(json_text(explored, KEY(program), "a program")));
  else
    fputs("A history that was checked", out);
}

// "REPEATABLE READ, asked for serializability; workload mt, 8 sessions"
static void put_index_about(FILE *out, const struct json_value *document) {
  const struct json_value *run = json_member(document, KEY(run));
  const struct json_value *verdict = json_member(document, KEY(verdict));
  const char *level = json_text(verdict, KEY(level), NULL);
  if (!run) {
    fputs(json_text(verdict, KEY(title), ""), out);
    return;
  }
  fputs(json_text(run, KEY(level), "?"), out);
  if (level && strcmp(level, json_text(run, KEY(claimed), "")) != 0)
    fprintf(out, ", asked for %s", json_text(verdict, KEY(title), level));
  fprintf(out, "; workload %s, %" PRIu64 " sessions",
          json_text(run, KEY(workload), "?"), json_whole(run, KEY(clients), 0));
}

// Commits over time, some intervals of the run put together for each point.
static void put_index_course(FILE *out, const struct json_value *run) {
  const struct json_value *series = json_member(run, KEY(series));
  const uint32_t n = json_count(series, KEY(intervals));
  const uint32_t each = (n + COURSE_POINTS - 1) / COURSE_POINTS;
  const uint32_t npoints = n ? n / each : 0; // whole ones only
  double points[COURSE_POINTS + 1] = {0}, most = 0;
  const struct json_value *v = json_first(series, KEY(intervals));
  for (uint32_t i = 0; i < npoints * each; i++, v = v->next) {
    points[i / each] += json_real(v, KEY(committed), 0);
    most = points[i / each] > most ? points[i / each] : most;
  }
  for (uint32_t i = 0; npoints > 2 && most > 0 && i < npoints; i++)
    fprintf(out, "%s%.1f %.1f", i ? " " : "M",
            EDGE + i * (COURSE_WIDTH - 2.0 * EDGE) / (npoints - 1),
            COURSE_HEIGHT - EDGE -
                points[i] / most * (COURSE_HEIGHT - 2.0 * EDGE));
}

void index_add_run(struct index *index, const struct stored *s,
                   const char *link, uint64_t date) {
  const struct json_value *run = json_member(s->document, KEY(run));
  const struct json_value *history = json_member(s->document, KEY(history));
  const enum badge badge = badge_of(s);
  *add_index_row(index) = (struct index_row){
      .kind = INDEX_RUN,
      .badge = badge,
      .colour = badge_words[badge].colour,
      .tag = badge_words[badge].tag,
      .detail = keep_index_text(index, put_detail, s->document),
      .name = keep_index_text(index, put_index_name, s->document),
      .link = keep_index_bytes(index, link),
      .about = keep_index_text(index, put_index_about, s->document),
      .target =
          keep_index_bytes(index, json_text(run, KEY(target),
                                            json_text(history, KEY(path), ""))),
      .date = date,
      .committed = json_whole(run ? run : history, KEY(committed), 0),
      .aborted = quantity_percent(json_whole(run, KEY(aborted), 0),
                                  json_whole(run, KEY(begun), 0)),
      .measured = json_whole(run, KEY(measured_ns), 0),
      .course = keep_index_text(index, put_index_course, run)};
}

// ---- Sweeps and scorecards

static const char *index_plural(uint32_t n) { return n == 1 ? "" : "s"; }

void index_add_sweep(struct index *index, const struct index_sweep *sweep,
                     const char *link, uint64_t date) {
  const char *detail =
      sweep->nbroken
          ? arena_printf(&index->arena, "violations in %" PRIu32 " of the runs",
                         sweep->nbroken)
          : "";
  if (sweep->nunmet)
    detail =
        arena_printf(&index->arena,
                     "%s%sa requirement is not met in %" PRIu32 " of the runs",
                     detail, *detail ? "; " : "", sweep->nunmet);
  *add_index_row(index) = (struct index_row){
      .kind = INDEX_SWEEP,
      .colour = "many",
      .tag = "Sweep",
      .detail = detail,
      .name = keep_index_bytes(index, sweep->name),
      .link = keep_index_bytes(index, link),
      .about = arena_printf(&index->arena,
                            "%" PRIu32 " combination%s of settings, %" PRIu32
                            " run%s",
                            sweep->ncells, index_plural(sweep->ncells),
                            sweep->nruns, index_plural(sweep->nruns)),
      .target = keep_index_bytes(index, sweep->targets),
      .date = date,
      .course = ""};
}

// "2 levels: read committed, serializable"
static void put_index_levels(FILE *out, const struct json_value *card) {
  const uint32_t n = json_count(card, KEY(levels));
  const char *separator = ": ";
  fprintf(out, "scorecard of %" PRIu32 " level%s", n, n == 1 ? "" : "s");
  for (const struct json_value *level = json_first(card, KEY(levels)); level;
       level = level->next) {
    fprintf(out, "%s%s", separator, json_text(level, KEY(level), "?"));
    separator = ", ";
  }
}

static void put_index_broken_levels(FILE *out, const struct json_value *card) {
  const char *separator = "at level ";
  for (const struct json_value *level = json_first(card, KEY(levels)); level;
       level = level->next)
    if (json_is_true(level, KEY(violated))) {
      fprintf(out, "%s%s", separator, json_text(level, KEY(level), "?"));
      separator = ", ";
    }
}

static bool any_is_broken(const struct json_value *card) {
  const struct json_value *level = json_first(card, KEY(levels));
  while (level && !json_is_true(level, KEY(violated)))
    level = level->next;
  return level;
}

void index_add_scorecard(struct index *index, const struct json_value *document,
                         const char *link, uint64_t date) {
  const bool broken = any_is_broken(document);
  const bool several =
      json_text(json_first(document, KEY(levels)), KEY(endpoints), NULL);
  const bool interrupted = json_is_true(document, KEY(interrupted));
  *add_index_row(index) = (struct index_row){
      .kind = INDEX_SCORECARD,
      .colour = broken        ? several ? "warn" : "bad"
                : interrupted ? "open"
                              : "good",
      .tag = broken        ? several ? "Seen, and allowed across servers"
                                     : "Broken promise"
             : interrupted ? "Interrupted"
                           : "Every promise kept",
      .detail = keep_index_text(index, put_index_broken_levels, document),
      .name = keep_index_text(index, page_put_server, document),
      .link = keep_index_bytes(index, link),
      .about = keep_index_text(index, put_index_levels, document),
      .target = keep_index_bytes(index, json_text(document, KEY(target), "")),
      .date = date,
      .course = ""};
}

void index_add_page(struct index *index, const char *kind, const char *title,
                    const char *about, const char *link, uint64_t date) {
  *add_index_row(index) =
      (struct index_row){.kind = INDEX_PAGE,
                         .colour = "many",
                         .tag = keep_index_bytes(index, kind),
                         .detail = "",
                         .name = keep_index_bytes(index, title),
                         .link = keep_index_bytes(index, link),
                         .about = keep_index_bytes(index, about),
                         .target = "",
                         .date = date,
                         .course = ""};
}

void index_add_trouble(struct index *index, const char *sentence) {
  ARRAY_RESERVE(index->troubles, index->ntroubles, index->troubles_room);
  index->troubles[index->ntroubles++] = keep_index_bytes(index, sentence);
}

void index_free(struct index *index) {
  free(index->rows);
  free(index->troubles);
  arena_free(&index->arena);
  *index = (struct index){0};
}
