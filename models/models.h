// SPDX-License-Identifier: GPL-3.0-or-later
// Models: what a test of Jepsen's promises of its log, such as that transfers
// between accounts keep their sum.  A model is one file and one row of the
// table in models.c.
#ifndef MODELS_MODELS_H
#define MODELS_MODELS_H

#include "checker/verdict/verdict.h"
#include "models/log.h"

enum { LOG_MODEL_OPTIONS = 2, LOG_MODEL_FUNCTIONS = 8, MODEL_SHOWN = 8 };

// An option of a model: a whole number.
struct model_option {
  const char *name;
  const char *help;
};

#define OPTION_NOT_GIVEN INT64_MIN

// A broken promise, which the operations shown prove, and what else was seen.
struct model_answer {
  enum verdict_kind kind;
  const char *name; // of what was broken first, such as "WrongTotal"
  char *sentence;   // what happened; UNDECIDED: why nothing can be said
  uint64_t broken;  // how many times a promise was broken
  uint64_t checked; // reads, or what `counts` names, that were held against it
  uint32_t shown[MODEL_SHOWN]; // operations, in the order of their lines
  uint32_t nshown;
  char
      *key; // one of independent keys, of which the promise was broken; or NULL
};

struct log_model {
  const char *name;
  const char *summary; // the promise, in one line
  const char *counts;  // that are held against it; NULL: reads
  struct model_option
      options[LOG_MODEL_OPTIONS]; // up to the first without a name
  // All that clients may have called, ending with NULL.
  const char *functions[LOG_MODEL_FUNCTIONS];
  // Is it a value that a read may return?  NULL: the model has no reads.
  bool (*reads)(const struct log *log, log_id value);
  // Answers; the numbers are those of the options.  -1 with a sentence that
  // names the line of a value that the model does not know.
  int (*check)(const struct log *log, const int64_t *options,
               struct model_answer *answer, struct error *error);
};

// All models, ending with NULL.
extern const struct log_model *const log_models[];

// The model that a text such as `bank?total=100&negative=1` names, and its
// options; NULL with a sentence.
const struct log_model *log_model_find(const char *text,
                                       int64_t options[LOG_MODEL_OPTIONS],
                                       struct error *error);

// Is it the name of a model, with or without options?
bool log_model_is_named(const char *text);

// Holds a log that a program wrote against a model, each of independent keys by
// itself.  -1 with a sentence that names the line of a value or function that
// the model does not know.
int log_model_hold(const struct log_model *model, const struct log *log,
                   const int64_t *options, struct model_answer *answer,
                   struct error *error);

// Does the model know the function of the operation?
bool log_model_knows(const struct log_model *model, const struct log *log,
                     const struct log_op *op);

// May it be a log of the model, and no history of transactions or registers?
bool log_model_fits(const struct log_model *model, const struct log *log);

void model_answer_free(struct model_answer *answer);

// For the models.

// Notes the promise broken, its name and sentence if it is the first one. True:
// it is the first one, and the operations that prove it are to be shown.
bool model_break(struct model_answer *answer, const char *name,
                 const char *sentence, ...)
    __attribute__((format(printf, 3, 4)));
void model_show(const struct log *log, struct model_answer *answer,
                uint32_t op);

// Adds the answer about a part of the operations, whose texts it may take: a
// part that breaks a promise counts for all; of those that do not, one that
// keeps its promise does.  True: this is the first one that breaks it.
bool model_add_answer(struct model_answer *answer, struct model_answer *part);

// A value that is a collection, or a whole number.
bool model_is_list(const struct log *log, log_id value);
bool model_is_integer(const struct log *log, log_id value);

// UNDECIDED, unless something was broken.
void model_leave_open(struct model_answer *answer, const char *sentence);

// -1 with a sentence: line N: expected ...
int model_refuse(const struct log_op *op, const char *expected,
                 struct error *error);

// The value as EDN with at most so many elements; the caller frees it.
char *model_text(const struct log *log, log_id id, uint32_t elements);

#endif
