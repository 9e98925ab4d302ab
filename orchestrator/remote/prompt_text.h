/* SPDX-License-Identifier: MIT */
/* prompt_text.h - what a server wants a person to read, made fit to be shown. Pure. */
#ifndef REMOTE_PROMPT_TEXT_H
#define REMOTE_PROMPT_TEXT_H

#include <stdbool.h>

#include "common/attr.h"

#define PROMPT_TEXT_BYTES 160

/*
 * `text` on one line without what could move a cursor, change colours or reverse the direction
 * of writing, without blanks and colons at its end, cut to fit. What is not UTF-8 becomes "?".
 */
void prompt_text_clean(const char *text, char out[PROMPT_TEXT_BYTES]);

/* Does a question that hides its answer mean the password? False when it speaks of a code or
 * token, which is another one each time. */
bool prompt_text_means_password(const char *text) NODISCARD;

/* Does it say so? Then one that a person has typed for all hosts is an answer. */
bool prompt_text_says_password(const char *text) NODISCARD;

#endif
