// SPDX-License-Identifier: GPL-3.0-or-later
// The user's own transactions, pgbench scripts, as a workload.
#ifndef WORKLOAD_SCRIPTS_H
#define WORKLOAD_SCRIPTS_H

#include "workload/workload.h"

// A workload "scripts" whose shapes are the scripts "FILE@SHARE,FILE"; NULL
// with a sentence, whose usage is set.  The options of a run hold it, too:
// workload_options.scripts.
struct script_workload;
struct script_workload *
script_workload_open(const char *schema, const char *list, struct error *error);
void script_workload_close(struct script_workload *scripts);
const struct workload *script_workload_of(const struct script_workload *);
struct sql_scripts;
const struct sql_scripts *script_workload_read(const struct script_workload *);

// Stands for it as long as no file has been read.
extern const struct workload workload_scripts;

#endif
