// SPDX-License-Identifier: GPL-3.0-or-later
// Collections of EDN and JSON as texts, for keys and values may be any: in the
// words of EDN, with one blank between two elements.  What is equal in EDN is
// the same text: lists are printed as vectors, sets and maps in an order of
// their own.
#ifndef RECORDER_FORMATS_PRINTED_H
#define RECORDER_FORMATS_PRINTED_H

#include "recorder/formats/tokens.h"

struct printer;

// Goes from the bracket at hand to the one that closes it, and makes of all of
// it a TOKEN_PRINTED, which is good until the next one; `*printer` is made if
// there is none.  False if it is too large, too deep or has no end: of what is
// at hand then, token_refuse says why.
bool token_print(struct tokens *tokens, struct printer **printer);
// Prints a vector, from the first token behind its bracket on.
bool token_print_vector(struct tokens *tokens, struct printer **printer);

void printer_free(struct printer *printer);

#endif
