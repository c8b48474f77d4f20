// SPDX-License-Identifier: GPL-3.0-or-later
// Twitter, after BenchBase: users follow others, publish tweets, and look at
// their own and at those of whom they follow.  An inserted tweet is read by the
// others, as the paper on mixed isolation levels needs it (section 7).  The
// lists of followers do not change.
//
// Keys of tweets fall, so the rows with the lowest keys are the newest tweets.
#include "config.h"

#include "workload/row_workload.h"

#include "base/memory.h"

#include <string.h>

enum {
  USERS_OF_SCALE = 500, // as BenchBase's scale factor 1 has them
  FOLLOWED = 10,        // by each user
  NEWEST = 20           // tweets that a reader looks at
};
#define FIRST_TWEET (UINT64_C(1) << 40)

enum table { USERS, FOLLOWS, FOLLOWERS, TWEETS, TABLES };
enum { TWEET_AUTHOR, TWEET_TEXT, TWEET_COLUMNS };

static const char *const user_columns[] = {"followers", NULL};
static const char *const pair_columns[] = {"f1", "f2", NULL};
static const char *const tweet_columns[] = {"author", "text", NULL};

static const struct row_set list[TABLES] = {
    [USERS] = {.name = "users", .columns = user_columns, .indexed = 0},
    [FOLLOWS] = {.name = "follows", .columns = pair_columns, .indexed = 0},
    [FOLLOWERS] = {.name = "followers", .columns = pair_columns, .indexed = 0},
    [TWEETS] = {.name = "tweets",
                .columns = tweet_columns,
                .indexed = TWEET_AUTHOR},
};

enum condition {
  TWEET,
  FOLLOWED_BY,
  FOLLOWERS_OF,
  SOME_USERS,
  BY_SOME,
  BY_ONE
};
static const struct row_condition conditions[] = {
    [TWEET] = {TWEETS, "id = $1"},
    [FOLLOWED_BY] = {FOLLOWS, "f1 = $1"},
    [FOLLOWERS_OF] = {FOLLOWERS, "f1 = $1"},
    [SOME_USERS] = {USERS, "id IN ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"},
    [BY_SOME] = {TWEETS, "author IN ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) "
                         "AND id <= $11"},
    [BY_ONE] = {TWEETS, "author = $1 AND id <= $2"},
};

struct twitter {
  struct row_workload rows;
  uint64_t user; // that the transaction is about
};

static uint64_t users_of(const struct workload_options *options) {
  return options->scale * USERS_OF_SCALE;
}

static struct tables *
open_twitter_tables(const struct workload_options *options) {
  const uint64_t users = users_of(options);
  const struct first_value of_users[] = {{FOLLOWED, 1, 1}},
                           pairs[] = {{0, FOLLOWED, users}, {0, 1, users}};
  struct row_set tables[TABLES];
  memcpy(tables, list, sizeof list);
  tables[USERS].nrows = users;
  tables[USERS].first = of_users;
  tables[FOLLOWS].nrows = tables[FOLLOWERS].nrows = users * FOLLOWED;
  tables[FOLLOWS].first = tables[FOLLOWERS].first = pairs;
  return row_tables_make(tables, TABLES, conditions,
                         sizeof conditions / sizeof *conditions);
}

static void *twitter_open(const struct workload_options *options,
                          uint32_t session) {
  struct twitter *t = xcalloc(1, sizeof *t);
  struct workload_options o = *options;
  o.nkeys = users_of(options);
  row_workload_open(&t->rows, &workload_twitter, &o, session);
  t->rows.ntables = TABLES;
  return t;
}

enum { GET_TWEET, GET_FOLLOWED, GET_FOLLOWERS, GET_USER, INSERT_TWEET };

static void twitter_next(void *state, struct row_program *program) {
  struct twitter *t = state;
  row_workload_next(&t->rows, program);
  t->user = keys_draw(t->rows.planner.keys);
  program->reads_only = t->rows.shape != INSERT_TWEET;
}

static bool select_newest(struct twitter *t, enum condition condition,
                          uint32_t nparams, struct statement *next) {
  t->rows.params[nparams] = STATEMENT_KEY_END;
  row_by(&t->rows, STATEMENT_SELECT, TWEETS, condition, next);
  next->limit = NEWEST;
  return true;
}

// The second columns of the rows as the ten parameters of an IN list.
static void take_users(struct twitter *t, const struct row_list *last) {
  for (uint32_t i = 0; i < FOLLOWED; i++)
    t->rows.params[i] =
        last->count ? row_list_image(last, i % last->count)[1] : 0;
}

// One that may have been published, by anyone.
static int64_t some_tweet(struct twitter *t) {
  const uint64_t all = (t->rows.inserted + 1) * t->rows.nsessions;
  return (int64_t)(FIRST_TWEET - row_draw(&t->rows, all));
}

static bool insert_tweet(struct twitter *t, struct statement *next) {
  const int64_t columns[TWEET_COLUMNS] = {
      [TWEET_AUTHOR] = (int64_t)t->user,
      [TWEET_TEXT] = (int64_t)row_draw(&t->rows, 1 << 20)};
  return row_insert(&t->rows, TWEETS, FIRST_TWEET - row_fresh(&t->rows),
                    columns, TWEET_COLUMNS, next);
}

static bool twitter_step(void *state, const struct row_list *last,
                         struct statement *next) {
  struct twitter *t = state;
  struct row_workload *rows = &t->rows;
  const uint32_t at = rows->at++;
  if (at == 1 && rows->shape == GET_FOLLOWED) {
    take_users(t, last);
    return select_newest(t, BY_SOME, FOLLOWED, next);
  }
  if (at == 1 && rows->shape == GET_FOLLOWERS) {
    take_users(t, last);
    return row_by(rows, STATEMENT_SELECT, USERS, SOME_USERS, next);
  }
  if (at)
    return false;
  rows->params[0] = (int64_t)t->user;
  switch (rows->shape) {
  case GET_TWEET:
    rows->params[0] = some_tweet(t);
    return row_by(rows, STATEMENT_SELECT, TWEETS, TWEET, next);
  case GET_FOLLOWED:
    return row_by(rows, STATEMENT_SELECT, FOLLOWS, FOLLOWED_BY, next);
  case GET_FOLLOWERS:
    return row_by(rows, STATEMENT_SELECT, FOLLOWERS, FOLLOWERS_OF, next);
  case GET_USER:
    return select_newest(t, BY_ONE, 1, next);
  default:
    return insert_tweet(t, next);
  }
}

static const struct row_programs programs = {
    .executes = 1u << STATEMENT_SELECT | 1u << STATEMENT_INSERT,
    .tables = open_twitter_tables,
    .next = twitter_next,
    .start = row_workload_start,
    .step = twitter_step,
};

static const struct shape shapes[] = {
    [GET_TWEET] = {"get-tweet", 0.22, "select a tweet"},
    [GET_FOLLOWED] = {"timeline", 0.22,
                      "select ten followed users, then their newest tweets"},
    [GET_FOLLOWERS] = {"followers", 0.22,
                       "select ten followers, then these users"},
    [GET_USER] = {"user-tweets", 0.23, "select the newest tweets of a user"},
    [INSERT_TWEET] = {"publish", 0.11, "publish a tweet"},
    {NULL, 0, NULL},
};

const struct workload workload_twitter = {
    .name = "twitter",
    .summary = "Twitter after BenchBase: users publish tweets and read those "
               "of whom they follow",
    .shapes = shapes,
    .open = twitter_open,
    .close = row_workload_close,
    .programs = &programs,
};
