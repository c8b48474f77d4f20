// SPDX-License-Identifier: GPL-3.0-or-later
// PostgreSQL tells of versions (drivers/postgresql/instrument.h): by the
// messages of triggers, by added columns, and after the run.
#include "config.h"

#include "drivers/postgresql/instrument.h"

#include "base/memory.h"
#include "drivers/postgresql/instrument_ask.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char reading_back[] = "cannot read the tables after the run";

uint32_t postgresql_table_of(const struct postgresql_instrument *own, Oid oid) {
  uint32_t low = 0, high = own->nrelations;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (own->relations[middle].oid < oid)
      low = middle + 1;
    else
      high = middle;
  }
  return low < own->nrelations && own->relations[low].oid == oid
             ? own->relations[low].table
             : UINT32_MAX;
}

bool postgresql_version(const char *ctid, const char *xmin, uint32_t table,
                        struct seen_version *version) {
  unsigned block, item;
  if (table == UINT32_MAX || sscanf(ctid, "(%u,%u)", &block, &item) != 2)
    return false;
  *version = (struct seen_version){.table = table,
                                   .writer = strtoull(xmin, NULL, 10),
                                   .place = (uint64_t)block << 16 | item};
  return true;
}

// ---- The messages of triggers

enum {
  NOTE_KIND,
  NOTE_RELATION,
  NOTE_OLD,
  NOTE_OLD_XMIN,
  NOTE_NEW,
  NOTE_NEW_XMIN,
  NOTE_KEY,
  NOTE_IMAGE,
  NOTE_WORDS
};

// The last word is a row, which may have any characters.
static bool divide_note(char *text, char *words[NOTE_WORDS]) {
  int n = 0;
  for (char *p = text; p && n < NOTE_WORDS; n++) {
    words[n] = p;
    p = n + 1 < NOTE_WORDS ? strchr(p, '\t') : NULL;
    if (p)
      *p++ = '\0';
  }
  return n == NOTE_WORDS;
}

// Who took a deletion back is not known: a row that is deleted may name several
// transactions in place of the one that deletes it.
static bool read_note(const struct postgresql_instrument *own,
                      char *words[NOTE_WORDS], struct version_change *change) {
  const uint32_t table =
      postgresql_table_of(own, (Oid)strtoul(words[NOTE_RELATION], NULL, 10));
  *change = (struct version_change){.kind = *words[NOTE_KIND]};
  change->key = strtoll(words[NOTE_KEY], NULL, 10);
  if (change->kind != 'I' &&
      !postgresql_version(words[NOTE_OLD], words[NOTE_OLD_XMIN], table,
                          &change->before))
    return false;
  if (change->kind == 'D')
    return true;
  const bool known = postgresql_version(words[NOTE_NEW], words[NOTE_NEW_XMIN],
                                        table, &change->after);
  change->writer = change->after.writer;
  return known;
}

bool postgresql_take_note(const struct postgresql_instrument *own,
                          const char *message,
                          struct instrument_answer *answer) {
  char *words[NOTE_WORDS];
  struct version_change change;
  if (strncmp(message, POSTGRESQL_NOTE, strlen(POSTGRESQL_NOTE)) != 0)
    return false;
  char *text = xstrdup(message + strlen(POSTGRESQL_NOTE));
  const bool taken = divide_note(text, words) && read_note(own, words, &change);
  if (taken) {
    change.image = change.kind == 'D' ? NULL : xstrdup(words[NOTE_IMAGE]);
    ARRAY_RESERVE(answer->changes, answer->nchanges, answer->changes_room);
    answer->changes[answer->nchanges++] = change;
  }
  free(text);
  return taken;
}

// ---- After the run

static void add_found(struct instrument_tables *found,
                      const struct version_change *change) {
  ARRAY_RESERVE(found->first, found->nfirst, found->first_room);
  found->first[found->nfirst++] = *change;
}

int postgresql_read_versions(struct target *base,
                             const struct instrument_tables *tables,
                             struct instrument_tables *found,
                             struct error *error) {
  const struct postgresql_target *target = postgresql_of(base);
  for (uint32_t t = 0; t < tables->n; t++) {
    PGresult *rows = PQexec(target->own->asking, target->own->select[t]);
    const int failed =
        postgresql_succeeded(rows)
            ? 0
            : postgresql_say(error, target->own->asking, rows, reading_back);
    for (int i = 0; !failed && i < PQntuples(rows); i++) {
      struct version_change change = {
          .kind = 'I', .key = strtoll(PQgetvalue(rows, i, 3), NULL, 10)};
      if (!postgresql_version(PQgetvalue(rows, i, 1), PQgetvalue(rows, i, 2), t,
                              &change.after))
        continue;
      change.image = xstrdup(PQgetvalue(rows, i, 4));
      add_found(found, &change);
    }
    PQclear(rows);
    if (failed)
      return -1;
  }
  return 0;
}

enum { WRITERS_AT_ONCE = 5000 };

// Row versions have the lower half of a transaction's number; the upper half is
// that of the last one before now.
static const char undone_query[] =
    "SELECT x FROM unnest($1::bigint[]) x, (SELECT "
    "pg_current_xact_id()::text::bigint AS now OFFSET 0) c WHERE "
    "pg_xact_status(((now >> 32 << 32) + x - CASE WHEN x > (now & 4294967295) "
    "THEN 4294967296 ELSE 0 END)::text::xid8) = 'aborted'";

static int compare_writers(const void *key, const void *element) {
  const uint64_t x = *(const uint64_t *)key, y = *(const uint64_t *)element;
  return (x > y) - (x < y);
}

static int ask_undone(PGconn *pg, const uint64_t *writers, uint32_t n,
                      bool *undone, struct error *error) {
  char *list;
  size_t bytes;
  FILE *out = text_stream(&list, &bytes);
  for (uint32_t i = 0; i < n; i++)
    fprintf(out, "%c%" PRIu64, i ? ',' : '{', writers[i]);
  fputs("}", out);
  fclose(out);
  const char *values[] = {list};
  PGresult *rows =
      PQexecParams(pg, undone_query, 1, NULL, values, NULL, NULL, 0);
  free(list);
  const int failed = postgresql_succeeded(rows)
                         ? 0
                         : postgresql_say(error, pg, rows, reading_back);
  for (int i = 0; !failed && i < PQntuples(rows); i++) {
    const uint64_t writer = strtoull(PQgetvalue(rows, i, 0), NULL, 10);
    const uint64_t *at =
        bsearch(&writer, writers, n, sizeof *writers, compare_writers);
    if (at)
      undone[at - writers] = true;
  }
  PQclear(rows);
  return failed;
}

int postgresql_find_undone(struct target *base, const uint64_t *writers,
                           uint32_t n, bool *undone, struct error *error) {
  PGconn *pg = postgresql_of(base)->own->asking;
  for (uint32_t i = 0; i < n; i += WRITERS_AT_ONCE) {
    const uint32_t some = n - i < WRITERS_AT_ONCE ? n - i : WRITERS_AT_ONCE;
    if (ask_undone(pg, writers + i, some, undone + i, error))
      return -1;
  }
  return 0;
}

const struct instrument postgresql_instrument = {
    .dialect = &sql_dialect_postgresql,
    .setup = postgresql_own_setup,
    .follow = postgresql_own_follow,
    .choose = postgresql_choose_way,
    .execute = postgresql_execute_own,
    .read_tables = postgresql_read_versions,
    .rank = postgresql_rank,
    .find_undone = postgresql_find_undone,
};
