// SPDX-License-Identifier: GPL-3.0-or-later
// The one vocabulary of anomalies: every name under which a person may know
// one.  Whoever takes the name of an anomaly takes all of them; reports and
// JSON print the first, sentences for people the plain one.
#ifndef BASE_ANOMALY_NAMES_H
#define BASE_ANOMALY_NAMES_H

// The anomaly's other names, with commas: "P4, G-single" for "LostUpdate"; ""
// if it has none.
const char *anomaly_also(const char *name);

// "lost update" for "LostUpdate"; a name that is no anomaly's is returned as it
// is.
const char *anomaly_plain(const char *name);

// The one of the NULL-terminated list `names` that the text means: spelled
// alike, whatever the case and the hyphens, or else another name of the same
// anomaly.  NULL: none.  The result is an element of `names`.
const char *anomaly_meant(const char *text, const char *const *names);

#endif
