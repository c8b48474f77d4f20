// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences: text in UTF-8 with two kinds of marks, for pages and terminals
// alike.  Nothing in a sentence is escaped.  html_put (report/words/html.h)
// writes it for a page, plain_put_wrapped (report/words/plain.h) for a
// terminal.
//
// A mark is a control character, in front of and behind what it marks: "It
// shows \b950\b after \fSELECT\f."  Marks are not nested.  Text from outside
// gets into a sentence by put_clean (base/utf8.h), which leaves no control
// character in it: no name and no value can hold a mark.
#ifndef BASE_MARKS_H
#define BASE_MARKS_H

// Bold: what a reader should see first.
#define MARK_STRONG "\b"
// Fixed width: what a person types, or a program prints.
#define MARK_CODE "\f"

// A blank at which no line ends: U+00A0.
#define HARD_BLANK "\xc2\xa0"

#endif
