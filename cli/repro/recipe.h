// SPDX-License-Identifier: GPL-3.0-or-later
// A recipe: how a known anomaly is reproduced.  An INI file with a section
// [recipe], whose keys are below, and a section [run], whose keys are the long
// options of `isostress run`.  In its target DIRECTORY stands for one that is
// made for it and removed afterwards.
#ifndef CLI_REPRO_RECIPE_H
#define CLI_REPRO_RECIPE_H

#include "base/memory.h"
#include "cli/settings/settings.h"

struct recipe {
  struct arena arena;   // holds all texts
  const char *name;     // of its file, without the ending
  const char *title;    // what happens, in one line
  const char *database; // and its configuration
  const char *server;   // kind of server to start; NULL: none is needed
  const char *settings; // of the server; or NULL
  const char *hosts;    // "all": sessions are spread over all nodes; or NULL
  const char *options;  // appended to the target: "a=b&c=d"; or NULL
  const char *needs;    // what cannot be started here; NULL: all can
  const char *assumes;  // "A; B": what the database says of itself holds each
                        // of these words; NULL: nothing
  const char *claims;   // what the configuration promises
  const char *expect;   // the anomaly, by any of its names; "none"; "any":
                        // whatever breaks it
  const char *steps;    // name of a step script; NULL: a run
  const char *faults;   // see server_start_faults; or NULL
  const char *source;   // where it is known from, with a link if there is one
  struct settings run;  // everything but the target
};

// Reads a recipe.  -1 with a sentence that names the file and the line.  Free
// in both cases.
int recipe_read(const char *path, struct recipe *recipe, struct error *error);
void recipe_free(struct recipe *recipe);

#endif
