// SPDX-License-Identifier: GPL-3.0-or-later
// PostgreSQL runs the user's own SQL (drivers/instrument.h).  The version of a
// row is (ctid, xmin): a place in a table is used again only once no
// transaction can see what was there, and by a later writer.  Triggers after
// each row tell what a statement changed, by RAISE INFO, which reaches the
// client at once and costs no round trip.
#ifndef DRIVERS_POSTGRESQL_INSTRUMENT_H
#define DRIVERS_POSTGRESQL_INSTRUMENT_H

#include "drivers/instrument.h"
#include "drivers/postgresql/session.h"

// The beginning of a trigger's message.
#define POSTGRESQL_NOTE "isostress\t"

// A table, or a partition of one.
struct postgresql_relation {
  Oid oid;
  uint32_t table; // of struct instrument_tables
};

struct postgresql_instrument {
  // Where the database is asked, between and after the transactions: the
  // target's claim or, behind a pooler, a connection of its own, whose
  // transactions each set the schema.  NULL: at a host that follows.
  PGconn *asking;
  bool pooled;
  char *schema; // its name, as SQL takes it
  Oid schema_oid;
  struct postgresql_relation *relations; // by oid
  uint32_t nrelations, room;
  char **select; // of each table: all versions and keys
  uint32_t nselects;
};

extern const struct instrument postgresql_instrument;

void postgresql_instrument_free(struct postgresql_instrument *instrument);

// The table of a relation; UINT32_MAX: it is none of the run's.
uint32_t postgresql_table_of(const struct postgresql_instrument *instrument,
                             Oid oid);

// "(12,3)" and "745" as a version of the table; false: it is none.
bool postgresql_version(const char *ctid, const char *xmin, uint32_t table,
                        struct seen_version *version);

// Takes a message of a trigger; false: it is none.
bool postgresql_take_note(const struct postgresql_instrument *instrument,
                          const char *message,
                          struct instrument_answer *answer);

// The schema that a run makes for itself, in quotes, by the last part of the
// option's table: x_own of s.x.  Free with free().
char *postgresql_own_schema(const struct postgresql_target *target);

int postgresql_own_setup(struct target *target, const char *path,
                         const char *schema, struct instrument_tables *tables,
                         struct error *error);
int postgresql_own_follow(struct target *target, const struct target *first,
                          struct error *error);
int postgresql_read_versions(struct target *target,
                             const struct instrument_tables *tables,
                             struct instrument_tables *found,
                             struct error *error);
int postgresql_rank(struct target *target,
                    const struct instrument_tables *tables, uint32_t table,
                    const char *column, const char *const *images, uint32_t n,
                    int64_t *ranks, struct instrument_comparison *comparisons,
                    uint32_t ncomparisons, struct error *error);
int postgresql_find_undone(struct target *target, const uint64_t *writers,
                           uint32_t n, bool *undone, struct error *error);

#endif
